#include <algorithm>
#include <utility>

#include "checker/judge_fields.h"
#include "checker/judge_parts.h"
#include "checker/judge_state.h"
#include "model/check.h"

namespace mirrorproof::checker {

class JudgeState::Saver {
 public:
  Saver(JudgeParts parts, std::span<const WorldGhost> ghosts, const WorldFacts& facts,
        const JudgeMemory* memory, StateSections& out)
      : parts_(parts),
        replay_(std::as_const(parts.replay)),
        ghosts_(ghosts),
        facts_(facts),
        memory_(memory),
        sections_(out),
        bytes_(out.bytes()),
        out_(out.bytes()) {}

  void run() {
    std::size_t place = 0;
    for_each_replica(replay_, [&](const Replica& one) {
      section(parts_.replay.touched_replicas_[place++] != 0, [&] { replica(one); });
    });
    collect_batches();
    place = 0;
    // What is kept of a lineage depends on what others did.
    for_each_partition(replay_, [&](ClusterId cluster, PartitionId partition) {
      section(true, [&] { lineage(cluster, partition, facts_.oldest_epochs[place++]); });
    });
    section(parts_.epoch_identity.touched_, [&] { identities(); });
    section(parts_.version_safety.touched_, [&] { versions(); });
    section(true, [&] { rest(); });
    section(true, [&] { causality(); });
  }

 private:
  /// Who has a batch: the landmarks in his past, nullptr where it is not looked up.
  struct Holder {
    std::uint64_t batch = 0;  // its first id
    const std::uint64_t* row = nullptr;
  };

  template <class Write>
  void section(bool touched, Write&& write) {
    if (memory_ != nullptr && !touched) {
      sections_.same_section();
      return;
    }
    write();
    sections_.end_section();
  }

  /// The batches that somebody has, and the sets of landmarks of those who have them.
  void collect_batches() {
    for (std::size_t i = 0; i < facts_.batches_under_way.size(); ++i) {
      batches_.push_back({facts_.batches_under_way[i].packed, nullptr});
    }
    for_each_replica_of(replay_, [&](ClusterId cluster, BrokerId broker, const Replica& one) {
      const std::uint64_t* row = order().row_of_actor(replay_.order.actor(cluster, broker)).data();
      for (ReplicaLog::Index i = one.log.first_index(); i < one.log.end_index(); ++i) {
        batches_.push_back({one.log.at(i).batch.first_id.packed, row});
      }
    });
    const auto collect = [this](const std::vector<LogEntry>& entries, const std::uint64_t* row) {
      for (const LogEntry& entry : entries) {
        batches_.push_back({entry.batch.first_id.packed, row});
      }
    };
    for (const Provenance::Undecided& open : parts_.provenance.undecided_) {
      collect(open.removed, order().row_of(open.event.id).data());
    }
    for_each_partition(replay_, [&](ClusterId cluster, PartitionId partition) {
      const Lineage& line = replay_.lineage(cluster, partition);
      collect(line.cut_tail_, nullptr);
      for (const Batch& batch : line.deleted_) {
        batches_.push_back({batch.first_id.packed, nullptr});
      }
    });
    std::sort(batches_.begin(), batches_.end(),
              [](const Holder& left, const Holder& right) { return left.batch < right.batch; });
  }

  std::span<const Holder> holders(std::uint64_t batch) const {
    const auto range =
        std::equal_range(batches_.begin(), batches_.end(), Holder{batch, nullptr},
                         [](const Holder& left, const Holder& right) { return left.batch < right.batch; });
    return {range.first, range.second};
  }

  /// Whoever will ever ask for it has it in his past: all who have the batch do.
  bool known_to_all(EventId event, std::span<const Holder> holders) {
    const std::uint32_t bit = order().bit_of(event);
    return std::all_of(holders.begin(), holders.end(), [bit](const Holder& holder) {
      return holder.row != nullptr && (holder.row[bit / 64] >> (bit % 64) & 1U) != 0;
    });
  }

  LandmarkSets& order() { return *parts_.replay.order.landmarks(); }

  void batches(const std::vector<LogEntry>& entries) {
    bytes_.number(entries.size());
    for (const LogEntry& entry : entries) {
      out_(entry.batch);
    }
  }

  void ids(const BatchIds& set) {
    sorted_.assign(set.begin(), set.end());
    std::sort(sorted_.begin(), sorted_.end());
    bytes_.number(sorted_.size());
    for (const std::uint64_t id : sorted_) {
      out_(RecordId{id});
    }
  }

