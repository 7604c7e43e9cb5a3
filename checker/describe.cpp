#include "checker/describe.h"

#include <fmt/format.h>

namespace mirrorproof::checker {

std::string cluster_name(const TraceHeader& header, ClusterId cluster) {
  if (cluster < 0 || static_cast<std::size_t>(cluster) >= header.clusters.size()) {
    return "?";
  }
  return header.clusters[static_cast<std::size_t>(cluster)].name;
}

std::string broker_name(const TraceHeader& header, ClusterId cluster, BrokerId broker) {
  const std::string name = cluster_name(header, cluster);
  if (broker == kController) {
    return name + "'s controller";
  }
  return fmt::format("{}{}{}", name, name.size() > 1 ? "-" : "", broker);
}

std::string partition_name(const TraceHeader& header, PartitionId partition) {
  if (partition < 0 || static_cast<std::size_t>(partition) >= header.partitions.size()) {
    return "?";
  }
  return header.partitions[static_cast<std::size_t>(partition)].name;
}

std::string replica_name(const TraceHeader& header, const Event& event) {
  return fmt::format("{} on {}", partition_name(header, event.partition),
                     broker_name(header, event.cluster, event.broker));
}

std::string batch_name(const TraceHeader& header, const Batch& batch) {
  const std::string origin = cluster_name(header, batch.first_id.origin());
  const std::uint64_t first = batch.first_id.serial();
  const std::string epoch =
      batch.epoch == kUndefinedEpoch ? "no epoch" : fmt::format("epoch {}", batch.epoch);
  if (batch.record_count() == 1) {
    return fmt::format("offset {} ({}, record {}#{})", batch.base_offset, epoch, origin, first);
  }
  return fmt::format("offsets {}-{} ({}, records {}#{}-{})", batch.base_offset, batch.last_offset, epoch,
                     origin, first, batch.id_at(batch.last_offset).serial());
}

std::string record_name(const TraceHeader& header, RecordId id) {
  return fmt::format("record {}#{}", cluster_name(header, id.origin()), id.serial());
}

std::string_view excuse_text(TruncationExcuse excuse) {
  switch (excuse) {
    case TruncationExcuse::only_gaps:
      return "it removed no record: what went had been emptied by a log cleaner";
    case TruncationExcuse::source_topic_deleted:
      return "a topic that was deleted answered, and what was lost in it nobody can tell any more";
    case TruncationExcuse::none:
      break;
  }
  return "nothing excuses it";
}

}  // namespace mirrorproof::checker
