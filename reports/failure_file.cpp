#include "reports/failure_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

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
      : document_(document), file_(file), problems_(problems) {}

  std::optional<FailureFile> read() {
    if (!document_.is_object()) {
      complain("", scenarios::describe(document_), "an object");
      return std::nullopt;
    }
    for (const auto& [name, value] : document_.items()) {
      static constexpr std::array<std::string_view, 7> kFields{kFailureMagic, "scenario", "seed",  "choices",
                                                               "violations",  "digest",   "replay"};
      if (std::find(kFields.begin(), kFields.end(), name) == kFields.end()) {
        complain("/" + name, "an unknown field", "a failure file as mirrorproof fuzz writes it");
      }
    }
    FailureFile failure;
    read_version();
    read_scenario(failure);
    read_seed(failure);
    read_choices(failure);
    read_digest(failure);
    read_violations(failure);
    return problems_.empty() ? std::optional(std::move(failure)) : std::nullopt;
  }

 private:
  void complain(std::string pointer, std::string found, std::string expected) {
    problems_.push_back(
        {std::string(file_), 0, 0, std::move(pointer), std::move(found), std::move(expected)});
  }

  /// nullptr after complaining about a field that is missing.
  const nlohmann::json* field(const char* name, std::string_view expected) {
    const auto found = document_.find(name);
    if (found == document_.end()) {
      complain(fmt::format("/{}", name), "nothing", std::string(expected));
      return nullptr;
    }
    return &*found;
  }

  void read_version() {
    const nlohmann::json* version = field(kFailureMagic.data(), "1");
    if (version != nullptr && *version != 1) {
      complain(fmt::format("/{}", kFailureMagic), scenarios::describe(*version), "1");
    }
  }

  void read_scenario(FailureFile& failure) {
    const nlohmann::json* scenario = field("scenario", "a scenario");
    if (scenario == nullptr) {
      return;
    }
    const std::string text = scenario->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    scenarios::LoadResult loaded = scenarios::load_scenario(text, file_);
    for (Problem& problem : loaded.problems) {
      complain("/scenario" + problem.pointer, std::move(problem.found), std::move(problem.expected));
    }
    if (loaded.scenario) {
      failure.scenario = std::move(*loaded.scenario);
    }
  }

  void read_seed(FailureFile& failure) {
    constexpr std::string_view kExpected = "an integer from 0 to 18446744073709551615";
    if (const nlohmann::json* seed = field("seed", kExpected)) {
      if (seed->is_number_unsigned()) {
        failure.key.seed = seed->get<std::uint64_t>();
      } else {
        complain("/seed", scenarios::describe(*seed), std::string(kExpected));
      }
    }
  }

  void read_choices(FailureFile& failure) {
    constexpr std::string_view kExpected = "an array of integers from 0 to 4294967295, or null";
    const nlohmann::json* choices = field("choices", kExpected);
    if (choices == nullptr || choices->is_null()) {
      return;
    }
    if (!choices->is_array()) {
      complain("/choices", scenarios::describe(*choices), std::string(kExpected));
      return;
    }
    failure.key.choices.emplace();
    for (std::size_t i = 0; i < choices->size(); ++i) {
      const nlohmann::json& choice = (*choices)[i];
      if (!choice.is_number_unsigned() ||
          choice.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max()) {
        complain(fmt::format("/choices/{}", i), scenarios::describe(choice),
                 "an integer from 0 to 4294967295");
        if (problems_.size() >= scenarios::kMaxProblems) {
          return;
        }
        continue;
      }
      failure.key.choices->push_back(choice.get<std::uint32_t>());
    }
  }

  void read_digest(FailureFile& failure) {
    constexpr std::string_view kExpected = "16 hexadecimal digits";
    if (const nlohmann::json* digest = field("digest", kExpected)) {
      const auto value =
          digest->is_string() ? parse_digest(digest->get_ref<const std::string&>()) : std::nullopt;
      if (value) {
        failure.digest = *value;
      } else {
        complain("/digest", scenarios::describe(*digest), std::string(kExpected));
      }
    }
  }

  /// Files without them were written by hand; they are replayed all the same.
  void read_violations(FailureFile& failure) {
    const auto list = document_.find("violations");
    if (list == document_.end()) {
      return;
    }
    if (!list->is_array()) {
      complain("/violations", scenarios::describe(*list), "an array of violations");
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
        complain(fmt::format("/violations/{}", i), scenarios::describe(entry),
                 "the name of an invariant and a kind of violation");
        return;
      }
      failure.recorded.push_back({*invariant, text("kind")});
    }
  }

  const nlohmann::json& document_;
  std::string_view file_;
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
