#pragma once
// Certificate: what `explain --certificate` claims of a run's mirror truncations, read from its JSON. Claims
// only: whether they are true is the verifier's business. docs/causes.md explains every field.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.h"

namespace mirrorproof::provenance {

/// What a certificate may contain at most.
inline constexpr std::size_t kMaxCertificateBytes = std::size_t{64} << 20;

/// A request, its answer and its receipt, by their events.
struct Exchange {
  EventId sent = 0;
  EventId handled = 0;
  EventId received = 0;
};

/// A batch that was removed whole.
struct RecordClaim {
  Offset base_offset = 0;
  Offset last_offset = 0;
  Epoch epoch = kUndefinedEpoch;
  std::string first_cluster;  ///< where its first record was written
  std::uint64_t first_serial = 0;
  EventId origin = 0;             ///< the Appended that brought it into the world
  EventId held_appended = 0;      ///< the Appended at a broker of the source ...
  EventId held_leader = 0;        ///< ... and the BecameLeader in whose reign that broker held it
  EventId arrived = 0;            ///< the Appended at the replica that was cut
  std::optional<Exchange> fetch;  ///< that brought it there; nothing if it came by no fetch
  EventId killer = 0;             ///< an unclean Election of the source, or a certified Truncated of it
  EventId heir = 0;               ///< the BecameLeader that lacked it; 0 = the trace ends before
  std::vector<EventId> path;      ///< from the killer to the truncation, each event needing the one before
};

struct TruncationClaim {
  EventId event = 0;
  std::string cluster;
  std::int64_t broker = 0;
  std::string partition;
  std::string source;
  Offset offset = 0;
  std::optional<Exchange> answer;  ///< that condemned the records; nothing if the mirror cut on its own
  std::vector<RecordClaim> records;
};

struct Certificate {
  std::string scenario;
  std::uint64_t seed = 0;
  std::uint64_t events = 0;  ///< of the trace
  std::vector<TruncationClaim> truncations;
  std::vector<EventId> uncertified;  ///< mirror truncations that nothing is claimed of
};

struct ReadCertificateResult {
  Certificate certificate;
  std::string problem;  ///< with a JSON pointer, what was found and what was expected; empty if none
  bool ok() const { return problem.empty(); }
};

/// Never throws, whatever the text.
ReadCertificateResult read_certificate(std::string_view text);
ReadCertificateResult read_certificate_file(const std::string& path);

}  // namespace mirrorproof::provenance