  /// How many of the log's entries were there at the time of `event`: appends come in the order of ids.
  static std::uint64_t entries_until(const ReplicaLog& log, EventId event) {
    std::uint64_t count = 0;
    for (ReplicaLog::Index i = log.first_index(); i < log.end_index() && log.at(i).appended <= event; ++i) {
      ++count;
    }
    return count;
  }

  void replica(const Replica& one) {
    MP_CHECK(!one.of_deleted_topic && one.topic_recreated == 0 && one.aligned_away.empty() &&
                 one.gave_up.empty() && one.epochs_touched == Replica::EpochsTouched::no,
             "a judge is saved between steps, and without topics created again or log cleaners");
    const ReplicaLog& log = one.log;
    out_(log.log_start(), log.log_end());
    bytes_.number(log.end_index() - log.first_index());
    for (ReplicaLog::Index i = log.first_index(); i < log.end_index(); ++i) {
      out_(log.at(i).batch);
    }
    bytes_.number(entries_until(log, one.last_power_loss));
    out_(one.high_watermark, one.highest_log_start, one.leader_epoch, one.leads);
    ids(one.deleted);
    out_(one.deleted.empty() ? Offset{0} : one.deleted_from);
    ids(one.power_lost);
    ids(one.mirror_lost);
    ids(one.alignment_lost);
    out_(one.epoch_cache);
    const auto starts = one.epoch_starts();
    bytes_.number(starts.size());
    for (const EpochEntry& start : starts) {
      out_(start);
    }
  }

  /// By its place in the lineage; the first two numbers have a meaning of their own.
  void landmark(EventId event) {
    const auto first = landmarks_.begin();
    const auto found = std::find(first, landmarks_.end(), event);
    bytes_.number(static_cast<std::uint64_t>(found - first) + kFirstLandmark);
    if (found == landmarks_.end()) {
      landmarks_.push_back(event);
      bits_.push_back(order().bit_of(event));
    }
  }
  /// An election or a take-over, unless no fate will ask for it.
  void landmark_of(Epoch epoch, EventId event) {
    if (epoch > named_until_ || std::find(named_.begin(), named_.end(), event) != named_.end()) {
      landmark(event);
    } else {
      bytes_.number(kForgottenLandmark);
    }
  }

  /// The fates that somebody may still ask for, and which of them are known to all who might.
  /// Not while some broker has yet to hear of an election: what it is about to do asks whether a fate is
  /// older.
  void choose_fates(const Fates& all, bool settled) {
    sorted_.clear();
    named_.clear();
    known_.clear();
    for (const auto& [id, entry] : all.by_first_id_) {
      if (!holders(id).empty()) {
        sorted_.push_back(id);
      }
    }
    std::sort(sorted_.begin(), sorted_.end());
    for (const std::uint64_t id : sorted_) {
      const std::span<const Holder> have = holders(id);
      for (const Fate& fate : all.by_first_id_.find(id)->second.fates) {
        // Alignments are also asked for their age.
        const bool known = fate.event == kKnownToAll ||
                           (settled && fate.kind != Fate::Kind::alignment && known_to_all(fate.event, have));
        known_.push_back(known);
        if (!known) {
          named_.push_back(fate.event);
        }
      }
    }
  }

  void lineage(ClusterId cluster, PartitionId partition, Epoch oldest_epoch) {
    const Lineage& line = replay_.lineage(cluster, partition);
    landmarks_.clear();
    choose_fates(line.fates_, line.latest_epoch() <= oldest_epoch);
    named_until_ = line.reign_ ? std::min(line.reign_->epoch, oldest_epoch) : kUndefinedEpoch;
    // The elections and reigns that are told come last, in the order of their epochs.
    const auto told = [this](const auto& record) { return record.epoch > named_until_; };
    auto election = line.elections_.begin();
    if (facts_.nobody_is_behind && !line.elections_.empty()) {
      election = std::min(std::find_if(election, line.elections_.end(), told), line.elections_.end() - 1);
    }
    bytes_.number(static_cast<std::uint64_t>(line.elections_.end() - election));
    for (; election != line.elections_.end(); ++election) {
      ElectionRecord record = *election;
      if (facts_.nobody_is_behind && !told(record)) {
        record.kind = ElectionKind::clean;
      }
      // Of those that came and went only their epochs are asked for, not whom they made the leader.
      out_(record, election + 1 == line.elections_.end() ? record.leader : kNoBroker);
      landmark_of(record.epoch, record.event);
    }
    auto reign = std::find_if(line.reigns_.begin(), line.reigns_.end(), told);
    bytes_.number(static_cast<std::uint64_t>(line.reigns_.end() - reign));
    for (; reign != line.reigns_.end(); ++reign) {
      out_(*reign);
      landmark(reign->became_leader);
    }
    out_(line.reign_.has_value());
    if (line.reign_) {
      out_(*line.reign_, line.reign_->leader);
      landmark_of(line.reign_->epoch, line.reign_->became_leader);
      const ReplicaLog& log = replay_.replica(cluster, line.reign_->leader, partition).log;
      out_(line.out_of_office_);
      if (line.out_of_office_) {
        out_(static_cast<std::int64_t>(line.office_end_ - log.first_index()));
      }
    }
    batches(line.cut_tail_);
    out_(line.deleted_, line.committed_end_);
    if (facts_.nobody_is_behind && !line.commits_.empty()) {
      bytes_.number(1);
      out_(EpochEntry{0, line.commits_.back().start_offset});
    } else {
      out_(line.commits_);
    }
    fates(line.fates_);
  }

