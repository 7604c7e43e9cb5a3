#pragma once
// Fetcher: the follower-fetch state machine (protocol.md section 5; Kafka: AbstractFetcherThread). One object
// stands for one fetcher thread against one broker; it may hold many partitions. Replica fetchers and mirror
// fetchers are this same class; they differ in FetcherRules and in the FetcherHost they are given.
//
// Sans-I/O: the caller asks for the next request, serialises it with `serialize` (the client library's part),
// carries it, and feeds back the answer, the client's UnsupportedVersion, or the loss of the connection. Log
// operations go out through FetcherHost. The object is a value: no clock, no sockets, no randomness.

#include <boost/container/small_vector.hpp>
#include <optional>
#include <span>
#include <variant>

#include "model/api_versions.h"
#include "model/event.h"
#include "model/fetcher_branch.h"
#include "model/messages.h"
#include "model/protocol_options.h"
#include "model/types.h"

namespace mirrorproof {

enum class FetchPhase : std::uint8_t { truncating, fetching };

/// F27/F28: the out-of-range procedure asks the leader for its latest offset, then perhaps for its earliest.
/// It ends in FETCHING; a delay or a new leader epoch abandons it, and the next fetch begins it again if need
/// be.
enum class OutOfRangeStep : std::uint8_t { none, ask_latest, ask_earliest };

/// F1. Ready to fetch <=> fetching, not delayed, no out-of-range procedure under way.
struct PartitionFetchState {
  PartitionId partition = kNoPartition;
  TopicId topic_id = 0;
  Offset fetch_offset = 0;
  std::int64_t lag = -1;  ///< -1 = absent
  Epoch current_leader_epoch = kUndefinedEpoch;
  Epoch last_fetched_epoch = kUndefinedEpoch;  ///< -1 = absent
  FetchPhase phase = FetchPhase::truncating;
  bool delayed = false;           ///< cleared by backoff_elapsed (F2)
  Epoch mirror_leader_epoch = 0;  ///< M27: the largest a mirror leader has told; only grows
  OutOfRangeStep out_of_range = OutOfRangeStep::none;

  bool ready_to_fetch() const {
    return phase == FetchPhase::fetching && !delayed && out_of_range == OutOfRangeStep::none;
  }
  friend bool operator==(const PartitionFetchState&, const PartitionFetchState&) = default;
};

/// What does not change during a fetcher's life.
struct FetcherRules {
  /// Mirror fetchers: M16-M26. Replica fetchers: section 5 unchanged.
  bool mirror = false;
  /// What is believed of a new connection: fetch answers can tell divergence (F3). Mirrors start with true
  /// unless divergence_detection is ofle_only; replica fetchers per inter-broker protocol.
  bool truncate_on_fetch = true;
  /// A truncating partition starts fetching after one answer even if truncation is incomplete
  /// (ofle_rounds: one; or truncate-on-fetch believed, F12).
  bool one_ofle_round = false;
  /// Requests carry currentLeaderEpoch (KIP-320). False for the historic rules.
  bool fenced = true;
  /// KIP-101 and older: a partition is cut to its high watermark and never asks about epochs.
  bool high_watermark_truncation = false;
  /// F22/F23 (stale_response_guard). False: an answer is used although its partition was removed or re-added.
  bool stale_response_guard = true;
  /// M18: new partitions start truncating whatever is believed (mirror_initial_state: truncating).
  bool start_truncating = false;
  /// out_of_range_trims_epochs: F28 with an offset that is in range after all drops the latest epoch: the
  /// leader does not know it.
  bool out_of_range_trims_epochs = false;
  /// unknown_epochs_diverge, mirrors: an undefined OffsetsForLeaderEpoch answer begins the out-of-range
  /// procedure instead of standing for "nothing to cut" (F13, M21).
  bool undefined_is_out_of_range = false;
  /// unknown_epochs_diverge, within a cluster: F28 also drops a log that ends where the leader's begins. The
  /// leader knows no epoch, so none of it can be told from another history.
  bool restart_at_leader_start = false;
  /// empty_answer: forgets_last_epoch. Not F24: the first answer, if it brings nothing, takes
  /// lastFetchedEpoch away.
  bool empty_answer_forgets_epoch = false;
  /// out_of_range_restart: unless_above_leader_end. Not F28: a log that is in range after all is dropped,
  /// too.
  bool in_range_restarts = false;
  /// on_source_epoch_change: retruncate. See update_leader_epoch.
  bool retruncate_on_epoch_change = true;
  DivergenceDetection divergence_detection = DivergenceDetection::fetch_then_ofle;
  VersionDetection version_detection = VersionDetection::every_fetch;
  /// M19: OffsetsForLeaderEpoch questions carry FetcherHost::metadata_leader_epoch where there is one.
  bool epoch_question_by_metadata = false;
  /// The client's own ranges (V7); fetch_only raises the minimum of Fetch to 12, mirrors need Fetch v4, OFLE
  /// v2.
  ApiVersionRange fetch_versions{0, 19};
  ApiVersionRange offset_for_leader_epoch_versions{0, 4};
  ApiVersionRange list_offsets_versions{0, 11};

