#include "ymir/parallel/communicator.h"

#include <gtest/gtest.h>

#include "ymir/base/check.h"
#include "ymir/parallel/bytes.h"

namespace ymir {
namespace {

TEST(Communicator, AloneIsRankZeroOfOne) {
  Communicator alone;
  EXPECT_EQ(alone.rank(), 0);
  EXPECT_EQ(alone.size(), 1);
  EXPECT_EQ(alone.sum(std::int64_t{7}), 7);
  EXPECT_EQ(alone.max(-2.5), -2.5);
  EXPECT_FALSE(alone.any(false));
  EXPECT_TRUE(alone.all(true));
}

TEST(Communicator, AloneEveryMessageComesBack) {
  Communicator alone;
  const std::vector<int> values{1, 2, 3};
  const Bytes bytes = to_bytes(values);
  EXPECT_EQ(from_bytes<int>(alone.all_gather(bytes).at(0)), values);
  EXPECT_EQ(from_bytes<int>(alone.gather(bytes).at(0)), values);
  EXPECT_EQ(from_bytes<int>(alone.all_to_all({bytes}).at(0)), values);
}

TEST(Communicator, AloneASumIsItsOwnPart) {
  Communicator alone;
  EXPECT_EQ(alone.ordered_sum(0.1), 0.1);
  std::vector<double> values{0.25, -3};
  alone.ordered_sum(values);
  EXPECT_EQ(values, (std::vector<double>{0.25, -3}));
}

TEST(Communicator, AloneRepeatsAnExchangeOfNothingOnly) {
  Communicator alone;
  const auto exchange = alone.repeated_exchange({}, {});
  for (int n = 0; n < 2; ++n) {
    exchange->start();
    EXPECT_THROW(exchange->start(), CheckFailed);  // before the last one is finished
    exchange->finish();
  }
  Bytes bytes(8);
  const Communicator::Message message{0, bytes};
  EXPECT_THROW(alone.repeated_exchange(std::span(&message, 1), {}), CheckFailed);
}

TEST(Communicator, RefusesMoreMessagesThanRanks) {
  Communicator alone;
  EXPECT_THROW(alone.all_to_all(std::vector<Bytes>(2)), CheckFailed);
}

}  // namespace
}  // namespace ymir
