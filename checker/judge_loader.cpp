#include <algorithm>

#include "checker/judge_fields.h"
#include "checker/judge_parts.h"
#include "checker/judge_state.h"
#include "model/check.h"

namespace mirrorproof::checker {
namespace {

using Bits = boost::container::small_vector<std::uint64_t, 4>;

}  // namespace

class JudgeState::Loader {
 public:
  Loader(JudgeParts parts, std::span<WorldGhost> ghosts, ByteReader& in)
      : parts_(parts), ghosts_(ghosts), bytes_(in), in_(in) {}

  EventId run() {
    parts_.replay.answers.by_handling_.clear();
    for_each_replica(parts_.replay, [this](Replica& one) {
      replica(one);
      bytes_.end_section();
    });
    for_each_partition(parts_.replay, [this](ClusterId cluster, PartitionId partition) {
      earlier_landmarks_ = landmark_count_;
      lineage(cluster, partition);
      landmarks_of_.push_back(static_cast<std::uint32_t>(landmark_count_ - earlier_landmarks_));
      bytes_.end_section();
    });
    identities();
    bytes_.end_section();
    versions();
    bytes_.end_section();
    rest();
    bytes_.end_section();
    causality();
    bytes_.end_section();
    return last_;
  }

  /// By lineage: how many it names.
  const auto& landmarks_of() const { return landmarks_of_; }

 private:
  void batches(std::vector<LogEntry>& entries) {
    entries.resize(static_cast<std::size_t>(bytes_.number()));
    for (LogEntry& entry : entries) {
      in_(entry.batch);
      entry.appended = 0;
      entry.sum = 0;
    }
  }

  void ids(BatchIds& set) {
    set.clear();
    for (std::uint64_t left = bytes_.number(); left > 0; --left) {
      RecordId id;
      in_(id);
      set.insert(id.packed);
    }
  }

  void replica(Replica& one) {
    ReplicaLog& log = one.log;
    log.entries_.clear();
    log.head_ = 0;
    log.dropped_ = 0;
    log.front_sum_ = 0;
    log.log_end_ = 0;
    Offset end = 0;
    in_(log.log_start_, end);
    for (std::uint64_t left = bytes_.number(); left > 0; --left) {
      Batch batch;
      in_(batch);
      log.append(batch, 0);
    }
    log.log_end_ = end;
    power_marks_.push_back(bytes_.number());
    in_(one.high_watermark, one.highest_log_start, one.leader_epoch, one.leads);
    ids(one.power_lost);
    ids(one.mirror_lost);
    ids(one.alignment_lost);
    in_(one.epoch_cache, one.epoch_starts_);
    one.epoch_starts_head_ = 0;
    one.of_deleted_topic = false;
    one.topic_recreated = 0;
    one.epochs_touched = Replica::EpochsTouched::no;
    one.answers = {};
    one.aligned_away.clear();
  }

  /// Written down as its number plus 1 until the ids are given out; numbered on from lineage to lineage.
  void landmark(EventId& event) {
    event = earlier_landmarks_ + bytes_.number() + 1;
    landmark_users_.push_back(&event);
    landmark_count_ = std::max<std::size_t>(landmark_count_, event);
  }

  void lineage(ClusterId cluster, PartitionId partition) {
    Lineage& line = parts_.replay.lineage(cluster, partition);
    line.elections_.resize(static_cast<std::size_t>(bytes_.number()));
    std::ptrdiff_t latest_unclean = -1;
    std::ptrdiff_t latest_clean = -1;
    for (std::size_t i = 0; i < line.elections_.size(); ++i) {
      ElectionRecord& record = line.elections_[i];
      in_(record);
      landmark(record.event);
      const auto place = static_cast<std::ptrdiff_t>(i);
      latest_unclean = record.kind == ElectionKind::unclean ? place : latest_unclean;
      latest_clean = record.kind == ElectionKind::clean ? place : latest_clean;
      record.latest_unclean = latest_unclean;
      record.latest_clean = latest_clean;
    }
    line.reigns_.resize(static_cast<std::size_t>(bytes_.number()));
    for (Reign& reign : line.reigns_) {
      in_(reign);
      landmark(reign.became_leader);
    }
    line.out_of_office_ = false;
    line.office_end_ = 0;
    line.reign_.reset();
    if (bytes_.byte() != 0) {
      line.reign_.emplace();
      in_(*line.reign_);
      landmark(line.reign_->became_leader);
      in_(line.out_of_office_);
      if (line.out_of_office_) {
        std::int64_t end = 0;
        in_(end);
        line.office_end_ = static_cast<ReplicaLog::Index>(end);
      }
    }
    batches(line.cut_tail_);
    line.cut_ids_.clear();
    for (const LogEntry& entry : line.cut_tail_) {
      line.cut_ids_.insert(entry.batch.first_id.packed);
    }
    in_(line.deleted_, line.committed_end_, line.commits_);
    fates(line.fates_);
  }

