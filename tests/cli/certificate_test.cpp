// Provenance certificates: what explain claims is what a second checker finds in the trace, and any other
// claim is refused.

#include "reports/certificate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

#include "provenance/verifier.h"
#include "sim/swarm.h"
#include "tests/cli/program.h"
#include "tests/cli/worlds.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::HasSubstr;

struct CertifiedRun {
  Trace trace;
  nlohmann::json certificate;
  std::size_t justified = 0;
};

CertifiedRun certify(const sim::Setup& setup, std::uint64_t seed) {
  CertifiedRun run;
  run.trace = sim::run_seed(setup, seed).trace;
  const checker::Judgement judgement = checker::judge(run.trace);
  for (const checker::MirrorTruncation& truncation : judgement.mirror_truncations) {
    run.justified += truncation.justified ? 1 : 0;
  }
  if (!judgement.mirror_truncations.empty()) {
    const reports::EventSource source = [&run](const reports::EventSink& sink) {
      std::for_each(run.trace.events.begin(), run.trace.events.end(), sink);
    };
    run.certificate =
        nlohmann::json::parse(reports::certificate_json(run.trace.header, source, judgement).dump());
  }
  return run;
}

/// Why the certificate is no good; empty if it is verified.
std::string refusal_of(const nlohmann::json& certificate, const Trace& trace) {
  const provenance::ReadCertificateResult read = provenance::read_certificate(certificate.dump());
  if (!read.ok()) {
    return read.problem;
  }
  const provenance::Verification verification = provenance::verify(read.certificate, trace);
  return verification.holds() ? "" : verification.refusals.front();
}

/// Runs with at least one justified truncation.
const std::vector<CertifiedRun>& certified_runs() {
  static const std::vector<CertifiedRun> runs = [] {
    std::vector<CertifiedRun> found;
    for (std::uint64_t seed = 1; seed <= 1000 && found.size() < 40; ++seed) {
      CertifiedRun run = certify(stormy_world(seed), seed);
      if (run.justified > 0) {
        found.push_back(std::move(run));
      }
    }
    return found;
  }();
  return runs;
}

TEST(Certificate, IsVerifiedAgainstTheTraceOfTheRun) {
  const TemporaryFolder folder;
  for (const char* name : {"ule-truncate-on-fetch.json", "ule-offsets-for-leader-epoch.json",
                           "downgrade-upgrade-with-ules.json", "chain-ule-at-the-head.json"}) {
    const std::string scenario = scenario_path(name);
    EXPECT_EQ(run_program({"run", scenario, "--trace", folder / "t.jsonl"}).code, 0) << name;
    EXPECT_EQ(run_program({"explain", scenario, "--certificate", folder / "c.json"}).code, 0) << name;
    const nlohmann::json certificate = parse_json(read_file(folder / "c.json"));
    EXPECT_GE(certificate["truncations"].size(), 1U) << name;
    EXPECT_EQ(certificate["uncertified"].size(), 0U) << name;
    const ProgramResult check =
        run_program({"check", folder / "t.jsonl", "--certificate", folder / "c.json", "--json"});
    EXPECT_EQ(check.code, 0) << name << check.out;
    const nlohmann::json verified = parse_json(check.out)["certificate"];
    EXPECT_EQ(verified["verified"], true) << name << verified;
    EXPECT_EQ(verified["truncations"], certificate["truncations"].size()) << name;
  }
  const ProgramResult text = run_program({"check", folder / "t.jsonl", "--certificate", folder / "c.json"});
  EXPECT_THAT(text.out, HasSubstr("every claim is true: 2 mirror truncations of 2 batches"));
}

TEST(Certificate, OfAnotherRunIsRefused) {
  const TemporaryFolder folder;
  run_program({"run", scenario_path("ule-offsets-for-leader-epoch.json"), "--trace", folder / "t.jsonl"});
  run_program({"explain", scenario_path("ule-truncate-on-fetch.json"), "--certificate", folder / "c.json"});
  const ProgramResult check = run_program({"check", folder / "t.jsonl", "--certificate", folder / "c.json"});
  EXPECT_EQ(check.code, 1);
  EXPECT_THAT(check.out, HasSubstr("/scenario: the trace is of another scenario"));
}

