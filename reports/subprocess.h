#pragma once
// Runs another program: text in, text out, no shell in between.

#include <optional>
#include <string>
#include <vector>

namespace mirrorproof::reports {

/// What the program printed, or nothing if it could not be started, failed, was silent for `patience_ms`
/// milliseconds or printed more than `most` bytes.
std::optional<std::string> run_filter(const std::vector<std::string>& command, const std::string& input,
                                      int patience_ms, std::size_t most);

}  // namespace mirrorproof::reports
