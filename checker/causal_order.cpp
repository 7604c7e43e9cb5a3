#include "checker/causal_order.h"

#include <algorithm>

#include "model/check.h"

namespace mirrorproof::checker {

CausalOrder::CausalOrder(const TraceHeader& header, bool forgetful) {
  for (const TraceCluster& cluster : header.clusters) {
    first_actor_.push_back(static_cast<std::uint32_t>(actors_));
    brokers_.push_back(cluster.brokers);
    actors_ += static_cast<std::size_t>(cluster.brokers) + 1;
  }
  latest_.assign(actors_, kNoEvent);
  clocks_.assign(actors_, 0);
  if (forgetful) {
    landmarks_.emplace(actors_);
  }
}

std::uint32_t CausalOrder::actor_of(const Event& event) const {
  MP_CHECK(event.cluster >= 0 && static_cast<std::size_t>(event.cluster) < first_actor_.size(),
           "event of an unknown cluster");
  const auto cluster = static_cast<std::size_t>(event.cluster);
  MP_CHECK(event.broker >= kController && event.broker < brokers_[cluster], "event of an unknown broker");
  return first_actor_[cluster] + static_cast<std::uint32_t>(event.broker + 1);
}

CausalOrder::Actor CausalOrder::actor_at(EventIndex event) const {
  const std::uint32_t actor = stamps_[event].actor;
  const auto cluster = std::upper_bound(first_actor_.begin(), first_actor_.end(), actor) - 1;
  return {static_cast<ClusterId>(cluster - first_actor_.begin()),
          static_cast<BrokerId>(static_cast<int>(actor - *cluster) - 1)};
}

EventIndex CausalOrder::index_of(EventId id) const {
  // Our own traces number their events without gaps.
  MP_CHECK(!ids_.empty() && id >= ids_.front(), "unknown event");
  const EventId guess = id - ids_.front();
  if (guess < ids_.size() && ids_[guess] == id) {
    return static_cast<EventIndex>(guess);
  }
  const auto found = std::lower_bound(ids_.begin(), ids_.end(), id);
  MP_CHECK(found != ids_.end() && *found == id, "unknown event");
  return static_cast<EventIndex>(found - ids_.begin());
}

EventIndex CausalOrder::add(const Event& event) {
  if (landmarks_) {
    landmarks_->add(event, actor_of(event));
    return kNoEvent;
  }
  MP_CHECK(ids_.empty() || event.id > ids_.back(), "event ids must increase");
  const auto self = static_cast<EventIndex>(ids_.size());
  const std::uint32_t actor = actor_of(event);
  const EventIndex previous = latest_[actor];

  scratch_.clear();
  for (const EventId cause : event.causes) {
    scratch_.push_back(index_of(cause));
  }
  graph_.add(previous, scratch_);

  Stamp stamp{actor, 1, 0};
  if (previous != kNoEvent) {
    stamp.sequence = stamps_[previous].sequence + 1;
    stamp.clock = stamps_[previous].clock;
  }
  bool fresh = false;
  for (const EventIndex cause : scratch_) {
    const Stamp& lesson = stamps_[cause];
    if (lesson.actor == actor || clock(stamp.clock)[lesson.actor] >= lesson.sequence) {
      continue;
    }
    if (!fresh) {
      fresh = true;
      const auto number = static_cast<std::uint32_t>(clocks_.size() / actors_);
      clocks_.resize(clocks_.size() + actors_);
      std::copy_n(clock(stamp.clock), actors_, clock(number));
      stamp.clock = number;
    }
    std::uint32_t* mine = clock(stamp.clock);
    const std::uint32_t* theirs = clock(lesson.clock);
    for (std::size_t i = 0; i < actors_; ++i) {
      mine[i] = std::max(mine[i], theirs[i]);
    }
    mine[lesson.actor] = lesson.sequence;
  }
  ids_.push_back(event.id);
  stamps_.push_back(stamp);
  latest_[actor] = self;
  return self;
}

bool CausalOrder::precedes(EventIndex cause, EventIndex effect) const {
  const Stamp& early = stamps_[cause];
  const Stamp& late = stamps_[effect];
  if (early.actor == late.actor) {
    return early.sequence <= late.sequence;
  }
  return clock(late.clock)[early.actor] >= early.sequence;
}

}  // namespace mirrorproof::checker
