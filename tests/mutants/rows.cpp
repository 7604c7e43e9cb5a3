#include "tests/mutants/rows.h"

#include <algorithm>

namespace mirrorproof::mutants {
namespace {

Row row(std::string name, std::string rule, std::string fault, Mutant mutant) {
  std::ranges::replace(name, '_', '-');
  Row made;
  made.name = std::move(name);
  made.rule = std::move(rule);
  made.fault = std::move(fault);
  made.mutant = mutant;
  made.base_name = "hardened";
  made.base = preset_options(Preset::hardened);
  made.faulty = made.base;
  return made;
}

/// What some faults need to be reached: `hardened` has a second guard against them.
void choose_base(Row& row) {
  const auto use = [&row](std::string name, ProtocolOptions options) {
    row.base_name = std::move(name);
    row.base = options;
    row.faulty = options;
  };
  ProtocolOptions options = preset_options(Preset::hardened);
  switch (row.mutant) {
    case Mutant::older_leader_epoch_accepted:
      options.batch_epoch_guard = false;
      use("hardened, batch_epoch_guard=false", options);
      return;
    case Mutant::ule_policy_retries:
    case Mutant::ule_policy_cuts_first:
      options.ule_support = false;
      use("hardened, ule_support=false", options);
      return;
    case Mutant::stop_bump_accepts_equal_epoch:
      use("as_proposed", preset_options(Preset::as_proposed));
      return;
    case Mutant::active_group_overwritten:
      row.unhunted =
          "not caught: a trace does not say which members a group has, so nobody can tell an active one";
      return;
    default:
      return;
  }
}

template <class Value>
struct Change {
  Value ProtocolOptions::*option;
  Value value;
};

template <class Value>
Row variant(const std::string& option, const std::string& value, Change<Value> change,
            Preset base = Preset::hardened) {
  Row made = row(option + " " + value, "", "", Mutant::none);
  made.name = option + "=" + value;
  made.base = preset_options(base);
  made.base_name = to_string(base);
  made.faulty = made.base;
  made.faulty.*change.option = change.value;
  return made;
}

}  // namespace

std::vector<Row> mutant_rows() {
  std::vector<Row> rows;
#define MUTANT(name, rule, fault) rows.push_back(row(#name, rule, fault, Mutant::name));
#include "model/mutant_list.inc"
#undef MUTANT
  std::ranges::for_each(rows, choose_base);
  return rows;
}

std::vector<Row> variant_rows() {
  using P = ProtocolOptions;
  std::vector<Row> rows;
  const auto shown_by = [&rows](std::string what) { rows.back().unhunted = std::move(what); };
  const auto add = [&rows](const std::string& option, auto value, auto P::*member, std::string_view name,
                           Preset base = Preset::hardened) {
    rows.push_back(variant(option, std::string(name), Change<decltype(value)>{member, value}, base));
  };
#define VARIANT(option, type, value) add(#option, type::value, &P::option, #value)
#define VARIANT_AS_PROPOSED(option, type, value) \
  add(#option, type::value, &P::option, #value, Preset::as_proposed)
#define SWITCH(option, value) add(#option, value, &P::option, #value)
  VARIANT_AS_PROPOSED(alignment, Alignment, epoch_only);
  VARIANT_AS_PROPOSED(alignment, Alignment, offset_only);
  shown_by("too rare at random; scenarios/failback-offset-only.json breaks `alignment-exactness`");
  VARIANT_AS_PROPOSED(alignment, Alignment, epoch_and_offset_inclusive);
  VARIANT_AS_PROPOSED(alignment, Alignment, as_posted);
  VARIANT_AS_PROPOSED(alignment, Alignment, none);
  VARIANT(alignment_wait, AlignmentWait, none);
  VARIANT(version_detection, VersionDetection, first_fetch);
  VARIANT(version_detection, VersionDetection, drop_field);
  VARIANT(ofle_rounds, OfleRounds, one);
  shown_by("no effect: after a cut the mirror recovers, and begins with OffsetsForLeaderEpoch once more");
  VARIANT(on_source_epoch_change, OnSourceEpochChange, keep_fetching);
  shown_by("too rare at random; scenarios/cases/source-epoch-change-unnoticed.json breaks `log-matching`");
  VARIANT(mirror_epochs, MirrorEpochs, rewrite);
  VARIANT(recovery_wait, RecoveryWait, isr);
  VARIANT(recovery_wait, RecoveryWait, none);
  VARIANT_AS_PROPOSED(epoch_bump, EpochBump, exact);
  VARIANT(epoch_bump, EpochBump, none);
  VARIANT(stop_position_write, StopPositionWrite, fire_and_forget);
  VARIANT(destination_high_watermark, DestinationHighWatermark, source);
  SWITCH(stale_response_guard, false);
  SWITCH(batch_epoch_guard, false);
  shown_by(
      "too rare at random; scenarios/cases/late-read-beyond-the-epoch.json breaks `committed-stability`");
  VARIANT(replication, Replication, kip320_unfenced_truncation);
  VARIANT(replication, Replication, kip320_first_try);
  VARIANT(replication, Replication, kip279);
  VARIANT(replication, Replication, kip101);
  VARIANT(replication, Replication, high_watermark);
  SWITCH(eligible_leader_replicas, false);
#undef VARIANT
#undef VARIANT_AS_PROPOSED
#undef SWITCH
  return rows;
}

}  // namespace mirrorproof::mutants
