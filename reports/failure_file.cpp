#include "reports/failure_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "reports/field_reader.h"
#include "reports/judgement_report.h"
#include "reports/limited_json.h"
#include "scenarios/json_print.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::reports {
namespace {

using OrderedJson = nlohmann::ordered_json;
using scenarios::Problem;

constexpr std::string_view kFailureMagic = "mirrorproof_failure";

class FailureReader {
 public:
  FailureReader(const nlohmann::json& document, std::string_view file, std::vector<Problem>& problems)
      : document_(document), reader_(file, problems), problems_(problems) {}

  std::optional<FailureFile> read() {
    if (!document_.is_object()) {
      reader_.complain("", scenarios::describe(document_), "an object");
      return std::nullopt;
    }
    for (const auto& [name, value] : document_.items()) {
      static constexpr std::array<std::string_view, 7> kFields{kFailureMagic, "scenario", "seed",  "choices",
                                                               "violations",  "digest",   "replay"};
      if (std::find(kFields.begin(), kFields.end(), name) == kFields.end()) {
        reader_.complain("/" + name, "an unknown field", "a failure file as mirrorproof fuzz writes it");
      }
    }
    FailureFile failure;
    read_version();
    if (auto scenario = reader_.scenario(document_, "", "scenario")) {
      failure.scenario = std::move(*scenario);
    }
    failure.key.seed = reader_.number(document_, "", "seed");
    failure.key.choices = reader_.choices(document_, "", "choices");
    failure.digest = reader_.digest(document_, "", "digest");
    read_violations(failure);
    return problems_.empty() ? std::optional(std::move(failure)) : std::nullopt;
  }

 private:
  void read_version() {
    const std::string magic(kFailureMagic);
    const nlohmann::json* version = reader_.field(document_, "", magic, "1");
    if (version != nullptr && *version != 1) {
      reader_.complain("/" + magic, scenarios::describe(*version), "1");
    }
  }

  /// Files without them were written by hand; they are replayed all the same.
  void read_violations(FailureFile& failure) {
    const auto list = document_.find("violations");
    if (list == document_.end()) {
      return;
    }
    if (!list->is_array()) {
      reader_.complain("/violations", scenarios::describe(*list), "an array of violations");
      return;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      const nlohmann::json& entry = (*list)[i];
      const auto text = [&](const char* name) {
        const bool there = entry.is_object() && entry.contains(name) && entry[name].is_string();
        return there ? entry[name].get<std::string>() : std::string();
      };
      const auto invariant = parse_enum<checker::Invariant>(text("invariant"));
      if (!invariant || text("kind").empty()) {
        reader_.complain(fmt::format("/violations/{}", i), scenarios::describe(entry),
                         "the name of an invariant and a kind of violation");
        return;
      }
      failure.recorded.push_back({*invariant, text("kind")});
    }
  }

  const nlohmann::json& document_;
  FieldReader reader_;
  std::vector<Problem>& problems_;
};

LoadFailureResult refused(std::string_view file, std::string found, std::string expected) {
  LoadFailureResult result;
  result.problems.push_back({std::string(file), 0, 0, "", std::move(found), std::move(expected)});
  return result;
}

}  // namespace

std::string failure_to_json(const scenarios::Scenario& scenario, const Evaluation& evaluation,
                            std::string_view replay) {
  OrderedJson violations = OrderedJson::array();
  for (const checker::Violation& violation : evaluation.judgement.violations) {
    violations.push_back({{"invariant", to_string(violation.invariant)},
                          {"kind", violation.kind},
                          {"message", violation.message},
                          {"event", violation.event}});
  }
  OrderedJson document;
  document[std::string(kFailureMagic)] = 1;
  document["replay"] = replay;
  document["seed"] = evaluation.seed;
  document["digest"] = digest_text(evaluation.digest);
  document["violations"] = std::move(violations);
  document["scenario"] = OrderedJson::parse(scenarios::to_json(scenario), nullptr, false);
  std::string text = scenarios::print_json(document);
  // Thousands of numbers on one line, not one on each of thousands.
  text.erase(text.find_last_of('}'));
  text.erase(text.find_last_not_of(" \n") + 1);
  text += ",\n  \"choices\": ";
  text += evaluation.choices.size() > kMaxStoredChoices ? "null" : OrderedJson(evaluation.choices).dump();
  return text + "\n}\n";
}

bool is_failure_text(std::string_view beginning) {
  return starts_with_field(beginning, kFailureMagic);
}

LoadFailureResult load_failure(std::string_view text, std::string_view file_name) {
  if (text.size() > kMaxFailureFileBytes) {
    return refused(file_name, "a larger file", fmt::format("at most {} bytes", kMaxFailureFileBytes));
  }
  const LimitedJson json = parse_limited_json(text);
  if (!json.ok()) {
    return refused(file_name, json.found, json.expected);
  }
  LoadFailureResult result;
  result.failure = FailureReader(json.document, file_name, result.problems).read();
  return result;
}

LoadFailureResult load_failure_file(const std::string& path) {
  const std::optional<std::string> text = read_beginning(path, kMaxFailureFileBytes + 1);
  return text ? load_failure(*text, path) : refused(path, "a file that cannot be read", "a failure file");
}

RunInput load_run_input(const std::string& path) {
  constexpr std::size_t kEnoughToTell = 512;
  RunInput input;
  const std::optional<std::string> beginning = read_beginning(path, kEnoughToTell);
  if (beginning && is_failure_text(*beginning)) {
    LoadFailureResult loaded = load_failure_file(path);
    input.problems = std::move(loaded.problems);
    if (loaded.failure) {
      input.scenario = loaded.failure->scenario;
      input.failure = std::move(loaded.failure);
    }
    return input;
  }
  scenarios::LoadResult loaded = scenarios::load_scenario_file(path);
  input.scenario = std::move(loaded.scenario);
  input.problems = std::move(loaded.problems);
  return input;
}

}  // namespace mirrorproof::reports
