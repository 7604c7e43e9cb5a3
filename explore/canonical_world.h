#pragma once
// The canonical form of a world: numbers whose size means nothing are made as small as possible, so that
// worlds that behave alike become equal.

#include "sim/world.h"

namespace mirrorproof::explore {

/// - Partition epochs are only compared with one another, and grow with every change of an ISR: renumbered in
///   their order.
/// - Of a broker epoch that a leader heard of only counts whether it is still the broker's.
/// - Positions in a metadata log count from its first record that somebody still has to apply.
/// - What a mirror or its leader remembers of a step that is over, and nobody asks for again, is forgotten.
/// - Without a power loss to come, what was flushed does not matter.
///
/// Changes what counts as touched (sim/tracked.h), and what has to change with it; `all`: whatever is
/// touched.
void make_canonical(sim::World& world, bool power_losses_to_come, bool all);

}  // namespace mirrorproof::explore
