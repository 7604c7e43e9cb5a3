#include "scenarios/dump_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "scenarios/text_tools.h"

namespace mirrorproof::scenarios {
namespace {

constexpr std::size_t kMaxDumpProblems = 50;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (line.empty()) {
      return words;
    }
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

class DumpReader {
 public:
  explicit DumpReader(std::string_view file) : file_(file) {}

  DumpedLog read(std::string_view text) {
    while (!text.empty() && log_.problems.size() < kMaxDumpProblems) {
      const std::size_t end = text.find('\n');
      ++line_;
      read_line(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    finish_batch();
    if (log_.problems.empty() && !dumping_) {
      line_ = 0;
      complain("no dump of a segment", "what kafka-dump-log.sh --files prints");
    }
    return std::move(log_);
  }

 private:
  void complain(std::string found, std::string expected) {
    log_.problems.push_back({std::string(file_), line_, 0, "", std::move(found), std::move(expected)});
  }

  void read_line(std::string_view line) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) {
      return;
    }
    if (words[0] == "Dumping") {
      finish_batch();
      dumping_ = true;
      const std::string_view path = words.back();
      if (!path.ends_with(".log")) {
        complain("the dump of " + in_quotes(path), "dumps of .log files only");
      }
    } else if (line.starts_with("Log starting offset:") || line.starts_with("Starting offset:")) {
      finish_batch();
    } else if (words[0] == "baseOffset:") {
      finish_batch();
      read_batch(words);
    } else if (words[0] == "|") {
      read_record({words.begin() + 1, words.end()}, line);
    } else if (words[0] == "offset:") {
      read_record_of_old_form(words, line);
    } else {
      complain(in_quotes(line), "a line of kafka-dump-log.sh (Dumping, baseOffset: or | offset:)");
    }
  }

