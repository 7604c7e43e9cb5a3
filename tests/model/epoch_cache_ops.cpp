#include "epoch_cache_ops.h"

#include <gtest/gtest.h>

#include <map>

#include "model/leader_epoch_checkpoint.h"

namespace mirrorproof::vectors {
namespace {

Json optional_epoch_json(std::optional<Epoch> epoch) {
  return {{"epoch", epoch ? Json(*epoch) : Json(nullptr)}};
}

Json optional_entry_json(std::optional<EpochEntry> entry) {
  if (!entry) {
    return {{"epoch", nullptr}, {"start_offset", nullptr}};
  }
  return {{"epoch", entry->epoch}, {"start_offset", entry->start_offset}};
}

Json assigned_json(bool valid) {
  return valid ? Json(nullptr) : Json{{"error", "invalid_argument"}};
}

std::optional<EpochEntry> previous_entry(const LeaderEpochCache& cache, Epoch epoch) {
  const std::optional<Epoch> previous = cache.previous_epoch(epoch);
  return previous ? cache.entry(*previous) : std::nullopt;
}

std::optional<Epoch> previous_epoch_of_latest(const LeaderEpochCache& cache) {
  const std::optional<Epoch> latest = cache.latest_epoch();
  return latest ? cache.previous_epoch(*latest) : std::nullopt;
}

Json entries_in_range(LeaderEpochCache cache, Offset start_offset, Offset end_offset) {
  if (start_offset >= 0) {
    cache.truncate_from_start(start_offset);
  }
  cache.truncate_from_end(end_offset);
  return {{"entries", entries_json(cache.entries())}};
}

/// What the operation answers; null for operations without an answer.
using Operation = Json (*)(CheckpointedCache&, const Json&);

const std::map<std::string, Operation>& operations() {
  static const std::map<std::string, Operation> kOperations = {
      {"assign",
       [](CheckpointedCache& cache, const Json& op) {
         return assigned_json(cache.assign({epoch_field(op, "epoch"), offset_field(op, "start_offset")}));
       }},
      {"assign_all",
       [](CheckpointedCache& cache, const Json& op) {
         return assigned_json(cache.assign_all(to_entries(field(op, "entries"))));
       }},
      {"truncate_from_end",
       [](CheckpointedCache& cache, const Json& op) {
         cache.truncate_from_end(offset_field(op, "offset"));
         return Json(nullptr);
       }},
      {"truncate_from_start",
       [](CheckpointedCache& cache, const Json& op) {
         cache.truncate_from_start(offset_field(op, "offset"));
         return Json(nullptr);
       }},
      {"clear",
       [](CheckpointedCache& cache, const Json&) {
         cache.clear();
         return Json(nullptr);
       }},
      {"clear_and_flush",
       [](CheckpointedCache& cache, const Json&) {
         cache.clear_and_flush();
         return Json(nullptr);
       }},
      {"run_pending_flush",
       [](CheckpointedCache& cache, const Json&) {
         cache.run_pending_flush();
         return Json(nullptr);
       }},
      {"reopen_from_checkpoint",
       [](CheckpointedCache& cache, const Json&) {
         cache.reopen();
         return Json{{"entries", entries_json(cache.cache().entries())}};
       }},
      {"checkpoint_text",
       [](CheckpointedCache& cache, const Json&) {
         return Json{{"text", cache.checkpoint()}};
       }},
      {"end_offset_for",
       [](CheckpointedCache& cache, const Json& op) {
         const EpochEndOffset answer =
             cache.cache().end_offset_for(epoch_field(op, "epoch"), offset_field(op, "log_end_offset"));
         return Json{{"epoch", answer.epoch}, {"offset", answer.end_offset}};
       }},
      {"latest_epoch", [](CheckpointedCache& cache,
                          const Json&) { return optional_epoch_json(cache.cache().latest_epoch()); }},
      {"previous_epoch",
       [](CheckpointedCache& cache, const Json& op) {
         return optional_epoch_json(cache.cache().previous_epoch(epoch_field(op, "epoch")));
       }},
      {"next_epoch",
       [](CheckpointedCache& cache, const Json& op) {
         return optional_epoch_json(cache.cache().next_epoch(epoch_field(op, "epoch")));
       }},
      {"previous_epoch_of_latest",
       [](CheckpointedCache& cache, const Json&) {
         return optional_epoch_json(previous_epoch_of_latest(cache.cache()));
       }},
      {"epoch_for_offset",
       [](CheckpointedCache& cache, const Json& op) {
         return optional_epoch_json(cache.cache().epoch_for_offset(offset_field(op, "offset")));
       }},
      {"entries",
       [](CheckpointedCache& cache, const Json&) {
         return Json{{"entries", entries_json(cache.cache().entries())}};
       }},
      {"entries_in_range",
       [](CheckpointedCache& cache, const Json& op) {
         return entries_in_range(cache.cache(), offset_field(op, "start_offset"),
                                 offset_field(op, "end_offset"));
       }},
      {"earliest_entry", [](CheckpointedCache& cache,
                            const Json&) { return optional_entry_json(cache.cache().earliest_entry()); }},
      {"latest_entry", [](CheckpointedCache& cache,
                          const Json&) { return optional_entry_json(cache.cache().latest_entry()); }},
      {"entry",
       [](CheckpointedCache& cache, const Json& op) {
         return optional_entry_json(cache.cache().entry(epoch_field(op, "epoch")));
       }},
      {"previous_entry",
       [](CheckpointedCache& cache, const Json& op) {
         return optional_entry_json(previous_entry(cache.cache(), epoch_field(op, "epoch")));
       }},
      {"non_empty",
       [](CheckpointedCache& cache, const Json&) {
         return Json{{"value", !cache.cache().empty()}};
       }},
  };
  return kOperations;
}

}  // namespace

bool CheckpointedCache::assign(EpochEntry entry) {
  const LeaderEpochCache before = cache_;
  if (!cache_.assign(entry.epoch, entry.start_offset)) {
    return false;
  }
  if (cache_ != before) {
    flush();
  }
  return true;
}

bool CheckpointedCache::assign_all(const std::vector<EpochEntry>& entries) {
  for (const EpochEntry& entry : entries) {
    if (!cache_.assign(entry.epoch, entry.start_offset)) {
      return false;
    }
  }
  if (!entries.empty()) {
    flush();
  }
  return true;
}

void CheckpointedCache::truncate_from_end(Offset offset) {
  const LeaderEpochCache before = cache_;
  cache_.truncate_from_end(offset);
  flush_pending_ = flush_pending_ || cache_ != before;
}

void CheckpointedCache::truncate_from_start(Offset offset) {
  const std::optional<EpochEntry> earliest = cache_.earliest_entry();
  cache_.truncate_from_start(offset);
  // The surviving entry is written again even if it starts exactly there.
  flush_pending_ = flush_pending_ || (earliest && earliest->start_offset <= offset);
}

void CheckpointedCache::clear_and_flush() {
  cache_.clear();
  flush();
}

void CheckpointedCache::run_pending_flush() {
  if (flush_pending_) {
    flush();
  }
  flush_pending_ = false;
}

void CheckpointedCache::reopen() {
  flush_pending_ = false;
  const CheckpointParseResult parsed = parse_leader_epoch_checkpoint(checkpoint_);
  if (!parsed.entries) {
    throw VectorError("the checkpoint does not parse: " + parsed.error);
  }
  cache_.clear();
  for (const EpochEntry& entry : *parsed.entries) {
    cache_.assign(entry.epoch, entry.start_offset);
  }
}

void CheckpointedCache::flush() {
  checkpoint_ = write_leader_epoch_checkpoint(cache_.entries());
}

void run_epoch_cache_op(CheckpointedCache& cache, const Json& op) {
  require_known_keys(
      op, {"op", "epoch", "start_offset", "end_offset", "offset", "log_end_offset", "entries", "expect"});
  const auto operation = operations().find(text_field(op, "op"));
  if (operation == operations().end()) {
    throw VectorError("unknown epoch cache operation " + op.dump());
  }
  const Json answer = operation->second(cache, op);
  const Json expected = op.contains("expect") ? op.at("expect") : Json(nullptr);
  const bool is_question = !answer.is_null() && !answer.contains("error");
  if (is_question && expected.is_null()) {
    throw VectorError("a question without expect: " + op.dump());
  }
  EXPECT_EQ(answer, expected) << op.dump();
}

}  // namespace mirrorproof::vectors
