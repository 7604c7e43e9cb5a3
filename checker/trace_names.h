#pragma once
// Names of the event vocabulary's enumerations, as traces and reports spell them.

#include "model/enum_names.h"
#include "model/event.h"

namespace mirrorproof {

template <>
struct EnumNames<BatchKind> {
  static constexpr EnumTable<BatchKind, 4> entries{{
      {BatchKind::data, "data"},
      {BatchKind::abort_marker, "abort_marker"},
      {BatchKind::commit_marker, "commit_marker"},
      {BatchKind::pid_reset, "pid_reset"},
  }};
};

template <>
struct EnumNames<StopKind> {
  static constexpr EnumTable<StopKind, 3> entries{{
      {StopKind::clean, "clean"},
      {StopKind::crash, "crash"},
      {StopKind::power_loss, "power_loss"},
  }};
};

template <>
struct EnumNames<ElectionKind> {
  static constexpr EnumTable<ElectionKind, 4> entries{{
      {ElectionKind::clean, "clean"},
      {ElectionKind::unclean, "unclean"},
      {ElectionKind::leaderless, "leaderless"},
      {ElectionKind::epoch_bump, "epoch_bump"},
  }};
};

template <>
struct EnumNames<AppendOrigin> {
  static constexpr EnumTable<AppendOrigin, 4> entries{{
      {AppendOrigin::local, "local"},
      {AppendOrigin::replication, "replication"},
      {AppendOrigin::mirror, "mirror"},
      {AppendOrigin::initial, "initial"},
  }};
};

template <>
struct EnumNames<TruncationReason> {
  static constexpr EnumTable<TruncationReason, 10> entries{{
      {TruncationReason::alignment, "alignment"},
      {TruncationReason::diverging_epoch, "diverging_epoch"},
      {TruncationReason::offset_for_leader_epoch, "offset_for_leader_epoch"},
      {TruncationReason::out_of_range, "out_of_range"},
      {TruncationReason::high_watermark, "high_watermark"},
      {TruncationReason::power_loss, "power_loss"},
      {TruncationReason::open_transaction, "open_transaction"},
      {TruncationReason::topic_deleted, "topic_deleted"},
      {TruncationReason::replica_removed, "replica_removed"},
      {TruncationReason::log_restart, "log_restart"},
  }};
};

template <>
struct EnumNames<ReaderNews> {
  static constexpr EnumTable<ReaderNews, 2> entries{{
      {ReaderNews::diverged, "diverged"},
      {ReaderNews::out_of_range, "out_of_range"},
  }};
};

template <>
struct EnumNames<LossKind> {
  static constexpr EnumTable<LossKind, 2> entries{{
      {LossKind::discarded, "discarded"},
      {LossKind::never_copied, "never_copied"},
  }};
};

template <>
struct EnumNames<BatchContent> {
  static constexpr EnumTable<BatchContent, 2> entries{{
      {BatchContent::records, "records"},
      {BatchContent::emptied, "emptied"},
  }};
};

template <>
struct EnumNames<LogStartMoved::Reason> {
  static constexpr EnumTable<LogStartMoved::Reason, 3> entries{{
      {LogStartMoved::Reason::retention, "retention"},
      {LogStartMoved::Reason::delete_records, "delete_records"},
      {LogStartMoved::Reason::replicated, "replicated"},
  }};
};

template <>
struct EnumNames<MirrorReason> {
  static constexpr EnumTable<MirrorReason, 19> entries{{
      {MirrorReason::none, "none"},
      {MirrorReason::operator_order, "operator_order"},
      {MirrorReason::aligned, "aligned"},
      {MirrorReason::source_epoch_ahead, "source_epoch_ahead"},
      {MirrorReason::epoch_bumped, "epoch_bumped"},
      {MirrorReason::divergence, "divergence"},
      {MirrorReason::recovered, "recovered"},
      {MirrorReason::retry, "retry"},
      {MirrorReason::source_unavailable, "source_unavailable"},
      {MirrorReason::source_metadata_stale, "source_metadata_stale"},
      {MirrorReason::source_not_stopped, "source_not_stopped"},
      {MirrorReason::source_version_too_old, "source_version_too_old"},
      {MirrorReason::mirror_loop, "mirror_loop"},
      {MirrorReason::topic_mismatch, "topic_mismatch"},
      {MirrorReason::fetch_failed, "fetch_failed"},
      {MirrorReason::stop_failed, "stop_failed"},
      {MirrorReason::source_realigned, "source_realigned"},
      {MirrorReason::source_retention, "source_retention"},
      {MirrorReason::source_without_epochs, "source_without_epochs"},
  }};
};

template <>
struct EnumNames<OperatorAction> {
  static constexpr EnumTable<OperatorAction, 6> entries{{
      {OperatorAction::start_mirror, "start_mirror"},
      {OperatorAction::stop_mirror, "stop_mirror"},
      {OperatorAction::pause_mirror, "pause_mirror"},
      {OperatorAction::resume_mirror, "resume_mirror"},
      {OperatorAction::delete_mirror, "delete_mirror"},
      {OperatorAction::recover_mirror, "recover_mirror"},
  }};
};

}  // namespace mirrorproof
