#pragma once
// The ways through the fetcher, named, so that a campaign can say which of them its seeds took. A fetcher
// notes each as it takes it; nothing it does depends on the notes.

#include <cstdint>

#include "model/enum_names.h"

namespace mirrorproof {

/// The rules in brackets are those of protocol.md section 5.
enum class FetcherBranch : std::uint8_t {
  added_again,           ///< same leader epoch, the fetch state is kept (F4)
  added_out_of_range,    ///< no offset to begin with: the out-of-range procedure first (F5)
  added_fetching,        ///< begins to fetch at once (F6)
  added_truncating,      ///< begins with a truncation round (F6, F7)
  cut_without_epochs,    ///< no local epoch: cut to the fetch offset (F9)
  epoch_question,        ///< OffsetsForLeaderEpoch asked (F9)
  fetch_before_round,    ///< what is ready is fetched before the next truncation round
  epoch_answer_ignored,  ///< an OffsetsForLeaderEpoch answer no longer counts (F10)
  fetch_answer_ignored,  ///< a fetch answer no longer counts (F22)
  offset_answer_ignored,
  leader_cannot_tell,     ///< undefined end offset (F13)
  leader_without_epochs,  ///< an end offset without an epoch (F14)
  epoch_shared,           ///< the leader's epoch is known here (F15)
  epoch_unknown_here,     ///< cut to the end of an older one, another round must follow (F16)
  no_local_answer,        ///< no local epoch at or below the leader's (F17)
  another_round,          ///< still truncating after an answer (F12, F16)
  diverging_answer,       ///< a diverging fetch answer is cut by (F26)
  diverging_skipped,      ///< its partition was taken away in between, or its host refused (F23)
  records_appended,       ///< F24
  nothing_appended,       ///< a data answer that brought no record
  out_of_range,           ///< OFFSET_OUT_OF_RANGE: the procedure begins (5.6)
  leader_ends_before,     ///< cut to the leader's log end (F27)
  leader_starts_after,    ///< the log begins anew at the leader's log start (F28)
  in_range_after_all,     ///< the leader still has the offset (F28)
  fenced_failed,          ///< FENCED_LEADER_EPOCH for the epoch held: failed until news (F30)
  fenced_delayed,         ///< ... for an older one: back-off (F30)
  error_delayed,          ///< any other error: back-off
  error_decided_by_host,  ///< a mirror's own rule about an error (M20, M23-M25)
  failed,                 ///< F31
  taken_away,             ///< the host removed the partition while its answer was dealt with
  leader_epoch_updated,   ///< currentLeaderEpoch overwritten in place (M24)
  truncating_again,       ///< ... and the OffsetsForLeaderEpoch path begins anew (N2)
  fell_back,              ///< the client refused lastFetchedEpoch: OffsetsForLeaderEpoch from now on (N1)
  request_refused,        ///< the client refused a request and nothing else can be tried (V1)
  connection_lost,        ///< F21
  believes_anew,          ///< a new connection: what was believed of the old one is forgotten (V8)
};

inline constexpr int kFetcherBranchCount = 36;

/// Which were taken. A ghost: two fetchers that differ only in it are equal.
struct FetcherBranches {
  std::uint64_t bits = 0;

  void note(FetcherBranch branch) { bits |= std::uint64_t{1} << static_cast<int>(branch); }
  void note_all(FetcherBranches others) { bits |= others.bits; }
  bool has(FetcherBranch branch) const { return ((bits >> static_cast<int>(branch)) & 1U) != 0; }
  friend constexpr bool operator==(FetcherBranches, FetcherBranches) { return true; }
};

template <>
struct EnumNames<FetcherBranch> {
  using B = FetcherBranch;
  static constexpr EnumTable<B, kFetcherBranchCount> entries{{
      {B::added_again, "added_again"},
      {B::added_out_of_range, "added_out_of_range"},
      {B::added_fetching, "added_fetching"},
      {B::added_truncating, "added_truncating"},
      {B::cut_without_epochs, "cut_without_epochs"},
      {B::epoch_question, "epoch_question"},
      {B::fetch_before_round, "fetch_before_round"},
      {B::epoch_answer_ignored, "epoch_answer_ignored"},
      {B::fetch_answer_ignored, "fetch_answer_ignored"},
      {B::offset_answer_ignored, "offset_answer_ignored"},
      {B::leader_cannot_tell, "leader_cannot_tell"},
      {B::leader_without_epochs, "leader_without_epochs"},
      {B::epoch_shared, "epoch_shared"},
      {B::epoch_unknown_here, "epoch_unknown_here"},
      {B::no_local_answer, "no_local_answer"},
      {B::another_round, "another_round"},
      {B::diverging_answer, "diverging_answer"},
      {B::diverging_skipped, "diverging_skipped"},
      {B::records_appended, "records_appended"},
      {B::nothing_appended, "nothing_appended"},
      {B::out_of_range, "out_of_range"},
      {B::leader_ends_before, "leader_ends_before"},
      {B::leader_starts_after, "leader_starts_after"},
      {B::in_range_after_all, "in_range_after_all"},
      {B::fenced_failed, "fenced_failed"},
      {B::fenced_delayed, "fenced_delayed"},
      {B::error_delayed, "error_delayed"},
      {B::error_decided_by_host, "error_decided_by_host"},
      {B::failed, "failed"},
      {B::taken_away, "taken_away"},
      {B::leader_epoch_updated, "leader_epoch_updated"},
      {B::truncating_again, "truncating_again"},
      {B::fell_back, "fell_back"},
      {B::request_refused, "request_refused"},
      {B::connection_lost, "connection_lost"},
      {B::believes_anew, "believes_anew"},
  }};
};

}  // namespace mirrorproof
