#include "reports/field_reader.h"

#include <fmt/format.h>

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

}  // namespace mirrorproof::reports
