#include "reports/limited_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "reports/failure_file.h"

namespace mirrorproof::reports {
namespace {

constexpr int kMaxJsonDepth = scenarios::kMaxDepth + 4;

/// Reads along and stops at what would take too much: nesting, or numbers without end.
class LimitedSax : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit LimitedSax(std::size_t size) : size_(size) {}

  const std::string& found() const { return found_; }
  const std::string& expected() const { return expected_; }

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return deeper(); }
  bool key(string_t&) override { return true; }
  bool end_object() override { return shallower(); }
  bool start_array(std::size_t) override { return deeper(); }
  bool end_array() override { return shallower(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    return position > size_
               ? refuse("a text that ends half-way", "a whole JSON document: was the file cut off?")
               : refuse(fmt::format("text that is not JSON at byte {}", position), "a JSON object");
  }

 private:
  bool value() {
    constexpr std::size_t kMaxValues = kMaxStoredChoices + scenarios::kMaxValues;
    return ++values_ <= kMaxValues || refuse("too many values", fmt::format("at most {}", kMaxValues));
  }
  bool deeper() {
    return ++depth_ <= kMaxJsonDepth
               ? value()
               : refuse("deeper nesting", fmt::format("at most {} levels", kMaxJsonDepth));
  }
  bool shallower() {
    --depth_;
    return true;
  }
  bool refuse(std::string found, std::string expected) {
    found_ = std::move(found);
    expected_ = std::move(expected);
    return false;
  }

  std::size_t size_;
  std::size_t values_ = 0;
  int depth_ = 0;
  std::string found_;
  std::string expected_;
};

}  // namespace

LimitedJson parse_limited_json(std::string_view text) {
  LimitedJson out;
  LimitedSax limits(text.size());
  if (nlohmann::json::sax_parse(text, &limits)) {
    out.document = nlohmann::json::parse(text, nullptr, false);
  } else {
    out.found = limits.found();
    out.expected = limits.expected();
  }
  return out;
}

std::optional<std::uint64_t> parse_digest(std::string_view text) {
  constexpr std::size_t kDigestDigits = 16;
  std::uint64_t digest = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), digest, 16);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && text.size() == kDigestDigits ? std::optional(digest) : std::nullopt;
}

bool starts_with_field(std::string_view beginning, std::string_view name) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto skip_blanks = [&] {
    beginning.remove_prefix(std::min(beginning.find_first_not_of(kBlanks), beginning.size()));
  };
  skip_blanks();
  if (!beginning.starts_with('{')) {
    return false;
  }
  beginning.remove_prefix(1);
  skip_blanks();
  return beginning.starts_with(fmt::format("\"{}\"", name));
}

std::optional<std::string> read_beginning(const std::string& path, std::size_t limit) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return std::nullopt;
  }
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::ifstream stream(path, std::ios::binary);
  if (error || !stream) {
    return std::nullopt;
  }
  std::string text(static_cast<std::size_t>(std::min<std::uintmax_t>(size, limit)), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

}  // namespace mirrorproof::reports
