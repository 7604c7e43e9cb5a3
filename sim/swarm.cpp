#include "sim/swarm.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "model/check.h"
#include "sim/choices.h"

namespace mirrorproof::sim {
namespace {

using C = ActionClass;
using Subject = SwarmSubject;

class Drawer {
 public:
  explicit Drawer(std::uint64_t seed) : choices_(seed) {}
  /// In [low, high].
  int between(int low, int high) {
    return low +
           static_cast<int>(choices_.choose(Stream::topology, static_cast<std::uint32_t>(high - low + 1)));
  }
  bool one_in(int n) { return between(1, n) == 1; }
  int in(SwarmRange range) { return between(range.min, range.max); }
  KafkaVersion version(const SwarmOptions& options) {
    return KafkaVersion{static_cast<std::int8_t>(between(options.oldest.index, options.newest.index))};
  }

 private:
  SeededChoices choices_;
};

/// By weight, among those that are possible.
Subject draw_subject(SwarmSubjects possible, Drawer& drawer) {
  constexpr std::array<std::pair<Subject, int>, kSwarmSubjectCount> kWeights{{{Subject::elections, 3},
                                                                              {Subject::old_source, 2},
                                                                              {Subject::source_ule, 2},
                                                                              {Subject::failback, 1},
                                                                              {Subject::mixed, 4}}};
  int total = 0;
  for (const auto& [subject, weight] : kWeights) {
    total += possible.test(static_cast<std::size_t>(subject)) ? weight : 0;
  }
  MP_CHECK(total > 0, "bounds that leave nothing to draw");
  int drawn = drawer.between(0, total - 1);
  for (const auto& [subject, weight] : kWeights) {
    if (possible.test(static_cast<std::size_t>(subject))) {
      if (drawn < weight) {
        return subject;
      }
      drawn -= weight;
    }
  }
  return Subject::mixed;
}

/// Releases before 2.7 do not tell divergence in fetch answers.
KafkaVersion newest_without_divergence() {
  return KafkaVersion{static_cast<std::int8_t>(parse_kafka_version("2.7")->index - 1)};
}

KafkaVersion draw_old_version(const SwarmOptions& options, Drawer& drawer) {
  const int last = std::min(options.newest.index, newest_without_divergence().index);
  return KafkaVersion{static_cast<std::int8_t>(drawer.between(options.oldest.index, last))};
}

int within(SwarmRange range, int wanted) {
  return std::clamp(wanted, range.min, range.max);
}

SwarmRange destination_range(const SwarmOptions& options) {
  return options.destination_brokers.value_or(options.brokers);
}

void draw_small_clusters(Setup& setup, const SwarmOptions& options, Subject subject, Drawer& drawer) {
  ClusterSetup source;
  source.name = "A";
  const KafkaVersion version = subject == Subject::old_source ? draw_old_version(options, drawer)
                               : drawer.one_in(2)             ? drawer.version(options)
                                                              : options.newest;
  const int brokers = subject == Subject::failback ? drawer.between(1, 2) : 3;
  source.brokers.assign(static_cast<std::size_t>(within(options.brokers, brokers)), version);
  setup.clusters.push_back(std::move(source));
  if (subject != Subject::elections) {
    ClusterSetup destination;
    destination.name = "B";
    const int followers = subject == Subject::failback     ? 1
                          : subject == Subject::source_ule ? 2
                          : drawer.one_in(3)               ? 2
                                                           : 0;
    destination.brokers.assign(
        static_cast<std::size_t>(within(destination_range(options), 1 + drawer.between(0, followers))),
        latest_kafka_version());
    setup.clusters.push_back(std::move(destination));
  }
}

void draw_clusters(Setup& setup, const SwarmOptions& options, Drawer& drawer) {
  const SwarmRange range{std::max(2, options.clusters.min), options.clusters.max};
  const int clusters = drawer.one_in(4) ? drawer.in(range) : range.min;
  for (int c = 0; c < clusters; ++c) {
    ClusterSetup cluster;
    cluster.name = std::string(1, static_cast<char>('A' + c));
    // Only the head of a chain may lack cluster mirroring.
    const bool head_is_old = c == 0 && drawer.one_in(2);
    const KafkaVersion newest = c == 0 ? options.newest : latest_kafka_version();
    const KafkaVersion common = head_is_old ? drawer.version(options) : newest;
    const int brokers = drawer.in(c == 0 ? options.brokers : destination_range(options));
    for (int b = 0; b < brokers; ++b) {
      cluster.brokers.push_back(head_is_old && drawer.one_in(4) ? drawer.version(options) : common);
    }
    setup.clusters.push_back(std::move(cluster));
  }
}

void draw_partitions(Setup& setup, const SwarmOptions& options, Drawer& drawer) {
  const int partitions = drawer.one_in(4) ? drawer.in(options.partitions) : options.partitions.min;
  for (int p = 0; p < partitions; ++p) {
    PartitionSetup partition;
    partition.name = fmt::format("orders-{}", p);
    for (const ClusterSetup& cluster : setup.clusters) {
      HostedPartition hosting;
      const auto brokers = static_cast<int>(cluster.brokers.size());
      for (int b = 0; b < brokers; ++b) {
        hosting.replicas.push_back(static_cast<BrokerId>((b + p) % brokers));
      }
      hosting.min_insync_replicas = drawer.one_in(3) ? drawer.between(1, brokers) : 1;
      partition.hosting.push_back(std::move(hosting));
    }
    setup.partitions.push_back(std::move(partition));
  }
}

void draw_mirrors(Setup& setup, Drawer& drawer) {
  const auto clusters = static_cast<ClusterId>(setup.clusters.size());
  const bool fan_out = clusters > 2 && drawer.one_in(3);
  for (std::size_t p = 0; p < setup.partitions.size(); ++p) {
    for (ClusterId destination = 1; destination < clusters; ++destination) {
      MirrorSetup mirror;
      mirror.source = fan_out ? ClusterId{0} : static_cast<ClusterId>(destination - 1);
      mirror.destination = destination;
      mirror.partition = static_cast<PartitionId>(p);
      setup.mirrors.push_back(mirror);
    }
  }
}

void draw_readers(Setup& setup, Drawer& drawer) {
  const int readers = drawer.one_in(2) ? 0 : drawer.between(1, 2);
  for (int r = 0; r < readers; ++r) {
    ReaderSetup reader;
    reader.name = fmt::format("reader-{}", r);
    reader.cluster = static_cast<ClusterId>(drawer.between(0, static_cast<int>(setup.clusters.size()) - 1));
    reader.partition = 0;
    reader.read_committed = drawer.one_in(2);
    if (!drawer.one_in(3)) {
      reader.group = static_cast<int>(setup.groups.size());
      setup.groups.push_back(fmt::format("group-{}", r));
    }
    setup.readers.push_back(std::move(reader));
  }
}

void draw_faults(Setup& setup, const SwarmOptions& options, Drawer& drawer) {
  setup.faults = default_faults();
  auto& weights = setup.faults.weights;
  // Swarm: a fault class is switched off, or made frequent, as a whole.
  for (int i = kProtocolClassCount; i < kActionClassCount; ++i) {
    const auto kind = static_cast<C>(i);
    const bool heals = kind == C::restart || kind == C::heal_clusters || kind == C::heal_controller ||
                       kind == C::resume_mirror || (kind >= C::produce && kind <= C::resume_reader);
    if (heals || weights[i] == 0) {
      continue;
    }
    switch (drawer.between(0, 3)) {
      case 0:
        weights[i] = 0;
        break;
      case 1:
        weights[i] *= 4;
        break;
      default:
        break;
    }
  }
  // Faults that a scenario must ask for by name.
  const auto sometimes = [&](C kind, int weight, int budget) {
    weights[static_cast<int>(kind)] = weight;
    setup.faults.budgets[static_cast<int>(kind)] = budget;
  };
  if (drawer.one_in(3)) {
    // One draw a statement: the order in which arguments are evaluated is the compiler's.
    const int losses = drawer.between(1, 4);
    const int weight = drawer.between(1, 4);
    sometimes(C::power_loss, weight, losses);
    sometimes(C::flush, drawer.between(1, 12), -1);
  }
  if (drawer.one_in(8)) {
    sometimes(C::delete_mirror, 1, 1);
  }
  if (drawer.one_in(4)) {
    const int deletions = drawer.between(1, 4);
    const int weight = drawer.between(1, 4);
    sometimes(C::delete_records, weight, deletions);
  }
  if (drawer.one_in(4)) {
    const int cleanings = drawer.between(1, 20);
    const int weight = drawer.between(2, 20);
    sometimes(C::compact, weight, cleanings);
  }
  weights[static_cast<int>(C::produce)] = drawer.between(2, 20);
  weights[static_cast<int>(C::fetcher_send)] = drawer.between(10, 60);
  weights[static_cast<int>(C::metadata_apply)] = drawer.between(5, 40);
  const int versions = drawer.between(0, 3);
  for (int i = 0; i < versions; ++i) {
    setup.faults.versions.push_back(drawer.version(options));
  }
  // Fetches before v13 carry no topic ids: a topic created again looks like the old one.
  const auto names_topics_by_id = [](KafkaVersion version) {
    return supported_range(version, ApiKey::fetch).supports(kFetchWithTopicIds);
  };
  const auto& head = setup.clusters.front().brokers;
  if (drawer.one_in(8) && std::all_of(head.begin(), head.end(), names_topics_by_id) &&
      std::all_of(setup.faults.versions.begin(), setup.faults.versions.end(), names_topics_by_id)) {
    sometimes(C::recreate_topic, 1, 1);
  }
  if (drawer.one_in(4)) {
    const int reassignments = drawer.between(1, 4);
    const int weight = drawer.between(1, 4);
    sometimes(C::reassign, weight, reassignments);
    sometimes(C::cancel_reassignment, drawer.between(1, 8), -1);
    sometimes(C::preferred_election, drawer.between(1, 4), 4);
  }
  if (drawer.one_in(6)) {
    weights[static_cast<int>(C::late_read)] = 20;
    setup.faults.budgets[static_cast<int>(C::late_read)] = -1;
  }
}

/// Every class that does not serve the subject is off; the protocol's own actions never are.
void draw_small_faults(Setup& setup, Subject subject, Drawer& drawer) {
  setup.faults = default_faults();
  auto& weights = setup.faults.weights;
  auto& budgets = setup.faults.budgets;
  for (int i = kProtocolClassCount; i < kActionClassCount; ++i) {
    weights[i] = 0;
  }
  const auto allow = [&](C kind, int weight) {
    weights[static_cast<int>(kind)] = weight;
    budgets[static_cast<int>(kind)] = -1;
  };
  allow(C::produce, drawer.between(3, 30));
  allow(C::end_transaction, 8);
  switch (subject) {
    case Subject::elections:
      allow(C::clean_election, drawer.between(5, 40));
      // Rarely possible; then it is taken at once.
      allow(C::late_read, 400);
      if (drawer.one_in(4)) {
        allow(C::delete_records, 4);
      }
      if (drawer.one_in(4)) {
        allow(C::compact, drawer.between(2, 12));
      }
      break;
    case Subject::old_source:
      allow(C::clean_election, drawer.between(2, 40));
      allow(C::unclean_election, 40);
      allow(C::crash, drawer.between(2, 12));
      allow(C::restart, 20);
      allow(C::cut_controller, drawer.between(2, 20));
      allow(C::heal_controller, 20);
      // News of the source's leaders travels slowly, so that some of it is never seen.
      weights[static_cast<int>(C::source_refresh)] = drawer.between(1, 4);
      if (drawer.one_in(3)) {
        allow(C::start_mirror, 4);
        allow(C::stop_mirror, 1);
      }
      break;
    case Subject::source_ule:
      allow(C::unclean_election, 40);
      allow(C::crash, drawer.between(2, 8));
      allow(C::restart, 20);
      allow(C::preferred_election, drawer.between(1, 4));
      allow(C::coordinator_failover, 4);
      if (drawer.one_in(2)) {
        allow(C::start_mirror, 4);
        allow(C::stop_mirror, 1);
        allow(C::pause_mirror, 1);
        allow(C::resume_mirror, 4);
      }
      if (drawer.one_in(3)) {
        allow(C::reassign, drawer.between(1, 4));
      }
      if (drawer.one_in(3)) {
        allow(C::clean_election, drawer.between(1, 8));
      }
      if (drawer.one_in(4)) {
        allow(C::compact, drawer.between(2, 12));
      }
      break;
    case Subject::failback:
      allow(C::start_mirror, 8);
      allow(C::stop_mirror, 8);
      allow(C::crash, drawer.between(2, 8));
      allow(C::restart, 20);
      break;
    case Subject::mixed:
      break;
  }
  for (const C kind : {C::fetcher_send, C::server_handle, C::fetcher_receive}) {
    weights[static_cast<int>(kind)] = drawer.between(10, 60);
  }
  weights[static_cast<int>(C::metadata_apply)] = drawer.between(5, 60);
  weights[static_cast<int>(C::isr_shrink)] =
      subject == Subject::source_ule ? drawer.between(10, 40) : drawer.between(1, 12);
}

/// Brokers that look away: one activity of one broker is not scheduled for a stretch of the run.
void draw_pauses(Setup& setup, Subject subject, Drawer& drawer) {
  constexpr int kLeastActions = 90;
  const int actions = setup.run.max_actions;
  // Without a follower that falls behind, the source loses nothing that was committed.
  const bool always = subject == Subject::source_ule;
  if (actions < kLeastActions || (!always && !drawer.one_in(subject == Subject::mixed ? 4 : 2))) {
    return;
  }
  const int pauses = drawer.between(1, 3);
  if (subject == Subject::elections && drawer.one_in(2)) {
    setup.run.fetch_max_batches = 1;  // more answers under way, each with records of one leader
  }
  for (int i = 0; i < pauses; ++i) {
    ScriptStep run;
    run.kind = StepKind::random;
    run.count = drawer.between(5, actions / (3 * pauses));
    setup.run.max_actions -= run.count;
    setup.steps.push_back(run);
    ScriptStep pause;
    pause.kind = StepKind::hold;
    // An old source is watched by nobody for a while: what happens in it must be found out afterwards.
    const bool destination = subject == Subject::old_source && drawer.one_in(2);
    const auto clusters = static_cast<int>(setup.clusters.size());
    const int last = subject == Subject::source_ule && !drawer.one_in(4) ? 0 : clusters - 1;
    const int cluster = destination ? 1 : drawer.between(0, last);
    pause.action.cluster = static_cast<ClusterId>(cluster);
    const auto brokers = static_cast<int>(setup.clusters[static_cast<std::size_t>(cluster)].brokers.size());
    pause.action.broker = static_cast<BrokerId>(drawer.between(0, brokers - 1));
    const bool falls_behind =
        (always || (subject == Subject::old_source && !drawer.one_in(4))) && cluster == 0;
    pause.held = destination || falls_behind ? Held::fetch : static_cast<Held>(drawer.between(0, 2));
    // A process that stands still hears nothing, while its requests are answered.
    const bool stands_still = subject == Subject::elections && !drawer.one_in(3);
    if (stands_still) {
      pause.held = Held::metadata;
      setup.steps.push_back(pause);
      pause.held = Held::fetch;
    }
    // Replicas that do not copy from one another write histories of their own, of several epochs each.
    const bool each_for_itself = falls_behind && drawer.one_in(2);
    const auto all_pause = [&](StepKind kind) {
      ScriptStep step = pause;
      step.kind = kind;
      for (int broker = 0; broker < brokers; ++broker) {
        if (each_for_itself || broker == pause.action.broker) {
          step.action.broker = static_cast<BrokerId>(broker);
          setup.steps.push_back(step);
        }
      }
    };
    all_pause(StepKind::hold);
    run.count = drawer.between(10, actions / (2 * pauses));
    setup.run.max_actions -= run.count;
    setup.steps.push_back(run);
    all_pause(StepKind::release);
    if (stands_still) {
      pause.kind = StepKind::release;
      run.count = drawer.between(1, 6);
      setup.run.max_actions -= run.count;
      setup.steps.push_back(run);
      pause.held = Held::metadata;
      setup.steps.push_back(pause);
    }
  }
  for (std::size_t i = 0; i < setup.steps.size(); ++i) {
    setup.steps[i].pointer = fmt::format("/steps/{}", i);
  }
}

/// Drawn last: what came before them stays what it was.
void draw_rare_faults(Setup& setup, Drawer& drawer) {
  if (!drawer.one_in(3)) {
    return;
  }
  // Each with a weight and a budget.
  constexpr std::array<std::tuple<C, int, int>, 4> kRare{{{C::shut_down, 4, 4},
                                                          {C::set_min_insync_replicas, 3, 4},
                                                          {C::recover_mirror, 8, 4},
                                                          {C::produce_late, 12, 4}}};
  for (const auto& [kind, most_weight, most] : kRare) {
    const bool drawn = drawer.one_in(2);
    const int weight = drawer.between(1, most_weight);
    const int budget = drawer.between(1, most);
    if (drawn) {
      setup.faults.weights[static_cast<std::size_t>(kind)] = weight;
      setup.faults.budgets[static_cast<std::size_t>(kind)] = budget;
    }
  }
}

/// What the bounds say about classes of actions, whatever was drawn.
void apply_limits(Setup& setup, const SwarmOptions& options) {
  restrict_faults(setup, options.faults);
  const FaultSetup defaults = default_faults();
  for (std::size_t i = kProtocolClassCount; i < options.limits.size(); ++i) {
    const SwarmLimit& limit = options.limits[i];
    int& weight = setup.faults.weights[i];
    int& budget = setup.faults.budgets[i];
    if (limit.always && weight == 0) {
      weight = std::max(defaults.weights[i], 2);
      budget = defaults.budgets[i] != 0 ? defaults.budgets[i] : 3;
    }
    if (limit.most >= 0) {
      budget = budget < 0 ? limit.most : std::min(budget, limit.most);
      weight = limit.most == 0 ? 0 : weight;
    }
  }
  const SwarmLimit& changes = options.limits[static_cast<std::size_t>(C::change_version)];
  if (changes.always && setup.faults.versions.empty()) {
    setup.faults.versions = {options.oldest, options.newest};
  }
}

}  // namespace

bool may_be_in_every_seed(ActionClass kind) {
  return kind != C::recreate_topic;
}

SwarmSubjects possible_subjects(const SwarmOptions& options) {
  SwarmSubjects subjects = options.subjects;
  const auto rule_out = [&](Subject subject, bool impossible) {
    if (impossible) {
      subjects.reset(static_cast<std::size_t>(subject));
    }
  };
  rule_out(Subject::mixed, options.clusters.max < 2);
  rule_out(Subject::elections, options.clusters.min > 1);
  const bool two = options.clusters.min <= 2 && options.clusters.max >= 2;
  rule_out(Subject::failback, !two);
  rule_out(Subject::source_ule, !two);
  rule_out(Subject::old_source, !two || options.oldest > newest_without_divergence());
  return subjects;
}

Setup swarm_setup(const SwarmOptions& options, std::uint64_t seed) {
  Drawer drawer(seed);
  Setup setup;
  setup.name = fmt::format("swarm-{}", seed);
  setup.protocol = options.protocol;
  const Subject subject = draw_subject(possible_subjects(options), drawer);
  if (subject == Subject::mixed) {
    draw_clusters(setup, options, drawer);
  } else {
    draw_small_clusters(setup, options, subject, drawer);
  }
  draw_partitions(setup, options, drawer);
  draw_mirrors(setup, drawer);
  if (subject == Subject::mixed) {
    draw_readers(setup, drawer);
  }
  if (subject == Subject::mixed) {
    draw_faults(setup, options, drawer);
  } else {
    draw_small_faults(setup, subject, drawer);
  }
  setup.run.first_seed = seed;
  setup.run.max_actions = drawer.in(options.actions);
  setup.run.converge = drawer.one_in(4);
  setup.run.fetch_max_batches = drawer.one_in(2) ? 0 : drawer.between(1, 3);
  draw_pauses(setup, subject, drawer);
  if (subject == Subject::mixed) {
    draw_rare_faults(setup, drawer);
  }
  apply_limits(setup, options);
  return setup;
}

}  // namespace mirrorproof::sim
