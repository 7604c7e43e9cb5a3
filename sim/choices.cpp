#include "sim/choices.h"

#include <bit>

namespace mirrorproof::sim {
namespace {

std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15ULL;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
  return mixed ^ (mixed >> 31);
}

}  // namespace

Generator::Generator(std::uint64_t seed) {
  for (std::uint64_t& word : state_) {
    word = split_mix(seed);
  }
}

std::uint64_t Generator::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

SeededChoices::SeededChoices(std::uint64_t seed)
    : generators_{Generator(seed ^ 0x5c4ed011ULL), Generator(seed ^ 0xfa0175ULL << 8),
                  Generator(seed ^ 0x30adULL << 16), Generator(seed ^ 0x70b0ULL << 24)} {}

std::uint32_t SeededChoices::draw(Stream stream, std::uint32_t bound) {
  const std::uint64_t number = generators_[static_cast<std::size_t>(stream)].next() >> 32;
  return static_cast<std::uint32_t>((number * bound) >> 32);
}

std::uint32_t RecordedChoices::draw(Stream stream, std::uint32_t bound) {
  (void)stream;
  if (next_ >= recorded_.size()) {
    return 0;
  }
  return recorded_[next_++] % bound;
}

}  // namespace mirrorproof::sim
