#pragma once
// The text of a leader-epoch checkpoint file (protocol.md E2; Kafka: LeaderEpochCheckpointFile). Pure: text
// in, text out.
//
//   0            version
//   2            number of entries
//   1 0          epoch, start offset
//   3 5

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/types.h"

namespace mirrorproof {

/// Every line ends with a newline.
std::string write_leader_epoch_checkpoint(std::span<const EpochEntry> entries);

/// Either the entries, in file order, or what is wrong with the text.
struct CheckpointParseResult {
  std::optional<std::vector<EpochEntry>> entries;
  std::string error;  ///< "line 3: ..."; empty on success
};

/// An empty text is an untouched file: no entries. Entries must have epoch >= 0, start offset >= 0, both
/// strictly increasing (E1).
CheckpointParseResult parse_leader_epoch_checkpoint(std::string_view text);

}  // namespace mirrorproof
