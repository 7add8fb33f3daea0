#include "ymir/parallel/threads.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace ymir {
namespace {

class Threads : public testing::Test {
 protected:
  void TearDown() override { set_threads(before_); }
  int before_ = threads();
};

TEST_F(Threads, EveryItemIsVisitedOnce) {
  set_threads(3);
  std::vector<int> visits(1000, 0);
  parallel_for(1000, [&](std::ptrdiff_t i) { ++visits[static_cast<std::size_t>(i)]; });
  for (const int v : visits) EXPECT_EQ(v, 1);
}

TEST_F(Threads, BlocksCoverTheRangeAndDoNotDependOnTheThreadCount) {
  for (const int count : {1, 3}) {
    set_threads(count);
    std::vector<std::ptrdiff_t> block_of(103, -1);
    parallel_blocks(103, 10, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) block_of[static_cast<std::size_t>(i)] = begin;
    });
    for (std::size_t i = 0; i < block_of.size(); ++i) EXPECT_EQ(block_of[i], static_cast<std::ptrdiff_t>(i / 10 * 10));
  }
}

TEST_F(Threads, OrderedSumsAreTheSameBitsForAnyThreadCount) {
  const auto sum = [] {
    return ordered_reduce(
        5000, 0.0, [](std::ptrdiff_t i) { return std::sin(static_cast<double>(i)) * std::pow(10.0, i % 20); },
        [](double a, double b) { return a + b; });
  };
  set_threads(1);
  const double one = sum();
  for (const int count : {2, 3, 4}) {
    set_threads(count);
    EXPECT_EQ(sum(), one);
  }
}

TEST_F(Threads, AnExceptionInALoopReachesTheCaller) {
  set_threads(3);
  EXPECT_THROW(parallel_for(100,
                            [](std::ptrdiff_t i) {
                              if (i == 57) throw std::runtime_error("57");
                            }),
               std::runtime_error);
}

}  // namespace
}  // namespace ymir
