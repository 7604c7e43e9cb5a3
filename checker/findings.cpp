#include "checker/findings.h"

#include <algorithm>

namespace mirrorproof::checker {

bool Findings::found(Invariant invariant, std::string_view kind) const {
  return std::any_of(kinds_.begin(), kinds_.end(), [&](const auto& known) {
    return std::get<Invariant>(known) == invariant && std::get<std::string_view>(known) == kind;
  });
}

std::vector<Violation> Findings::take() {
  // Some rules speak at the end of a step only, about an event before it.
  std::stable_sort(kept_.begin(), kept_.end(),
                   [](const Violation& left, const Violation& right) { return left.event < right.event; });
  return std::move(kept_);
}

}  // namespace mirrorproof::checker
