// How many cases each RapidCheck property runs, unless RC_PARAMS says otherwise (its own variable; a seed to
// replay a failure goes there too).

#include <gtest/gtest.h>

#include <cstdlib>

namespace mirrorproof {
namespace {

class PropertyDefaults : public ::testing::Environment {
 public:
  void SetUp() override { ::setenv("RC_PARAMS", "max_success=500", /*overwrite=*/0); }
};

// GoogleTest owns it, and does not throw.
[[maybe_unused]] const ::testing::Environment* const kPropertyDefaults =
    ::testing::AddGlobalTestEnvironment(new PropertyDefaults);  // NOLINT(*-owning-memory,cert-err58-cpp)

}  // namespace
}  // namespace mirrorproof
