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

/// The mirror into this cluster is stopped, everybody there has heard of it, and it will not be started
/// again: every start that is left goes against the direction of another mirror, and none goes that way. What
/// its brokers know of the source is forgotten; a refresh would change nothing that matters.
bool stopped_for_good(const sim::World& world, ClusterId cluster, PartitionId partition);
/// Some mirror from the source into the cluster is not: to hear of the source's leader may change something.
bool refresh_matters(const sim::World& world, ClusterId cluster, ClusterId source);

}  // namespace mirrorproof::explore
