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

/// What is wrong with a vector file, and with which value of it, if it is one. Tests let it escape into
/// for_each_case, which says where that value is, or fail with its text.
class VectorError : public std::runtime_error {
 public:
  explicit VectorError(const std::string& what, const Json* value = nullptr)
      : std::runtime_error(what), value_(value) {}
  /// Only compared, never looked into: it may be a temporary that is gone.
  const Json* value() const { return value_; }

 private:
  const Json* value_;
};

struct VectorFile {
  std::string path;
  Json content;
};

/// The whole file, from $MIRRORPROOF_VECTORS if set, else from tests/vectors of the source tree.
VectorFile load(const std::string& file_name);

/// Calls `check` for every element of the list of cases, which is the whole file or its field `list`, inside
/// a trace that names it by its `name_key`. Errors in the file become test failures that name file and JSON
/// pointer. Returns how many ran without such an error.
int for_each_case(const VectorFile& file, const char* name_key, const std::function<void(const Json&)>& check,
                  const std::string& list = "");

const Json& field(const Json& object, std::string_view key);
/// A list, to go through.
const Json& list_field(const Json& object, std::string_view key);
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
