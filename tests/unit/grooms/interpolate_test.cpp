#include "ymir/grooms/interpolate.h"

#include <gtest/gtest.h>

#include <numeric>

#include "groom_samples.h"
#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/base/random.h"
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

// Every guide bends about its own axis, more and more along it, and keeps its lengths; `most` [rad] at its tip.
Curves bent(Curves guides, double most, std::uint64_t seed = 1) {
  for (std::size_t g = 0; g < guides.strand_count(); ++g) {
    Random random(seed, g);
    const Vec3d axis = normalized(Vec3d(random.uniform() - 0.5, random.uniform() - 0.5, random.uniform() - 0.5));
    const auto first = static_cast<std::size_t>(guides.first[g]), last = static_cast<std::size_t>(guides.first[g + 1]);
    const double angle = most * random.uniform();
    Vec3d before = guides.positions[first];
    for (std::size_t v = first + 1; v < last; ++v) {
      const Vec3d segment = guides.positions[v] - before;
      before = guides.positions[v];
      const double along = static_cast<double>(v - first) / static_cast<double>(last - first);
      guides.positions[v] = guides.positions[v - 1] + rotate(quaternion_exp(axis * (angle * along)), segment);
    }
  }
  return guides;
}

// Largest relative change of the length of a segment.
double largest_stretch(const Curves& rest, const Curves& moved) {
  double most = 0;
  for (std::size_t h = 0; h < rest.strand_count(); ++h) {
    const auto a = points_of(rest, h), b = points_of(moved, h);
    for (std::size_t i = 1; i < a.size(); ++i)
      most = std::max(most, std::abs(norm(b[i] - b[i - 1]) / norm(a[i] - a[i - 1]) - 1));
  }
  return most;
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
  const Curves moved = bent(s.guides, 2.5);
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
  const Curves moved = bent(s.guides, 1);
  set_threads(1);
  const Curves one = interpolate(s.groom, precompute_interpolation(s.groom, s.guides, 3), s.guides, moved);
  set_threads(2);
  const Curves two = interpolate(s.groom, precompute_interpolation(s.groom, s.guides, 3), s.guides, moved);
  set_threads(0);
  EXPECT_EQ(one.positions, two.positions);
}

TEST(Interpolation, KeepsTheLengthOfEverySegment) {
  for (const Hairstyle style : {Hairstyle::straight, Hairstyle::curly, Hairstyle::long_hair}) {
    const Sample s = sample(style, 300, 60);
    for (const double most : {0.3, 1.5, 3.0}) {
      Curves moved = bent(rigidly_moved(s.guides), most, 7);
      EXPECT_LT(largest_stretch(s.groom, interpolate(s.groom, s.weights, s.guides, moved)), 1e-9);
      // Also where the guides themselves are stretched.
      for (std::size_t v = 0; v < moved.positions.size(); ++v) moved.positions[v].y *= 1.7;
      EXPECT_LT(largest_stretch(s.groom, interpolate(s.groom, s.weights, s.guides, moved)), 1e-9);
    }
  }
}

TEST(Interpolation, MovesAHairRigidlyWithASingleBentGuide) {
  const Curves groom = generate_groom(head_scalp(), small_params(Hairstyle::curly, 30));
  const std::int64_t one[] = {4};
  const Curves guide = strands_of(groom, one);
  const Curves out = interpolate(groom, precompute_interpolation(groom, guide, 3), guide, rigidly_moved(guide));
  EXPECT_LT(largest_difference(out, rigidly_moved(groom)), 1e-12);
}

