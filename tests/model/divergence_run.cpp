#include "divergence_run.h"

#include <algorithm>

#include "log_host.h"

namespace mirrorproof::vectors {
namespace {

constexpr int kMaxSteps = 200;

Json optional_epoch_json(Epoch epoch) {
  return epoch == kUndefinedEpoch ? Json(nullptr) : Json(epoch);
}

/// The written-in epoch that to_batch packed.
Epoch writer_of(const Batch& batch) {
  return static_cast<Epoch>(batch.first_id.serial() >> 16) - 1;
}

Json batch_json(const Batch& batch) {
  Json json = {
      {"base_offset", batch.base_offset}, {"last_offset", batch.last_offset}, {"epoch", batch.epoch}};
  if (writer_of(batch) != batch.epoch) {
    json["written_in_epoch"] = writer_of(batch);
  }
  return json;
}

/// The first offset at or above both log starts where both logs hold different batches; null if there is
/// none.
Json first_mismatch(const Log& leader, const Log& follower) {
  const Offset from = std::max(leader.log_start_offset(), follower.log_start_offset());
  Offset lowest = std::min(leader.log_end_offset(), follower.log_end_offset());
  Json found = nullptr;
  for (const Batch& theirs : leader.batches()) {
    for (const Batch& ours : follower.batches()) {
      const Offset overlap = std::max({theirs.base_offset, ours.base_offset, from});
      if (theirs != ours && overlap <= std::min(theirs.last_offset, ours.last_offset) && overlap < lowest) {
        lowest = overlap;
        found = {
            {"offset", overlap}, {"leader_batch", batch_json(theirs)}, {"follower_batch", batch_json(ours)}};
      }
    }
  }
  return found;
}

class DivergenceRun {
 public:
  DivergenceRun(const Json& pair, DivergencePath path);

  Json run();

 private:
  Json fetch_state_json() const;
  Json follower_after_json();
  Json request_json(const Request& request) const;
  Json answer_json(const Response& response) const;
  /// The cuts made since the last call, as an action; null if there are none.
  Json take_truncation();
  /// Asks the leader's offsets until the out-of-range procedure is over.
  Json reset_fetch_offset();
  void add_step(Json request, Json answer, Json action);
  Json final_json(const std::string& outcome);
  Json first_append_json(const Request& sent, const Response& response);

