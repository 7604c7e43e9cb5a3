#include <algorithm>

#include "checker/judge_fields.h"
#include "checker/judge_parts.h"
#include "checker/judge_state.h"
#include "model/check.h"

namespace mirrorproof::checker {
namespace {

// Ids that do not depend on what else is loaded: each lineage and each log has a range of its own, so that
// one that stays as it is keeps its ids. In the order of the ranges: landmarks, look-ups of positions among
// them (by how many look-ups an alignment is younger), other causes, what happened to logs.
constexpr EventId kAfterLookUp = EventId{1} << 40;
constexpr EventId kLineage = EventId{1} << 20;
constexpr EventId kCauses = EventId{1} << 50;
constexpr EventId kLogs = EventId{1} << 52;
constexpr EventId kLog = EventId{1} << 36;
constexpr EventId kLogEntry = EventId{1} << 10;
constexpr EventId kLast = EventId{1} << 60;

/// Of the entry that has so many before it.
constexpr EventId log_id(std::size_t replica, std::uint64_t entries) {
  return kLogs + replica * kLog + (entries + 1) * kLogEntry;
}

}  // namespace

class JudgeState::Loader {
 public:
  Loader(JudgeParts parts, std::span<WorldGhost> ghosts, std::span<const SectionView> sections,
         JudgeMemory* memory)
      : parts_(parts),
        ghosts_(ghosts),
        sections_(sections),
        memory_(memory),
        landmarks_of_(memory != nullptr ? memory->landmarks_of_ : own_landmarks_of_),
        bytes_(nullptr),
        in_(bytes_) {}

  EventId run() {
    const bool any_read = std::any_of(ghosts_.begin(), ghosts_.end(), [](const WorldGhost& ghost) {
      return ghost.kind == WorldGhost::Kind::position_read;
    });
    const bool all_lineages = memory_ == nullptr || any_read || memory_->any_read_;
    parts_.replay.answers.by_handling_.clear();
    std::size_t place = 0;
    std::size_t section = 0;
    for_each_replica(parts_.replay, [&](Replica& one) {
      if (open(section++)) {
        replica(one, place);
        if (memory_ != nullptr) {
          memory_->replicas_[place] = one;
        }
      }
      place += 1;
    });
    landmarks_of_.resize(parts_.replay.lineages_.size());
    place = 0;
    for_each_partition(parts_.replay, [&](ClusterId cluster, PartitionId partition) {
      if (open(section++) || all_lineages) {
        first_id_ = place * kLineage + 1;
        landmarks_of_[place] = 0;
        lineage(parts_.replay.lineage(cluster, partition), landmarks_of_[place]);
      }
      landmark_count_ += landmarks_of_[place];
      place += 1;
    });
    const bool identities_changed = open(section++);
    if (identities_changed) {
      identities();
    }
    const bool versions_changed = open(section++);
    if (versions_changed) {
      versions();
    }
    open(section++);
    rest();
    open(section++);
    causality();
    if (memory_ != nullptr) {
      memory_->any_read_ = any_read;
      memory_->remember(parts_, sections_, all_lineages, identities_changed, versions_changed);
    }
    return kLast;
  }

 private:
  /// Goes to the section. False: it is as it was, and need not be read.
  bool open(std::size_t section) {
    bytes_ = ByteReader(sections_[section].begin);
    return memory_ == nullptr || sections_[section].changed;
  }

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

  void replica(Replica& one, std::size_t place) {
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
      log.append(batch, log_id(place, log.entries_.size()));
    }
    log.log_end_ = end;
    const std::uint64_t before_power_loss = bytes_.number();
    one.last_power_loss = before_power_loss == 0 ? 0 : log_id(place, before_power_loss - 1) + 1;
    in_(one.high_watermark, one.highest_log_start, one.leader_epoch, one.leads);
    ids(one.deleted);
    in_(one.deleted_from);
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

  /// Counted by their places in the lineage.
  void landmark(EventId& event, std::uint32_t& count) {
    const std::uint64_t number = bytes_.number();
    if (number < kFirstLandmark) {
      event = number == kLandmarkKnownToAll ? kKnownToAll : kForgotten;
      return;
    }
    const auto place = static_cast<std::uint32_t>(number - kFirstLandmark);
    event = first_id_ + place;
    count = std::max(count, place + 1);
  }

