#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "scenarios/schema_check.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::scenarios {
namespace {

using Value = nlohmann::json;

constexpr std::string_view kDefinitions = "#/definitions/";

std::string_view type_name(const Value& value) {
  switch (value.type()) {
    case Value::value_t::object:
      return "object";
    case Value::value_t::array:
      return "array";
    case Value::value_t::string:
      return "string";
    case Value::value_t::boolean:
      return "boolean";
    case Value::value_t::number_integer:
    case Value::value_t::number_unsigned:
      return "integer";
    case Value::value_t::number_float:
      return "number";
    default:
      return "null";
  }
}

std::string with_article(std::string_view type) {
  if (type == "boolean") {
    return "true or false";
  }
  return fmt::format("{} {}", type == "integer" || type == "array" || type == "object" ? "an" : "a", type);
}

/// Characters, as JSON Schema counts the length of a string.
std::size_t character_count(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

class Explainer {
 public:
  Explainer(const Value& root, Problems& problems) : root_(root), problems_(problems) {}

  void explain(const Value& schema, const Value& value, const std::string& pointer) {
    const Value& rules = resolved(schema);
    const Value* outer_fields = fields_;
    if (rules.contains("properties")) {
      fields_ = &rules["properties"];
    }
    explain_resolved(rules, value, pointer);
    fields_ = outer_fields;
  }

 private:
  void explain_resolved(const Value& rules, const Value& value, const std::string& pointer) {
    if (!has_allowed_type(rules, value)) {
      problems_.add(pointer, describe(value), expected_value(rules));
      return;
    }
    explain_enum(rules, value, pointer);
    explain_size(rules, value, pointer);
    if (value.is_object()) {
      explain_object(rules, value, pointer);
    }
    if (value.is_array() && rules.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        explain(rules["items"], value[i], child_pointer(pointer, i));
      }
    }
    if (rules.contains("allOf")) {
      for (const Value& part : rules["allOf"]) {
        explain(part, value, pointer);
      }
    }
    if (rules.contains("if") && rules.contains("then") && satisfies(rules["if"], value)) {
      explain(rules["then"], value, pointer);
    }
  }

  const Value& resolved(const Value& schema) const {
    const Value* rules = &schema;
    while (rules->contains("$ref")) {
      const auto& reference = (*rules)["$ref"].get_ref<const std::string&>();
      rules = &root_.at("definitions").at(reference.substr(kDefinitions.size()));
    }
    return *rules;
  }

  bool satisfies(const Value& schema, const Value& value) const {
    Problems found;
    Explainer(root_, found).explain(schema, value, "");
    return found.empty();
  }

  static bool has_allowed_type(const Value& rules, const Value& value) {
    if (!rules.contains("type")) {
      return true;
    }
    const Value& type = rules["type"];
    const std::string_view actual = type_name(value);
    return type.is_array()
               ? std::any_of(type.begin(), type.end(), [&](const Value& t) { return t == actual; })
               : type == actual;
  }

  static std::string range(const Value& rules) {
    if (rules.contains("minimum") && rules.contains("maximum")) {
      return fmt::format(" from {} to {}", rules["minimum"].dump(), rules["maximum"].dump());
    }
    return "";
  }

  /// "an integer from 1 to 16 or an array".
  static std::string expected_value(const Value& rules) {
    if (!rules.contains("type")) {
      return rules.contains("enum") ? one_of(names(rules["enum"]), "") : "something else";
    }
    const Value types = rules["type"].is_array() ? rules["type"] : Value::array({rules["type"]});
    std::string out;
    for (const Value& type : types) {
      const auto& name = type.get_ref<const std::string&>();
      out += (out.empty() ? "" : " or ") + with_article(name) + (name == "integer" ? range(rules) : "");
    }
    return out;
  }

  /// What a field that is missing should have been.
  std::string expected_field(const std::string& name) const {
    if (fields_ == nullptr || !fields_->contains(name)) {
      return "one";
    }
    const Value& rules = resolved((*fields_)[name]);
    return rules.contains("enum") ? one_of(names(rules["enum"]), "") : "one, " + expected_value(rules);
  }

  static std::vector<std::string_view> names(const Value& strings) {
    std::vector<std::string_view> out;
    for (const Value& name : strings) {
      out.emplace_back(name.get_ref<const std::string&>());
    }
    return out;
  }

  void explain_enum(const Value& rules, const Value& value, const std::string& pointer) {
    if (!rules.contains("enum")) {
      return;
    }
    const Value& allowed = rules["enum"];
    if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
      const std::string text = value.is_string() ? value.get<std::string>() : "";
      const std::string expected = one_of(names(allowed), text);
      const bool lacks_quotes =
          std::find(allowed.begin(), allowed.end(), Value(value.dump())) != allowed.end();
      problems_.add(
          pointer, describe(value),
          lacks_quotes ? fmt::format("{} (write {})", expected, in_quotes(value.dump())) : expected);
    }
  }

