#include "reports/finding_faults.h"

#include <algorithm>

namespace mirrorproof::reports {

std::span<const FindingFaults> finding_faults() {
  using A = sim::ActionClass;
  static const std::vector<FindingFaults> table{
      {"restart-aligns-from-scratch", {A::start_mirror}},
      {"restart-realigns-to-the-old-position", {A::start_mirror}},
      {"stop-runs-again-after-pid-reset", {A::stop_mirror}},
      {"stop-order-lost-while-failed", {A::stop_mirror}},
      {"failed-state-without-a-way-back", {A::pause_mirror}},
      {"stale-position-after-a-new-source", {A::start_mirror}},
      {"failback-after-an-old-epoch-came-back", {A::start_mirror}},
      {.finding = "stale-source-leader-after-a-destination-failover",
       .faults = {},
       .destination_followers = true},
      {"power-loss-without-an-unclean-election", {A::power_loss}},
      {"retention-overtakes-the-mirror", {A::delete_records}},
      {"alignment-ends-before-a-follower-is-heard", {A::start_mirror}},
      {.finding = "recovery-ends-on-a-stale-follower-position", .faults = {}, .destination_followers = true},
      {.finding = "isr-join-by-epoch-alone", .faults = {}, .destination_followers = true},
      {"out-of-range-loops-on-an-unknown-epoch", {A::start_mirror}},
      {"cut-inside-a-batch-wedges-the-replica", {A::delete_records}},
      {"position-of-a-deleted-topic", {A::recreate_topic}},
      {"records-deleted-inside-a-batch-wedge-a-follower", {A::delete_records}},
      {"chain-restart-in-the-middle", {A::start_mirror}},
      {"epochs-race-after-failover", {A::stop_mirror}},
      {"empty-mirror-stopped-before-its-epoch-bump", {A::stop_mirror}},
      {"group-offset-ahead-of-the-leader-epoch", {A::commit_group_offset}},
      {"group-left-beyond-the-log-by-a-truncation", {A::commit_group_offset}},
      {"parked-produce-acked-by-mirrored-records", {A::start_mirror}},
      {"unclean-leader-loses-the-marker", {A::end_transaction}},
      {"marker-lost-at-a-deposed-leader", {A::end_transaction}},
      {"reader-crosses-a-recreated-topic", {A::recreate_topic}},
      {"mirror-leader-knows-no-later-epoch", {A::start_mirror}},
      // Who crashes or is fenced has heard of everything before it may lead again.
      {"leader-that-missed-its-deposition", {A::clean_election, A::preferred_election, A::reassign}},
      {"unclean-leader-loses-pid-reset", {A::stop_mirror}},
      {"siblings-align-from-scratch", {A::start_mirror}},
      {"loop-of-three-mirrors", {A::start_mirror}},
      {"compaction-hides-an-epoch", {A::compact}},
      {"compaction-moves-the-start-of-an-epoch", {A::compact}},
      {"truncation-into-a-gap-wedges-followers", {A::compact}},
      {"alignment-cuts-what-had-overwritten", {A::compact}},
      {"scratch-alignment-under-a-reader", {A::start_mirror}},
      {"deleted-mirror-forgets-its-writer", {A::delete_mirror}},
      {"old-source-topic-created-again", {A::recreate_topic}},
      {"stop-does-not-wait-for-its-position", {A::stop_mirror}},
      {.finding = "last-fetched-epoch-dropped-in-silence", .faults = {}, .old_source = true},
      {"isr-proposal-crosses-a-restart", {A::power_loss}},
      {.finding = "records-without-epochs-hide-a-divergence", .faults = {}, .old_format = true},
      {"failover-while-the-source-is-gone", {A::stop_mirror, A::pause_mirror}},
      {"aborted-records-come-back", {A::end_transaction}},
      {"late-batch-of-an-ended-transaction", {A::produce_late}},
      {"leaderless-source-answers-from-a-follower", {A::power_loss}},
      {"late-read-of-an-older-history", {A::late_read}},
      {"out-of-range-cut-escapes-the-policy", {A::start_mirror}},
      {"replica-assigned-anew-escapes-the-alignment", {A::start_mirror}},
  };
  return table;
}

std::vector<std::string> leave_out(std::span<const KnownFinding> findings, sim::SwarmOptions& swarm) {
  bool destination_followers = false;
  bool old_source = false;
  std::vector<std::string> taken;
  for (const KnownFinding& finding : findings) {
    for (const FindingFaults& row : finding_faults()) {
      if (row.finding != finding.name) {
        continue;
      }
      destination_followers = destination_followers || row.destination_followers;
      old_source = old_source || row.old_source;
      for (const sim::ActionClass kind : row.faults) {
        sim::SwarmLimit& limit = swarm.limits[static_cast<std::size_t>(kind)];
        if (limit.most != 0) {
          limit = {.most = 0, .always = false};
          taken.emplace_back(to_string(kind));
        }
      }
    }
  }
  std::sort(taken.begin(), taken.end());
  if (destination_followers) {
    swarm.destination_brokers = sim::SwarmRange{1, 1};
    taken.emplace_back("destinations with more than one broker");
  }
  if (old_source) {
    const KafkaVersion first = *parse_kafka_version("2.7");
    swarm.oldest = std::max(swarm.oldest, first);
    swarm.newest = std::max(swarm.newest, first);
    taken.emplace_back("sources before 2.7");
  }
  return taken;
}

}  // namespace mirrorproof::reports
