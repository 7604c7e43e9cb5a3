#pragma once
// Verifier: a second, small checker of causes. It takes a certificate's claims and a trace, and looks whether
// each claim is what the trace shows. It finds no cause by itself and shares with the judge that made the
// certificate the reader of traces and nothing else, so that a mistake of the one is not a mistake of both.

#include <string>
#include <vector>

#include "model/event.h"
#include "provenance/certificate.h"

namespace mirrorproof::provenance {

/// Reasons kept.
inline constexpr std::size_t kMaxRefusals = 20;

struct Verification {
  /// Why the certificate is refused, each with the place in it; empty: every claim is true, and nothing that
  /// it should speak of is left out.
  std::vector<std::string> refusals;
  std::size_t truncations = 0;  ///< certified
  std::size_t records = 0;      ///< in them
  std::size_t uncertified = 0;
  bool holds() const { return refusals.empty(); }
};

Verification verify(const Certificate& certificate, const Trace& trace);

}  // namespace mirrorproof::provenance