  /// The word after `key`; nothing after complaining that it is not there.
  std::optional<std::string_view> value(const std::vector<std::string_view>& words, std::string_view key) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == key) {
        return words[i + 1];
      }
    }
    complain("a line without " + in_quotes(key),
             "a whole line of kafka-dump-log.sh: is the file cut off, or of another version?");
    return std::nullopt;
  }

  template <class Number>
  std::optional<Number> number(const std::vector<std::string_view>& words, std::string_view key, Number low,
                               Number high) {
    const std::optional<std::string_view> text = value(words, key);
    if (!text) {
      return std::nullopt;
    }
    const std::optional<Number> found = whole_number<Number>(*text);
    if (found && *found >= low && *found <= high) {
      return found;
    }
    complain(fmt::format("{} {}", key, in_quotes(*text)),
             fmt::format("a whole number from {} to {}", low, high));
    return std::nullopt;
  }

  std::optional<bool> flag(const std::vector<std::string_view>& words, std::string_view key) {
    const std::optional<std::string_view> text = value(words, key);
    if (text && *text != "true" && *text != "false") {
      complain(fmt::format("{} {}", key, in_quotes(*text)), "true or false");
      return std::nullopt;
    }
    return text ? std::optional(*text == "true") : std::nullopt;
  }

  void read_batch(const std::vector<std::string_view>& words) {
    constexpr Offset kMost = std::numeric_limits<Offset>::max() / 2;
    const auto magic = number<int>(words, "magic:", 0, 2);
    if (!magic) {
      return;
    }
    if (*magic < 2) {
      complain(fmt::format("magic: {}", *magic),
               "magic: 2 (older records do not carry the epoch of their leader)");
      return;
    }
    const auto base = number<Offset>(words, "baseOffset:", 0, kMost);
    const auto last = number<Offset>(words, "lastOffset:", 0, kMost);
    const auto count = number<std::int64_t>(words, "count:", 0, std::numeric_limits<std::int32_t>::max());
    const auto epoch = number<Epoch>(words, "partitionLeaderEpoch:", 0, std::numeric_limits<Epoch>::max());
    const auto checksum = number<std::uint64_t>(words, "crc:", 0, std::numeric_limits<std::uint32_t>::max());
    const auto control = flag(words, "isControl:");
    const auto valid = flag(words, "isvalid:");
    if (!base || !last || !count || !epoch || !checksum || !control || !valid) {
      return;
    }
    if (!*valid) {
      complain("isvalid: false", "batches whose checksum is right");
      return;
    }
    if (*last < *base || *count > *last - *base + 1) {
      complain(fmt::format("baseOffset: {} lastOffset: {} count: {}", *base, *last, *count),
               "a last offset that is not below the first, and no more records than offsets");
      return;
    }
    if (*base < next_offset_) {
      complain(fmt::format("baseOffset: {} after offset {}", *base, next_offset_ - 1),
               "offsets that increase");
      return;
    }
    next_offset_ = *last + 1;
    batch_ = DumpedBatch{*base, *last, *epoch, *checksum, false, *control, line_};
    count_ = *count;
    offsets_.clear();
  }

  void read_record(const std::vector<std::string_view>& words, std::string_view line) {
    if (!batch_) {
      // Its batch was complained about, or a record comes first.
      if (log_.problems.empty()) {
        complain(in_quotes(line), "a line with baseOffset: before its records");
      }
      return;
    }
    const auto offset = number<Offset>(words, "offset:", batch_->base, batch_->last);
    if (!offset) {
      return;
    }
    if (!offsets_.empty() && *offset <= offsets_.back()) {
      complain(fmt::format("offset: {} after offset {}", *offset, offsets_.back()), "offsets that increase");
      return;
    }
    offsets_.push_back(*offset);
    if (batch_->marker && std::find(words.begin(), words.end(), "endTxnMarker:") == words.end()) {
      batch_->marker = false;
      batch_->pid_reset = true;
    }
  }

  /// Before Kafka 2.0 the records of a batch stood without "|", and older formats still do.
  void read_record_of_old_form(const std::vector<std::string_view>& words, std::string_view line) {
    const auto magic = std::find(words.begin(), words.end(), "magic:");
    if (magic != words.end() && magic + 1 != words.end() && (*(magic + 1) == "0" || *(magic + 1) == "1")) {
      complain(fmt::format("magic: {}", *(magic + 1)),
               "magic: 2 (older records do not carry the epoch of their leader)");
      return;
    }
    read_record(words, line);
  }

  /// Batches of which compaction took records become one piece for each run of offsets.
  void finish_batch() {
    if (!batch_) {
      return;
    }
    const DumpedBatch batch = *batch_;
    batch_.reset();
    const std::int64_t offsets = batch.last - batch.base + 1;
    if (offsets_.empty() && count_ == offsets) {
      log_.batches.push_back(batch);
      return;
    }
    if (offsets_.empty() && count_ > 0) {
      const int here = line_;
      line_ = batch.line;
      complain(fmt::format("a compacted batch: {} records in {} offsets", count_, offsets),
               "its records too: dump with --deep-iteration or --print-data-log");
      line_ = here;
      return;
    }
    if (static_cast<std::int64_t>(offsets_.size()) != count_) {
      const int here = line_;
      line_ = batch.line;
      complain(fmt::format("count: {} and {} records", count_, offsets_.size()),
               "as many records as the batch counts: is the file cut off?");
      line_ = here;
      return;
    }
    for (const Offset offset : offsets_) {
      const bool follows = !log_.batches.empty() && log_.batches.back().line == batch.line &&
                           log_.batches.back().last + 1 == offset;
      if (follows) {
        log_.batches.back().last = offset;
      } else {
        DumpedBatch piece = batch;
        piece.base = offset;
        piece.last = offset;
        log_.batches.push_back(piece);
      }
    }
  }

  std::string_view file_;
  DumpedLog log_;
  int line_ = 0;
  bool dumping_ = false;
  Offset next_offset_ = 0;
  std::optional<DumpedBatch> batch_;  ///< the one under way
  std::int64_t count_ = 0;            ///< of its records, as it says
  std::vector<Offset> offsets_;       ///< of its records, as they follow
};

}  // namespace

DumpedLog parse_dump_log(std::string_view text, std::string_view file_name) {
  return DumpReader(file_name).read(text);
}

}  // namespace mirrorproof::scenarios
