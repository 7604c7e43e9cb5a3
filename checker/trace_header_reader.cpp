#include "checker/trace_header_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

namespace mirrorproof::checker {
namespace {

/// Reads one object: which of `names` came, each at most once. handle(index) reads the value.
template <std::size_t Count, class Handle>
bool read_object(TraceValueReader& values, std::string_view text,
                 const std::array<std::string_view, Count>& names, std::array<bool, Count>& seen,
                 Handle&& handle) {
  if (!values.is(JsonKind::object)) {
    return values.fail_here("an object");
  }
  seen.fill(false);
  bool good = true;
  std::string scratch;
  values.cursor().enter();
  while (values.cursor().next()) {
    const std::size_t key_at = values.cursor().at();
    const std::string_view raw_key = JsonCursor(text, key_at).raw_string();
    const std::string_view key = values.cursor().key(scratch);
    const auto index = static_cast<std::size_t>(std::find(names.begin(), names.end(), key) - names.begin());
    if (index == Count) {
      good = values.fail_unknown(key_at, raw_key, one_of(names));
    } else if (seen[index]) {
      good = values.fail_repeated(key_at, raw_key);
    } else {
      seen[index] = true;
      values.enter_field(raw_key);
      good = handle(index) && good;
      values.leave();
    }
  }
  return good;
}

class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::size_t line, TraceWorld& world, TraceProblemList& problems)
      : text_(text), world_(world), values_(world, problems) {
    values_.start_line(text, line);
  }

  bool read() {
    std::vector<JsonMember> members;
    if (opens_a_document(text_)) {
      return values_.fail_line("a JSON document over several lines",
                               "a trace: one JSON object in each line (mirrorproof run takes scenarios)");
    }
    if (auto problem = scan_json_object(text_, members)) {
      return values_.fail(problem->at, std::move(problem->found), problem->expected);
    }
    const std::size_t clusters_at = find(members, "clusters");
    const std::size_t partitions_at = find(members, "partitions");
    if (find(members, "trace") == kAbsent) {
      return values_.fail_line("no header",
                               "{\"trace\":\"mirrorproof\",\"version\":1,...} as the first line");
    }
    values_.move_to(0);
    const std::size_t object_at = values_.cursor().at();
    std::array<bool, kNames.size()> seen{};
    // Clusters and partitions wait: partitions can only be read when the clusters are known.
    bool good =
        read_object(values_, text_, kNames, seen, [&](std::size_t index) { return read_member(index); });
    for (const std::size_t index : {kTrace, kVersion, kClusters, kPartitions}) {
      if (!seen[index]) {
        good = values_.fail_missing(object_at, kNames[index]);
      }
    }
    if (clusters_at != kAbsent) {
      values_.move_to(clusters_at);
      values_.enter_field("clusters");
      world_.clusters_known = read_clusters();
      good = world_.clusters_known && good;
      values_.leave();
    }
    if (partitions_at != kAbsent) {
      values_.move_to(partitions_at);
      values_.enter_field("partitions");
      world_.partitions_known = read_partitions();
      good = world_.partitions_known && good;
      values_.leave();
    }
    return good;
  }

