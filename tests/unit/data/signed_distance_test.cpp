#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ymir/base/error.h"
#include "ymir/base/random.h"
#include "ymir/data/signed_distance_grid.h"
#include "ymir/data/triangle_bvh.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/contact/point_contact.h"

namespace ymir {
namespace {

Surface box_mesh(Vec3d half) {
  Surface s;
  for (int i = 0; i < 8; ++i)
    s.positions.push_back({i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z});
  s.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                 {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return s;
}

// Icosahedron with every triangle divided into four `levels` times, on the unit sphere.
Surface icosphere(int levels) {
  const double g = (1 + std::sqrt(5.0)) / 2;
  Surface s;
  for (const Vec3d p :
       {Vec3d(-1, g, 0), Vec3d(1, g, 0), Vec3d(-1, -g, 0), Vec3d(1, -g, 0), Vec3d(0, -1, g), Vec3d(0, 1, g),
        Vec3d(0, -1, -g), Vec3d(0, 1, -g), Vec3d(g, 0, -1), Vec3d(g, 0, 1), Vec3d(-g, 0, -1), Vec3d(-g, 0, 1)})
    s.positions.push_back(normalized(p));
  s.triangles = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                 {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                 {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  for (int level = 0; level < levels; ++level) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middles;
    const auto middle = [&](std::int32_t a, std::int32_t b) {
      const auto [it, added] = middles.try_emplace(std::minmax(a, b), static_cast<std::int32_t>(s.positions.size()));
      if (added) s.positions.push_back(normalized(s.positions[a] + s.positions[b]));
      return it->second;
    };
    std::vector<std::array<std::int32_t, 3>> finer;
    for (const auto& [a, b, c] : s.triangles) {
      const std::int32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
    }
    s.triangles = finer;
  }
  return s;
}

Vec3d random_point(std::uint64_t seed, int i, double reach) {
  Random random(seed, static_cast<std::uint64_t>(i));
  const double x = random.uniform(-reach, reach), y = random.uniform(-reach, reach);
  return {x, y, random.uniform(-reach, reach)};
}

double box_distance(Vec3d half, Vec3d x) {
  BoxShape box;
  box.half_size = half;
  return signed_distance(box, x).distance;
}

std::string message_of(const Surface& surface, double voxel, double margin) {
  try {
    SignedDistanceGrid grid(surface, voxel, margin, "rock.obj");
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::bad_input);
    return e.what();
  }
  return "no error";
}

TEST(TriangleBvh, FindsTheSamePointAsTestingEveryTriangle) {
  const Surface sphere = icosphere(2);
  const TriangleBvh all(sphere);
  for (int i = 0; i < 200; ++i) {
    const Vec3d x = random_point(1, i, 2);
    ClosestPoint best;
    for (std::size_t t = 0; t < sphere.triangles.size(); ++t) {
      Surface one;
      one.positions = sphere.positions;
      one.triangles = {sphere.triangles[t]};
      const ClosestPoint c = TriangleBvh(one).closest(x);
      if (c.distance < best.distance) {
        best = c;
        best.triangle = static_cast<std::int32_t>(t);
      }
    }
    const ClosestPoint found = all.closest(x);
    EXPECT_EQ(found.triangle, best.triangle);
    EXPECT_EQ(found.distance, best.distance);
    const auto& t = sphere.triangles[found.triangle];
    const Vec3d w = found.barycentric;
    EXPECT_NEAR(w.x + w.y + w.z, 1, 1e-14);
    EXPECT_LT(
        norm(sphere.positions[t[0]] * w.x + sphere.positions[t[1]] * w.y + sphere.positions[t[2]] * w.z - found.point),
        1e-14);
  }
}

TEST(TriangleBvh, FindsNothingBeyondTheBoundNorInAnEmptyMesh) {
  const TriangleBvh bvh(box_mesh({1, 1, 1}));
  EXPECT_EQ(bvh.closest(Vec3d(3, 0, 0), 1.9).triangle, -1);
  EXPECT_GE(bvh.closest(Vec3d(3, 0, 0), 2.1).triangle, 0);
  EXPECT_EQ(TriangleBvh(Surface{}).closest(Vec3d(0, 0, 0)).triangle, -1);
}

TEST(TriangleBvh, DistanceOfABoxIsExactAtFacesEdgesAndCorners) {
  const Vec3d half(0.5, 0.3, 0.7);
  const TriangleBvh bvh(box_mesh(half));
  for (int i = 0; i < 2000; ++i) {
    const Vec3d x = random_point(2, i, 1);
    EXPECT_NEAR(bvh.signed_distance(x), box_distance(half, x), 1e-14) << i;
  }
  // Rays that leave vertices and edge middles exactly along the symmetry directions, outside and inside.
  for (int i = 0; i < 27; ++i) {
    const Vec3d direction(i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1);
    for (const double s : {0.9, 1.1, 3.0}) {
      const Vec3d x(direction.x * half.x * s, direction.y * half.y * s, direction.z * half.z * s);
      EXPECT_NEAR(bvh.signed_distance(x), box_distance(half, x), 1e-14) << i << " " << s;
    }
  }
}

TEST(TriangleBvh, SignIsRightAtASpikeThatFoolsFaceNormals) {
  // A thin needle: beyond its tip nearly every direction is behind some face of the tip.
  Surface needle;
  needle.positions = {{-0.1, 0, -0.1}, {0.1, 0, -0.1}, {0, 0, 0.1}, {0.3, 3, 0.2}};
  needle.triangles = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  ASSERT_TRUE(closed(needle));
  const TriangleBvh bvh(needle);
  for (int i = 0; i < 1000; ++i) {
    const Vec3d x = Vec3d(0.3, 3, 0.2) + random_point(3, i, 0.5) + Vec3d(0, 0.6, 0);
    EXPECT_GT(bvh.signed_distance(x), 0) << i;
  }
  EXPECT_LT(bvh.signed_distance(Vec3d(0.05, 0.5, 0)), 0);
}

TEST(TriangleBvh, SignIsRightAtASharpEdgeThatFoolsFaceNormals) {
  Surface wedge;
  wedge.positions = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0.1}, {0, -1, -0.1}};
  wedge.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  ASSERT_TRUE(closed(wedge));
  const TriangleBvh bvh(wedge);
  for (int i = 0; i < 1000; ++i) {
    const Vec3d x = random_point(8, i, 0.5);
    // Next to the edge, level with it or slightly below, but outside: behind the face on the other side.
    EXPECT_GT(bvh.signed_distance(Vec3d(x.x, 0.05 * x.y, x.z < 0 ? x.z - 0.1 : x.z + 0.1)), 0) << i;
  }
  EXPECT_LT(bvh.signed_distance(Vec3d(0, -0.5, 0)), 0);
}

TEST(TriangleBvh, SignDoesNotDependOnTheOrientationOfTheMesh) {
  Surface flipped = box_mesh({1, 1, 1});
  for (auto& t : flipped.triangles) std::swap(t[0], t[1]);
  EXPECT_DOUBLE_EQ(TriangleBvh(flipped).signed_distance(Vec3d(0, 0, 0.5)), -0.5);
  EXPECT_DOUBLE_EQ(TriangleBvh(flipped).signed_distance(Vec3d(0, 0, 2)), 1);
}

TEST(TriangleBvh, TriangleWithoutAreaIsASegment) {
  Surface s;
  s.positions = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}};
  s.triangles = {{0, 2, 1}};
  const TriangleBvh bvh(s);
  EXPECT_DOUBLE_EQ(bvh.closest(Vec3d(2, 1, 0)).distance, 1);
  EXPECT_DOUBLE_EQ(bvh.closest(Vec3d(-3, 4, 0)).distance, 5);
}

