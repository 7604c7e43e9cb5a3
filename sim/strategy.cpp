#include "sim/strategy.h"

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

/// Most writes come from plain producers; one in four is idempotent, half of these transactional.
void draw_produce(Action& action, Choices& choices) {
  action.number = 1 + static_cast<std::int32_t>(choices.choose(Stream::workload, 3));
  const std::uint32_t kind = choices.choose(Stream::workload, 16);
  if (kind < 4) {
    action.producer = static_cast<std::int16_t>(1 + kind % 2);
    if (kind < 2) {
      action.flags |= static_cast<std::uint8_t>(ActionFlag::transactional);
    }
  } else if (kind == 4) {
    action.flags = static_cast<std::uint8_t>(ActionFlag::acks_none);
  } else if (kind < 8) {
    action.flags = 0;  // acks=1
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
    if (action_class == ActionClass::produce) {
      draw_produce(action, choices);
      if (action.producer >= 0 && !simulator.why_not_enabled(action).empty()) {
        action.producer = -1;  // that one is busy with the end of its transaction
        action.flags = static_cast<std::uint8_t>(ActionFlag::acks_all);
      }
    } else if (action_class == ActionClass::end_transaction && choices.choose(Stream::workload, 3) == 0) {
      action.flags = static_cast<std::uint8_t>(ActionFlag::abort);
    } else if (action_class == ActionClass::metadata_apply) {
      // A broker that is behind gets all it has missed as one delta now and then.
      const int behind = simulator.records_to_apply(action.cluster, action.broker);
      if (behind > 1 && choices.choose(Stream::scheduling, 4) == 0) {
        action.number = behind;
      }
    }
    simulator.execute(action);
    return true;
  }
  return false;
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
