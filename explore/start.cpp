#include "explore/start.h"

#include <utility>

#include "model/check.h"
#include "sim/choices.h"
#include "sim/runner.h"

namespace mirrorproof::explore {

bool bring_to_start(const sim::Setup& setup, const scenarios::Bounds& bounds, JudgedWorld& world,
                    std::vector<sim::Action>* taken) {
  sim::SeededChoices choices(setup.run.first_seed);
  sim::Runner runner(setup);
  const sim::RunOutcome outcome = runner.run(choices, [&](std::vector<Event>& events, const sim::Simulator&) {
    world.judge.observe_step(events);
    return !world.broken();
  });
  MP_CHECK(outcome.end == sim::RunEnd::complete || world.broken(),
           "a script that is searched can be carried out");
  if (world.broken()) {
    return false;
  }
  const sim::Simulator& there = std::as_const(runner).simulator();
  world.simulator.world() = there.world();
  world.simulator.recorder().resume_after(runner.simulator().recorder().last_id());
  world.simulator.world().budgets_left = search_budgets(bounds, there.world());
  Moves(bounds.granularity).settle_start(world, taken);
  return !world.broken();
}

}  // namespace mirrorproof::explore
