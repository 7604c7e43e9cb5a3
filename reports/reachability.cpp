#include "reports/reachability.h"

#include <fmt/format.h>

#include <algorithm>

#include "checker/trace_fields.h"
#include "model/check.h"

namespace mirrorproof::reports {
namespace {

constexpr int kMirrorStates = static_cast<int>(EnumNames<MirrorState>::entries.size());

/// What may befall the destination of a mirror.
enum class Blow : std::uint8_t {
  clean_election,
  unclean_election,
  leaderless,
  epoch_bump,
  coordinator_failover,
  reassignment,
};
constexpr std::array<std::string_view, 6> kBlows{"clean_election", "unclean_election",     "leaderless",
                                                 "epoch_bump",     "coordinator_failover", "reassignment"};

struct Cut {
  TruncationReason reason;
  bool by_mirror;
  friend bool operator==(const Cut&, const Cut&) = default;
};
/// Why logs are cut, by whom.
constexpr std::array<Cut, 14> kCuts{{
    {TruncationReason::diverging_epoch, false},
    {TruncationReason::offset_for_leader_epoch, false},
    {TruncationReason::out_of_range, false},
    {TruncationReason::high_watermark, false},
    {TruncationReason::power_loss, false},
    {TruncationReason::open_transaction, false},
    {TruncationReason::topic_deleted, false},
    {TruncationReason::replica_removed, false},
    {TruncationReason::log_restart, false},
    {TruncationReason::alignment, true},
    {TruncationReason::diverging_epoch, true},
    {TruncationReason::offset_for_leader_epoch, true},
    {TruncationReason::out_of_range, true},
    {TruncationReason::log_restart, true},
}};

/// The errors that the brokers of this world answer with.
struct Answer {
  ApiKey api;
  ErrorCode error;
};
constexpr std::array<Answer, 11> kErrors{{
    {ApiKey::fetch, ErrorCode::offset_out_of_range},
    {ApiKey::fetch, ErrorCode::fenced_leader_epoch},
    {ApiKey::fetch, ErrorCode::unknown_leader_epoch},
    {ApiKey::fetch, ErrorCode::not_leader_or_follower},
    {ApiKey::fetch, ErrorCode::inconsistent_topic_id},
    {ApiKey::offset_for_leader_epoch, ErrorCode::fenced_leader_epoch},
    {ApiKey::offset_for_leader_epoch, ErrorCode::unknown_leader_epoch},
    {ApiKey::offset_for_leader_epoch, ErrorCode::not_leader_or_follower},
    {ApiKey::list_offsets, ErrorCode::fenced_leader_epoch},
    {ApiKey::list_offsets, ErrorCode::unknown_leader_epoch},
    {ApiKey::list_offsets, ErrorCode::not_leader_or_follower},
}};

struct RequestVersion {
  ApiKey api;
  ApiVersion version;
  friend bool operator==(const RequestVersion&, const RequestVersion&) = default;
};

/// A client uses the highest version both sides know: the highest of some release.
std::vector<RequestVersion> request_versions() {
  std::vector<RequestVersion> all;
  for (const ApiKey api : {ApiKey::fetch, ApiKey::offset_for_leader_epoch, ApiKey::list_offsets}) {
    for (int i = 0; i < kafka_version_count(); ++i) {
      const RequestVersion next{api, supported_range(KafkaVersion{static_cast<std::int8_t>(i)}, api).max};
      if (std::find(all.begin(), all.end(), next) == all.end()) {
        all.push_back(next);
      }
    }
  }
  return all;
}

struct Catalog {
  std::vector<ReachPoint> points;
  std::array<std::size_t, kReachGroupCount> first{};  ///< number of a group's first point
  std::vector<RequestVersion> requests;

