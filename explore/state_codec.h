#pragma once
// StateCodec: a state of the search - the world and what the judge remembers of the past - as bytes. Two runs
// that end in equal bytes have the same enabled actions and the same verdicts from there on: what can have no
// influence is left out or written in one way (canonical_world.h, checker/judge_state.h).

#include <cstdint>
#include <vector>

#include "checker/checker.h"
#include "checker/judge_state.h"
#include "model/byte_codec.h"
#include "model/state_sections.h"
#include "sim/simulator.h"

namespace mirrorproof::explore {

class StateCodec {
 public:
  /// `setup` must outlive the codec.
  explicit StateCodec(const sim::Setup& setup);

  /// Appends the state's bytes. Brings the simulator's world into its canonical form, from which it goes on
  /// as it would have before.
  void save(sim::Simulator& simulator, checker::Checker& judge, ByteWriter& out);
  /// Both must have been made from the same set-up; what they held before is gone.
  void load(const std::uint8_t* bytes, sim::Simulator& simulator, checker::Checker& judge);

  /// For a state and those that follow it: what a move does not touch is neither written nor restored.
  /// `bytes` must stay as they are until the next start_from().
  void start_from(const std::uint8_t* bytes, sim::Simulator& simulator, checker::Checker& judge);
  /// After start_from() and moves: the state's fingerprint. As save(), brings the world into canonical form.
  std::uint64_t save_successor(sim::Simulator& simulator, checker::Checker& judge);
  /// Appends the bytes of the state saved by save_successor(): the same as those of save().
  void append_successor(ByteWriter& out) const;
  /// To the state of start_from().
  void go_back(sim::Simulator& simulator, checker::Checker& judge) const;

 private:
  const FetcherRules& rules(ClusterId cluster, ClusterId server_cluster) const {
    return rules_[static_cast<std::size_t>(cluster) * clusters_ + static_cast<std::size_t>(server_cluster)];
  }
  void collect_ghosts(const sim::World& world);
  void read(const std::uint8_t* bytes, sim::Simulator& simulator, checker::Checker& judge, bool remember);
  std::uint64_t section_hash(std::size_t place);

  std::size_t clusters_ = 0;
  std::vector<FetcherRules> rules_;  // by client's and server's cluster
  std::vector<checker::WorldGhost> ghosts_;
  StateSections sections_;

  // The state of start_from().
  sim::World start_;
  bool start_has_power_losses_ = false;
  EventId last_event_ = 0;
  ByteReader reader_{nullptr};
  const std::uint8_t* start_bytes_ = nullptr;
  std::vector<std::uint64_t> hashes_;  ///< of its sections, as far as somebody has asked
  std::size_t hashes_known_ = 0;
};

/// 64 bits of the bytes, the same on every machine.
std::uint64_t fingerprint(const std::uint8_t* bytes, std::size_t size);

}  // namespace mirrorproof::explore
