#pragma once
// A 64-bit digest of a trace, for "the same run twice", for goldens and for filing. The same on every
// compiler, platform and optimisation level; not cryptographic. Two traces have the same digest iff
// (collisions aside) the writer gives them the same bytes.

#include <cstdint>
#include <string>
#include <string_view>

#include "model/event.h"

namespace mirrorproof::checker {

class TraceDigest {
 public:
  /// Once, before the events (or not at all, to compare the events alone).
  void add(const TraceHeader& header);
  void add(const Event& event);

  std::uint64_t value() const;
  /// 16 lower-case hexadecimal digits.
  std::string hex() const;

 private:
  std::uint64_t state_ = 0x9AE16A3B2F90404FULL;
  std::uint64_t words_ = 0;
};

std::uint64_t trace_digest(const Trace& trace);

/// The digest of a campaign over its seeds so far, and one more: in the order of the seeds. 0 for none.
std::uint64_t campaign_digest(std::uint64_t so_far, std::uint64_t seed, std::uint64_t trace_digest);

}  // namespace mirrorproof::checker
