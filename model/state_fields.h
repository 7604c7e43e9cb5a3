#pragma once
// The fields of the protocol's structs that make up a state of an exhaustive search: what their future
// behaviour depends on. Left out: rules, which a set-up fixes, and ghosts (event ids), which the explorer
// takes care of. Included only where states are written and read.

#include <algorithm>

#include "model/controller.h"
#include "model/fetcher.h"
#include "model/mirror.h"
#include "model/partition.h"
#include "model/state_archive.h"

namespace mirrorproof {

/// Of the classes that keep their members to themselves.
struct StateFields {
  template <class A, class S>
  static void cache(A& archive, S& cache) {
    archive(cache.entries_);
  }
  template <class A, class S>
  static void log(A& archive, S& log) {
    archive(log.batches_, log.epochs_, log.log_start_offset_, log.log_end_offset_, log.high_watermark_,
            log.recovery_point_);
  }
  template <class A, class S>
  static void controller(A& archive, S& controller) {
    archive(controller.partitions_, controller.unfenced_);
  }
  template <class A, class S>
  static void fetcher(A& archive, S& fetcher) {
    archive(fetcher.truncate_on_fetch_, fetcher.fetch_is_next_, fetcher.version_decided_, fetcher.states_,
            fetcher.failed_);
  }
  static void set_rules(Fetcher& fetcher, const FetcherRules& rules) { fetcher.rules_ = rules; }
  static PartitionRegistration& registration(Controller& controller, PartitionId partition) {
    return controller.partitions_[partition];
  }
  static BrokerSet& unfenced(Controller& controller) { return controller.unfenced_; }
  static void forget_flushes(Log& log) { log.recovery_point_ = 0; }
};

template <class A, Is<LeaderEpochCache> S>
void fields(A& archive, S& cache) {
  StateFields::cache(archive, cache);
}
template <class A, Is<Log> S>
void fields(A& archive, S& log) {
  StateFields::log(archive, log);
}
template <class A, Is<Controller> S>
void fields(A& archive, S& controller) {
  StateFields::controller(archive, controller);
}
template <class A, Is<Fetcher> S>
void fields(A& archive, S& fetcher) {
  StateFields::fetcher(archive, fetcher);
}

template <class A, Is<EpochEntry> S>
void fields(A& archive, S& entry) {
  archive(entry.epoch, entry.start_offset);
}
template <class A, Is<EpochEndOffset> S>
void fields(A& archive, S& answer) {
  archive(answer.epoch, answer.end_offset);
}
template <class A, Is<MirrorPosition> S>
void fields(A& archive, S& position) {
  archive(position.epoch, position.offset);
}

/// Most batches are a client's, without a producer: one byte says so.
template <class A, Is<Batch> S>
void fields(A& archive, S& batch) {
  archive(batch.base_offset, batch.last_offset, batch.first_id, batch.epoch);
  bool plain = batch.producer_id == -1 && batch.kind == BatchKind::data && !batch.transactional &&
               batch.producer_epoch == -1 && batch.base_sequence == -1 &&
               batch.content == BatchContent::records;
  archive(plain);
  if (!plain) {
    archive(batch.producer_id, batch.kind, batch.transactional, batch.producer_epoch, batch.base_sequence,
            batch.content);
  } else if constexpr (A::kLoading) {
    batch.producer_id = -1;
    batch.kind = BatchKind::data;
    batch.transactional = false;
    batch.producer_epoch = -1;
    batch.base_sequence = -1;
    batch.content = BatchContent::records;
  }
}

template <class A, Is<PartitionRegistration> S>
void fields(A& archive, S& registration) {
  archive(registration.isr, registration.elr, registration.last_known_leader, registration.leader,
          registration.leader_epoch, registration.partition_epoch, registration.topic_id,
          registration.recovering, registration.mirror_source, registration.desired_mirror);
  // Mostly fixed by the set-up, and a metadata record that is read back needs them all the same.
  archive(registration.replicas, registration.adding, registration.removing, registration.min_insync_replicas,
          registration.epochless);
  bool assigned_anew = std::any_of(registration.assignments.begin(), registration.assignments.end(),
                                   [](std::uint16_t count) { return count != 0; });
  archive(assigned_anew);
  if (assigned_anew) {
    for (auto& count : registration.assignments) {
      archive(count);
    }
  } else if constexpr (A::kLoading) {
    registration.assignments.fill(0);
  }
}
template <class A, Is<MetadataRecord> S>
void fields(A& archive, S& record) {
  archive(record.kind, record.election, record.partition, record.replicas_changed, record.registration);
}

template <class A, Is<IsrProposal> S>
void fields(A& archive, S& proposal) {
  archive(proposal.members);
  for (std::size_t i = 0; i < proposal.broker_epochs.size(); ++i) {
    if (proposal.members.contains(static_cast<BrokerId>(i))) {
      archive(proposal.broker_epochs[i]);
    } else if constexpr (A::kLoading) {
      proposal.broker_epochs[i] = 0;
    }
  }
}

template <class A, Is<Partition> S>
void fields(A& archive, S& partition) {
  archive(partition.hosted);
  if (!partition.hosted) {
    if constexpr (A::kLoading) {
      partition.assignment = 0;
      partition.forget_role();
    }
    return;
  }
  archive(partition.log, partition.assignment, partition.role, partition.read_only);
  if (partition.role == Role::offline) {
    if constexpr (A::kLoading) {
      partition.forget_role();
    }
    return;
  }
  archive(partition.mirror_leader, partition.leader, partition.leader_epoch, partition.partition_epoch,
          partition.topic_id, partition.epochless, partition.replicas, partition.isr, partition.pending_isr,
          partition.min_insync_replicas);
  if (partition.role == Role::leader) {
    archive(partition.leader_epoch_start_offset);
    for (std::size_t i = 0; i < partition.follower_end_offset.size(); ++i) {
      if (partition.replicas.contains(static_cast<BrokerId>(i))) {
        archive(partition.follower_end_offset[i], partition.follower_broker_epoch[i]);
      } else if constexpr (A::kLoading) {
        partition.follower_end_offset[i] = kUndefinedOffset;
        partition.follower_broker_epoch[i] = 0;
      }
    }
  } else if constexpr (A::kLoading) {
    partition.leader_epoch_start_offset = kUndefinedOffset;
    partition.follower_end_offset.fill(kUndefinedOffset);
    partition.follower_broker_epoch.fill(0);
  }
}

template <class A, Is<MirrorRecord::Origin> S>
void fields(A& archive, S& origin) {
  archive(origin.cluster, origin.topic_id);
}
template <class A, Is<MirrorRecord::StoredPosition> S>
void fields(A& archive, S& stored) {
  archive(stored.source, stored.position, stored.source_cuts, stored.source_topic_id, stored.source_epoch);
}
template <class A, Is<MirrorRecord::PendingPosition> S>
void fields(A& archive, S& pending) {
  archive(pending.source, pending.position, pending.sender);
}
/// `attempts` is left out: in a search a mirror may retry for ever, the 100th failure is not reached.
template <class A, Is<MirrorRecord> S>
void fields(A& archive, S& record) {
  archive(record.state, record.state_before_failing, record.reason, record.retryable, record.source,
          record.writer_epoch, record.positions, record.pending_position, record.aligned,
          record.alignment_cuts, record.source_cuts, record.followed_cuts, record.source_topic_id,
          record.source_epoch, record.stop_began_in_epoch, record.origin, record.source_origin);
  if constexpr (A::kLoading) {
    record.attempts = 0;
  }
}
template <class A, Is<MirrorTask> S>
void fields(A& archive, S& task) {
  archive(task.step, task.applied_order, task.position, task.fence_epoch, task.pid_reset_offset,
          task.resume_offset, task.source_cuts, task.retry_needs_news, task.failed_broker, task.failed_epoch);
}

/// Of the lag only "known or not" decides anything.
template <class A, Is<PartitionFetchState> S>
void fields(A& archive, S& state) {
  bool lag_known = state.lag >= 0;
  archive(state.partition, state.topic_id, state.fetch_offset, lag_known, state.current_leader_epoch,
          state.last_fetched_epoch, state.phase, state.delayed, state.out_of_range,
          state.mirror_leader_epoch);
  if constexpr (A::kLoading) {
    state.lag = lag_known ? 0 : -1;
  }
}

template <class A, Is<FetchPartition> S>
void fields(A& archive, S& asked) {
  archive(asked.partition, asked.topic_id, asked.fetch_offset, asked.log_start_offset,
          asked.current_leader_epoch, asked.last_fetched_epoch);
}
template <class A, Is<EpochPartition> S>
void fields(A& archive, S& asked) {
  archive(asked.partition, asked.current_leader_epoch, asked.leader_epoch);
}
template <class A, Is<ListOffsetsPartition> S>
void fields(A& archive, S& asked) {
  archive(asked.partition, asked.current_leader_epoch, asked.spec);
}
template <class A, Is<FetchPartitionResponse> S>
void fields(A& archive, S& answer) {
  archive(answer.partition, answer.error, answer.diverging_epoch, answer.high_watermark,
          answer.log_start_offset, answer.current_leader, answer.current_leader_epoch, answer.corrupt,
          answer.alignments, answer.mirror_leader_epoch, answer.records);
}
template <class A, Is<EpochPartitionResponse> S>
void fields(A& archive, S& answer) {
  archive(answer.partition, answer.error, answer.answer);
}
template <class A, Is<ListOffsetsPartitionResponse> S>
void fields(A& archive, S& answer) {
  archive(answer.partition, answer.error, answer.spec, answer.offset);
}
template <class A, class S>
requires Is<S, FetchRequest> || Is<S, OffsetsForLeaderEpochRequest> || Is<S, ListOffsetsRequest> ||
    Is<S, FetchResponse> || Is<S, OffsetsForLeaderEpochResponse> || Is<S, ListOffsetsResponse>
void fields(A& archive, S& message) {
  archive(message.partitions);
}
template <class A, Is<InFlightRequest> S>
void fields(A& archive, S& sent) {
  archive(sent.version, sent.request);
}

}  // namespace mirrorproof
