#include "checker/epoch_identity.h"

#include <fmt/format.h>

#include <algorithm>

#include "checker/describe.h"

namespace mirrorproof::checker {

const EpochIdentity::Interval* EpochIdentity::overlapping(const EpochRecords& records, Offset base,
                                                          Offset last) {
  // The first interval that ends at or above `base`; copies ask about the tail.
  const std::vector<Interval>& in_order = records.in_order;
  auto found = in_order.end();
  if (!in_order.empty() && in_order.back().last >= base) {
    found = in_order.size() == 1 || in_order[in_order.size() - 2].last < base
                ? in_order.end() - 1
                : std::lower_bound(
                      in_order.begin(), in_order.end(), base,
                      [](const Interval& interval, Offset wanted) { return interval.last < wanted; });
  }
  const Interval* lowest = found != in_order.end() && found->base <= last ? &*found : nullptr;
  if (!records.out_of_order.empty()) {
    auto side = records.out_of_order.upper_bound(base);
    if (side != records.out_of_order.begin() && std::prev(side)->second.last >= base) {
      --side;
    }
    if (side != records.out_of_order.end() && side->first <= last &&
        (lowest == nullptr || side->first < lowest->base)) {
      lowest = &side->second;
    }
  }
  return lowest;
}

void EpochIdentity::add(EpochRecords& records, const Interval& interval) {
  touched_ = true;
  std::vector<Interval>& in_order = records.in_order;
  if (in_order.empty() || in_order.back().last < interval.base) {
    if (!in_order.empty() && in_order.back().last + 1 == interval.base &&
        in_order.back().id_minus_offset == interval.id_minus_offset) {
      in_order.back().last = interval.last;
      return;
    }
    in_order.push_back(interval);
    return;
  }
  records.out_of_order.emplace(interval.base, interval);
}

EpochIdentity::EpochIdentity(const Replay& replay) : recreated_(replay.header().partitions.size(), false) {
  Families families;
  for (std::size_t cluster = 0; cluster < replay.header().clusters.size(); ++cluster) {
    families.names.emplace_back();
    families.of.push_back(static_cast<ClusterId>(cluster));
  }
  families.before = families.of;
  partitions_.assign(recreated_.size(), families);
}

bool EpochIdentity::knows(const Names& names, const Batch& batch) {
  const auto records = names.find(batch.epoch);
  const Interval* known =
      records == names.end() ? nullptr : overlapping(records->second, batch.base_offset, batch.last_offset);
  return known != nullptr &&
         known->id_minus_offset == batch.first_id.packed - static_cast<std::uint64_t>(batch.base_offset);
}

void EpochIdentity::check_append(const Replay& replay, Findings& findings, const Event& event,
                                 const Appended& append) {
  if (recreated_[static_cast<std::size_t>(event.partition)]) {
    return;
  }
  Families& families = partitions_[static_cast<std::size_t>(event.partition)];
  const auto cluster = static_cast<std::size_t>(event.cluster);
  if (append.origin == AppendOrigin::mirror && append.source_cluster != kNoCluster &&
      families.of[cluster] != families.of[static_cast<std::size_t>(append.source_cluster)]) {
    check_aligned(replay, findings, event, append.source_cluster);  // a trace that tells of no alignment
  }
  // A follower may still copy what its leader has given up.
  const bool left_a_family =
      append.origin == AppendOrigin::replication && families.before[cluster] != families.of[cluster];
  Names& names = families.names[static_cast<std::size_t>(families.of[cluster])];
  for (const Batch& batch : append.batches) {
    if (!left_a_family || !knows(families.names[static_cast<std::size_t>(families.before[cluster])], batch)) {
      check_batch(replay, findings, event, names, batch);
    }
  }
}

void EpochIdentity::check_aligned(const Replay& replay, Findings& findings, const Event& event,
                                  ClusterId source) {
  if (source == kNoCluster || recreated_[static_cast<std::size_t>(event.partition)]) {
    return;
  }
  Families& families = partitions_[static_cast<std::size_t>(event.partition)];
  ClusterId& own = families.of[static_cast<std::size_t>(event.cluster)];
  const ClusterId joined = families.of[static_cast<std::size_t>(source)];
  if (own == joined) {
    return;
  }
  families.before[static_cast<std::size_t>(event.cluster)] = own;
  own = joined;
  touched_ = true;
  const ReplicaLog& log = replay.replica(event.cluster, event.broker, event.partition).log;
  for (ReplicaLog::Index index = log.first_index(); index < log.end_index(); ++index) {
    check_batch(replay, findings, event, families.names[static_cast<std::size_t>(joined)],
                log.at(index).batch);
  }
}

void EpochIdentity::check_batch(const Replay& replay, Findings& findings, const Event& event, Names& names,
                                const Batch& batch) {
  const TraceHeader& header = replay.header();
  if (batch.epoch == kUndefinedEpoch) {
    return;
  }
  touched_ = touched_ || !names.contains(batch.epoch);
  EpochRecords& records = names[batch.epoch];
  const Interval interval{batch.base_offset, batch.last_offset,
                          batch.first_id.packed - static_cast<std::uint64_t>(batch.base_offset), event.id};
  // Walk over what is known of these offsets; remember what is new.
  Offset offset = interval.base;
  while (offset <= interval.last) {
    const Interval* known = overlapping(records, offset, interval.last);
    const Offset gap_end = known == nullptr ? interval.last : std::min(interval.last, known->base - 1);
    if (offset <= gap_end) {
      const Offset next = known == nullptr ? interval.last + 1 : known->base;
      add(records, {offset, gap_end, interval.id_minus_offset, event.id});
      offset = next;
      continue;
    }
    if (known->id_minus_offset != interval.id_minus_offset) {
      const Interval other = *known;
      findings.report(
          Invariant::epoch_identity, "two-records-one-name", event,
          [&] {
            return fmt::format(
                "{}: offset {} with epoch {} names {} here, but {} elsewhere", replica_name(header, event),
                offset, batch.epoch, record_name(header, batch.id_at(offset)),
                record_name(header, RecordId{other.id_minus_offset + static_cast<std::uint64_t>(offset)}));
          },
          {other.appended});
    }
    offset = known->last + 1;
  }
}

}  // namespace mirrorproof::checker
