// The house rules, checked over the whole tree as an ordinary test. Each rule is itself shown to find an
// example that breaks it and to leave a harmless neighbour alone: a rule that cannot fail proves nothing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>

#include "tests/tidy/tidy_rules.h"

namespace mirrorproof::tidy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

std::vector<std::string> rules_of(const Findings& findings) {
  std::vector<std::string> rules;
  for (const Finding& finding : findings) {
    rules.push_back(finding.rule);
  }
  return rules;
}

std::vector<std::string> banned(const std::string& path, const std::string& code) {
  return rules_of(check_banned_names({path, code}));
}

std::vector<std::string> layering(const std::string& path, const std::string& text) {
  return rules_of(check_layering({path, text}));
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) {
    result += text;
  }
  return result;
}

TEST(Tree, keeps_every_house_rule) {
  const std::vector<SourceFile> tree = load_tree(MIRRORPROOF_SOURCE_DIR);
  for (const Finding& warning : long_files(tree)) {
    std::cout << "warning: " << warning << '\n';
  }
  const Findings findings = check_tree(tree);
  std::ostringstream lines;
  for (const Finding& finding : findings) {
    lines << "  " << finding << '\n';
  }
  EXPECT_TRUE(findings.empty()) << findings.size() << " broken house rules:\n" << lines.str();
}

TEST(Tree, is_read_from_the_right_place_and_without_build_folders) {
  const std::vector<SourceFile> tree = load_tree(MIRRORPROOF_SOURCE_DIR);
  std::vector<std::string> paths;
  for (const SourceFile& file : tree) {
    EXPECT_THAT(std::string(first_folder(file.path)),
                ::testing::Not(::testing::AnyOf("build", ".git", "mirrorproof-out")));
    paths.push_back(file.path);
  }
  EXPECT_THAT(paths, IsSupersetOf(
                         {"CMakeLists.txt", "model/log.h", "checker/checker.h", "tests/tidy/tidy_test.cpp"}));
  EXPECT_TRUE(std::is_sorted(paths.begin(), paths.end()));
}

TEST(Tree, a_broken_rule_anywhere_is_found) {
  const std::vector<SourceFile> tree = {
      {"tests/CMakeLists.txt", "foreach(layer model)\n"},
      {"tests/sim/world_test.cpp", "int a;\n"},
      {"model/log.h", "#include \"sim/world.h\"\nint b = rand();\n/" + std::string("work/") + "x\t\n"},
      {"model/big.cpp", repeated("int c;\n", kFileLinesMax + 1)},
      {"scenarios/broken.json", "{\n"},
  };
  EXPECT_THAT(
      rules_of(check_tree(tree)),
      ::testing::UnorderedElementsAre("unregistered-test", "layering", "random-source", "header-guard", "tab",
                                      "trailing-space", "machine-path", "file-length", "scenario-file"));
}

