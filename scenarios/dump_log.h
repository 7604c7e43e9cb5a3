#pragma once
// The text that Kafka's kafka-dump-log.sh prints for the segments of one partition, read strictly.
//
//   Dumping /data/orders-0/00000000000000000000.log
//   Log starting offset: 0
//   baseOffset: 0 lastOffset: 1 count: 2 ... partitionLeaderEpoch: 0 ... isControl: false ... magic: 2 ...
//   crc: 17 isvalid: true | offset: 0 ...          (with --print-data-log or --deep-iteration) | offset: 1
//   ...

#include <cstdint>
#include <string_view>
#include <vector>

#include "scenarios/scenario.h"

namespace mirrorproof::scenarios {

/// One batch, or what compaction left of it in one piece.
struct DumpedBatch {
  Offset base = 0;
  Offset last = 0;  ///< inclusive
  Epoch epoch = 0;
  std::uint64_t checksum = 0;  ///< over the content: tells two records of one offset and epoch apart
  bool pid_reset = false;
  bool marker = false;  ///< end of a transaction
  int line = 0;
};

struct DumpedLog {
  std::vector<DumpedBatch> batches;  ///< offsets increase
  std::vector<Problem> problems;
};

/// `file_name` is only for messages. Never throws, whatever the text.
DumpedLog parse_dump_log(std::string_view text, std::string_view file_name);

}  // namespace mirrorproof::scenarios