TEST(TriangleBvh, IcosphereApproachesTheSphereAtSecondOrder) {
  double errors[2];
  for (int k = 0; k < 2; ++k) {
    const TriangleBvh bvh(icosphere(k + 3));
    errors[k] = 0;
    for (int i = 0; i < 2000; ++i) {
      const Vec3d x = random_point(4, i, 1.5);
      errors[k] = std::max(errors[k], std::fabs(bvh.signed_distance(x) - (norm(x) - 1)));
    }
  }
  EXPECT_LT(errors[1], 2e-3);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1);
}

TEST(SignedDistanceGrid, MatchesTheSphereAtSecondOrderInTheVoxel) {
  const Surface sphere = icosphere(5);
  double errors[2];
  for (int k = 0; k < 2; ++k) {
    const SignedDistanceGrid grid(sphere, k == 0 ? 0.2 : 0.1, 0.3, "sphere");
    double worst = 0;
    for (int i = 0; i < 4000; ++i) {
      const Vec3d x = random_point(5, i, 1.25);
      if (norm(x) < 0.5) continue;  // the distance is not smooth at the centre
      const DistanceSample s = grid.sample(x);
      worst = std::max(worst, std::fabs(s.distance - (norm(x) - 1)));
      EXPECT_GT(dot(s.normal, normalized(x)), 0.95);
    }
    errors[k] = worst;
  }
  EXPECT_LT(errors[1], 6e-3);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.4);
}

TEST(SignedDistanceGrid, NormalIsTheGradientOfTheValue) {
  const SignedDistanceGrid grid(icosphere(3), 0.1, 0.2, "sphere");
  for (int i = 0; i < 500; ++i) {
    const Vec3d x = random_point(6, i, 3);
    if (norm(x) < 0.3) continue;
    constexpr double h = 1e-7;
    const DistanceSample s = grid.sample(x);
    Vec3d g;
    for (int a = 0; a < 3; ++a) {
      Vec3d step;
      step[a] = h;
      g[a] = (grid.sample(x + step).distance - grid.sample(x - step).distance) / (2 * h);
    }
    EXPECT_LT(norm(normalized(g) - s.normal), 1e-5) << i;
  }
}

