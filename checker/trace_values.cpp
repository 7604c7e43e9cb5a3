#include "checker/trace_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "checker/trace_text.h"

namespace mirrorproof::checker {
namespace {

constexpr std::size_t kMaxKeyShown = 48;

/// A key as a JSON pointer's reference token. The text as written in the line, so that escapes stay escapes.
void append_token(std::string& pointer, std::string_view raw_key) {
  const std::string_view shown = cut_utf8(raw_key, kMaxKeyShown);
  pointer.push_back('/');
  for (const char c : printable(shown)) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer.push_back(c);
    }
  }
  if (shown.size() < raw_key.size()) {
    pointer += "...";
  }
}

/// Decimal digits only, no sign, no leading zero.
std::optional<std::uint64_t> parse_decimal(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc{} || stop != end || (text.size() > 1 && text.front() == '0')) {
    return std::nullopt;
  }
  return value;
}

template <class Integer>
std::string range(Integer min, Integer max) {
  return min == max ? fmt::format("the integer {}", min) : fmt::format("an integer from {} to {}", min, max);
}

}  // namespace

std::string one_of(std::span<const std::string_view> names) {
  std::string list = "one of";
  const char* separator = " ";
  for (const std::string_view name : names) {
    list += separator;
    list += name;
    separator = ", ";
  }
  return list;
}

void TraceProblemList::add(TraceProblem problem) {
  if (problems_.size() < kMaxTraceProblems) {
    problems_.push_back(std::move(problem));
  } else {
    ++suppressed_;
  }
}

void TraceProblemList::end_line() {
  std::stable_sort(problems_.begin() + static_cast<std::ptrdiff_t>(line_start_), problems_.end(),
                   [](const TraceProblem& a, const TraceProblem& b) { return a.column < b.column; });
  line_start_ = problems_.size();
}

void TraceProblemList::move_to(std::vector<TraceProblem>& problems, std::uint64_t& suppressed) {
  end_line();
  problems = std::move(problems_);
  suppressed = suppressed_;
}

std::string TraceValueReader::pointer() const {
  std::string text;
  for (const Step& step : path_) {
    if (step.key.data() == nullptr) {
      text += fmt::format("/{}", step.index);
    } else {
      append_token(text, step.key);
    }
  }
  return text;
}

bool TraceValueReader::fail(std::size_t at, std::string found, std::string_view expected) {
  problems_.add(TraceProblem{line_, at + 1, pointer(), std::move(found), std::string(expected)});
  return false;
}

bool TraceValueReader::fail_here(std::string_view expected) {
  const std::size_t at = cursor_.at();
  cursor_.skip();
  return fail(at, describe_json_value(text_, at), expected);
}

bool TraceValueReader::fail_field(std::size_t at, std::string_view raw_key, std::string found,
                                  std::string_view expected) {
  std::string path = pointer();
  append_token(path, raw_key);
  problems_.add(TraceProblem{line_, at + 1, std::move(path), std::move(found), std::string(expected)});
  return false;
}

bool TraceValueReader::fail_line(std::string found, std::string_view expected) {
  problems_.add(TraceProblem{line_, 0, "", std::move(found), std::string(expected)});
  return false;
}

bool TraceValueReader::fail_repeated(std::size_t key_at, std::string_view raw_key) {
  cursor_.skip();
  return fail_field(key_at, raw_key, "the field again", "each field once");
}

bool TraceValueReader::fail_unknown(std::size_t key_at, std::string_view raw_key, std::string_view expected) {
  cursor_.skip();
  return fail_field(key_at, raw_key, "an unknown field", expected);
}

bool TraceValueReader::fail_missing(std::size_t object_at, std::string_view name) {
  return fail_field(object_at, name, "nothing", "this field");
}

