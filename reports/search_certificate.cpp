#include "reports/search_certificate.h"

#include <fmt/format.h>

#include <algorithm>

#include "explore/moves.h"
#include "explore/state_codec.h"
#include "model/protocol_options.h"
#include "reports/limited_json.h"
#include "reports/protocol_override.h"

namespace mirrorproof::reports {
namespace {

constexpr int kFormat = 1;

/// "a number 3", short enough for a message.
std::string found_text(const nlohmann::json& value) {
  const std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.size() <= 60 ? text : fmt::format("{} {}...", value.type_name(), text.substr(0, 40));
}

enum class FieldType : std::uint8_t { count, number, text, flag, object, list };

struct Field {
  std::string_view name;
  FieldType type;
  bool may_be_absent = false;
};

constexpr Field kFields[] = {
    {"mirrorproof_certificate", FieldType::count},
    {"program_version", FieldType::text},
    {"scenario_name", FieldType::text},
    {"scenario_digest", FieldType::text},
    {"protocol", FieldType::object},
    {"bounds", FieldType::object},
    {"left_out", FieldType::list},
    // Programs that knew no reductions wrote certificates without this.
    {"reductions", FieldType::object, true},
    {"states", FieldType::count},
    {"transitions", FieldType::count},
    {"depth", FieldType::count},
    {"depth_bound_met", FieldType::flag},
    {"collision_probability", FieldType::number},
    {"scenario", FieldType::object},
};

bool has_type(const nlohmann::json& value, FieldType type) {
  switch (type) {
    case FieldType::count:
      return value.is_number_unsigned();
    case FieldType::number:
      return value.is_number();
    case FieldType::text:
      return value.is_string();
    case FieldType::flag:
      return value.is_boolean();
    case FieldType::object:
      return value.is_object();
    case FieldType::list:
      return value.is_array();
  }
  return false;
}

std::string_view type_text(FieldType type) {
  switch (type) {
    case FieldType::count:
      return "a whole number of 0 or more";
    case FieldType::number:
      return "a number";
    case FieldType::text:
      return "a text";
    case FieldType::flag:
      return "true or false";
    case FieldType::object:
      return "an object";
    case FieldType::list:
      return "a list";
  }
  return "";
}

nlohmann::json parsed_again(const Json& value) {
  return nlohmann::json::parse(value.dump());
}

/// An option that a certificate is too old to know has the value that the proposal gives it.
nlohmann::json with_newer_options(nlohmann::json protocol) {
  const nlohmann::json proposed = parsed_again(protocol_options_json(ProtocolOptions{}));
  for (const auto& [option, value] : proposed.items()) {
    if (!protocol.contains(option)) {
      protocol[option] = value;
    }
  }
  return protocol;
}

}  // namespace

std::string scenario_digest(const scenarios::Scenario& scenario) {
  const std::string text = scenarios::to_json(scenario);
  return digest_text(explore::fingerprint(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

Json search_certificate_json(const scenarios::Scenario& scenario, const explore::ExploreResult& result) {
  Json out;
  out["mirrorproof_certificate"] = kFormat;
  out["program_version"] = MIRRORPROOF_VERSION;
  out["scenario_name"] = scenario.setup.name;
  out["scenario_digest"] = scenario_digest(scenario);
  out["protocol"] = protocol_options_json(scenario.setup.protocol);
  out["bounds"] = bounds_json(scenario.bounds);
  out["left_out"] = Json::array();
  for (const std::string_view rule : explore::left_out_by(scenario.bounds.granularity)) {
    out["left_out"].push_back(rule);
  }
  out["reductions"] = reductions_json(result.reductions);
  out["states"] = result.states;
  out["transitions"] = result.transitions;
  out["depth"] = result.depth;
  out["depth_bound_met"] = result.depth_bound_met;
  out["collision_probability"] = collision_probability(result.states);
  out["scenario"] = Json::parse(scenarios::to_json(scenario));
  return out;
}

LoadedSearchCertificate load_search_certificate(const std::string& path) {
  LoadedSearchCertificate out;
  const auto problem = [&](std::string pointer, std::string found, std::string expected) {
    out.problems.push_back({path, 0, 0, std::move(pointer), std::move(found), std::move(expected)});
  };
  const std::optional<std::string> text = read_beginning(path, kMaxSearchCertificateBytes + 1);
  if (!text) {
    problem("", "no file that can be read", "a certificate written by mirrorproof explore");
    return out;
  }
  if (text->size() > kMaxSearchCertificateBytes) {
    problem("", fmt::format("more than {} bytes", kMaxSearchCertificateBytes), "a certificate");
    return out;
  }
  LimitedJson parsed = parse_limited_json(*text);
  if (!parsed.ok()) {
    problem("", parsed.found, parsed.expected);
    return out;
  }
  out.document = std::move(parsed.document);
  if (!out.document.is_object()) {
    problem("", found_text(out.document), "an object");
    return out;
  }
  for (const Field& field : kFields) {
    const auto found = out.document.find(field.name);
    if (found == out.document.end()) {
      if (field.may_be_absent) {
        continue;
      }
      problem("/" + std::string(field.name), "nothing", std::string(type_text(field.type)));
    } else if (!has_type(*found, field.type)) {
      problem("/" + std::string(field.name), found_text(*found), std::string(type_text(field.type)));
    }
  }
  if (!out.problems.empty()) {
    return out;
  }
  if (out.document["mirrorproof_certificate"] != kFormat) {
    problem("/mirrorproof_certificate", found_text(out.document["mirrorproof_certificate"]),
            fmt::format("{}, the format this program knows", kFormat));
    return out;
  }
  if (const auto found = out.document.find("reductions"); found != out.document.end()) {
    const auto read = [&](const char* name, bool& value) {
      const auto field = found->find(name);
      if (field == found->end()) {
        value = false;
      } else if (!field->is_boolean()) {
        problem(std::string("/reductions/") + name, found_text(*field), "true or false");
      } else {
        value = field->get<bool>();
      }
    };
    read("symmetry", out.reductions.symmetry);
    read("partial_order", out.reductions.partial_order);
    if (!out.problems.empty()) {
      return out;
    }
  }
  scenarios::LoadResult loaded = scenarios::load_scenario(
      out.document["scenario"].dump(-1, ' ', true, nlohmann::json::error_handler_t::replace), path);
  for (scenarios::Problem& inside : loaded.problems) {
    inside.pointer = "/scenario" + inside.pointer;
    inside.line = 0;
    inside.column = 0;
    out.problems.push_back(std::move(inside));
  }
  out.scenario = std::move(loaded.scenario);
  if (!out.scenario) {
    return out;
  }
  // A preset may have got options since, which the search did without: known before hours of searching, not
  // after.
  const nlohmann::json now = parsed_again(protocol_options_json(out.scenario->setup.protocol));
  const nlohmann::json then = with_newer_options(out.document["protocol"]);
  for (const auto& [option, value] : now.items()) {
    if (then.at(option) != value) {
      const bool named = out.document["protocol"].contains(option);
      problem("/protocol/" + option, named ? found_text(then.at(option)) : "nothing",
              fmt::format("{}, which the scenario's protocol is in this program: it proves another one; "
                          "search the scenario without --verify",
                          found_text(value)));
    }
  }
  return out;
}

std::vector<std::string> search_certificate_differences(const nlohmann::json& found, const Json& again) {
  std::vector<std::string> out;
  for (const Field& field : kFields) {
    const std::string name(field.name);
    if (name == "program_version" || name == "scenario") {
      continue;
    }
    const nlohmann::json expected = parsed_again(again.at(name));
    if (field.may_be_absent && !found.contains(name)) {
      continue;
    }
    const nlohmann::json said = name == "protocol" ? with_newer_options(found.at(name)) : found.at(name);
    if (said != expected) {
      out.push_back(fmt::format("/{}: the certificate says {}, this search {}", name,
                                found_text(found.at(name)), found_text(expected)));
    }
  }
  return out;
}

}  // namespace mirrorproof::reports
