// Every kind of bad input: exact places, all problems, nothing half done.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "scenarios/scenario.h"
#include "tests/scenarios/loading.h"

namespace mirrorproof::scenarios {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// --- the file as a whole ---

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view name)
      : path_(std::filesystem::path(testing::TempDir()) /
              fmt::format("mirrorproof-{}-{}", ::getpid(), name)) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path() const { return path_.string(); }
  void write(std::string_view text) const { std::ofstream(path_, std::ios::binary) << text; }

 private:
  std::filesystem::path path_;
};

std::string only_problem(const std::string& path) {
  const LoadResult result = load_scenario_file(path);
  EXPECT_FALSE(result.scenario.has_value());
  EXPECT_EQ(result.problems.size(), 1U);
  return result.problems.empty() ? "" : format_problem(result.problems.front());
}

TEST(BadFile, that_is_missing_or_a_directory_or_a_pipe_is_named) {
  const TemporaryFile file("odd");
  EXPECT_EQ(only_problem(file.path()), file.path() + ": found no such file, expected a scenario file");
  std::filesystem::create_directory(file.path());
  EXPECT_EQ(only_problem(file.path()), file.path() + ": found a directory, expected a scenario file");
  std::filesystem::remove(file.path());
  ASSERT_EQ(::mkfifo(file.path().c_str(), 0600), 0);
  EXPECT_EQ(only_problem(file.path()),
            file.path() + ": found something that is not a regular file, expected a scenario file");
  EXPECT_THAT(only_problem("/dev/zero"), HasSubstr("not a regular file"));
  EXPECT_THAT(only_problem(std::string(100'000, 'a')), HasSubstr("expected a scenario file"));
  EXPECT_THAT(only_problem(""), HasSubstr("expected a scenario file"));
}

TEST(BadFile, that_is_empty_or_white_is_no_object) {
  const TemporaryFile file("empty");
  file.write("");
  EXPECT_EQ(only_problem(file.path()), file.path() + ":1:1: found an empty file, expected a JSON object");
  EXPECT_THAT(problems_of("\n\n  \t\n"), ElementsAre("f:1:1: found an empty file, expected a JSON object"));
}

TEST(BadFile, of_two_hundred_megabytes_is_refused_at_once) {
  const TemporaryFile file("large");
  file.write("{");
  std::filesystem::resize_file(file.path(), std::uintmax_t{200} << 20);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(only_problem(file.path()),
            file.path() + ": found more than 1048576 bytes, expected at most 1048576 bytes");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(BadFile, one_byte_above_the_limit_is_refused_and_one_at_the_limit_is_read) {
  std::string text = with_fields("");
  text.resize(kMaxFileBytes, ' ');
  EXPECT_TRUE(load_scenario(text, "f").scenario.has_value());
  const TemporaryFile file("limit");
  file.write(text);
  EXPECT_TRUE(load_scenario_file(file.path()).scenario.has_value());
  text += ' ';
  EXPECT_THAT(problems_of(text), ElementsAre("f: found 1048577 bytes, expected at most 1048576 bytes"));
}

TEST(BadFile, that_is_cut_off_anywhere_is_refused) {
  for (const auto& path : shipped_files()) {
    const std::string text = read_text(path);
    const std::size_t end = text.find_last_of('}');
    for (std::size_t length = 0; length <= end; length += 7) {
      const LoadResult result = load_scenario(std::string_view(text).substr(0, length), "f");
      ASSERT_FALSE(result.scenario.has_value()) << path << " " << length;
      ASSERT_EQ(result.problems.size(), 1U);
    }
  }
  EXPECT_THAT(problems_of("{\n  \"name\": \"x\",\n  \"clusters\": [{\"name\""),
              ElementsAre("f:3:23: /clusters/0: found the end of the file, expected ':'"));
}

TEST(BadFile, with_invalid_utf8_says_which_byte_and_where) {
  EXPECT_THAT(problems_of("{\n  \"name\": \"caf\xE9\"\n}"),
              ElementsAre("f:2:15: found byte 0xe9, expected UTF-8 text"));
  EXPECT_THAT(problems_of("\xFF\xFE{\0}"), ElementsAre("f:1:1: found byte 0xff, expected UTF-8 text"));
}

TEST(BadFile, nested_deeply_is_refused) {
  EXPECT_THAT(problems_of(std::string(1'000'000, '[')), ElementsAre(HasSubstr("at most 32 levels")));
  std::string objects;
  for (int i = 0; i < 100'000; ++i) {
    objects += "{\"a\":";
  }
  EXPECT_THAT(problems_of(objects), ElementsAre(HasSubstr("at most 32 levels")));
}

TEST(BadFile, of_another_json_type_is_refused) {
  EXPECT_THAT(problems_of("[]"), ElementsAre("f:1:1: found an empty array, expected an object"));
  EXPECT_THAT(problems_of("7"), ElementsAre("f:1:1: found 7, expected an object"));
  EXPECT_THAT(problems_of("null"), ElementsAre("f:1:1: found null, expected an object"));
  EXPECT_THAT(problems_of("{}"), ElementsAre("f:1:1: found no field \"name\", expected one, a string",
                                             "f:1:1: found no field \"clusters\", expected one, an array",
                                             "f:1:1: found no field \"topics\", expected one, an array"));
}

// --- fields and types ---

TEST(BadField, is_named_with_its_place_and_a_guess) {
  EXPECT_THAT(
      problems_of("{\n  \"name\": \"n\",\n  \"clusters\": [\n    {\"name\": \"A\", \"brokres\": 2}\n  ],\n"
                  "  \"topics\": [{\"name\": \"t\"}]\n}"),
      ElementsAre(
          "f:4:5: /clusters/0: found no field \"brokers\", expected one, an array or an integer from 1 to 8",
          "f:4:19: /clusters/0/brokres: found an unknown field \"brokres\", expected one of "
          "\"brokers\", \"name\", \"version\" (did you mean \"brokers\"?)"));
}

TEST(BadField, is_reported_for_every_section) {
  EXPECT_THAT(wrong(R"(, "colour": 1)"),
              ElementsAre(HasSubstr("/colour: found an unknown field \"colour\"")));
  EXPECT_THAT(wrong(R"(, "run": {"seed": 3})"), ElementsAre(HasSubstr("(did you mean \"seeds\"?)")));
  EXPECT_THAT(wrong(R"(, "bounds": {"uleanness": 3})"),
              ElementsAre(HasSubstr("/bounds/uleanness: found an unknown")));
  EXPECT_THAT(wrong(R"(, "expect": {"verdikt": "holds"})"),
              ElementsAre(HasSubstr("(did you mean \"verdict\"?)")));
  EXPECT_THAT(wrong(R"(, "protocol": {"aligment": "none"})"),
              ElementsAre(HasSubstr("(did you mean \"alignment\"?)")));
  EXPECT_THAT(wrong(R"(, "faults": {"weights": {"crashes": 3}})"),
              ElementsAre(HasSubstr("(did you mean \"crash\"?)")));
  EXPECT_THAT(wrong(R"(, "faults": {"budgets": {"crahs": 3}})"),
              ElementsAre(HasSubstr("(did you mean \"crash\"?)")));
  EXPECT_THAT(
      wrong_step(R"({"do": "settle", "cluster": "A"})"),
      ElementsAre("/steps/0/cluster: found an unknown field \"cluster\", expected one of \"do\", \"note\", "
                  "\"rounds\""));
}

TEST(BadField, given_twice_is_reported) {
  EXPECT_THAT(
      problems_of("{\"name\": \"n\", \"name\": \"m\", \"clusters\": [{\"name\": \"A\", \"brokers\": 1}],\n"
                  " \"topics\": [{\"name\": \"t\"}]}"),
      ElementsAre("f:1:15: /name: found the field \"name\" again, expected each field at most once"));
}

TEST(BadType, says_what_was_found_and_what_was_expected) {
  EXPECT_THAT(wrong(R"(, "steps": {})"), ElementsAre("/steps: found an empty object, expected an array"));
  EXPECT_THAT(wrong(R"(, "steps": [7])"), ElementsAre("/steps/0: found 7, expected an object"));
  EXPECT_THAT(wrong(R"(, "run": {"max_actions": "many"})"),
              ElementsAre("/run/max_actions: found \"many\", expected an integer from 0 to 10000000"));
  EXPECT_THAT(wrong(R"(, "run": {"max_actions": 1.0})"),
              ElementsAre("/run/max_actions: found 1.0, expected an integer from 0 to 10000000"));
  EXPECT_THAT(wrong(R"(, "run": {"max_actions": 10000001})"),
              ElementsAre("/run/max_actions: found 10000001, expected 0 to 10000000"));
  EXPECT_THAT(wrong(R"(, "run": {"max_actions": 18446744073709551615})"),
              ElementsAre("/run/max_actions: found 18446744073709551615, expected 0 to 10000000"));
  EXPECT_THAT(wrong(R"(, "run": {"seeds": {"first": -1, "count": 1}})"),
              ElementsAre("/run/seeds/first: found -1, expected a seed, at least 0"));
  EXPECT_THAT(wrong(R"(, "run": {"seeds": 1000000001})"),
              ElementsAre("/run/seeds: found 1000000001, expected 1 to 1000000000"));
  EXPECT_THAT(wrong(R"(, "description": 3)"), ElementsAre("/description: found 3, expected a string"));
  EXPECT_THAT(wrong(R"(, "protocol": {"ule_support": "yes"})"),
              ElementsAre("/protocol/ule_support: found \"yes\", expected true or false"));
  EXPECT_THAT(wrong(R"(, "protocol": 3)"), ElementsAre("/protocol: found 3, expected a string or an object"));
}

TEST(BadValue, of_an_enumeration_lists_the_names_and_guesses) {
  EXPECT_THAT(wrong(R"(, "protocol": "as_propsed")"),
              ElementsAre("/protocol: found \"as_propsed\", expected one of \"as_proposed\", \"prototype\", "
                          "\"hardened\" (did you mean "
                          "\"as_proposed\"?)"));
  EXPECT_THAT(wrong(R"(, "protocol": {"recovery_wait": "all"})"),
              ElementsAre("/protocol/recovery_wait: found \"all\", expected one of \"all_replicas\", "
                          "\"isr\", \"none\", \"all_heard\""));
  EXPECT_THAT(wrong(R"(, "expect": {"states": [{"cluster": "B", "state": "mirroring"}]})"),
              ElementsAre(HasSubstr(
                  "/expect/states/0/state: found \"mirroring\", expected one of \"LOG_ALIGNMENT\"")));
  EXPECT_THAT(wrong(R"(, "expect": {"verdict": "violated", "invariant": "log-maching"})"),
              ElementsAre(HasSubstr("(did you mean \"log-matching\"?)")));
  EXPECT_THAT(wrong_step(R"({"do": "prodcue", "cluster": "A"})"),
              ElementsAre(HasSubstr("(did you mean \"produce\"?)")));
}

TEST(BadValue, of_a_version_lists_those_that_are_known) {
  const std::vector<std::string> problems = problems_of(
      "{\"name\": \"n\", \"topics\": [{\"name\": \"t\"}],\n \"clusters\": [{\"name\": \"A\", \"brokers\": "
      "[\"4.1\", \"4.9\"]}]}");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0],
              testing::StartsWith("f:2:48: /clusters/0/brokers/1: found \"4.9\", expected one of \"2.1\", "));
  EXPECT_THAT(problems[0], HasSubstr("\"4.3\""));
  EXPECT_THAT(wrong_step(R"({"do": "change_version", "cluster": "A", "broker": 0, "version": 4.1})"),
              ElementsAre(HasSubstr("/steps/0/version: found 4.1, expected one of \"2.1\"")));
}

TEST(BadReaders, are_reported_where_they_are_declared_and_where_they_are_used) {
  EXPECT_THAT(
      wrong(R"(, "readers": [{"name": "r", "cluster": "A"}, {"name": "r", "cluster": "A"}])"),
      ElementsAre("/readers/1/name: found the name \"r\" again, expected another name for each reader"));
  EXPECT_THAT(wrong(R"(, "readers": [{"name": "r", "cluster": "Z"}])"),
              ElementsAre(HasSubstr("/readers/0/cluster")));
  EXPECT_THAT(wrong_step(R"({"do": "read", "reader": "nobody"})"),
              ElementsAre("/steps/0/reader: found an unknown reader \"nobody\", expected a reader that "
                          "\"readers\" declares"));
  EXPECT_THAT(
      wrong_step(R"({"do": "produce", "cluster": "A", "transactional": true})"),
      ElementsAre("/steps/0: found a transactional write without \"producer\", expected the id of its "
                  "producer"));
}

TEST(BadSteps, say_how_a_number_is_written_that_is_a_word) {
  EXPECT_THAT(wrong_step(R"({"do": "produce", "cluster": "A", "acks": 1})"),
              ElementsAre("/steps/0/acks: found 1, expected one of \"all\", \"1\", \"0\" (write \"1\")"));
}

TEST(BadSteps, name_their_missing_and_superfluous_fields) {
  EXPECT_THAT(
      wrong_step(R"({})"),
      ElementsAre(testing::StartsWith("/steps/0: found no field \"do\", expected one of \"settle\", ")));
  EXPECT_THAT(wrong_step(R"({"do": "crash", "cluster": "A"})"),
              ElementsAre("/steps/0: found no field \"broker\", expected one, an integer from 0 to 7"));
  EXPECT_THAT(
      wrong_step(R"({"do": "produce", "cluster": "A", "version": "4.1"})"),
      ElementsAre("/steps/0/version: found an unknown field \"version\", expected one of \"acks\", "
                  "\"broker\", \"cluster\", \"do\", \"note\", \"partition\", \"producer\", \"records\", "
                  "\"transactional\""));
  EXPECT_THAT(wrong_step(R"({"do": "produce", "cluster": "A", "records": 1001})"),
              ElementsAre("/steps/0/records: found 1001, expected 1 to 1000"));
  EXPECT_THAT(wrong_step(R"({"do": "cut_clusters", "clusters": ["A"]})"),
              ElementsAre("/steps/0/clusters: found an array of 1, expected 2 items"));
}

// --- all at once ---

TEST(AllProblems, are_listed_in_the_order_of_the_file_and_nothing_is_loaded) {
  const LoadResult result = load_scenario(R"({
  "name": "",
  "clusters": [{ "name": "A", "brokers": 2 }, { "name": "B", "brokers": "two" }],
  "topics": [{ "name": "orders", "partition": 1 }],
  "mirrors": [{ "source": "A", "destination": "X" }],
  "steps": [{ "do": "produce", "cluster": "A", "records": 0 }, { "do": "jump" }, { "do": "crash", "cluster": "A", "broker": 5 }],
  "run": { "seeds": 0 }
})",
                                          "s.json");
  EXPECT_FALSE(result.scenario.has_value());
  std::vector<std::string> places;
  for (const Problem& problem : result.problems) {
    places.push_back(fmt::format("{}:{} {}", problem.line, problem.column, problem.pointer));
  }
  EXPECT_THAT(places, ElementsAre("2:11 /name", "3:73 /clusters/1/brokers", "4:34 /topics/0/partition",
                                  "6:59 /steps/0/records", "6:72 /steps/1/do", "6:125 /steps/2/broker",
                                  "7:21 /run/seeds"))
      << "the cluster X may be the one whose declaration cannot be read, so nobody complains about it";
}

