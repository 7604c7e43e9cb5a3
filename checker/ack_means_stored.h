#pragma once
// Invariant ack-means-stored: a produce answered with success names the offset where that very record is
// stored, with acks=all below the high watermark.

#include <optional>
#include <string>

#include "checker/findings.h"
#include "checker/replay.h"

namespace mirrorproof::checker {

class AckMeansStored {
 public:
  /// `told_any`: the trace has told some high watermark before.
  void check(const Replay& replay, Findings& findings, const Event& event, const ProduceAcked& acked,
             bool told_any);
  /// The trace does tell high watermarks: what was put off is reported.
  void high_watermark_moved(Findings& findings);

 private:
  /// A trace may leave high watermarks out altogether. Until it tells the first one, an acknowledgement above
  /// it is only put off; the first one of them is as good as all.
  struct PutOff {
    Event event;
    std::string message;
  };
  std::optional<PutOff> put_off_;
};

}  // namespace mirrorproof::checker
