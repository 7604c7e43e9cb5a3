// to_json() and load_scenario() are inverse: for files, for swarm setups, and for scenarios drawn field by
// field.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "model/protocol_presets.h"
#include "scenarios/scenario.h"
#include "sim/swarm.h"
#include "tests/scenarios/loading.h"

namespace mirrorproof::scenarios {
namespace {

using sim::ActionClass;

template <class Int>
Int drawn(Int low, Int high) {
  return *rc::gen::inRange<Int>(low, static_cast<Int>(high + 1));
}
bool flip() {
  return *rc::gen::arbitrary<bool>();
}

template <class E>
E drawn_enum() {
  return EnumNames<E>::entries[drawn<std::size_t>(0, EnumNames<E>::entries.size() - 1)].first;
}

/// Text with quotes, escapes, control characters and more than one byte per character.
std::string drawn_text() {
  static const std::vector<std::string> kPieces{
      "a", " ", "\"", "\\", "\n", "\x01", "\xC3\xA9", "\xF0\x9F\x98\x80", "{"};
  std::string text;
  for (int i = drawn(0, 6); i > 0; --i) {
    text += kPieces[drawn<std::size_t>(0, kPieces.size() - 1)];
  }
  return text;
}

Scenario drawn_world() {
  sim::SwarmOptions options;
  options.partitions.max = 4;
  Scenario scenario;
  scenario.setup = sim::swarm_setup(options, *rc::gen::arbitrary<std::uint64_t>());
  RC_PRE(!scenario.setup.mirrors.empty());  // what is drawn below names one
  scenario.setup.steps.clear();
  scenario.setup.name = "x" + drawn_text();
  scenario.description = drawn_text();
  return scenario;
}

void draw_options(Scenario& scenario) {
  sim::Setup& setup = scenario.setup;
  setup.protocol = preset_options(drawn_enum<Preset>());
  for_each_option(setup.protocol, [](std::string_view, auto& field) {
    using Field = std::remove_reference_t<decltype(field)>;
    if (drawn(0, 3) > 0) {
      return;
    }
    if constexpr (std::is_same_v<Field, bool>) {
      field = flip();
    } else {
      field = drawn_enum<Field>();
    }
  });
  for (const auto& [action, name] : EnumNames<ActionClass>::entries) {
    const auto i = static_cast<std::size_t>(action);
    if (flip()) {
      setup.faults.weights[i] = drawn(sim::is_protocol_class(action) ? 1 : 0, 1'000'000);
    }
    if (!sim::is_protocol_class(action) && flip()) {
      setup.faults.budgets[i] = drawn(-1, 5);
    }
  }
  setup.run.strategy = drawn_enum<sim::Strategy>();
  setup.run.change_points = drawn(0, 100);
  setup.run.seeds = drawn(1, 1'000'000'000);
  setup.run.first_seed = flip() ? 1 : *rc::gen::arbitrary<std::uint64_t>();
  for_each_bound(scenario.bounds, [](std::string_view, int& field) { field = flip() ? 0 : drawn(0, 1000); });
}

PartitionId drawn_partition(const sim::Setup& setup) {
  return drawn<PartitionId>(0, static_cast<PartitionId>(setup.partitions.size() - 1));
}
ClusterId drawn_cluster(const sim::Setup& setup) {
  return drawn<ClusterId>(0, static_cast<ClusterId>(setup.clusters.size() - 1));
}
BrokerId drawn_broker(const sim::Setup& setup, ClusterId cluster) {
  return drawn<BrokerId>(
      0, static_cast<BrokerId>(setup.clusters[static_cast<std::size_t>(cluster)].brokers.size() - 1));
}

void draw_producer(sim::Action& action) {
  const auto set = [&action](sim::ActionFlag flag) { action.flags |= static_cast<std::uint8_t>(flag); };
  const bool plain = action.kind == ActionClass::produce;
  action.number = plain ? drawn(1, 1000) : 0;
  action.producer = plain && flip() ? std::int16_t{-1} : drawn<std::int16_t>(0, 32766);
  if (action.kind == ActionClass::end_transaction) {
    if (flip()) {
      set(sim::ActionFlag::abort);
    }
    return;
  }
  if (plain && action.producer >= 0 && flip()) {
    set(sim::ActionFlag::transactional);
  }
  if (flip()) {
    set(flip() ? sim::ActionFlag::acks_all : sim::ActionFlag::acks_none);
  }
}

void draw_reader(const sim::Setup& setup, sim::Action& action) {
  action.producer = drawn<std::int16_t>(0, static_cast<std::int16_t>(setup.readers.size() - 1));
  const sim::ReaderSetup& reader = setup.readers[static_cast<std::size_t>(action.producer)];
  action.partition = reader.partition;
  if (action.kind != ActionClass::resume_reader) {
    action.cluster = reader.cluster;
  }
  if (action.kind == ActionClass::read) {
    action.broker = flip() ? kNoBroker : drawn_broker(setup, action.cluster);
  }
}

/// At least one, so that every class of action can be drawn.
void draw_readers(sim::Setup& setup) {
  for (int i = drawn(1, 3); i > 0; --i) {
    sim::ReaderSetup reader;
    reader.name = fmt::format("drawn-reader-{}", i);
    reader.cluster = drawn_cluster(setup);
    reader.partition = drawn_partition(setup);
    reader.read_committed = flip();
    reader.sends_epochs = flip();
    if (flip()) {
      const std::string group = flip() ? "g" : fmt::format("g{}", i);
      const auto known = std::find(setup.groups.begin(), setup.groups.end(), group);
      reader.group = static_cast<int>(known - setup.groups.begin());
      if (known == setup.groups.end()) {
        setup.groups.push_back(group);
      }
    }
    setup.readers.push_back(std::move(reader));
  }
}

/// An action of every class over time, with the fields its class has (sim/action.h).
sim::Action drawn_action(const sim::Setup& setup) {
  using C = ActionClass;
  sim::Action action;
  action.kind = drawn_enum<C>();
  const sim::MirrorSetup mirror = *rc::gen::elementOf(setup.mirrors);
  action.cluster = drawn_cluster(setup);
  action.partition = drawn_partition(setup);
  switch (action.kind) {
    case C::fetcher_send:
    case C::server_handle:
    case C::fetcher_receive:
    case C::fetcher_backoff:
    case C::drop_connection:
    case C::late_read:
    case C::source_refresh:
      action.cluster = mirror.destination;
      action.other_cluster = mirror.source;
      action.broker = drawn_broker(setup, action.cluster);
      action.other_broker = drawn_broker(setup, action.other_cluster);
      if (action.kind != C::fetcher_backoff) {
        action.partition = kNoPartition;
      }
      break;
    case C::isr_shrink:
      action.other_broker = drawn_broker(setup, action.cluster);
      action.broker = flip() ? kNoBroker : drawn_broker(setup, action.cluster);
      RC_PRE(action.broker != action.other_broker);
      break;
    case C::produce:
    case C::produce_again:
    case C::produce_late:
    case C::end_transaction:
      draw_producer(action);
      [[fallthrough]];
    case C::alter_partition:
    case C::mirror_step:
      action.broker = flip() ? kNoBroker : drawn_broker(setup, action.cluster);
      break;
    case C::epoch_bump:
    case C::position_write:
    case C::group_look_up:
    case C::group_write:
    case C::recreate_topic:
    case C::preferred_election:
    case C::cancel_reassignment:
      break;
    case C::compact:
      action.broker = drawn_broker(setup, action.cluster);
      action.number = drawn(0, 1000);
      break;
    case C::reassign:
      action.number = sim::packed_replicas({drawn_broker(setup, action.cluster)});
      break;
    case C::coordinator_failover:
      action.partition = kNoPartition;
      break;
    case C::read:
    case C::commit_group_offset:
    case C::resume_reader:
      draw_reader(setup, action);
      break;
    case C::set_min_insync_replicas:
      action.number = drawn(1, 8);
      break;
    case C::delete_records:
      action.number = drawn(0, 1000);
      break;
    case C::clean_election:
    case C::unclean_election:
      action.broker = drawn_broker(setup, action.cluster);
      break;
    case C::cut_clusters:
    case C::heal_clusters:
      action.partition = kNoPartition;
      action.cluster = 0;
      action.other_cluster = 1;
      break;
    case C::start_mirror:
    case C::stop_mirror:
    case C::pause_mirror:
    case C::resume_mirror:
    case C::delete_mirror:
    case C::recover_mirror:
      action.cluster = mirror.destination;
      action.other_cluster = mirror.source;
      action.partition = mirror.partition;
      break;
    case C::change_version:
      // Any version suits a cluster that is no destination; the latest suits all.
      action.number = latest_kafka_version().index;
      [[fallthrough]];
    default:
      action.partition = kNoPartition;
      action.broker = drawn_broker(setup, action.cluster);
  }
  return action;
}

void draw_steps(sim::Setup& setup) {
  for (int i = drawn(0, 12); i > 0; --i) {
    sim::ScriptStep step;
    step.pointer = fmt::format("/steps/{}", setup.steps.size());
    step.note = drawn_text();
    switch (drawn(0, 7)) {
      case 0:
        step.kind = flip() ? sim::StepKind::settle : sim::StepKind::converge;
        step.count = drawn(0, 3);
        break;
      case 1:
        step.kind = sim::StepKind::random;
        step.count = drawn(1, 10'000'000);
        break;
      case 2:
        step.kind = flip() ? sim::StepKind::hold : sim::StepKind::release;
        step.held = drawn_enum<sim::Held>();
        step.action.cluster = drawn_cluster(setup);
        step.action.broker = drawn_broker(setup, step.action.cluster);
        break;
      case 3:
        step.kind = sim::StepKind::mark;
        break;
      default:
        step.action = drawn_action(setup);
    }
    setup.steps.push_back(std::move(step));
  }
}

void draw_initial_logs(sim::Setup& setup) {
  for (std::size_t c = 0; c < setup.clusters.size(); ++c) {
    if (flip()) {
      continue;
    }
    sim::InitialLog log;
    log.cluster = static_cast<ClusterId>(c);
    log.partition = drawn_partition(setup);
    log.broker = flip() ? kNoBroker : drawn_broker(setup, log.cluster);
    log.in_sync = true;
    Offset next = drawn<Offset>(0, 5);
    Epoch epoch = 0;
    for (int i = drawn(0, 6); i > 0; --i) {
      Batch batch;
      batch.base_offset = next + (flip() ? 0 : drawn<Offset>(0, 3));
      batch.last_offset = batch.base_offset + (flip() ? 0 : drawn<Offset>(0, 3));
      batch.epoch = epoch += drawn(0, 1);
      batch.kind = drawn(0, 5) == 0 ? BatchKind::pid_reset : BatchKind::data;
      // Three families per partition and epoch, so that clusters share some records and not others. Two
      // partitions never share any: a file cannot say so.
      batch.first_id = RecordId::make(0, static_cast<std::uint64_t>(1000 * drawn(0, 2) + batch.base_offset) +
                                             10'000ULL * static_cast<std::uint64_t>(batch.epoch) +
                                             1'000'000ULL * static_cast<std::uint64_t>(log.partition));
      next = batch.next_offset();
      log.batches.push_back(batch);
    }
    setup.initial_logs.push_back(std::move(log));
  }
}

void draw_expect(Scenario& scenario) {
  const sim::Setup& setup = scenario.setup;
  Expect& expect = scenario.expect;
  expect.verdict = drawn_enum<Verdict>();
  for (const std::string_view name : kInvariantNames) {
    if (expect.verdict == Verdict::violated && drawn(0, 4) == 0) {
      expect.invariants.emplace_back(name);
    }
  }
  for (int i = drawn(0, 2); i > 0; --i) {
    LogFact fact;
    fact.cluster = drawn_cluster(setup);
    fact.partition = drawn_partition(setup);
    fact.broker = flip() ? kNoBroker : drawn_broker(setup, fact.cluster);
    Offset offset = 0;
    for (int k = drawn(0, 9); k > 0; --k) {
      fact.log.push_back({offset += drawn<Offset>(1, 2), drawn(0, 1)});
    }
    expect.logs.push_back(std::move(fact));
    const sim::MirrorSetup mirror = *rc::gen::elementOf(setup.mirrors);
    expect.states.push_back({mirror.destination, mirror.partition, drawn_enum<MirrorState>()});
    expect.truncations.push_back({mirror.destination, mirror.partition, drawn<Offset>(0, 9),
                                  drawn<std::int64_t>(1, 9),
                                  flip() ? std::optional(drawn(0, 3)) : std::nullopt});
  }
  if (flip()) {
    expect.mirror_truncations =
        expect.truncations.empty() ? drawn(0, 3) : static_cast<int>(expect.truncations.size());
  }
}

/// Numbers every record by first appearance: equal for logs that agree on which records are the same.
std::vector<std::size_t> identities(const std::vector<sim::InitialLog>& logs) {
  std::map<RecordId, std::size_t> known;
  std::vector<std::size_t> out;
  for (const sim::InitialLog& log : logs) {
    for (const Batch& batch : log.batches) {
      for (Offset offset = batch.base_offset; offset <= batch.last_offset; ++offset) {
        out.push_back(known.try_emplace(batch.id_at(offset), known.size()).first->second);
      }
    }
  }
  return out;
}

/// The scenario without the serial numbers of its records, which a round trip may change.
Scenario without_ids(Scenario scenario) {
  for (sim::InitialLog& log : scenario.setup.initial_logs) {
    for (Batch& batch : log.batches) {
      batch.first_id = RecordId{};
    }
  }
  return scenario;
}

Scenario reloaded(const std::string& text) {
  const LoadResult result = load_scenario(text, "f");
  for (const Problem& problem : result.problems) {
    RC_LOG() << format_problem(problem) << "\n" << text;
  }
  RC_ASSERT(result.scenario.has_value());
  return *result.scenario;
}

RC_GTEST_PROP(RoundTrip, gives_back_every_scenario_that_a_file_can_express, ()) {
  Scenario scenario = drawn_world();
  draw_options(scenario);
  draw_readers(scenario.setup);
  draw_steps(scenario.setup);
  draw_initial_logs(scenario.setup);
  draw_expect(scenario);
  const std::string text = to_json(scenario);
  const Scenario read = reloaded(text);
  RC_ASSERT(without_ids(read) == without_ids(scenario));
  RC_ASSERT(identities(read.setup.initial_logs) == identities(scenario.setup.initial_logs));
  RC_ASSERT(reloaded(to_json(read)) == read);
  RC_ASSERT(to_json(read) == text);
}

TEST(RoundTrip, keeps_each_shipped_scenario_exactly) {
  for (const auto& path : shipped_files()) {
    const LoadResult result = load_scenario_file(path.string());
    ASSERT_TRUE(result.scenario.has_value()) << path;
    const std::string text = to_json(*result.scenario);
    EXPECT_EQ(load_scenario(text, "f").scenario, result.scenario) << text;
  }
}

TEST(RoundTrip, keeps_the_identity_of_initial_records_exactly) {
  const Scenario scenario = loaded(with_fields(R"(, "initial_logs": [
    {"cluster": "A", "broker": 0, "log": "0..4:0x 5:0 6:1"}, {"cluster": "A", "broker": 1, "log": "0..2:0x 3:0 4:0b"},
    {"cluster": "B", "log": "0..4:0x 7:1 9:10R"}])"));
  EXPECT_EQ(loaded(to_json(scenario)), scenario);
}

TEST(CanonicalText, leaves_defaults_out_and_reads_well) {
  EXPECT_EQ(to_json(loaded(
                R"({"topics": [{"name": "orders"}], "clusters": [{"name": "A", "brokers": ["4.1", "4.1"]},
      {"name": "B", "brokers": 2}], "name": "n", "mirrors": [{"destination": "B", "source": "A", "start": true}],
      "steps": [{"note": "why", "do": "produce", "cluster": "A", "records": 1}], "run": {"seeds": 1}})")),
            R"({
  "name": "n",
  "clusters": [{"name": "A", "brokers": 2, "version": "4.1"}, {"name": "B", "brokers": 2}],
  "topics": [{"name": "orders"}],
  "mirrors": [{"source": "A", "destination": "B"}],
  "protocol": "as_proposed",
  "steps": [{"do": "produce", "cluster": "A", "note": "why"}],
  "expect": {"verdict": "holds"}
}
)");
}

TEST(CanonicalText, survives_notes_that_are_not_utf8) {
  Scenario scenario = loaded(with_fields(R"(, "steps": [{"do": "settle"}])"));
  scenario.setup.steps[0].note = "a\xFFz";
  EXPECT_EQ(loaded(to_json(scenario)).setup.steps[0].note, "a\xEF\xBF\xBDz");
}

}  // namespace
}  // namespace mirrorproof::scenarios