bool TraceValueReader::read_integer(std::int64_t min, std::int64_t max, std::int64_t& out) {
  const std::size_t at = cursor_.at();
  if (cursor_.kind() == JsonKind::number) {
    if (const auto number = cursor_.integer()) {
      // The bounds are far inside 64 bits: what is too large to be negated is outside them either way.
      const bool small =
          number->magnitude <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      const auto magnitude = small ? static_cast<std::int64_t>(number->magnitude) : 0;
      const std::int64_t value = number->negative ? -magnitude : magnitude;
      if (small && value >= min && value <= max) {
        out = value;
        return true;
      }
    }
  } else {
    cursor_.skip();
  }
  return fail(at, describe_json_value(text_, at), range(min, max));
}

bool TraceValueReader::read_unsigned(std::uint64_t min, std::uint64_t max, std::uint64_t& out) {
  const std::size_t at = cursor_.at();
  if (cursor_.kind() == JsonKind::number) {
    const auto number = cursor_.integer();
    if (number && (!number->negative || number->magnitude == 0) && number->magnitude >= min &&
        number->magnitude <= max) {
      out = number->magnitude;
      return true;
    }
  } else {
    cursor_.skip();
  }
  return fail(at, describe_json_value(text_, at), range(min, max));
}

bool TraceValueReader::read_string(std::string_view expected, std::string_view& out) {
  if (!is(JsonKind::string)) {
    return fail_here(expected);
  }
  out = cursor_.string(scratch_);
  return true;
}

ClusterId TraceValueReader::find_cluster(std::string_view name) const {
  const auto& clusters = world_.header.clusters;
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    if (clusters[i].name == name) {
      return static_cast<ClusterId>(i);
    }
  }
  return kNoCluster;
}

int TraceValueReader::broker_count(ClusterId cluster) const {
  if (!world_.clusters_known || cluster == kNoCluster) {
    return kMaxBrokers;
  }
  return world_.header.clusters[static_cast<std::size_t>(cluster)].brokers;
}

std::string TraceValueReader::broker_range(ClusterId cluster, bool or_none) const {
  return fmt::format("{}a broker id from 0 to {}", or_none ? "-1 or " : "", broker_count(cluster) - 1);
}

std::string TraceValueReader::cluster_names() const {
  std::string list = "the name of a cluster of the header:";
  for (const TraceCluster& cluster : world_.header.clusters) {
    list += ' ';
    append_json_string(list, printable(cut_utf8(cluster.name, kMaxKeyShown)));
  }
  return list;
}

bool TraceValueReader::read_cluster_name(ClusterId& out) {
  const std::size_t at = cursor_.at();
  std::string_view name;
  if (!read_string("the name of a cluster", name)) {
    return false;
  }
  if (!world_.clusters_known) {
    out = 0;
    return true;
  }
  const ClusterId found = find_cluster(name);
  if (found == kNoCluster) {
    return fail(at, describe_json_value(text_, at), cluster_names());
  }
  out = found;
  return true;
}

bool TraceValueReader::read_partition_name(PartitionId& out) {
  const std::size_t at = cursor_.at();
  std::string_view name;
  if (!read_string("the name of a partition", name)) {
    return false;
  }
  if (!world_.partitions_known) {
    out = 0;
    return true;
  }
  const auto& partitions = world_.header.partitions;
  // Consecutive events mostly concern the same partition.
  const auto last = static_cast<std::size_t>(last_partition_);
  if (last < partitions.size() && partitions[last].name == name) {
    out = last_partition_;
    return true;
  }
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    if (partitions[i].name == name) {
      out = last_partition_ = static_cast<PartitionId>(i);
      return true;
    }
  }
  return fail(at, describe_json_value(text_, at), "the name of a partition of the header");
}

bool TraceValueReader::read_actor(ClusterId& cluster, BrokerId& broker) {
  constexpr std::string_view expected = "\"CLUSTER/BROKER\" or \"CLUSTER/controller\"";
  const std::size_t at = cursor_.at();
  std::string_view text;
  if (!read_string(expected, text)) {
    return false;
  }
  // The last slash: a cluster's name may hold others.
  const std::size_t slash = text.rfind('/');
  if (slash == std::string_view::npos) {
    return fail(at, describe_json_value(text_, at), expected);
  }
  const std::string_view place = text.substr(slash + 1);
  cluster = world_.clusters_known ? find_cluster(text.substr(0, slash)) : ClusterId{0};
  if (cluster == kNoCluster) {
    return fail(at, describe_json_value(text_, at), cluster_names());
  }
  if (place == "controller") {
    broker = kController;
    return true;
  }
  const auto id = parse_decimal(place);
  if (!id || *id >= static_cast<std::uint64_t>(broker_count(cluster))) {
    return fail(at, describe_json_value(text_, at),
                broker_range(cluster, false) + " or \"controller\" after the '/'");
  }
  broker = static_cast<BrokerId>(*id);
  return true;
}

