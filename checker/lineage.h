#pragma once
// Lineage of one partition in one cluster (design.md section 2): its elections in epoch order, the reigns
// that came of them, which batches belong, which election or truncation killed them, and how far the log is
// committed.
//
// A reign begins when a broker takes over (BecameLeader). Its *office log* is the log its leader had when it
// lost office: when the next election was written, or just before a power loss cut it, plus what it appended
// later as a zombie. It is not copied: it is the leader's live log, as far as that still is what it was, plus
// the tail that was cut from it since.

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "checker/fates.h"
#include "checker/replica.h"

namespace mirrorproof::checker {

struct ElectionRecord {
  EventId event = 0;
  Epoch epoch = 0;
  ElectionKind kind = ElectionKind::clean;
  BrokerId leader = kNoBroker;
  /// Places of the latest unclean and the latest clean election up to this one; -1 if there is none.
  std::ptrdiff_t latest_unclean = -1;
  std::ptrdiff_t latest_clean = -1;
};

struct Reign {
  Epoch epoch = 0;
  BrokerId leader = kNoBroker;
  EventId became_leader = 0;
};

/// Who stands between two leaders: the latest unclean election if there is one, else the last clean one.
struct Succession {
  EventId killer = 0;
  Epoch epoch = 0;
  bool unclean = false;
};

/// What a take-over did to the lineage.
struct TakeOver {
  struct Lost {
    Batch batch;
    bool committed = false;
    bool after_power_loss = false;
    bool by_mirror = false;         ///< the new leader lost it to LOG_ALIGNMENT or a mirror truncation
    std::optional<Fate> went_with;  ///< Replica::gave_up, of the new leader
  };
  std::optional<Reign> previous;  ///< nothing for the first reign, and for a leader too late to reign
  Succession succession;
  std::vector<Lost> lost;  ///< what the previous leader had and the new one lacks, by offset
};

class Lineage {
 public:
  const std::optional<Reign>& reign() const { return reign_; }
  /// Broker of the current reign, or kNoBroker.
  BrokerId leader() const { return reign_ ? reign_->leader : kNoBroker; }
  Epoch latest_epoch() const { return elections_.empty() ? kUndefinedEpoch : elections_.back().epoch; }
  /// In office: has taken over, and the controller knows no other leader.
  bool in_office(BrokerId broker) const {
    return leader() == broker && broker != kNoBroker &&
           (elections_.empty() || elections_.back().leader == broker);
  }
  /// Exclusive end of what was committed and has not been cut since.
  Offset committed_end() const { return committed_end_; }
  /// Epoch of the reign in which the offset was committed; kUndefinedEpoch if it is not.
  Epoch committed_in(Offset offset) const;
  /// An unclean election with an epoch in (after, until].
  bool unclean_election_within(Epoch after, Epoch until) const { return succession(after, until, 0).unclean; }
  /// The latest unclean election nobody has taken over for yet, neither its own winner nor a later one.
  const ElectionRecord* pending_unclean_election() const;
  const Fates& fates() const { return fates_; }
  /// The batch belongs to the lineage and is alive: the office log has it. `leader` is the current leader's
  /// replica.
  bool alive(const Batch& batch, const Replica& leader) const;

  /// `leader` is the current reign's replica, if there is a reign. Precondition: a larger epoch than ever
  /// before.
  void elected(EventId event, const Election& election, const Replica* leader);
  /// `next` takes over `epoch`; `leader` as above.
  TakeOver take_over(EventId event, BrokerId broker, Epoch epoch, const Replica& next, const Replica* leader);
  /// Call after the replica's log took the batches, all of them at or after `first`.
  void appended(BrokerId broker, AppendOrigin origin, Epoch believed_epoch, const Replica& replica,
                ReplicaLog::Index first);
  /// Call after the replica's log was cut. `end_before` is the index where it ended before.
  void truncated(BrokerId broker, const Truncated& cut, const std::vector<LogEntry>& removed,
                 const Replica& replica, ReplicaLog::Index end_before, const Fate& mirror_fate);
  /// Call before the replica's log starts at `log_start`: what its leader deletes at the front belonged.
  void deletes_front(BrokerId broker, const Replica& replica, Offset log_start);
  /// The log of a mirror's leader was cut at `target`. What retention had deleted from there on cannot come
  /// back from the source: it died as it did there. `fate_there` gives the latest fate of a batch in the
  /// source, or nullptr.
  void mirror_gave_up_deleted(BrokerId broker, Offset target,
                              const std::function<const Fate*(const Batch&)>& fate_there);
  /// The current leader's high watermark reached `high_watermark`.
  void committed(Offset high_watermark);

 private:
  friend struct JudgeState;

  Succession succession(Epoch after, Epoch until, EventId fallback) const;
  void leave_office(const Replica& leader) {
    out_of_office_ = true;
    office_end_ = leader.log.end_index();
  }
  void cut_committed(Offset end);
  void begin_reign(EventId event, BrokerId broker, Epoch epoch, const Replica& next);
  void kill_zombie_batches(const ReplicaLog& log, ReplicaLog::Index first, ReplicaLog::Index end, Epoch epoch,
                           bool takes_over = false);
  void bring_back(const Batch& batch, EventId event, bool unclean);
  void kill_deleted(const Replica& next, const Fate& fate);

  std::vector<ElectionRecord> elections_;
  std::vector<Reign> reigns_;  // epochs increase
  std::optional<Reign> reign_;
  // Out of office, or cut by a power loss: the live log counts up to office_end_ only, cut_tail_ follows.
  bool out_of_office_ = false;
  ReplicaLog::Index office_end_ = 0;
  std::vector<LogEntry> cut_tail_;
  BatchIds cut_ids_;
  /// What leaders deleted at the front (retention), by offset. No loss, but an unclean election may hand
  /// these offsets to a leader that never had the batches: then it killed them, for whoever copied them
  /// before.
  std::vector<Batch> deleted_;
  Offset committed_end_ = 0;
  /// (reign epoch, exclusive end of what was committed in it and before); epochs increase, ends never fall.
  std::vector<EpochEntry> commits_;
  Fates fates_;
};

}  // namespace mirrorproof::checker
