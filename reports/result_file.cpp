#include "reports/result_file.h"

#include <fmt/format.h>

#include <limits>

#include "reports/failure_file.h"
#include "reports/limited_json.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::reports {
namespace {

using scenarios::Problem;
using scenarios::Verdict;

constexpr std::string_view kThisProgram = "mirrorproof " MIRRORPROOF_VERSION;

class ResultReader {
 public:
  ResultReader(const nlohmann::json& document, std::string_view file, std::vector<Problem>& problems)
      : document_(document), file_(file), problems_(problems) {}

  std::optional<ResultFile> read() {
    ResultFile result;
    if (!read_version(result)) {
      return std::nullopt;
    }
    read_scenario(result);
    read_choices(result);
    read_digest(result);
    result.key.seed = number(document_, "", "seed");
    read_seeds(result.all);
    return problems_.empty() ? std::optional(std::move(result)) : std::nullopt;
  }

 private:
  void complain(std::string pointer, std::string found, std::string expected) {
    problems_.push_back(
        {std::string(file_), 0, 0, std::move(pointer), std::move(found), std::move(expected)});
  }

  /// nullptr after complaining about a field that is missing.
  const nlohmann::json* field(const nlohmann::json& object, const std::string& at, const std::string& name,
                              std::string_view expected) {
    const auto found = object.find(name);
    if (found == object.end()) {
      complain(at + "/" + name, "nothing", std::string(expected));
      return nullptr;
    }
    return &*found;
  }

  std::uint64_t number(const nlohmann::json& object, const std::string& at, const std::string& name) {
    constexpr std::string_view kWanted = "an integer from 0 to 18446744073709551615";
    const nlohmann::json* value = field(object, at, name, kWanted);
    if (value == nullptr || value->is_number_unsigned()) {
      return value == nullptr ? 0 : value->get<std::uint64_t>();
    }
    complain(at + "/" + name, scenarios::describe(*value), std::string(kWanted));
    return 0;
  }

  /// What another version means by its fields nobody knows here: then nothing else is looked at.
  bool read_version(ResultFile& result) {
    if (!document_.is_object()) {
      complain("", scenarios::describe(document_), "an object");
      return false;
    }
    const std::string magic(kResultMagic);
    const nlohmann::json* format = field(document_, "", magic, std::to_string(kResultFormat));
    const nlohmann::json* program = field(document_, "", "program", kThisProgram);
    if (format != nullptr && *format != kResultFormat) {
      complain("/" + magic, scenarios::describe(*format),
               fmt::format("{}: the result is from another version of the program", kResultFormat));
    }
    if (program != nullptr && *program != kThisProgram) {
      complain("/program", scenarios::describe(*program),
               fmt::format("\"{}\": only the version that made a result can show it", kThisProgram));
    }
    result.program = kThisProgram;
    return problems_.empty();
  }

  void read_scenario(ResultFile& result) {
    const nlohmann::json* input = field(document_, "", "input", "a scenario");
    if (input == nullptr) {
      return;
    }
    const std::string text = input->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    scenarios::LoadResult loaded = scenarios::load_scenario(text, file_);
    for (Problem& problem : loaded.problems) {
      complain("/input" + problem.pointer, std::move(problem.found), std::move(problem.expected));
    }
    if (loaded.scenario) {
      result.scenario = std::move(*loaded.scenario);
    }
  }

  void read_choices(ResultFile& result) {
    constexpr std::string_view kWanted = "an array of integers from 0 to 4294967295, or null";
    const nlohmann::json* choices = field(document_, "", "choices", kWanted);
    if (choices == nullptr || choices->is_null()) {
      return;
    }
    if (!choices->is_array()) {
      complain("/choices", scenarios::describe(*choices), std::string(kWanted));
      return;
    }
    result.key.choices.emplace();
    for (const nlohmann::json& choice : *choices) {
      if (!choice.is_number_unsigned() ||
          choice.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max()) {
        complain("/choices", scenarios::describe(choice), std::string(kWanted));
        return;
      }
      result.key.choices->push_back(choice.get<std::uint32_t>());
    }
  }

  void read_digest(ResultFile& result) {
    constexpr std::string_view kWanted = "16 hexadecimal digits";
    const nlohmann::json* digest = field(document_, "", "digest", kWanted);
    if (digest == nullptr) {
      return;
    }
    const auto value =
        digest->is_string() ? parse_digest(digest->get_ref<const std::string&>()) : std::nullopt;
    if (value) {
      result.digest = *value;
    } else {
      complain("/digest", scenarios::describe(*digest), std::string(kWanted));
    }
  }

  void read_seeds(SeedsEvaluation& all) {
    const nlohmann::json* verdict = field(document_, "", "verdict", "a verdict");
    if (verdict != nullptr) {
      const auto known =
          verdict->is_string() ? parse_enum<Verdict>(verdict->get_ref<const std::string&>()) : std::nullopt;
      if (known) {
        all.verdict = *known;
      } else {
        complain("/verdict", scenarios::describe(*verdict), "\"holds\", \"violated\" or \"inconclusive\"");
      }
    }
    const nlohmann::json* expected = field(document_, "", "as_expected", "true or false");
    if (expected != nullptr && !expected->is_boolean()) {
      complain("/as_expected", scenarios::describe(*expected), "true or false");
    } else if (expected != nullptr) {
      all.as_expected = expected->get<bool>();
    }
    const nlohmann::json* seeds = field(document_, "", "seeds", "an object");
    if (seeds == nullptr || !seeds->is_object()) {
      if (seeds != nullptr) {
        complain("/seeds", scenarios::describe(*seeds), "an object");
      }
      return;
    }
    all.first_seed = number(*seeds, "/seeds", "first");
    all.seeds = number(*seeds, "/seeds", "count");
    all.holding = number(*seeds, "/seeds", "holds");
    all.violated = number(*seeds, "/seeds", "violated");
    all.inconclusive = number(*seeds, "/seeds", "inconclusive");
    all.as_expected_seeds = number(*seeds, "/seeds", "as_expected");
  }

  const nlohmann::json& document_;
  std::string_view file_;
  std::vector<Problem>& problems_;
};

}  // namespace

void add_result_frame(Json& out, const scenarios::Scenario& scenario, const RunKey& key) {
  out[std::string(kResultMagic)] = kResultFormat;
  out["program"] = kThisProgram;
  out["input"] = Json::parse(scenarios::to_json(scenario), nullptr, false);
  out["choices"] = key.choices ? Json(*key.choices) : Json(nullptr);
}

LoadResultFile load_result(std::string_view text, std::string_view file_name) {
  LoadResultFile loaded;
  const auto refuse = [&](std::string found, std::string expected) {
    loaded.problems.push_back({std::string(file_name), 0, 0, "", std::move(found), std::move(expected)});
  };
  if (text.size() > kMaxFailureFileBytes) {
    refuse("a larger file", fmt::format("at most {} bytes", kMaxFailureFileBytes));
    return loaded;
  }
  const LimitedJson json = parse_limited_json(text);
  if (!json.ok()) {
    refuse(json.found, json.expected);
    return loaded;
  }
  loaded.result = ResultReader(json.document, file_name, loaded.problems).read();
  return loaded;
}

std::string run_result_again(ResultFile& result) {
  result.all.shown = evaluate(result.scenario, result.key);
  return result.all.shown.digest == result.digest
             ? ""
             : fmt::format(
                   "the run has digest {}, the result says {}: the file was changed, or another build of "
                   "the program made it",
                   digest_text(result.all.shown.digest), digest_text(result.digest));
}

}  // namespace mirrorproof::reports
