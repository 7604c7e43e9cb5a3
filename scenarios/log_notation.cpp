#include "scenarios/log_notation.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>

#include "scenarios/scenario.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::scenarios {
namespace {

/// Digits at the front of `text`, taken off it; nothing if there are none or the number is above `max`, and
/// then that is noted.
std::optional<std::int64_t> take_number(std::string_view& text, std::int64_t max, bool& above) {
  std::int64_t value = 0;
  if (text.empty() || text.front() < '0' || text.front() > '9') {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value > max) {
    above = true;
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<LogEntry> parse_entry(std::string_view text, bool& above) {
  LogEntry entry;
  const std::optional<Offset> first = take_number(text, kMaxNotatedOffset, above);
  if (!first) {
    return std::nullopt;
  }
  entry.first = entry.last = *first;
  if (take(text, "..")) {
    const std::optional<Offset> last = take_number(text, kMaxNotatedOffset, above);
    if (!last || *last < *first) {
      return std::nullopt;
    }
    entry.last = *last;
  }
  if (!take(text, ":")) {
    return std::nullopt;
  }
  if (take(text, "-")) {
    entry.epoch = kUndefinedEpoch;
  } else if (const auto epoch = take_number(text, std::numeric_limits<Epoch>::max(), above)) {
    entry.epoch = static_cast<Epoch>(*epoch);
  } else {
    return std::nullopt;
  }
  std::size_t letters = 0;
  while (letters < text.size() && text[letters] >= 'a' && text[letters] <= 'z') {
    ++letters;
  }
  entry.identity = text.substr(0, letters);
  text.remove_prefix(letters);
  entry.pid_reset = take(text, "R");
  return text.empty() && letters <= kMaxIdentityLetters ? std::optional(entry) : std::nullopt;
}

/// What must hold between an entry and the one before it.
std::optional<NotationProblem> check_order(const LogEntry& before, const LogEntry& entry,
                                           NotationRules rules) {
  const std::string found = fmt::format("{} after {}", format_entry(entry), format_entry(before));
  if (entry.first <= before.last) {
    return NotationProblem{found, "offsets that increase"};
  }
  if (rules == NotationRules::initial && entry.epoch != kUndefinedEpoch && entry.epoch < before.epoch) {
    return NotationProblem{found, "epochs that do not go backwards"};
  }
  return std::nullopt;
}

}  // namespace

NotatedLog parse_log(std::string_view text, NotationRules rules, std::int64_t max_records) {
  constexpr std::string_view kSpaces = " \t\n\r";
  const std::string_view form = rules == NotationRules::initial
                                    ? "offset:epoch or first..last:epoch, such as 2:1, 2:1b or 2..4:1"
                                    : "offset:epoch or first..last:epoch, such as 2:1 or 2..4:1";
  NotatedLog log;
  std::int64_t records = 0;
  while (true) {
    const std::size_t start = text.find_first_not_of(kSpaces);
    if (start == std::string_view::npos || log.problems.size() >= kMaxProblems) {
      return log;
    }
    text.remove_prefix(start);
    const std::string_view word = text.substr(0, text.find_first_of(kSpaces));
    text.remove_prefix(word.size());
    bool above = false;
    std::optional<LogEntry> entry = parse_entry(word, above);
    if (above) {
      log.problems.push_back({"the entry " + in_quotes(word),
                              fmt::format("offsets up to {} and epochs up to {}", kMaxNotatedOffset,
                                          std::numeric_limits<Epoch>::max())});
      continue;
    }
    if (!entry || (rules == NotationRules::expected && !entry->identity.empty())) {
      log.problems.push_back({"the entry " + in_quotes(word), std::string(form)});
      continue;
    }
    if (!log.entries.empty()) {
      if (std::optional<NotationProblem> problem = check_order(log.entries.back(), *entry, rules)) {
        log.problems.push_back(std::move(*problem));
      }
    }
    records += entry->last - entry->first + 1;
    if (records > max_records) {
      log.problems.push_back({"more records with the entry " + in_quotes(word),
                              fmt::format("at most {} records in all logs", kMaxInitialRecords)});
      return log;
    }
    log.entries.push_back(std::move(*entry));
  }
}

std::string format_entry(const LogEntry& entry) {
  const std::string range = entry.first == entry.last ? fmt::format("{}", entry.first)
                                                      : fmt::format("{}..{}", entry.first, entry.last);
  const std::string epoch = entry.epoch == kUndefinedEpoch ? "-" : fmt::format("{}", entry.epoch);
  return fmt::format("{}:{}{}{}", range, epoch, entry.identity, entry.pid_reset ? "R" : "");
}

}  // namespace mirrorproof::scenarios