TEST(Certificate, HostileFilesAreRefusedWithThePlace) {
  const TemporaryFolder folder;
  const std::string trace = folder / "t.jsonl";
  run_program({"run", scenario_path("ule-truncate-on-fetch.json"), "--trace", trace});
  run_program({"explain", scenario_path("ule-truncate-on-fetch.json"), "--certificate", folder / "c.json"});
  const std::string good = read_file(folder / "c.json");
  const auto refused = [&](const std::string& text) {
    const ProgramResult result =
        run_program({"check", trace, "--certificate", folder.write("bad.json", text)});
    EXPECT_EQ(result.code, 2) << text.substr(0, 100);
    EXPECT_EQ(result.signal, 0);
    return result.err;
  };
  EXPECT_THAT(refused(""), HasSubstr("bad.json: found no readable file"));
  EXPECT_THAT(refused(good.substr(0, good.size() / 2)), HasSubstr("found no JSON"));
  EXPECT_THAT(refused("{}"), HasSubstr("/mirrorproof_certificate: found nothing"));
  EXPECT_THAT(refused(std::string(100'000, '[')), HasSubstr("expected one JSON document"));
  nlohmann::json changed = parse_json(good);
  changed["truncations"][0]["records"][0]["killer"] = -1;
  EXPECT_THAT(refused(changed.dump()), HasSubstr("/truncations/0/records/0/killer: found -1, expected"));
  changed = parse_json(good);
  changed["truncations"][0].erase("source");
  EXPECT_THAT(refused(changed.dump()), HasSubstr("/truncations/0/source: found nothing"));
  EXPECT_EQ(run_program({"check", trace, "--certificate", folder / "missing.json"}).code, 2);
}

// Whatever the judge justifies, the second checker confirms; in chains, failbacks, across versions.
TEST(Certificate, OfRandomRunsAreTrue) {
  std::size_t certified = 0;
  for (const CertifiedRun& run : certified_runs()) {
    EXPECT_EQ(refusal_of(run.certificate, run.trace), "") << "seed " << run.trace.header.seed;
    EXPECT_EQ(run.certificate["truncations"].size(), run.justified) << "seed " << run.trace.header.seed;
    certified += run.justified;
  }
  EXPECT_GE(certified, 40U);
}

TEST(Certificate, OfRandomWorldsAreTrue) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const CertifiedRun run = certify(sim::swarm_setup({}, seed), seed);
    if (!run.certificate.is_null()) {
      EXPECT_EQ(refusal_of(run.certificate, run.trace), "") << "seed " << seed;
      EXPECT_EQ(run.certificate["truncations"].size(), run.justified) << "seed " << seed;
    }
  }
}

/// Each event has the one before among its causes, or right before it at the same actor.
bool is_chain(const nlohmann::json& path, const Trace& trace) {
  std::map<std::pair<ClusterId, BrokerId>, EventId> latest;
  std::set<std::pair<EventId, EventId>> edges;
  for (const Event& event : trace.events) {
    EventId& before = latest[{event.cluster, event.broker}];
    edges.emplace(before, event.id);
    before = event.id;
    for (const EventId cause : event.causes) {
      edges.emplace(cause, event.id);
    }
  }
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (!edges.contains({path[i - 1].get<EventId>(), path[i].get<EventId>()})) {
      return false;
    }
  }
  return true;
}

/// One change of one claim; false if there is nothing to change.
bool mutate(nlohmann::json& certificate, const Trace& trace) {
  const nlohmann::json flat = certificate.flatten();
  std::vector<std::string> places;
  for (const auto& [pointer, value] : flat.items()) {
    // Who wrote the file is no claim; an empty list flattens to null.
    const bool claim = pointer != "/program" && !(value.is_null() && pointer == "/uncertified");
    if (claim && (value.is_number() || value.is_string())) {
      places.push_back(pointer);
    }
  }
  const std::string pointer = *rc::gen::elementOf(places);
  nlohmann::json& value = certificate[nlohmann::json::json_pointer(pointer)];
  if (value.is_string()) {
    value = value.get<std::string>() + "x";
    return true;
  }
  const nlohmann::json before = value;
  if (*rc::gen::inRange(0, 2) == 0) {
    value = value.get<std::int64_t>() + *rc::gen::elementOf(std::vector<int>{-3, -2, -1, 1, 2, 3});
  } else {
    value = trace.events[*rc::gen::inRange<std::size_t>(0, trace.events.size())].id;
  }
  if (const std::size_t path = pointer.find("/path/"); path != std::string::npos) {
    // Another way from the same killer to the same truncation is true as well.
    const nlohmann::json& steps = certificate[nlohmann::json::json_pointer(pointer.substr(0, path + 5))];
    const bool ends =
        pointer.ends_with("/path/0") || pointer.ends_with("/path/" + std::to_string(steps.size() - 1));
    return value != before && (ends || value <= 0 || !is_chain(steps, trace));
  }
  return value != before;
}

/// A way from one event to another, as is_chain() wants it; empty if there is none.
std::vector<EventId> way(const Trace& trace, EventId from, EventId to) {
  std::map<std::pair<ClusterId, BrokerId>, EventId> latest;
  std::map<EventId, EventId> came_from{{from, 0}};
  for (const Event& event : trace.events) {
    EventId& before = latest[{event.cluster, event.broker}];
    std::vector<EventId> causes(event.causes.begin(), event.causes.end());
    causes.push_back(before);
    before = event.id;
    const auto known =
        std::find_if(causes.begin(), causes.end(), [&](EventId cause) { return came_from.contains(cause); });
    if (known != causes.end()) {
      came_from.emplace(event.id, *known);
    }
  }
  std::vector<EventId> path;
  for (EventId at = came_from.contains(to) ? to : 0; at != 0; at = came_from[at]) {
    path.insert(path.begin(), at);
  }
  return path;
}

/// The records of a certificate that an unclean election killed.
std::vector<std::string> killed_by_election(const CertifiedRun& run) {
  std::vector<std::string> out;
  for (std::size_t t = 0; t < run.certificate["truncations"].size(); ++t) {
    const nlohmann::json& records = run.certificate["truncations"][t]["records"];
    for (std::size_t r = 0; r < records.size(); ++r) {
      const auto killer = records[r]["killer"].get<EventId>();
      const auto event = std::find_if(run.trace.events.begin(), run.trace.events.end(),
                                      [&](const Event& each) { return each.id == killer; });
      if (std::holds_alternative<Election>(event->payload)) {
        out.push_back("/truncations/" + std::to_string(t) + "/records/" + std::to_string(r));
      }
    }
  }
  return out;
}

/// What may be claimed of when the source held a record: every append of it there, with every reign of that
/// broker.
std::vector<nlohmann::json> claims_of_holding(const CertifiedRun& run, const nlohmann::json& record,
                                              const Event& election) {
  std::vector<nlohmann::json> out{record["held"]};
  const auto base = record["base_offset"].get<Offset>();
  const auto epoch = record["epoch"].get<Epoch>();
  for (const Event& event : run.trace.events) {
    const auto* append = std::get_if<Appended>(&event.payload);
    const bool appended =
        append != nullptr && event.cluster == election.cluster && event.partition == election.partition &&
        std::any_of(append->batches.begin(), append->batches.end(),
                    [&](const Batch& batch) { return batch.base_offset == base && batch.epoch == epoch; });
    for (const Event& leader : run.trace.events) {
      if (appended && std::holds_alternative<BecameLeader>(leader.payload) &&
          leader.cluster == event.cluster && leader.broker == event.broker &&
          leader.partition == event.partition) {
        out.push_back({{"appended", event.id}, {"became_leader", leader.id}});
      }
    }
  }
  return out;
}

/// A judge that blames another election says so consistently: it names whoever took over next as the heir,
/// a reign before it, and a true way from there.
std::size_t blame_others(const CertifiedRun& run, bool every_reign) {
  std::size_t forged = 0;
  for (const std::string& record : killed_by_election(run)) {
    const nlohmann::json::json_pointer at(record);
    const auto killer = run.certificate[at]["killer"].get<EventId>();
    const auto is_killer = [&](const Event& event) { return event.id == killer; };
    const Event& right = *std::find_if(run.trace.events.begin(), run.trace.events.end(), is_killer);
    const auto cut =
        run.certificate[nlohmann::json::json_pointer(record.substr(0, record.find("/records")))]["event"]
            .get<EventId>();
    for (const Event& other : run.trace.events) {
      const auto* election = std::get_if<Election>(&other.payload);
      if (election == nullptr || election->kind != ElectionKind::unclean || other.id == killer ||
          other.cluster != right.cluster || other.partition != right.partition) {
        continue;
      }
      nlohmann::json changed = run.certificate;
      changed[at]["killer"] = other.id;
      const std::vector<EventId> path = way(run.trace, other.id, cut);
      changed[at]["path"] = path.empty() ? std::vector<EventId>{other.id, cut} : path;
      const std::vector<nlohmann::json> helds =
          every_reign ? claims_of_holding(run, run.certificate[at], other)
                      : std::vector<nlohmann::json>{run.certificate[at]["held"]};
      std::vector<nlohmann::json> heirs{changed[at]["heir"], nullptr};
      for (const Event& next : run.trace.events) {
        const auto* became = std::get_if<BecameLeader>(&next.payload);
        if (became != nullptr && became->epoch >= election->epoch && next.cluster == other.cluster &&
            next.partition == other.partition) {
          heirs.emplace_back(next.id);
          break;
        }
      }
      for (const nlohmann::json& heir : heirs) {
        for (const nlohmann::json& held : helds) {
          changed[at]["heir"] = heir;
          changed[at]["held"] = held;
          EXPECT_NE(refusal_of(changed, run.trace), "")
              << "seed " << run.trace.header.seed << " " << record << ": " << killer << " killed them, not "
              << other.id << ", heir " << heir << ", held " << held;
          forged += 1;
        }
      }
    }
  }
  return forged;
}

TEST(Certificate, ThatBlamesAnotherElectionIsRefused) {
  std::size_t forged = 0;
  for (const CertifiedRun& run : certified_runs()) {
    // Every reign of every holder takes its time.
    forged += blame_others(run, &run < &certified_runs()[5]);
  }
  EXPECT_GE(forged, 100U);
}

RC_GTEST_PROP(Certificate, AnyOtherClaimIsRefused, ()) {
  const CertifiedRun& run = certified_runs()[*rc::gen::inRange<std::size_t>(0, certified_runs().size())];
  nlohmann::json changed = run.certificate;
  RC_PRE(mutate(changed, run.trace));
  RC_LOG() << "seed " << run.trace.header.seed << ": "
           << nlohmann::json::diff(run.certificate, changed).dump() << '\n';
  RC_ASSERT_FALSE(refusal_of(changed, run.trace).empty());
}

RC_GTEST_PROP(Certificate, WhatIsLeftOutIsMissed, ()) {
  const CertifiedRun& run = certified_runs()[*rc::gen::inRange<std::size_t>(0, certified_runs().size())];
  nlohmann::json changed = run.certificate;
  nlohmann::json& truncations = changed["truncations"];
  const auto index = *rc::gen::inRange<std::size_t>(0, truncations.size());
  nlohmann::json& records = truncations[index]["records"];
  const auto record = *rc::gen::inRange<std::size_t>(0, records.size());
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      truncations.erase(index);
      break;
    case 1:
      records.erase(record);
      break;
    case 2:
      records[record]["path"].erase(*rc::gen::inRange<std::size_t>(0, records[record]["path"].size()));
      break;
    default:
      truncations.push_back(truncations[index]);
  }
  RC_ASSERT_FALSE(refusal_of(changed, run.trace).empty());
}

}  // namespace
}  // namespace mirrorproof::cli_tests
