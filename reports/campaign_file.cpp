#include "reports/campaign_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "reports/campaign_report.h"
#include "reports/failure_file.h"
#include "reports/field_reader.h"
#include "reports/judgement_report.h"
#include "reports/limited_json.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::reports {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestCampaignText = 100'000;
constexpr std::size_t kLongestPointName = 100;
constexpr std::size_t kMostGroups = 10'000;
constexpr std::size_t kMostEarly = 4'000'000;

Json failure_json(const FailureShape& shape, const FailureGroup& group) {
  return {{"invariant", to_string(shape.first)},
          {"kind", shape.second},
          {"seeds", group.seeds},
          {"first_seed", group.first_seed},
          {"message", group.message},
          {"saved", !group.replay.empty()},
          {"kept_seeds", group.kept_seeds},
          {"shrunk_steps", group.shrunk_file.empty() ? Json(nullptr) : Json(group.shrunk_steps)}};
}

class CampaignReader {
 public:
  CampaignReader(const json& document, const std::string& file, const std::string& folder,
                 std::vector<scenarios::Problem>& problems)
      : document_(document), folder_(folder), reader_(file, problems), problems_(problems) {}

  std::optional<CampaignFile> read() {
    const std::string magic(kCampaignMagic);
    const json* format = reader_.field(document_, "", magic, std::to_string(kCampaignFormat));
    if (format == nullptr) {
      return std::nullopt;
    }
    if (*format != kCampaignFormat) {
      reader_.complain("/" + magic, scenarios::describe(*format),
                       fmt::format("{}: the file is from another version of the program", kCampaignFormat));
      return std::nullopt;
    }
    read_plan();
    read_done();
    read_counts();
    read_failures();
    read_known();
    read_reached();
    campaign_.seconds = reader_.seconds(document_, "", "seconds");
    campaign_.finished = reader_.boolean(document_, "", "finished");
    return problems_.empty() ? std::optional(std::move(campaign_)) : std::nullopt;
  }

 private:
  CampaignResult& result() { return campaign_.state.result; }

  void read_plan() {
    const json* plan = reader_.object(document_, "", "plan");
    if (plan == nullptr) {
      return;
    }
    campaign_.plan = *plan;
    reader_.text(*plan, "/plan", "program", kLongestCampaignText);
    reader_.text(*plan, "/plan", "campaign", kLongestCampaignText);
    campaign_.first_seed = reader_.number(*plan, "/plan", "first_seed");
    campaign_.shard.count = reader_.number(*plan, "/plan", "shards", 1, kMostShards);
    campaign_.shard.index = reader_.number(*plan, "/plan", "shard", 1, campaign_.shard.count) - 1;
  }

  void read_done() {
    const json* done = reader_.object(document_, "", "done");
    if (done == nullptr) {
      return;
    }
    constexpr std::uint64_t kMostSeeds = std::uint64_t{1} << 62;
    result().digest_seeds = reader_.number(*done, "/done", "in_order", 0, kMostSeeds);
    result().digest = reader_.digest(*done, "/done", "digest");
    if (const json* early = reader_.list(*done, "/done", "beyond", kMostEarly)) {
      std::uint64_t least = result().digest_seeds + 1;
      for (std::size_t i = 0; i < early->size() && problems_.empty(); ++i) {
        const std::string at = fmt::format("/done/beyond/{}", i);
        const std::uint64_t index = reader_.number((*early)[i], at, "index", least, kMostSeeds);
        campaign_.state.early_digests.emplace(index, reader_.digest((*early)[i], at, "digest"));
        least = index + 1;
      }
    }
    const json* first = reader_.field(*done, "/done", "first_trace", "a digest, or null");
    if (first != nullptr && !first->is_null()) {
      campaign_.state.first_trace = reader_.digest(*done, "/done", "first_trace");
    }
    if (campaign_.state.done(0) != campaign_.state.first_trace.has_value() && problems_.empty()) {
      reader_.complain("/done/first_trace", scenarios::describe(*first),
                       campaign_.state.done(0) ? "the digest of the first seed's trace" : "null");
    }
    result().counts.seeds = result().digest_seeds + campaign_.state.early_digests.size();
  }

  void read_excused(const json& counts) {
    const json* excused = reader_.object(counts, "/counts", "excused_mirror_truncations");
    for (const auto& [excuse, name] : EnumNames<checker::TruncationExcuse>::entries) {
      if (excused != nullptr && excused->contains(name)) {
        result().excused_truncations[excuse] =
            reader_.number(*excused, "/counts/excused_mirror_truncations", std::string(name), 1,
                           result().truncations - result().justified_truncations);
      }
    }
  }

