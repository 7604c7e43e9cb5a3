#include "checker/trace_digest.h"

#include <fmt/format.h>

#include <bit>
#include <type_traits>
#include <variant>

#include "checker/trace_fields.h"

namespace mirrorproof::checker {
namespace {

// Odd constants with about half of their bits set.
constexpr std::uint64_t kMultiply = 0x9E3779B97F4A7C15ULL;
constexpr std::uint64_t kSpread = 0xD6E8FEB86659FD93ULL;

/// Feeds 64-bit words; lists and texts are preceded by their length, so that no two traces give the same
/// words.
class Words {
 public:
  Words(std::uint64_t& state, std::uint64_t& count) : state_(state), count_(count) {}

  void add(std::uint64_t word) {
    state_ = std::rotl(state_ ^ (word * kMultiply), 29) * kSpread;
    ++count_;
  }
  template <class Integer>
  requires std::is_integral_v<Integer>
  void add_integer(Integer value) { add(static_cast<std::uint64_t>(static_cast<std::int64_t>(value))); }
  void add_text(std::string_view text) {
    add(text.size());
    std::uint64_t word = 0;
    unsigned shift = 0;
    for (const char c : text) {
      word |= std::uint64_t{static_cast<unsigned char>(c)} << shift;
      shift += 8;
      if (shift == 64) {
        add(word);
        word = 0;
        shift = 0;
      }
    }
    if (shift != 0) {
      add(word);
    }
  }

  void write(shape::Text, const std::string& text) { add_text(text); }
  template <class Enumeration>
  void write(shape::Enum, Enumeration value) {
    add_integer(static_cast<std::underlying_type_t<Enumeration>>(value));
  }
  void write(shape::Release, KafkaVersion version) { add_integer(version.index); }
  void write(shape::Brokers, BrokerSet brokers) { add(brokers.bits); }
  void write(shape::Record, RecordId id) { add(id.packed); }
  template <class Struct>
  void write(shape::Object, const Struct& value) {
    fields(value);
  }
  template <class List>
  void write(shape::List, const List& list) {
    add(list.size());
    for (const auto& element : list) {
      fields(element);
    }
  }
  /// Every other shape is a number or a flag.
  template <class Shape, class Integer>
  void write(Shape, Integer value) {
    add_integer(value);
  }

  template <class Struct>
  void fields(const Struct& value) {
    for_each_trace_field<Struct>([&](const auto& field) {
      if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value.*(field.member))>, BatchContent>) {
        if (value.*(field.member) == BatchContent::records) {
          return;  // traces without compaction keep their digests
        }
      }
      write(typename std::remove_cvref_t<decltype(field)>::Shape{}, value.*(field.member));
    });
  }

 private:
  std::uint64_t& state_;
  std::uint64_t& count_;
};

}  // namespace

void TraceDigest::add(const TraceHeader& header) {
  Words words(state_, words_);
  words.add_text(header.scenario);
  words.add(header.seed);
  // Only what differs from the preset, by name: a new option does not change the digests of traces without
  // it.
  const ProtocolOptions preset;
  std::uint64_t changed = 0;
  for_each_option(header.protocol, [&](std::string_view name, const auto& option) {
    for_each_option(preset, [&](std::string_view preset_name, const auto& fallback) {
      if constexpr (std::is_same_v<decltype(option), decltype(fallback)>) {
        if (name == preset_name && option != fallback) {
          words.add_text(name);
          words.add(static_cast<std::uint64_t>(option));
          ++changed;
        }
      }
    });
  });
  words.add(changed);
  words.add(header.reports_losses ? 1 : 0);
  words.add(header.clusters.size());
  for (const TraceCluster& cluster : header.clusters) {
    words.add_text(cluster.name);
    words.add_integer(cluster.brokers);
  }
  words.add(header.partitions.size());
  for (const TracePartition& partition : header.partitions) {
    words.add_text(partition.name);
    for (std::size_t cluster = 0; cluster < header.clusters.size(); ++cluster) {
      words.add(cluster < partition.replicas.size() ? partition.replicas[cluster].bits : 0);
    }
  }
}

void TraceDigest::add(const Event& event) {
  Words words(state_, words_);
  words.add(event.id);
  words.add_integer(event.cluster);
  words.add_integer(event.broker);
  words.add_integer(event.partition);
  words.add(event.step);
  words.add(event.causes.size());
  for (const EventId cause : event.causes) {
    words.add(cause);
  }
  words.add(event.payload.index());
  std::visit([&](const auto& payload) { words.fields(payload); }, event.payload);
}

std::uint64_t TraceDigest::value() const {
  std::uint64_t hash = state_ ^ (words_ * kMultiply);
  hash = (hash ^ (hash >> 32)) * kSpread;
  hash = (hash ^ (hash >> 29)) * kMultiply;
  return hash ^ (hash >> 32);
}

std::string TraceDigest::hex() const {
  return fmt::format("{:016x}", value());
}

std::uint64_t campaign_digest(std::uint64_t so_far, std::uint64_t seed, std::uint64_t trace_digest) {
  const auto mixed = [](std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
    return value ^ (value >> 31);
  };
  return mixed(so_far ^ mixed(seed + 0x9E3779B97F4A7C15ULL) ^ trace_digest);
}

std::uint64_t trace_digest(const Trace& trace) {
  TraceDigest digest;
  digest.add(trace.header);
  for (const Event& event : trace.events) {
    digest.add(event);
  }
  return digest.value();
}

}  // namespace mirrorproof::checker
