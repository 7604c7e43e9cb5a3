#include "checker/answers.h"

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
  return {Neighbour::Kind::record, entry->batch.epoch, entry->batch.id_at(offset - 1)};
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
  }
  by_handling_.emplace(event.id, answer);
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
