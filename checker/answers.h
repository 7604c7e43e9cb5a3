#pragma once
// Answers: follows each request's answer from the server that evaluated it to the client that acts on it, so
// that an append or a truncation can be compared with what the server had at that moment.

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "model/event.h"

namespace mirrorproof::checker {

class ReplicaLog;

/// What the serving replica had just below the first record it returned.
struct Neighbour {
  enum class Kind : std::uint8_t {
    not_returned,     ///< the answer carried no records
    below_log_start,  ///< retention took it, or there is nothing below offset 0
    hole,
    cleaned,  ///< a record, until the log cleaner took it with its batch
    record,
  };
  Kind kind = Kind::not_returned;
  Epoch epoch = kUndefinedEpoch;
  RecordId id;
};

struct Answer {
  EventId handled = 0;
  ClusterId server_cluster = kNoCluster;
  BrokerId server_broker = kNoBroker;
  Offset first_offset = kUndefinedOffset;  ///< base offset of the first batch returned
  Neighbour before;
  bool of_deleted_topic =
      false;  ///< the server had not heard yet that the topic was deleted and created again
};

/// The last few answers a replica received: small and constant, for the effects follow at once.
class ReceivedAnswers {
 public:
  void add(EventId received, const Answer& answer) {
    entries_[next_] = Entry{received, answer};
    next_ = (next_ + 1) % entries_.size();
  }
  /// The answer that one of `causes` received; nullptr if none did.
  template <class Causes>
  const Answer* caused_by(const Causes& causes) const {
    for (const EventId cause : causes) {
      for (const Entry& entry : entries_) {
        if (entry.received == cause) {
          return &entry.answer;
        }
      }
    }
    return nullptr;
  }

 private:
  struct Entry {
    EventId received = 0;
    Answer answer;
  };
  std::array<Entry, 4> entries_{};
  std::size_t next_ = 0;
};

/// Answers under way. An answer that is lost stays: memory is linear in the faults.
class AnswersUnderWay {
 public:
  void handled(const Event& event, const RequestHandled& request, const ReplicaLog& server,
               bool of_deleted_topic = false);
  /// Takes the answer that `event` (a ResponseReceived) was caused by; nothing if the trace does not name it.
  std::optional<Answer> received(const Event& event);
  /// What the log cleaner had taken, at the server, around the records of the answer handled in `event`;
  /// nothing if it never had.
  std::vector<Batch> take_gone(EventId handled);

 private:
  friend struct JudgeState;

  boost::unordered_flat_map<EventId, Answer> by_handling_;
  boost::unordered_flat_map<EventId, std::vector<Batch>> gone_;
};

}  // namespace mirrorproof::checker
