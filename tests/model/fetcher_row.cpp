#include "fetcher_row.h"

#include <gtest/gtest.h>

#include <charconv>

#include "divergence_run.h"
#include "fetcher_row_run.h"

namespace mirrorproof::vectors {
namespace {

constexpr int kMaxPollsUntilMatch = 200;

/// Every asked partition answered with one error: what Kafka makes of an epoch or offset request that could
/// not be sent.
Response error_answers(const Request& request, ErrorCode error) {
  const auto answer_all = [error](const auto& asked_partitions, auto response) {
    for (const auto& asked : asked_partitions) {
      auto& answer = response.partitions.emplace_back();
      answer.partition = asked.partition;
      answer.error = error;
    }
    return response;
  };
  if (const auto* epochs = std::get_if<OffsetsForLeaderEpochRequest>(&request)) {
    return answer_all(epochs->partitions, OffsetsForLeaderEpochResponse{});
  }
  return answer_all(std::get<ListOffsetsRequest>(request).partitions, ListOffsetsResponse{});
}

}  // namespace

FetcherRow::FetcherRow(const Json& setup) {
  require_known_keys(setup, {"protocol", "backoff_ms", "partitions", "offset_for_leader_epoch_supported"});
  const DivergencePath path = parse_divergence_path(text_field(setup, "protocol"));
  FetcherRules rules;
  rules.truncate_on_fetch = path == DivergencePath::truncate_on_fetch;
  rules.high_watermark_truncation = setup.contains("offset_for_leader_epoch_supported") &&
                                    !to_bool(setup.at("offset_for_leader_epoch_supported"));
  fetcher_ = Fetcher(rules);
  leader_.broker.ofle_version = path == DivergencePath::offsets_for_leader_epoch_v0 ? 0 : 4;
  backoff_ms_ = setup.contains("backoff_ms") ? to_integer(setup.at("backoff_ms")) : 0;
  for (const auto& [name, partition] : field(setup, "partitions").items()) {
    require_known_keys(partition, {"leader", "follower", "follower_stub"});
    const PartitionId id = id_of(name);
    if (partition.contains("leader")) {
      const Json& leader = partition.at("leader");
      leader_.broker.leaders[id] = {to_log(leader), epoch_field(leader, "leader_epoch")};
    }
    if (partition.contains("follower_stub")) {
      set_stub(id, partition.at("follower_stub"));
    } else {
      host_.logs[id] = to_log(field(partition, "follower"));
    }
  }
}

PartitionId FetcherRow::id_of(const std::string& name) {
  return ids_.emplace(name, static_cast<PartitionId>(ids_.size())).first->second;
}

TopicId FetcherRow::topic_id_of(const Json& name) {
  if (name.is_null()) {
    return 0;
  }
  return topic_ids_.emplace(to_text(name), static_cast<TopicId>(topic_ids_.size() + 1)).first->second;
}

void FetcherRow::run_steps(const Json& steps) {
  for (const Json& step : steps) {
    run_step(step);
  }
}

void FetcherRow::run_step(const Json& step) {
  SCOPED_TRACE("step " + step.dump().substr(0, 300));
  const std::string verb = text_field(step, "do");
  if (verb == "add_partition") {
    add_partition(step);
  } else if (verb == "remove_partition") {
    require_known_keys(step, {"do", "partition", "expect"});
    fetcher_.remove_partition(id_of(text_field(step, "partition")));
  } else if (verb == "clear_failed") {
    require_known_keys(step, {"do", "partition", "expect"});
    fetcher_.clear_failed(id_of(text_field(step, "partition")));
  } else if (verb == "poll") {
    poll_step(step);
  } else if (verb == "poll_until_logs_match") {
    require_known_keys(step, {"do", "expect"});
    for (int i = 0; i < kMaxPollsUntilMatch && !all_logs_match(); ++i) {
      poll();
    }
    EXPECT_TRUE(all_logs_match());
  } else if (verb == "set_leader") {
    set_leader(step);
  } else if (verb == "set_follower") {
    require_known_keys(step, {"do", "partition", "log", "expect"});
    host_.logs[id_of(text_field(step, "partition"))] = to_log(field(step, "log"));
  } else if (verb == "set_follower_stub") {
    require_known_keys(step, {"do", "partition", "values", "expect"});
    set_stub(id_of(text_field(step, "partition")), field(step, "values"));
  } else if (verb == "deliver_diverging") {
    require_known_keys(step, {"do", "partition", "epoch", "end_offset", "expect"});
    fetcher_.truncate_on_diverging_epoch(id_of(text_field(step, "partition")),
                                         {epoch_field(step, "epoch"), offset_field(step, "end_offset")},
                                         host_);
  } else if (verb == "update_topic_ids") {
    update_topic_ids(step);
  } else {
    throw VectorError("unknown step \"" + verb + "\"");
  }
  if (step.contains("expect")) {
    check(step.at("expect"));
  }
}

void FetcherRow::add_partition(const Json& step) {
  require_known_keys(
      step, {"do", "partition", "fetch_offset", "leader_epoch", "topic_id", "start_truncating", "expect"});
  host_.hide_latest_epoch = step.contains("start_truncating") && to_bool(step.at("start_truncating"));
  fetcher_.add_partition(id_of(text_field(step, "partition")),
                         step.contains("topic_id") ? topic_id_of(step.at("topic_id")) : 0,
                         offset_field(step, "fetch_offset"), epoch_field(step, "leader_epoch"), host_);
  host_.hide_latest_epoch = false;
  finish_out_of_range();
  end_delays();
}

void FetcherRow::set_leader(const Json& step) {
  require_known_keys(step, {"do", "partition", "leader_epoch", "log", "expect"});
  if (!step.contains("leader_epoch") && !step.contains("log")) {
    throw VectorError("set_leader without leader_epoch or log");
  }
  LogLeader& leader = leader_.broker.leaders[id_of(text_field(step, "partition"))];
  if (step.contains("log")) {
    leader.log = to_log(step.at("log"));
  }
  if (step.contains("leader_epoch")) {
    leader.leader_epoch = epoch_field(step, "leader_epoch");
  }
}

void FetcherRow::set_stub(PartitionId partition, const Json& values) {
  require_known_keys(values, {"latest_epoch", "log_end_offset", "high_watermark", "lookup"});
  FollowerStub& stub = host_.stubs[partition];
  if (values.contains("latest_epoch")) {
    const Json& epoch = values.at("latest_epoch");
    stub.latest_epoch = epoch.is_null() ? std::nullopt : std::optional<Epoch>(to_epoch(epoch));
  }
  if (values.contains("log_end_offset")) {
    stub.log_end_offset = offset_field(values, "log_end_offset");
  }
  if (values.contains("high_watermark")) {
    stub.high_watermark = offset_field(values, "high_watermark");
  }
  if (values.contains("lookup")) {
    stub.lookup.clear();
    for (const auto& [asked, answer] : values.at("lookup").items()) {
      Epoch epoch = 0;
      const auto [end, error] = std::from_chars(asked.data(), asked.data() + asked.size(), epoch);
      if (error != std::errc{} || end != asked.data() + asked.size()) {
        throw VectorError("not an epoch: \"" + asked + "\"");
      }
      stub.lookup[epoch] = {epoch_field(answer, "epoch"), offset_field(answer, "end_offset")};
    }
  }
}

void FetcherRow::update_topic_ids(const Json& step) {
  require_known_keys(step, {"do", "partitions", "topic_ids", "expect"});
  const Json& topic_ids = field(step, "topic_ids");
  for (const Json& value : field(step, "partitions")) {
    const std::string name = to_text(value);
    const PartitionId partition = id_of(name);
    const std::string topic = name.substr(0, name.rfind('-'));
    const TopicId topic_id = topic_ids.contains(topic) ? topic_id_of(topic_ids.at(topic)) : 0;
    const bool held = fetcher_.find(partition) != nullptr;
    EXPECT_EQ(fetcher_.update_topic_id(partition, topic_id), held) << name;
  }
}

// --- polls

void FetcherRow::poll_step(const Json& step) {
  require_known_keys(step, {"do", "times", "answers", "transport_error", "faults", "during",
                            "extra_partition_in_answer", "expect"});
  leader_.set_script(step, [this](const std::string& name) { return id_of(name); });
  if (step.contains("faults")) {
    for (const auto& [name, fault] : step.at("faults").items()) {
      const std::string operation = to_text(fault);
      if (operation != "truncate" && operation != "append") {
        throw VectorError("unknown fault \"" + operation + "\"");
      }
      (operation == "truncate" ? host_.failing_truncations : host_.failing_appends).insert(id_of(name));
    }
  }
  during_ = step.contains("during") ? step.at("during") : Json(nullptr);
  if (!during_.is_null()) {
    require_known_keys(during_, {"api", "steps"});
  }
  blocked_ms_ = 0;
  thrown_.clear();
  const std::int64_t times = step.contains("times") ? to_integer(step.at("times")) : 1;
  for (std::int64_t i = 0; i < times && thrown_.empty(); ++i) {
    poll();
  }
  EXPECT_TRUE(during_.is_null()) << "the request to act during was never sent";
  leader_.clear_script();
  host_.failing_truncations.clear();
  host_.failing_appends.clear();
  const bool throw_expected = step.contains("expect") && step.at("expect").contains("throws");
  EXPECT_TRUE(thrown_.empty() || throw_expected) << "thrown: " << thrown_;
}

/// One round of truncation work, then one fetch (or the back-off if there is nothing to fetch).
void FetcherRow::poll() {
  end_delays();
  std::optional<Request> request = fetcher_.next_request(host_);
  if (request && api_of(*request) == ApiKey::offset_for_leader_epoch) {
    if (!exchange(*request)) {
      return;
    }
    const bool any_ready = std::ranges::any_of(fetcher_.states(), &PartitionFetchState::ready_to_fetch);
    request = any_ready ? fetcher_.next_request(host_) : std::nullopt;
  }
  if (!request) {
    block();
  } else if (!exchange(*request) || !finish_out_of_range()) {
    return;
  }
  end_delays();
}

bool FetcherRow::exchange(const Request& request) {
  count(request);
  const bool lost = leader_.takes_transport_error(request);
  std::optional<Response> response;
  if (!lost) {
    response = leader_.answer(request, [this](PartitionId partition) {
      return host_.logs.contains(partition) ? host_.logs[partition].high_watermark() : Offset{0};
    });
  } else if (api_of(request) != ApiKey::fetch) {
    response = error_answers(request, ErrorCode::unknown_server_error);
  }
  if (!during_.is_null() && text_field(during_, "api") == api_name(request)) {
    const Json steps = field(during_, "steps");
    during_ = nullptr;
    run_steps(steps);
  }
  if (!response) {
    block();
    fetcher_.handle_disconnect(host_);
  } else if (!fetcher_.handle_response(request, *response, host_)) {
    thrown_ = "illegal_state";
  }
  note_delays();
  return thrown_.empty();
}

void FetcherRow::count(const Request& request) {
  if (const auto* offsets = std::get_if<ListOffsetsRequest>(&request)) {
    for (const ListOffsetsPartition& asked : offsets->partitions) {
      ++requests_[asked.spec == OffsetSpec::latest ? kLatestApi : kEarliestApi];
    }
    return;
  }
  ++requests_[api_name(request)];
}

bool FetcherRow::finish_out_of_range() {
  const auto under_way = [](const PartitionFetchState& state) {
    return state.out_of_range != OutOfRangeStep::none && !state.delayed;
  };
  while (std::ranges::any_of(fetcher_.states(), under_way)) {
    const std::optional<Request> request = fetcher_.next_request(host_);
    if (!request || api_of(*request) != ApiKey::list_offsets) {
      throw VectorError("out of range, but the leader's offsets are not asked");
    }
    if (!exchange(*request)) {
      return false;
    }
  }
  return true;
}

void FetcherRow::block() {
  now_ms_ += backoff_ms_;
  blocked_ms_ += backoff_ms_;
}

void FetcherRow::note_delays() {
  for (const PartitionFetchState& state : fetcher_.states()) {
    if (state.delayed) {
      delayed_until_ms_.emplace(state.partition, now_ms_ + backoff_ms_);
    }
  }
}

void FetcherRow::end_delays() {
  note_delays();
  std::erase_if(delayed_until_ms_, [this](const auto& delay) {
    const PartitionFetchState* state = fetcher_.find(delay.first);
    if (state == nullptr || !state->delayed) {
      return true;
    }
    if (delay.second <= now_ms_) {
      fetcher_.backoff_elapsed(delay.first);
      return true;
    }
    return false;
  });
}

void run_fetcher_row(const Json& row) {
  FetcherRow fetcher_row(field(row, "setup"));
  fetcher_row.run_steps(field(row, "steps"));
  fetcher_row.check(field(row, "expect"));
}

}  // namespace mirrorproof::vectors
