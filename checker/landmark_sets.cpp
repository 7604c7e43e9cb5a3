#include "checker/landmark_sets.h"

#include <algorithm>
#include <array>

#include "model/check.h"

namespace mirrorproof::checker {

void LandmarkSets::restart(std::size_t landmarks) {
  known_.clear();
  rows_.clear();
  std::fill(latest_.begin(), latest_.end(), kNobody);
  // Room for those of the next step, so that the rows need not be laid out anew.
  stride_ = landmarks / 64 + 1;
  next_bit_ = static_cast<std::uint32_t>(landmarks);
}

void LandmarkSets::restore(EventId id, std::uint32_t bit, std::span<const std::uint64_t> past) {
  MP_CHECK(known_.empty() || known_.back().id < id, "events of the past are restored in their order");
  known_.push_back({id, bit});
  rows_.insert(rows_.end(), past.begin(), past.end());
  rows_.resize(known_.size() * stride_);
  if (bit != kNoBit) {
    rows_[(known_.size() - 1) * stride_ + bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
}

void LandmarkSets::restore_latest(std::size_t actor, std::span<const std::uint64_t> past) {
  latest_[actor] = known_.size();
  // Nobody names this event: id 0 is no event's, and the ids stay in order.
  const EventId before = known_.empty() ? 0 : known_.back().id;
  known_.push_back({before, kNoBit});
  rows_.insert(rows_.end(), past.begin(), past.end());
  rows_.resize(known_.size() * stride_);
}

void LandmarkSets::rename_actors(std::size_t first, std::size_t count, std::span<const BrokerId> names) {
  std::array<std::size_t, kMaxBrokers> before{};
  std::copy_n(latest_.begin() + static_cast<std::ptrdiff_t>(first), count, before.begin());
  for (std::size_t i = 0; i < count; ++i) {
    latest_[first + static_cast<std::size_t>(names[i])] = before[i];
  }
}

std::size_t LandmarkSets::place_of(EventId id) const {
  const auto found = std::lower_bound(known_.begin(), known_.end(), id,
                                      [](const Known& known, EventId wanted) { return known.id < wanted; });
  MP_CHECK(found != known_.end() && found->id == id, "unknown event");
  return static_cast<std::size_t>(found - known_.begin());
}

void LandmarkSets::widen() {
  const std::size_t wide = stride_ * 2;
  std::vector<std::uint64_t> rows(known_.size() * wide);
  for (std::size_t row = 0; row < known_.size(); ++row) {
    std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(row * stride_), stride_,
                rows.begin() + static_cast<std::ptrdiff_t>(row * wide));
  }
  rows_ = std::move(rows);
  stride_ = wide;
}

void LandmarkSets::add(const Event& event, std::size_t actor) {
  const bool landmark = std::holds_alternative<Election>(event.payload) ||
                        std::holds_alternative<BecameLeader>(event.payload) ||
                        std::holds_alternative<Truncated>(event.payload);
  if (landmark && next_bit_ == stride_ * 64) {
    widen();
  }
  const std::size_t self = known_.size();
  known_.push_back({event.id, landmark ? next_bit_ : kNoBit});
  rows_.resize(rows_.size() + stride_);
  std::uint64_t* mine = rows_.data() + self * stride_;
  const auto learn = [&](std::size_t row) {
    for (std::size_t i = 0; i < stride_; ++i) {
      mine[i] |= rows_[row * stride_ + i];
    }
  };
  if (latest_[actor] != kNobody) {
    learn(latest_[actor]);
  }
  for (const EventId cause : event.causes) {
    learn(place_of(cause));
  }
  if (landmark) {
    mine[next_bit_ / 64] |= std::uint64_t{1} << (next_bit_ % 64);
    next_bit_ += 1;
  }
  latest_[actor] = self;
}

std::uint32_t LandmarkSets::bit_of(EventId landmark) const {
  const std::uint32_t bit = known_[place_of(landmark)].bit;
  MP_CHECK(bit != kNoBit, "not a landmark");
  return bit;
}

bool LandmarkSets::in_past(EventId landmark, EventId effect) const {
  return landmark == kKnownToAll || test(place_of(effect), bit_of(landmark));
}

}  // namespace mirrorproof::checker
