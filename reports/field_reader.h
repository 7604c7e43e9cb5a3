#pragma once
// FieldReader: the fields of a JSON document that the program wrote and somebody may have changed. Every
// getter complains with a JSON pointer, what was found and what was expected, and goes on with a harmless
// value.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.h"

namespace mirrorproof::reports {

class FieldReader {
 public:
  FieldReader(std::string_view file, std::vector<scenarios::Problem>& problems)
      : file_(file), problems_(problems) {}

  void complain(std::string pointer, std::string found, std::string expected);

  /// nullptr after complaining about a field that is missing, or about an `object` that is none.
  const nlohmann::json* field(const nlohmann::json& object, const std::string& at, const std::string& name,
                              std::string_view expected);
  std::uint64_t number(const nlohmann::json& object, const std::string& at, const std::string& name,
                       std::uint64_t low = 0, std::uint64_t high = UINT64_MAX);
  double seconds(const nlohmann::json& object, const std::string& at, const std::string& name);
  bool boolean(const nlohmann::json& object, const std::string& at, const std::string& name);
  /// At most `longest` bytes.
  std::string text(const nlohmann::json& object, const std::string& at, const std::string& name,
                   std::size_t longest);
  /// A name that may become a part of a path: small letters, digits, '-' and '_'.
  std::string plain_name(const nlohmann::json& object, const std::string& at, const std::string& name);
  /// 16 hexadecimal digits.
  std::uint64_t digest(const nlohmann::json& object, const std::string& at, const std::string& name);
  /// nullptr after complaining; at most `longest` entries.
  const nlohmann::json* list(const nlohmann::json& object, const std::string& at, const std::string& name,
                             std::size_t longest);
  const nlohmann::json* object(const nlohmann::json& object, const std::string& at, const std::string& name);
  /// What is wrong inside the scenario is told with its place in this document.
  std::optional<scenarios::Scenario> scenario(const nlohmann::json& object, const std::string& at,
                                              const std::string& name);
  /// Recorded choices of a run; nothing for null.
  std::optional<std::vector<std::uint32_t>> choices(const nlohmann::json& object, const std::string& at,
                                                    const std::string& name);

 private:
  std::string file_;
  std::vector<scenarios::Problem>& problems_;
};

}  // namespace mirrorproof::reports
