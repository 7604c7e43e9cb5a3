#pragma once
// The compact notation of logs: "0:0 1:0b 2..4:1 5:10R".
//
//   entry = offset ["." "." last offset] ":" (epoch | "-") [identity] ["R"], entries separated by spaces
//
// An entry is one batch. The identity is a word of small letters: records of equal offset, epoch and identity
// are the same record. "-": no epoch (a message format before v2). R marks the control batch that a stopping
// mirror writes (PID_RESET).

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/types.h"

namespace mirrorproof::scenarios {

/// What every reader of JSON holds exactly, with room to spare.
inline constexpr Offset kMaxNotatedOffset = 1'000'000'000'000'000;
inline constexpr std::size_t kMaxIdentityLetters = 4;

struct LogEntry {
  Offset first = 0;
  Offset last = 0;  ///< inclusive
  Epoch epoch = 0;
  std::string identity;  ///< empty: the record without a letter
  bool pid_reset = false;
  friend bool operator==(const LogEntry&, const LogEntry&) = default;
};

/// What is wrong with one entry.
struct NotationProblem {
  std::string found;
  std::string expected;
};

struct NotatedLog {
  std::vector<LogEntry> entries;
  std::vector<NotationProblem> problems;  ///< in the order of the text
};

enum class NotationRules : std::uint8_t {
  initial,   ///< identities and R allowed, epochs must not decrease
  expected,  ///< offsets and epochs, with an R as reports show it; epochs may decrease (a run may go wrong)
};

/// Offsets must increase (holes are allowed); at most `max_records` records.
NotatedLog parse_log(std::string_view text, NotationRules rules, std::int64_t max_records);

/// The text of one entry.
std::string format_entry(const LogEntry& entry);

}  // namespace mirrorproof::scenarios
