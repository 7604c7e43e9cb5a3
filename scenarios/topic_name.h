#pragma once

#include <string_view>

namespace mirrorproof::scenarios {

/// "orders" for the partition "orders-3".
constexpr std::string_view topic_of(std::string_view partition) {
  return partition.substr(0, partition.rfind('-'));
}

}  // namespace mirrorproof::scenarios
