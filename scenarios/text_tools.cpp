#include "scenarios/text_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mirrorproof::scenarios {
namespace {

constexpr std::size_t kQuotedBytes = 60;
/// Longer words are nobody's typo of ours.
constexpr std::size_t kLongestWord = 48;

/// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    last[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool starts_character = (byte & 0xC0U) != 0x80U;
    if (starts_character && out.size() >= limit) {
      return out + "...";
    }
    // C1 controls (U+0080..U+009F) steer terminals too.
    const bool c1_control =
        byte == 0xC2U && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0U;
    if (c1_control) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[++i]));
    } else if (byte < 0x20U || byte == 0x7FU) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  std::string escaped;
  for (const char c : text.substr(0, kQuotedBytes + 4)) {
    if (c == '"' || c == '\\') {
      escaped += '\\';
    }
    escaped += c;
  }
  return '"' + printable(escaped, kQuotedBytes) + '"';
}

std::string describe(const nlohmann::json& value) {
  switch (value.type()) {
    case nlohmann::json::value_t::object:
      return value.empty() ? "an empty object" : "an object";
    case nlohmann::json::value_t::array:
      return value.empty() ? "an empty array" : fmt::format("an array of {}", value.size());
    case nlohmann::json::value_t::string:
      return in_quotes(value.get_ref<const std::string&>());
    default:
      return value.dump();
  }
}

std::string_view nearest(std::string_view text, const std::vector<std::string_view>& candidates) {
  // Numbers and versions are no typos of one another.
  const bool has_letter = std::any_of(
      text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
  if (text.size() > kLongestWord || !has_letter) {
    return {};
  }
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, std::min<std::size_t>(3, text.size() / 3)) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongestWord || candidate == text) {
      continue;
    }
    const std::size_t distance = edit_distance(text, candidate);
    // A word with no letter in common is no typo: "C" is not meant to be "A".
    if (distance < best_distance && distance < text.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string one_of(const std::vector<std::string_view>& candidates, std::string_view text) {
  std::string out = candidates.size() == 1 ? "" : "one of ";
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    out += (i == 0 ? "" : ", ") + in_quotes(candidates[i]);
  }
  if (candidates.empty()) {
    out = "nothing here";
  }
  const std::string_view guess = candidates.size() > 1 ? nearest(text, candidates) : std::string_view{};
  return guess.empty() ? out : out + fmt::format(" (did you mean {}?)", in_quotes(guess));
}

}  // namespace mirrorproof::scenarios
