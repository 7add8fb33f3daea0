#include "ymir/grooms/interpolate.h"

#include <gtest/gtest.h>

#include <numeric>

#include "groom_samples.h"
#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/grooms/guides.h"
#include "ymir/grooms/polyline.h"
#include "ymir/grooms/root_grid.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

struct Sample {
  Curves groom, guides;
  InterpolationWeights weights;
};

Sample sample(Hairstyle style, std::int64_t strands = 150, std::int64_t guides = 20) {
  Sample s;
  s.groom = generate_groom(head_scalp(), small_params(style, strands));
  s.guides = strands_of(s.groom, select_guides(s.groom, guides, "groom").strands);
  s.weights = precompute_interpolation(s.groom, s.guides, 3);
  return s;
}

// Every guide swings about its own root by an angle that grows along it.
Curves swung(Curves guides) {
  for (std::size_t g = 0; g < guides.strand_count(); ++g) {
    const Vec3d root = guides.positions[static_cast<std::size_t>(guides.first[g])];
    for (std::int64_t v = guides.first[g]; v < guides.first[g + 1]; ++v) {
      Vec3d& p = guides.positions[static_cast<std::size_t>(v)];
      const Vec3d d = p - root;
      const double a = 2 * norm(d), c = std::cos(a), s = std::sin(a);
      p = root + Vec3d(c * d.x - s * d.y, s * d.x + c * d.y, d.z);
    }
  }
  return guides;
}

double largest_difference(const Curves& a, const Curves& b) {
  double most = 0;
  for (std::size_t v = 0; v < a.positions.size(); ++v) most = std::max(most, norm(a.positions[v] - b.positions[v]));
  return most;
}

TEST(Interpolation, LeavesEveryBitWhenGuidesRest) {
  for (const Hairstyle style : {Hairstyle::straight, Hairstyle::curly, Hairstyle::ponytail}) {
    const Sample s = sample(style);
    const Curves out = interpolate(s.groom, s.weights, s.guides, s.guides);
    EXPECT_EQ(out.positions, s.groom.positions);
    EXPECT_TRUE(out.vertices.has("radius"));
  }
}

TEST(Interpolation, FollowsARigidMotionToRoundOff) {
  for (const Hairstyle style : {Hairstyle::straight, Hairstyle::curly, Hairstyle::afro}) {
    const Sample s = sample(style);
    const Curves out = interpolate(s.groom, s.weights, s.guides, rigidly_moved(s.guides));
    EXPECT_LT(largest_difference(out, rigidly_moved(s.groom)), 1e-12);
  }
}

TEST(Interpolation, FollowsARigidMotionOfASingleBentGuide) {
  const Curves groom = generate_groom(head_scalp(), small_params(Hairstyle::wavy, 30));
  const std::int64_t one[] = {4};
  const Curves guide = strands_of(groom, one);
  // One guide alone cannot tell a turn about its first segment, so the turn must leave that open: a shift.
  Curves moved = guide;
  for (Vec3d& p : moved.positions) p += Vec3d(0.5, 0, 2);
  const Curves out = interpolate(groom, precompute_interpolation(groom, guide, 3), guide, moved);
  for (std::size_t v = 0; v < groom.positions.size(); ++v)
    EXPECT_LT(norm(out.positions[v] - groom.positions[v] - Vec3d(0.5, 0, 2)), 1e-12);
}

TEST(Interpolation, MovesGuidesAsGuidesMoved) {
  const Sample s = sample(Hairstyle::curly);
  const InterpolationWeights own = precompute_interpolation(s.guides, s.guides, 3);
  const Curves moved = swung(s.guides);
  EXPECT_LT(largest_difference(interpolate(s.guides, own, s.guides, moved), moved), 1e-12);
}

TEST(Interpolation, KeepsAHairParallelToItsBendingGuide) {
  // A straight guide bent to a quarter circle; the hair beside it, at distance d across the plane, must stay at d.
  std::vector<Vec3d> line, beside, arc;
  const double radius = 0.2;
  for (int i = 0; i <= 64; ++i) {
    const double s = radius * 1.5707963267948966 * i / 64;
    line.emplace_back(0, -s, 0);
    beside.emplace_back(0, -s, 0.01);
    arc.emplace_back(radius * (1 - std::cos(s / radius)), -radius * std::sin(s / radius), 0);
  }
  const Curves groom = curves_from({beside}), rest = curves_from({line}), moved = curves_from({arc});
  const Curves out = interpolate(groom, precompute_interpolation(groom, rest, 1), rest, moved);
  for (std::size_t v = 0; v < arc.size(); ++v) EXPECT_LT(norm(out.positions[v] - arc[v] - Vec3d(0, 0, 0.01)), 1e-4);
}

