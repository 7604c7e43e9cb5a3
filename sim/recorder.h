#pragma once
// Recorder: numbers events and appends them to a buffer the caller drains. With tracing off it only numbers
// them.

#include <initializer_list>
#include <utility>
#include <vector>

#include "model/event.h"

namespace mirrorproof::sim {

class Recorder {
 public:
  explicit Recorder(std::vector<Event>* buffer = nullptr) : buffer_(buffer) {}

  /// Causes that are 0 are left out.
  template <class Payload>
  EventId emit(ClusterId cluster, BrokerId broker, PartitionId partition, Payload&& payload,
               std::initializer_list<EventId> causes = {}) {
    ++last_id_;
    if (buffer_ != nullptr) {
      Event& event = buffer_->emplace_back();
      event.id = last_id_;
      event.cluster = cluster;
      event.broker = broker;
      event.partition = partition;
      event.step = step_;
      for (const EventId cause : causes) {
        if (cause != 0) {
          event.causes.push_back(cause);
        }
      }
      event.payload = std::forward<Payload>(payload);
    }
    return last_id_;
  }

  /// Is anybody listening? Lets callers skip building large payloads.
  bool active() const { return buffer_ != nullptr; }
  void set_step(std::uint32_t step) { step_ = step; }
  EventId last_id() const { return last_id_; }
  /// The next event gets the id after `last`: a state of an exhaustive search is taken up again.
  void resume_after(EventId last) { last_id_ = last; }

 private:
  std::vector<Event>* buffer_;
  EventId last_id_ = 0;
  std::uint32_t step_ = 0;
};

}  // namespace mirrorproof::sim
