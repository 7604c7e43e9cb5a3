#include "tests/determinism/same_traces.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "checker/trace_digest.h"
#include "sim/runner.h"
#include "sim/swarm.h"

namespace mirrorproof::determinism {
namespace {

std::string digest_here(std::uint64_t seeds) {
  std::uint64_t digest = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const sim::Setup setup = sim::swarm_setup({}, seed);
    digest = checker::campaign_digest(digest, seed, checker::trace_digest(sim::run_seed(setup, seed).trace));
  }
  return fmt::format("{:016x}", digest);
}

std::string output_of(const std::string& command) {
  std::string output;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer{};
  for (std::size_t got = 0;
       pipe != nullptr && (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    output.append(buffer.data(), got);
  }
  if (pipe != nullptr) {
    ::pclose(pipe);
  }
  return output;
}

}  // namespace

bool gives_the_traces_of(const std::string& program, std::uint64_t seeds) {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("mirrorproof-same-traces-{}", ::getpid());
  const std::string output = output_of(fmt::format(
      "'{}' fuzz --seeds {} --jobs 1 --json --out '{}' 2>/dev/null", program, seeds, folder.string()));
  std::filesystem::remove_all(folder);
  const auto json = nlohmann::json::parse(output, nullptr, false);
  const std::string there = json.is_object() ? json.value("digest", "") : "";
  const std::string here = digest_here(seeds);
  if (here != there) {
    fmt::print("the traces of {} seeds have digest {} here, and {} by {}\n", seeds, here,
               there.empty() ? "none" : there, program);
  }
  return here == there;
}

}  // namespace mirrorproof::determinism
