#include "sim/strategy.h"

#include <algorithm>
#include <tuple>

namespace mirrorproof::sim {
namespace {

Stream stream_of(ActionClass kind) {
  if (is_protocol_class(kind)) {
    return Stream::scheduling;
  }
  const bool client = kind >= ActionClass::produce && kind <= ActionClass::resume_reader;
  return client ? Stream::workload : Stream::faults;
}

/// Exchanges that find nothing new are not progress, so a resting world keeps them enabled for ever. A shrink
/// of the ISR is a matter of time, not of rest.
bool belongs_to_rest(ActionClass kind) {
  return is_protocol_class(kind) && kind != ActionClass::isr_shrink;
}

/// Most writes come from plain producers; one in four is idempotent, half of these transactional, unless
/// nobody would end the transaction.
void draw_produce(Action& action, Choices& choices, bool transactions_end) {
  action.number = 1 + static_cast<std::int32_t>(choices.choose(Stream::workload, 3));
  const std::uint32_t kind = choices.choose(Stream::workload, 16);
  if (kind < 4) {
    action.producer = static_cast<std::int16_t>(1 + kind % 2);
    if (kind < 2 && transactions_end) {
      action.flags |= static_cast<std::uint8_t>(ActionFlag::transactional);
    }
  } else if (kind == 4) {
    action.flags = static_cast<std::uint8_t>(ActionFlag::acks_none);
  } else if (kind < 8) {
    action.flags = 0;  // acks=1
  }
}

/// What is still open of an action that was drawn.
void draw_parameters(const Simulator& simulator, Choices& choices, Action& action) {
  if (action.kind == ActionClass::produce) {
    const FaultSetup& faults = simulator.setup().faults;
    draw_produce(action, choices, faults.weights[static_cast<int>(ActionClass::end_transaction)] > 0);
    if (action.producer >= 0 && !simulator.why_not_enabled(action).empty()) {
      action.producer = -1;  // that one is busy with the end of its transaction
      action.flags = static_cast<std::uint8_t>(ActionFlag::acks_all);
    }
  } else if (action.kind == ActionClass::end_transaction) {
    const bool abort = choices.choose(Stream::workload, 3) == 0;
    action.flags =
        simulator.aborts_transaction(action, abort) ? static_cast<std::uint8_t>(ActionFlag::abort) : 0;
  } else if (action.kind == ActionClass::metadata_apply) {
    // A broker that is behind gets all it has missed as one delta now and then.
    const int behind = simulator.records_to_apply(action.cluster, action.broker);
    if (behind > 1 && choices.choose(Stream::scheduling, 4) == 0) {
      action.number = behind;
    }
  }
}

std::vector<ActionClass> classes_with_weight(const Setup& setup) {
  std::vector<ActionClass> classes;
  for (int i = 0; i < kActionClassCount; ++i) {
    if (setup.faults.weights[i] > 0) {
      classes.push_back(static_cast<ActionClass>(i));
    }
  }
  return classes;
}

void enumerate_all(const Simulator& simulator, const std::vector<ActionClass>& classes, Actions& scratch,
                   Actions& enabled) {
  enabled.clear();
  for (const ActionClass kind : classes) {
    simulator.enumerate(kind, scratch);
    for (const Action& action : scratch) {
      enabled.push_back(action);
    }
  }
}

}  // namespace

RandomStrategy::RandomStrategy(const Setup& setup) {
  for (int i = 0; i < kActionClassCount; ++i) {
    weights_[i] = static_cast<std::uint32_t>(setup.faults.weights[i]);
    total_ += weights_[i];
  }
}

bool RandomStrategy::step(Simulator& simulator, Choices& choices) {
  std::uint32_t total = total_;
  std::uint64_t excluded = 0;  // bit set of the classes found empty in this step
  while (total > 0) {
    std::uint32_t drawn = choices.choose(Stream::scheduling, total);
    int kind = 0;
    while ((excluded >> kind & 1U) != 0 || drawn >= weights_[kind]) {
      if ((excluded >> kind & 1U) == 0) {
        drawn -= weights_[kind];
      }
      ++kind;
    }
    const auto action_class = static_cast<ActionClass>(kind);
    simulator.enumerate(action_class, instances_);
    if (instances_.empty()) {
      excluded |= 1ULL << kind;
      total -= weights_[kind];
      continue;
    }
    Action action =
        instances_[choices.choose(stream_of(action_class), static_cast<std::uint32_t>(instances_.size()))];
    draw_parameters(simulator, choices, action);
    simulator.execute(action);
    return true;
  }
  return false;
}

UniformStrategy::UniformStrategy(const Setup& setup) : classes_(classes_with_weight(setup)) {}

bool UniformStrategy::step(Simulator& simulator, Choices& choices) {
  enumerate_all(simulator, classes_, instances_, enabled_);
  if (enabled_.empty()) {
    return false;
  }
  Action action = enabled_[choices.choose(Stream::scheduling, static_cast<std::uint32_t>(enabled_.size()))];
  draw_parameters(simulator, choices, action);
  simulator.execute(action);
  return true;
}

PctStrategy::PctStrategy(const Setup& setup)
    : classes_(classes_with_weight(setup)),
      horizon_(static_cast<std::uint32_t>(setup.run.max_actions)),
      depth_(setup.run.change_points) {
  for (int i = 0; i < kActionClassCount; ++i) {
    weights_[i] = static_cast<std::uint32_t>(setup.faults.weights[i]);
    total_ += weights_[i];
  }
  for (const ScriptStep& step : setup.steps) {
    horizon_ += step.kind == StepKind::random ? static_cast<std::uint32_t>(step.count) : 0;
  }
}

void PctStrategy::draw_change_points(Choices& choices) {
  for (int i = 0; i < depth_; ++i) {
    change_points_.push_back(choices.choose(Stream::scheduling, std::max(horizon_, 1U)));
  }
  std::sort(change_points_.begin(), change_points_.end());
}

std::uint64_t PctStrategy::next_turn(ActionClass kind, Choices& choices) {
  const std::uint32_t weight = weights_[static_cast<std::size_t>(kind)];
  return now_ + 1 + choices.choose(Stream::scheduling, 2 * total_ / weight);
}

PctStrategy::Activity& PctStrategy::activity_of(const Action& action, Choices& choices) {
  const auto part = [](int value) { return static_cast<std::uint32_t>(value + 1) & 0xFFU; };
  const std::uint32_t name =
      static_cast<std::uint32_t>(action.kind) << 16U | part(action.cluster) << 8U | part(action.broker);
  const auto place = std::lower_bound(activities_.begin(), activities_.end(), name,
                                      [](const Activity& each, std::uint32_t n) { return each.name < n; });
  if (place != activities_.end() && place->name == name) {
    return *place;
  }
  return *activities_.insert(place, {name, next_turn(action.kind, choices)});
}

bool PctStrategy::step(Simulator& simulator, Choices& choices) {
  if (!begun_) {
    draw_change_points(choices);
    begun_ = true;
  }
  enumerate_all(simulator, classes_, instances_, enabled_);
  if (enabled_.empty()) {
    return false;
  }
  // Whose turn it is, and who would have been next.
  std::optional<Activity> first;
  std::optional<Activity> second;
  const auto earlier = [&](const Activity& a, const std::optional<Activity>& b) {
    const auto key = [&](const Activity& each) {
      return std::make_tuple(starved_ == each.name, each.turn, each.name);
    };
    return !b || key(a) < key(*b);
  };
  for (const Action& action : enabled_) {
    const Activity activity = activity_of(action, choices);
    if (first == activity || second == activity) {
      continue;
    }
    if (earlier(activity, first)) {
      second = first;
      first = activity;
    } else if (earlier(activity, second)) {
      second = activity;
    }
  }
  if (std::binary_search(change_points_.begin(), change_points_.end(), step_)) {
    if (starved_) {
      const auto freed = std::find_if(activities_.begin(), activities_.end(),
                                      [&](const Activity& each) { return each.name == *starved_; });
      freed->turn = now_;
    }
    starved_ = first->name;
    first = second ? second : first;
  }
  ++step_;
  instances_.clear();
  for (const Action& action : enabled_) {
    if (activity_of(action, choices).name == first->name) {
      instances_.push_back(action);
    }
  }
  Action action = instances_[choices.choose(stream_of(instances_[0].kind),
                                            static_cast<std::uint32_t>(instances_.size()))];
  draw_parameters(simulator, choices, action);
  const std::uint64_t before = simulator.progress();
  now_ = std::max(now_, first->turn);
  simulator.execute(action);
  if (!is_protocol_class(action.kind) || simulator.progress() == before) {
    activity_of(action, choices).turn = next_turn(action.kind, choices);
  }
  return true;
}

DrawingStrategy::DrawingStrategy(const Setup& setup) : strategy_(std::in_place_type<RandomStrategy>, setup) {
  if (setup.run.strategy == Strategy::uniform) {
    strategy_.emplace<UniformStrategy>(setup);
  } else if (setup.run.strategy == Strategy::pct) {
    strategy_.emplace<PctStrategy>(setup);
  }
}

bool RoundRobinStrategy::round(Simulator& simulator, const AfterAction& after_action) {
  bool any = false;
  ended_ = false;
  for (int kind = 0; kind < kProtocolClassCount; ++kind) {
    if (!belongs_to_rest(static_cast<ActionClass>(kind))) {
      continue;
    }
    simulator.enumerate(static_cast<ActionClass>(kind), instances_);
    // Earlier instances may disable later ones.
    for (const Action& action : instances_) {
      if (simulator.why_not_enabled(action).empty()) {
        simulator.execute(action);
        any = true;
        if (after_action && !after_action()) {
          ended_ = true;
          return any;
        }
      }
    }
  }
  return any;
}

bool RoundRobinStrategy::settle(Simulator& simulator, int max_rounds, const AfterAction& after_action) {
  int quiet_rounds = 0;
  for (int i = 0; i < max_rounds; ++i) {
    const std::uint64_t before = simulator.progress();
    if (!round(simulator, after_action) || ended_) {
      return true;
    }
    quiet_rounds = simulator.progress() == before ? quiet_rounds + 1 : 0;
    // One exchange takes one round per leg at worst; after three quiet ones nothing new can be on its way.
    if (quiet_rounds >= 3) {
      return true;
    }
  }
  return false;
}

}  // namespace mirrorproof::sim
