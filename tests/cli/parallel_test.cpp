// Independent pieces of work: each once, in order, whatever the number of threads.

#include "reports/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace mirrorproof::reports {
namespace {

TEST(Parallel, EachPieceIsWorkedOnOnce) {
  for (const int jobs : {1, 2, 7}) {
    std::vector<std::atomic<int>> times(100);
    each_in_parallel(times.size(), jobs, [&](std::size_t i) { times[i] += 1; });
    for (const std::atomic<int>& count : times) {
      EXPECT_EQ(count, 1);
    }
  }
  each_in_parallel(0, 2, [](std::size_t) { FAIL(); });
}

TEST(Parallel, OneThreadKeepsTheOrder) {
  std::vector<std::size_t> order;
  each_in_parallel(20, 1, [&](std::size_t i) { order.push_back(i); });
  std::vector<std::size_t> expected(20);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  EXPECT_EQ(order, expected);
}

TEST(Parallel, WhatAPieceThrowsComesOut) {
  EXPECT_THROW(each_in_parallel(50, 2,
                                [](std::size_t i) {
                                  if (i == 10) {
                                    throw std::runtime_error("no");
                                  }
                                }),
               std::runtime_error);
}

}  // namespace
}  // namespace mirrorproof::reports