TEST(SignedDistanceGrid, IsALowerBoundBeyondTheGridAndContinuousAtItsBorder) {
  const SignedDistanceGrid grid(box_mesh({0.5, 0.5, 0.5}), 0.05, 0.1, "box");
  for (int i = 0; i < 2000; ++i) {
    const Vec3d x = random_point(7, i, 4);
    const double exact = box_distance({0.5, 0.5, 0.5}, x), sampled = grid.sample(x).distance;
    if (grid.box().contains(x)) continue;
    EXPECT_LE(sampled, exact + 1e-6);
    EXPECT_GE(sampled, 0.7 * exact);
  }
  const double edge = grid.box().high.x;
  for (const double y : {-0.6, 0.0, 0.3})
    EXPECT_NEAR(grid.sample(Vec3d(edge - 1e-9, y, 0.1)).distance, grid.sample(Vec3d(edge + 1e-9, y, 0.1)).distance,
                1e-8);
}

TEST(SignedDistanceGrid, ThinPlateStopsAFastPoint) {
  // Four voxels thick: resolved, and not passed at 1 km/s nor along its surface.
  const SignedDistanceGrid grid(box_mesh({0.5, 0.02, 0.5}), 0.01, 0.05, "plate");
  EXPECT_NEAR(grid.sample(Vec3d(0.1, 0.03, 0.1)).distance, 0.01, 1e-6);
  EXPECT_LT(grid.sample(Vec3d(0.1, 0, 0.1)).distance, -0.01);
  ContactParams params;
  params.lipschitz = std::sqrt(3.0);
  params.smallest_feature = grid.voxel();
  const Vec3d v(3, -1000, 1);
  const PointState start{{-0.1, 2, 0.1}, v};
  const ContactResult r = resolve_contact([&](Vec3d x) { return grid.sample(x); }, params, 0.001, 0.01, Vec3d(0, 0, 0),
                                          start, {start.x + v * 0.01, v});
  EXPECT_TRUE(r.touched);
  EXPECT_NEAR(r.x.y, 0.021, 1e-4);
  EXPECT_NEAR(r.v.y, 0, 1e-3);
}

TEST(SignedDistanceGrid, SaysThatAPlateIsThinnerThanTheVoxels) {
  const std::string message = message_of(box_mesh({0.5, 1e-4, 0.5}), 0.073, 0.1);
  EXPECT_NE(message.find("rock.obj: no node"), std::string::npos) << message;
}

TEST(SignedDistanceGrid, RefusesAnOpenMesh) {
  Surface open = box_mesh({1, 1, 1});
  open.triangles.pop_back();
  EXPECT_NE(message_of(open, 0.2, 0.2).find("rock.obj: the mesh is not closed"), std::string::npos);
  EXPECT_NE(message_of(Surface{}, 0.2, 0.2).find("not closed"), std::string::npos);
}

TEST(SignedDistanceGrid, RefusesVerticesThatAreNotFinite) {
  Surface bad = box_mesh({1, 1, 1});
  bad.positions[3].y = std::nan("");
  EXPECT_NE(message_of(bad, 0.2, 0.2).find("not finite"), std::string::npos);
}

TEST(SignedDistanceGrid, RefusesMoreThanTheMemoryLimitAndNamesAVoxelThatFits) {
  const Surface box = box_mesh({1, 1, 1});
  const std::string message = message_of(box, 1e-3, 0.1);
  const std::string before = "use voxels of ";
  const auto at = message.find(before);
  ASSERT_NE(at, std::string::npos) << message;
  const double voxel = std::stod(message.substr(at + before.size()));
  EXPECT_LT(std::pow(2.2 / voxel + 2, 3) * 4, 512 * 1048576.0);
  EXPECT_GT(std::pow(2.2 / voxel, 3) * 4, 0.6 * 512 * 1048576.0);
  EXPECT_NE(message_of(box, 1e-300, 0.1).find(before), std::string::npos);
}

TEST(SignedDistanceGrid, DoesNotDependOnTheThreadCount) {
  const Surface sphere = icosphere(3);
  const int before = threads();
  set_threads(1);
  const SignedDistanceGrid one(sphere, 0.1, 0.1, "sphere");
  set_threads(3);
  const SignedDistanceGrid three(sphere, 0.1, 0.1, "sphere");
  set_threads(before);
  for (int k = 0; k < one.nodes().z; ++k)
    for (int j = 0; j < one.nodes().y; ++j)
      for (int i = 0; i < one.nodes().x; ++i) ASSERT_EQ(one.node(i, j, k), three.node(i, j, k));
}

}  // namespace
}  // namespace ymir