  void fates(const Fates& all) {
    bytes_.number(sorted_.size());
    std::size_t place = 0;
    for (const std::uint64_t id : sorted_) {
      const auto& entry = all.by_first_id_.find(id)->second;
      out_(RecordId{id}, entry.base_offset);
      bytes_.number(entry.fates.size());
      for (const Fate& fate : entry.fates) {
        out_(fate);
        if (known_[place++]) {
          bytes_.number(kLandmarkKnownToAll);
        } else {
          landmark(fate.event);
        }
        if (fate.kind == Fate::Kind::mirror_truncation) {
          bytes_.number(decision(fate.truncation));
        } else if (fate.kind == Fate::Kind::alignment &&
                   std::find(alignments_.begin(), alignments_.end(), fate.event) == alignments_.end()) {
          alignments_.push_back(fate.event);
        }
      }
    }
  }

  /// 0 nothing may rest on it, 1 licensed, from 2 on: undecided, and which.
  std::uint64_t decision(std::size_t truncation) const {
    const auto& open = parts_.provenance.undecided_;
    const auto found = std::find_if(open.begin(), open.end(), [&](const Provenance::Undecided& one) {
      return one.truncation == truncation;
    });
    if (found != open.end()) {
      return 2 + static_cast<std::uint64_t>(found - open.begin());
    }
    return parts_.replay.mirror_truncations[truncation].licensed() ? 1 : 0;
  }

  void undecided(const Provenance::Undecided& open) {
    out_(open.event.cluster, open.event.broker, open.event.partition,
         parts_.replay.mirror_truncations[open.truncation].source, open.cut.reason);
    batches(open.removed);
  }

  /// Intervals by epoch and offset, joined where they continue one another.
  void identities() {
    for (std::size_t p = 0; p < parts_.epoch_identity.partitions_.size(); ++p) {
      MP_CHECK(!parts_.epoch_identity.recreated_[p], "no topic was created again");
      const EpochIdentity::Families& families = parts_.epoch_identity.partitions_[p];
      for (std::size_t cluster = 0; cluster < families.of.size(); ++cluster) {
        out_(families.of[cluster], families.before[cluster]);
        names(families.names[cluster]);
      }
    }
  }

  void names(const EpochIdentity::Names& epochs) {
    bytes_.number(epochs.size());
    for (const auto& [epoch, records] : epochs) {
      out_(epoch);
      intervals_ = records.in_order;
      for (const auto& [base, interval] : records.out_of_order) {
        intervals_.push_back(interval);
      }
      std::sort(intervals_.begin(), intervals_.end(),
                [](const auto& left, const auto& right) { return left.base < right.base; });
      std::size_t kept = 0;
      for (std::size_t i = 1; i < intervals_.size(); ++i) {
        if (intervals_[i].base == intervals_[kept].last + 1 &&
            intervals_[i].id_minus_offset == intervals_[kept].id_minus_offset) {
          intervals_[kept].last = intervals_[i].last;
        } else {
          intervals_[++kept] = intervals_[i];
        }
      }
      intervals_.resize(std::min(intervals_.size(), kept + 1));
      bytes_.number(intervals_.size());
      for (const EpochIdentity::Interval& interval : intervals_) {
        out_(interval.base, interval.last,
             RecordId{interval.id_minus_offset + static_cast<std::uint64_t>(interval.base)});
      }
    }
  }

  void versions() {
    for (const auto& cluster : parts_.version_safety.brokers_) {
      for (const VersionSafety::Ranges& broker : cluster) {
        out_(broker.known);
        if (broker.known) {
          out_(broker.version, broker.fetch.min, broker.fetch.max, broker.offset_for_leader_epoch.min,
               broker.offset_for_leader_epoch.max);
        }
      }
    }
  }