  friend bool operator==(const FetcherRules&, const FetcherRules&) = default;
};

enum class HostVerdict : std::uint8_t {
  proceed,
  delay,   ///< back off, keep the state (F2, F25)
  fail,    ///< failed and removed from the fetcher (F31)
  remove,  ///< the host takes the partition away (a mirror leaves MIRRORING); no log operation may follow
};

/// What became of a data answer (F24).
struct ProcessedData {
  HostVerdict verdict = HostVerdict::proceed;
  bool appended = false;
  Offset next_offset = kUndefinedOffset;  ///< log end after the append
  Epoch last_epoch = kUndefinedEpoch;     ///< epoch of the last appended batch, -1 if it has none
};

/// What the host wants done about a fetch error.
struct ErrorDecision {
  enum class Kind : std::uint8_t {
    by_table,  ///< section 5.5's table
    delay,
    remove,        ///< the host takes the partition away
    update_epoch,  ///< overwrite currentLeaderEpoch in place with `epoch` (M24); see update_leader_epoch
  } kind = Kind::by_table;
  Epoch epoch = kUndefinedEpoch;
};

/// The local replicas as the fetcher sees them (Kafka: the abstract methods of AbstractFetcherThread). Calls
/// name only partitions held by the fetcher, except where stale_response_guard is off.
class FetcherHost {
 public:
  virtual ~FetcherHost() = default;

  virtual Offset log_start_offset(PartitionId partition) = 0;
  virtual Offset log_end_offset(PartitionId partition) = 0;
  virtual std::optional<Epoch> latest_epoch(PartitionId partition) = 0;
  virtual EpochEndOffset end_offset_for_epoch(PartitionId partition, Epoch epoch) = 0;
  /// What the metadata of a mirror's source says; nothing where it says nothing.
  virtual std::optional<Epoch> metadata_leader_epoch(PartitionId partition) {
    (void)partition;
    return std::nullopt;
  }

  /// Cuts the log; `reason` is diverging_epoch, offset_for_leader_epoch, out_of_range or high_watermark.
  /// `completed` false: another round follows (F16). For mirrors this is where N3 applies: a cut that removes
  /// records ends in `remove` (ULE_RECOVERY after the cut, or FAILED without it).
  virtual HostVerdict truncate(PartitionId partition, Offset target, TruncationReason reason,
                               bool completed) = 0;
  virtual HostVerdict truncate_fully_and_start_at(PartitionId partition, Offset start) = 0;
  /// A diverging answer, before anything is cut. Default: nothing but the truncation comes of it (F22).
  virtual HostVerdict on_diverging_answer(const PartitionFetchState& state,
                                          const FetchPartitionResponse& answer) {
    (void)state;
    (void)answer;
    return HostVerdict::proceed;
  }
  /// F24/M22: append, high watermark, log start. `state` is the fetch state before. The host first compares
  /// state.fetch_offset with its log end and answers `fail` if they differ; corrupt records are `delay`
  /// (F25).
  virtual ProcessedData process_data(const PartitionFetchState& state,
                                     const FetchPartitionResponse& data) = 0;

