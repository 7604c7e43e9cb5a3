#include "reports/replay_report.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "reports/action_text.h"
#include "reports/event_text.h"

namespace mirrorproof::reports {
namespace {

struct ToldReplica {
  std::string broker;
  std::string partition;
  std::string log;
};

/// The start of a run, or one action of it.
struct ToldStep {
  bool start = false;
  bool in_focus = false;
  std::uint32_t number = 0;
  std::string action;
  std::string pointer;  ///< of the script's step that it belongs to; empty: of none
  std::vector<std::pair<EventId, std::string>> events;
  std::vector<ToldReplica> logs;  ///< as they are afterwards
};

/// Puts a run into words; shows what lies in the window.
class ReplayWalk {
 public:
  ReplayWalk(const scenarios::Scenario& scenario, const RunKey& key, const ReplayWindow& window)
      : scenario_(scenario),
        key_(key),
        window_(window),
        narrator_(sim::make_trace_header(scenario.setup, key.seed)) {}

  /// `on_script` gets each step of the script as the run comes to it; its size means that the script is done.
  sim::RunOutcome run(const std::function<void(std::size_t)>& on_script,
                      const std::function<void(ToldStep&&)>& on_step) {
    sim::RunOutcome outcome =
        walk_actions(scenario_, key_, [&](const std::vector<Event>& events, const sim::Runner& runner) {
          ToldStep step = told(events, runner);
          if (!window_.contains(step.number) || !step.in_focus) {
            return;
          }
          if (!step.start) {
            announce(runner.script_position(), on_script);
          }
          on_step(std::move(step));
        });
    if (outcome.end == sim::RunEnd::complete && window_.contains(outcome.actions) &&
        window_.focus == ReplayFocus::everything) {
      announce(scenario_.setup.steps.size(), on_script);
    }
    return outcome;
  }

 private:
  void announce(std::size_t position, const std::function<void(std::size_t)>& on_script) {
    for (; announced_ <= position && announced_ <= scenario_.setup.steps.size(); ++announced_) {
      on_script(announced_);
    }
  }

  ToldStep told(const std::vector<Event>& events, const sim::Runner& runner) {
    const sim::Simulator& simulator = runner.simulator();
    ToldStep step;
    step.start = simulator.steps() == 0;
    step.number = step.start ? 0 : simulator.steps() - 1;
    const bool shown = window_.contains(step.number);
    std::set<ReplicaKey> changed;
    for (const Event& event : events) {
      if (narrator_.observe(event)) {
        changed.insert({event.cluster, event.broker, event.partition});
      }
      step.in_focus = step.in_focus || window_.focuses_on(event);
      if (shown) {
        step.events.emplace_back(event.id, narrator_.text(event));
      }
    }
    step.in_focus = step.in_focus || window_.focus == ReplayFocus::everything;
    if (!shown || !step.in_focus) {
      return step;
    }
    if (!step.start) {
      step.action = action_text(scenario_.setup, simulator.last_action());
      const std::vector<sim::ScriptStep>& script = scenario_.setup.steps;
      step.pointer = runner.script_position() < script.size() ? script[runner.script_position()].pointer : "";
    }
    for (const ReplicaKey& key : changed) {
      if (const ReplayedLog* log = narrator_.logs().find(key)) {
        step.logs.push_back({narrator_.names().broker(key.cluster, key.broker),
                             narrator_.names().partition(key.partition), log_text(*log)});
      }
    }
    return step;
  }

  const scenarios::Scenario& scenario_;
  const RunKey& key_;
  const ReplayWindow& window_;
  EventNarrator narrator_;
  std::size_t announced_ = 0;
};

std::string script_text(const sim::Setup& setup, std::size_t position) {
  if (position >= setup.steps.size()) {
    return setup.run.max_actions > 0 ? "random actions" : "";
  }
  const sim::ScriptStep& step = setup.steps[position];
  return fmt::format("{} {}{}", step.pointer, step_text(setup, step),
                     step.note.empty() ? "" : " (" + safe_text(step.note) + ")");
}

}  // namespace

bool ReplayWindow::focuses_on(const Event& event) const {
  switch (focus) {
    case ReplayFocus::everything:
      return true;
    case ReplayFocus::truncations:
      return std::holds_alternative<Truncated>(event.payload);
    case ReplayFocus::elections:
      return std::holds_alternative<Election>(event.payload) ||
             std::holds_alternative<BecameLeader>(event.payload);
    case ReplayFocus::states:
      return std::holds_alternative<MirrorStateChanged>(event.payload);
  }
  return true;
}

void replay_text(const scenarios::Scenario& scenario, const RunKey& key, const ReplayWindow& window,
                 const Style& style, const TextSink& sink) {
  const sim::Setup& setup = scenario.setup;
  const bool one_partition = setup.partitions.size() == 1;
  const auto on_script = [&](std::size_t position) {
    const std::string text = script_text(setup, position);
    if (!text.empty() && !setup.steps.empty()) {
      sink(style.dim("== " + text) + "\n");
    }
  };
  const auto on_step = [&](ToldStep&& step) {
    std::string out =
        step.start ? style.bold("start") : fmt::format("{} {}", step.number, style.bold(step.action));
    out += "\n";
    for (const auto& [id, text] : step.events) {
      out += fmt::format("    #{} {}\n", id, text);
    }
    for (const ToldReplica& replica : step.logs) {
      out += fmt::format("    {}{}  {}\n", style.good(replica.broker),
                         one_partition ? "" : " " + replica.partition, replica.log);
    }
    sink(out);
  };
  ReplayWalk walk(scenario, key, window);
  walk.run(on_script, on_step);
}

void replay_json(const scenarios::Scenario& scenario, const RunKey& key, const ReplayWindow& window,
                 const TextSink& sink) {
  std::string separator = "[\n";
  const auto on_step = [&](ToldStep&& step) {
    Json object;
    object["step"] = step.start ? Json(nullptr) : Json(step.number);
    object["action"] = step.start ? Json("start") : Json(step.action);
    object["script"] = step.pointer.empty() ? Json(nullptr) : Json(step.pointer);
    object["events"] = Json::array();
    for (const auto& [id, text] : step.events) {
      object["events"].push_back({{"event", id}, {"text", text}});
    }
    object["logs"] = Json::array();
    for (const ToldReplica& replica : step.logs) {
      object["logs"].push_back(
          {{"broker", replica.broker}, {"partition", replica.partition}, {"log", replica.log}});
    }
    sink(separator + object.dump(-1, ' ', false, Json::error_handler_t::replace));
    separator = ",\n";
  };
  ReplayWalk walk(scenario, key, window);
  walk.run([](std::size_t) {}, on_step);
  sink(separator == "[\n" ? "[]" : "\n]");
}

}  // namespace mirrorproof::reports
