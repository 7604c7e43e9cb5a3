#pragma once
// Findings: collects violations and keeps a broken run from filling the memory.

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/checker.h"
#include "checker/circumstances.h"

namespace mirrorproof::checker {

/// Violations kept whatever they are; after those, one per (invariant, kind, cluster, partition).
inline constexpr std::size_t kMaxSimilarViolations = 100;

class Findings {
 public:
  explicit Findings(const CircumstanceTracker& circumstances) : circumstances_(circumstances) {}

  /// `message` is a callable, run only if the violation is kept. `kind` must be a literal.
  template <class Message>
  void report(Invariant invariant, std::string_view kind, const Event& event, Message&& message,
              std::vector<EventId> evidence = {}) {
    count_ += 1;
    const bool first = kinds_.emplace(invariant, kind, event.cluster, event.partition).second;
    if (first || kept_.size() < kMaxSimilarViolations) {
      kept_.push_back({invariant, std::string(kind), std::forward<Message>(message)(), event.id,
                       event.cluster, event.partition, std::move(evidence),
                       circumstances_.of(event.partition)});
    }
  }

  std::size_t count() const { return count_; }
  bool found(Invariant invariant, std::string_view kind) const;
  std::span<const Violation> so_far() const { return kept_; }
  /// In trace order.
  std::vector<Violation> take();
  /// As if nothing had been found.
  void clear() {
    count_ = 0;
    kept_.clear();
    kinds_.clear();
  }

 private:
  const CircumstanceTracker& circumstances_;
  std::size_t count_ = 0;
  std::vector<Violation> kept_;
  std::set<std::tuple<Invariant, std::string_view, ClusterId, PartitionId>> kinds_;
};

}  // namespace mirrorproof::checker
