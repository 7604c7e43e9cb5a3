#include "scenarios/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "model/leader_epoch_checkpoint.h"
#include "scenarios/dump_log.h"
#include "scenarios/log_notation.h"
#include "scenarios/text_tools.h"

namespace mirrorproof::scenarios {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDumpBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxCheckpointBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxDumpFiles = 1000;
constexpr std::string_view kCheckpointName = "leader-epoch-checkpoint";

struct ReplicaFiles {
  std::string folder;
  std::string name;
  std::vector<DumpedBatch> batches;
  std::optional<std::vector<EpochEntry>> checkpoint;
};

struct ClusterFiles {
  std::string name;  ///< "source" or "destination"
  std::vector<ReplicaFiles> replicas;
};

/// Followers and mirrors copy batches byte by byte.
bool same_batch(const DumpedBatch& a, const DumpedBatch& b) {
  return a.base == b.base && a.last == b.last && a.epoch == b.epoch && a.checksum == b.checksum;
}

class Importer {
 public:
  explicit Importer(const ImportRequest& request) : request_(request) {}

  ImportResult run() {
    ClusterFiles source = read_cluster("source", request_.source);
    ClusterFiles destination = read_cluster("destination", request_.destination);
    if (!result_.problems.empty()) {
      return std::move(result_);
    }
    for (const ClusterFiles* cluster : {&source, &destination}) {
      for (const ReplicaFiles& replica : cluster->replicas) {
        compare_checkpoint(replica);
      }
    }
    build(source, destination);
    return std::move(result_);
  }

 private:
  void complain(const std::string& file, std::string found, std::string expected, int line = 0) {
    result_.problems.push_back({file, line, 0, "", std::move(found), std::move(expected)});
  }

  // --- files ---

