#include "reports/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "reports/log_replay.h"

namespace mirrorproof::reports {
namespace {

using scenarios::Expect;
using scenarios::OffsetEpoch;
using scenarios::Scenario;
using scenarios::Verdict;

class Comparison {
 public:
  Comparison(const Scenario& scenario, const Evaluation& evaluation, const sim::World& world)
      : setup_(scenario.setup), expect_(scenario.expect), evaluation_(evaluation), world_(world) {}

  std::vector<std::string> run() {
    compare_verdict();
    if (!evaluation_.problem.empty()) {
      // The run stopped half-way: how the world looks there answers no question.
      return std::move(not_met_);
    }
    compare_logs();
    compare_states();
    compare_truncations();
    return std::move(not_met_);
  }

 private:
  template <class... Args>
  void missed(fmt::format_string<Args...> format, Args&&... args) {
    not_met_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  std::string partition_of(ClusterId cluster, PartitionId partition) const {
    return fmt::format("{} in {}", setup_.partitions[static_cast<std::size_t>(partition)].name,
                       setup_.clusters[static_cast<std::size_t>(cluster)].name);
  }

  void compare_verdict() {
    const checker::Judgement& judgement = evaluation_.judgement;
    if (evaluation_.verdict != expect_.verdict) {
      const std::string expected = expect_.verdict == Verdict::holds      ? "every invariant to hold"
                                   : expect_.verdict == Verdict::violated ? "a broken invariant"
                                                                          : "an inconclusive run";
      const std::string found = evaluation_.verdict == Verdict::holds ? "every invariant holds"
                                : evaluation_.verdict == Verdict::violated
                                    ? "broken: " + broken_invariants_text(judgement)
                                    : "the run stopped";
      missed("expected {}, but {}", expected, found);
    }
    if (!evaluation_.problem.empty() && expect_.verdict != Verdict::inconclusive) {
      missed("the run could not be carried out: {}", evaluation_.problem);
    }
    if (expect_.verdict != Verdict::violated || evaluation_.verdict != Verdict::violated) {
      return;
    }
    for (const std::string& name : expect_.invariants) {
      const auto invariant = parse_enum<checker::Invariant>(name);
      if (!invariant) {
        missed("expected {} to be broken, but the checker does not judge it", name);
        continue;
      }
      const bool broken = std::any_of(judgement.violations.begin(), judgement.violations.end(),
                                      [&](const checker::Violation& v) { return v.invariant == *invariant; });
      if (!broken) {
        missed("expected {} to be broken; broken: {}", name, broken_invariants_text(judgement));
      }
    }
  }

  void compare_logs() {
    for (const scenarios::LogFact& fact : expect_.logs) {
      const sim::Cluster& cluster = world_.clusters[static_cast<std::size_t>(fact.cluster)];
      for (const BrokerId replica : cluster.controller.partition(fact.partition).replicas) {
        if (fact.broker == kNoBroker || fact.broker == replica) {
          const auto& partitions = cluster.brokers[static_cast<std::size_t>(replica)].partitions;
          compare_log(fact, replica, partitions[static_cast<std::size_t>(fact.partition)].log);
        }
      }
    }
  }

  void compare_log(const scenarios::LogFact& fact, BrokerId replica, const Log& log) {
    if (holds_exactly(log, fact.log)) {
      return;
    }
    ReplayedLog expected;
    for (const OffsetEpoch& record : fact.log) {
      Batch batch;
      batch.base_offset = record.offset;
      batch.last_offset = record.offset;
      batch.epoch = record.epoch;
      expected.batches.push_back(batch);
    }
    ReplayedLog found;
    found.batches.assign(log.batches().begin(), log.batches().end());
    for (Batch& batch : found.batches) {
      batch.base_offset = std::max(batch.base_offset, log.log_start_offset());
    }
    missed("expected {}/{}'s log of {} to be {}, found {}",
           setup_.clusters[static_cast<std::size_t>(fact.cluster)].name, replica,
           setup_.partitions[static_cast<std::size_t>(fact.partition)].name, records_text(expected),
           records_text(found));
  }

  /// From the log start on. Never unfolds the log: it may be far longer than what is expected of it.
  static bool holds_exactly(const Log& log, const std::vector<OffsetEpoch>& records) {
    std::size_t next = 0;
    for (const Batch& batch : log.batches()) {
      for (Offset offset = std::max(batch.base_offset, log.log_start_offset()); offset <= batch.last_offset;
           ++offset) {
        if (next == records.size() || records[next] != OffsetEpoch{offset, batch.epoch}) {
          return false;
        }
        ++next;
      }
    }
    return next == records.size();
  }

  void compare_states() {
    for (const scenarios::StateFact& fact : expect_.states) {
      const auto& mirrors = world_.clusters[static_cast<std::size_t>(fact.cluster)].mirrors;
      const MirrorState found = mirrors[static_cast<std::size_t>(fact.partition)].state;
      if (found != fact.state) {
        missed("expected the mirror of {} to be {}, found {}", partition_of(fact.cluster, fact.partition),
               to_string(fact.state), to_string(found));
      }
    }
  }

  void compare_truncations() {
    const auto& found = evaluation_.judgement.mirror_truncations;
    if (expect_.mirror_truncations && static_cast<std::size_t>(*expect_.mirror_truncations) != found.size()) {
      missed("expected {} mirror truncations, found {}", *expect_.mirror_truncations, found.size());
    }
    if (expect_.truncations.empty()) {
      return;
    }
    if (expect_.truncations.size() != found.size() && !expect_.mirror_truncations) {
      missed("expected {} mirror truncations, found {}", expect_.truncations.size(), found.size());
    }
    for (std::size_t i = 0; i < expect_.truncations.size(); ++i) {
      const scenarios::TruncationFact& fact = expect_.truncations[i];
      const std::string expected =
          text_of(fact.cluster, fact.partition, fact.offset, fact.records, fact.unclean_elections);
      if (i >= found.size()) {
        missed("expected {} as mirror truncation {}, found none", expected, i + 1);
        continue;
      }
      const checker::MirrorTruncation& truncation = found[i];
      // A cut inside a batch takes the whole batch (L12).
      const Offset first =
          truncation.removed.empty() ? truncation.offset : truncation.removed.front().base_offset;
      const auto elections = static_cast<int>(truncation.unclean_elections.size());
      const bool same = fact.cluster == truncation.cluster && fact.partition == truncation.partition &&
                        fact.offset == first && fact.records == truncation.records &&
                        (!fact.unclean_elections || *fact.unclean_elections == elections);
      if (!same) {
        missed("expected {} as mirror truncation {}, found {}", expected, i + 1,
               text_of(truncation.cluster, truncation.partition, first, truncation.records, elections));
      }
    }
  }

  std::string text_of(ClusterId cluster, PartitionId partition, Offset offset, std::int64_t records,
                      std::optional<int> elections) const {
    return fmt::format("{} records from offset {} of {}{}", records, offset, partition_of(cluster, partition),
                       elections ? fmt::format(" with {} unclean elections behind it", *elections) : "");
  }

  const sim::Setup& setup_;
  const Expect& expect_;
  const Evaluation& evaluation_;
  const sim::World& world_;
  std::vector<std::string> not_met_;
};

/// How often each is broken, in order of first appearance.
std::vector<std::pair<checker::Invariant, int>> broken_invariants(const checker::Judgement& judgement) {
  std::vector<std::pair<checker::Invariant, int>> counts;
  for (const checker::Violation& violation : judgement.violations) {
    const auto same = std::find_if(counts.begin(), counts.end(),
                                   [&](const auto& entry) { return entry.first == violation.invariant; });
    if (same == counts.end()) {
      counts.emplace_back(violation.invariant, 1);
    } else {
      ++same->second;
    }
  }
  return counts;
}

}  // namespace

std::vector<std::string> unmet_expectations(const Scenario& scenario, const Evaluation& evaluation,
                                            const sim::World& world) {
  return Comparison(scenario, evaluation, world).run();
}

std::string broken_invariants_text(const checker::Judgement& judgement) {
  std::string out;
  for (const auto& [invariant, count] : broken_invariants(judgement)) {
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", to_string(invariant),
                       count > 1 ? fmt::format(" ({} times)", count) : "");
  }
  return out;
}

std::string broken_sentence(const checker::Judgement& judgement) {
  const bool one = broken_invariants(judgement).size() == 1;
  return broken_invariants_text(judgement) + (one ? " is broken" : " are broken");
}

}  // namespace mirrorproof::reports
