#include "checker/lineage.h"

#include <algorithm>

namespace mirrorproof::checker {

bool Lineage::alive(const Batch& batch, const Replica& leader) const {
  const ReplicaLog& log = leader.log;
  const ReplicaLog::Index index = log.index_at(batch.base_offset);
  const ReplicaLog::Index end = out_of_office_ ? std::min(office_end_, log.end_index()) : log.end_index();
  if (index < end && same_records(log.at(index).batch, batch)) {
    return true;
  }
  return cut_ids_.contains(batch.first_id.packed);
}

const ElectionRecord* Lineage::pending_unclean_election() const {
  if (elections_.empty() || elections_.back().latest_unclean < 0) {
    return nullptr;
  }
  const ElectionRecord& record = elections_[static_cast<std::size_t>(elections_.back().latest_unclean)];
  return reign_ && record.epoch <= reign_->epoch ? nullptr : &record;
}

void Lineage::elected(EventId event, const Election& election, const Replica* leader) {
  ElectionRecord record{event, election.epoch, election.kind, election.leader};
  const auto place = static_cast<std::ptrdiff_t>(elections_.size());
  if (!elections_.empty()) {
    record.latest_unclean = elections_.back().latest_unclean;
    record.latest_clean = elections_.back().latest_clean;
  }
  if (election.kind == ElectionKind::unclean) {
    record.latest_unclean = place;
  } else if (election.kind == ElectionKind::clean) {
    record.latest_clean = place;
  }
  elections_.push_back(record);
  if (leader != nullptr && !out_of_office_) {
    leave_office(*leader);
  }
}

Succession Lineage::succession(Epoch after, Epoch until, EventId fallback) const {
  const auto end =
      std::upper_bound(elections_.begin(), elections_.end(), until,
                       [](Epoch epoch, const ElectionRecord& record) { return epoch < record.epoch; });
  if (end == elections_.begin() || (end - 1)->epoch <= after) {
    return {fallback, until, false};
  }
  const ElectionRecord& last = *(end - 1);
  for (const std::ptrdiff_t place : {last.latest_unclean, last.latest_clean}) {
    if (place >= 0 && elections_[static_cast<std::size_t>(place)].epoch > after) {
      const ElectionRecord& record = elections_[static_cast<std::size_t>(place)];
      return {record.event, record.epoch, record.kind == ElectionKind::unclean};
    }
  }
  // Only bumps, or nobody led: the record that made the new leader has to do.
  return {last.event, last.epoch, false};
}

TakeOver Lineage::take_over(EventId event, BrokerId broker, Epoch epoch, const Replica& next,
                            const Replica* leader) {
  TakeOver result;
  if (!reign_ || leader == nullptr) {
    begin_reign(event, broker, epoch, next);
    return result;
  }
  if (epoch < reign_->epoch) {
    // Too late to reign: a zombie from the start. What it has and the reigning leader lacks, a leader held
    // all the same.
    const ReplicaLog& log = next.log;
    const CommonPrefix same = common_prefix(leader->log, leader->log.end_index(), log, log.end_index());
    for (ReplicaLog::Index index = same.right_begin + same.count; index < log.end_index(); ++index) {
      if (leader->log.find_same(log.at(index).batch) == nullptr) {
        kill_zombie_batches(log, index, index + 1, epoch, true);
      }
    }
    return result;
  }
  result.previous = reign_;
  result.succession = succession(reign_->epoch, epoch, event);
  const bool unclean = result.succession.unclean;
  const ReplicaLog& old_log = leader->log;
  const ReplicaLog& new_log = next.log;
  const ReplicaLog::Index old_end =
      out_of_office_ ? std::min(office_end_, old_log.end_index()) : old_log.end_index();

  const auto lose = [&](const LogEntry& entry) {
    const Batch& batch = entry.batch;
    // Below the new leader's log start retention is to blame. Not so after an unclean election: its history
    // may have had other records there.
    const bool retained_less = !unclean && batch.last_offset < next.highest_log_start;
    if (retained_less || new_log.find_same(batch) != nullptr) {
      return;
    }
    const bool power_loss =
        leader->power_lost.contains(batch.first_id.packed) || next.power_lost.contains(batch.first_id.packed);
    const bool by_mirror = next.mirror_lost.contains(batch.first_id.packed);
    const auto gap = next.gave_up.find(batch.first_id.packed);
    result.lost.push_back({batch, batch.last_offset < committed_end_, power_loss, by_mirror,
                           gap == next.gave_up.end() ? std::nullopt : std::optional(gap->second)});
  };
  if (broker == reign_->leader) {
    for (ReplicaLog::Index index = old_end; index < new_log.end_index(); ++index) {
      bring_back(new_log.at(index).batch, event, unclean);
    }
  } else {
    const CommonPrefix same = common_prefix(old_log, old_end, new_log, new_log.end_index());
    for (ReplicaLog::Index index = old_log.first_index(); index < std::min(same.left_begin, old_end);
         ++index) {
      lose(old_log.at(index));
    }
    for (ReplicaLog::Index index = same.left_begin + same.count; index < old_end; ++index) {
      lose(old_log.at(index));
    }
    if (!fates_.empty()) {
      for (ReplicaLog::Index index = new_log.first_index(); index < same.right_begin; ++index) {
        bring_back(new_log.at(index).batch, event, unclean);
      }
      for (ReplicaLog::Index index = same.right_begin + same.count; index < new_log.end_index(); ++index) {
        bring_back(new_log.at(index).batch, event, unclean);
      }
    }
  }
  std::for_each(cut_tail_.begin(), cut_tail_.end(), lose);
  std::sort(result.lost.begin(), result.lost.end(),
            [](const TakeOver::Lost& left, const TakeOver::Lost& right) {
              return left.batch.base_offset < right.batch.base_offset;
            });

  Fate fate;
  fate.kind = unclean ? Fate::Kind::unclean_election : Fate::Kind::clean_election;
  fate.event = result.succession.killer;
  fate.unclean = unclean;
  for (const TakeOver::Lost& lost : result.lost) {
    fate.after_power_loss = lost.after_power_loss;
    fate.after_mirror_cut = lost.by_mirror;
    fate.committed = lost.committed;
    Fate gap = lost.went_with.value_or(fate);
    gap.after_mirror_cut = lost.by_mirror;
    gap.committed = lost.committed;
    fates_.add(lost.batch, gap);
    cut_committed(lost.batch.base_offset);
  }
  if (unclean) {
    fate.after_power_loss = false;
    fate.after_mirror_cut = false;
    kill_deleted(next, fate);
  }
  // What retention had taken before is no loss, but a shorter log has not committed it either.
  cut_committed(next.log.log_end());
  begin_reign(event, broker, epoch, next);
  return result;
}

void Lineage::deletes_front(BrokerId broker, const Replica& replica, Offset log_start) {
  if (!reign_ || broker != reign_->leader) {
    return;
  }
  const ReplicaLog& log = replica.log;
  for (ReplicaLog::Index index = log.first_index();
       index < log.end_index() && log.at(index).batch.last_offset < log_start; ++index) {
    deleted_.push_back(log.at(index).batch);
  }
}

void Lineage::kill_deleted(const Replica& next, const Fate& fate) {
  // Below the new leader's log start it may have had them, and deleted them as well: see below.
  while (!deleted_.empty() && deleted_.back().last_offset >= next.highest_log_start) {
    const Batch& batch = deleted_.back();
    if (next.log.find_same(batch) == nullptr && !fates_.dead(batch)) {
      Fate killed = fate;
      killed.committed = true;
      fates_.add(batch, killed);
    }
    deleted_.pop_back();
  }
  // Below its log start it had what it deleted itself. Where that was another history than the one that led
  // until now, it never had what the others deleted; from the first batch they share on, it had all before.
  for (auto batch = deleted_.rbegin();
       batch != deleted_.rend() && !next.deleted.empty() && !next.deleted.contains(batch->first_id.packed);
       ++batch) {
    if (batch->base_offset >= next.deleted_from && batch->last_offset < next.log.log_start() &&
        !fates_.dead(*batch)) {
      Fate killed = fate;
      killed.committed = true;
      fates_.add(*batch, killed);
    }
  }
}

void Lineage::mirror_gave_up_deleted(BrokerId broker, Offset target,
                                     const std::function<const Fate*(const Batch&)>& fate_there) {
  if (!reign_ || broker != reign_->leader) {
    return;
  }
  for (auto batch = deleted_.rbegin(); batch != deleted_.rend() && batch->last_offset >= target; ++batch) {
    const Fate* there = fates_.dead(*batch) ? nullptr : fate_there(*batch);
    if (there != nullptr && there->kills()) {
      Fate fate = *there;
      fate.committed = true;
      fates_.add(*batch, fate);
    }
  }
}

void Lineage::committed(Offset high_watermark) {
  if (high_watermark <= committed_end_) {
    return;
  }
  committed_end_ = high_watermark;
  while (!commits_.empty() && commits_.back().epoch >= reign_->epoch) {
    commits_.pop_back();
  }
  commits_.push_back({reign_->epoch, high_watermark});
}

void Lineage::cut_committed(Offset end) {
  if (end >= committed_end_) {
    return;
  }
  committed_end_ = end;
  while (commits_.size() > 1 && commits_[commits_.size() - 2].start_offset >= end) {
    commits_.pop_back();
  }
  if (!commits_.empty()) {
    commits_.back().start_offset = std::min(commits_.back().start_offset, end);
  }
}

Epoch Lineage::committed_in(Offset offset) const {
  if (offset >= committed_end_) {
    return kUndefinedEpoch;
  }
  const auto found =
      std::upper_bound(commits_.begin(), commits_.end(), offset,
                       [](Offset wanted, const EpochEntry& commit) { return wanted < commit.start_offset; });
  return found == commits_.end() ? kUndefinedEpoch : found->epoch;
}

void Lineage::begin_reign(EventId event, BrokerId broker, Epoch epoch, const Replica& next) {
  reign_ = Reign{epoch, broker, event};
  if (reigns_.empty() || reigns_.back().epoch < epoch) {
    reigns_.push_back(*reign_);
  }
  out_of_office_ = false;
  cut_tail_.clear();
  cut_ids_.clear();
  if (latest_epoch() > epoch) {
    leave_office(next);
  }
}

void Lineage::bring_back(const Batch& batch, EventId event, bool unclean) {
  if (!fates_.dead(batch)) {
    return;
  }
  Fate fate;
  fate.kind = Fate::Kind::revival;
  fate.event = event;
  fate.unclean = unclean;
  fate.committed = fates_.of(batch)->back().committed;
  fates_.add(batch, fate);
}

void Lineage::kill_zombie_batches(const ReplicaLog& log, ReplicaLog::Index first, ReplicaLog::Index end,
                                  Epoch epoch, bool takes_over) {
  const auto successor =
      std::upper_bound(reigns_.begin(), reigns_.end(), epoch,
                       [](Epoch wanted, const Reign& reign) { return wanted < reign.epoch; });
  if (successor == reigns_.end()) {
    return;
  }
  const Succession killer = succession(epoch, successor->epoch, successor->became_leader);
  Fate fate;
  fate.kind = killer.unclean ? Fate::Kind::unclean_election : Fate::Kind::clean_election;
  fate.event = killer.killer;
  fate.unclean = killer.unclean;
  for (ReplicaLog::Index index = first; index < end; ++index) {
    const Batch& batch = log.at(index).batch;
    const Fates::History* fates = fates_.of(batch);
    // A leader that takes over late, but after what killed its batches, had them back until its successor
    // came.
    const bool again =
        takes_over && fates != nullptr && fates->back().kills() && fates->back().event < fate.event;
    if (fates == nullptr || again) {
      fates_.add(batch, fate);
    }
  }
}

void Lineage::appended(BrokerId broker, AppendOrigin origin, Epoch believed_epoch, const Replica& replica,
                       ReplicaLog::Index first) {
  const bool as_leader = origin == AppendOrigin::local || origin == AppendOrigin::mirror;
  if (!reign_) {
    return;
  }
  if (broker == reign_->leader) {
    // A leader out of office that goes on writing: its records belong, and the next leader orphans them.
    if (out_of_office_ && as_leader && first == office_end_) {
      office_end_ = replica.log.end_index();
    }
    return;
  }
  if (as_leader && believed_epoch < reign_->epoch) {
    kill_zombie_batches(replica.log, first, replica.log.end_index(), believed_epoch);
  }
}

void Lineage::truncated(BrokerId broker, const Truncated& cut, const std::vector<LogEntry>& removed,
                        const Replica& replica, ReplicaLog::Index end_before, const Fate& mirror_fate) {
  if (!reign_ || broker != reign_->leader) {
    return;
  }
  if (removed.empty()) {
    if (cut.by_mirror) {
      // Retention had left nothing to remove: what is written there from now on is not committed yet.
      cut_committed(cut.target);
    }
    return;
  }
  const ReplicaLog::Index office_end = out_of_office_ ? std::min(office_end_, end_before) : end_before;
  const ReplicaLog::Index kept_end = replica.log.end_index();
  // A full restart drops a prefix as well; then everything that was in the log is in `removed`.
  const std::size_t dead_tail = static_cast<std::size_t>(end_before - office_end);
  const std::size_t members = removed.size() > dead_tail ? removed.size() - dead_tail : 0;
  if (cut.by_mirror) {
    for (std::size_t i = 0; i < members; ++i) {
      Fate fate = mirror_fate;
      fate.committed = removed[i].batch.last_offset < committed_end_;
      fates_.add(removed[i].batch, fate);
      cut_committed(removed[i].batch.base_offset);
    }
    cut_committed(cut.target);
    office_end_ = std::min(office_end, kept_end);
    return;
  }
  // What a power loss (or a truncation as a follower, before anybody took over) takes is decided by the next
  // leader.
  out_of_office_ = true;
  office_end_ = std::min(office_end, kept_end);
  for (std::size_t i = 0; i < members; ++i) {
    if (cut_ids_.insert(removed[i].batch.first_id.packed).second) {
      cut_tail_.push_back(removed[i]);
    }
  }
}

}  // namespace mirrorproof::checker