  void read_counts() {
    const json* counts = reader_.object(document_, "", "counts");
    if (counts == nullptr) {
      return;
    }
    const auto number = [&](const char* name, std::uint64_t high = UINT64_MAX) {
      return reader_.number(*counts, "/counts", name, 0, high);
    };
    const std::uint64_t seeds = result().counts.seeds;
    result().counts.actions = number("actions");
    result().counts.events = number("events");
    result().counts.failing_seeds = number("failing_seeds", seeds);
    result().consequences = number("consequences");
    result().inconclusive = number("inconclusive", seeds);
    result().truncations = number("mirror_truncations");
    result().justified_truncations = number("justified_mirror_truncations", result().truncations);
    read_excused(*counts);
    result().unclean_elections = number("unclean_elections");
    const json* problem = reader_.field(document_, "", "problem", "an object, or null");
    if (problem != nullptr && !problem->is_null()) {
      campaign_.state.first_inconclusive = reader_.number(*problem, "/problem", "index");
      result().first_problem = reader_.text(*problem, "/problem", "text", kLongestCampaignText);
    }
    if ((result().inconclusive > 0) != campaign_.state.first_inconclusive.has_value() && problems_.empty()) {
      reader_.complain(
          "/problem", scenarios::describe(*problem),
          result().inconclusive > 0 ? "the problem of the first seed that could not be carried out" : "null");
    }
  }

  /// A seed that this campaign has run.
  void check_seed(std::uint64_t seed, const std::string& pointer) {
    const auto index = campaign_.index_of(seed);
    if ((!index || !campaign_.state.done(*index)) && problems_.empty()) {
      reader_.complain(pointer, std::to_string(seed), "a seed that this campaign has run");
    }
  }

  void read_failures() {
    const json* failures = reader_.list(document_, "", "failures", kMostGroups);
    for (std::size_t i = 0; failures != nullptr && i < failures->size() && problems_.empty(); ++i) {
      read_failure((*failures)[i], fmt::format("/failures/{}", i));
    }
    if (problems_.empty() && result().failures.empty() != (result().counts.failing_seeds == 0)) {
      reader_.complain("/failures", fmt::format("a list of {}", result().failures.size()),
                       fmt::format("the failures of {} failing seeds", result().counts.failing_seeds));
    }
  }

  void read_failure(const json& entry, const std::string& at) {
    const std::string name = reader_.plain_name(entry, at, "invariant");
    const auto invariant = parse_enum<checker::Invariant>(name);
    const std::string kind = reader_.plain_name(entry, at, "kind");
    if (!invariant && !name.empty()) {
      reader_.complain(at + "/invariant", scenarios::in_quotes(name), "the name of an invariant");
    }
    FailureGroup group;
    group.seeds = reader_.number(entry, at, "seeds", 1, result().counts.failing_seeds);
    group.first_seed = reader_.number(entry, at, "first_seed");
    group.message = reader_.text(entry, at, "message", kLongestCampaignText);
    const bool saved = reader_.boolean(entry, at, "saved");
    if (const json* kept = reader_.list(entry, at, "kept_seeds", kMaxFailureFiles)) {
      for (std::size_t i = 0; i < kept->size(); ++i) {
        const std::string pointer = fmt::format("{}/kept_seeds/{}", at, i);
        if (!(*kept)[i].is_number_unsigned() ||
            (i > 0 && (*kept)[i].get<std::uint64_t>() <= group.kept_seeds.back())) {
          reader_.complain(pointer, scenarios::describe((*kept)[i]), "a seed larger than the one before");
          break;
        }
        group.kept_seeds.push_back((*kept)[i].get<std::uint64_t>());
        check_seed(group.kept_seeds.back(), pointer);
      }
    }
    const json* steps = reader_.field(entry, at, "shrunk_steps", "a number, or null");
    const bool shrunk = steps != nullptr && !steps->is_null();
    if (shrunk) {
      group.shrunk_steps = reader_.number(entry, at, "shrunk_steps", 0, UINT32_MAX);
    }
    if (!problems_.empty()) {
      return;
    }
    check_seed(group.first_seed, at + "/first_seed");
    const FailureShape shape{*invariant, kind};
    if (saved) {
      group.replay = "mirrorproof replay " + shell_word(failure_path(folder_, shape, group.first_seed));
    }
    if (shrunk) {
      group.shrunk_file = shrunk_path(folder_, shape);
    }
    if (!result().failures.emplace(shape, std::move(group)).second) {
      reader_.complain(at, fmt::format("{} ({}) again", name, kind), "each failure once");
    }
  }

  void read_known() {
    const json* known = reader_.list(document_, "", "known_findings", kMostGroups);
    for (std::size_t i = 0; known != nullptr && i < known->size() && problems_.empty(); ++i) {
      const std::string at = fmt::format("/known_findings/{}", i);
      const std::string name = reader_.plain_name((*known)[i], at, "name");
      KnownFindingMet met;
      met.seeds =
          reader_.number((*known)[i], at, "seeds", 1, std::max<std::uint64_t>(1, result().counts.seeds));
      met.first_seed = reader_.number((*known)[i], at, "first_seed");
      check_seed(met.first_seed, at + "/first_seed");
      if (!result().known.emplace(name, met).second) {
        reader_.complain(at + "/name", scenarios::in_quotes(name), "each finding once");
      }
    }
  }

