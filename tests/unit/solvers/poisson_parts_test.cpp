// The parts of the pressure solver that can be checked by themselves.
#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "ymir/base/random.h"
#include "ymir/solvers/poisson/stage_order.h"
#include "ymir/solvers/poisson/tile_bits.h"

namespace ymir::poisson {
namespace {

TileBits random_bits(std::uint64_t seed) {
  Random random(seed, 0);
  TileBits bits;
  for (std::uint64_t& word : bits) word = random.bits();
  return bits;
}

bool bit(const TileBits& bits, int i, int j, int k) { return bits[static_cast<std::size_t>(k)] >> (8 * j + i) & 1; }

TEST(TileBits, ShiftAlongEveryAxisWithTheNeighboursLayer) {
  const TileBits bits = random_bits(1), other = random_bits(2);
  for (int axis = 0; axis < 3; ++axis) {
    const TileBits low = tile_bits::from_low(bits, axis, tile_bits::plane(other, axis, 1));
    const TileBits high = tile_bits::from_high(bits, axis, tile_bits::plane(other, axis, 0));
    for (int c = 0; c < 512; ++c) {
      const int at[3] = {c % 8, c / 8 % 8, c / 64};
      const auto beside = [&](int step) {
        int v[3] = {at[0], at[1], at[2]};
        v[axis] += step;
        const bool outside = v[axis] < 0 || v[axis] > 7;
        v[axis] = (v[axis] + 8) % 8;
        return bit(outside ? other : bits, v[0], v[1], v[2]);
      };
      ASSERT_EQ(bit(low, at[0], at[1], at[2]), beside(-1)) << axis;
      ASSERT_EQ(bit(high, at[0], at[1], at[2]), beside(1)) << axis;
    }
  }
}

TEST(TileBits, BecomeLanesAndBack) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const auto mask = tile_bits::lanes<float>(bits);
    for (int i = 0; i < 8; ++i) ASSERT_EQ(mask[i], (bits >> i & 1) != 0);
    ASSERT_EQ(tile_bits::bits_of(mask), bits);
  }
}

// A box of tiles with some missing, in any order.
std::vector<std::array<int, 6>> some_tiles(int n) {
  std::map<std::array<int, 3>, int> index;
  std::vector<std::array<int, 3>> places;
  for (int i = 0; i < n * n * n; ++i)
    if (Random(5, static_cast<std::uint64_t>(i)).uniform() < 0.8) {
      index[{i % n, i / n % n, i / n / n}] = static_cast<int>(places.size());
      places.push_back({i % n, i / n % n, i / n / n});
    }
  std::vector<std::array<int, 6>> near(places.size());
  for (std::size_t t = 0; t < places.size(); ++t)
    for (std::size_t f = 0; f < 6; ++f) {
      std::array<int, 3> beside = places[t];
      beside[f / 2] += f % 2 == 0 ? -1 : 1;
      const auto found = index.find(beside);
      near[t][f] = found == index.end() ? static_cast<int>(places.size()) : found->second;
    }
  return near;
}

TEST(StageOrder, DoesEveryStageOfEveryTileAfterWhatItNeeds) {
  const std::vector<std::array<int, 6>> near = some_tiles(7);
  constexpr int stages = 5;
  for (const int parts : {1, 2, 3, 8}) {
    StageOrder order;
    order.build(near, stages, parts);
    EXPECT_EQ(order.parts(), parts);
    std::vector<std::atomic<int>> done(near.size());
    std::atomic<int> count = 0, early = 0;
    order.run([&](int stage, int t, int) {
      if (done[static_cast<std::size_t>(t)] != stage) ++early;
      for (const int n : near[static_cast<std::size_t>(t)]) {
        if (n == static_cast<int>(near.size()) || stage == 0) continue;
        // The neighbour is ready for this stage, or has done it too, but never the next one.
        const int there = done[static_cast<std::size_t>(n)];
        if (there < stage || there > stage + 1) ++early;
      }
      ++done[static_cast<std::size_t>(t)];
      ++count;
    });
    EXPECT_EQ(count, stages * static_cast<int>(near.size()));
    EXPECT_EQ(early, 0) << parts;
  }
}

}  // namespace
}  // namespace ymir::poisson