  const Log initial_log_;
  LogHost host_;
  LeaderBroker leader_;
  Fetcher fetcher_;
  std::size_t cuts_seen_ = 0;
  Json steps_ = Json::array();
};

DivergenceRun::DivergenceRun(const Json& pair, DivergencePath path)
    : initial_log_(to_log(field(pair, "follower"))) {
  const Json& leader = field(pair, "leader");
  const Epoch leader_epoch = epoch_field(leader, "leader_epoch");
  host_.logs[kPartition] = initial_log_;
  leader_.leaders[kPartition] = {to_log(leader), leader_epoch};
  leader_.ofle_version = path == DivergencePath::offsets_for_leader_epoch_v0 ? 0 : 4;
  FetcherRules rules;
  rules.truncate_on_fetch = path == DivergencePath::truncate_on_fetch;
  fetcher_ = Fetcher(rules);
  // F3: the log end where a fetch can tell divergence, else the high watermark.
  const bool from_end = rules.truncate_on_fetch && initial_log_.latest_epoch().has_value();
  const Offset init_offset = from_end ? initial_log_.log_end_offset() : initial_log_.high_watermark();
  fetcher_.add_partition(kPartition, 1, init_offset, leader_epoch, host_);
}

Json DivergenceRun::run() {
  const Json initial = fetch_state_json();
  for (int step = 0; step < kMaxSteps; ++step) {
    const Fetcher fetcher_before = fetcher_;
    const Log log_before = host_.logs[kPartition];
    const std::optional<Request> request = fetcher_.next_request(host_);
    if (const Json local_cut = take_truncation(); !local_cut.is_null()) {
      add_step(nullptr, nullptr, local_cut);
    }
    if (!request) {
      throw VectorError("the fetcher has nothing to ask");
    }
    const Response response = leader_.answer(*request);
    const Json answer = answer_json(response);
    if (answer == Json{{"result", "ok"}}) {
      steps_.push_back({{"request", request_json(*request)}, {"answer", answer}});
      Json final_state = final_json("fetching");
      final_state["first_append"] = first_append_json(*request, response);
      return {{"initial", initial}, {"steps", steps_}, {"final", final_state}};
    }
    if (!fetcher_.handle_response(*request, response, host_)) {
      throw VectorError("the fetcher refused the answer " + answer.dump());
    }
    Json action = take_truncation();
    if (action.is_null()) {
      action = reset_fetch_offset();
    }
    add_step(request_json(*request), answer, action);
    if (host_.logs[kPartition] == log_before && fetcher_.find(kPartition) != nullptr &&
        fetcher_.find(kPartition)->fetch_offset == fetcher_before.find(kPartition)->fetch_offset &&
        fetcher_.find(kPartition)->last_fetched_epoch ==
            fetcher_before.find(kPartition)->last_fetched_epoch &&
        fetcher_.find(kPartition)->phase == fetcher_before.find(kPartition)->phase) {
      return {{"initial", initial}, {"steps", steps_}, {"final", final_json("no_progress")}};
    }
  }
  throw VectorError("the exchange does not end");
}

Json DivergenceRun::fetch_state_json() const {
  const PartitionFetchState* state = fetcher_.find(kPartition);
  if (state == nullptr) {
    throw VectorError("the fetcher no longer holds the partition");
  }
  return {{"fetch_offset", state->fetch_offset},
          {"last_fetched_epoch", optional_epoch_json(state->last_fetched_epoch)},
          {"state", state->phase == FetchPhase::fetching ? "fetching" : "truncating"}};
}

Json DivergenceRun::follower_after_json() {
  const Log& log = host_.logs[kPartition];
  Json json = fetch_state_json();
  json["log_start_offset"] = log.log_start_offset();
  json["log_end_offset"] = log.log_end_offset();
  json["latest_epoch"] = optional_epoch_json(log.latest_epoch().value_or(kUndefinedEpoch));
  return json;
}

Json DivergenceRun::request_json(const Request& request) const {
  if (const auto* fetch = std::get_if<FetchRequest>(&request)) {
    const FetchPartition& asked = fetch->partitions.at(0);
    return {{"api", "fetch"},
            {"fetch_offset", asked.fetch_offset},
            {"last_fetched_epoch", optional_epoch_json(asked.last_fetched_epoch)}};
  }
  if (const auto* epochs = std::get_if<OffsetsForLeaderEpochRequest>(&request)) {
    return {{"api", "offset_for_leader_epoch"}, {"epoch", epochs->partitions.at(0).leader_epoch}};
  }
  throw VectorError("a list-offsets request outside the out-of-range procedure");
}

Json DivergenceRun::answer_json(const Response& response) const {
  if (const auto* fetch = std::get_if<FetchResponse>(&response)) {
    const FetchPartitionResponse& answer = fetch->partitions.at(0);
    if (answer.error != ErrorCode::none) {
      return {{"result", to_string(answer.error)}};
    }
    if (answer.diverging_epoch.epoch < 0) {
      return {{"result", "ok"}};
    }
    return {{"result", "diverging"},
            {"epoch", answer.diverging_epoch.epoch},
            {"end_offset", answer.diverging_epoch.end_offset}};
  }
  const EpochPartitionResponse& answer = std::get<OffsetsForLeaderEpochResponse>(response).partitions.at(0);
  if (answer.error != ErrorCode::none) {
    throw VectorError("an epoch request was answered " + std::string(to_string(answer.error)));
  }
  return {{"epoch", answer.answer.epoch}, {"end_offset", answer.answer.end_offset}};
}

Json DivergenceRun::take_truncation() {
  if (cuts_seen_ == host_.cuts.size()) {
    return nullptr;
  }
  if (host_.cuts.size() - cuts_seen_ != 1) {
    throw VectorError("more than one cut in one step");
  }
  const Cut& cut = host_.cuts[cuts_seen_++];
  const char* kind =
      cut.reason == TruncationReason::high_watermark ? "truncate_to_high_watermark" : "truncate";
  return {{"kind", kind}, {"offset", cut.target}, {"completed", cut.completed}};
}

Json DivergenceRun::reset_fetch_offset() {
  Json action = {{"kind", "reset_fetch_offset"}};
  while (fetcher_.find(kPartition) != nullptr &&
         fetcher_.find(kPartition)->out_of_range != OutOfRangeStep::none) {
    const std::optional<Request> request = fetcher_.next_request(host_);
    if (!request || api_of(*request) != ApiKey::list_offsets) {
      throw VectorError("out of range, but the leader's offsets are not asked");
    }
    const Response response = leader_.answer(*request);
    const ListOffsetsPartitionResponse& answer = std::get<ListOffsetsResponse>(response).partitions.at(0);
    action[answer.spec == OffsetSpec::latest ? "leader_log_end_offset" : "leader_log_start_offset"] =
        answer.offset;
    fetcher_.handle_response(*request, response, host_);
  }
  if (cuts_seen_ != host_.cuts.size()) {
    const Cut& cut = host_.cuts[cuts_seen_++];
    action[cut.fully ? "truncate_fully_and_start_at" : "truncate_to"] = cut.target;
  }
  return action;
}

void DivergenceRun::add_step(Json request, Json answer, Json action) {
  steps_.push_back({{"request", std::move(request)},
                    {"answer", std::move(answer)},
                    {"action", std::move(action)},
                    {"follower_after", follower_after_json()}});
}

Json DivergenceRun::final_json(const std::string& outcome) {
  const Log& log = host_.logs[kPartition];
  const std::size_t kept = log.batches().size();
  if (kept > initial_log_.batches().size() ||
      !std::ranges::equal(log.batches(), initial_log_.batches().first(kept))) {
    throw VectorError("what is left of the follower's log is not a prefix of it");
  }
  Json json = {{"outcome", outcome},
               {"log_start_offset", log.log_start_offset()},
               {"log_end_offset", log.log_end_offset()},
               {"high_watermark", log.high_watermark()},
               {"epochs", entries_json(log.leader_epoch_cache().entries())},
               {"batches_kept", kept}};
  const Json mismatch = first_mismatch(leader_.leaders[kPartition].log, log);
  json["prefix_match"] = mismatch.is_null();
  if (!mismatch.is_null()) {
    json["first_mismatch"] = mismatch;
  }
  return json;
}

Json DivergenceRun::first_append_json(const Request& sent, const Response& response) {
  const auto& records = std::get<FetchResponse>(response).partitions.at(0).records;
  fetcher_.handle_response(sent, response, host_);
  if (records.empty()) {
    return {{"batch", nullptr}, {"result", "nothing_to_append"}};
  }
  const char* result = "appended";
  if (fetcher_.failed(kPartition)) {
    result = "rejected";
  } else if (host_.last_append.restarted_at_batch_base) {
    result = "log_restarted_at_batch_base";
  } else if (host_.last_append.appended_batches == 0) {
    result = "nothing_to_append";
  }
  return {{"batch", batch_json(records.front())}, {"result", result}};
}

}  // namespace

DivergencePath parse_divergence_path(const std::string& name) {
  if (name == "truncate_on_fetch") {
    return DivergencePath::truncate_on_fetch;
  }
  if (name == "offsets_for_leader_epoch") {
    return DivergencePath::offsets_for_leader_epoch;
  }
  if (name == "offsets_for_leader_epoch_v0") {
    return DivergencePath::offsets_for_leader_epoch_v0;
  }
  throw VectorError("unknown path \"" + name + "\"");
}

Json run_divergence(const Json& pair, DivergencePath path) {
  return DivergenceRun(pair, path).run();
}

}  // namespace mirrorproof::vectors
