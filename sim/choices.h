#pragma once
// Choices: the only source of randomness. A run is a pure function of (setup, choices); the numbers drawn are
// kept, so that any run can be replayed from the list alone.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace mirrorproof::sim {

/// Split streams: one more draw in one does not shift the others.
enum class Stream : std::uint8_t { scheduling, faults, workload, topology };
inline constexpr int kStreamCount = 4;

/// SplitMix64 seeding and xoshiro256** output, pinned down here because the standard library's distributions
/// differ between implementations.
class Generator {
 public:
  explicit Generator(std::uint64_t seed);
  std::uint64_t next();

 private:
  std::array<std::uint64_t, 4> state_{};
};

class Choices {
 public:
  virtual ~Choices() = default;
  /// A number in [0, bound); bound >= 1.
  std::uint32_t choose(Stream stream, std::uint32_t bound) {
    const std::uint32_t choice = bound <= 1 ? 0 : draw(stream, bound);
    if (bound > 1) {
      drawn_.push_back(choice);
    }
    return choice;
  }
  /// Everything drawn so far, in order.
  const std::vector<std::uint32_t>& drawn() const { return drawn_; }

 private:
  virtual std::uint32_t draw(Stream stream, std::uint32_t bound) = 0;
  std::vector<std::uint32_t> drawn_;
};

/// From a seed. The choice is the high half of a 64-bit product: same result on every compiler.
class SeededChoices final : public Choices {
 public:
  explicit SeededChoices(std::uint64_t seed);

 private:
  std::uint32_t draw(Stream stream, std::uint32_t bound) override;
  std::array<Generator, kStreamCount> generators_;
};

/// From a list; 0 once it is used up, and numbers too large for their bound are taken modulo it, so that
/// every list of numbers is a run (shrinking, coverage-guided fuzzing).
class RecordedChoices final : public Choices {
 public:
  explicit RecordedChoices(std::vector<std::uint32_t> recorded) : recorded_(std::move(recorded)) {}
  bool used_up() const { return next_ >= recorded_.size(); }

 private:
  std::uint32_t draw(Stream stream, std::uint32_t bound) override;
  std::vector<std::uint32_t> recorded_;
  std::size_t next_ = 0;
};

}  // namespace mirrorproof::sim