  Catalog();
  void begin(ReachGroup group) { first[static_cast<std::size_t>(group)] = points.size(); }
  void add(ReachGroup group, std::string name, bool forbidden = false) {
    points.push_back({group, std::move(name), forbidden});
  }
  template <class E>
  void add_all(ReachGroup group) {
    begin(group);
    for (const auto& [value, name] : EnumNames<E>::entries) {
      add(group, std::string(name));
    }
  }
};

/// 0 for UNKNOWN, then the states in the order of their numbers.
std::size_t state_number(MirrorState state) {
  return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(state) + 1);
}

/// Among the transitions from every state to every other.
std::size_t transition_number(MirrorState from, MirrorState to) {
  const std::size_t row = state_number(from);
  const std::size_t column = state_number(to);
  return row * (kMirrorStates - 1) + (column > row ? column - 1 : column);
}

std::string_view state_name(int number) {
  return to_string(static_cast<MirrorState>(number - 1));
}

Catalog::Catalog() : requests(request_versions()) {
  using G = ReachGroup;
  add_all<sim::ActionClass>(G::action);
  begin(G::event);
  for (const std::string_view type : checker::kEventTypes) {
    add(G::event, std::string(type));
  }
  add_all<ElectionKind>(G::election);
  begin(G::mirror_state);
  for (int state = 1; state < kMirrorStates; ++state) {  // UNKNOWN is only where a mirror begins
    add(G::mirror_state, std::string(state_name(state)));
  }
  begin(G::mirror_transition);
  for (int from = 0; from < kMirrorStates; ++from) {
    for (int to = 0; to < kMirrorStates; ++to) {
      if (from != to) {
        add(G::mirror_transition, fmt::format("{}->{}", state_name(from), state_name(to)),
            !is_valid_transition(static_cast<MirrorState>(from - 1), static_cast<MirrorState>(to - 1)));
      }
    }
  }
  begin(G::mirror_reason);
  for (const auto& [reason, name] : EnumNames<MirrorReason>::entries) {
    if (reason != MirrorReason::none) {
      add(G::mirror_reason, std::string(name));
    }
  }
  begin(G::in_state);
  for (const std::string_view blow : kBlows) {
    for (int state = 1; state < kMirrorStates; ++state) {
      add(G::in_state, fmt::format("{}@{}", blow, state_name(state)));
    }
  }
  begin(G::truncation);
  for (const Cut& cut : kCuts) {
    add(G::truncation, fmt::format("{}{}", cut.by_mirror ? "mirror:" : "", to_string(cut.reason)));
  }
  begin(G::request);
  for (const RequestVersion& request : requests) {
    add(G::request, fmt::format("{}:v{}", to_string(request.api), request.version));
  }
  begin(G::error);
  for (const Answer& answer : kErrors) {
    add(G::error, fmt::format("{}:{}", to_string(answer.api), to_string(answer.error)));
  }
  begin(G::fetcher_branch);
  for (const std::string_view prefix : {"replica", "mirror"}) {
    for (const auto& [branch, name] : EnumNames<FetcherBranch>::entries) {
      add(G::fetcher_branch, fmt::format("{}:{}", prefix, name));
    }
  }
  begin(G::kafka_version);
  for (int i = 0; i < kafka_version_count(); ++i) {
    add(G::kafka_version, std::string(kafka_version_name(KafkaVersion{static_cast<std::int8_t>(i)})));
  }
  MP_CHECK(points.size() <= kMaxReachPoints, "more points than a set of them holds");
}

const Catalog& catalog() {
  static const Catalog kCatalog;
  return kCatalog;
}

}  // namespace

std::string ReachPoint::full_name() const {
  return fmt::format("{}/{}", to_string(group), name);
}

const std::vector<ReachPoint>& reach_points() {
  return catalog().points;
}

FetcherBranches mirror_branches(const Reached& reached) {
  const std::size_t first =
      catalog().first[static_cast<std::size_t>(ReachGroup::fetcher_branch)] + kFetcherBranchCount;
  FetcherBranches out;
  for (int branch = 0; branch < kFetcherBranchCount; ++branch) {
    if (reached.test(first + static_cast<std::size_t>(branch))) {
      out.note(static_cast<FetcherBranch>(branch));
    }
  }
  return out;
}

ReachObserver::ReachObserver()
    : states_(static_cast<std::size_t>(kMaxClusters) * kMaxPartitions, MirrorState::unknown) {}

void ReachObserver::reach(ReachGroup group, std::size_t offset) {
  reached_.set(catalog().first[static_cast<std::size_t>(group)] + offset);
}

MirrorState& ReachObserver::state_of(ClusterId cluster, PartitionId partition) {
  return states_[static_cast<std::size_t>(cluster) * kMaxPartitions + static_cast<std::size_t>(partition)];
}

void ReachObserver::befell(ClusterId cluster, PartitionId partition, std::size_t what) {
  const std::size_t state = state_number(state_of(cluster, partition));
  if (state > 0) {
    reach(ReachGroup::in_state, what * (kMirrorStates - 1) + state - 1);
  }
}