  void fates(Fates& all) {
    all.by_first_id_.clear();
    const auto count = static_cast<std::size_t>(bytes_.number());
    // Users of landmarks point into it: it must not move while it is filled.
    all.by_first_id_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      RecordId id;
      in_(id);
      Fates::Entry& entry = all.by_first_id_[id.packed];
      in_(entry.base_offset);
      entry.fates.resize(static_cast<std::size_t>(bytes_.number()));
      for (Fate& fate : entry.fates) {
        in_(fate);
        landmark(fate.event);
        fate.truncation = 0;
        if (fate.kind == Fate::Kind::mirror_truncation) {
          fate.truncation = static_cast<std::size_t>(bytes_.number());
        } else if (fate.kind == Fate::Kind::alignment &&
                   std::find(alignments_.begin(), alignments_.end(), fate.event) == alignments_.end()) {
          alignments_.push_back(fate.event);
        }
      }
    }
  }

  void rest() {
    for_each_partition(parts_.replay, [this](ClusterId cluster, PartitionId partition) {
      BrokerSet hosts;
      in_(parts_.replay.mirror(cluster, partition), hosts);
      parts_.replay.set_hosts(cluster, partition, hosts);
    });
    undecided();
    in_(parts_.epoch_order.largest_mirrored_, parts_.restarted_logs.told_any_);
  }

  void undecided() {
    auto& open = parts_.provenance.undecided_;
    auto& truncations = parts_.replay.mirror_truncations;
    open.resize(static_cast<std::size_t>(bytes_.number()));
    truncations.clear();
    truncations.resize(2 + open.size());
    truncations[1].justified = true;
    for (std::size_t i = 0; i < open.size(); ++i) {
      Provenance::Undecided& one = open[i];
      MirrorTruncation& truncation = truncations[2 + i];
      one = Provenance::Undecided{};
      one.truncation = 2 + i;
      in_(one.event.cluster, one.event.broker, one.event.partition, truncation.source, one.cut.reason);
      batches(one.removed);
      truncation.cluster = one.event.cluster;
      truncation.broker = one.event.broker;
      truncation.partition = one.event.partition;
    }
  }

  void identities() {
    for (auto& epochs : parts_.epoch_identity.partitions_) {
      epochs.clear();
      for (std::uint64_t left = bytes_.number(); left > 0; --left) {
        Epoch epoch = 0;
        in_(epoch);
        EpochIdentity::EpochRecords& records = epochs[epoch];
        records.in_order.resize(static_cast<std::size_t>(bytes_.number()));
        for (EpochIdentity::Interval& interval : records.in_order) {
          RecordId id;
          in_(interval.base, interval.last, id);
          interval.id_minus_offset = id.packed - static_cast<std::uint64_t>(interval.base);
        }
      }
    }
  }

  void versions() {
    for (auto& cluster : parts_.version_safety.brokers_) {
      for (VersionSafety::Ranges& broker : cluster) {
        in_(broker.known);
        if (broker.known) {
          in_(broker.version, broker.fetch.min, broker.fetch.max, broker.offset_for_leader_epoch.min,
              broker.offset_for_leader_epoch.max);
        }
      }
    }
  }

  void bits(std::size_t count, Bits& out) {
    out.assign(count / 64 + 1, 0);
    for (std::size_t i = 0; i < count; i += 8) {
      out[i / 64] |= std::uint64_t{bytes_.byte()} << (i % 64);
    }
  }

  void causality() {
    const std::size_t landmarks = static_cast<std::size_t>(bytes_.number());
    MP_CHECK(landmarks == landmark_count_, "as many landmarks as are named");
    LandmarkSets& order = *parts_.replay.order.landmarks();
    const std::size_t actors = parts_.replay.order.actors();
    const std::size_t open = parts_.provenance.undecided_.size();
    pasts_.resize(actors + open + ghosts_.size());
    for (std::size_t i = 0; i < actors + open; ++i) {
      bits(landmarks, pasts_[i]);
    }
    boost::container::small_vector<std::pair<std::size_t, Bits>, 2> reads;  // by ghost: later alignments
    for (std::size_t i = 0; i < ghosts_.size(); ++i) {
      WorldGhost& ghost = ghosts_[i];
      ghost.event = bytes_.byte();
      if (ghost.event == 0) {
        continue;
      }
      bits(landmarks, pasts_[actors + open + i]);
      if (ghost.kind == WorldGhost::Kind::position_read) {
        reads.emplace_back(i, Bits());
        bits(alignments_.size(), reads.back().second);
      } else if (ghost.kind == WorldGhost::Kind::answer) {
        pending_answers_.emplace_back();
        PendingAnswer& pending = pending_answers_.back();
        pending.ghost = i;
        in_(pending.answer, ghost.partition);
        pending.after = bytes_.number();
      }
    }
    give_landmark_ids(order, landmarks, reads, actors + open);
    for (std::size_t i = 0; i < open; ++i) {
      parts_.provenance.undecided_[i].event.id = restore(order, pasts_[actors + i]);
      parts_.replay.mirror_truncations[2 + i].event = last_;
    }
    for (std::size_t i = 0; i < ghosts_.size(); ++i) {
      if (ghosts_[i].event != 0 && ghosts_[i].kind == WorldGhost::Kind::cause) {
        ghosts_[i].event = restore(order, pasts_[actors + open + i]);
      }
    }
    give_log_ids(order, actors + open);
    for (std::size_t actor = 0; actor < actors; ++actor) {
      order.restore_latest(actor, {pasts_[actor].data(), pasts_[actor].size()});
    }
  }

