#pragma once
// JUnit XML: test cases with their outcomes, whatever they are about.

#include <cstdint>
#include <string>
#include <vector>

namespace mirrorproof::reports {

struct JunitCase {
  enum class Outcome : std::uint8_t { passed, failed, error } outcome = Outcome::passed;
  std::string name;
  std::string type;     ///< kind of the violation
  std::string message;  ///< one line
  std::string details;
  std::string output;    ///< worth a look although nothing failed
  bool skipped = false;  ///< could not be judged
};

/// A document of one suite. Texts may hold anything: what XML cannot say is replaced. `seconds`: how long it
/// all took.
std::string junit_suite(const std::string& name, const std::vector<JunitCase>& cases, double seconds);

}  // namespace mirrorproof::reports
