#include "reports/log_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace mirrorproof::reports {
namespace {

void append(ReplayedLog& log, const Appended& appended) {
  for (const Batch& batch : appended.batches) {
    if (!batch.has_records()) {
      log.log_end = batch.next_offset();
      continue;
    }
    if (log.batches.empty() && appended.origin == AppendOrigin::initial) {
      log.log_start = batch.base_offset;
    }
    log.batches.push_back(batch);
    log.log_end = batch.next_offset();
  }
}

void truncate(ReplayedLog& log, const Truncated& cut) {
  while (!log.batches.empty() &&
         (log.batches.back().last_offset >= cut.target || cut.log_start >= cut.target)) {
    log.batches.pop_back();
  }
  log.log_start = cut.log_start;
  log.log_end = cut.target;
  log.high_watermark = std::min(log.high_watermark, log.log_end);
}

void move_log_start(ReplayedLog& log, Offset log_start) {
  log.log_start = std::max(log.log_start, log_start);
  while (!log.batches.empty() && log.batches.front().last_offset < log.log_start) {
    log.batches.pop_front();
  }
}

void clean(ReplayedLog& log, const LogCleaned& cleaned) {
  std::erase_if(log.batches, [&](const Batch& batch) {
    return batch.base_offset >= cleaned.base_offset && batch.last_offset <= cleaned.last_offset;
  });
}

struct EpochRun {
  Offset first = 0;
  Offset last = 0;
  Epoch epoch = kUndefinedEpoch;
  bool pid_reset = false;
};

template <class Batches>
std::vector<EpochRun> runs_of(const Batches& batches) {
  std::vector<EpochRun> runs;
  for (const Batch& batch : batches) {
    const bool pid_reset = batch.kind == BatchKind::pid_reset;
    if (!runs.empty() && runs.back().epoch == batch.epoch && runs.back().last + 1 == batch.base_offset &&
        !runs.back().pid_reset && !pid_reset) {
      runs.back().last = batch.last_offset;
    } else {
      runs.push_back({batch.base_offset, batch.last_offset, batch.epoch, pid_reset});
    }
  }
  return runs;
}

std::string runs_text(const std::vector<EpochRun>& runs, std::size_t max_runs) {
  if (runs.empty()) {
    return "empty";
  }
  std::string out;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs.size() > max_runs && i == max_runs / 2) {
      const std::size_t left_out = runs.size() - max_runs;
      out += fmt::format(" ...{} more...", left_out);
      i += left_out - 1;
      continue;
    }
    const EpochRun& run = runs[i];
    out += i == 0 ? "" : " ";
    const std::string epoch = run.epoch == kUndefinedEpoch ? "-" : fmt::format("{}", run.epoch);
    out += run.first == run.last ? fmt::format("{}:{}", run.first, epoch)
                                 : fmt::format("{}..{}:{}", run.first, run.last, epoch);
    out += run.pid_reset ? "R" : "";
  }
  return out;
}

}  // namespace

bool LogReplay::observe(const Event& event) {
  const ReplicaKey key{event.cluster, event.broker, event.partition};
  if (const auto* appended = std::get_if<Appended>(&event.payload)) {
    append(logs_[key], *appended);
    return true;
  }
  if (const auto* cut = std::get_if<Truncated>(&event.payload)) {
    truncate(logs_[key], *cut);
    return true;
  }
  if (const auto* moved = std::get_if<LogStartMoved>(&event.payload)) {
    move_log_start(logs_[key], moved->log_start);
    return true;
  }
  if (const auto* cleaned = std::get_if<LogCleaned>(&event.payload)) {
    clean(logs_[key], *cleaned);
    return true;
  }
  if (const auto* moved = std::get_if<HighWatermarkMoved>(&event.payload)) {
    logs_[key].high_watermark = moved->high_watermark;
    return true;
  }
  return false;
}

const ReplayedLog* LogReplay::find(const ReplicaKey& key) const {
  const auto found = logs_.find(key);
  return found == logs_.end() ? nullptr : &found->second;
}

std::string records_text(const ReplayedLog& log, std::size_t max_runs) {
  return runs_text(runs_of(log.batches), max_runs);
}

std::string batches_text(const BatchSlice& batches, std::size_t max_runs) {
  return runs_text(runs_of(batches), max_runs);
}

std::string log_text(const ReplayedLog& log) {
  const std::string start = log.log_start > 0 ? fmt::format("log start {}, ", log.log_start) : "";
  return fmt::format("{}  ({}high watermark {}, log end {})", records_text(log), start, log.high_watermark,
                     log.log_end);
}

}  // namespace mirrorproof::reports