  /// An error in a fetch answer. Default: the table.
  virtual ErrorDecision on_fetch_error(const PartitionFetchState& state,
                                       const FetchPartitionResponse& answer) {
    (void)state;
    (void)answer;
    return {};
  }
  /// An error in the truncate phase or in the out-of-range procedure. Default: the table (F11, F29).
  virtual ErrorDecision on_truncation_error(const PartitionFetchState& state, ErrorCode error) {
    (void)state;
    (void)error;
    return {};
  }
  /// The connection broke or the client refused a request; `api` as far as known. Called once per partition
  /// held. Default: delay (F21).
  virtual ErrorDecision on_request_failed(const PartitionFetchState& state, bool io_error) {
    (void)state;
    (void)io_error;
    return {ErrorDecision::Kind::delay, kUndefinedEpoch};
  }
};

/// A request together with what decides whether its answer still counts.
struct InFlightRequest {
  ApiVersion version = 0;
  Request request;  ///< as built (before serialisation dropped anything)
  friend bool operator==(const InFlightRequest&, const InFlightRequest&) = default;
};

/// Section 5.4 (KIP-279): where to cut, given the leader's answer.
struct TruncationDecision {
  Offset target = 0;
  bool completed = true;  ///< false: the leader's epoch is unknown here, another round must follow (F16)
  FetcherBranch rule = FetcherBranch::epoch_shared;  ///< which of F13-F17 decided
  friend bool operator==(const TruncationDecision&, const TruncationDecision&) = default;
};

class Fetcher {
 public:
  using States = boost::container::small_vector<PartitionFetchState, 1>;

  Fetcher() = default;
  explicit Fetcher(const FetcherRules& rules) : rules_(rules), truncate_on_fetch_(rules.truncate_on_fetch) {}

  // --- partitions

  /// F4-F8. `init_offset` < 0 starts the out-of-range procedure (F5).
  void add_partition(PartitionId partition, TopicId topic_id, Offset init_offset, Epoch leader_epoch,
                     FetcherHost& host);
  /// F32. Also clears the failed mark.
  void remove_partition(PartitionId partition);
  /// Overwrites currentLeaderEpoch in place (M24); offset, lastFetchedEpoch and delay are kept. If
  /// truncate-on-fetch is off for this connection and the rules say retruncate, the partition becomes
  /// truncating again (N2).
  void update_leader_epoch(PartitionId partition, Epoch epoch);
  /// Topic id learned later; false if the partition is not held.
  bool update_topic_id(PartitionId partition, TopicId topic_id);
  /// F2: the back-off of a delayed partition has passed.
  void backoff_elapsed(PartitionId partition);

  const PartitionFetchState* find(PartitionId partition) const;
  bool failed(PartitionId partition) const;
  void clear_failed(PartitionId partition);
  std::span<const PartitionFetchState> states() const { return {states_.data(), states_.size()}; }
  bool idle() const { return states_.empty(); }
  bool truncate_on_fetch() const { return truncate_on_fetch_; }
  /// Ways taken so far.
  FetcherBranches branches() const { return branches_; }
  const FetcherRules& rules() const { return rules_; }

  // --- requests

  /// The next request, or nothing. Order of one loop: out-of-range questions, then OffsetsForLeaderEpoch for
  /// truncating partitions (F9; those without a local epoch are cut to their fetch offset right here), then a
  /// fetch for all ready partitions (F20).
  std::optional<Request> next_request(FetcherHost& host);
  /// Would next_request do anything? (A request to send, or a local truncation.)
  bool has_work() const;

  // --- answers

  /// True if the answer for `partition` to `sent` would still be used (F10, F22).
  bool answer_counts(PartitionId partition, const Request& sent) const;
  /// F10-F13 / F22-F28 / 5.6, by the type of `response`. False, and nothing changes, if `response` is no
  /// answer to `sent`: another api, or an epoch or offset answer about a partition that was not asked (Kafka:
  /// IllegalStateException). A fetch answer about such a partition is only skipped (F22).
  bool handle_response(const Request& sent, const Response& response, FetcherHost& host);
  /// A diverging answer delivered on its own (F26), for the partition if it is still held (F23).
  void truncate_on_diverging_epoch(PartitionId partition, EpochEndOffset diverging, FetcherHost& host);
  /// N1: the client threw UnsupportedVersion. With fetch_then_ofle and every_fetch, for a fetch:
  /// truncate-on-fetch is turned off for this connection and every fetching partition becomes truncating;
  /// otherwise on_request_failed(false).
  void handle_unsupported_version(ApiKey api, FetcherHost& host);
  /// The connection was lost with a request in flight: on_request_failed(true) for every partition.
  void handle_disconnect(FetcherHost& host);
  /// A new connection: what was believed of the old one is forgotten.
  void handle_connected();