  void read_reached() {
    const json* reached = reader_.object(document_, "", "reached");
    if (reached == nullptr || !problems_.empty()) {
      return;
    }
    const std::vector<ReachPoint>& points = reach_points();
    for (const auto& [name, count] : reached->items()) {
      const std::string at = fmt::format("/reached/{}", scenarios::printable(name, kLongestPointName));
      const auto point = std::find_if(points.begin(), points.end(), [&wanted = name](const ReachPoint& each) {
        return each.full_name() == wanted;
      });
      if (point == points.end()) {
        reader_.complain(at, "an unknown point", "what a run may reach, such as \"mirror_state/FAILED\"");
        return;
      }
      ReachCount read;
      read.seeds = reader_.number(count, at, "seeds", 1, std::max<std::uint64_t>(1, result().counts.seeds));
      read.first_seed = reader_.number(count, at, "first_seed");
      check_seed(read.first_seed, at + "/first_seed");
      result().reachability.add(static_cast<std::size_t>(point - points.begin()), read);
    }
  }

  const json& document_;
  const std::string& folder_;
  FieldReader reader_;
  std::vector<scenarios::Problem>& problems_;
  CampaignFile campaign_;
};

LoadCampaignResult campaign_refused(const std::string& file, std::string found, std::string expected) {
  LoadCampaignResult result;
  result.problems.push_back({file, 0, 0, "", std::move(found), std::move(expected)});
  return result;
}

}  // namespace

std::optional<std::uint64_t> CampaignFile::index_of(std::uint64_t seed) const {
  const std::uint64_t distance = seed - seed_at(0);
  return distance % shard.count == 0 ? std::optional(distance / shard.count) : std::nullopt;
}

std::string campaign_path(const std::string& folder) {
  return (std::filesystem::path(folder) / "campaign.json").string();
}

std::string campaign_file_text(const CampaignFile& campaign) {
  const CampaignState& state = campaign.state;
  const CampaignResult& result = state.result;
  Json early = Json::array();
  for (const auto& [index, digest] : state.early_digests) {
    early.push_back({{"index", index}, {"digest", digest_text(digest)}});
  }
  Json failures = Json::array();
  for (const auto& [shape, group] : result.failures) {
    failures.push_back(failure_json(shape, group));
  }
  Json known = Json::array();
  for (const auto& [name, met] : result.known) {
    known.push_back({{"name", name}, {"seeds", met.seeds}, {"first_seed", met.first_seed}});
  }
  Json out;
  out[std::string(kCampaignMagic)] = kCampaignFormat;
  out["finished"] = campaign.finished;
  out["seconds"] = campaign.seconds;
  out["done"] = {{"in_order", result.digest_seeds},
                 {"digest", digest_text(result.digest)},
                 {"beyond", std::move(early)},
                 {"first_trace", state.first_trace ? Json(digest_text(*state.first_trace)) : Json(nullptr)}};
  out["counts"] = {{"actions", result.counts.actions},
                   {"events", result.counts.events},
                   {"failing_seeds", result.counts.failing_seeds},
                   {"consequences", result.consequences},
                   {"inconclusive", result.inconclusive},
                   {"mirror_truncations", result.truncations},
                   {"justified_mirror_truncations", result.justified_truncations},
                   {"excused_mirror_truncations", excused_json(result)},
                   {"unclean_elections", result.unclean_elections}};
  out["problem"] = state.first_inconclusive
                       ? Json({{"index", *state.first_inconclusive}, {"text", result.first_problem}})
                       : Json(nullptr);
  out["failures"] = std::move(failures);
  out["known_findings"] = std::move(known);
  Json reached = Json::object();
  for (std::size_t point = 0; point < reach_points().size(); ++point) {
    const ReachCount& count = result.reachability.of(point);
    if (count.seeds > 0) {
      reached[reach_points()[point].full_name()] = {{"seeds", count.seeds}, {"first_seed", count.first_seed}};
    }
  }
  out["reached"] = std::move(reached);
  out["plan"] = Json(campaign.plan);
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

LoadCampaignResult load_campaign(std::string_view text, const std::string& file, const std::string& folder) {
  if (text.size() > kMaxFailureFileBytes) {
    return campaign_refused(file, "a larger file", fmt::format("at most {} bytes", kMaxFailureFileBytes));
  }
  const LimitedJson parsed = parse_limited_json(text);
  if (!parsed.ok()) {
    return campaign_refused(file, parsed.found, parsed.expected);
  }
  LoadCampaignResult loaded;
  loaded.campaign = CampaignReader(parsed.document, file, folder, loaded.problems).read();
  return loaded;
}

LoadCampaignResult load_campaign_folder(const std::string& folder) {
  const std::string path = campaign_path(folder);
  const auto text = read_beginning(path, kMaxFailureFileBytes + 1);
  return text ? load_campaign(*text, path, folder)
              : campaign_refused(path, "no file that can be read",
                                 "the campaign.json that mirrorproof fuzz writes");
}

}  // namespace mirrorproof::reports