TEST(AllProblems, have_a_limit) {
  std::string steps;
  for (int i = 0; i < 3'000; ++i) {
    steps += i == 0 ? "1" : ",1";
  }
  const std::vector<Problem> problems =
      load_scenario(with_fields(", \"steps\": [" + steps + "]"), "f").problems;
  ASSERT_EQ(problems.size(), kMaxProblems + 1);
  EXPECT_EQ(format_problem(problems.back()), "f: found 2000 more problems, expected none");
}

TEST(HostileText, never_reaches_the_terminal_as_it_is) {
  const std::string text = with_fields(", \"\\u001b[31mred\\u0007\": \"\\u009b\"");
  for (const Problem& problem : load_scenario(text, "a\x1b[2Jb").problems) {
    const std::string line = format_problem(problem);
    EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
    EXPECT_EQ(line.find('\x07'), std::string::npos);
    EXPECT_THAT(line, HasSubstr("\\x1b[31mred\\x07"));
    EXPECT_THAT(line, testing::StartsWith("a\\x1b[2Jb:"));
  }
  const std::vector<std::string> long_value = wrong(R"(, "protocol": ")" + std::string(100'000, 'x') + "\"");
  ASSERT_EQ(long_value.size(), 1U);
  EXPECT_LT(long_value[0].size(), 300U) << "a huge value is cut";
}

TEST(HostileText, that_is_slow_on_purpose_takes_no_time) {
  const auto start = std::chrono::steady_clock::now();
  // Objects with thousands of unknown fields, arrays of nothing, and one huge string.
  std::string fields;
  for (int i = 0; i < 60'000; ++i) {
    fields += fmt::format(", \"x{}\": 0", i);
  }
  EXPECT_EQ(load_scenario(with_fields(fields), "f").problems.size(), kMaxProblems + 1);
  std::string steps;
  for (int i = 0; i < 9'000; ++i) {
    steps +=
        (i == 0 ? "" : ",") + std::string(R"({"do":"produce","cluster":"Z","broker":99,"note":1,"q":2})");
  }
  EXPECT_EQ(load_scenario(with_fields(", \"steps\": [" + steps + "]"), "f").problems.size(),
            kMaxProblems + 1);
  const std::string spaces(900'000, ' ');
  EXPECT_TRUE(
      load_scenario(with_fields(R"(, "initial_logs": [{"cluster": "A", "log": ")" + spaces + "\"}]"), "f")
          .scenario.has_value());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

}  // namespace
}  // namespace mirrorproof::scenarios