  friend bool operator==(const Fetcher&, const Fetcher&) = default;

 private:
  friend struct StateFields;

  enum class RequestFailure : std::uint8_t { io_error, unsupported_version };

  PartitionFetchState* find_mutable(PartitionId partition);
  void erase(PartitionId partition);
  void mark_failed(PartitionId partition);
  void delay(PartitionId partition);
  /// F2, F31: what follows from a verdict other than proceed.
  void apply_verdict(PartitionId partition, HostVerdict verdict);
  /// True if the host took care of the error; false: section 5.5's table, F11 or F29 decide.
  bool apply_decision(PartitionId partition, const ErrorDecision& decision);
  void request_failed(RequestFailure failure, FetcherHost& host);

  void cut_to_fetch_offset(FetcherHost& host);
  std::optional<Request> build_list_offsets() const;
  std::optional<Request> build_offsets_for_leader_epoch(FetcherHost& host);
  std::optional<Request> build_fetch(FetcherHost& host) const;

  void handle_fetch(const Request& sent, const FetchResponse& response, FetcherHost& host);
  void handle_fetch_error(const FetchPartition& asked, const FetchPartitionResponse& answer,
                          FetcherHost& host);
  void handle_data(const FetchPartition& asked, const FetchPartitionResponse& answer, FetcherHost& host);
  void handle_epoch_answers(const Request& sent, const OffsetsForLeaderEpochResponse& response,
                            FetcherHost& host);
  void handle_offset_answers(const Request& sent, const ListOffsetsResponse& response, FetcherHost& host);
  void handle_truncation_error(PartitionId partition, Epoch epoch_sent, ErrorCode error, FetcherHost& host);
  void fenced(PartitionId partition, Epoch epoch_sent);
  /// 5.4 and F12/F26 for a partition held, or (guard off) for one no longer held whose fetch state was
  /// `state`.
  void truncate_by_answer(const PartitionFetchState& state, EpochEndOffset answer, TruncationReason reason,
                          FetcherHost& host);
  void cut(const PartitionFetchState& state, TruncationDecision decision, TruncationReason reason,
           FetcherHost& host);
  void leader_end_known(const PartitionFetchState& state, Offset leader_end, FetcherHost& host);
  void leader_start_known(const PartitionFetchState& state, Offset leader_start, FetcherHost& host);

  FetcherRules rules_;
  bool truncate_on_fetch_ = true;
  /// Kafka's loop is one truncation round, then one fetch: after a round the partitions that are ready are
  /// fetched before those still truncating are asked about again.
  bool fetch_is_next_ = false;
  /// first_fetch: a fetch went through on this connection, the decision is made.
  bool version_decided_ = false;
  States states_;  // sorted by partition
  boost::container::small_vector<PartitionId, 2> failed_;
  FetcherBranches branches_;
};

/// What the client library makes of `request` for a node (V1-V7): the version used and the request as it
/// arrives, or nothing for UnsupportedVersion. With version_detection drop_field, lastFetchedEpoch is left
/// out below v12.
struct SerializedRequest {
  ApiVersion version = 0;
  Request wire;
};
std::optional<SerializedRequest> serialize(const Request& request, const FetcherRules& rules,
                                           ApiVersionRange node_fetch,
                                           ApiVersionRange node_offset_for_leader_epoch,
                                           ApiVersionRange node_list_offsets);

ApiKey api_of(const Request& request);

/// Section 5.4 for one partition; `fetch_offset` is the fetch state's, used when the leader cannot tell
/// (F13).
TruncationDecision truncation_decision(EpochEndOffset answer, Offset fetch_offset, Offset log_end_offset,
                                       FetcherHost& host, PartitionId partition);

}  // namespace mirrorproof
