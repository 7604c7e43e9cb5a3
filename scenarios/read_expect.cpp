// What a run must end with.

#include <fmt/format.h>

#include <algorithm>

#include "scenarios/reading.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::scenarios {
namespace {

void read_invariants(const Cursor& invariant, Reading& reading) {
  Expect& expect = reading.scenario.expect;
  const std::vector<Cursor> names = invariant.is_string() ? std::vector{invariant} : invariant.elements();
  for (const Cursor& name : names) {
    const std::optional<std::string> text = name.string();
    const bool known =
        text && std::find(kInvariantNames.begin(), kInvariantNames.end(), *text) != kInvariantNames.end();
    if (!known) {
      continue;
    }
    if (std::find(expect.invariants.begin(), expect.invariants.end(), *text) != expect.invariants.end()) {
      reading.problems.add(name.pointer(), in_quotes(*text) + " again", "each invariant at most once");
      continue;
    }
    expect.invariants.push_back(*text);
  }
  if (invariant.exists() && expect.verdict != Verdict::violated) {
    reading.problems.add_at_name(
        invariant.pointer(), fmt::format("\"invariant\" with the verdict \"{}\"", to_string(expect.verdict)),
        "\"invariant\" only with \"verdict\": \"violated\"");
  }
}

void read_log_fact(const Cursor& fact, Reading& reading, std::int64_t& records_left) {
  const Cursor text = fact["log"];
  NotatedLog log = parse_log(text.string().value_or(""), NotationRules::expected, records_left);
  for (NotationProblem& problem : log.problems) {
    reading.problems.add(text.pointer(), std::move(problem.found), std::move(problem.expected));
  }
  LogFact out;
  for (const LogEntry& entry : log.entries) {
    for (Offset offset = entry.first; offset <= entry.last; ++offset) {
      out.log.push_back({offset, entry.epoch});
    }
  }
  records_left -= static_cast<std::int64_t>(out.log.size());
  const std::optional<ClusterId> cluster = reading.cluster(fact["cluster"]);
  if (!cluster) {
    return;
  }
  out.cluster = *cluster;
  const std::optional<PartitionId> partition = reading.partition_of(fact["partition"], fact, *cluster);
  if (!partition) {
    return;
  }
  out.partition = *partition;
  if (const Cursor number = fact["broker"]; number.exists()) {
    const std::optional<BrokerId> broker = reading.broker(number, *cluster);
    if (!broker || !reading.check_replica(number, *broker, *cluster, *partition)) {
      return;
    }
    out.broker = *broker;
  }
  reading.scenario.expect.logs.push_back(std::move(out));
}

/// Cluster and partition of a fact about a mirror: it must be the destination of one.
bool read_destination(const Cursor& fact, Reading& reading, ClusterId& cluster, PartitionId& partition) {
  const std::optional<ClusterId> named = reading.cluster(fact["cluster"]);
  if (!named) {
    return false;
  }
  const std::optional<PartitionId> id = reading.partition_of(fact["partition"], fact, *named);
  if (!id) {
    return false;
  }
  const auto& mirrors = reading.scenario.setup.mirrors;
  const bool declared = std::any_of(mirrors.begin(), mirrors.end(), [&](const sim::MirrorSetup& mirror) {
    return (mirror.destination == *named || mirror.source == *named) && mirror.partition == *id;
  });
  if (!declared && reading.mirrors_known) {
    reading.problems.add(
        fact["cluster"].pointer(), fmt::format("cluster {}", in_quotes(reading.cluster_name(*named))),
        fmt::format("a cluster that mirrors {}, or may mirror it back",
                    in_quotes(reading.scenario.setup.partitions[static_cast<std::size_t>(*id)].name)));
  }
  cluster = *named;
  partition = *id;
  return declared;
}

void read_state_fact(const Cursor& fact, Reading& reading) {
  StateFact out;
  const std::optional<MirrorState> state = read_enum<MirrorState>(fact["state"]);
  if (read_destination(fact, reading, out.cluster, out.partition) && state) {
    out.state = *state;
    reading.scenario.expect.states.push_back(out);
  }
}

void read_truncation_fact(const Cursor& fact, Reading& reading) {
  TruncationFact out;
  out.offset = fact["offset"].integer<Offset>(0, kMaxNotatedOffset).value_or(0);
  out.records = fact["records"].integer<std::int64_t>(1, kMaxNotatedOffset).value_or(1);
  out.unclean_elections = fact["unclean_elections"].integer(0, 1'000'000);
  if (read_destination(fact, reading, out.cluster, out.partition)) {
    reading.scenario.expect.truncations.push_back(out);
  }
}

}  // namespace

void read_expect(const Cursor& expect, Reading& reading) {
  Expect& out = reading.scenario.expect;
  out.verdict = read_enum<Verdict>(expect["verdict"]).value_or(Verdict::holds);
  read_invariants(expect["invariant"], reading);
  std::int64_t records_left = kMaxInitialRecords;
  for (const Cursor& fact : expect["logs"].elements()) {
    read_log_fact(fact, reading, records_left);
  }
  for (const Cursor& fact : expect["states"].elements()) {
    read_state_fact(fact, reading);
  }
  const Cursor truncations = expect["truncations"];
  for (const Cursor& fact : truncations.elements()) {
    read_truncation_fact(fact, reading);
  }
  const Cursor count = expect["mirror_truncations"];
  out.mirror_truncations = count.integer(0, 1'000'000);
  const std::size_t listed = truncations.elements().size();
  if (out.mirror_truncations && listed > 0 && static_cast<std::size_t>(*out.mirror_truncations) != listed) {
    reading.problems.add(count.pointer(), describe(count.json()),
                         fmt::format("{}, the number of \"truncations\"", listed));
  }
}

}  // namespace mirrorproof::scenarios
