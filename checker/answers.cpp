#include "checker/answers.h"

#include <utility>

#include "checker/replica_log.h"

namespace mirrorproof::checker {
namespace {

Neighbour neighbour_below(Offset offset, const ReplicaLog& log) {
  Neighbour neighbour;
  if (offset - 1 < log.log_start()) {
    neighbour.kind = Neighbour::Kind::below_log_start;
    return neighbour;
  }
  const LogEntry* entry = log.find(offset - 1);
  if (entry == nullptr) {
    neighbour.kind = Neighbour::Kind::hole;
    return neighbour;
  }
  const bool present = is_present(entry->batch);
  return {present ? Neighbour::Kind::record : Neighbour::Kind::cleaned, entry->batch.epoch,
          entry->batch.id_at(offset - 1)};
}

}  // namespace

void AnswersUnderWay::handled(const Event& event, const RequestHandled& request, const ReplicaLog& server,
                              bool of_deleted_topic) {
  Answer answer;
  answer.of_deleted_topic = of_deleted_topic;
  answer.handled = event.id;
  answer.server_cluster = event.cluster;
  answer.server_broker = event.broker;
  if (request.api == ApiKey::fetch && request.first_offset >= 0) {
    answer.first_offset = request.first_offset;
    answer.before = neighbour_below(request.first_offset, server);
    if (server.was_cleaned()) {
      gone_.emplace(event.id, gone_around(server, request.first_offset));
    }
  }
  by_handling_.emplace(event.id, answer);
}

std::vector<Batch> AnswersUnderWay::take_gone(EventId handled) {
  const auto found = gone_.find(handled);
  if (found == gone_.end()) {
    return {};
  }
  std::vector<Batch> gone = std::move(found->second);
  gone_.erase(found);
  return gone;
}

std::optional<Answer> AnswersUnderWay::received(const Event& event) {
  for (const EventId cause : event.causes) {
    const auto found = by_handling_.find(cause);
    if (found != by_handling_.end()) {
      const Answer answer = found->second;
      by_handling_.erase(found);
      return answer;
    }
  }
  return std::nullopt;
}

}  // namespace mirrorproof::checker
