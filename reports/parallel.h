#pragma once
// Independent pieces of work on some threads.

#include <cstddef>
#include <functional>

namespace mirrorproof::reports {

/// work(0) ... work(count - 1), each once, begun in this order, on at most `jobs` threads. Pieces may cost
/// very different amounts: who is done takes the next one. What a piece throws comes out here, when no other
/// runs any more.
void each_in_parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& work);

}  // namespace mirrorproof::reports