  /// One of the pairs minimum/maximum, minLength/maxLength, minItems/maxItems.
  void explain_limits(const Value& rules, const char* low, const char* high, double size,
                      std::string_view unit, const std::string& pointer, const std::string& found) {
    const bool too_small = rules.contains(low) && size < rules[low].get<double>();
    const bool too_large = rules.contains(high) && size > rules[high].get<double>();
    if (too_small || too_large) {
      std::string expected =
          rules.contains(low) && rules.contains(high)
              ? fmt::format("{} to {}", rules[low].dump(), rules[high].dump())
              : fmt::format("at {} {}", too_small ? "least" : "most", rules[too_small ? low : high].dump());
      if (rules.contains(low) && rules.contains(high) && rules[low] == rules[high]) {
        expected = rules[low].dump();
      }
      problems_.add(pointer, found, fmt::format("{}{}", expected, unit));
    }
  }

  void explain_size(const Value& rules, const Value& value, const std::string& pointer) {
    if (value.is_number()) {
      explain_limits(rules, "minimum", "maximum", value.get<double>(), "", pointer, describe(value));
    } else if (value.is_string()) {
      const std::size_t count = character_count(value.get_ref<const std::string&>());
      explain_limits(rules, "minLength", "maxLength", static_cast<double>(count), " characters", pointer,
                     count == 0 ? "an empty string" : fmt::format("a string of {} characters", count));
    } else if (value.is_array()) {
      explain_limits(rules, "minItems", "maxItems", static_cast<double>(value.size()), " items", pointer,
                     describe(value));
    }
  }

  void explain_object(const Value& rules, const Value& value, const std::string& pointer) {
    static const Value kNothing = Value::object();
    const Value& properties = rules.contains("properties") ? rules["properties"] : kNothing;
    if (rules.contains("required")) {
      for (const Value& name : rules["required"]) {
        const auto& text = name.get_ref<const std::string&>();
        if (!value.contains(text)) {
          problems_.add(pointer, "no field " + in_quotes(text), expected_field(text));
        }
      }
    }
    for (const auto& [name, member] : value.items()) {
      const std::string place = child_pointer(pointer, name);
      if (rules.contains("propertyNames")) {
        const std::vector<std::string_view> allowed = names(resolved(rules["propertyNames"])["enum"]);
        if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) {
          problems_.add_at_name(place, "an unknown field " + in_quotes(name), one_of(allowed, name));
          continue;
        }
      }
      if (properties.contains(name)) {
        explain(properties[name], member, place);
      } else if (rules.contains("additionalProperties")) {
        const Value& rest = rules["additionalProperties"];
        if (rest == false) {
          problems_.add_at_name(place, "an unknown field " + in_quotes(name),
                                one_of(field_names(properties), name));
        } else {
          explain(rest, member, place);
        }
      }
    }
  }

  static std::vector<std::string_view> field_names(const Value& properties) {
    std::vector<std::string_view> out;
    for (const auto& [name, rules] : properties.items()) {
      out.emplace_back(name);
    }
    return out;
  }

  const Value& root_;
  Problems& problems_;
  /// Fields of the object that is looked at: conditions demand fields that they do not describe.
  const Value* fields_ = nullptr;
};

}  // namespace

void explain_violations(const Value& schema, const Value& document, Problems& problems) {
  Explainer(schema, problems).explain(schema, document, "");
}

}  // namespace mirrorproof::scenarios
