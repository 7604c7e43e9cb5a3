#include "reports/protocol_override.h"

#include <fmt/format.h>

#include <string_view>
#include <type_traits>

#include "model/protocol_presets.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::reports {
namespace {

template <class Option>
std::vector<std::string_view> names_of(const Option&) {
  if constexpr (std::is_same_v<Option, bool>) {
    return {"true", "false"};
  } else {
    std::vector<std::string_view> names;
    for (const auto& [value, name] : EnumNames<Option>::entries) {
      names.push_back(name);
    }
    return names;
  }
}

template <class Option>
bool assign(Option& option, std::string_view text) {
  if constexpr (std::is_same_v<Option, bool>) {
    option = text == "true";
    return text == "true" || text == "false";
  } else {
    const std::optional<Option> value = parse_enum<Option>(text);
    option = value.value_or(option);
    return value.has_value();
  }
}

/// Empty, or what is wrong.
std::string apply_setting(std::string_view setting, ProtocolOptions& options) {
  const std::size_t equals = setting.find('=');
  const std::string shown = scenarios::in_quotes(setting);
  if (equals == std::string_view::npos) {
    if (const auto preset = parse_enum<Preset>(setting)) {
      options = preset_options(*preset);
      return {};
    }
    return fmt::format("--protocol: found {}, expected OPTION=VALUE or a preset", shown);
  }
  const std::string_view name = setting.substr(0, equals);
  const std::string_view value = setting.substr(equals + 1);
  std::string problem;
  bool known = false;
  std::vector<std::string_view> options_there_are;
  for_each_option(options, [&](std::string_view option_name, auto& option) {
    options_there_are.push_back(option_name);
    if (option_name != name) {
      return;
    }
    known = true;
    if (!assign(option, value)) {
      problem = fmt::format("--protocol {}: found {}, expected {}", name, scenarios::in_quotes(value),
                            scenarios::one_of(names_of(option), value));
    }
  });
  if (!known) {
    problem = fmt::format("--protocol: found the option {}, expected {}", scenarios::in_quotes(name),
                          scenarios::one_of(options_there_are, name));
  }
  return problem;
}

}  // namespace

std::vector<std::string> apply(const ProtocolOverride& override, ProtocolOptions& options) {
  std::vector<std::string> problems;
  if (!override.preset.empty()) {
    if (const auto preset = parse_enum<Preset>(override.preset)) {
      options = preset_options(*preset);
    } else {
      problems.push_back(fmt::format("--preset: found {}, expected {}", scenarios::in_quotes(override.preset),
                                     scenarios::one_of(names_of(Preset{}), override.preset)));
    }
  }
  for (const std::string& setting : override.settings) {
    std::string problem = apply_setting(setting, options);
    if (!problem.empty()) {
      problems.push_back(std::move(problem));
    }
  }
  return problems;
}

nlohmann::ordered_json protocol_options_json(const ProtocolOptions& options) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for_each_option(options, [&out](std::string_view name, const auto& value) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, bool>) {
      out[std::string(name)] = value;
    } else {
      out[std::string(name)] = to_string(value);
    }
  });
  return out;
}

}  // namespace mirrorproof::reports
