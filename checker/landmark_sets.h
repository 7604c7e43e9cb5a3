#pragma once
// LandmarkSets: the causal order for judges that forget. It answers one question only: is this landmark (an
// election, a take-over, a truncation) in the past of that event? Each event that may still be somebody's
// cause has the set of the landmarks in its past, as bits.

#include <cstdint>
#include <span>
#include <vector>

#include "model/event.h"

namespace mirrorproof::checker {

/// A landmark of the past of which it is only known that it lies in everybody's past; no event's id.
inline constexpr EventId kKnownToAll = 0;
/// One that nobody will ask for.
inline constexpr EventId kForgotten = ~EventId{0};

class LandmarkSets {
 public:
  static constexpr std::uint32_t kNoBit = UINT32_MAX;

  explicit LandmarkSets(std::size_t actors) : latest_(actors, kNobody) {}

  /// Forgets everything; the sets that follow have `landmarks` bits, numbered from 0.
  void restart(std::size_t landmarks);
  /// After restart(), ids increasing: an event of the past, with the bits of the landmarks in its past.
  /// `bit` is its own number if it is a landmark itself.
  void restore(EventId id, std::uint32_t bit, std::span<const std::uint64_t> past);
  /// After restart(): the past of the actor's latest event.
  void restore_latest(std::size_t actor, std::span<const std::uint64_t> past);

  /// What `count` actors from `first` on know passes to others among them: names[i] of them gets what i had.
  void rename_actors(std::size_t first, std::size_t count, std::span<const BrokerId> names);

  void add(const Event& event, std::size_t actor);

  /// Preconditions: both are known, `landmark` is one, or kKnownToAll. An event is in its own past.
  bool in_past(EventId landmark, EventId effect) const;
  /// Bits of the landmarks in the past of the event, of the actor's latest event (empty: it has none).
  std::span<const std::uint64_t> row_of(EventId id) const { return row(place_of(id)); }
  std::span<const std::uint64_t> row_of_actor(std::size_t actor) const {
    return latest_[actor] == kNobody ? std::span<const std::uint64_t>{} : row(latest_[actor]);
  }
  /// Precondition: a landmark.
  std::uint32_t bit_of(EventId landmark) const;

 private:
  static constexpr std::size_t kNobody = SIZE_MAX;
  struct Known {
    EventId id = 0;
    std::uint32_t bit = kNoBit;
  };

  std::size_t place_of(EventId id) const;
  std::span<const std::uint64_t> row(std::size_t place) const {
    return {rows_.data() + place * stride_, stride_};
  }
  bool test(std::size_t row, std::uint32_t bit) const {
    return (rows_[row * stride_ + bit / 64] >> (bit % 64) & 1U) != 0;
  }
  void widen();

  std::vector<Known> known_;         // ids increase; row i of rows_ belongs to known_[i]
  std::vector<std::uint64_t> rows_;  // stride_ words each
  std::vector<std::size_t> latest_;  // per actor: row of its latest event
  std::size_t stride_ = 1;
  std::uint32_t next_bit_ = 0;
};

}  // namespace mirrorproof::checker