  void rest() {
    for_each_partition(replay_, [this](ClusterId cluster, PartitionId partition) {
      out_(replay_.mirror(cluster, partition), replay_.hosts(cluster, partition),
           replay_.joining(cluster, partition));
    });
    bytes_.number(parts_.provenance.undecided_.size());
    for (const Provenance::Undecided& open : parts_.provenance.undecided_) {
      undecided(open);
    }
    out_(parts_.epoch_order.largest_mirrored_, parts_.restarted_logs.told_any_);
  }

  void causality() {
    bytes_.number(bits_.size());
    in_order_ = true;
    for (std::size_t i = 0; i < bits_.size() && in_order_; ++i) {
      in_order_ = bits_[i] == i;
    }
    for (std::size_t actor = 0; actor < replay_.order.actors(); ++actor) {
      past(order().row_of_actor(actor));
    }
    for (const Provenance::Undecided& open : parts_.provenance.undecided_) {
      past(order().row_of(open.event.id));
    }
    for (const WorldGhost& ghost : ghosts_) {
      world_ghost(ghost);
    }
  }

  /// The landmarks in a past, eight to a byte.
  void past(std::span<const std::uint64_t> row) {
    const std::size_t count = bits_.size();
    for (std::size_t i = 0; i < count; i += 8) {
      std::uint8_t byte = 0;
      if (in_order_ && !row.empty()) {
        byte = static_cast<std::uint8_t>(row[i / 64] >> (i % 64));
        byte &= static_cast<std::uint8_t>(count - i >= 8 ? 0xff : (1U << (count - i)) - 1);
      } else if (!row.empty()) {
        for (std::size_t j = i; j < std::min(count, i + 8); ++j) {
          byte |= static_cast<std::uint8_t>((row[bits_[j] / 64] >> (bits_[j] % 64) & 1U) << (j - i));
        }
      }
      bytes_.byte(byte);
    }
  }

  void later_alignments(EventId read) {
    for (std::size_t i = 0; i < alignments_.size(); i += 8) {
      std::uint8_t byte = 0;
      for (std::size_t j = i; j < std::min(alignments_.size(), i + 8); ++j) {
        byte = static_cast<std::uint8_t>(byte | (alignments_[j] > read ? 1U << (j - i) : 0U));
      }
      bytes_.byte(byte);
    }
  }

  void world_ghost(const WorldGhost& ghost) {
    out_(ghost.event != 0);
    if (ghost.event == 0) {
      return;
    }
    past(order().row_of(ghost.event));
    if (ghost.kind == WorldGhost::Kind::position_read) {
      later_alignments(ghost.event);
    } else if (ghost.kind == WorldGhost::Kind::answer) {
      const auto found = parts_.replay.answers.by_handling_.find(ghost.event);
      MP_CHECK(found != parts_.replay.answers.by_handling_.end(), "an answer nobody gave");
      const Answer& answer = found->second;
      out_(answer, ghost.partition);
      bytes_.number(entries_until(
          replay_.replica(answer.server_cluster, answer.server_broker, ghost.partition).log, answer.handled));
    }
  }

  JudgeParts parts_;
  const Replay& replay_;
  std::span<const WorldGhost> ghosts_;
  const WorldFacts& facts_;
  const JudgeMemory* memory_;
  StateSections& sections_;
  ByteWriter& bytes_;
  StateSaver out_;
  boost::container::small_vector<EventId, 32> landmarks_;   // of the lineage being written
  boost::container::small_vector<std::uint32_t, 64> bits_;  // of all landmarks, by number
  boost::container::small_vector<Holder, 64> batches_;      // sorted by batch
  // Of the lineage being written.
  Epoch named_until_ = kUndefinedEpoch;
  boost::container::small_vector<EventId, 16> named_;
  boost::container::small_vector<bool, 32> known_;  // by fate, in the order of sorted_
  bool in_order_ = false;                           // bits_ counts 0, 1, 2...
  boost::container::small_vector<EventId, 16> alignments_;
  boost::container::small_vector<std::uint64_t, 32> sorted_;
  std::vector<EpochIdentity::Interval> intervals_;
};

void JudgeState::save(JudgeParts parts, std::span<const WorldGhost> ghosts, const WorldFacts& facts,
                      const JudgeMemory* memory, StateSections& out) {
  Saver(parts, ghosts, facts, memory, out).run();
}

}  // namespace mirrorproof::checker
