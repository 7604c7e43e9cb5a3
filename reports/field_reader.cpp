#include "reports/field_reader.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "reports/limited_json.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::reports {

using nlohmann::json;
using scenarios::describe;

void FieldReader::complain(std::string pointer, std::string found, std::string expected) {
  if (problems_.size() < scenarios::kMaxProblems) {
    problems_.push_back({file_, 0, 0, std::move(pointer), std::move(found), std::move(expected)});
  }
}

const json* FieldReader::field(const json& object, const std::string& at, const std::string& name,
                               std::string_view expected) {
  if (!object.is_object()) {
    complain(at, describe(object), "an object");
    return nullptr;
  }
  const auto found = object.find(name);
  if (found == object.end()) {
    complain(at + "/" + name, "nothing", std::string(expected));
    return nullptr;
  }
  return &*found;
}

std::uint64_t FieldReader::number(const json& object, const std::string& at, const std::string& name,
                                  std::uint64_t low, std::uint64_t high) {
  const std::string expected = fmt::format("an integer from {} to {}", low, high);
  const json* value = field(object, at, name, expected);
  if (value == nullptr) {
    return low;
  }
  if (!value->is_number_unsigned() || value->get<std::uint64_t>() < low ||
      value->get<std::uint64_t>() > high) {
    complain(at + "/" + name, describe(*value), expected);
    return low;
  }
  return value->get<std::uint64_t>();
}

double FieldReader::seconds(const json& object, const std::string& at, const std::string& name) {
  constexpr double kMost = 1e10;
  constexpr std::string_view kExpected = "a number of seconds";
  const json* value = field(object, at, name, kExpected);
  if (value == nullptr) {
    return 0;
  }
  if (!value->is_number() || !(value->get<double>() >= 0) || value->get<double>() > kMost) {
    complain(at + "/" + name, describe(*value), std::string(kExpected));
    return 0;
  }
  return value->get<double>();
}

bool FieldReader::boolean(const json& object, const std::string& at, const std::string& name) {
  const json* value = field(object, at, name, "true or false");
  if (value != nullptr && !value->is_boolean()) {
    complain(at + "/" + name, describe(*value), "true or false");
    return false;
  }
  return value != nullptr && value->get<bool>();
}

std::string FieldReader::text(const json& object, const std::string& at, const std::string& name,
                              std::size_t longest) {
  const std::string expected = fmt::format("a text of at most {} bytes", longest);
  const json* value = field(object, at, name, expected);
  if (value == nullptr) {
    return {};
  }
  if (!value->is_string() || value->get_ref<const std::string&>().size() > longest) {
    complain(at + "/" + name, value->is_string() ? "a longer text" : describe(*value), expected);
    return {};
  }
  return value->get<std::string>();
}

std::string FieldReader::plain_name(const json& object, const std::string& at, const std::string& name) {
  constexpr std::size_t kLongest = 100;
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyz0123456789-_";
  constexpr std::string_view kExpected = "a name of small letters, digits and hyphens";
  const json* value = field(object, at, name, kExpected);
  if (value == nullptr) {
    return {};
  }
  if (value->is_string()) {
    const std::string& text = value->get_ref<const std::string&>();
    if (!text.empty() && text.size() <= kLongest && text.find_first_not_of(kPlain) == std::string::npos) {
      return text;
    }
  }
  complain(at + "/" + name, describe(*value), std::string(kExpected));
  return {};
}

std::uint64_t FieldReader::digest(const json& object, const std::string& at, const std::string& name) {
  constexpr std::string_view kExpected = "16 hexadecimal digits";
  const json* value = field(object, at, name, kExpected);
  if (value == nullptr) {
    return 0;
  }
  const auto digest = value->is_string() ? parse_digest(value->get_ref<const std::string&>()) : std::nullopt;
  if (!digest) {
    complain(at + "/" + name, describe(*value), std::string(kExpected));
  }
  return digest.value_or(0);
}

const json* FieldReader::list(const json& object, const std::string& at, const std::string& name,
                              std::size_t longest) {
  const json* value = field(object, at, name, "a list");
  if (value != nullptr && (!value->is_array() || value->size() > longest)) {
    complain(at + "/" + name, describe(*value), fmt::format("a list of at most {}", longest));
    return nullptr;
  }
  return value;
}

const json* FieldReader::object(const json& object, const std::string& at, const std::string& name) {
  const json* value = field(object, at, name, "an object");
  if (value != nullptr && !value->is_object()) {
    complain(at + "/" + name, describe(*value), "an object");
    return nullptr;
  }
  return value;
}

std::optional<scenarios::Scenario> FieldReader::scenario(const json& object, const std::string& at,
                                                         const std::string& name) {
  const json* value = field(object, at, name, "a scenario");
  if (value == nullptr) {
    return std::nullopt;
  }
  const std::string text = value->dump(-1, ' ', false, json::error_handler_t::replace);
  scenarios::LoadResult loaded = scenarios::load_scenario(text, file_);
  for (scenarios::Problem& problem : loaded.problems) {
    complain(at + "/" + name + problem.pointer, std::move(problem.found), std::move(problem.expected));
  }
  return std::move(loaded.scenario);
}

std::optional<std::vector<std::uint32_t>> FieldReader::choices(const json& object, const std::string& at,
                                                               const std::string& name) {
  constexpr std::string_view kExpected = "an array of integers from 0 to 4294967295, or null";
  const json* list = field(object, at, name, kExpected);
  if (list == nullptr || list->is_null()) {
    return std::nullopt;
  }
  if (!list->is_array()) {
    complain(at + "/" + name, describe(*list), std::string(kExpected));
    return std::nullopt;
  }
  std::vector<std::uint32_t> choices;
  choices.reserve(list->size());
  for (std::size_t i = 0; i < list->size() && problems_.size() < scenarios::kMaxProblems; ++i) {
    const json& choice = (*list)[i];
    if (choice.is_number_unsigned() &&
        choice.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max()) {
      choices.push_back(choice.get<std::uint32_t>());
    } else {
      complain(fmt::format("{}/{}/{}", at, name, i), describe(choice), "an integer from 0 to 4294967295");
    }
  }
  return choices;
}

}  // namespace mirrorproof::reports
