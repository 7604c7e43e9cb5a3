#pragma once
// BrokerNames: other names for the brokers of each cluster, and a world in which they have those names. What
// a broker is called decides nothing but where explore/symmetry.h says so: the world that was renamed goes on
// as the other one does, under the new names.

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "sim/world.h"

namespace mirrorproof::explore {

/// Per cluster a permutation of its brokers.
class BrokerNames {
 public:
  BrokerNames();  ///< every broker keeps its name

  BrokerId of(ClusterId cluster, BrokerId broker) const {
    return cluster < 0 || broker < 0 ? broker : names(cluster)[static_cast<std::size_t>(broker)];
  }
  BrokerSet of(ClusterId cluster, BrokerSet brokers) const;
  /// The same action under the new names.
  sim::Action of(const sim::Action& action) const;

  std::span<const BrokerId> names(ClusterId cluster) const {
    return names_[static_cast<std::size_t>(cluster)];
  }
  std::span<BrokerId> names(ClusterId cluster) { return names_[static_cast<std::size_t>(cluster)]; }
  bool changes(ClusterId cluster) const;
  bool changes_any() const;

  /// First these names, then for the renamed brokers those.
  BrokerNames then(const BrokerNames& next) const;
  BrokerNames inverse() const;
  friend bool operator==(const BrokerNames&, const BrokerNames&) = default;

 private:
  std::array<std::array<BrokerId, kMaxBrokers>, kMaxClusters> names_;
};

/// Precondition: the world is in its canonical form (canonical_world.h), which leaves no names of brokers in
/// fields that nobody asks for.
void rename_brokers(sim::World& world, const BrokerNames& names);

/// Brings each element to the place that is its new name.
template <class Range>
void permute(Range& range, std::span<const BrokerId> names) {
  std::array<BrokerId, kMaxBrokers> to{};
  std::copy_n(names.begin(), to.size(), to.begin());
  const std::size_t size = std::size(range);
  for (std::size_t i = 0; i < size; ++i) {
    while (static_cast<std::size_t>(to[i]) != i) {
      const auto place = static_cast<std::size_t>(to[i]);
      std::swap(range[i], range[place]);
      std::swap(to[i], to[place]);
    }
  }
}

}  // namespace mirrorproof::explore
