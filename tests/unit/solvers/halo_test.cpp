#include "ymir/solvers/amg/halo.h"

#include <gtest/gtest.h>

#include "ymir/solvers/amg/distributed_matrix.h"

namespace ymir::amg {
namespace {

TEST(Halo, FindsTheOwnersOfRowsPastRanksWithoutAny) {
  const std::vector<Index> first{0, 0, 3, 3, 5, 5};
  EXPECT_EQ(owner_of(first, 0), 1);
  EXPECT_EQ(owner_of(first, 2), 1);
  EXPECT_EQ(owner_of(first, 3), 3);
  EXPECT_EQ(owner_of(first, 4), 3);
}

TEST(Halo, NumbersGhostsBehindTheRowsInTheOrderTheyComeUp) {
  GhostNumbers numbers({0, 10, 14, 20}, 1);
  EXPECT_EQ(numbers.local(12), 2);
  EXPECT_EQ(numbers.local(19), 4);
  EXPECT_EQ(numbers.local(3), 5);
  EXPECT_EQ(numbers.local(19), 4);
  EXPECT_EQ(numbers.columns(), 6);
  EXPECT_EQ(numbers.global(3), 13);
  EXPECT_EQ(numbers.global(5), 3);
  // The same again from what is known.
  GhostNumbers again({0, 10, 14, 20}, 1, numbers.ghosts());
  EXPECT_EQ(again.local(3), 5);
  EXPECT_EQ(again.ghosts(), numbers.ghosts());
}

TEST(Halo, HasNothingToFetchAlone) {
  Communicator alone;
  Halo halo(alone, GhostNumbers(first_rows_of(alone, 4), 0));
  EXPECT_EQ(halo.count(), 0);
  EXPECT_EQ(halo.all_rows(), 4);
  EXPECT_TRUE(halo.neighbours().empty());
  const std::vector<float> own(4, 1);
  std::vector<float> back = own;
  halo.fetch(own.data(), back.data() + 4);
  halo.add_back(own.data() + 4, back.data());
  EXPECT_EQ(back, own);
}

TEST(Halo, RefusesOtherValuesOfAnotherStructure) {
  CsrMatrix m;
  m.starts = {0, 1, 2};
  m.columns = {1, 0};
  m.values = {-1, -1};
  m.row_sums = {1, 0};
  Communicator alone;
  DistributedMatrix matrix;
  matrix.set(alone, m);
  CsrMatrix other = m;
  other.values = {-1};
  EXPECT_THROW(matrix.set_values(other), CheckFailed);
}

}  // namespace
}  // namespace ymir::amg