  std::vector<std::string> names_in(const std::string& folder, bool folders) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      std::error_code ignored;
      if (folders ? it->is_directory(ignored) : it->is_regular_file(ignored)) {
        names.push_back(it->path().filename().string());
      }
    }
    // broker-2 before broker-10.
    std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
      return std::tuple(a.size(), a) < std::tuple(b.size(), b);
    });
    return names;
  }

  ClusterFiles read_cluster(const std::string& name, const std::string& folder) {
    ClusterFiles cluster{name, {}};
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
      complain(folder, "no folder",
               fmt::format("the folder of the {}, with a folder for each replica", name));
      return cluster;
    }
    const std::vector<std::string> folders = names_in(folder, true);
    if (folders.empty() || folders.size() > static_cast<std::size_t>(kMaxBrokers)) {
      complain(folder, fmt::format("{} folders", folders.size()),
               fmt::format("a folder for each replica, 1 to {}", kMaxBrokers));
      return cluster;
    }
    for (const std::string& each : folders) {
      cluster.replicas.push_back(read_replica((fs::path(folder) / each).string(), each));
    }
    return cluster;
  }

  ReplicaFiles read_replica(const std::string& folder, const std::string& name) {
    ReplicaFiles replica{folder, name, {}, std::nullopt};
    std::size_t dumps = 0;
    for (const std::string& file : names_in(folder, false)) {
      const std::string path = (fs::path(folder) / file).string();
      if (file == kCheckpointName) {
        read_checkpoint(path, replica);
      } else if (file.ends_with(".txt") && ++dumps <= kMaxDumpFiles) {
        read_dump(path, replica);
      } else {
        complain(path, "another file",
                 fmt::format("at most {} dumps (*.txt) and {}", kMaxDumpFiles, kCheckpointName));
      }
    }
    if (dumps == 0) {
      complain(folder, "no dump", "what kafka-dump-log.sh prints for each segment, as *.txt");
    }
    return replica;
  }

  std::optional<std::string> read_text(const std::string& path, std::size_t limit) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(path, error);
    if (!error && size > limit) {
      complain(path, fmt::format("{} bytes", size), fmt::format("at most {} bytes", limit));
      return std::nullopt;
    }
    std::ifstream stream(path, std::ios::binary);
    std::string text(error ? 0 : static_cast<std::size_t>(size), '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (error || !stream) {
      complain(path, "a file that cannot be read", "a readable file");
      return std::nullopt;
    }
    return text;
  }

  void read_dump(const std::string& path, ReplicaFiles& replica) {
    const std::optional<std::string> text = read_text(path, kMaxDumpBytes);
    if (!text) {
      return;
    }
    DumpedLog log = parse_dump_log(*text, path);
    std::move(log.problems.begin(), log.problems.end(), std::back_inserter(result_.problems));
    for (const DumpedBatch& batch : log.batches) {
      if (!replica.batches.empty() && batch.base <= replica.batches.back().last) {
        complain(path,
                 fmt::format("offset {} after offset {} of the file before", batch.base,
                             replica.batches.back().last),
                 "segments in the order of their names, none twice", batch.line);
        return;
      }
      if (!replica.batches.empty() && batch.epoch < replica.batches.back().epoch) {
        complain(path,
                 fmt::format("epoch {} at offset {} after epoch {}", batch.epoch, batch.base,
                             replica.batches.back().epoch),
                 "epochs that do not go backwards", batch.line);
        return;
      }
      replica.batches.push_back(batch);
    }
  }

  void read_checkpoint(const std::string& path, ReplicaFiles& replica) {
    const std::optional<std::string> text = read_text(path, kMaxCheckpointBytes);
    if (!text) {
      return;
    }
    CheckpointParseResult parsed = parse_leader_epoch_checkpoint(*text);
    if (parsed.entries) {
      replica.checkpoint = std::move(*parsed.entries);
      return;
    }
    // The reader says "line 3: what is wrong".
    int line = 0;
    std::string_view message = parsed.error;
    constexpr std::string_view kLine = "line ";
    if (message.starts_with(kLine)) {
      const std::size_t colon = message.find(": ");
      const std::string_view digits = message.substr(kLine.size(), message.find(':') - kLine.size());
      std::from_chars(digits.data(), digits.data() + digits.size(), line);
      message.remove_prefix(colon == std::string_view::npos ? 0 : colon + 2);
    }
    complain(path, std::string(message), "a leader-epoch-checkpoint as a broker writes it", line);
  }

  // --- what the checkpoint says ---

  /// A broker's epoch cache must be what its log implies; where it is not, that may be the very bug.
  void compare_checkpoint(const ReplicaFiles& replica) {
    if (!replica.checkpoint) {
      result_.warnings.push_back(replica.folder +
                                 ": no leader-epoch-checkpoint; the epochs are those of the log");
      return;
    }
    std::map<Epoch, Offset> starts;
    for (const DumpedBatch& batch : replica.batches) {
      starts.emplace(batch.epoch, batch.base);
    }
    for (const auto& [epoch, start] : starts) {
      const auto entry =
          std::find_if(replica.checkpoint->begin(), replica.checkpoint->end(),
                       [&, wanted = epoch](const EpochEntry& each) { return each.epoch == wanted; });
      if (entry == replica.checkpoint->end()) {
        result_.warnings.push_back(
            fmt::format("{}: the log has epoch {} from offset {} on, the checkpoint does not", replica.folder,
                        epoch, start));
      } else if (entry->start_offset > start) {
        result_.warnings.push_back(
            fmt::format("{}: the checkpoint lets epoch {} start at offset {}, the log at {}", replica.folder,
                        epoch, entry->start_offset, start));
      }
    }
    const Epoch newest = replica.batches.empty() ? kUndefinedEpoch : replica.batches.back().epoch;
    if (!replica.checkpoint->empty() && replica.checkpoint->back().epoch > newest) {
      result_.warnings.push_back(fmt::format(
          "{}: the checkpoint knows epoch {}, of which the log has no record yet; the run starts with "
          "epoch {}",
          replica.folder, replica.checkpoint->back().epoch, newest));
    }
  }

  // --- the scenario ---

  /// Letters that tell records of one offset and epoch apart: none for the first content seen there, then b,
  /// c...
  std::string letters_of(const DumpedBatch& batch) {
    for (int number = 0;; ++number) {
      auto& taken = contents_[{batch.epoch, number}];
      const auto next = taken.upper_bound(batch.last);
      const auto before = next == taken.begin() ? taken.end() : std::prev(next);
      if (before == taken.end() || before->second.last < batch.base) {
        taken.emplace(batch.base, batch);
      } else if (!same_batch(before->second, batch)) {
        continue;
      }
      // At most one content for each replica: the letters suffice.
      return number == 0 ? "" : std::string(1, static_cast<char>('a' + number));
    }
  }

  std::string notation_of(const ReplicaFiles& replica) {
    std::string out;
    for (const DumpedBatch& batch : replica.batches) {
      if (batch.last < request_.from) {
        continue;
      }
      markers_ += batch.marker ? 1 : 0;
      LogEntry entry{std::max(batch.base, request_.from), batch.last, batch.epoch, letters_of(batch),
                     batch.pid_reset};
      out += (out.empty() ? "" : " ") + format_entry(entry);
    }
    return out;
  }

  /// The replica to begin with as leader: the newest epoch, then the longest log.
  static std::size_t leader_of(const ClusterFiles& cluster) {
    std::size_t best = 0;
    const auto rank = [&](std::size_t i) {
      const std::vector<DumpedBatch>& batches = cluster.replicas[i].batches;
      return batches.empty() ? std::pair<Epoch, Offset>{-1, -1}
                             : std::pair{batches.back().epoch, batches.back().last};
    };
    for (std::size_t i = 1; i < cluster.replicas.size(); ++i) {
      best = rank(i) > rank(best) ? i : best;
    }
    return best;
  }

  /// Is the log a beginning of the leader's?
  static bool agrees(const ReplicaFiles& replica, const ReplicaFiles& leader) {
    // Log starts may differ: what both have is compared.
    std::size_t i = 0;
    std::size_t j = 0;
    const auto& ours = replica.batches;
    const auto& theirs = leader.batches;
    while (i < ours.size() && !theirs.empty() && ours[i].base < theirs.front().base) {
      ++i;
    }
    while (i < ours.size() && j < theirs.size() && theirs[j].base < ours[i].base) {
      ++j;
    }
    for (; i < ours.size(); ++i, ++j) {
      if (j >= theirs.size() || !same_batch(ours[i], theirs[j])) {
        return false;
      }
    }
    return true;
  }

  void build(const ClusterFiles& source, const ClusterFiles& destination) {
    nlohmann::ordered_json document;
    document["name"] = request_.name;
    document["description"] = "";
    document["clusters"] = nlohmann::ordered_json::array();
    nlohmann::ordered_json replicas;
    nlohmann::ordered_json logs = nlohmann::ordered_json::array();
    std::string description = "Imported.";
    for (const ClusterFiles* cluster : {&source, &destination}) {
      nlohmann::ordered_json entry{{"name", cluster->name}, {"brokers", cluster->replicas.size()}};
      if (cluster == &source && !request_.source_version.empty()) {
        entry["version"] = request_.source_version;
      }
      document["clusters"].push_back(std::move(entry));
      const std::size_t leader = leader_of(*cluster);
      nlohmann::ordered_json order = nlohmann::ordered_json::array({leader});
      for (std::size_t i = 0; i < cluster->replicas.size(); ++i) {
        const ReplicaFiles& replica = cluster->replicas[i];
        nlohmann::ordered_json log{{"cluster", cluster->name}, {"broker", i}, {"log", notation_of(replica)}};
        if (!agrees(replica, cluster->replicas[leader])) {
          log["in_sync"] = false;
        }
        logs.push_back(std::move(log));
        if (i != leader) {
          order.push_back(i);
        }
        description += fmt::format(" {}/{} is {}.", cluster->name, i, replica.folder);
      }
      replicas[cluster->name] = std::move(order);
    }
    document["description"] = description;
    document["topics"] = {{{"name", request_.topic}, {"replicas", replicas}}};
    document["mirrors"] = {{{"source", source.name}, {"destination", destination.name}}};
    document["initial_logs"] = std::move(logs);
    document["steps"] = {{{"do", "settle"}}};
    if (markers_ > 0) {
      result_.warnings.push_back(
          fmt::format("{} transaction markers are taken as ordinary records", markers_));
    }
    const std::string text = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    LoadResult loaded = load_scenario(text, "what was imported");
    result_.scenario = std::move(loaded.scenario);
    result_.problems = std::move(loaded.problems);
  }

  const ImportRequest& request_;
  ImportResult result_;
  /// By epoch and number of the letter: batches that do not overlap, by base offset.
  std::map<std::pair<Epoch, int>, std::map<Offset, DumpedBatch>> contents_;
  std::size_t markers_ = 0;
};

}  // namespace

ImportResult import_replicas(const ImportRequest& request) {
  return Importer(request).run();
}

}  // namespace mirrorproof::scenarios
