#include "ymir/math/lane_gather.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>

#include "ymir/math/lane_math.h"

namespace ymir {
namespace {

TEST(LaneGather, LoadsRunsFromEightPlaces) {
  std::array<float, 200> values;
  std::iota(values.begin(), values.end(), 1.0f);
  const std::array<float, 8> places{3, -5, 40, 40, 7, 91, 0, -20};
  const LaneIndex index = LaneIndex::of(Lanes8::load(places.data()));
  const float* from = values.data() + 50;
  Lanes8 pair[2], quad[4];
  gather_pairs(from, index, pair);
  gather_quads(from, index, quad);
  for (int lane = 0; lane < 8; ++lane) {
    const int at = static_cast<int>(places[static_cast<std::size_t>(lane)]);
    for (int n = 0; n < 2; ++n) EXPECT_EQ(pair[n][lane], from[at + n]);
    for (int n = 0; n < 4; ++n) EXPECT_EQ(quad[n][lane], from[at + n]);
  }
}

template <class T, int N>
void expect_scalar_answers() {
  const T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  const std::array<T, 8> some{T(-1.5), T(2.25), T(0), -T(0), nan, infinity, T(-3), T(7.75)};
  for (std::size_t shift = 0; shift < 8; ++shift) {
    Lanes<T, N> a, b;
    for (int i = 0; i < N; ++i) {
      a.set(i, some[static_cast<std::size_t>(i) % 8]);
      b.set(i, some[(static_cast<std::size_t>(i) + shift) % 8]);
    }
    const auto small = min(a, b), large = max(a, b), down = floor(a), fused = mul_add(a, b, a);
    const auto same = [](T x, T y) { return std::memcmp(&x, &y, sizeof(T)) == 0; };
    for (int i = 0; i < N; ++i) {
      EXPECT_TRUE(same(small[i], a[i] < b[i] ? a[i] : b[i]));
      EXPECT_TRUE(same(large[i], a[i] > b[i] ? a[i] : b[i]));
      EXPECT_TRUE(std::isnan(a[i]) ? std::isnan(down[i]) : same(down[i], std::floor(a[i])));
      const T expected = std::fma(a[i], b[i], a[i]);
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(fused[i]) : same(fused[i], expected));
    }
  }
  for (int set = -1; set < N; ++set) {
    Lanes<T, N> a = Lanes<T, N>::all(1);
    if (set >= 0) a.set(set, T(-1));
    EXPECT_EQ(any(a < T(0)), set >= 0);
  }
}

TEST(Lanes, AnswerAsScalarsDoAlsoForNanAndSignedZero) {
  expect_scalar_answers<float, 8>();
  expect_scalar_answers<float, 16>();
  expect_scalar_answers<float, 4>();
  expect_scalar_answers<double, 4>();
  expect_scalar_answers<double, 8>();
}

}  // namespace
}  // namespace ymir
