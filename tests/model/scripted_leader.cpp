#include "scripted_leader.h"

namespace mirrorproof::vectors {
namespace {

std::string checked_api(const std::string& name) {
  if (name != kFetchApi && name != kEpochApi && name != kLatestApi && name != kEarliestApi) {
    throw VectorError("unknown api \"" + name + "\"");
  }
  return name;
}

std::string api_name(OffsetSpec spec) {
  return spec == OffsetSpec::latest ? kLatestApi : kEarliestApi;
}

bool is_set(const Json& object, const char* key) {
  return object.contains(key) && to_bool(object.at(key));
}

}  // namespace

std::string api_name(const Request& request) {
  switch (api_of(request)) {
    case ApiKey::fetch:
      return kFetchApi;
    case ApiKey::offset_for_leader_epoch:
      return kEpochApi;
    default:
      return api_name(std::get<ListOffsetsRequest>(request).partitions.at(0).spec);
  }
}

void ScriptedLeader::set_script(const Json& step,
                                const std::function<PartitionId(const std::string&)>& id_of) {
  clear_script();
  if (step.contains("answers")) {
    for (const auto& [name, answers] : step.at("answers").items()) {
      for (const Json& answer : answers) {
        require_known_keys(answer,
                           {"api", "error", "result", "epoch", "end_offset", "offset", "high_watermark",
                            "log_start_offset", "corrupt", "batches", "repeat", "transport_error"});
        checked_api(text_field(answer, "api"));
        answers_[id_of(name)].push_back(answer);
      }
    }
  }
  if (step.contains("transport_error")) {
    const Json& error = step.at("transport_error");
    if (error.is_array()) {
      for (const Json& api : error) {
        failing_calls_.insert(checked_api(to_text(api)));
      }
    } else if (error.is_string()) {
      failing_calls_.insert(checked_api(to_text(error)));
    } else if (to_bool(error)) {
      failing_calls_.insert("*");
    }
  }
  if (step.contains("extra_partition_in_answer")) {
    extra_partition_ = id_of(text_field(step, "extra_partition_in_answer"));
  }
}

void ScriptedLeader::clear_script() {
  answers_.clear();
  failing_calls_.clear();
  extra_partition_.reset();
}

std::optional<Json> ScriptedLeader::take(PartitionId partition, const std::string& api) {
  std::deque<Json>& queue = answers_[partition];
  for (auto it = queue.begin(); it != queue.end(); ++it) {
    if (it->at("api") == api) {
      Json answer = *it;
      if (!is_set(answer, "repeat")) {
        queue.erase(it);
      }
      return answer;
    }
  }
  return std::nullopt;
}

bool ScriptedLeader::takes_transport_error(const Request& request) {
  const std::string api = api_name(request);
  bool fails = failing_calls_.contains("*") || failing_calls_.contains(api);
  for (auto& [partition, queue] : answers_) {
    for (auto it = queue.begin(); it != queue.end();) {
      const bool matches = it->at("api") == api && is_set(*it, "transport_error");
      fails = fails || matches;
      it = matches && !is_set(*it, "repeat") ? queue.erase(it) : it + 1;
    }
  }
  return fails;
}

FetchPartitionResponse ScriptedLeader::fetch_answer(const FetchPartition& asked,
                                                    Offset clean_high_watermark) {
  const auto leader = broker.leaders.find(asked.partition);
  const std::optional<Json> script = take(asked.partition, kFetchApi);
  if (!script && leader != broker.leaders.end()) {
    return leader->second.fetch(asked, broker.max_batches);
  }
  FetchPartitionResponse response;
  response.partition = asked.partition;
  response.high_watermark = clean_high_watermark;
  if (leader != broker.leaders.end()) {
    response.high_watermark = leader->second.log.high_watermark();
    response.log_start_offset = leader->second.log.log_start_offset();
  }
  if (!script) {
    return response;
  }
  if (script->contains("error") && error_field(*script, "error") != ErrorCode::none) {
    response.error = error_field(*script, "error");
    return response;
  }
  const std::string result = script->contains("result") ? text_field(*script, "result") : "ok";
  if (result == "diverging") {
    response.diverging_epoch = {epoch_field(*script, "epoch"), offset_field(*script, "end_offset")};
  } else if (result != "ok") {
    response.error = error_field(*script, "result");
  } else if (script->contains("batches")) {
    for (const Json& batch : script->at("batches")) {
      response.records.push_back(to_batch(batch));
    }
  } else if (leader != broker.leaders.end()) {
    const Log& log = leader->second.log;
    const auto records = log.read(asked.fetch_offset, log.log_end_offset(), broker.max_batches);
    response.records.assign(records.begin(), records.end());
  }
  response.corrupt = is_set(*script, "corrupt");
  if (script->contains("high_watermark")) {
    response.high_watermark = offset_field(*script, "high_watermark");
  }
  if (script->contains("log_start_offset")) {
    response.log_start_offset = offset_field(*script, "log_start_offset");
  }
  return response;
}

EpochPartitionResponse ScriptedLeader::epoch_answer(const EpochPartition& asked) {
  EpochPartitionResponse response;
  response.partition = asked.partition;
  if (const std::optional<Json> script = take(asked.partition, kEpochApi)) {
    response.error = script->contains("error") ? error_field(*script, "error") : ErrorCode::none;
    if (response.error == ErrorCode::none) {
      response.answer = {epoch_field(*script, "epoch"), offset_field(*script, "end_offset")};
    }
    return response;
  }
  const auto leader = broker.leaders.find(asked.partition);
  if (leader == broker.leaders.end()) {
    throw VectorError("an epoch request for a partition without leader or scripted answer");
  }
  return leader->second.offset_for_leader_epoch(asked, broker.ofle_version);
}

ListOffsetsPartitionResponse ScriptedLeader::offset_answer(const ListOffsetsPartition& asked) {
  if (const std::optional<Json> script = take(asked.partition, api_name(asked.spec))) {
    ListOffsetsPartitionResponse response;
    response.partition = asked.partition;
    response.spec = asked.spec;
    response.error = script->contains("error") ? error_field(*script, "error") : ErrorCode::none;
    if (response.error == ErrorCode::none) {
      response.offset = offset_field(*script, "offset");
    }
    return response;
  }
  const auto leader = broker.leaders.find(asked.partition);
  if (leader == broker.leaders.end()) {
    throw VectorError("an offset request for a partition without leader or scripted answer");
  }
  return leader->second.list_offsets(asked);
}

Response ScriptedLeader::answer(const Request& request,
                                const std::function<Offset(PartitionId)>& clean_high_watermark) {
  if (const auto* fetch = std::get_if<FetchRequest>(&request)) {
    FetchResponse response;
    for (const FetchPartition& asked : fetch->partitions) {
      response.partitions.push_back(fetch_answer(asked, clean_high_watermark(asked.partition)));
    }
    if (extra_partition_) {
      FetchPartitionResponse extra;
      extra.partition = *extra_partition_;
      response.partitions.push_back(extra);
    }
    return response;
  }
  if (const auto* epochs = std::get_if<OffsetsForLeaderEpochRequest>(&request)) {
    OffsetsForLeaderEpochResponse response;
    for (const EpochPartition& asked : epochs->partitions) {
      response.partitions.push_back(epoch_answer(asked));
    }
    if (extra_partition_) {
      EpochPartitionResponse extra;
      extra.partition = *extra_partition_;
      extra.answer = {0, 0};
      response.partitions.push_back(extra);
    }
    return response;
  }
  ListOffsetsResponse response;
  for (const ListOffsetsPartition& asked : std::get<ListOffsetsRequest>(request).partitions) {
    response.partitions.push_back(offset_answer(asked));
  }
  return response;
}

}  // namespace mirrorproof::vectors
