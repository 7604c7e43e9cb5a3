#include "cli/shard.h"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/arguments.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::cli {
namespace {

constexpr const char* kSet = "expected both or neither";

class ShardReader {
 public:
  explicit ShardReader(const Environment& environment) : environment_(environment) {}

  bool is_set(const char* name) const { return environment_(name).has_value(); }

  std::optional<std::uint64_t> number(const char* name, std::uint64_t low, std::uint64_t high) {
    const std::optional<std::string> text = environment_(name);
    const auto value = text ? parse_number(*text, low, high) : std::nullopt;
    if (text && !value) {
      complain(fmt::format("{}: found {}, expected an integer from {} to {}", name,
                           scenarios::in_quotes(*text), low, high));
    }
    return value;
  }

  /// The pair index/count, the index from 0.
  void read_pair(const char* index_name, const char* count_name, std::string_view missing_count) {
    choice_.from = index_name;
    if (!is_set(index_name)) {
      complain(fmt::format("{}: is set, but {} is not; {}", count_name, index_name, kSet));
    } else if (!is_set(count_name)) {
      complain(fmt::format("{}: is set, but {} is not; {}", index_name, count_name, missing_count));
    } else if (const auto count = number(count_name, 1, reports::kMostShards)) {
      if (const auto index = number(index_name, 0, *count - 1)) {
        choice_.shard = {*index, *count};
      }
    }
  }

  /// Slurm numbers the tasks of an array as it was told to: 1-4, 0-15:5, 3,7.
  void read_slurm() {
    constexpr std::uint64_t kMost = UINT32_MAX;
    choice_.from = "SLURM_ARRAY_TASK_ID";
    const auto task = number("SLURM_ARRAY_TASK_ID", 0, kMost);
    if (!is_set("SLURM_ARRAY_TASK_COUNT")) {
      complain("SLURM_ARRAY_TASK_ID: is set, but SLURM_ARRAY_TASK_COUNT is not; " + std::string(kSet));
    }
    const auto count = number("SLURM_ARRAY_TASK_COUNT", 1, reports::kMostShards);
    const std::uint64_t first = or_else("SLURM_ARRAY_TASK_MIN", 0, kMost, 1);
    const std::uint64_t step = or_else("SLURM_ARRAY_TASK_STEP", 1, kMost, 1);
    if (!choice_.problem.empty() || !task || !count) {
      return;
    }
    // A list such as 1,2,7 has no place for each task that its variables would tell.
    const std::uint64_t last = first + (*count - 1) * step;
    if (or_else("SLURM_ARRAY_TASK_MAX", 0, kMost, last) != last || *task < first || *task > last ||
        (*task - first) % step != 0) {
      complain(
          fmt::format("SLURM_ARRAY_TASK_ID: found {}, expected one of {} tasks from {} on in steps of {}; "
                      "for an array with gaps say --shard I/N",
                      *task, *count, first, step));
      return;
    }
    choice_.shard = {(*task - first) / step, *count};
  }

  ShardChoice take() { return std::move(choice_); }

 private:
  std::uint64_t or_else(const char* name, std::uint64_t low, std::uint64_t high, std::uint64_t otherwise) {
    return is_set(name) ? number(name, low, high).value_or(otherwise) : otherwise;
  }

  void complain(std::string problem) {
    if (choice_.problem.empty()) {
      choice_.problem = std::move(problem);
    }
  }

  const Environment& environment_;
  ShardChoice choice_;
};

}  // namespace

std::optional<std::string> environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

ShardChoice choose_shard(const std::optional<reports::Shard>& flag, const Environment& environment) {
  if (flag) {
    return {*flag, "--shard", ""};
  }
  ShardReader reader(environment);
  if (reader.is_set("GTEST_SHARD_INDEX") || reader.is_set("GTEST_TOTAL_SHARDS")) {
    reader.read_pair("GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", kSet);
  } else if (reader.is_set("JOB_COMPLETION_INDEX")) {
    reader.read_pair("JOB_COMPLETION_INDEX", "MIRRORPROOF_SHARDS",
                     "expected the number of completions of the job in it (or --shard I/N)");
  } else if (reader.is_set("SLURM_ARRAY_TASK_ID")) {
    reader.read_slurm();
  }
  return reader.take();
}

}  // namespace mirrorproof::cli