void ReachObserver::act(const sim::Action& action) {
  reach(ReachGroup::action, static_cast<std::size_t>(action.kind));
  if (action.kind == sim::ActionClass::coordinator_failover) {
    for (PartitionId partition = 0; partition < kMaxPartitions; ++partition) {
      befell(action.cluster, partition, static_cast<std::size_t>(Blow::coordinator_failover));
    }
  }
}

void ReachObserver::observe(const Event& event) {
  reach(ReachGroup::event, event.payload.index());
  if (const auto* election = std::get_if<Election>(&event.payload)) {
    const auto kind = static_cast<std::size_t>(election->kind);
    reach(ReachGroup::election, kind);
    befell(event.cluster, event.partition, kind);
  } else if (const auto* changed = std::get_if<MirrorStateChanged>(&event.payload)) {
    if (changed->to != MirrorState::unknown) {
      reach(ReachGroup::mirror_state, state_number(changed->to) - 1);
    }
    if (changed->from != changed->to) {
      reach(ReachGroup::mirror_transition, transition_number(changed->from, changed->to));
    }
    if (changed->reason != MirrorReason::none) {
      reach(ReachGroup::mirror_reason, static_cast<std::size_t>(changed->reason) - 1);
    }
    state_of(event.cluster, event.partition) = changed->to;
  } else if (const auto* ordered = std::get_if<OperatorOrdered>(&event.payload)) {
    if (ordered->action == OperatorAction::delete_mirror) {
      state_of(event.cluster, event.partition) = MirrorState::unknown;
    }
  } else if (std::holds_alternative<ReplicasChanged>(event.payload)) {
    befell(event.cluster, event.partition, static_cast<std::size_t>(Blow::reassignment));
  } else if (std::holds_alternative<TopicRecreated>(event.payload)) {
    state_of(event.cluster, event.partition) = MirrorState::unknown;
  } else if (const auto* truncated = std::get_if<Truncated>(&event.payload)) {
    const auto found = std::find(kCuts.begin(), kCuts.end(), Cut{truncated->reason, truncated->by_mirror});
    if (found != kCuts.end()) {
      reach(ReachGroup::truncation, static_cast<std::size_t>(found - kCuts.begin()));
    }
  } else if (const auto* sent = std::get_if<RequestSent>(&event.payload)) {
    const auto& requests = catalog().requests;
    const auto found = std::find(requests.begin(), requests.end(), RequestVersion{sent->api, sent->version});
    if (found != requests.end()) {  // rules of other times use others
      reach(ReachGroup::request, static_cast<std::size_t>(found - requests.begin()));
    }
  } else if (const auto* handled = std::get_if<RequestHandled>(&event.payload)) {
    const auto found = std::find_if(kErrors.begin(), kErrors.end(), [&](const Answer& answer) {
      return answer.api == handled->api && answer.error == handled->error;
    });
    if (found != kErrors.end()) {
      reach(ReachGroup::error, static_cast<std::size_t>(found - kErrors.begin()));
    }
  } else if (const auto* started = std::get_if<BrokerStarted>(&event.payload)) {
    reach(ReachGroup::kafka_version, static_cast<std::size_t>(started->version.index));
  }
}

void ReachObserver::finish(const sim::Simulator& simulator) {
  for (const bool mirrors : {false, true}) {
    const FetcherBranches taken = simulator.branches_taken(mirrors);
    for (int branch = 0; branch < kFetcherBranchCount; ++branch) {
      if (taken.has(static_cast<FetcherBranch>(branch))) {
        reach(ReachGroup::fetcher_branch,
              static_cast<std::size_t>(branch) + (mirrors ? std::size_t{kFetcherBranchCount} : 0));
      }
    }
  }
}

std::size_t allowed_reach_points() {
  const auto& points = reach_points();
  return static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(), [](const ReachPoint& point) { return !point.forbidden; }));
}

std::size_t Reachability::points_reached() const {
  std::size_t count = 0;
  for (std::size_t point = 0; point < counts_.size(); ++point) {
    count += reached(point) && !reach_points()[point].forbidden ? 1 : 0;
  }
  return count;
}

void Reachability::add(std::uint64_t seed, const Reached& reached) {
  for (std::size_t point = 0; point < counts_.size(); ++point) {
    if (reached.test(point)) {
      add(point, ReachCount{1, seed});
    }
  }
}

void Reachability::add(std::size_t point, const ReachCount& count) {
  if (count.seeds > 0) {
    ReachCount& all = counts_[point];
    all.first_seed = all.seeds == 0 ? count.first_seed : std::min(all.first_seed, count.first_seed);
    all.seeds += count.seeds;
  }
}

}  // namespace mirrorproof::reports
