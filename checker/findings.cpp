#include "checker/findings.h"

#include <algorithm>

namespace mirrorproof::checker {

std::vector<Violation> Findings::take() {
  // Some rules speak at the end of a step only, about an event before it.
  std::stable_sort(kept_.begin(), kept_.end(),
                   [](const Violation& left, const Violation& right) { return left.event < right.event; });
  return std::move(kept_);
}

}  // namespace mirrorproof::checker
