#include "model/leader_epoch_checkpoint.h"

#include <fmt/format.h>

#include <charconv>

namespace mirrorproof {
namespace {

constexpr std::int64_t kVersion = 0;

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

/// Hands out lines and counts them; a missing last newline is accepted.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}

  std::optional<std::string_view> next() {
    if (rest_.empty()) {
      return std::nullopt;
    }
    ++line_;
    const std::size_t newline = rest_.find('\n');
    const std::string_view line = rest_.substr(0, newline);
    rest_ = newline == std::string_view::npos ? std::string_view{} : rest_.substr(newline + 1);
    return line;
  }
  int line() const { return line_; }

 private:
  std::string_view rest_;
  int line_ = 0;
};

CheckpointParseResult failure(int line, std::string_view message) {
  return {std::nullopt, fmt::format("line {}: {}", line, message)};
}

std::optional<EpochEntry> parse_entry(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<Epoch> epoch = parse_number<Epoch>(line.substr(0, space));
  const std::optional<Offset> start_offset = parse_number<Offset>(line.substr(space + 1));
  if (!epoch || !start_offset || *epoch < 0 || *start_offset < 0) {
    return std::nullopt;
  }
  return EpochEntry{*epoch, *start_offset};
}

}  // namespace

std::string write_leader_epoch_checkpoint(std::span<const EpochEntry> entries) {
  std::string text = fmt::format("{}\n{}\n", kVersion, entries.size());
  for (const EpochEntry& entry : entries) {
    text += fmt::format("{} {}\n", entry.epoch, entry.start_offset);
  }
  return text;
}

CheckpointParseResult parse_leader_epoch_checkpoint(std::string_view text) {
  std::vector<EpochEntry> entries;
  if (text.empty()) {
    return {std::move(entries), {}};
  }
  LineReader lines(text);
  if (parse_number<std::int64_t>(*lines.next()) != kVersion) {
    return failure(1, "expected the version, 0");
  }
  const std::optional<std::string_view> count_line = lines.next();
  const std::optional<std::int64_t> count =
      count_line ? parse_number<std::int64_t>(*count_line) : std::nullopt;
  if (!count || *count < 0) {
    return failure(2, "expected the number of entries");
  }
  while (const std::optional<std::string_view> line = lines.next()) {
    const std::optional<EpochEntry> entry = parse_entry(*line);
    if (!entry) {
      return failure(lines.line(), "expected \"epoch start_offset\", two numbers >= 0");
    }
    if (!entries.empty() &&
        (entry->epoch <= entries.back().epoch || entry->start_offset <= entries.back().start_offset)) {
      return failure(lines.line(), "epochs and start offsets must increase");
    }
    entries.push_back(*entry);
  }
  if (static_cast<std::int64_t>(entries.size()) != *count) {
    return failure(2, fmt::format("{} entries announced, {} found", *count, entries.size()));
  }
  return {std::move(entries), {}};
}

}  // namespace mirrorproof