 private:
  static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);
  static constexpr std::array<std::string_view, 8> kNames{
      "trace", "version", "scenario", "seed", "protocol", "clusters", "partitions", "reports_losses"};
  static constexpr std::size_t kTrace = 0;
  static constexpr std::size_t kVersion = 1;
  static constexpr std::size_t kClusters = 5;
  static constexpr std::size_t kPartitions = 6;

  /// Where the value of the first member `name` of the line starts.
  std::size_t find(const std::vector<JsonMember>& members, std::string_view name) {
    for (const JsonMember& member : members) {
      if (JsonCursor(text_, member.key_at).key(scratch_) == name) {
        return member.value_at;
      }
    }
    return kAbsent;
  }

  bool read_member(std::size_t index) {
    switch (index) {
      case kTrace:
        return read_magic();
      case kVersion: {
        std::int64_t version = 0;
        return values_.read_integer(kTraceVersion, kTraceVersion, version);
      }
      case 2:
        return values_.read_value(shape::Text{}, world_.header.scenario);
      case 3:
        return values_.read_unsigned(0, std::numeric_limits<std::uint64_t>::max(), world_.header.seed);
      case 4:
        return read_protocol();
      case 7:
        return values_.read_value(shape::Flag{}, world_.header.reports_losses);
      default:
        values_.cursor().skip();
        return true;
    }
  }

  bool read_magic() {
    const std::size_t at = values_.cursor().at();
    std::string_view magic;
    if (!values_.read_string("\"mirrorproof\"", magic)) {
      return false;
    }
    return magic == "mirrorproof" || values_.fail(at, describe_json_value(text_, at), "\"mirrorproof\"");
  }

  /// An absent option has the value of the preset as_proposed.
  bool read_protocol() {
    constexpr auto count = [] {
      std::size_t options = 0;
      ProtocolOptions any;
      for_each_option(any, [&](std::string_view, auto&) { ++options; });
      return options;
    }();
    std::array<std::string_view, count> names{};
    std::size_t next = 0;
    for_each_option(world_.header.protocol, [&](std::string_view name, auto&) { names[next++] = name; });
    std::array<bool, count> seen{};
    return read_object(values_, text_, names, seen, [&](std::size_t index) {
      bool good = true;
      std::size_t at = 0;
      for_each_option(world_.header.protocol, [&](std::string_view, auto& option) {
        if (at++ == index) {
          if constexpr (std::is_same_v<std::remove_cvref_t<decltype(option)>, bool>) {
            good = values_.read_value(shape::Flag{}, option);
          } else {
            good = values_.read_value(shape::Enum{}, option);
          }
        }
      });
      return good;
    });
  }

  /// A name that is new among `others`.
  template <class Named>
  bool read_name(const std::vector<Named>& others, std::string& out) {
    const std::size_t at = values_.cursor().at();
    std::string_view name;
    if (!values_.read_string("a name", name)) {
      return false;
    }
    if (name.empty() || name.size() > kMaxTraceName) {
      return values_.fail(at, fmt::format("{} bytes", name.size()),
                          fmt::format("1 to {} bytes", kMaxTraceName));
    }
    if (std::any_of(name.begin(), name.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; })) {
      return values_.fail(at, describe_json_value(text_, at), "a name without control characters");
    }
    if (std::any_of(others.begin(), others.end(), [&](const Named& other) { return other.name == name; })) {
      return values_.fail(at, describe_json_value(text_, at), "a name not used before");
    }
    out = name;
    return true;
  }

  bool read_clusters() {
    return read_list(1, kMaxClusters, [&] {
      constexpr std::array<std::string_view, 2> names{"name", "brokers"};
      TraceCluster cluster;
      std::array<bool, 2> seen{};
      const std::size_t at = values_.cursor().at();
      bool good = read_object(values_, text_, names, seen, [&](std::size_t index) {
        if (index == 0) {
          return read_name(world_.header.clusters, cluster.name);
        }
        std::int64_t brokers = 0;
        const bool in_range = values_.read_integer(1, kMaxBrokers, brokers);
        cluster.brokers = static_cast<int>(brokers);
        return in_range;
      });
      good = require(at, names, seen, good);
      world_.header.clusters.push_back(std::move(cluster));
      return good;
    });
  }

  bool read_partitions() {
    return read_list(0, kMaxPartitions, [&] {
      constexpr std::array<std::string_view, 2> names{"name", "replicas"};
      TracePartition partition;
      partition.replicas.resize(world_.header.clusters.size());
      std::array<bool, 2> seen{};
      const std::size_t at = values_.cursor().at();
      bool good = read_object(values_, text_, names, seen, [&](std::size_t index) {
        return index == 0 ? read_name(world_.header.partitions, partition.name) : read_replicas(partition);
      });
      good = require(at, names, seen, good);
      world_.header.partitions.push_back(std::move(partition));
      return good;
    });
  }

  bool read_replicas(TracePartition& partition) {
    if (!values_.is(JsonKind::object)) {
      return values_.fail_here("an object of broker ids by cluster");
    }
    bool good = true;
    std::vector<bool> seen(partition.replicas.size());
    values_.cursor().enter();
    while (values_.cursor().next()) {
      const std::size_t key_at = values_.cursor().at();
      const std::string_view raw_key = JsonCursor(text_, key_at).raw_string();
      const std::string_view name = values_.cursor().key(scratch_);
      const auto& clusters = world_.header.clusters;
      const auto found =
          std::find_if(clusters.begin(), clusters.end(), [&](const auto& c) { return c.name == name; });
      if (!world_.clusters_known) {
        values_.cursor().skip();
      } else if (found == clusters.end()) {
        values_.cursor().skip();
        good = values_.fail_field(key_at, raw_key, "an unknown cluster", "a cluster of the header");
      } else if (const auto index = static_cast<std::size_t>(found - clusters.begin()); seen[index]) {
        good = values_.fail_repeated(key_at, raw_key);
      } else {
        seen[index] = true;
        values_.enter_field(raw_key);
        good = values_.read_brokers(static_cast<ClusterId>(index), partition.replicas[index]) && good;
        values_.leave();
      }
    }
    return good;
  }

  template <std::size_t Count>
  bool require(std::size_t object_at, const std::array<std::string_view, Count>& names,
               const std::array<bool, Count>& seen, bool good) {
    for (std::size_t i = 0; i < Count; ++i) {
      if (!seen[i] && text_[object_at] == '{') {
        good = values_.fail_missing(object_at, names[i]);
      }
    }
    return good;
  }

  template <class Element>
  bool read_list(int min, int max, Element&& read_element) {
    if (!values_.is(JsonKind::array)) {
      return values_.fail_here("an array");
    }
    const std::size_t at = values_.cursor().at();
    bool good = true;
    int count = 0;
    values_.cursor().enter();
    for (; values_.cursor().next(); ++count) {
      if (count >= max) {
        values_.cursor().skip();
        continue;
      }
      values_.enter_element(static_cast<std::size_t>(count));
      good = read_element() && good;
      values_.leave();
    }
    if (count < min || count > max) {
      good = values_.fail(at, fmt::format("{} elements", count), fmt::format("{} to {} elements", min, max));
    }
    return good;
  }

  std::string_view text_;
  TraceWorld& world_;
  TraceValueReader values_;
  std::string scratch_;
};

}  // namespace

bool opens_a_document(std::string_view text) {
  const std::size_t end = text.find_last_not_of(" \t\r");
  return end != std::string_view::npos && text.substr(0, end + 1) == "{";
}

bool read_trace_header(std::string_view text, std::size_t line, TraceWorld& world,
                       TraceProblemList& problems) {
  return HeaderReader(text, line, world, problems).read();
}

}  // namespace mirrorproof::checker
