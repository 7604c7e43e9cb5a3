#pragma once
// A run as bytes, for coverage-guided fuzzing: which world, under which protocol, and what was chosen in it.
// Every string of bytes is a run, and a small change of the bytes is a small change of the run.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/protocol_presets.h"
#include "sim/swarm.h"

namespace mirrorproof::fuzzing {

/// Layout: byte 0 picks the protocol, bytes 1 to 4 are the seed of the world (little-endian), then two bytes
/// a choice (little-endian; taken modulo the number of alternatives). Missing bytes are 0.
struct ByteRun {
  Preset preset = Preset::hardened;
  std::uint32_t seed = 0;
  std::vector<std::uint32_t> choices;
};
inline constexpr std::size_t kRunHeader = 5;
inline constexpr std::size_t kBytesPerChoice = 2;

inline ByteRun run_from_bytes(std::span<const std::uint8_t> bytes) {
  const auto at = [bytes](std::size_t i) { return i < bytes.size() ? std::uint32_t{bytes[i]} : 0; };
  ByteRun run;
  run.preset = at(0) % 2 == 0 ? Preset::hardened : Preset::as_proposed;
  run.seed = at(1) | at(2) << 8 | at(3) << 16 | at(4) << 24;
  for (std::size_t i = kRunHeader; i + 1 < bytes.size(); i += kBytesPerChoice) {
    run.choices.push_back(at(i) | at(i + 1) << 8);
  }
  return run;
}

/// The inverse, but for choices above 65535.
inline std::vector<std::uint8_t> bytes_of_run(const ByteRun& run) {
  std::vector<std::uint8_t> bytes{static_cast<std::uint8_t>(run.preset == Preset::hardened ? 0 : 1)};
  for (int shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<std::uint8_t>(run.seed >> shift));
  }
  for (const std::uint32_t choice : run.choices) {
    bytes.push_back(static_cast<std::uint8_t>(choice));
    bytes.push_back(static_cast<std::uint8_t>(choice >> 8));
  }
  return bytes;
}

/// The world of the run: small, so that many are tried in a second.
inline sim::Setup setup_of_run(const ByteRun& run) {
  sim::SwarmOptions options;
  options.protocol = preset_options(run.preset);
  options.actions = {40, 200};
  return sim::swarm_setup(options, run.seed);
}

}  // namespace mirrorproof::fuzzing
