#pragma once
// The exit codes of the program, by class of outcome.

namespace mirrorproof::cli {

inline constexpr int kAsExpected = 0;      ///< holds, or ended as expected
inline constexpr int kViolated = 1;        ///< violated, or not as expected
inline constexpr int kBadInput = 2;        ///< bad usage or bad input; nothing was run
inline constexpr int kInconclusive = 3;    ///< a script or a budget ended before there was an answer
inline constexpr int kInternalError = 70;  ///< a broken assumption of the program itself

}  // namespace mirrorproof::cli
