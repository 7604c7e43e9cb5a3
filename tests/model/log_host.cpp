#include "log_host.h"

#include <gtest/gtest.h>

#include "model/leader_epoch_check.h"

namespace mirrorproof {

Log& LogHost::log(PartitionId partition) {
  if (!logs.contains(partition)) {
    ADD_FAILURE() << "the fetcher named partition " << partition << ", which has no log here";
  }
  return logs[partition];
}

Offset LogHost::log_start_offset(PartitionId partition) {
  return log(partition).log_start_offset();
}

Offset LogHost::log_end_offset(PartitionId partition) {
  return log(partition).log_end_offset();
}

std::optional<Epoch> LogHost::latest_epoch(PartitionId partition) {
  return hide_latest_epoch ? std::nullopt : log(partition).latest_epoch();
}

EpochEndOffset LogHost::end_offset_for_epoch(PartitionId partition, Epoch epoch) {
  return log(partition).end_offset_for_epoch(epoch);
}

HostVerdict LogHost::truncate(PartitionId partition, Offset target, TruncationReason reason, bool completed) {
  if (failing_truncations.contains(partition)) {
    return HostVerdict::fail;
  }
  cuts.push_back({partition, target, reason, completed, false});
  log(partition).truncate_to(target);
  return HostVerdict::proceed;
}

HostVerdict LogHost::truncate_fully_and_start_at(PartitionId partition, Offset start) {
  if (failing_truncations.contains(partition)) {
    return HostVerdict::fail;
  }
  cuts.push_back({partition, start, TruncationReason::out_of_range, true, true});
  log(partition).truncate_fully_and_start_at(start);
  return HostVerdict::proceed;
}

ProcessedData LogHost::process_data(const PartitionFetchState& state, const FetchPartitionResponse& data) {
  ProcessedData result;
  if (!data.records.empty()) {
    ++appends[state.partition];
  }
  Log& replica = log(state.partition);
  if (failing_appends.contains(state.partition) || state.fetch_offset != replica.log_end_offset()) {
    result.verdict = HostVerdict::fail;
    return result;
  }
  if (data.corrupt) {
    result.verdict = HostVerdict::delay;
    return result;
  }
  last_append = replica.append_as_follower({data.records.data(), data.records.size()},
                                           state.current_leader_epoch, /*epoch_guard=*/true);
  if (last_append.error != AppendError::none) {
    result.verdict = HostVerdict::fail;
    return result;
  }
  replica.set_high_watermark(data.high_watermark);
  if (data.log_start_offset >= 0) {
    replica.increment_log_start(data.log_start_offset);
  }
  result.appended = last_append.appended_batches > 0;
  result.next_offset = replica.log_end_offset();
  result.last_epoch = last_append.last_epoch.value_or(kUndefinedEpoch);
  return result;
}

FetchPartitionResponse LogLeader::fetch(const FetchPartition& asked, int max_batches) const {
  FetchPartitionResponse response;
  response.partition = asked.partition;
  response.error = check_leader_epoch(asked.current_leader_epoch, leader_epoch);
  if (response.error != ErrorCode::none) {
    return response;
  }
  response.high_watermark = log.high_watermark();
  response.log_start_offset = log.log_start_offset();
  const FetchCheck check = check_fetch_epoch(log, asked.fetch_offset, asked.last_fetched_epoch);
  if (check.result == FetchCheck::Result::out_of_range) {
    response.error = ErrorCode::offset_out_of_range;
  } else if (check.result == FetchCheck::Result::diverging) {
    response.diverging_epoch = check.diverging;
  } else {
    const auto records = log.read(asked.fetch_offset, log.log_end_offset(), max_batches);
    response.records.assign(records.begin(), records.end());
  }
  return response;
}

EpochPartitionResponse LogLeader::offset_for_leader_epoch(const EpochPartition& asked,
                                                          ApiVersion version) const {
  return answer_offset_for_leader_epoch(log, {leader_epoch, true}, asked, version);
}

ListOffsetsPartitionResponse LogLeader::list_offsets(const ListOffsetsPartition& asked) const {
  ListOffsetsPartitionResponse response;
  response.partition = asked.partition;
  response.spec = asked.spec;
  response.error = check_leader_epoch(asked.current_leader_epoch, leader_epoch);
  if (response.error == ErrorCode::none) {
    response.offset = asked.spec == OffsetSpec::latest ? log.log_end_offset() : log.log_start_offset();
  }
  return response;
}

Response LeaderBroker::answer(const Request& request) const {
  const auto unknown = [](auto response, PartitionId partition) {
    response.partition = partition;
    response.error = ErrorCode::unknown_topic_or_partition;
    return response;
  };
  if (const auto* fetch = std::get_if<FetchRequest>(&request)) {
    FetchResponse response;
    for (const FetchPartition& asked : fetch->partitions) {
      const auto leader = leaders.find(asked.partition);
      response.partitions.push_back(leader == leaders.end()
                                        ? unknown(FetchPartitionResponse{}, asked.partition)
                                        : leader->second.fetch(asked, max_batches));
    }
    return response;
  }
  if (const auto* epochs = std::get_if<OffsetsForLeaderEpochRequest>(&request)) {
    OffsetsForLeaderEpochResponse response;
    for (const EpochPartition& asked : epochs->partitions) {
      const auto leader = leaders.find(asked.partition);
      response.partitions.push_back(leader == leaders.end()
                                        ? unknown(EpochPartitionResponse{}, asked.partition)
                                        : leader->second.offset_for_leader_epoch(asked, ofle_version));
    }
    return response;
  }
  ListOffsetsResponse response;
  for (const ListOffsetsPartition& asked : std::get<ListOffsetsRequest>(request).partitions) {
    const auto leader = leaders.find(asked.partition);
    response.partitions.push_back(leader == leaders.end()
                                      ? unknown(ListOffsetsPartitionResponse{}, asked.partition)
                                      : leader->second.list_offsets(asked));
  }
  return response;
}

}  // namespace mirrorproof
