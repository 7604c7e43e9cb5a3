#include "scenarios/json_print.h"

#include <nlohmann/json.hpp>

namespace mirrorproof::scenarios {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLineLength = 110;

std::string scalar(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string on_one_line(const Json& value) {
  if (!value.is_structured()) {
    return scalar(value);
  }
  std::string out;
  for (const auto& [name, member] : value.items()) {
    out += out.empty() ? "" : ", ";
    out += (value.is_object() ? scalar(Json(name)) + ": " : "") + on_one_line(member);
  }
  return value.is_object() ? "{" + out + "}" : "[" + out + "]";
}

std::string lines(const Json& value, std::size_t indent, std::size_t used) {
  std::string line = on_one_line(value);
  if (!value.is_structured() || value.empty() || (indent > 0 && used + line.size() <= kLineLength)) {
    return line;
  }
  const std::string margin(indent + 2, ' ');
  std::string out;
  for (const auto& [name, member] : value.items()) {
    const std::string label = value.is_object() ? scalar(Json(name)) + ": " : "";
    out += out.empty() ? "" : ",\n";
    out += margin + label + lines(member, indent + 2, margin.size() + label.size() + 1);
  }
  const std::string close(indent, ' ');
  return value.is_object() ? "{\n" + out + "\n" + close + "}" : "[\n" + out + "\n" + close + "]";
}

}  // namespace

std::string print_json(const nlohmann::ordered_json& value) {
  return lines(value, 0, 0) + "\n";
}

}  // namespace mirrorproof::scenarios
