#include "reports/page_event.h"

#include <fmt/format.h>

#include <string_view>

namespace mirrorproof::reports {
namespace {

std::string epoch_label(Epoch epoch) {
  return fmt::format("e{}", epoch);
}

std::string position_label(MirrorPosition position) {
  return position == MirrorPosition{} ? "no position"
                                      : fmt::format("e{} @{}", position.epoch, position.offset);
}

PageMark mark_for(const BrokerStarted& started) {
  return {MarkKind::started, std::string(kafka_version_name(started.version))};
}

PageMark mark_for(const BrokerStopped& stopped) {
  switch (stopped.kind) {
    case StopKind::crash:
      return {MarkKind::crashed, "crash"};
    case StopKind::power_loss:
      return {MarkKind::power_lost, "power loss"};
    case StopKind::clean:
      break;
  }
  return {MarkKind::stopped, "stop"};
}

PageMark mark_for(const Election& election) {
  switch (election.kind) {
    case ElectionKind::unclean:
      return {MarkKind::unclean_election, "ULE " + epoch_label(election.epoch)};
    case ElectionKind::leaderless:
      return {MarkKind::leaderless, "no leader"};
    case ElectionKind::epoch_bump:
      return {MarkKind::epoch_bump, epoch_label(election.epoch)};
    case ElectionKind::clean:
      break;
  }
  return {MarkKind::election, epoch_label(election.epoch)};
}

PageMark mark_for(const IsrChanged& changed) {
  std::string brokers;
  for (BrokerId broker = 0; broker < kMaxBrokers; ++broker) {
    if (changed.isr.contains(broker)) {
      brokers += fmt::format("{}{}", brokers.empty() ? "" : ",", broker);
    }
  }
  return {MarkKind::isr, "ISR " + (brokers.empty() ? "none" : brokers)};
}

PageMark mark_for(const BecameLeader& became) {
  return {MarkKind::leads, epoch_label(became.epoch)};
}

PageMark mark_for(const BecameFollower& became) {
  return {MarkKind::follows, epoch_label(became.epoch)};
}

PageMark mark_for(const Appended& appended) {
  std::int64_t records = 0;
  for (const Batch& batch : appended.batches) {
    records += batch.stored_records();
  }
  const std::string label = fmt::format("+{}", records);
  switch (appended.origin) {
    case AppendOrigin::initial:
      return {MarkKind::initial, label};
    case AppendOrigin::replication:
      return {MarkKind::copied, label};
    case AppendOrigin::mirror:
      return {MarkKind::mirrored, label};
    case AppendOrigin::local:
      break;
  }
  return {MarkKind::written, label};
}

PageMark mark_for(const Truncated& cut) {
  const std::string label = fmt::format("\u2212{}", cut.removed_records);
  switch (cut.reason) {
    case TruncationReason::alignment:
      return {MarkKind::alignment, label};
    case TruncationReason::power_loss:
    case TruncationReason::open_transaction:
    case TruncationReason::topic_deleted:
    case TruncationReason::replica_removed:
    case TruncationReason::log_restart:
      return {MarkKind::other_truncation, label};
    case TruncationReason::diverging_epoch:
    case TruncationReason::offset_for_leader_epoch:
    case TruncationReason::out_of_range:
    case TruncationReason::high_watermark:
      break;
  }
  return {cut.by_mirror ? MarkKind::mirror_truncation : MarkKind::follower_truncation, label};
}

PageMark mark_for(const LogStartMoved& moved) {
  return {MarkKind::log_start, fmt::format("start {}", moved.log_start)};
}

PageMark mark_for(const LogCleaned& cleaned) {
  return {MarkKind::cleaned, fmt::format("\u2212{}", cleaned.last_offset - cleaned.base_offset + 1)};
}

PageMark mark_for(const HighWatermarkMoved& moved) {
  return {MarkKind::high_watermark, fmt::format("HW {}", moved.high_watermark), true};
}

PageMark mark_for(const EpochCacheChanged&) {
  return {MarkKind::epoch_cache, "", true};
}

PageMark mark_for(const RequestSent& request) {
  const bool fetch = request.api == ApiKey::fetch;
  const bool epochs = request.api == ApiKey::offset_for_leader_epoch;
  return {MarkKind::request, fetch    ? fmt::format("fetch {}", request.fetch_offset)
                             : epochs ? fmt::format("OFLE e{}", request.epoch_offered)
                                      : std::string()};
}

PageMark mark_for(const RequestHandled& handled) {
  std::string label;
  if (handled.error != ErrorCode::none) {
    label = to_string(handled.error);
  } else if (handled.diverging) {
    label = fmt::format("diverges: e{} ends at {}", handled.answer.epoch, handled.answer.end_offset);
  } else if (handled.api == ApiKey::offset_for_leader_epoch) {
    label = fmt::format("e{} ends at {}", handled.answer.epoch, handled.answer.end_offset);
  }
  return {MarkKind::answer, label};
}

PageMark mark_for(const ResponseReceived& received) {
  return {MarkKind::receipt, received.ignored ? "ignored" : ""};
}

PageMark mark_for(const UnsupportedVersion&) {
  return {MarkKind::unsupported, "unsupported"};
}

PageMark mark_for(const Disconnected&) {
  return {MarkKind::disconnected, "lost"};
}

PageMark mark_for(const MirrorStateChanged& changed) {
  return {MarkKind::state, std::string(to_string(changed.to))};
}

PageMark mark_for(const MirrorActionStarted& action) {
  return {MarkKind::work, std::string(to_string(action.state)), true};
}

PageMark mark_for(const MirrorPositionStored& stored) {
  return {MarkKind::position, position_label(stored.position)};
}

PageMark mark_for(const MirrorPositionRead& read) {
  return {MarkKind::position, position_label(read.position)};
}

PageMark mark_for(const MirrorAligned& aligned) {
  return {MarkKind::aligned, fmt::format("aligned {}", aligned.target)};
}

PageMark mark_for(const DivergenceDetected& divergence) {
  return {MarkKind::divergence, fmt::format("diverges at {}", divergence.target)};
}

PageMark mark_for(const OperatorOrdered& order) {
  switch (order.action) {
    case OperatorAction::start_mirror:
      return {MarkKind::order, "start"};
    case OperatorAction::stop_mirror:
      return {MarkKind::order, "stop"};
    case OperatorAction::pause_mirror:
      return {MarkKind::order, "pause"};
    case OperatorAction::resume_mirror:
      return {MarkKind::order, "resume"};
    case OperatorAction::delete_mirror:
      return {MarkKind::order, "delete"};
    case OperatorAction::recover_mirror:
      return {MarkKind::order, "recover"};
  }
  return {MarkKind::order, ""};
}

PageMark mark_for(const ProduceAcked&) {
  return {MarkKind::acked, "", true};
}

/// Whatever else the vocabulary has is told by its text.
template <class Payload>
PageMark mark_for(const Payload&) {
  return {MarkKind::note, ""};
}

}  // namespace

PageMark mark_of(const Event& event) {
  return std::visit([](const auto& payload) { return mark_for(payload); }, event.payload);
}

}  // namespace mirrorproof::reports