TEST(Interpolation, WeightsSumToOneAndAreNotNegative) {
  const Sample s = sample(Hairstyle::long_hair);
  for (std::size_t h = 0; h < s.groom.strand_count(); ++h) {
    double sum = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_GE(s.weights.weight[3 * h + j], 0);
      sum += s.weights.weight[3 * h + j];
    }
    EXPECT_NEAR(sum, 1, 1e-14);
  }
}

TEST(Interpolation, IsTheSameForAnyThreadCount) {
  const Sample s = sample(Hairstyle::wavy);
  const Curves moved = swung(s.guides);
  set_threads(1);
  const Curves one = interpolate(s.groom, precompute_interpolation(s.groom, s.guides, 3), s.guides, moved);
  set_threads(2);
  const Curves two = interpolate(s.groom, precompute_interpolation(s.groom, s.guides, 3), s.guides, moved);
  set_threads(0);
  EXPECT_EQ(one.positions, two.positions);
}

TEST(Interpolation, StretchesHairsLittleWhenGuidesSwing) {
  const Sample s = sample(Hairstyle::straight, 300, 60);
  const Curves out = interpolate(s.groom, s.weights, s.guides, swung(s.guides));
  const auto length = [](const Curves& curves, std::size_t h) {
    return polyline_length({&curves.positions[static_cast<std::size_t>(curves.first[h])],
                            static_cast<std::size_t>(curves.first[h + 1] - curves.first[h])});
  };
  for (std::size_t h = 0; h < out.strand_count(); ++h) {
    const double stretch = length(out, h) / length(s.groom, h);
    EXPECT_TRUE(stretch > 0.6 && stretch < 1.7) << "strand " << h << ": " << stretch;
  }
}

TEST(Interpolation, SurvivesDegenerateStrands) {
  const Curves rest = curves_from({{{0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, {{1, 0, 0}, {1, 1, 0}, {1, 0, 0}}});
  const Curves groom = curves_from({{{0, 0, 0}}, {{0.5, 0, 0}, {0.5, 2, 0}}});
  Curves moved = rest;
  for (Vec3d& p : moved.positions) p += Vec3d(0, 3, 0);
  const Curves out = interpolate(groom, precompute_interpolation(groom, rest, 3), rest, moved);
  for (std::size_t v = 0; v < groom.positions.size(); ++v)
    EXPECT_LT(norm(out.positions[v] - groom.positions[v] - Vec3d(0, 3, 0)), 1e-12);
}

TEST(Interpolation, RefusesGuidesThatDoNotMatch) {
  const Sample s = sample(Hairstyle::straight, 40, 6);
  const auto refused = [&](const Curves& moved) {
    EXPECT_THROW(interpolate(s.groom, s.weights, s.guides, moved), Error);
  };
  std::vector<std::int64_t> fewer(5);
  std::iota(fewer.begin(), fewer.end(), 0);
  refused(strands_of(s.guides, fewer));
  Curves other = s.guides;
  --other.first[1];
  refused(other);
  Curves broken = s.guides;
  broken.positions[3].x = std::nan("");
  refused(broken);
  EXPECT_THROW(precompute_interpolation(s.groom, Curves(), 3), Error);
  EXPECT_THROW(precompute_interpolation(Curves(), s.guides, 3), Error);
  EXPECT_THROW(precompute_interpolation(s.groom, broken, 3), Error);
}

TEST(RootGrid, FindsTheNearestAlsoFromOutside) {
  std::vector<Vec3d> roots;
  for (const Root& root : head_scalp().roots(200, 5)) roots.push_back(root.position);
  roots.push_back(roots[3]);
  const RootGrid grid(roots);
  for (const Vec3d x : {Vec3d(0, 0.2, 0), Vec3d(0.3, 0.1, -0.4), Vec3d(0.02, 0.26, 0.01), Vec3d(-9, 8, 7)}) {
    std::vector<std::pair<double, std::int32_t>> all;
    for (std::size_t i = 0; i < roots.size(); ++i) all.emplace_back(norm(roots[i] - x), static_cast<std::int32_t>(i));
    std::sort(all.begin(), all.end());
    const auto found = grid.nearest(x, 12);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(found[i], all[i].second);
  }
  EXPECT_EQ(grid.nearest({0, 0, 0}, 1000).size(), roots.size());
}

}  // namespace
}  // namespace ymir
