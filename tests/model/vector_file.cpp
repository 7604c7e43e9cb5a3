#include "vector_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>

namespace mirrorproof::vectors {
namespace {

/// No vector nests this deep; a file that does could overflow the stack of whoever goes through it.
constexpr int kMaxDepth = 64;

std::string shown(const Json& value) {
  std::string text = value.dump();
  if (text.size() > 160) {
    text.resize(160);
    text += "...";
  }
  return text;
}

/// Where `value` itself, not one like it, stands in `tree`.
std::optional<std::string> pointer_to(const Json* value, const Json& tree, const std::string& prefix) {
  if (value == &tree) {
    return prefix;
  }
  if (!tree.is_structured()) {
    return std::nullopt;
  }
  for (const auto& [key, child] : tree.items()) {
    if (const auto found = pointer_to(value, child, prefix + "/" + key)) {
      return found;
    }
  }
  return std::nullopt;
}

[[noreturn]] void wrong(const Json& value, std::string_view expected) {
  throw VectorError(fmt::format("expected {}, found {}", expected, shown(value)), &value);
}

}  // namespace

VectorFile load(const std::string& file_name) {
  const char* folder = std::getenv("MIRRORPROOF_VECTORS");
  VectorFile loaded;
  loaded.path =
      (folder != nullptr ? std::string(folder) : std::string(MIRRORPROOF_SOURCE_DIR "/tests/vectors")) + "/" +
      file_name;
  std::ifstream file(loaded.path);
  if (!file || std::filesystem::is_directory(loaded.path)) {
    throw VectorError(fmt::format("cannot open vector file {}", loaded.path));
  }
  const auto shallow = [&loaded](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) {
      throw VectorError(fmt::format("vector file {}: nested deeper than {} levels", loaded.path, kMaxDepth));
    }
    return true;
  };
  try {
    loaded.content = Json::parse(file, shallow);
  } catch (const Json::parse_error& error) {
    throw VectorError(fmt::format("vector file {}: {}", loaded.path, error.what()));
  }
  return loaded;
}

int for_each_case(const VectorFile& file, const char* name_key, const std::function<void(const Json&)>& check,
                  const std::string& list) {
  const Json& cases = list.empty() ? file.content : field(file.content, list);
  const std::string prefix = list.empty() ? "" : "/" + list;
  if (!cases.is_array()) {
    ADD_FAILURE() << file.path << ": " << prefix << ": expected a list of cases, found " << shown(cases);
    return 0;
  }
  int ran = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Json& entry = cases[i];
    const std::string pointer = fmt::format("{}/{}", prefix, i);
    try {
      SCOPED_TRACE("case " + text_field(entry, name_key));
      check(entry);
      ++ran;
    } catch (const VectorError& error) {
      ADD_FAILURE() << file.path << ": " << pointer_to(error.value(), entry, pointer).value_or(pointer)
                    << ": " << error.what() << "\nin case " << shown(entry);
    } catch (const std::exception& error) {
      ADD_FAILURE() << file.path << ": " << pointer << ": " << error.what() << "\nin case " << shown(entry);
    }
  }
  return ran;
}

const Json& field(const Json& object, std::string_view key) {
  if (!object.is_object()) {
    wrong(object, fmt::format("an object with \"{}\"", key));
  }
  const auto found = object.find(key);
  if (found == object.end()) {
    wrong(object, fmt::format("\"{}\" in it", key));
  }
  return *found;
}

const Json& list_field(const Json& object, std::string_view key) {
  const Json& value = field(object, key);
  if (!value.is_array()) {
    wrong(value, "a list");
  }
  return value;
}

std::int64_t to_integer(const Json& value) {
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() &&
       value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))) {
    wrong(value, "a 64-bit integer");
  }
  return value.get<std::int64_t>();
}

Offset to_offset(const Json& value) {
  return to_integer(value);
}

Epoch to_epoch(const Json& value) {
  const std::int64_t wide = to_integer(value);
  if (wide < std::numeric_limits<Epoch>::min() || wide > std::numeric_limits<Epoch>::max()) {
    wrong(value, "a 32-bit epoch");
  }
  return static_cast<Epoch>(wide);
}

bool to_bool(const Json& value) {
  if (!value.is_boolean()) {
    wrong(value, "true or false");
  }
  return value.get<bool>();
}

std::string to_text(const Json& value) {
  if (!value.is_string()) {
    wrong(value, "a string");
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
    wrong(field(object, key), "the name of an error");
  }
  return *error;
}

void require_known_keys(const Json& object, std::initializer_list<std::string_view> known) {
  if (!object.is_object()) {
    wrong(object, "an object");
  }
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw VectorError(
          fmt::format("found an unknown field \"{}\", expected one of {}", key, fmt::join(known, ", ")),
          &value);
    }
  }
}

std::vector<EpochEntry> to_entries(const Json& value) {
  if (!value.is_array()) {
    wrong(value, "a list of epoch entries");
  }
  std::vector<EpochEntry> entries;
  for (const Json& entry : value) {
    require_known_keys(entry, {"epoch", "start_offset"});
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
    wrong(value, "epoch entries that increase in epoch and start offset, none of them negative");
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
    wrong(value, "a batch: 0 <= base_offset <= last_offset, and a writer");
  }
  batch.first_id = RecordId::make(0, static_cast<std::uint64_t>(writer + 1) << 16);
  return batch;
}

Log to_log(const Json& value) {
  require_known_keys(
      value, {"leader_epoch", "log_start_offset", "log_end_offset", "high_watermark", "epochs", "batches"});
  BatchList batches;
  if (value.contains("batches")) {
    for (const Json& batch : list_field(value, "batches")) {
      batches.push_back(to_batch(batch));
      if (batches.size() > 1 && batches.back().base_offset <= batches[batches.size() - 2].last_offset) {
        wrong(batch, "a batch above the one before it");
      }
    }
  }
  const Offset start = offset_field(value, "log_start_offset");
  const Offset end = offset_field(value, "log_end_offset");
  const Offset high_watermark = offset_field(value, "high_watermark");
  if (start < 0 || high_watermark < start || end < high_watermark ||
      (!batches.empty() && batches.back().last_offset >= end)) {
    wrong(value, "a log: 0 <= log_start_offset <= high_watermark <= log_end_offset, batches below its end");
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
