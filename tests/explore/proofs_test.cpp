// The proofs of scenarios/proofs/ that are quick: their searches are complete and have exactly the size that
// docs/explore.md states. And wrong variants of the protocol in the same worlds: found, by the shortest way.

#include "tests/explore/proofs.h"

#include <gtest/gtest.h>

#include "reports/explore_report.h"

namespace mirrorproof::explore {
namespace {

struct Proof {
  const char* name;
  SearchSize size;
};

const Proof kProofs[] = {
    {"failover-failback", {6155, 15516, 17}},
    {"failover-failback-two-replicas", {13595, 55708, 19}},
    {"downgrade-upgrade", {3034, 5500, 15}},
    {"failback-after-ule", {981, 3223, 16}},
    {"failback-after-ule-with-a-crash", {38862, 147405, 23}},
    {"ule-truncate-on-fetch", {32712, 101058, 22}},
    {"ule-old-source", {87949, 284118, 30}},
};

TEST(Proofs, AreCompleteAndAsLargeAsStated) {
  for (const Proof& expected : kProofs) {
    expect_size(proof(expected.name), expected.size, expected.name);
  }
}

struct WrongVariant {
  const char* proof;
  WrongSetting wrong;
};

const WrongVariant kWrongInProofs[] = {
    {"failover-failback", {"alignment=none", "alignment-exactness", "kept-foreign-record", 3}},
    {"failover-failback", {"alignment=epoch_only", "alignment-exactness", "kept-foreign-record", 5}},
    {"failover-failback", {"alignment=as_posted", "alignment-exactness", "removed-shared-record", 5}},
    {"failover-failback",
     {"alignment=epoch_and_offset_inclusive", "alignment-exactness", "kept-foreign-record", 5}},
    {"failover-failback", {"epoch_bump=none", "epoch-identity", "two-records-one-name", 2}},
    {"failover-failback", {"mirror_epochs=rewrite", "truncation-provenance", "not-killed", 7}},
};

TEST(Proofs, FailForWrongVariantsByTheShortestWay) {
  for (const auto& [name, wrong] : kWrongInProofs) {
    scenarios::Scenario scenario = proof(name);
    apply(wrong, scenario);
    const ExploreResult result = search_with_two_threads(scenario);
    expect_refuted(result, wrong);
    if (HasFatalFailure()) {
      return;
    }
    // Shown again by a script, or this would not return.
    EXPECT_TRUE(reports::make_explore_report(scenario, result).run.shown.as_expected) << wrong.setting;
  }
}

}  // namespace
}  // namespace mirrorproof::explore
