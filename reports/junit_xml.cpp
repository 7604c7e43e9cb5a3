#include "reports/junit_xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "reports/judgement_report.h"
#include "reports/markup.h"

namespace mirrorproof::reports {
namespace {

/// XML has no way to write control characters, and CI shows no others than these.
std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : markup_text(text)) {
    if (c == '\n') {
      out += "&#10;";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
    }
  }
  return out;
}

/// Scenario texts are UTF-8 (their readers see to it); whatever else comes along is made so.
std::string utf8_text(std::string_view text) {
  const std::string quoted = Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
  return Json::parse(quoted).get<std::string>();
}

std::string xml_attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, xml_text(utf8_text(value)));
}

std::string case_xml(const std::string& suite, const JunitCase& one) {
  const std::string head =
      "    <testcase" + xml_attribute("classname", "mirrorproof." + suite) + xml_attribute("name", one.name);
  if (one.outcome == JunitCase::Outcome::passed && one.output.empty()) {
    return head + "/>\n";
  }
  std::string out = head + ">\n";
  if (one.outcome != JunitCase::Outcome::passed) {
    const std::string_view element = one.outcome == JunitCase::Outcome::failed ? "failure" : "error";
    out += fmt::format("      <{}{}{}>{}</{}>\n", element, xml_attribute("type", one.type),
                       xml_attribute("message", one.message), xml_text(utf8_text(one.details)), element);
  }
  out += one.skipped ? "      <skipped/>\n" : "";
  if (!one.output.empty()) {
    out += fmt::format("      <system-out>{}</system-out>\n", xml_text(utf8_text(one.output)));
  }
  return out + "    </testcase>\n";
}

}  // namespace

std::string junit_suite(const std::string& name, const std::vector<JunitCase>& cases, double seconds) {
  const auto count = [&](JunitCase::Outcome outcome) {
    return std::count_if(cases.begin(), cases.end(),
                         [&](const JunitCase& one) { return one.outcome == outcome; });
  };
  const std::string counts = fmt::format(
      " tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\"", cases.size(),
      count(JunitCase::Outcome::failed), count(JunitCase::Outcome::error),
      std::count_if(cases.begin(), cases.end(), [](const JunitCase& one) { return one.skipped; }), seconds);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                    xml_attribute("name", "mirrorproof") + counts + ">\n  <testsuite" +
                    xml_attribute("name", name) + counts + ">\n";
  for (const JunitCase& one : cases) {
    out += case_xml(name, one);
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace mirrorproof::reports