bool TraceValueReader::read_broker(ClusterId cluster, BrokerId& out) {
  std::int64_t value = 0;
  if (!read_integer(-1, broker_count(cluster) - 1, value)) {
    return false;
  }
  out = static_cast<BrokerId>(value);
  return true;
}

bool TraceValueReader::read_brokers(ClusterId cluster, BrokerSet& out) {
  if (!is(JsonKind::array)) {
    return fail_here("an array of broker ids");
  }
  bool good = true;
  cursor_.enter();
  for (std::size_t index = 0; cursor_.next(); ++index) {
    enter_element(index);
    const std::size_t at = cursor_.at();
    std::int64_t id = 0;
    if (!read_integer(0, broker_count(cluster) - 1, id)) {
      good = false;
    } else if (out.contains(static_cast<BrokerId>(id))) {
      good = fail(at, describe_json_value(text_, at), "each broker once");
    } else {
      out.insert(static_cast<BrokerId>(id));
    }
    leave();
  }
  return good;
}

bool TraceValueReader::read_value(shape::Text, std::string& out) {
  std::string_view text;
  if (!read_string("a string", text)) {
    return false;
  }
  out = text;
  return true;
}

bool TraceValueReader::read_value(shape::Flag, bool& out) {
  if (!is(JsonKind::boolean)) {
    return fail_here("true or false");
  }
  out = cursor_.boolean();
  return true;
}

bool TraceValueReader::read_value(shape::Release, KafkaVersion& out) {
  const std::size_t at = cursor_.at();
  const auto expected = [] { return "a Kafka release: " + known_kafka_versions(); };
  if (!is(JsonKind::string)) {
    return fail_here(expected());
  }
  const auto version = parse_kafka_version(cursor_.string(scratch_));
  if (!version) {
    return fail(at, describe_json_value(text_, at), expected());
  }
  out = *version;
  return true;
}

bool TraceValueReader::read_value(shape::Record, RecordId& out) {
  constexpr std::string_view expected = "\"CLUSTER:SERIAL\" with a serial below 2^48";
  const std::size_t at = cursor_.at();
  std::string_view text;
  if (!read_string(expected, text)) {
    return false;
  }
  const std::size_t colon = text.rfind(':');
  const auto serial = colon == std::string_view::npos ? std::nullopt : parse_decimal(text.substr(colon + 1));
  if (!serial || *serial >= kRecordSerials) {
    return fail(at, describe_json_value(text_, at), expected);
  }
  const ClusterId origin = world_.clusters_known ? find_cluster(text.substr(0, colon)) : ClusterId{0};
  if (origin == kNoCluster) {
    return fail(at, describe_json_value(text_, at), cluster_names());
  }
  out = RecordId::make(origin, *serial);
  return true;
}

bool TraceValueReader::check_records(std::size_t at, Offset base_offset, Offset last_offset,
                                     RecordId first_id) {
  const auto offsets = [&] { return fmt::format("offsets {} to {}", base_offset, last_offset); };
  if (last_offset < base_offset) {
    return fail(at, offsets(), "last_offset at or above base_offset");
  }
  if (last_offset - base_offset >= kMaxBatchRecords) {
    return fail(at, offsets(), fmt::format("at most {} records", kMaxBatchRecords));
  }
  if (first_id.serial() + static_cast<std::uint64_t>(last_offset - base_offset) >= kRecordSerials) {
    return fail(at, fmt::format("serial {} and {}", first_id.serial(), offsets()), "serials below 2^48");
  }
  return true;
}

}  // namespace mirrorproof::checker
