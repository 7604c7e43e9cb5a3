// Every wrong variant of the protocol is caught by the invariant that should catch it, in a bounded number of
// swarm seeds; the proposal itself is accused of nothing but its known findings.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reports/known_findings.h"
#include "sim/swarm.h"
#include "tests/sim/judged_seed.h"
#include "tests/sim/wrong_variants.h"

namespace mirrorproof::sim {
namespace {

class Variants : public testing::TestWithParam<WrongVariant> {};

TEST_P(Variants, IsCaughtByItsInvariant) {
  SwarmOptions options;
  GetParam().change(options.protocol);
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) {
    for (const checker::Violation& violation : violations_of(swarm_setup(options, seed), seed)) {
      if (violation.invariant == GetParam().invariant &&
          (GetParam().kind == nullptr || violation.kind == GetParam().kind)) {
        return;
      }
    }
  }
  FAIL() << GetParam().name << " breaks " << to_string(GetParam().invariant) << " in none of 6000 seeds";
}

INSTANTIATE_TEST_SUITE_P(Wrong, Variants, testing::ValuesIn(kWrongVariants),
                         [](const testing::TestParamInfo<WrongVariant>& variant) {
                           std::string name = variant.param.name;
                           for (char& letter : name) {
                             letter = letter == ' ' ? '_' : letter;
                           }
                           return name;
                         });

TEST(AsProposed, IsAccusedOfNothingButItsKnownFindings) {
  const SwarmOptions options;
  const auto known = reports::known_findings_of(options.protocol);
  std::set<std::string> met;
  for (std::uint64_t seed = 1; seed <= 8000; ++seed) {
    const auto violations = violations_of(swarm_setup(options, seed), seed);
    const reports::SortedViolations sorted = reports::sort_violations(violations, known);
    met.insert(sorted.known.begin(), sorted.known.end());
    if (!sorted.unknown.empty()) {
      const checker::Violation& violation = *sorted.unknown.front();
      ADD_FAILURE() << "seed " << seed << ": " << to_string(violation.invariant) << " (" << violation.kind
                    << "): " << violation.message;
      return;
    }
  }
  EXPECT_GE(met.size(), 3U) << "the swarm no longer reaches the known findings";
}

}  // namespace
}  // namespace mirrorproof::sim
