// Compares the traces of this program, whose model and simulator are compiled at -O3, with those of another.
//
//   same_traces_o3 PROGRAM

#include <fmt/format.h>

#include "tests/determinism/same_traces.h"

int main(int argc, char** argv) {
  constexpr std::uint64_t kSeeds = 300;
  if (argc != 2) {
    fmt::print(stderr, "usage: same_traces_o3 PROGRAM\n");
    return 2;
  }
  if (!mirrorproof::determinism::gives_the_traces_of(argv[1], kSeeds)) {
    return 1;
  }
  fmt::print("{} seeds: the same traces\n", kSeeds);
  return 0;
}
