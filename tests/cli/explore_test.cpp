// `explore` as a user meets it: verdict, files, exit codes, certificates.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/cli/program.h"

namespace mirrorproof::cli_tests {
namespace {

using testing::HasSubstr;

const char* const kHolds = R"({"name": "small",
  "clusters": [{"name": "A", "brokers": 1}, {"name": "B", "brokers": 1}], "topics": [{"name": "orders"}],
  "mirrors": [{"source": "A", "destination": "B"}], "protocol": "hardened", "steps": [{"do": "settle"}],
  "bounds": {"records": 2}})";

const char* const kWrong = R"({"name": "wrong",
  "clusters": [{"name": "A", "brokers": 1, "version": "2.4"}, {"name": "B", "brokers": 1}],
  "topics": [{"name": "orders"}], "mirrors": [{"source": "A", "destination": "B"}],
  "protocol": {"preset": "hardened", "version_detection": "drop_field"},
  "steps": [{"do": "settle"}], "bounds": {"records": 2, "granularity": "coarse"}})";

TEST(Explore, WritesACertificateThatVerifies) {
  const TemporaryFolder folder;
  const std::string scenario = folder.write("small.json", kHolds);
  const ProgramResult result = run_program({"explore", scenario, "--out", folder / "out"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("HOLDS"));
  const std::string certificate = folder / "out/certificate.json";
  const nlohmann::json document = parse_json(read_file(certificate));
  EXPECT_EQ(document["states"], 18);
  EXPECT_EQ(document["bounds"]["records"], 2);
  EXPECT_EQ(document["reductions"], (nlohmann::json{{"symmetry", true}, {"partial_order", true}}));

  EXPECT_EQ(run_program({"explore", "--verify", certificate}).code, 0);
  EXPECT_EQ(run_program({"explore", "--verify", certificate, scenario}).code, 0);
  const std::string other = folder.write("other.json", kWrong);
  EXPECT_EQ(run_program({"explore", "--verify", certificate, other}).code, 2);

  nlohmann::json changed = document;
  changed["states"] = 23;
  const ProgramResult refuted =
      run_program({"explore", "--json", "--verify", folder.write("changed.json", changed.dump())});
  EXPECT_EQ(refuted.code, 1);
  EXPECT_EQ(parse_json(refuted.out)["verified"], false);
  EXPECT_EQ(parse_json(refuted.out)["differences"].size(), 1);
}

TEST(Explore, ACertificateOfAnotherProtocolIsRefusedBeforeTheSearch) {
  const TemporaryFolder folder;
  ASSERT_EQ(run_program({"explore", folder.write("small.json", kHolds), "--out", folder / "out"}).code, 0);
  nlohmann::json older = parse_json(read_file(folder / "out/certificate.json"));
  older["protocol"].erase("racing_writes");  // as it is proposed, both times
  EXPECT_EQ(run_program({"explore", "--verify", folder.write("old.json", older.dump())}).code, 0);
  older["protocol"].erase("reassigned_replica");
  older["protocol"]["alignment"] = "none";
  const ProgramResult result = run_program({"explore", "--verify", folder.write("older.json", older.dump())});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("older.json: /protocol/reassigned_replica: found nothing, expected "
                                    "\"starts_empty\", which the scenario's protocol is in this program"));
  EXPECT_THAT(result.err, HasSubstr("/protocol/alignment: found \"none\", expected \"epoch_and_offset\""));
}

TEST(Explore, VerifyingWritesThePageAndTheJunitFileThatWereAskedFor) {
  const TemporaryFolder folder;
  const std::string scenario = folder.write("small.json", kHolds);
  ASSERT_EQ(run_program({"explore", scenario, "--out", folder / "out"}).code, 0);
  const auto verify = [&](const std::string& certificate, const std::string& name) {
    return run_program({"explore", "--verify", certificate, "--html", folder / (name + ".html"), "--junit",
                        folder / (name + ".xml")});
  };
  EXPECT_EQ(verify(folder / "out/certificate.json", "good").code, 0);
  EXPECT_THAT(read_file(folder / "good.html"), HasSubstr("</html>"));
  EXPECT_THAT(read_file(folder / "good.xml"), HasSubstr("failures=\"0\""));

  nlohmann::json changed = parse_json(read_file(folder / "out/certificate.json"));
  changed["depth"] = 99;
  EXPECT_EQ(verify(folder.write("changed.json", changed.dump()), "bad").code, 1);
  EXPECT_THAT(read_file(folder / "bad.xml"),
              testing::AllOf(HasSubstr("failures=\"1\""), HasSubstr("/depth: the certificate says 99")));
  // A page that is there is kept.
  EXPECT_EQ(verify(folder / "out/certificate.json", "good").code, 2);
}

TEST(Explore, VerifiesWithTheReductionsOfTheCertificate) {
  const TemporaryFolder folder;
  const std::string scenario = folder.write("small.json", kHolds);
  const ProgramResult result =
      run_program({"explore", scenario, "--symmetry", "off", "--reduction", "off", "--out", folder / "out"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("Reductions: symmetry off, partial order off."));
  nlohmann::json certificate = parse_json(read_file(folder / "out/certificate.json"));
  EXPECT_EQ(certificate["reductions"], (nlohmann::json{{"symmetry", false}, {"partial_order", false}}));
  EXPECT_EQ(run_program({"explore", "--verify", folder / "out/certificate.json"}).code, 0);
  EXPECT_EQ(run_program({"explore", "--verify", folder / "out/certificate.json", "--symmetry", "on"}).code,
            2);
  // Written before there were reductions.
  certificate.erase("reductions");
  EXPECT_EQ(run_program({"explore", "--verify", folder.write("old.json", certificate.dump())}).code, 0);
  certificate["reductions"] = {{"symmetry", 7}};
  const ProgramResult wrong =
      run_program({"explore", "--verify", folder.write("wrong.json", certificate.dump())});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("/reductions/symmetry: found 7"));
}

