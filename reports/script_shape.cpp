#include "reports/script_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace mirrorproof::reports {
namespace {

/// Names by order of appearance.
class Names {
 public:
  std::size_t of(int item) {
    const auto found = std::find(seen_.begin(), seen_.end(), item);
    if (found == seen_.end()) {
      seen_.push_back(item);
      return seen_.size() - 1;
    }
    return static_cast<std::size_t>(found - seen_.begin());
  }

 private:
  std::vector<int> seen_;
};

class ShapeWriter {
 public:
  explicit ShapeWriter(const sim::Setup& setup)
      : several_partitions_(setup.partitions.size() > 1), brokers_(setup.clusters.size()) {}

  void add(const sim::ScriptStep& step) {
    text_ += text_.empty() ? "" : "; ";
    switch (step.kind) {
      case sim::StepKind::action:
        text_ += to_string(step.action.kind);
        add_place(step.action.cluster, step.action.broker);
        add_place(step.action.other_cluster, step.action.other_broker);
        if (several_partitions_ && step.action.partition != kNoPartition) {
          text_ += fmt::format(" p{}", partitions_.of(step.action.partition));
        }
        break;
      case sim::StepKind::hold:
      case sim::StepKind::release:
        text_ +=
            fmt::format("{} {}", step.kind == sim::StepKind::hold ? "hold" : "release", to_string(step.held));
        add_place(step.action.cluster, step.action.broker);
        break;
      case sim::StepKind::settle:
        text_ += "settle";
        break;
      case sim::StepKind::converge:
        text_ += "converge";
        break;
      case sim::StepKind::random:
        text_ += "random";
        break;
      case sim::StepKind::mark:
        text_ += "mark";
        break;
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void add_place(ClusterId cluster, BrokerId broker) {
    if (cluster == kNoCluster || static_cast<std::size_t>(cluster) >= brokers_.size()) {
      return;
    }
    const auto letter = static_cast<char>('a' + clusters_.of(cluster));
    text_ += broker == kNoBroker
                 ? fmt::format(" {}", letter)
                 : fmt::format(" {}{}", letter, brokers_[static_cast<std::size_t>(cluster)].of(broker));
  }

  bool several_partitions_;
  Names clusters_;
  Names partitions_;
  std::vector<Names> brokers_;
  std::string text_;
};

}  // namespace

std::string script_shape(const sim::Setup& setup) {
  ShapeWriter writer(setup);
  for (const sim::ScriptStep& step : setup.steps) {
    writer.add(step);
  }
  return writer.take();
}

}  // namespace mirrorproof::reports
