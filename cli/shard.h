#pragma once
// Which part of a campaign this call runs: told by --shard, or by whoever started many calls at once.

#include <functional>
#include <optional>
#include <string>

#include "reports/campaign.h"

namespace mirrorproof::cli {

struct ShardChoice {
  reports::Shard shard;
  std::string from;     ///< "--shard", or the variable that was taken; empty: the campaign is not split
  std::string problem;  ///< what is wrong with the variable, and what was expected; empty if nothing is
};

/// The value of an environment variable; nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> environment_variable(const char* name);

/// The flag, else the first of these that is set (each is read strictly, and only the first counts):
///   GTEST_SHARD_INDEX of GTEST_TOTAL_SHARDS    GoogleTest's protocol; the index counts from 0
///   JOB_COMPLETION_INDEX of MIRRORPROOF_SHARDS an Indexed Job of Kubernetes, which tells its pods their
///                                              index, from 0, but not how many they are
///   SLURM_ARRAY_TASK_ID of SLURM_ARRAY_TASK_COUNT, from SLURM_ARRAY_TASK_MIN in SLURM_ARRAY_TASK_STEPs
ShardChoice choose_shard(const std::optional<reports::Shard>& flag, const Environment& environment);

}  // namespace mirrorproof::cli
