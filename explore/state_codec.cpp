#include "explore/state_codec.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "explore/canonical_world.h"
#include "explore/symmetry.h"
#include "model/check.h"
#include "sim/world_fields.h"

namespace mirrorproof::explore {
namespace {

__extension__ using Wide = unsigned __int128;

bool has_power_losses(const sim::World& world) {
  return world.budgets_left[static_cast<std::size_t>(sim::ActionClass::power_loss)] != 0;
}

std::uint64_t fold(std::uint64_t left, std::uint64_t right) {
  const auto product = static_cast<Wide>(left) * right;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

/// The fingerprint of a state, of those of its sections.
std::uint64_t join(std::uint64_t before, std::uint64_t section) {
  return fold(before ^ section, 0x9fb21c651e98df25ULL);
}

checker::WorldGhost::Kind kind_of(sim::GhostKind kind) {
  switch (kind) {
    case sim::GhostKind::cause:
      return checker::WorldGhost::Kind::cause;
    case sim::GhostKind::answer:
      return checker::WorldGhost::Kind::answer;
    case sim::GhostKind::position_read:
      return checker::WorldGhost::Kind::position_read;
  }
  return checker::WorldGhost::Kind::cause;
}

}  // namespace

StateCodec::StateCodec(const sim::Setup& setup, Granularity granularity)
    : granularity_(granularity), clusters_(setup.clusters.size()) {
  const sim::Simulator simulator(setup, nullptr);
  for (std::size_t client = 0; client < clusters_; ++client) {
    for (std::size_t server = 0; server < clusters_; ++server) {
      rules_.push_back(
          simulator.fetcher_rules(static_cast<ClusterId>(client), static_cast<ClusterId>(server)));
    }
  }
  sim::for_each_section(simulator.world(), [this](ClusterId, BrokerId) { world_sections_ += 1; });
  std::size_t sections = world_sections_ + checker::kJudgeSections;
  for (const sim::ClusterSetup& cluster : setup.clusters) {
    sections += (cluster.brokers.size() + 1) * setup.partitions.size();
  }
  start_state_ = StateBytes(sections);
  loaded_ = start_state_;
}

void StateCodec::collect_ghosts(const sim::World& world) {
  ghosts_.clear();
  sim::for_each_ghost(world, [this](EventId event, PartitionId partition, sim::GhostKind kind) {
    ghosts_.push_back({event, kind_of(kind), partition});
  });
}

checker::WorldFacts StateCodec::facts(const sim::World& world) {
  oldest_epochs_.clear();
  under_way_.clear();
  bool nobody_is_behind = granularity_ != Granularity::fine;  // metadata is applied at once
  for (const sim::Cluster& cluster : world.clusters) {
    for (std::size_t p = 0; p < cluster.mirrors.size(); ++p) {
      Epoch oldest = cluster.controller.partition(static_cast<PartitionId>(p)).leader_epoch;
      for (const sim::Broker& broker : cluster.brokers) {
        oldest = broker.alive ? std::min(oldest, broker.metadata[p].epoch) : oldest;
      }
      oldest_epochs_.push_back(oldest);
    }
    for (const sim::Broker& broker : cluster.brokers) {
      nobody_is_behind = nobody_is_behind && !broker.cut_from_controller &&
                         !broker.holds(sim::Held::metadata) &&
                         (!broker.alive || broker.applied_records == cluster.metadata_log.end());
      for (const sim::FetcherSlot& slot : broker.fetchers) {
        const auto* response = std::get_if<FetchResponse>(&slot.response);
        if (slot.stage != sim::FetcherSlot::Stage::answered || response == nullptr) {
          continue;
        }
        for (const FetchPartitionResponse& answer : response->partitions) {
          for (const Batch& batch : answer.records) {
            under_way_.push_back(batch.first_id);
          }
        }
      }
    }
  }
  return {oldest_epochs_, under_way_, nobody_is_behind};
}

void StateCodec::put_ghosts(sim::World& world) const {
  std::size_t next = 0;
  sim::for_each_ghost(world,
                      [&](EventId& event, PartitionId, sim::GhostKind) { event = ghosts_[next++].event; });
}

std::span<const SectionView> StateCodec::judge_sections(const StateBytes& state) const {
  return std::span(state.sections()).subspan(world_sections_);
}

void StateCodec::save(sim::Simulator& simulator, checker::Checker& judge, ByteWriter& out) {
  make_canonical(simulator.world(), has_power_losses(simulator.world()), true);
  give_names(simulator, judge);
  write_all(std::as_const(simulator).world(), judge);
  write_whole(
      sections_.size(), [this](std::size_t i) { return sections_.bytes_of(i); }, out);
}

void StateCodec::write_all(const sim::World& world, checker::Checker& judge) {
  sections_.restart();
  StateSaver saver(sections_.bytes());
  sim::for_each_section(world, [&](ClusterId cluster, BrokerId broker) {
    sim::section_fields(saver, world, cluster, broker);
    sections_.end_section();
  });
  collect_ghosts(world);
  judge.save(ghosts_, facts(world), sections_);
  MP_CHECK(sections_.size() == sections(), "all states have as many sections");
}

void StateCodec::rename(sim::World& world, checker::Checker& judge, const BrokerNames& names) const {
  if (names.changes_any()) {
    rename_brokers(world, names);
    for (std::size_t c = 0; c < clusters_; ++c) {
      const auto cluster = static_cast<ClusterId>(c);
      if (names.changes(cluster)) {
        judge.rename_brokers(cluster, names.names(cluster));
      }
    }
  }
  symmetry_->forget_order(world);
}

/// Where the brokers' looks leave several namings, the one with the least bytes.
void StateCodec::give_names(sim::Simulator& simulator, checker::Checker& judge) {
  if (symmetry_ == nullptr) {
    return;
  }
  sim::World& world = simulator.world();
  names_ = symmetry_->choose(world, ties_);
  rename(world, judge, names_);
  if (ties_.empty()) {
    return;
  }
  write_all(world, judge);
  std::swap(sections_.bytes(), least_);
  BrokerNames now = names_;
  for (const BrokerNames& tie : ties_) {
    rename(world, judge, now.inverse().then(tie));
    now = tie;
    write_all(world, judge);
    const ByteWriter& bytes = sections_.bytes();
    if (std::lexicographical_compare(bytes.data(), bytes.data() + bytes.size(), least_.data(),
                                     least_.data() + least_.size())) {
      std::swap(sections_.bytes(), least_);
      names_ = tie;
    }
  }
  rename(world, judge, now.inverse().then(names_));
}

void StateCodec::load_world(const StateBytes& state, sim::World& world) const {
  std::size_t place = 0;
  sim::for_each_section(world, [&](ClusterId cluster, BrokerId broker) {
    const SectionView& section = state.sections()[place++];
    if (!section.changed) {
      return;
    }
    ByteReader reader(section.begin);
    StateLoader loader(reader);
    sim::section_fields(loader, world, cluster, broker);
    if (broker != kNoBroker) {
      for (sim::FetcherSlot& slot :
           world.clusters.untouched(static_cast<std::size_t>(cluster)).brokers[broker].fetchers) {
        StateFields::set_rules(slot.fetcher, rules(cluster, slot.server_cluster));
      }
    }
  });
  sim::complete_loaded(world);
}

void StateCodec::load(const std::uint8_t* bytes, sim::Simulator& simulator, checker::Checker& judge) {
  loaded_ = StateBytes(sections());
  loaded_.read(bytes);
  load_world(loaded_, simulator.world());
  collect_ghosts(std::as_const(simulator).world());
  simulator.recorder().resume_after(judge.load(ghosts_, judge_sections(loaded_)));
  put_ghosts(simulator.world());
}

void StateCodec::start_from(const std::uint8_t* bytes, sim::Simulator& simulator, checker::Checker& judge) {
  if (start_) {
    sim::restore_touched(simulator.world(), *start_);
  }
  start_state_.read(bytes);
  load_world(start_state_, simulator.world());
  collect_ghosts(std::as_const(simulator).world());
  last_event_ = judge.load_and_remember(ghosts_, judge_sections(start_state_));
  simulator.recorder().resume_after(last_event_);
  if (!start_) {
    start_ = std::as_const(simulator).world();
  } else {
    sim::copy_touched(*start_, std::as_const(simulator).world());
  }
  put_ghosts(simulator.world());
  put_ghosts(*start_);
  sim::forget_touched(simulator.world());
  start_has_power_losses_ = has_power_losses(*start_);
}

void StateCodec::go_back(sim::Simulator& simulator, checker::Checker& judge) const {
  sim::restore_touched(simulator.world(), *start_);
  simulator.recorder().resume_after(last_event_);
  judge.go_back();
}

std::uint64_t StateCodec::save_successor(sim::Simulator& simulator, checker::Checker& judge) {
  const bool power_losses = has_power_losses(std::as_const(simulator).world());
  make_canonical(simulator.world(), power_losses, power_losses != start_has_power_losses_);
  give_names(simulator, judge);
  const sim::World& world = std::as_const(simulator).world();
  sections_.restart();
  StateSaver saver(sections_.bytes());
  sim::for_each_section(world, [&](ClusterId cluster, BrokerId broker) {
    if (!sim::section_touched(world, cluster, broker)) {
      sections_.same_section();
      return;
    }
    sim::section_fields(saver, world, cluster, broker);
    sections_.end_section();
  });
  collect_ghosts(world);
  judge.save_changes(ghosts_, facts(world), sections_);
  MP_CHECK(sections_.size() == sections(), "all states have as many sections");
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const std::span<const std::uint8_t> bytes = sections_.bytes_of(i);
    hash = join(hash, sections_.same(i) ? start_state_.hash(i) : fingerprint(bytes.data(), bytes.size()));
  }
  return hash;
}

void StateCodec::append_successor(ByteWriter& out) const {
  write_whole(
      sections_.size(),
      [this](std::size_t i) { return sections_.same(i) ? start_state_.section(i) : sections_.bytes_of(i); },
      out);
}

std::uint64_t fingerprint(const std::uint8_t* bytes, std::size_t size) {
  // As on a little-endian machine.
  const auto word = [](const std::uint8_t* from, std::size_t count) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, count);
    if constexpr (std::endian::native == std::endian::big) {
      value = __builtin_bswap64(value);
    }
    return value;
  };
  // Multiply and fold, eight bytes at a time.
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL ^ size;
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    hash = fold(hash ^ word(bytes + i, 8), 0xd6e8feb86659fd93ULL);
  }
  hash = fold(hash ^ word(bytes + i, size - i), 0xa0761d6478bd642fULL);
  return fold(hash ^ 0xe7037ed1a0b428dbULL, 0x8ebc6af09c88c6e3ULL);
}

}  // namespace mirrorproof::explore
