// to_json(): the canonical text of a scenario.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "model/protocol_presets.h"
#include "scenarios/json_print.h"
#include "scenarios/log_notation.h"
#include "scenarios/scenario.h"
#include "scenarios/step_shape.h"
#include "scenarios/writing.h"

namespace mirrorproof::scenarios {
namespace {

using Json = nlohmann::ordered_json;

/// Shorter runs of an expected log are written record by record.
constexpr std::size_t kShortestRun = 4;

// --- initial logs ---

/// Small letters counting up: "", "b", "c" ... "z", "ba"...
std::string identity_word(std::size_t index) {
  std::string word;
  for (; index > 0; index /= 26) {
    word.insert(word.begin(), static_cast<char>('a' + index % 26));
  }
  return word;
}

Json write_initial_logs(const sim::Setup& setup, const Names& names) {
  // Records of a family have ids that differ from their offsets by the same number.
  std::map<std::pair<PartitionId, Epoch>, std::map<std::uint64_t, std::size_t>> families;
  Json out = Json::array();
  for (const sim::InitialLog& log : setup.initial_logs) {
    Json object{{"cluster", names.cluster(log.cluster)}};
    if (log.broker != kNoBroker) {
      object["broker"] = log.broker;
    }
    names.add_partition(object, log.partition);
    std::string text;
    for (const Batch& batch : log.batches) {
      std::map<std::uint64_t, std::size_t>& known = families[{log.partition, batch.epoch}];
      const std::uint64_t distance = batch.first_id.packed - static_cast<std::uint64_t>(batch.base_offset);
      const std::size_t index = known.try_emplace(distance, known.size()).first->second;
      text += text.empty() ? "" : " ";
      text += format_entry({batch.base_offset, batch.last_offset, batch.epoch, identity_word(index),
                            batch.kind == BatchKind::pid_reset});
    }
    object["log"] = std::move(text);
    if (!log.in_sync) {
      object["in_sync"] = false;
    }
    out.push_back(std::move(object));
  }
  return out;
}

// --- protocol, faults, run, bounds ---

/// The options in which `options` differs from the preset.
Json differences(const ProtocolOptions& options, Preset preset) {
  std::map<std::string_view, Json> base;
  const ProtocolOptions start = preset_options(preset);
  const auto value_of = [](const auto& field) -> Json {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, bool>) {
      return field;
    } else {
      return name_of(field);
    }
  };
  for_each_option(start, [&](std::string_view name, const auto& field) { base[name] = value_of(field); });
  Json out = Json::object();
  for_each_option(options, [&](std::string_view name, const auto& field) {
    if (Json value = value_of(field); value != base[name]) {
      out[std::string(name)] = std::move(value);
    }
  });
  return out;
}

Json write_protocol(const ProtocolOptions& options) {
  Preset best = Preset::as_proposed;
  Json fewest = differences(options, best);
  for (const auto& [preset, name] : EnumNames<Preset>::entries) {
    if (Json changes = differences(options, preset); changes.size() < fewest.size()) {
      best = preset;
      fewest = std::move(changes);
    }
  }
  if (fewest.empty()) {
    return name_of(best);
  }
  Json out{{"preset", name_of(best)}};
  out.update(fewest);
  return out;
}

Json write_faults(const sim::FaultSetup& faults) {
  const sim::FaultSetup defaults = sim::default_faults();
  Json weights = Json::object();
  Json budgets = Json::object();
  for (const auto& [action, name] : EnumNames<sim::ActionClass>::entries) {
    const auto i = static_cast<std::size_t>(action);
    if (faults.weights[i] != defaults.weights[i]) {
      weights[std::string(name)] = faults.weights[i];
    }
    if (faults.budgets[i] != defaults.budgets[i]) {
      budgets[std::string(name)] = faults.budgets[i] < 0 ? Json("unlimited") : Json(faults.budgets[i]);
    }
  }
  Json out = Json::object();
  if (!weights.empty()) {
    out["weights"] = std::move(weights);
  }
  if (!budgets.empty()) {
    out["budgets"] = std::move(budgets);
  }
  if (faults.versions != defaults.versions) {
    out["versions"] = Json::array();
    for (const KafkaVersion version : faults.versions) {
      out["versions"].push_back(version_name(version));
    }
  }
  return out;
}

Json write_run(const sim::RunSetup& run) {
  const sim::RunSetup defaults;
  Json out = Json::object();
  if (run.first_seed != defaults.first_seed) {
    out["seeds"] = Json{{"first", run.first_seed}, {"count", run.seeds}};
  } else if (run.seeds != defaults.seeds) {
    out["seeds"] = run.seeds;
  }
  if (run.max_actions != defaults.max_actions) {
    out["max_actions"] = run.max_actions;
  }
  if (run.strategy != defaults.strategy) {
    out["strategy"] = name_of(run.strategy);
  }
  if (run.change_points != defaults.change_points) {
    out["change_points"] = run.change_points;
  }
  if (run.converge) {
    out["converge"] = true;
  }
  if (run.fetch_max_batches != defaults.fetch_max_batches) {
    out["fetch_max_batches"] = run.fetch_max_batches;
  }
  return out;
}

Json write_readers(const sim::Setup& setup, const Names& names) {
  Json out = Json::array();
  for (const sim::ReaderSetup& reader : setup.readers) {
    Json object{{"name", reader.name}, {"cluster", names.cluster(reader.cluster)}};
    names.add_partition(object, reader.partition);
    if (reader.read_committed) {
      object["isolation"] = "read_committed";
    }
    if (!reader.sends_epochs) {
      object["epochs"] = false;
    }
    if (reader.group >= 0) {
      object["group"] = setup.groups[static_cast<std::size_t>(reader.group)];
    }
    out.push_back(std::move(object));
  }
  return out;
}

Json write_bounds(const Bounds& bounds) {
  Json out = Json::object();
  for_each_bound(bounds, [&](std::string_view name, int value) {
    if (value != 0) {
      out[std::string(name)] = value;
    }
  });
  if (bounds.granularity != Granularity{}) {
    out["granularity"] = name_of(bounds.granularity);
  }
  return out;
}

// --- steps ---

void write_producer(const sim::Action& action, Json& out) {
  if (action.producer >= 0) {
    out["producer"] = action.producer;
  }
  if (action.has(sim::ActionFlag::transactional)) {
    out["transactional"] = true;
  }
  if (action.kind == sim::ActionClass::end_transaction) {
    if (action.has(sim::ActionFlag::abort)) {
      out["abort"] = true;
    }
  } else if (action.has(sim::ActionFlag::acks_none)) {
    out["acks"] = "0";
  } else if (!action.has(sim::ActionFlag::acks_all)) {
    out["acks"] = "1";
  }
}

void write_action(const sim::Action& action, const Names& names, Json& out) {
  const auto cluster = [&] { out["cluster"] = names.cluster(action.cluster); };
  const auto partition = [&] { names.add_partition(out, action.partition); };
  const auto leader = [&] {
    if (action.broker != kNoBroker) {
      out["broker"] = action.broker;
    }
  };
  const StepShape shape = shape_of(action.kind);
  switch (shape) {
    case StepShape::connection:
    case StepShape::backoff:
      out["client"] = names.endpoint(action.cluster, action.broker);
      out["server"] = names.endpoint(action.other_cluster, action.other_broker);
      if (shape == StepShape::backoff) {
        partition();
      }
      return;
    case StepShape::between_clusters:
      out["clusters"] = Json::array({names.cluster(action.cluster), names.cluster(action.other_cluster)});
      return;
    case StepShape::mirror_order:
      out["source"] = names.cluster(action.other_cluster);
      out["destination"] = names.cluster(action.cluster);
      partition();
      return;
    case StepShape::read:
    case StepShape::at_reader:
    case StepShape::resume_reader:
      out["reader"] = names.reader(action.producer);
      if (shape == StepShape::resume_reader) {
        cluster();
      } else {
        leader();
      }
      return;
    default:
      cluster();
      break;
  }
  switch (shape) {
    case StepShape::isr_shrink:
      partition();
      leader();
      out["follower"] = action.other_broker;
      break;
    case StepShape::at_leader:
    case StepShape::election:
      partition();
      leader();
      break;
    case StepShape::produce:
      partition();
      leader();
      if (action.number != 1) {
        out["records"] = action.number;
      }
      write_producer(action, out);
      break;
    case StepShape::produce_again:
    case StepShape::end_transaction:
      partition();
      leader();
      write_producer(action, out);
      break;
    case StepShape::at_cluster:
      break;
    case StepShape::metadata_apply:
      out["broker"] = action.broker;
      if (action.number > 1) {
        out["records"] = action.number;
      }
      break;
    case StepShape::at_broker:
      out["broker"] = action.broker;
      break;
    case StepShape::change_version:
      out["broker"] = action.broker;
      out["version"] = version_name(KafkaVersion{static_cast<std::int8_t>(action.number)});
      break;
    case StepShape::min_isr:
      partition();
      out["min_insync_replicas"] = action.number;
      break;
    case StepShape::reassign:
      partition();
      out["replicas"] = Json::array();
      for (const BrokerId replica : sim::unpacked_replicas(action.number)) {
        out["replicas"].push_back(replica);
      }
      break;
    case StepShape::compact:
      out["broker"] = action.broker;
      partition();
      out["offset"] = action.number;
      break;
    case StepShape::delete_records:
      partition();
      out["log_start"] = action.number;
      break;
    default:
      partition();
      break;
  }
}

Json write_step(const sim::ScriptStep& step, const Names& names) {
  Json out = Json::object();
  switch (step.kind) {
    case sim::StepKind::action:
      out["do"] = name_of(step.action.kind);
      write_action(step.action, names, out);
      break;
    case sim::StepKind::settle:
      out["do"] = "settle";
      if (step.count != 0) {
        out["rounds"] = step.count;
      }
      break;
    case sim::StepKind::converge:
      out["do"] = "converge";
      if (step.count != 0) {
        out["rounds"] = step.count;
      }
      break;
    case sim::StepKind::random:
      out["do"] = "random";
      out["actions"] = step.count;
      break;
    case sim::StepKind::hold:
    case sim::StepKind::release:
      out["do"] = step.kind == sim::StepKind::hold ? "hold" : "release";
      out["cluster"] = names.cluster(step.action.cluster);
      out["broker"] = step.action.broker;
      out["what"] = name_of(step.held);
      break;
    case sim::StepKind::mark:
      out["do"] = "mark";
      break;
  }
  if (!step.note.empty()) {
    out["note"] = step.note;
  }
  return out;
}

Json write_steps(const sim::Setup& setup, const Names& names) {
  Json out = Json::array();
  for (const sim::ScriptStep& step : setup.steps) {
    out.push_back(write_step(step, names));
  }
  return out;
}

// --- expect ---

std::string write_expected_log(const std::vector<OffsetEpoch>& log) {
  std::string out;
  for (std::size_t begin = 0; begin < log.size();) {
    std::size_t end = begin + 1;
    while (end < log.size() && log[end].epoch == log[begin].epoch &&
           log[end].offset == log[end - 1].offset + 1) {
      ++end;
    }
    const std::size_t stop = end - begin >= kShortestRun ? end : begin + 1;
    out += out.empty() ? "" : " ";
    out += format_entry({log[begin].offset, log[stop - 1].offset, log[begin].epoch, "", false});
    begin = stop;
  }
  return out;
}

Json write_expect(const Expect& expect, const Names& names) {
  Json out{{"verdict", name_of(expect.verdict)}};
  if (expect.invariants.size() == 1) {
    out["invariant"] = expect.invariants.front();
  } else if (!expect.invariants.empty()) {
    out["invariant"] = expect.invariants;
  }
  for (const LogFact& fact : expect.logs) {
    Json object{{"cluster", names.cluster(fact.cluster)}};
    if (fact.broker != kNoBroker) {
      object["broker"] = fact.broker;
    }
    names.add_partition(object, fact.partition);
    object["log"] = write_expected_log(fact.log);
    out["logs"].push_back(std::move(object));
  }
  for (const StateFact& fact : expect.states) {
    Json object{{"cluster", names.cluster(fact.cluster)}};
    names.add_partition(object, fact.partition);
    object["state"] = name_of(fact.state);
    out["states"].push_back(std::move(object));
  }
  if (expect.mirror_truncations) {
    out["mirror_truncations"] = *expect.mirror_truncations;
  }
  for (const TruncationFact& fact : expect.truncations) {
    Json object{{"cluster", names.cluster(fact.cluster)}};
    names.add_partition(object, fact.partition);
    object["offset"] = fact.offset;
    object["records"] = fact.records;
    if (fact.unclean_elections) {
      object["unclean_elections"] = *fact.unclean_elections;
    }
    out["truncations"].push_back(std::move(object));
  }
  return out;
}

}  // namespace

std::string to_json(const Scenario& scenario) {
  const sim::Setup& setup = scenario.setup;
  const Names names(setup);
  Json out{{"name", setup.name}};
  const auto add = [&out](const char* name, Json section) {
    if (!section.empty()) {
      out[name] = std::move(section);
    }
  };
  if (!scenario.description.empty()) {
    out["description"] = scenario.description;
  }
  add("clusters", write_clusters(setup));
  add("topics", write_topics(setup));
  add("mirrors", write_mirrors(setup, names));
  add("readers", write_readers(setup, names));
  add("initial_logs", write_initial_logs(setup, names));
  out["protocol"] = write_protocol(setup.protocol);
  add("faults", write_faults(setup.faults));
  add("steps", write_steps(setup, names));
  add("run", write_run(setup.run));
  add("bounds", write_bounds(scenario.bounds));
  out["expect"] = write_expect(scenario.expect, names);
  return print_json(out);
}

}  // namespace mirrorproof::scenarios
