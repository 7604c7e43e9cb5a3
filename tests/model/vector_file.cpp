#include "vector_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>

namespace mirrorproof::vectors {
namespace {

std::string shown(const Json& value) {
  std::string text = value.dump();
  if (text.size() > 160) {
    text.resize(160);
    text += "...";
  }
  return text;
}

}  // namespace

Json load(const std::string& file_name) {
  const char* folder = std::getenv("MIRRORPROOF_VECTORS");
  const std::string path =
      (folder != nullptr ? std::string(folder) : std::string(MIRRORPROOF_SOURCE_DIR "/tests/vectors")) + "/" +
      file_name;
  std::ifstream file(path);
  if (!file) {
    throw VectorError("cannot open vector file " + path);
  }
  try {
    return Json::parse(file);
  } catch (const Json::parse_error& error) {
    throw VectorError("vector file " + path + ": " + error.what());
  }
}

int for_each_case(const Json& cases, const char* name_key, const std::function<void(const Json&)>& check) {
  if (!cases.is_array()) {
    ADD_FAILURE() << "expected a list of cases, found " << shown(cases);
    return 0;
  }
  int ran = 0;
  for (const Json& entry : cases) {
    try {
      SCOPED_TRACE("case " + text_field(entry, name_key));
      check(entry);
      ++ran;
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what() << "\nin case " << shown(entry);
    }
  }
  return ran;
}

const Json& field(const Json& object, std::string_view key) {
  if (!object.is_object()) {
    throw VectorError(fmt::format("expected an object with \"{}\", found {}", key, shown(object)));
  }
  const auto found = object.find(key);
  if (found == object.end()) {
    throw VectorError(fmt::format("missing \"{}\" in {}", key, shown(object)));
  }
  return *found;
}

std::int64_t to_integer(const Json& value) {
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() &&
       value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))) {
    throw VectorError("expected a 64-bit integer, found " + shown(value));
  }
  return value.get<std::int64_t>();
}

Offset to_offset(const Json& value) {
  return to_integer(value);
}

Epoch to_epoch(const Json& value) {
  const std::int64_t wide = to_integer(value);
  if (wide < std::numeric_limits<Epoch>::min() || wide > std::numeric_limits<Epoch>::max()) {
    throw VectorError("expected a 32-bit epoch, found " + shown(value));
  }
  return static_cast<Epoch>(wide);
}

bool to_bool(const Json& value) {
  if (!value.is_boolean()) {
    throw VectorError("expected true or false, found " + shown(value));
  }
  return value.get<bool>();
}

std::string to_text(const Json& value) {
  if (!value.is_string()) {
    throw VectorError("expected a string, found " + shown(value));
  }
  return value.get<std::string>();
}

Offset offset_field(const Json& object, std::string_view key) {
  return to_offset(field(object, key));
}
Epoch epoch_field(const Json& object, std::string_view key) {
  return to_epoch(field(object, key));
}
std::string text_field(const Json& object, std::string_view key) {
  return to_text(field(object, key));
}

Epoch optional_epoch_field(const Json& object, std::string_view key) {
  const Json& value = field(object, key);
  return value.is_null() ? kUndefinedEpoch : to_epoch(value);
}

ErrorCode error_field(const Json& object, std::string_view key) {
  const std::string name = text_field(object, key);
  const std::optional<ErrorCode> error = parse_enum<ErrorCode>(name);
  if (!error) {
    throw VectorError("unknown error name \"" + name + "\"");
  }
  return *error;
}

void require_known_keys(const Json& object, std::initializer_list<std::string_view> known) {
  if (!object.is_object()) {
    throw VectorError("expected an object, found " + shown(object));
  }
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw VectorError(fmt::format("the harness does not know \"{}\" in {}", key, shown(object)));
    }
  }
}

std::vector<EpochEntry> to_entries(const Json& value) {
  if (!value.is_array()) {
    throw VectorError("expected a list of epoch entries, found " + shown(value));
  }
  std::vector<EpochEntry> entries;
  for (const Json& entry : value) {
    entries.push_back({epoch_field(entry, "epoch"), offset_field(entry, "start_offset")});
  }
  return entries;
}

LeaderEpochCache to_cache(const Json& value) {
  LeaderEpochCache cache;
  const std::vector<EpochEntry> entries = to_entries(value);
  for (const EpochEntry& entry : entries) {
    cache.assign(entry.epoch, entry.start_offset);
  }
  if (!std::ranges::equal(cache.entries(), entries)) {
    throw VectorError("epoch entries do not increase: " + shown(value));
  }
  return cache;
}

Batch to_batch(const Json& value) {
  require_known_keys(value, {"base_offset", "last_offset", "epoch", "written_in_epoch"});
  Batch batch;
  batch.base_offset = offset_field(value, "base_offset");
  batch.last_offset = offset_field(value, "last_offset");
  batch.epoch = epoch_field(value, "epoch");
  const Epoch writer =
      value.contains("written_in_epoch") ? epoch_field(value, "written_in_epoch") : batch.epoch;
  if (batch.base_offset < 0 || batch.last_offset < batch.base_offset || writer < kUndefinedEpoch) {
    throw VectorError("not a batch: " + shown(value));
  }
  batch.first_id = RecordId::make(0, static_cast<std::uint64_t>(writer + 1) << 16);
  return batch;
}

Log to_log(const Json& value) {
  BatchList batches;
  if (value.contains("batches")) {
    for (const Json& batch : field(value, "batches")) {
      batches.push_back(to_batch(batch));
    }
  }
  const Offset start = offset_field(value, "log_start_offset");
  const Offset end = offset_field(value, "log_end_offset");
  const Offset high_watermark = offset_field(value, "high_watermark");
  if (start < 0 || high_watermark < start || end < high_watermark ||
      (!batches.empty() && batches.back().last_offset >= end)) {
    throw VectorError("not a log: " + shown(value));
  }
  return Log::restore({batches.data(), batches.size()}, to_cache(field(value, "epochs")), start, end,
                      high_watermark);
}

Json entries_json(std::span<const EpochEntry> entries) {
  Json list = Json::array();
  for (const EpochEntry& entry : entries) {
    list.push_back({{"epoch", entry.epoch}, {"start_offset", entry.start_offset}});
  }
  return list;
}

}  // namespace mirrorproof::vectors
