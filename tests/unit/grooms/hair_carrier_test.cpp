#include "ymir/grooms/hair_carrier.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "groom_samples.h"
#include "ymir/base/random.h"
#include "ymir/data/shape_meshes.h"
#include "ymir/grooms/guides.h"
#include "ymir/grooms/polyline.h"
#include "ymir/grooms/push_out.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

// A head that has turned by `angle` [rad] about y and is squeezed: longer in x, flatter in z, dented above an ear.
Vec3d deformed(Vec3d x, double angle) {
  const double dent = 0.01 * angle * std::exp(-dot(x - Vec3d(0.07, 0.2, 0), x - Vec3d(0.07, 0.2, 0)) / 9e-4);
  const Vec3d y{x.x * (1 + 0.1 * angle) - dent, x.y * (1 + 0.05 * angle), x.z * (1 - 0.1 * angle)};
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * y.x + s * y.z, y.y, c * y.z - s * y.x};
}

HairCarrier::Surfaces deformed_head(double angle) {
  Surface head = head_mesh();
  for (Vec3d& p : head.positions) p = deformed(p, angle);
  return {{"Head/collider", head}};
}

struct Sample {
  Curves groom, guides;
};
Sample sample(Hairstyle style) {
  Sample s;
  s.groom = generate_groom(head_scalp(), small_params(style, 500));
  s.guides = strands_of(s.groom, select_guides(s.groom, 60, "groom").strands);
  return s;
}

// Roots go with the skin, every guide swings about its root by up to `most` [rad], with its lengths kept.
Curves swung(Curves guides, double angle, double most) {
  for (std::size_t g = 0; g < guides.strand_count(); ++g) {
    Random random(3, g);
    const Vec3d axis(2 * random.uniform() - 1, angle, 2 * random.uniform() - 1);
    const auto first = static_cast<std::size_t>(guides.first[g]), last = static_cast<std::size_t>(guides.first[g + 1]);
    Vec3d before = guides.positions[first];
    guides.positions[first] = deformed(before, angle);
    for (std::size_t v = first + 1; v < last; ++v) {
      const Vec3d segment = guides.positions[v] - before;
      before = guides.positions[v];
      guides.positions[v] = guides.positions[v - 1] + rotate(quaternion_exp(axis * most), segment);
    }
  }
  return guides;
}

double deepest(const Curves& hairs, const Surface& surface) {
  const TriangleBvh bvh(surface);
  double depth = 0;
  for (const Vec3d& x : hairs.positions) depth = std::max(depth, -bvh.signed_distance(x));
  return depth;
}

double largest_stretch(const Curves& rest, const Curves& moved) {
  double most = 0;
  for (std::size_t h = 0; h < rest.strand_count(); ++h) {
    const auto a = points_of(rest, h), b = points_of(moved, h);
    for (std::size_t i = 1; i < a.size(); ++i)
      most = std::max(most, std::abs(norm(b[i] - b[i - 1]) / norm(a[i] - a[i - 1]) - 1));
  }
  return most;
}

TEST(HairCarrier, KeepsHairsOutOfAHeadThatTurnsAndDeforms) {
  for (const Hairstyle style : {Hairstyle::straight, Hairstyle::curly, Hairstyle::bob}) {
    const Sample s = sample(style);
    const HairCarrier carrier(s.groom, s.guides, deformed_head(0), 3, "groom", "guides");
    for (const double angle : {0.0, 0.3, 1.0}) {
      const auto head = deformed_head(angle);
      const Curves guides = swung(s.guides, angle, angle);
      const Curves hairs = carrier.carry(guides, head, "frame");
      EXPECT_LT(deepest(hairs, head.begin()->second), 1e-3) << angle;
      EXPECT_LT(largest_stretch(s.groom, hairs), 1e-6) << angle;
      // Without the head, the same motion takes them inside: there is something to keep out of.
      if (angle == 1.0) {
        EXPECT_GT(deepest(carrier.carry(guides, {}, "frame"), head.begin()->second), 5e-3);
      }
    }
  }
}