  EventId restore(LandmarkSets& order, const Bits& past) {
    order.restore(++last_, LandmarkSets::kNoBit, {past.data(), past.size()});
    return last_;
  }

  /// Landmarks first; an alignment that is younger than so many look-ups gets its id after them.
  template <class Reads>
  void give_landmark_ids(LandmarkSets& order, std::size_t landmarks, Reads& reads, std::size_t first_ghost) {
    order.restart(landmarks);
    std::vector<EventId> ids(landmarks + 1, 0);
    const auto younger_than = [&](EventId number) {
      const auto place = static_cast<std::size_t>(std::find(alignments_.begin(), alignments_.end(), number) -
                                                  alignments_.begin());
      std::size_t count = 0;
      for (const auto& [ghost, later] : reads) {
        count += place < alignments_.size() && (later[place / 64] >> (place % 64) & 1U) != 0 ? 1 : 0;
      }
      return count;
    };
    // The oldest look-up is the one with the most alignments after it.
    std::stable_sort(reads.begin(), reads.end(), [](const auto& left, const auto& right) {
      const auto ones = [](const Bits& bits) {
        int count = 0;
        for (const std::uint64_t word : bits) {
          count += __builtin_popcountll(word);
        }
        return count;
      };
      return ones(left.second) > ones(right.second);
    });
    for (std::size_t reads_before = 0; reads_before <= reads.size(); ++reads_before) {
      for (EventId number = 1; number <= landmarks; ++number) {
        if (reads.empty() || younger_than(number) == reads_before) {
          ids[number] = ++last_;
          order.restore(last_, static_cast<std::uint32_t>(number - 1), {});
        }
      }
      if (reads_before < reads.size()) {
        const std::size_t ghost = reads[reads_before].first;
        ghosts_[ghost].event = restore(order, pasts_[first_ghost + ghost]);
      }
    }
    for (EventId* user : landmark_users_) {
      *user = ids[*user];
    }
  }

  /// Per replica in the order in which things happened to its log.
  void give_log_ids(LandmarkSets& order, std::size_t first_ghost) {
    std::size_t place = 0;
    for (std::size_t c = 0; c < parts_.replay.header().clusters.size(); ++c) {
      const auto cluster = static_cast<ClusterId>(c);
      for (BrokerId broker = 0; broker < parts_.replay.brokers(cluster); ++broker) {
        for (PartitionId partition = 0; partition < parts_.replay.partitions(); ++partition) {
          Replica& one = parts_.replay.replica(cluster, broker, partition);
          const std::uint64_t power_loss = power_marks_[place++];
          one.last_power_loss = 0;
          for (std::uint64_t i = 0; i <= one.log.entries_.size(); ++i) {
            if (i == power_loss && i > 0) {
              one.last_power_loss = ++last_;
            }
            for (PendingAnswer& pending : pending_answers_) {
              if (pending.after == i && pending.answer.server_cluster == cluster &&
                  pending.answer.server_broker == broker && ghosts_[pending.ghost].partition == partition) {
                const EventId handled = restore(order, pasts_[first_ghost + pending.ghost]);
                ghosts_[pending.ghost].event = handled;
                pending.answer.handled = handled;
                parts_.replay.answers.by_handling_.emplace(handled, pending.answer);
              }
            }
            if (i < one.log.entries_.size()) {
              one.log.entries_[i].appended = ++last_;
            }
          }
        }
      }
    }
  }

  struct PendingAnswer {
    Answer answer;
    std::uint64_t after = 0;  // entries of the server's log that it was there for
    std::size_t ghost = 0;
  };

  JudgeParts parts_;
  std::span<WorldGhost> ghosts_;
  ByteReader& bytes_;
  StateLoader in_;
  EventId last_ = 0;
  std::size_t landmark_count_ = 0;
  std::size_t earlier_landmarks_ = 0;  // of the lineages before the one being read
  boost::container::small_vector<std::uint32_t, 4> landmarks_of_;
  boost::container::small_vector<EventId*, 64> landmark_users_;
  boost::container::small_vector<EventId, 16> alignments_;  // as written down by landmark()
  boost::container::small_vector<std::uint64_t, 16> power_marks_;
  boost::container::small_vector<PendingAnswer, 8> pending_answers_;
  std::vector<Bits> pasts_;
};

EventId JudgeState::load(JudgeParts parts, std::span<WorldGhost> ghosts, ByteReader& in,
                         JudgeMemory* memory) {
  Loader loader(parts, ghosts, in);
  const EventId last = loader.run();
  if (memory != nullptr) {
    memory->remember(parts);
    memory->landmarks_of_.assign(loader.landmarks_of().begin(), loader.landmarks_of().end());
  }
  return last;
}

}  // namespace mirrorproof::checker
