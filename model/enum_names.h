#pragma once
// One table per enumeration: the names used in scenarios, traces, reports and on the command line.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace mirrorproof {

/// Specialise with `static constexpr std::array entries{...}` of pair<E, string_view>.
template <class E>
struct EnumNames;

template <class E, std::size_t N>
using EnumTable = std::array<std::pair<E, std::string_view>, N>;

template <class E>
constexpr std::string_view to_string(E value) {
  for (const auto& [candidate, name] : EnumNames<E>::entries) {
    if (candidate == value) {
      return name;
    }
  }
  return "?";
}

template <class E>
constexpr std::optional<E> parse_enum(std::string_view text) {
  for (const auto& [candidate, name] : EnumNames<E>::entries) {
    if (name == text) {
      return candidate;
    }
  }
  return std::nullopt;
}

}  // namespace mirrorproof
