#include "scenarios/json_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/scenarios/loading.h"

namespace mirrorproof::scenarios {
namespace {

std::string syntax(std::string_view text) {
  const JsonText::Result result = JsonText::scan(text);
  if (!result.syntax) {
    return "fine";
  }
  const SyntaxProblem& problem = *result.syntax;
  return std::to_string(problem.position.line) + ":" + std::to_string(problem.position.column) + " " +
         problem.pointer + " found " + problem.found + ", expected " + problem.expected;
}

std::pair<int, int> place(std::string_view text, std::string_view pointer, bool at_name = false) {
  const JsonText::Result result = JsonText::scan(text);
  EXPECT_TRUE(result.text.has_value());
  const Position position = result.text->locate(pointer, at_name);
  return {position.line, position.column};
}

TEST(JsonTextPositions, point_at_the_value_or_at_its_name) {
  const std::string_view text = "{\n  \"a\": 1,\n  \"b\": {\"c\": [true,\n null, {\"d\": \"x\"}]}\n}";
  EXPECT_EQ(place(text, ""), std::pair(1, 1));
  EXPECT_EQ(place(text, "/a"), std::pair(2, 8));
  EXPECT_EQ(place(text, "/a", true), std::pair(2, 3));
  EXPECT_EQ(place(text, "/b/c"), std::pair(3, 14));
  EXPECT_EQ(place(text, "/b/c/0"), std::pair(3, 15));
  EXPECT_EQ(place(text, "/b/c/1"), std::pair(4, 2));
  EXPECT_EQ(place(text, "/b/c/2/d"), std::pair(4, 14));
  EXPECT_EQ(place(text, "/b/c/2/d", true), std::pair(4, 9));
}

TEST(JsonTextPositions, of_what_is_missing_are_those_of_the_value_around_it) {
  const std::string_view text = "{\"a\": {\"b\": 1}}";
  EXPECT_EQ(place(text, "/a/x/y"), std::pair(1, 7));
  EXPECT_EQ(place(text, "/z"), std::pair(1, 1));
}

TEST(JsonTextPositions, count_characters_and_skip_a_byte_order_mark) {
  EXPECT_EQ(place("{\"\xC3\xBC\xE2\x82\xAC\": 1}", "/\xC3\xBC\xE2\x82\xAC"), std::pair(1, 8));
  EXPECT_EQ(place("\xEF\xBB\xBF{\"a\": 1}", "/a"), std::pair(1, 7));
  EXPECT_EQ(place("{\r\n\"a\": 1}", "/a"), std::pair(2, 6));
}

TEST(JsonTextPositions, find_names_with_slashes_tildes_and_escapes) {
  EXPECT_EQ(place(R"({"a/b": {"~": 5}})", "/a~1b/~0"), std::pair(1, 15));
  EXPECT_EQ(place(R"({"\u0041\n": 5})", "/A\n"), std::pair(1, 14));
}

TEST(JsonTextPositions, of_a_field_given_twice_are_those_of_the_last) {
  EXPECT_EQ(place("{\"a\": 1, \"a\": 2}", "/a"), std::pair(1, 15));
}

TEST(JsonTextSyntax, names_the_first_thing_that_is_not_json) {
  EXPECT_EQ(syntax(""), "1:1  found an empty file, expected a JSON object");
  EXPECT_EQ(syntax(" \n\t "), "1:1  found an empty file, expected a JSON object");
  EXPECT_EQ(syntax("{\"a\": 1,\n \"b\" 2}"), "2:6  found '2', expected ':'");
  EXPECT_EQ(syntax("{\"a\": [1 2]}"), "1:10 /a found '2', expected ',' or ']'");
  EXPECT_EQ(syntax("{\"a\": [1, 2"), "1:12 /a found the end of the file, expected ',' or ']'");
  EXPECT_EQ(syntax("{\"a\": \"xy"),
            "1:10  found the end of the file, expected '\"' at the end of the string that "
            "starts at line 1");
  EXPECT_EQ(syntax("{\"a\": tru}"), "1:7  found 't', expected a value");
  EXPECT_EQ(syntax("[1,]"), "1:4  found ']', expected a value after ','");
  EXPECT_EQ(syntax("{\"a\": 1,}"), "1:9  found '}', expected a field name in double quotes");
  EXPECT_EQ(syntax("{a: 1}"), "1:2  found 'a', expected a field name in double quotes or '}'");
  EXPECT_EQ(syntax("{} x"), "1:4  found 'x', expected the end of the file");
  EXPECT_EQ(syntax("// no"), "1:1  found '/', expected a value");
}

TEST(JsonTextSyntax, is_strict_about_numbers) {
  EXPECT_EQ(syntax("[01]"),
            "1:2  found a number that starts with 0, expected a number without leading zeros");
  EXPECT_EQ(syntax("[1.]"), "1:4  found ']', expected a digit");
  EXPECT_EQ(syntax("[-]"), "1:3  found ']', expected a digit");
  EXPECT_EQ(syntax("[1e999]"), "1:2  found 1e999, expected a number that fits into 64 bits");
  EXPECT_EQ(syntax("[99999999999999999999]"),
            "1:2  found 99999999999999999999, expected a number that fits into 64 bits");
  EXPECT_EQ(syntax("[18446744073709551615, -9223372036854775808, 0, -0, 1.5e-3]"), "fine");
  EXPECT_EQ(syntax("[NaN]"), "1:2  found 'N', expected a value");
}

TEST(JsonTextSyntax, is_strict_about_strings_and_bytes) {
  EXPECT_EQ(syntax("[\"a\nb\"]"),
            "1:4  found the end of the line, expected '\"' at the end of the string (control "
            "characters need an escape)");
  EXPECT_EQ(syntax("[\"\\x\"]"), "1:4  found 'x', expected one of \" \\ / b f n r t u after \\");
  EXPECT_EQ(syntax("[\"\\u12g4\"]"), "1:7  found 'g', expected four hexadecimal digits after \\u");
  EXPECT_EQ(syntax("[\"\\ud800\"]"),
            "1:3  found half of a surrogate pair, expected both halves, high half first");
  EXPECT_EQ(syntax("[\"\\ude00\\ud83d\"]"),
            "1:3  found half of a surrogate pair, expected both halves, high half first");
  EXPECT_EQ(syntax("[\"\\ud83d\\ude00\"]"), "fine");
  EXPECT_EQ(syntax("[\"a\xFF\"]"), "1:4  found byte 0xff, expected UTF-8 text");
  EXPECT_EQ(syntax("[\"\xC0\x80\"]"), "1:3  found byte 0xc0, expected UTF-8 text") << "overlong";
  EXPECT_EQ(syntax("[\"\xED\xA0\x80\"]"), "1:3  found byte 0xed, expected UTF-8 text") << "a surrogate";
  EXPECT_EQ(syntax("[\"\xF4\x90\x80\x80\"]"), "1:3  found byte 0xf4, expected UTF-8 text")
      << "above U+10FFFF";
  EXPECT_EQ(syntax("[\"\xE2\x82"), "1:3  found byte 0xe2, expected UTF-8 text") << "cut off";
  EXPECT_EQ(syntax(std::string_view("[\0]", 3)), "1:2  found '\\x00', expected a value");
}

TEST(JsonTextLimits, hold_for_depth_values_and_names) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_EQ(syntax(nested(kMaxDepth)), "fine");
  EXPECT_THAT(syntax(nested(kMaxDepth + 1)), testing::HasSubstr("1:33 /0/0"));
  EXPECT_THAT(syntax(nested(kMaxDepth + 1)),
              testing::EndsWith("found one level of nesting too many, expected at most 32 levels"));
  EXPECT_THAT(syntax(std::string(500'000, '[')), testing::EndsWith("expected at most 32 levels"));

  std::string many = "[0";
  for (int i = 2; i < kMaxValues; ++i) {
    many += ",0";
  }
  EXPECT_EQ(syntax(many + "]"), "fine");
  EXPECT_THAT(syntax(many + ",0]"), testing::EndsWith("expected at most 200000 values"));

  EXPECT_EQ(syntax("{\"" + std::string(256, 'n') + "\": 1}"), "fine");
  EXPECT_EQ(syntax("{\"" + std::string(257, 'n') + "\": 1}"),
            "1:2  found a field name of 257 bytes, expected field names of at most 256 bytes");
}

TEST(JsonTextDuplicates, are_all_reported) {
  const JsonText::Result result = JsonText::scan(R"({"a": 1, "b": {"c": 1, "c": 2}, "a": 3})");
  ASSERT_TRUE(result.text.has_value());
  std::vector<std::string> pointers;
  for (const PointedProblem& problem : result.duplicates.list()) {
    pointers.push_back(problem.pointer);
  }
  EXPECT_EQ(pointers, (std::vector<std::string>{"/b/c", "/a"}));
}

/// What passes here parses everywhere, and the other way round within the limits.
TEST(JsonTextAgreement, with_an_independent_parser_on_twenty_thousand_damaged_texts) {
  std::vector<std::string> seeds{
      R"({"a":[1,2.5e3,-0,"x\u00e9\n",true,false,null],"b":{},"c":[],"d":"\ud83d\ude00"})"};
  for (const auto& path : shipped_files()) {
    seeds.push_back(read_text(path));
  }
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  constexpr std::string_view kBytes = "{}[]\",:\\u0123e+-.tfn \n\x01\x80\xC3\xED\xFF/";
  int valid = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t edits = below(4); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = below(text.size());
      switch (below(3)) {
        case 0:
          text[at] = kBytes[below(kBytes.size())];
          break;
        case 1:
          text.insert(at, 1, kBytes[below(kBytes.size())]);
          break;
        default:
          text.erase(at, 1 + below(3));
      }
    }
    const bool ours = JsonText::scan(text).text.has_value();
    const bool theirs = nlohmann::json::accept(text);
    valid += theirs ? 1 : 0;
    ASSERT_EQ(ours, theirs) << text;
  }
  EXPECT_GT(valid, 100) << "the damage leaves no valid text to agree on";
  EXPECT_LT(valid, 19'000);
}

}  // namespace
}  // namespace mirrorproof::scenarios