TEST(HairCarrier, RootsStayOnADeformingSkin) {
  const Sample s = sample(Hairstyle::straight);
  const HairCarrier carrier(s.groom, s.guides, deformed_head(0), 3, "groom", "guides");
  const auto head = deformed_head(1);
  const Curves hairs = carrier.carry(swung(s.guides, 1, 0), head, "frame");
  const TriangleBvh bvh(head.begin()->second);
  // Guides' roots went with the skin to second order of the triangles only, so hairs are as near to it as those.
  for (std::size_t h = 0; h < hairs.strand_count(); ++h) EXPECT_LT(bvh.closest(points_of(hairs, h)[0]).distance, 5e-4);
}

TEST(HairCarrier, LeavesEveryBitWhenNothingMoves) {
  const Sample s = sample(Hairstyle::wavy);
  const HairCarrier carrier(s.groom, s.guides, deformed_head(0), 3, "groom", "guides");
  const Curves free = carrier.carry(s.guides, {}, "frame");
  EXPECT_EQ(free.positions, s.groom.positions);
  const Curves beside = carrier.carry(s.guides, deformed_head(0), "frame");
  double most = 0;
  for (std::size_t v = 0; v < beside.positions.size(); ++v)
    most = std::max(most, norm(beside.positions[v] - s.groom.positions[v]));
  EXPECT_LT(most, 1e-3);
}

TEST(HairCarrier, MovesContinuously) {
  // A small step of the guides and of the head is a small step of every hair, pushed out or not.
  const Sample s = sample(Hairstyle::straight);
  const HairCarrier carrier(s.groom, s.guides, deformed_head(0), 3, "groom", "guides");
  const auto at = [&](double angle) { return carrier.carry(swung(s.guides, angle, angle), deformed_head(angle), "f"); };
  const Curves a = at(0.6), b = at(0.6005);
  std::vector<double> moved;
  for (std::size_t v = 0; v < a.positions.size(); ++v) moved.push_back(norm(a.positions[v] - b.positions[v]));
  std::sort(moved.begin(), moved.end());
  // Guides turn by up to 1.7 times the step, on hairs of 25 cm. A few settle against the skin in another way.
  EXPECT_LT(moved[moved.size() * 99 / 100], 3e-4);
  EXPECT_LT(moved.back(), 5e-3);
}

TEST(HairCarrier, IsTheSameForAnyThreadCount) {
  const Sample s = sample(Hairstyle::straight);
  const auto carried = [&] {
    const HairCarrier carrier(s.groom, s.guides, deformed_head(0), 3, "groom", "guides");
    return carrier.carry(swung(s.guides, 0.7, 0.7), deformed_head(0.7), "frame").positions;
  };
  set_threads(1);
  const auto one = carried();
  set_threads(2);
  const auto two = carried();
  set_threads(0);
  EXPECT_EQ(one, two);
}

TEST(HairCarrier, LeavesARoomAroundTheHairsAlone) {
  const Sample s = sample(Hairstyle::straight);
  Surface room = head_mesh();
  for (Vec3d& p : room.positions) p = p * 20.0 - Vec3d(0, 2, 0);
  const HairCarrier carrier(s.groom, s.guides, {{"Room/collider", room}}, 3, "groom", "guides");
  EXPECT_EQ(carrier.carry(s.guides, {{"Room/collider", room}}, "frame").positions, s.groom.positions);
}

// Roots of every hair below the skin, all else outside, in equal numbers per hair: no room.
TEST(PushOut, TellsAHeadWithPlantedRootsFromARoom) {
  constexpr int hairs = 2000, vertices = 16;
  Curves groom;
  groom.first = {0};
  for (int h = 0; h < hairs; ++h) {
    for (int i = 0; i < vertices; ++i) groom.positions.push_back({0.01 * h / hairs, i == 0 ? 0.49 : 0.5 + 0.01 * i, 0});
    groom.first.push_back(static_cast<std::int64_t>(groom.positions.size()));
  }
  const auto box = [](double half) {
    return box_mesh({0, 0, 0}, {half, half, half}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1});
  };
  const Surface head = box(0.5), room = box(2);
  EXPECT_FALSE(encloses(Solid(head), groom));
  EXPECT_TRUE(encloses(Solid(room), groom));
}

}  // namespace
}  // namespace ymir
