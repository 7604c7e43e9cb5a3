// The JSON scan and cursor, against hand-made cases and against an independent parser.

#include "checker/trace_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "checker/trace_text.h"
#include "checker/trace_writer.h"
#include "trace_test_support.h"

namespace mirrorproof::checker {
namespace {

bool accepts(std::string_view text) {
  std::vector<JsonMember> members;
  return !scan_json_object(text, members).has_value();
}

/// The value of member "v" as the cursor reads a string.
std::string decoded(const std::string& literal) {
  const std::string text = "{\"v\":" + literal + "}";
  std::vector<JsonMember> members;
  EXPECT_FALSE(scan_json_object(text, members).has_value()) << text;
  std::string scratch;
  return std::string(JsonCursor(text, members.at(0).value_at).string(scratch));
}

TEST(TraceJson, AgreesWithAnIndependentParserOnDamagedLines) {
  const Trace trace = TraceMaker(TestRandom(2)).trace(60);
  std::vector<std::string> lines;
  const std::string text = trace_to_text(trace);
  for (std::size_t start = 0; start < text.size(); start = text.find('\n', start) + 1) {
    lines.push_back(text.substr(start, text.find('\n', start) - start));
  }
  static constexpr std::string_view alphabet =
      "{}[]\",:\\/ntu0123456789+-.eE truefalsn\x01\x7F\x80\xC3\xA9\xED\xA0\xF0\x9F\xFF\t\r";
  TestRandom random(11);
  int accepted = 0;
  int rejected = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string line =
        lines[static_cast<std::size_t>(random(0, static_cast<std::int64_t>(lines.size()) - 1))];
    for (std::int64_t edits = random(1, 2); edits > 0 && !line.empty(); --edits) {
      const auto at = static_cast<std::size_t>(random(0, static_cast<std::int64_t>(line.size()) - 1));
      const char byte = alphabet[static_cast<std::size_t>(random(0, alphabet.size() - 1))];
      switch (random(0, 2)) {
        case 0:
          line[at] = byte;
          break;
        case 1:
          line.insert(at, 1, byte);
          break;
        default:
          line.erase(at, 1);
          break;
      }
    }
    const nlohmann::json value = nlohmann::json::parse(line, nullptr, false);
    const bool expected = value.is_object();
    const bool found = accepts(line);
    // The other parser refuses numbers beyond a double; the scan leaves ranges to its user.
    const bool huge_number = found && !expected && line.find_first_of("eE.") != std::string::npos &&
                             line.size() > 20 && !nlohmann::json::accept(line);
    if (!huge_number) {
      ASSERT_EQ(found, expected) << line;
    }
    (expected ? accepted : rejected) += 1;
  }
  EXPECT_GT(accepted, 1500);
  EXPECT_GT(rejected, 5000);
}

TEST(TraceJson, DecodesWhatTheWriterEscapes) {
  TestRandom random(4);
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (std::int64_t length = random(0, 12); length > 0; --length) {
      const std::int64_t code = random(0, 3) == 0 ? random(0, 0x10FFFF) : random(0, 0x7F);
      if (code >= 0xD800 && code <= 0xDFFF) {
        continue;
      }
      // The independent encoder: through a surrogate pair and the other parser.
      char escape[16];
      if (code < 0x10000) {
        std::snprintf(escape, sizeof escape, "\"\\u%04x\"", static_cast<unsigned>(code));
      } else {
        std::snprintf(escape, sizeof escape, "\"\\u%04x\\u%04x\"",
                      static_cast<unsigned>(0xD800 + ((code - 0x10000) >> 10)),
                      static_cast<unsigned>(0xDC00 + ((code - 0x10000) & 0x3FF)));
      }
      const auto character = nlohmann::json::parse(escape).get<std::string>();
      ASSERT_EQ(decoded(escape), character);
      text += character;
    }
    std::string literal;
    append_json_string(literal, text);
    ASSERT_EQ(nlohmann::json::parse(literal).get<std::string>(), text);
    ASSERT_EQ(decoded(literal), text);
  }
}