TEST(Explore, WritesACounterexampleThatRuns) {
  const TemporaryFolder folder;
  const std::string scenario = folder.write("wrong.json", kWrong);
  const ProgramResult result = run_program({"explore", scenario, "--json", "--out", folder / "out", "--html",
                                            folder / "page.html", "--junit", folder / "report.xml"});
  EXPECT_EQ(result.code, 1) << result.err;
  const nlohmann::json document = parse_json(result.out);
  EXPECT_EQ(document["verdict"], "violated");
  EXPECT_EQ(document["violations"][0]["invariant"], "version-safety");
  const ProgramResult again = run_program({"run", folder / "out/counterexample.json", "--json"});
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(parse_json(again.out)["violations"][0]["kind"], document["violations"][0]["kind"]);
  const std::string page = read_file(folder / "page.html");
  EXPECT_THAT(page, HasSubstr("<html"));
  EXPECT_THAT(page, HasSubstr("symmetry on, partial order on"));
  EXPECT_THAT(read_file(folder / "report.xml"), HasSubstr("version-safety"));
}

TEST(Explore, SaysWhatIsWrongWithItsInput) {
  const TemporaryFolder folder;
  const auto refused = [&](std::vector<std::string> arguments, const std::string& words) {
    arguments.insert(arguments.begin(), "explore");
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.code, 2) << words;
    EXPECT_THAT(result.err, HasSubstr(words));
  };
  const std::string scenario = folder.write("small.json", kHolds);
  refused({}, "expected a scenario");
  refused({folder / "missing.json"}, "missing.json");
  refused({scenario, "--memory", "1M"}, "--memory");
  refused({scenario, "--memory", "much"}, "--memory");
  refused({scenario, "--memory", "4000000000iB"}, "--memory");
  refused({"--verify", folder / "missing.json"}, "missing.json");
  refused({"--verify", scenario}, "/mirrorproof_certificate");
  refused({"--verify", folder.write("a.json", "[1, 2")}, "JSON");
  refused({"--verify", folder.write("b.json", "[1, 2]")}, "an object");
  refused({"--verify", folder.write("c.json", std::string(100'000, '['))}, "nesting");
  nlohmann::json certificate = {{"mirrorproof_certificate", 1},
                                {"program_version", "0"},
                                {"scenario_name", "x"},
                                {"scenario_digest", "0"},
                                {"protocol", {{"a", 1}}},
                                {"bounds", {{"a", 1}}},
                                {"left_out", {1}},
                                {"states", -1},
                                {"transitions", 1},
                                {"depth", 1},
                                {"depth_bound_met", true},
                                {"collision_probability", 0},
                                {"scenario", {{"name", 7}}}};
  refused({"--verify", folder.write("d.json", certificate.dump())}, "/states: found -1");
  certificate["states"] = 1;
  refused({"--verify", folder.write("e.json", certificate.dump())}, "/scenario/name");
  certificate["mirrorproof_certificate"] = 99;
  refused({"--verify", folder.write("f.json", certificate.dump())}, "/mirrorproof_certificate: found 99");
}

/// Far too large to be gone through.
std::string large_world() {
  std::string text = kHolds;
  text.replace(text.find(R"("bounds": {"records": 2})"), 24,
               R"("bounds": {"records": 9, "crashes": 9, "link_drops": 9})");
  return text;
}

/// A sanitizer's memory is not the search's.
bool program_has_a_sanitizer() {
  const char* const other = std::getenv("MIRRORPROOF_CLI");
  const std::string program = read_file(other != nullptr ? other : MIRRORPROOF_CLI);
  return program.find("__asan_init") != std::string::npos || program.find("__tsan_init") != std::string::npos;
}

TEST(Explore, KeepsTheProcessToItsMemoryBudget) {
  if (program_has_a_sanitizer()) {
    GTEST_SKIP();
  }
  const TemporaryFolder folder;
  const std::string scenario = folder.write("large.json", large_world());
  for (const std::size_t budget : {std::size_t{36}, std::size_t{48}}) {
    const ProgramResult result =
        run_program({"explore", scenario, "--memory", std::to_string(budget) + (budget == 36 ? "M" : "MiB"),
                     "--jobs", "2", "--json", "--out", folder / "out"});
    EXPECT_EQ(result.code, 3);
    EXPECT_LE(result.peak_memory, (budget << 20) * 105 / 100);
    EXPECT_GE(result.peak_memory, (budget << 20) / 2);
    const nlohmann::json document = parse_json(result.out);
    EXPECT_LE(document["visited_bytes_per_state"], 16.0);
    EXPECT_LE(
        document["visited_bytes_per_state"].get<double>() + document["link_bytes_per_state"].get<double>(),
        40.0);
  }
}

TEST(Explore, IsInconclusiveWithTooLittleMemory) {
  const TemporaryFolder folder;
  const ProgramResult result = run_program(
      {"explore", folder.write("large.json", large_world()), "--memory", "32M", "--out", folder / "out"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.out, HasSubstr("INCONCLUSIVE: the memory budget is used up"));
  EXPECT_FALSE(std::filesystem::exists(folder / "out/certificate.json"));
}

}  // namespace
}  // namespace mirrorproof::cli_tests