TEST(Interpolation, DrawsACoilOutWithoutTurningItsNeighboursInThemselves) {
  // A coil of ten windings drawn out, and one beside it half a winding on: it must be drawn out as well.
  const auto coil = [](double radius, double pitch, double phase, Vec3d from) {
    std::vector<Vec3d> points;
    for (int i = 0; i <= 100; ++i) {
      const double a = 0.2 * 3.14159265358979 * i;
      points.push_back(from + Vec3d(radius * std::cos(a + phase), -pitch * i / 10, radius * std::sin(a + phase)));
    }
    return points;
  };
  const double radius = 0.01, pitch = 0.02, drawn_pitch = 0.03, turn = 2 * 3.14159265358979;
  const double drawn_radius = std::sqrt(radius * radius + (pitch * pitch - drawn_pitch * drawn_pitch) / (turn * turn));
  const Curves rest = curves_from({coil(radius, pitch, 0, {})});
  const Curves moved = curves_from({coil(drawn_radius, drawn_pitch, 0, {})});
  const Curves groom = curves_from({coil(radius, pitch, 3.14159265358979, {0.005, 0, 0})});
  const Curves out = interpolate(groom, precompute_interpolation(groom, rest, 1), rest, moved);
  // Most of the way that the guide goes along the axis, and no farther aside than two radii.
  EXPECT_NEAR(out.positions.front().y - out.positions.back().y, 10 * drawn_pitch, 0.15 * 10 * drawn_pitch);
  EXPECT_LT(largest_stretch(groom, out), 1e-9);
  for (const Vec3d& p : out.positions) EXPECT_LT(std::hypot(p.x - 0.005, p.z), 2 * radius);
}

TEST(Interpolation, DoesNotMixAcrossAParting) {
  for (const Hairstyle style : {Hairstyle::straight, Hairstyle::long_hair}) {
    const Sample s = sample(style, 2000, 120);
    // Guides of one side only swing; parted in the middle, that is at x = 0.
    Curves moved = bent(s.guides, 1.5);
    const auto on_the_left = [](const Curves& curves, std::size_t h) {
      const auto points = points_of(curves, h);
      return points[points.size() / 4].x > 0;
    };
    for (std::size_t g = 0; g < s.guides.strand_count(); ++g)
      if (!on_the_left(s.guides, g))
        for (std::int64_t v = s.guides.first[g]; v < s.guides.first[g + 1]; ++v)
          moved.positions[static_cast<std::size_t>(v)] = s.guides.positions[static_cast<std::size_t>(v)];
    const Curves out = interpolate(s.groom, s.weights, s.guides, moved);
    for (std::size_t h = 0; h < s.groom.strand_count(); ++h) {
      const auto at_rest = points_of(s.groom, h);
      // At the top of the head, where the sides meet; below, hair at the back hangs down on both.
      if (on_the_left(s.groom, h) || at_rest[0].y < 0.22 || at_rest[0].z < 0 || at_rest[at_rest.size() / 4].x > -0.02)
        continue;
      EXPECT_LT(norm(points_of(out, h).back() - at_rest.back()), 1e-9) << "hair " << h;
    }
  }
}

TEST(Interpolation, KeepsToTheRegionOfAHair) {
  Curves groom = curves_from({{{0, 0, 0}, {0, -0.1, 0}}, {{0.01, 0, 0}, {0.01, -0.1, 0}}});
  Curves guides = curves_from({{{0.001, 0, 0}, {0.001, -0.1, 0}}, {{0.005, 0, 0}, {0.005, -0.1, 0}}});
  groom.strands.set("region", Array::of(std::vector<std::int32_t>{2, 1}));
  guides.strands.set("region", Array::of(std::vector<std::int32_t>{1, 2}));
  Curves moved = guides;
  moved.positions[1] += Vec3d(0.1, 0.1, 0);  // the guide of region 1
  const Curves out = interpolate(groom, precompute_interpolation(groom, guides, 2), guides, moved);
  EXPECT_EQ(out.positions[1], groom.positions[1]);
  EXPECT_GT(norm(out.positions[3] - groom.positions[3]), 0.05);
  groom.strands.set("region", Array::of(std::vector<std::int32_t>{2, 3}));
  EXPECT_THROW(precompute_interpolation(groom, guides, 2), Error);
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
