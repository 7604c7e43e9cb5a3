#include "reports/reachability_goals.h"

#include <nlohmann/json.hpp>

#include "scenarios/document.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::reports {
namespace {

using scenarios::Cursor;
using scenarios::Problems;

/// Marks the points that a name or pattern names; complains if there are none.
void mark(const Cursor& field, bool wanted, std::vector<bool>& marked, Problems& problems) {
  const std::optional<std::string> text = field.string();
  if (!text || text->empty()) {
    return;
  }
  const auto& points = reach_points();
  const bool pattern = text->ends_with('*');
  const std::string_view beginning = std::string_view(*text).substr(0, text->size() - (pattern ? 1 : 0));
  bool found = false;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < points.size(); ++i) {
    names.push_back(points[i].full_name());
    const bool named = pattern ? names.back().starts_with(beginning) : names.back() == beginning;
    if (named && !points[i].forbidden) {
      marked[i] = wanted;
      found = true;
    } else if (named && !pattern) {
      problems.add(field.pointer(), scenarios::in_quotes(*text),
                   "a transition that the protocol has: reaching this one is a violation");
      return;
    }
  }
  if (!found) {
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string_view near = scenarios::nearest(*text, candidates);
    problems.add(field.pointer(), scenarios::in_quotes(*text),
                 "a name that `mirrorproof fuzz --json` lists under \"reachability\", as \"group/name\"" +
                     (near.empty() ? std::string{} : " (did you mean " + scenarios::in_quotes(near) + "?)"));
  }
}

}  // namespace

ReachGoalsResult read_reach_goals(std::string_view text, std::string_view file_name) {
  ReachGoalsResult result;
  std::vector<bool> marked(reach_points().size(), false);
  result.problems = read_document(text, file_name, scenarios::SchemaName::reachability_goals,
                                  [&marked](const Cursor& root, Problems& problems) {
                                    for (const Cursor& name : root["goals"].elements()) {
                                      mark(name, true, marked, problems);
                                    }
                                    for (const Cursor& name : root["except"].elements()) {
                                      mark(name, false, marked, problems);
                                    }
                                  });
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (marked[i]) {
      result.goals.push_back(i);
    }
  }
  return result;
}

ReachGoalsResult read_reach_goals_file(const std::string& path) {
  const scenarios::FileText file = scenarios::read_document_file(path, "a file with reachability goals");
  if (file.problem) {
    return {{}, {*file.problem}};
  }
  return read_reach_goals(file.text, path);
}

std::vector<std::string> goals_not_met(const ReachGoals& goals, const Reachability& reachability) {
  std::vector<std::string> missing;
  for (const std::size_t point : goals) {
    if (!reachability.reached(point)) {
      missing.push_back(reach_points()[point].full_name());
    }
  }
  return missing;
}

}  // namespace mirrorproof::reports
