#pragma once
// Cursor: a value inside a document and its JSON pointer. Asking for what is not there, or is of another
// type, gives nothing: the schema has already complained.

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/problems.h"

namespace mirrorproof::scenarios {

class Cursor {
 public:
  Cursor() = default;
  explicit Cursor(const nlohmann::json& document) : json_(&document) {}

  bool exists() const { return json_ != nullptr; }
  bool is_object() const { return json_ != nullptr && json_->is_object(); }
  bool is_array() const { return json_ != nullptr && json_->is_array(); }
  bool is_string() const { return json_ != nullptr && json_->is_string(); }
  /// Only if exists().
  const nlohmann::json& json() const { return *json_; }
  const std::string& pointer() const { return pointer_; }

  /// The named member; a cursor that does not exist if there is none (its pointer still names the place).
  Cursor operator[](std::string_view name) const {
    Cursor member;
    member.pointer_ = child_pointer(pointer_, name);
    if (is_object()) {
      const auto found = json_->find(std::string(name));
      member.json_ = found == json_->end() ? nullptr : &*found;
    }
    return member;
  }

  /// The elements of an array; empty for anything else.
  std::vector<Cursor> elements() const {
    std::vector<Cursor> out;
    if (is_array()) {
      out.reserve(json_->size());
      for (std::size_t i = 0; i < json_->size(); ++i) {
        out.push_back(Cursor(&(*json_)[i], child_pointer(pointer_, i)));
      }
    }
    return out;
  }

  /// The members of an object by name; empty for anything else.
  std::vector<std::pair<std::string, Cursor>> members() const {
    std::vector<std::pair<std::string, Cursor>> out;
    if (is_object()) {
      for (const auto& [name, value] : json_->items()) {
        out.emplace_back(name, Cursor(&value, child_pointer(pointer_, name)));
      }
    }
    return out;
  }

  std::optional<std::string> string() const {
    return is_string() ? std::optional(json_->get_ref<const std::string&>()) : std::nullopt;
  }
  std::optional<bool> boolean() const {
    return json_ != nullptr && json_->is_boolean() ? std::optional(json_->get<bool>()) : std::nullopt;
  }
  std::optional<std::uint64_t> unsigned_integer() const {
    return json_ != nullptr && json_->is_number_unsigned() ? std::optional(json_->get<std::uint64_t>())
                                                           : std::nullopt;
  }
  /// An integer from `low` to `high`.
  template <class Int = int>
  std::optional<Int> integer(std::int64_t low, std::int64_t high) const {
    if (json_ == nullptr || !json_->is_number_integer()) {
      return std::nullopt;
    }
    if (json_->is_number_unsigned() &&
        json_->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return std::nullopt;
    }
    const auto value = json_->get<std::int64_t>();
    return value >= low && value <= high ? std::optional(static_cast<Int>(value)) : std::nullopt;
  }

 private:
  Cursor(const nlohmann::json* json, std::string pointer) : json_(json), pointer_(std::move(pointer)) {}

  const nlohmann::json* json_ = nullptr;
  std::string pointer_;
};

}  // namespace mirrorproof::scenarios