TEST(TraceJson, DecodesEveryEscape) {
  EXPECT_EQ(decoded(R"("\"\\\/\b\f\n\r\t\u0041\u00e9\u6c49\ud83d\ude00")"), "\"\\/\b\f\n\r\tAé汉😀");
  EXPECT_EQ(decoded(R"("\u0000")"), std::string(1, '\0'));
  EXPECT_EQ(decoded(R"("plain")"), "plain");
}

TEST(TraceJson, ReadsIntegersExactly) {
  const auto read = [](const std::string& number) {
    const std::string text = "{\"v\":" + number + "}";
    JsonCursor cursor(text, 5);
    const auto value = cursor.integer();
    EXPECT_EQ(text[cursor.at()], '}') << number;
    return value ? (value->negative ? "-" : "") + std::to_string(value->magnitude) : std::string("no");
  };
  EXPECT_EQ(read("0"), "0");
  EXPECT_EQ(read("-0"), "-0");
  EXPECT_EQ(read("-17"), "-17");
  EXPECT_EQ(read("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(read("18446744073709551616"), "no");
  EXPECT_EQ(read("99999999999999999999999999"), "no");
  EXPECT_EQ(read("1.0"), "no");
  EXPECT_EQ(read("1e3"), "no");
  EXPECT_EQ(read("-2E+5"), "no");
}

TEST(TraceJson, SkipsAnyValueWhole) {
  for (const char* value : {"{}", "[]", "[[],{}]", "{\"a\":[1,{\"b\":\"]}\"}],\"c\":null}", "\"x\\\"]\"",
                            "true", "false", "null", "-1.5e3", "[ 1 , [ 2 ] , 3 ]"}) {
    for (const char* space : {"", " \t"}) {
      const std::string text = std::string("{\"v\":") + value + space + ",\"w\":1}";
      ASSERT_TRUE(accepts(text)) << text;
      JsonCursor cursor(text, 5);
      cursor.skip();
      EXPECT_EQ(text.substr(cursor.at()), ",\"w\":1}") << text;
    }
  }
}

TEST(TraceJson, AcceptsTheDeepestNestingAndNoDeeper) {
  const auto nested = [](int levels) {
    const auto count = static_cast<std::size_t>(levels - 1);
    return "{\"v\":" + std::string(count, '[') + std::string(count, ']') + "}";
  };
  EXPECT_TRUE(accepts(nested(kMaxJsonDepth)));
  EXPECT_FALSE(accepts(nested(kMaxJsonDepth + 1)));
}

TEST(TraceJson, PrintsCharactersThatActAsEscapes) {
  EXPECT_EQ(printable("plain é 汉 😀"), "plain é 汉 😀");
  EXPECT_EQ(printable("\x7F|\xC2\x80|\xC2\x9F|\xC2\xA0|\xE2\x80\xAE|\xE2\x81\xA9"),
            "\\u007f|\\u0080|\\u009f|\xC2\xA0|\\u202e|\\u2069");
}

TEST(TraceJson, DescribesValuesShortlyAndWithoutCuttingCharacters) {
  EXPECT_EQ(describe_json_value("[1]", 0), "an array");
  EXPECT_EQ(describe_json_value("{} ", 0), "an object");
  EXPECT_EQ(describe_json_value("  17 ", 0), "17");
  for (std::size_t prefix = 0; prefix < 8; ++prefix) {
    std::string text = "\"" + std::string(prefix, 'a');
    for (int i = 0; i < 50; ++i) {
      text += "é";
    }
    text += "\"";
    const std::string shown = describe_json_value(text, 0);
    EXPECT_LE(shown.size(), 51U);
    EXPECT_EQ(shown.substr(shown.size() - 3), "...");
    EXPECT_EQ(shown.substr(0, shown.size() - 3), text.substr(0, shown.size() - 3));
    const auto last = static_cast<unsigned char>(shown[shown.size() - 4]);
    EXPECT_TRUE(last < 0x80 || last == 0xA9) << shown;
  }
}

}  // namespace
}  // namespace mirrorproof::checker
