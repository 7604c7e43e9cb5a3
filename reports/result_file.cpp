#include "reports/result_file.h"

#include <fmt/format.h>

#include "reports/failure_file.h"
#include "reports/field_reader.h"
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
      : document_(document), reader_(file, problems), problems_(problems) {}

  std::optional<ResultFile> read() {
    ResultFile result;
    if (!read_version(result)) {
      return std::nullopt;
    }
    if (auto scenario = reader_.scenario(document_, "", "input")) {
      result.scenario = std::move(*scenario);
    }
    result.key.choices = reader_.choices(document_, "", "choices");
    result.digest = reader_.digest(document_, "", "digest");
    result.key.seed = reader_.number(document_, "", "seed");
    read_seeds(result.all);
    return problems_.empty() ? std::optional(std::move(result)) : std::nullopt;
  }

 private:
  /// What another version means by its fields nobody knows here: then nothing else is looked at.
  bool read_version(ResultFile& result) {
    if (!document_.is_object()) {
      reader_.complain("", scenarios::describe(document_), "an object");
      return false;
    }
    const std::string magic(kResultMagic);
    const nlohmann::json* format = reader_.field(document_, "", magic, std::to_string(kResultFormat));
    const nlohmann::json* program = reader_.field(document_, "", "program", kThisProgram);
    if (format != nullptr && *format != kResultFormat) {
      reader_.complain("/" + magic, scenarios::describe(*format),
                       fmt::format("{}: the result is from another version of the program", kResultFormat));
    }
    if (program != nullptr && *program != kThisProgram) {
      reader_.complain("/program", scenarios::describe(*program),
                       fmt::format("\"{}\": only the version that made a result can show it", kThisProgram));
    }
    result.program = kThisProgram;
    return problems_.empty();
  }

  void read_seeds(SeedsEvaluation& all) {
    const nlohmann::json* verdict = reader_.field(document_, "", "verdict", "a verdict");
    if (verdict != nullptr) {
      const auto known =
          verdict->is_string() ? parse_enum<Verdict>(verdict->get_ref<const std::string&>()) : std::nullopt;
      if (known) {
        all.verdict = *known;
      } else {
        reader_.complain("/verdict", scenarios::describe(*verdict),
                         "\"holds\", \"violated\" or \"inconclusive\"");
      }
    }
    all.as_expected = reader_.boolean(document_, "", "as_expected");
    const nlohmann::json* seeds = reader_.object(document_, "", "seeds");
    if (seeds == nullptr) {
      return;
    }
    all.first_seed = reader_.number(*seeds, "/seeds", "first");
    all.seeds = reader_.number(*seeds, "/seeds", "count");
    all.holding = reader_.number(*seeds, "/seeds", "holds");
    all.violated = reader_.number(*seeds, "/seeds", "violated");
    all.inconclusive = reader_.number(*seeds, "/seeds", "inconclusive");
    all.as_expected_seeds = reader_.number(*seeds, "/seeds", "as_expected");
  }

  const nlohmann::json& document_;
  FieldReader reader_;
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
