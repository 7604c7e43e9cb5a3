#pragma once
// StateCodec: a state of the search - the world and what the judge remembers of the past - as bytes. Two runs
// that end in equal bytes have the same enabled actions and the same verdicts from there on: what can have no
// influence is left out or written in one way (canonical_world.h, checker/judge_state.h).

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checker/checker.h"
#include "checker/judge_state.h"
#include "explore/broker_names.h"
#include "explore/moves.h"
#include "explore/state_bytes.h"
#include "model/byte_codec.h"
#include "model/state_sections.h"
#include "sim/simulator.h"

namespace mirrorproof::explore {

class Symmetry;

class StateCodec {
 public:
  /// `setup` must outlive the codec. Between a save and the next come the moves of that granularity.
  StateCodec(const sim::Setup& setup, Granularity granularity);

  /// From now on states that differ in the names of interchangeable brokers are saved as the same bytes, of
  /// the world under the names() that the save gave. `symmetry` must outlive the codec; nullptr: names stay.
  void use(const Symmetry* symmetry) { symmetry_ = symmetry; }
  const BrokerNames& names() const { return names_; }

  /// Appends the state's bytes, as a whole. Brings the simulator's world into its canonical form, from which
  /// it goes on as it would have before.
  void save(sim::Simulator& simulator, checker::Checker& judge, ByteWriter& out);
  /// Both must have been made from the same set-up; what they held before is gone.
  void load(const std::uint8_t* bytes, sim::Simulator& simulator, checker::Checker& judge);

  std::size_t sections() const { return start_state_.sections().size(); }

  /// For a state and those that follow it: what a move does not touch is neither written nor restored.
  /// `bytes` are a whole state, or a change of the one before (state_bytes.h), of which only what changed is
  /// read. Always with the same simulator and judge.
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
  checker::WorldFacts facts(const sim::World& world);
  std::span<const SectionView> judge_sections(const StateBytes& state) const;
  /// Only what changed. The ghosts are left.
  void load_world(const StateBytes& state, sim::World& world) const;
  void put_ghosts(sim::World& world) const;
  void write_all(const sim::World& world, checker::Checker& judge);
  void give_names(sim::Simulator& simulator, checker::Checker& judge);
  void rename(sim::World& world, checker::Checker& judge, const BrokerNames& names) const;

  Granularity granularity_;
  std::size_t clusters_ = 0;
  std::size_t world_sections_ = 0;
  std::vector<FetcherRules> rules_;  // by client's and server's cluster
  std::vector<checker::WorldGhost> ghosts_;
  std::vector<Epoch> oldest_epochs_;
  std::vector<RecordId> under_way_;
  StateSections sections_;
  StateBytes loaded_{0};  ///< by load()
  const Symmetry* symmetry_ = nullptr;
  BrokerNames names_;
  std::vector<BrokerNames> ties_;
  ByteWriter least_;

  // The state of start_from().
  StateBytes start_state_{0};
  std::optional<sim::World> start_;
  bool start_has_power_losses_ = false;
  EventId last_event_ = 0;
};

/// 64 bits of the bytes, the same on every machine.
std::uint64_t fingerprint(const std::uint8_t* bytes, std::size_t size);

}  // namespace mirrorproof::explore
