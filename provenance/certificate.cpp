#include "provenance/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace mirrorproof::provenance {
namespace {

using nlohmann::json;

constexpr int kDeepest = 8;
constexpr std::size_t kLongestText = 10'000;
constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;

class Reader {
 public:
  std::string problem;

  const json* field(const json& object, const std::string& at, const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || found == object.end()) {
      fail(at + "/" + name, "nothing", "a field of this name");
      return nullptr;
    }
    return &*found;
  }
  std::int64_t integer(const json& object, const std::string& at, const char* name, std::int64_t low) {
    const json* value = field(object, at, name);
    return value == nullptr ? low : integer(*value, at + "/" + name, low);
  }
  std::int64_t integer(const json& value, const std::string& at, std::int64_t low) {
    const bool fits =
        value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= kLargest);
    if (!fits || value.get<std::int64_t>() < low) {
      fail(at, shown(value), fmt::format("an integer from {} on", low));
      return low;
    }
    return value.get<std::int64_t>();
  }
  EventId event(const json& object, const std::string& at, const char* name) {
    return static_cast<EventId>(integer(object, at, name, 1));
  }
  /// 0 for null.
  EventId event_or_null(const json& object, const std::string& at, const char* name) {
    const json* value = field(object, at, name);
    return value == nullptr || value->is_null() ? 0
                                                : static_cast<EventId>(integer(*value, at + "/" + name, 1));
  }
  std::string text(const json& object, const std::string& at, const char* name) {
    const json* value = field(object, at, name);
    if (value == nullptr) {
      return {};
    }
    if (!value->is_string() || value->get_ref<const std::string&>().size() > kLongestText) {
      fail(at + "/" + name, shown(*value), fmt::format("a text of at most {} bytes", kLongestText));
      return {};
    }
    return value->get<std::string>();
  }
  /// Calls `read` with each element and its pointer, until something is wrong.
  template <class Read>
  void list(const json& object, const std::string& at, const char* name, const Read& read) {
    const json* value = field(object, at, name);
    if (value != nullptr && !value->is_array()) {
      fail(at + "/" + name, shown(*value), "a list");
      return;
    }
    for (std::size_t i = 0; value != nullptr && i < value->size() && problem.empty(); ++i) {
      read((*value)[i], fmt::format("{}/{}/{}", at, name, i));
    }
  }
  std::optional<Exchange> exchange(const json& object, const std::string& at, const char* name) {
    const json* value = field(object, at, name);
    if (value == nullptr || value->is_null()) {
      return std::nullopt;
    }
    const std::string below = at + "/" + name;
    return Exchange{event(*value, below, "sent"), event(*value, below, "handled"),
                    event(*value, below, "received")};
  }

 private:
  static std::string shown(const json& value) {
    return value.is_structured() || value.is_string() ? value.type_name() : value.dump().substr(0, 60);
  }
  void fail(const std::string& at, std::string_view found, std::string_view expected) {
    if (problem.empty()) {
      problem = fmt::format("{}: found {}, expected {}", at, found, expected);
    }
  }
};

RecordClaim read_record(Reader& reader, const json& item, const std::string& at) {
  RecordClaim claim;
  claim.base_offset = reader.integer(item, at, "base_offset", 0);
  claim.last_offset = reader.integer(item, at, "last_offset", claim.base_offset);
  claim.epoch = static_cast<Epoch>(
      std::min<std::int64_t>(reader.integer(item, at, "epoch", kUndefinedEpoch), INT32_MAX));
  if (const json* first = reader.field(item, at, "first_record"); first != nullptr) {
    claim.first_cluster = reader.text(*first, at + "/first_record", "cluster");
    claim.first_serial =
        static_cast<std::uint64_t>(reader.integer(*first, at + "/first_record", "serial", 0));
  }
  claim.origin = reader.event(item, at, "origin");
  if (const json* held = reader.field(item, at, "held"); held != nullptr) {
    claim.held_appended = reader.event(*held, at + "/held", "appended");
    claim.held_leader = reader.event(*held, at + "/held", "became_leader");
  }
  claim.arrived = reader.event(item, at, "arrived");
  claim.fetch = reader.exchange(item, at, "fetch");
  claim.killer = reader.event(item, at, "killer");
  claim.heir = reader.event_or_null(item, at, "heir");
  reader.list(item, at, "path", [&](const json& step, const std::string& pointer) {
    claim.path.push_back(static_cast<EventId>(reader.integer(step, pointer, 1)));
  });
  return claim;
}

TruncationClaim read_truncation(Reader& reader, const json& item, const std::string& at) {
  TruncationClaim claim;
  claim.event = reader.event(item, at, "event");
  claim.cluster = reader.text(item, at, "cluster");
  claim.broker = reader.integer(item, at, "broker", 0);
  claim.partition = reader.text(item, at, "partition");
  claim.source = reader.text(item, at, "source");
  claim.offset = reader.integer(item, at, "offset", 0);
  claim.answer = reader.exchange(item, at, "answer");
  reader.list(item, at, "records", [&](const json& record, const std::string& pointer) {
    claim.records.push_back(read_record(reader, record, pointer));
  });
  return claim;
}

}  // namespace

ReadCertificateResult read_certificate(std::string_view text) {
  ReadCertificateResult result;
  bool too_deep = false;
  const json document = json::parse(
      text, [&too_deep](int depth, json::parse_event_t, json&) { return !(too_deep |= depth > kDeepest); },
      false);
  if (document.is_discarded() || too_deep) {
    result.problem = fmt::format("found {}, expected one JSON document of a certificate",
                                 too_deep ? "nesting that is too deep" : "no JSON");
    return result;
  }
  Reader reader;
  if (reader.integer(document, "", "mirrorproof_certificate", 1) != 1 && reader.problem.empty()) {
    reader.problem = "/mirrorproof_certificate: found another format, expected 1";
  }
  Certificate& certificate = result.certificate;
  certificate.scenario = reader.text(document, "", "scenario");
  if (const json* seed = reader.field(document, "", "seed"); seed != nullptr) {
    if (seed->is_number_unsigned()) {
      certificate.seed = seed->get<std::uint64_t>();
    } else if (reader.problem.empty()) {
      reader.problem = "/seed: expected an integer from 0 on";
    }
  }
  certificate.events = static_cast<std::uint64_t>(reader.integer(document, "", "events", 0));
  reader.list(document, "", "truncations", [&](const json& item, const std::string& at) {
    certificate.truncations.push_back(read_truncation(reader, item, at));
  });
  reader.list(document, "", "uncertified", [&](const json& item, const std::string& at) {
    certificate.uncertified.push_back(static_cast<EventId>(reader.integer(item, at, 1)));
  });
  result.problem = std::move(reader.problem);
  return result;
}

ReadCertificateResult read_certificate_file(const std::string& path) {
  ReadCertificateResult result;
  std::error_code error;
  const auto size =
      std::filesystem::is_regular_file(path, error) ? std::filesystem::file_size(path, error) : 0;
  std::ifstream in(path, std::ios::binary);
  if (error || !in || size == 0 || size > kMaxCertificateBytes) {
    result.problem =
        fmt::format("found {}, expected a certificate of at most {} bytes",
                    size > kMaxCertificateBytes ? "a larger file" : "no readable file", kMaxCertificateBytes);
    return result;
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return read_certificate(text);
}

}  // namespace mirrorproof::provenance