  void lineage(Lineage& line, std::uint32_t& count) {
    line.elections_.resize(static_cast<std::size_t>(bytes_.number()));
    std::ptrdiff_t latest_unclean = -1;
    std::ptrdiff_t latest_clean = -1;
    for (std::size_t i = 0; i < line.elections_.size(); ++i) {
      ElectionRecord& record = line.elections_[i];
      in_(record, record.leader);
      landmark(record.event, count);
      const auto place = static_cast<std::ptrdiff_t>(i);
      latest_unclean = record.kind == ElectionKind::unclean ? place : latest_unclean;
      latest_clean = record.kind == ElectionKind::clean ? place : latest_clean;
      record.latest_unclean = latest_unclean;
      record.latest_clean = latest_clean;
    }
    line.reigns_.resize(static_cast<std::size_t>(bytes_.number()));
    for (Reign& reign : line.reigns_) {
      in_(reign);
      reign.leader = kNoBroker;
      landmark(reign.became_leader, count);
    }
    line.out_of_office_ = false;
    line.office_end_ = 0;
    line.reign_.reset();
    if (bytes_.byte() != 0) {
      line.reign_.emplace();
      in_(*line.reign_, line.reign_->leader);
      landmark(line.reign_->became_leader, count);
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
    fates(line.fates_, count);
  }

  void fates(Fates& all, std::uint32_t& count) {
    all.by_first_id_.clear();
    for (std::uint64_t left = bytes_.number(); left > 0; --left) {
      RecordId id;
      in_(id);
      Fates::Entry& entry = all.by_first_id_[id.packed];
      in_(entry.base_offset);
      entry.fates.resize(static_cast<std::size_t>(bytes_.number()));
      for (Fate& fate : entry.fates) {
        in_(fate);
        landmark(fate.event, count);
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
      BrokerSet joining;
      in_(parts_.replay.mirror(cluster, partition), hosts, joining);
      parts_.replay.set_hosts(cluster, partition, hosts, joining);
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
    for (EpochIdentity::Families& families : parts_.epoch_identity.partitions_) {
      for (std::size_t cluster = 0; cluster < families.of.size(); ++cluster) {
        in_(families.of[cluster], families.before[cluster]);
        names(families.names[cluster]);
      }
    }
  }

  void names(EpochIdentity::Names& epochs) {
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

  void bits(std::size_t count, std::uint64_t* out) {
    for (std::size_t i = 0; i < count; i += 8) {
      out[i / 64] |= std::uint64_t{bytes_.byte()} << (i % 64);
    }
  }

  void causality() {
    const auto landmarks = static_cast<std::size_t>(bytes_.number());
    MP_CHECK(landmarks == landmark_count_, "as many landmarks as are named");
    LandmarkSets& order = *parts_.replay.order.landmarks();
    const std::size_t actors = parts_.replay.order.actors();
    const std::size_t open = parts_.provenance.undecided_.size();
    words_ = landmarks / 64 + 1;
    pasts_.assign((actors + open + ghosts_.size()) * words_, 0);
    for (std::size_t i = 0; i < actors + open; ++i) {
      bits(landmarks, past(i));
    }
    for (std::size_t i = 0; i < ghosts_.size(); ++i) {
      WorldGhost& ghost = ghosts_[i];
      ghost.event = bytes_.byte();
      if (ghost.event == 0) {
        continue;
      }
      bits(landmarks, past(actors + open + i));
      if (ghost.kind == WorldGhost::Kind::position_read) {
        LookUp& read = look_ups_.emplace_back();
        read.ghost = i;
        read.younger.resize(alignments_.size() / 64 + 1);
        bits(alignments_.size(), read.younger.data());
      } else if (ghost.kind == WorldGhost::Kind::answer) {
        PendingAnswer& pending = pending_answers_.emplace_back();
        pending.ghost = i;
        in_(pending.answer, ghost.partition);
        pending.after = bytes_.number();
      }
    }
    order.restart(landmarks);
    restore_landmarks(order, actors + open);
    EventId next = kCauses;
    for (std::size_t i = 0; i < open; ++i) {
      parts_.provenance.undecided_[i].event.id = restore(order, next++, actors + i);
      parts_.replay.mirror_truncations[2 + i].event = next - 1;
    }
    for (std::size_t i = 0; i < ghosts_.size(); ++i) {
      if (ghosts_[i].event != 0 && ghosts_[i].kind == WorldGhost::Kind::cause) {
        ghosts_[i].event = restore(order, next++, actors + open + i);
      }
    }
    restore_answers(order, actors + open);
    for (std::size_t actor = 0; actor < actors; ++actor) {
      order.restore_latest(actor, {past(actor), words_});
    }
  }

  std::uint64_t* past(std::size_t place) { return pasts_.data() + place * words_; }

  EventId restore(LandmarkSets& order, EventId id, std::size_t place) {
    order.restore(id, LandmarkSets::kNoBit, {past(place), words_});
    return id;
  }

  /// An alignment that is younger than so many look-ups gets its id after them.
  void restore_landmarks(LandmarkSets& order, std::size_t first_ghost) {
    // The oldest look-up is the one with the most alignments after it.
    std::stable_sort(look_ups_.begin(), look_ups_.end(), [](const LookUp& left, const LookUp& right) {
      const auto ones = [](const LookUp& read) {
        int count = 0;
        for (const std::uint64_t word : read.younger) {
          count += __builtin_popcountll(word);
        }
        return count;
      };
      return ones(left) > ones(right);
    });
    for (std::size_t earlier = 0; earlier <= look_ups_.size(); ++earlier) {
      std::uint32_t bit = 0;
      for (std::size_t line = 0; line < landmarks_of_.size(); ++line) {
        for (std::uint32_t number = 0; number < landmarks_of_[line]; ++number, ++bit) {
          const EventId id = line * kLineage + 1 + number;
          if (look_ups_.empty() || look_ups_before(id) == earlier) {
            order.restore(earlier * kAfterLookUp + id, bit, {});
          }
        }
      }
      if (earlier < look_ups_.size()) {
        const std::size_t ghost = look_ups_[earlier].ghost;
        ghosts_[ghost].event = restore(order, (earlier + 1) * kAfterLookUp, first_ghost + ghost);
      }
    }
    if (look_ups_.empty()) {
      return;
    }
    for (Lineage& line : parts_.replay.lineages_) {
      for (auto& [id, entry] : line.fates_.by_first_id_) {
        for (Fate& fate : entry.fates) {
          fate.event += look_ups_before(fate.event) * kAfterLookUp;
        }
      }
    }
  }

  std::size_t look_ups_before(EventId landmark) const {
    const auto found = std::find(alignments_.begin(), alignments_.end(), landmark);
    if (found == alignments_.end()) {
      return 0;
    }
    const auto place = static_cast<std::size_t>(found - alignments_.begin());
    return static_cast<std::size_t>(std::count_if(
        look_ups_.begin(), look_ups_.end(),
        [place](const LookUp& read) { return (read.younger[place / 64] >> (place % 64) & 1U) != 0; }));
  }

  /// Among the entries of the server's log.
  void restore_answers(LandmarkSets& order, std::size_t first_ghost) {
    for (PendingAnswer& pending : pending_answers_) {
      const std::size_t log = parts_.replay.replica_index(
          pending.answer.server_cluster, pending.answer.server_broker, ghosts_[pending.ghost].partition);
      pending.answer.handled = log_id(log, pending.after) - kLogEntry + 2;
    }
    std::stable_sort(pending_answers_.begin(), pending_answers_.end(),
                     [](const PendingAnswer& left, const PendingAnswer& right) {
                       return left.answer.handled < right.answer.handled;
                     });
    EventId latest = 0;
    for (PendingAnswer& pending : pending_answers_) {
      // Several at one place: one after the other.
      latest = std::max(latest + 1, pending.answer.handled);
      pending.answer.handled = restore(order, latest, first_ghost + pending.ghost);
      ghosts_[pending.ghost].event = latest;
      parts_.replay.answers.by_handling_.emplace(latest, pending.answer);
    }
  }

  struct PendingAnswer {
    Answer answer;
    std::uint64_t after = 0;  // entries of the server's log that it was there for
    std::size_t ghost = 0;
  };
  struct LookUp {
    std::size_t ghost = 0;
    boost::container::small_vector<std::uint64_t, 2> younger;  // alignments, by their places in alignments_
  };

  JudgeParts parts_;
  std::span<WorldGhost> ghosts_;
  std::span<const SectionView> sections_;
  JudgeMemory* memory_;
  std::vector<std::uint32_t> own_landmarks_of_;
  std::vector<std::uint32_t>& landmarks_of_;  // by lineage: how many it names
  ByteReader bytes_;
  StateLoader in_;
  EventId first_id_ = 0;  // of the landmarks of the lineage being read
  std::size_t landmark_count_ = 0;
  boost::container::small_vector<EventId, 16> alignments_;
  boost::container::small_vector<LookUp, 1> look_ups_;
  boost::container::small_vector<PendingAnswer, 8> pending_answers_;
  std::size_t words_ = 1;
  boost::container::small_vector<std::uint64_t, 64> pasts_;  // of actors, open truncations, ghosts
};

EventId JudgeState::load(JudgeParts parts, std::span<WorldGhost> ghosts,
                         std::span<const SectionView> sections, JudgeMemory* memory) {
  return Loader(parts, ghosts, sections, memory).run();
}

}  // namespace mirrorproof::checker
