#include "reports/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>

namespace mirrorproof::reports {

void each_in_parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& work) {
  // More threads than cores, if so many are wanted.
  using Control = oneapi::tbb::global_control;
  const Control threads(
      Control::max_allowed_parallelism,
      std::max(static_cast<std::size_t>(jobs), Control::active_value(Control::max_allowed_parallelism)));
  oneapi::tbb::task_arena arena(jobs);
  std::atomic<std::size_t> next{0};  // ranges are split from both ends
  arena.execute([&] {
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<std::size_t>(0, count, 1),
        [&](const oneapi::tbb::blocked_range<std::size_t>& pieces) {
          for (std::size_t i = pieces.begin(); i != pieces.end(); ++i) {
            work(next++);
          }
        },
        oneapi::tbb::simple_partitioner());
  });
}

}  // namespace mirrorproof::reports
