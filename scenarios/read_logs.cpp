// Initial logs: notation to batches, and the identity of their records.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "scenarios/reading.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::scenarios {
namespace {

/// Elections and mirrors raise epochs from here on, by blocks where protocols deal them out in blocks.
constexpr Epoch kMaxInitialEpoch = 2'000'000'000;
/// Serials of records are below 2^48, and runs write more of them.
constexpr std::uint64_t kMaxInitialSerials = 1ULL << 47;

/// Records of one (epoch, identity), wherever they are named. Their ids are consecutive along the offsets, as
/// those of a batch must be: serial = number * stride + offset - lowest offset of all.
struct Family {
  ClusterId origin = kNoCluster;  ///< the cluster that names it first
  std::uint64_t number = 0;       ///< counted by origin, in the order of the file
};

class LogReader {
 public:
  explicit LogReader(Reading& reading) : reading_(reading) {}

  void read(const Cursor& element) {
    const NotatedLog log = read_notation(element["log"]);
    const std::optional<ClusterId> cluster = reading_.cluster(element["cluster"]);
    if (!cluster) {
      return;
    }
    std::optional<PartitionId> partition = reading_.partition_of(element["partition"], element, *cluster);
    BrokerId broker = kNoBroker;
    if (const Cursor number = element["broker"]; number.exists()) {
      const std::optional<BrokerId> named = reading_.broker(number, *cluster);
      if (!named || !partition || !reading_.check_replica(number, *named, *cluster, *partition)) {
        return;
      }
      broker = *named;
    }
    if (!partition || !check_unique(element, *cluster, *partition, broker)) {
      return;
    }
    const bool in_sync = element["in_sync"].boolean().value_or(true);
    reading_.scenario.setup.initial_logs.push_back({*cluster, *partition, broker, {}, in_sync});
    entries_.push_back(log.entries);
    elements_.push_back(element);
    for (const LogEntry& entry : log.entries) {
      name_family(*cluster, *partition, entry);
      lowest_ = std::min(lowest_, entry.first);
      highest_ = std::max(highest_, entry.last);
      if (entry.epoch > kMaxInitialEpoch) {
        reading_.problems.add(
            element["log"].pointer(), "the entry " + in_quotes(format_entry(entry)),
            fmt::format("epochs up to {}, which leave room for elections", kMaxInitialEpoch));
      }
    }
  }

  /// Once all are read: the stride between families is known.
  void finish() {
    auto& logs = reading_.scenario.setup.initial_logs;
    if (lowest_ <= highest_) {
      stride_ = static_cast<std::uint64_t>(highest_ - lowest_) + 1;
    }
    for (const auto& [cluster, families] : next_number_) {
      if (stride_ > kMaxInitialSerials / families) {
        reading_.problems.add(
            "/initial_logs", fmt::format("offsets from {} to {}", lowest_, highest_),
            fmt::format("logs that lie closer together: with {} epochs and identities at most {} "
                        "offsets from the first to the last",
                        families, kMaxInitialSerials / families));
        return;
      }
    }
    for (std::size_t i = 0; i < logs.size(); ++i) {
      for (const LogEntry& entry : entries_[i]) {
        logs[i].batches.push_back(to_batch(entry, logs[i].partition));
      }
    }
    check_in_sync();
  }

 private:
  NotatedLog read_notation(const Cursor& text) {
    NotatedLog log =
        parse_log(text.string().value_or(""), NotationRules::initial, kMaxInitialRecords - records_);
    for (NotationProblem& problem : log.problems) {
      reading_.problems.add(text.pointer(), std::move(problem.found), std::move(problem.expected));
    }
    for (const LogEntry& entry : log.entries) {
      records_ += entry.last - entry.first + 1;
    }
    return log;
  }

  bool check_unique(const Cursor& element, ClusterId cluster, PartitionId partition, BrokerId broker) {
    for (const sim::InitialLog& other : reading_.scenario.setup.initial_logs) {
      if (other.cluster == cluster && other.partition == partition &&
          (other.broker == broker || other.broker == kNoBroker || broker == kNoBroker)) {
        reading_.problems.add(
            element.pointer(),
            fmt::format("a second log for {} of cluster {}",
                        broker == kNoBroker ? "all replicas" : fmt::format("broker {}", broker),
                        in_quotes(reading_.cluster_name(cluster))),
            "each replica at most once (without \"broker\": all of them)");
        return false;
      }
    }
    return true;
  }

  void name_family(ClusterId cluster, PartitionId partition, const LogEntry& entry) {
    const auto [place, is_new] = families_.try_emplace({partition, entry.epoch, entry.identity});
    if (is_new) {
      place->second = {cluster, next_number_[cluster]++};
    }
  }

  Batch to_batch(const LogEntry& entry, PartitionId partition) const {
    const Family& family = families_.at({partition, entry.epoch, entry.identity});
    Batch batch;
    batch.base_offset = entry.first;
    batch.last_offset = entry.last;
    batch.first_id = RecordId::make(
        family.origin, family.number * stride_ + static_cast<std::uint64_t>(entry.first - lowest_));
    batch.epoch = entry.epoch;
    batch.kind = entry.pid_reset ? BatchKind::pid_reset : BatchKind::data;
    return batch;
  }

  /// Every partition needs an in-sync replica to start with.
  void check_in_sync() {
    const auto& logs = reading_.scenario.setup.initial_logs;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      std::size_t out_of_sync = 0;
      for (std::size_t k = 0; k <= i; ++k) {
        if (logs[k].cluster == logs[i].cluster && logs[k].partition == logs[i].partition &&
            !logs[k].in_sync) {
          out_of_sync += logs[k].broker == kNoBroker ? static_cast<std::size_t>(kMaxBrokers) : 1;
        }
      }
      if (!logs[i].in_sync &&
          out_of_sync >= reading_.hosted(logs[i].cluster, logs[i].partition).replicas.size()) {
        reading_.problems.add(elements_[i]["in_sync"].pointer(), "no replica left in sync",
                              "at least one replica of the partition in sync");
      }
    }
  }

  using FamilyKey = std::tuple<PartitionId, Epoch, std::string>;

  Reading& reading_;
  std::int64_t records_ = 0;
  Offset lowest_ = std::numeric_limits<Offset>::max();
  Offset highest_ = 0;
  std::uint64_t stride_ = 1;
  std::map<FamilyKey, Family> families_;
  std::map<ClusterId, std::uint64_t> next_number_;
  std::vector<std::vector<LogEntry>> entries_;  ///< of the log with the same index
  std::vector<Cursor> elements_;                ///< same
};

}  // namespace

void read_initial_logs(const Cursor& logs, Reading& reading) {
  LogReader reader(reading);
  for (const Cursor& element : logs.elements()) {
    reader.read(element);
  }
  reader.finish();
}

}  // namespace mirrorproof::scenarios
