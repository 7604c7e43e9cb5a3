#include <mirrorproof/property.h>

MIRRORPROOF_PROPERTY(Mirroring, holds, with_preset(Preset::hardened)) {
  run.expect_holds();
}

// The first design of failback recorded the last mirror epoch only.
MIRRORPROOF_PROPERTY(Mirroring, holds_with_epochs_alone, [] {
  ProtocolOptions protocol;
  protocol.alignment = Alignment::epoch_only;
  return with_protocol(protocol);
}()) {
  run.expect_holds(mirrorproof::checker::Invariant::truncation_provenance);
}

MIRRORPROOF_PROPERTY(Mirroring, never_elects_uncleanly) {
  run.expect(run.judgement().statistics.unclean_elections == 0, "an unclean leader election");
}
