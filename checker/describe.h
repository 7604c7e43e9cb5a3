#pragma once
// Names of things in messages, the way a Kafka engineer says them.

#include <string>
#include <string_view>

#include "checker/checker.h"
#include "checker/replica_log.h"

namespace mirrorproof::checker {

/// "A".
std::string cluster_name(const TraceHeader& header, ClusterId cluster);
/// "A1"; "east-1" when the cluster's name has more than one letter; "A's controller".
std::string broker_name(const TraceHeader& header, ClusterId cluster, BrokerId broker);
/// "topic-0".
std::string partition_name(const TraceHeader& header, PartitionId partition);
/// "topic-0 on A1", from the event's place.
std::string replica_name(const TraceHeader& header, const Event& event);
/// "offset 2 (epoch 10, record A#7)"; "offsets 2-4 (epoch 10, records A#7-9)".
std::string batch_name(const TraceHeader& header, const Batch& batch);
/// "record A#7".
std::string record_name(const TraceHeader& header, RecordId id);

/// For a person: "it removed no record, ...".
std::string_view excuse_text(TruncationExcuse excuse);

}  // namespace mirrorproof::checker
