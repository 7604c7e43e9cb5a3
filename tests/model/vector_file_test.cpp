// What a damaged vector file says of itself: the file, the place, what was found and what was expected.

#include "vector_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace mirrorproof::vectors {
namespace {

class DamagedVectors : public testing::Test {
 protected:
  // Other tests run beside this one, each in a process of its own.
  DamagedVectors()
      : folder_(std::filesystem::path(testing::TempDir()) /
                ("damaged-vectors-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    setenv("MIRRORPROOF_VECTORS", folder_.c_str(), 1);
  }
  ~DamagedVectors() override {
    unsetenv("MIRRORPROOF_VECTORS");
    std::filesystem::remove_all(folder_);
  }

  VectorFile read(const std::string& text) const {
    std::ofstream(folder_ / "some.json") << text;
    return load("some.json");
  }

  std::string refusal(const std::string& text) const {
    try {
      read(text);
    } catch (const VectorError& error) {
      return error.what();
    }
    return "";
  }

  const std::filesystem::path folder_;
};

TEST_F(DamagedVectors, that_are_no_json_name_the_file) {
  EXPECT_THAT(refusal("[{"), testing::HasSubstr("/some.json: "));
  EXPECT_THAT(refusal(""), testing::HasSubstr("/some.json: "));
}

TEST_F(DamagedVectors, nested_without_end_do_not_overflow_the_stack) {
  EXPECT_THAT(refusal(std::string(1'000'000, '[') + std::string(1'000'000, ']')),
              testing::HasSubstr("nested deeper than 64 levels"));
}

TEST_F(DamagedVectors, that_are_a_folder_cannot_be_opened) {
  std::filesystem::create_directories(folder_ / "some.json");
  EXPECT_THROW(load("some.json"), VectorError);
}

TEST_F(DamagedVectors, say_where_the_wrong_value_stands) {
  static VectorFile file;  // EXPECT_NONFATAL_FAILURE sees no locals
  file = read(R"([{"name": "fine", "epochs": []},
                  {"name": "bad", "epochs": [{"epoch": 1, "start_offset": 0}, {"epoch": 2, "start_offset": 0.5}]}])");
  static const auto kCheck = [](const Json& entry) { to_entries(field(entry, "epochs")); };
  EXPECT_NONFATAL_FAILURE(EXPECT_EQ(for_each_case(file, "name", kCheck), 1),
                          "some.json: /1/epochs/1/start_offset: expected a 64-bit integer, found 0.5");
}

TEST_F(DamagedVectors, say_which_field_is_unknown_or_missing) {
  static VectorFile file;
  file = read(R"([{"name": "bad", "epochs": [{"epoch": 1, "offset": 0}]}])");
  static const auto kCheck = [](const Json& entry) { to_entries(field(entry, "epochs")); };
  EXPECT_NONFATAL_FAILURE(for_each_case(file, "name", kCheck),
                          "found an unknown field \"offset\", expected one of epoch, start_offset");
  file = read(R"([{"name": "bad"}])");
  EXPECT_NONFATAL_FAILURE(for_each_case(file, "name", kCheck),
                          "some.json: /0: expected \"epochs\" in it, found {\"name\":\"bad\"}");
}

}  // namespace
}  // namespace mirrorproof::vectors
