#include "reports/shrink_script.h"

#include <algorithm>

namespace mirrorproof::reports {
namespace {

/// Scripts longer than this are not tried piece by piece with every broker held: the work grows with its
/// square.
constexpr std::size_t kLongestForHolds = 80;

bool is_protocol_step(const sim::ScriptStep& step) {
  return step.kind == sim::StepKind::action && sim::is_protocol_class(step.action.kind);
}

/// The steps [begin, end) without the protocol's own actions: a settle stands for each stretch of them.
Script settled(const Script& script, std::size_t begin, std::size_t end) {
  Script out;
  for (std::size_t i = begin; i < end; ++i) {
    if (!is_protocol_step(script[i])) {
      out.push_back(script[i]);
    } else if (out.empty() || out.back().kind != sim::StepKind::settle) {
      out.push_back(settle_step());
    }
  }
  return out;
}

Script spliced(const Script& script, std::size_t begin, std::size_t end, const Script& middle) {
  Script out(script.begin(), script.begin() + static_cast<std::ptrdiff_t>(begin));
  out.insert(out.end(), middle.begin(), middle.end());
  out.insert(out.end(), script.begin() + static_cast<std::ptrdiff_t>(end), script.end());
  return out;
}

sim::ScriptStep hold_step(sim::StepKind kind, ClusterId cluster, BrokerId broker, sim::Held held) {
  sim::ScriptStep step;
  step.kind = kind;
  step.action.cluster = cluster;
  step.action.broker = broker;
  step.held = held;
  return step;
}

}  // namespace

void ScriptShrinker::drop_steps() const {
  for (std::size_t chunk = std::max<std::size_t>(1, current().size() / 2);;) {
    bool any = false;
    for (std::size_t end = current().size(); end > 0;) {
      const std::size_t begin = end > chunk ? end - chunk : 0;
      if (attempt(spliced(current(), begin, end, {}))) {
        any = true;
      }
      end = std::min(begin, current().size());
    }
    if (chunk == 1 && !any) {
      return;
    }
    chunk = std::max<std::size_t>(1, chunk / 2);
  }
}

void ScriptShrinker::settle_stretches() const {
  for (std::size_t length = current().size(); length >= 2;) {
    bool any = false;
    for (std::size_t begin = 0; begin + length <= current().size(); ++begin) {
      const Script middle = settled(current(), begin, begin + length);
      if (middle.size() < length && attempt(spliced(current(), begin, begin + length, middle))) {
        any = true;
        break;
      }
    }
    // Long scripts: halve; short ones: every length.
    length = any ? std::min(length, current().size()) : length > 64 ? length / 2 : length - 1;
  }
}

void ScriptShrinker::hold_and_settle() const {
  if (current().size() > kLongestForHolds) {
    return;
  }
  for (std::size_t c = 0; c < setup.clusters.size(); ++c) {
    for (std::size_t b = 0; b < setup.clusters[c].brokers.size(); ++b) {
      for (const sim::Held held : {sim::Held::fetch, sim::Held::metadata, sim::Held::mirror}) {
        const auto mark = [&](sim::StepKind kind) {
          return hold_step(kind, static_cast<ClusterId>(c), static_cast<BrokerId>(b), held);
        };
        for (std::size_t length = current().size(); length >= 3; --length) {
          for (std::size_t begin = 0; begin + length <= current().size(); ++begin) {
            Script middle = settled(current(), begin, begin + length);
            middle.insert(middle.begin(), mark(sim::StepKind::hold));
            if (middle.size() < length && attempt(spliced(current(), begin, begin + length, middle))) {
              length = std::min(length, current().size());
              continue;
            }
            middle.push_back(mark(sim::StepKind::release));
            if (middle.size() < length && attempt(spliced(current(), begin, begin + length, middle))) {
              length = std::min(length, current().size());
            }
          }
        }
      }
    }
  }
}

}  // namespace mirrorproof::reports
