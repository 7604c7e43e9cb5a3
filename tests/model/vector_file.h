#pragma once
// The conformance vectors of tests/vectors (formats: README.md there), read strictly: a missing file, a wrong
// type, a number out of range or an unknown key is an error with a place, never a default.

#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "model/log.h"
#include "model/messages.h"

namespace mirrorproof::vectors {

using Json = nlohmann::json;

/// What is wrong with a vector file. Tests let it escape into for_each_case or fail with its text.
class VectorError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The whole file, from $MIRRORPROOF_VECTORS if set, else from tests/vectors of the source tree.
Json load(const std::string& file_name);

/// Calls `check` for every element of the array `cases`, inside a trace that names it by its `name_key`;
/// errors in the file become test failures. Returns how many ran without such an error.
int for_each_case(const Json& cases, const char* name_key, const std::function<void(const Json&)>& check);

const Json& field(const Json& object, std::string_view key);
std::int64_t to_integer(const Json& value);
Offset to_offset(const Json& value);
Epoch to_epoch(const Json& value);
bool to_bool(const Json& value);
std::string to_text(const Json& value);
Offset offset_field(const Json& object, std::string_view key);
Epoch epoch_field(const Json& object, std::string_view key);
std::string text_field(const Json& object, std::string_view key);
/// null, or an epoch; absent becomes kUndefinedEpoch.
Epoch optional_epoch_field(const Json& object, std::string_view key);
ErrorCode error_field(const Json& object, std::string_view key);

/// Throws unless every key of `object` is listed: what a test does not understand it must not skip.
void require_known_keys(const Json& object, std::initializer_list<std::string_view> known);

std::vector<EpochEntry> to_entries(const Json& value);
/// Exactly these entries, by assigning them in order.
LeaderEpochCache to_cache(const Json& value);
/// {base_offset, last_offset, epoch, written_in_epoch?}. Batches of different writers differ: the writing
/// epoch is packed into the record ids.
Batch to_batch(const Json& value);
/// {log_start_offset, log_end_offset, high_watermark, epochs, batches?}; without batches only positions
/// count.
Log to_log(const Json& value);

Json entries_json(std::span<const EpochEntry> entries);

}  // namespace mirrorproof::vectors