TEST(Layering, arrows_point_one_way) {
  EXPECT_THAT(layering("model/log.h", "#include \"sim/world.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("model/log.h", "#include \"checker/checker.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("sim/world.h", "#include \"checker/checker.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("sim/world.h", "#include \"scenarios/scenario.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("checker/a.cpp", "#include \"sim/world.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("checker/a.cpp", "#include <sim/world.h>\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("scenarios/a.cpp", "#include \"reports/html.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("scenarios/a.cpp", "#  include \"checker/checker.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("reports/a.cpp", "#include \"cli/run.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("cli/main.cpp", "#include \"tests/tidy/tidy_rules.h\"\n"), ElementsAre("layering"));
}

TEST(Layering, downward_includes_and_mentions_are_fine) {
  EXPECT_THAT(
      layering("sim/world.h", "#include \"model/log.h\"\n#include <vector>\n#include <fmt/format.h>\n"),
      IsEmpty());
  EXPECT_THAT(layering("checker/a.cpp", "// #include \"sim/world.h\"\n/*\n#include \"sim/world.h\"\n*/\n"),
              IsEmpty());
  EXPECT_THAT(layering("reports/a.cpp", "#include \"checker/checker.h\"\n#include \"sim/campaign.h\"\n"),
              IsEmpty());
  EXPECT_THAT(layering("cli/main.cpp", "#include \"checker/checker.h\"\n#include \"reports/html.h\"\n"),
              IsEmpty());
  EXPECT_THAT(layering("tests/model/a.cpp", "#include \"sim/world.h\"\n"), IsEmpty());
}

TEST(Layering, the_second_checker_shares_only_the_reader_of_traces_with_the_judge) {
  EXPECT_THAT(layering("provenance/a.cpp", "#include \"checker/checker.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("provenance/a.cpp", "#include \"checker/lineage.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("provenance/a.cpp", "#include \"reports/certificate.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("checker/a.cpp", "#include \"provenance/facts.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("reports/a.cpp", "#include \"provenance/verifier.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(
      layering("provenance/a.cpp", "#include \"checker/trace_reader.h\"\n#include \"model/event.h\"\n"),
      IsEmpty());
}

TEST(Layering, includes_are_written_from_the_root) {
  EXPECT_THAT(layering("model/log.cpp", "#include \"log.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("model/log.cpp", "#include \"../sim/world.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("tests/model/log_test.cpp", "#include \"../sim/host.h\"\n"), ElementsAre("layering"));
  EXPECT_THAT(layering("tests/model/log_test.cpp", "#include \"log_host.h\"\n"), IsEmpty());
}

TEST(Layering, holds_for_the_build_files_too) {
  EXPECT_THAT(layering("checker/CMakeLists.txt", "mirrorproof_layer(checker DEPENDS mirrorproof::sim)\n"),
              ElementsAre("layering"));
  EXPECT_THAT(layering("checker/CMakeLists.txt",
                       "mirrorproof_layer(checker DEPENDS mirrorproof::model)  # mirrorproof::sim\n"),
              IsEmpty());
}

TEST(Layering, says_file_line_and_what_is_allowed) {
  const Findings findings = check_layering({"checker/a.cpp", "// first line\n#include \"sim/world.h\"\n"});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(::testing::PrintToString(findings[0]),
            "checker/a.cpp:2: checker includes sim/world.h but may see only checker, model [layering]");
}

TEST(BannedNames, no_randomness_but_the_choices) {
  for (const std::string code :
       {"int a = std::rand();", "int a = rand();", "std::random_device d;", "std::mt19937 g;",
        "std::mt19937_64 g;", "std::uniform_int_distribution<int> d;", "std::bernoulli_distribution d;",
        "std::shuffle(a, b, g);", "using std::default_random_engine;", "std::ranges::shuffle(a, g);"}) {
    for (const char* path : {"model/a.cpp", "sim/a.h", "checker/a.cpp"}) {
      EXPECT_THAT(banned(path, code), ElementsAre("random-source")) << code;
    }
  }
  EXPECT_THAT(
      banned("sim/a.cpp", "shuffle(actions); Choices choices; int grand = strand(1); // std::rand()\n"),
      IsEmpty());
}

TEST(BannedNames, no_clock_outside_the_command_line) {
  const std::string code = "const auto t = std::chrono::steady_clock::now();";
  for (const char* path :
       {"model/a.cpp", "sim/world.cpp", "checker/a.cpp", "scenarios/a.cpp", "reports/a.cpp"}) {
    EXPECT_THAT(banned(path, code), ElementsAre("clock"));
  }
  EXPECT_THAT(banned("sim/a.cpp", "using std::chrono::system_clock;"), ElementsAre("clock"));
  EXPECT_THAT(banned("sim/a.cpp", "auto t = std::time(nullptr);"), ElementsAre("clock"));
  EXPECT_THAT(banned("cli/main.cpp", code), IsEmpty());
  EXPECT_THAT(banned("tests/sim/a_test.cpp", code), IsEmpty());
  EXPECT_THAT(banned("reports/campaign.h", "bool wait_for(std::chrono::milliseconds patience);"), IsEmpty());
  EXPECT_THAT(banned("sim/a.cpp", "int time = 3; Time t; std::string clock;"), IsEmpty());
}

TEST(BannedNames, no_threads_in_the_protocol_and_the_judge) {
  EXPECT_THAT(banned("model/a.cpp", "std::thread t;"), ElementsAre("thread"));
  EXPECT_THAT(banned("checker/a.h", "std::mutex m;"), ElementsAre("thread"));
  EXPECT_THAT(banned("checker/a.cpp", "tbb::parallel_for(a, b, f);"), ElementsAre("thread"));
  EXPECT_THAT(banned("sim/campaign.cpp", "std::thread t; tbb::task_group g;"), IsEmpty());
  EXPECT_THAT(banned("model/a.cpp", "int thread = 0; std::array<int, 2> a;"), IsEmpty());
}

TEST(BannedNames, no_order_or_hash_that_the_library_chooses) {
  EXPECT_THAT(banned("model/a.h", "std::unordered_map<int, int> m;"), ElementsAre("unordered-container"));
  EXPECT_THAT(banned("sim/a.h", "boost::unordered_flat_set<int> m;"), ElementsAre("unordered-container"));
  EXPECT_THAT(banned("sim/a.h", "std::size_t h = std::hash<int>()(3);"), ElementsAre("standard-hash"));
  EXPECT_THAT(banned("sim/a.h", "std::map<int, int> m; std::uint64_t hash = world.hash();"), IsEmpty());
  EXPECT_THAT(banned("cli/a.cpp", "std::unordered_map<int, int> m;"), IsEmpty());
}

TEST(BannedNames, the_protocol_is_pure_and_counts_in_integers) {
  EXPECT_THAT(banned("model/a.h", "double rate = 0.5;"), ElementsAre("floating-point"));
  EXPECT_THAT(banned("model/a.h", "static_cast<float>(3)"), ElementsAre("floating-point"));
  EXPECT_THAT(banned("model/a.cpp", "std::cout << 1;"), ElementsAre("impure-model"));
  EXPECT_THAT(banned("model/a.cpp", "std::getenv(name);"), ElementsAre("impure-model"));
  EXPECT_THAT(banned("model/a.h", "int doubled = 2; // a double\n"), IsEmpty());
  EXPECT_THAT(banned("sim/a.h", "double rate = 0.5;"), IsEmpty());
}

TEST(BannedNames, texts_and_comments_are_not_code) {
  EXPECT_THAT(banned("model/a.cpp",
                     R"x(auto a = "std::rand()"; auto b = R"(double)"; /* float */ char c = '"'; // rand)x"),
              IsEmpty());
  EXPECT_THAT(banned("model/a.cpp", "char c = '\"'; float f; char d = '\"';"), ElementsAre("floating-point"));
  EXPECT_THAT(banned("model/a.cpp", "int big = 1'000'000; float f; int other = 2'000;"),
              ElementsAre("floating-point"));
  EXPECT_THAT(banned("model/a.cpp", "auto a = \"\\\"\"; float f;"), ElementsAre("floating-point"));
}

TEST(BannedNames, the_line_is_right_after_comments_and_raw_strings) {
  const Findings findings =
      check_banned_names({"model/a.cpp", "/*\n\n*/ auto a = R\"(\n)\";\nstd::\n  rand();\n"});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].line, 5);
}

TEST(HeaderGuard, every_header_has_one) {
  EXPECT_THAT(rules_of(check_header_guard({"model/a.h", "#include <vector>\n"})),
              ElementsAre("header-guard"));
  EXPECT_THAT(rules_of(check_header_guard({"model/a.h", "// #pragma once\n"})), ElementsAre("header-guard"));
  EXPECT_THAT(check_header_guard({"model/a.h", "// What it is for.\n#pragma once\n"}), IsEmpty());
  EXPECT_THAT(check_header_guard({"model/a.cpp", "int a;\n"}), IsEmpty());
}

TEST(Lines, are_short_clean_and_complete) {
  EXPECT_THAT(rules_of(check_lines({"sim/a.cpp", std::string(111, 'x') + "\n"})), ElementsAre("line-length"));
  EXPECT_THAT(rules_of(check_lines({"sim/a.cpp", "\tint a;\n"})), ElementsAre("tab"));
  EXPECT_THAT(rules_of(check_lines({"sim/a.cpp", "int a; \n"})), ElementsAre("trailing-space"));
  EXPECT_THAT(rules_of(check_lines({"tools/test", "echo \n"})), ElementsAre("trailing-space"));
  EXPECT_THAT(rules_of(check_lines({"sim/a.cpp", "int a;\r\n"})), ElementsAre("line-ending"));
  EXPECT_THAT(rules_of(check_lines({"sim/a.cpp", "int a;"})), ElementsAre("final-newline"));
}

TEST(Lines, columns_are_characters_and_data_is_left_alone) {
  EXPECT_THAT(check_lines({"sim/a.cpp", repeated("\xC3\xA9", 110) + "\n"}), IsEmpty());
  EXPECT_THAT(check_lines({"sim/a.cpp", std::string(110, 'x') + "\n\nint a;\n"}), IsEmpty());
  EXPECT_THAT(check_lines({"docs/a.md", std::string(300, 'x') + "\n"}), IsEmpty());
  const std::string long_text = "feed(R\"(" + std::string(110, 'x') + ")\");\n";
  EXPECT_THAT(check_lines({"tests/sim/a_test.cpp", long_text}), IsEmpty());
  EXPECT_THAT(rules_of(check_lines({"sim/a.cpp", long_text})), ElementsAre("line-length"));
  EXPECT_THAT(rules_of(check_lines({"tests/sim/a_test.cpp", std::string(111, 'x') + "\n"})),
              ElementsAre("line-length"));
  EXPECT_THAT(check_lines({"tests/vectors/a.json", "\t \r\n "}), IsEmpty());
}

TEST(FileLength, has_a_limit_and_a_warning_before_it) {
  const SourceFile longest{"sim/a.cpp", repeated("int a;\n", kFileLinesMax)};
  const SourceFile too_long{"sim/a.cpp", repeated("int a;\n", kFileLinesMax + 1)};
  EXPECT_THAT(check_file_length(longest), IsEmpty());
  EXPECT_THAT(rules_of(check_file_length(too_long)), ElementsAre("file-length"));
  EXPECT_THAT(rules_of(long_files({longest})), ElementsAre("file-length"));
  EXPECT_THAT(long_files({{"sim/a.cpp", repeated("int a;\n", kFileLinesWanted)}}), IsEmpty());
  EXPECT_THAT(check_file_length({"docs/a.md", too_long.text}), IsEmpty());
}

TEST(MachinePaths, name_no_folder_of_one_machine) {
  const std::string home = std::string("/wo") + "rk/";
  EXPECT_THAT(rules_of(check_machine_paths({"docs/a.md", "see `" + home + "main`\n"})),
              ElementsAre("machine-path"));
  EXPECT_THAT(check_machine_paths({"docs/a.md", "see docs" + home + "a.md and frame" + home + "\n"}),
              IsEmpty());
}

TEST(ScenarioFiles, say_what_they_are_and_what_they_expect) {
  const auto rules = [](const std::string& text) {
    return rules_of(check_scenario_file({"scenarios/deep/a.json", text}));
  };
  EXPECT_THAT(rules(R"({"name": "a", "description": "b", "expect": {"verdict": "holds"}})"), IsEmpty());
  EXPECT_THAT(rules(R"({"name": "a", "description": "b", "expect": {"verdict": "holds"})"),
              ElementsAre("scenario-file"));
  EXPECT_THAT(rules(R"([])"), ElementsAre("scenario-file"));
  EXPECT_THAT(rules(R"({"name": "a", "description": "b"})"), ElementsAre("scenario-file"));
  EXPECT_THAT(rules(R"({"name": "a", "description": "b", "expect": {}})"), ElementsAre("scenario-file"));
  EXPECT_THAT(rules(R"({"name": "", "description": "b", "expect": {"verdict": "holds"}})"),
              ElementsAre("scenario-file"));
  EXPECT_THAT(rules(R"({"name": 3, "expect": {"verdict": "holds"}})"),
              ElementsAre("scenario-file", "scenario-file"));
  EXPECT_THAT(check_scenario_file({"scenarios/scenario.schema.json", "{}"}), IsEmpty());
  EXPECT_THAT(check_scenario_file({"tests/cli/bad.json", "{"}), IsEmpty());
}

TEST(TestRegistration, a_test_that_is_never_built_is_an_error) {
  const SourceFile build{
      "tests/CMakeLists.txt",
      "# one\nforeach(layer model sim\n  tidy)\n  add(checker)\nendforeach()\nforeach(layer cli)\n"};
  EXPECT_THAT(
      check_test_registration({build, {"tests/model/log_test.cpp", ""}, {"tests/tidy/deep/a_test.cpp", ""}}),
      IsEmpty());
  EXPECT_THAT(check_test_registration({build, {"tests/cli/run_test.cpp", ""}}), IsEmpty());
  EXPECT_THAT(rules_of(check_test_registration({build, {"tests/checker/a_test.cpp", ""}})),
              ElementsAre("unregistered-test"));
  EXPECT_THAT(rules_of(check_test_registration({build, {"tests/a_test.cpp", ""}})),
              ElementsAre("unregistered-test"));
  EXPECT_THAT(rules_of(check_test_registration({{"tests/model/log_test.cpp", ""}})),
              ElementsAre("unregistered-test"));
}

}  // namespace
}  // namespace mirrorproof::tidy
