#pragma once
// TraceBuilder: small traces written by hand, one call per thing that happens. It keeps the logs it
// describes, so that a test says "A1 copies from A0" and the offsets, counts and causes of the events are
// right; a test that wants them wrong passes its own.
//
// The default world: clusters A and B, three brokers each (0-2), one partition "topic-0" on all of them.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checker/checker.h"

namespace mirrorproof::checker::testing {

inline constexpr ClusterId A = 0;
inline constexpr ClusterId B = 1;
inline constexpr ClusterId C = 2;

struct Place {
  ClusterId cluster = 0;
  BrokerId broker = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

inline constexpr Place A0{A, 0}, A1{A, 1}, A2{A, 2};
inline constexpr Place B0{B, 0}, B1{B, 1}, B2{B, 2};
inline constexpr Place C0{C, 0}, C1{C, 1}, C2{C, 2};

class TraceBuilder {
 public:
  explicit TraceBuilder(int clusters = 2, int partitions = 1);

  // --- leadership ---
  /// The controller writes an election. The events it causes name the latest one.
  EventId elect(ClusterId cluster, BrokerId leader, Epoch epoch, ElectionKind kind = ElectionKind::clean);
  EventId take_over(Place place, Epoch epoch);
  EventId follow(Place place, Epoch epoch, BrokerId leader);
  /// elect() and take_over() at once.
  EventId lead(Place place, Epoch epoch, ElectionKind kind = ElectionKind::clean);
  EventId start(Place place, std::string_view version = "4.1");
  EventId stop(Place place, StopKind kind = StopKind::clean);

  // --- logs ---
  /// New records at the log end, with the epoch the place took over.
  Batch write(Place place, int records = 1, BatchKind kind = BatchKind::data);
  Batch write_with_epoch(Place place, Epoch epoch, int records = 1, BatchKind kind = BatchKind::data);
  /// Appends exactly this; causes as given.
  EventId append(Place place, AppendOrigin origin, const Batch& batch,
                 const std::vector<EventId>& causes = {});
  /// One fetch: `to` copies what `from` has at its own log end, at most `batches`. Nothing to copy: nothing
  /// appended.
  EventId copy(Place from, Place to, int batches = 100);
  /// A request and its answer without records; returns the ResponseReceived.
  EventId ask(Place client, Place server, ApiKey api = ApiKey::fetch, Offset first_offset = kUndefinedOffset);
  /// `place` cuts its log because of `server`'s answer; by_mirror when they live in different clusters.
  EventId cut_after_answer(Place place, Place server, Offset target,
                           TruncationReason reason = TruncationReason::diverging_epoch);
  /// Cuts without an answer. `log_start` < 0: unchanged (or the target, if that is lower).
  EventId cut(Place place, Offset target, TruncationReason reason, bool by_mirror = false,
              const std::vector<EventId>& causes = {}, Offset log_start = -1);
  EventId lose_power(Place place, Offset kept_end);
  EventId high_watermark(Place place, Offset offset);
  EventId log_start(Place place, Offset offset,
                    LogStartMoved::Reason reason = LogStartMoved::Reason::retention,
                    const std::vector<EventId>& causes = {});
  /// The cleaner takes the batch that begins at `base_offset`, or its records only.
  EventId clean(Place place, Offset base_offset, bool batch_kept = false);
  EventId epoch_cache(Place place, std::vector<EpochEntry> entries);

  // --- mirrors ---
  EventId state(ClusterId cluster, MirrorState to, ClusterId source, bool retryable = true);
  EventId state_from(ClusterId cluster, MirrorState from, MirrorState to, ClusterId source,
                     bool retryable = true);
  /// UNKNOWN or STOPPED to MIRRORING without anything to align.
  void start_mirroring(ClusterId cluster, ClusterId source);
  EventId aligned(Place place, Offset target, MirrorPosition position, ClusterId source);
  /// MirrorPositionStored at the source's coordinator and read by `place`.
  EventId read_position(Place place, MirrorPosition position, ClusterId source);
  EventId diverged(Place place, Offset target, ClusterId source,
                   TruncationReason how = TruncationReason::diverging_epoch);

  // --- the trace ---
  /// The next event belongs to another action.
  TraceBuilder& step() {
    step_ += 1;
    return *this;
  }
  EventId emit(ClusterId cluster, BrokerId broker, EventPayload payload,
               const std::vector<EventId>& causes = {});
  TraceBuilder& partition(PartitionId partition) {
    partition_ = partition;
    return *this;
  }
  const std::vector<Batch>& log(Place place) { return replica(place).batches; }
  Offset log_end(Place place) { return replica(place).log_end; }
  Trace trace;

  Judgement judge() const { return checker::judge(trace); }
  /// "invariant/kind" of every violation, in order.
  std::vector<std::string> violations() const;

 private:
  struct LocalReplica {
    std::vector<Batch> batches;
    Offset log_start = 0;
    Offset log_end = 0;
    Epoch epoch = 0;
  };
  LocalReplica& replica(Place place) { return replicas_[{place, partition_}]; }

  std::map<std::pair<Place, PartitionId>, LocalReplica> replicas_;
  std::map<std::pair<ClusterId, PartitionId>, EventId> elections_;
  std::map<std::pair<ClusterId, PartitionId>, MirrorState> states_;
  std::map<ClusterId, std::uint64_t> serials_;
  PartitionId partition_ = 0;
  std::uint32_t step_ = 0;
};

/// A0 leads offsets 0-4, all committed, and keeps none of them; A1 has the first.
TraceBuilder world_without_its_past();

/// "invariant/kind" of every violation, in order.
std::vector<std::string> names_of(const Judgement& judgement);

}  // namespace mirrorproof::checker::testing
