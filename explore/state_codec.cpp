#include "explore/state_codec.h"

#include <cstring>

#include "explore/canonical_world.h"
#include "sim/world_fields.h"

namespace mirrorproof::explore {
namespace {

__extension__ using Wide = unsigned __int128;

using sim::ActionClass;

int budget_of(const sim::World& world, ActionClass kind) {
  return world.budgets_left[static_cast<std::size_t>(kind)];
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

StateCodec::StateCodec(const sim::Setup& setup) : clusters_(setup.clusters.size()) {
  const sim::Simulator simulator(setup, nullptr);
  for (std::size_t client = 0; client < clusters_; ++client) {
    for (std::size_t server = 0; server < clusters_; ++server) {
      rules_.push_back(
          simulator.fetcher_rules(static_cast<ClusterId>(client), static_cast<ClusterId>(server)));
    }
  }
}

void StateCodec::collect_ghosts(const sim::World& world) {
  ghosts_.clear();
  sim::for_each_ghost(world, [this](EventId event, PartitionId partition, sim::GhostKind kind) {
    ghosts_.push_back({event, kind_of(kind), partition});
  });
}

void StateCodec::save(sim::Simulator& simulator, checker::Checker& judge, ByteWriter& out) {
  sim::World& world = simulator.world();
  make_canonical(world, budget_of(world, ActionClass::power_loss) != 0);
  StateSaver saver(out);
  saver(world);
  for (int i = sim::kProtocolClassCount; i < sim::kActionClassCount; ++i) {
    saver(world.budgets_left[static_cast<std::size_t>(i)]);
  }
  collect_ghosts(world);
  judge.save(ghosts_, out);
}

void StateCodec::load(const std::uint8_t* bytes, sim::Simulator& simulator, checker::Checker& judge) {
  sim::World& world = simulator.world();
  ByteReader reader(bytes);
  StateLoader loader(reader);
  loader(world);
  for (int i = sim::kProtocolClassCount; i < sim::kActionClassCount; ++i) {
    loader(world.budgets_left[static_cast<std::size_t>(i)]);
  }
  for (std::size_t c = 0; c < world.clusters.size(); ++c) {
    for (sim::Broker& broker : world.clusters[c].brokers) {
      for (sim::FetcherSlot& slot : broker.fetchers) {
        StateFields::set_rules(slot.fetcher, rules(static_cast<ClusterId>(c), slot.server_cluster));
      }
    }
  }
  collect_ghosts(world);
  const EventId last = judge.load(ghosts_, reader);
  std::size_t next = 0;
  sim::for_each_ghost(world,
                      [&](EventId& event, PartitionId, sim::GhostKind) { event = ghosts_[next++].event; });
  simulator.recorder().resume_after(last);
}

std::uint64_t fingerprint(const std::uint8_t* bytes, std::size_t size) {
  // Multiply and fold, eight bytes at a time.
  const auto fold = [](std::uint64_t left, std::uint64_t right) {
    const auto product = static_cast<Wide>(left) * right;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  const auto word = [](const std::uint8_t* from, std::size_t count) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      value |= std::uint64_t{from[i]} << (8 * i);
    }
    return value;
  };
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL ^ size;
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    hash = fold(hash ^ word(bytes + i, 8), 0xd6e8feb86659fd93ULL);
  }
  hash = fold(hash ^ word(bytes + i, size - i), 0xa0761d6478bd642fULL);
  return fold(hash ^ 0xe7037ed1a0b428dbULL, 0x8ebc6af09c88c6e3ULL);
}

}  // namespace mirrorproof::explore
