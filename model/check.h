#pragma once
// Assertions for what must never happen; on in every build type.

#include <cstdio>
#include <cstdlib>

namespace mirrorproof {

[[noreturn]] inline void check_failed(const char* expression, const char* file, int line,
                                      const char* message) {
  std::fprintf(stderr, "mirrorproof: internal error at %s:%d: %s (%s)\n", file, line, message, expression);
  std::abort();
}

}  // namespace mirrorproof

/// Aborts with place and message when `condition` is false. Never for bad input: that travels as a value.
#define MP_CHECK(condition, message)                   \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::mirrorproof::check_failed(#condition, __FILE__, __LINE__, message))
