#pragma once
// Mutants: small faults of the protocol, each at the place in the code where somebody might make it. They
// test the tests: a fault that no invariant notices is an invariant that is missing. They exist in the
// objects that tests/mutants/ compiles with MIRRORPROOF_MUTANTS; anywhere else `mutated` is false at compile
// time, and nothing of them is in the program.
//
// Only .cpp files may ask: a header's code would differ between the mutated objects and the judge's.

#include <cstdint>

namespace mirrorproof {

enum class Mutant : std::uint8_t {
  none,
#define MUTANT(name, rule, fault) name,
#include "model/mutant_list.inc"
#undef MUTANT
};

#ifdef MIRRORPROOF_MUTANTS
/// The fault in force on this thread.
inline constinit thread_local Mutant active_mutant = Mutant::none;
inline bool mutated(Mutant mutant) {
  return active_mutant == mutant;
}
#else
consteval bool mutated(Mutant /*mutant*/) {
  return false;
}
#endif

}  // namespace mirrorproof
