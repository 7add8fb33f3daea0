#include "ymir/data/animated_surface.h"

#include <gtest/gtest.h>

#include "ymir/base/error.h"

namespace ymir {
namespace {

Surface triangle(Vec3d offset) {
  Surface s;
  s.positions = {offset, offset + Vec3d{1, 0, 0}, offset + Vec3d{0, 1, 0}};
  s.triangles = {{0, 1, 2}};
  return s;
}

// Pose f is the triangle moved by (f * f, 0, 0); frame 3 ends 1/10 s after time 0.
SurfaceSequence squares(std::vector<std::int64_t>* loads = nullptr) {
  SurfaceSequence sequence{3, 7, 10, 2, {}, {}};
  sequence.load = [loads](std::int64_t f) {
    if (loads) loads->push_back(f);
    return triangle({static_cast<double>(f * f), 0, 0});
  };
  sequence.name = [](std::int64_t f) { return "pose " + std::to_string(f); };
  return sequence;
}

double offset_at(const AnimatedSurface& surface, double time) {
  std::vector<Vec3d> positions;
  surface.pose(time, positions);
  return positions.at(0).x;
}

TEST(AnimatedSurface, StandsStillWithoutMotionOrSequence) {
  const AnimatedSurface still(triangle({1, 2, 3}));
  EXPECT_FALSE(still.moving());
  EXPECT_TRUE(still.rigid_only());
  EXPECT_EQ(offset_at(still, 5), 1);
}

TEST(AnimatedSurface, IsTheFilesPoseAtTheEndOfItsFrame) {
  const AnimatedSurface surface(squares());
  EXPECT_TRUE(surface.moving() && surface.deforming() && !surface.rigid_only());
  for (std::int64_t f = 3; f <= 7; ++f)
    EXPECT_EQ(offset_at(surface, static_cast<double>(f - 2) / 10), static_cast<double>(f * f));
}

TEST(AnimatedSurface, MovesVerticesLinearlyInsideAFrame) {
  const AnimatedSurface surface(squares());
  EXPECT_NEAR(offset_at(surface, 0.125), 0.75 * 9 + 0.25 * 16, 1e-12);
  EXPECT_NEAR(offset_at(surface, 0.45), 0.5 * (36 + 49), 1e-12);
}

TEST(AnimatedSurface, HoldsThePoseBeforeTheFirstAndAfterTheLastFile) {
  const AnimatedSurface surface(squares());
  EXPECT_EQ(offset_at(surface, -3), 9);
  EXPECT_EQ(offset_at(surface, 0.05), 9);
  EXPECT_EQ(offset_at(surface, 0.5), 49);
  EXPECT_EQ(offset_at(surface, 100), 49);
}

TEST(AnimatedSurface, LoadsEveryPoseOnceOnTheWayForward) {
  std::vector<std::int64_t> loads;
  const AnimatedSurface surface(squares(&loads));
  for (int i = 0; i <= 60; ++i) offset_at(surface, i * 0.01);
  EXPECT_EQ(loads, (std::vector<std::int64_t>{3, 4, 5, 6, 7}));
  EXPECT_NEAR(offset_at(surface, 0.15), 0.5 * (9 + 16), 1e-12);  // and back again
  EXPECT_NEAR(offset_at(surface, 0.35), 0.5 * (25 + 36), 1e-12);
}

TEST(AnimatedSurface, RefusesAPoseWithOtherTriangles) {
  SurfaceSequence sequence = squares();
  sequence.load = [](std::int64_t f) {
    Surface s = triangle({});
    if (f == 5) s.triangles = {{0, 2, 1}};
    return s;
  };
  const AnimatedSurface surface(sequence);
  EXPECT_EQ(offset_at(surface, 0.2), 0);
  try {
    offset_at(surface, 0.21);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ExitCode::bad_input);
    EXPECT_EQ(std::string(e.what()).substr(0, 53), "pose 5: its triangles differ from those of pose 3; ev");
  }
}

TEST(AnimatedSurface, RefusesAPoseWithOtherVertices) {
  SurfaceSequence sequence = squares();
  sequence.load = [](std::int64_t f) {
    Surface s = triangle({});
    if (f == 4) s.positions.push_back({});
    return s;
  };
  const AnimatedSurface surface(sequence);
  EXPECT_THROW(offset_at(surface, 0.2), Error);
}

TEST(AnimatedSurface, AppliesRigidMotionAfterTheSequence) {
  AnimatedSurface surface(squares());
  surface.add_motion({{{0, {}, {}}, {1, {}, {0, 0, M_PI}}}, KeyInterpolation::linear, {}});
  surface.add_motion({{{0, {0, 0, 1}, {}}}, KeyInterpolation::linear, {}});
  std::vector<Vec3d> positions;
  surface.pose(0.5, positions);
  EXPECT_NEAR(positions[0].x, 0, 1e-13);
  EXPECT_NEAR(positions[0].y, 49, 1e-13);
  EXPECT_EQ(positions[0].z, 1);
  EXPECT_EQ(surface.rest().positions[0], (Vec3d{9, 0, 0}));
}

TEST(AnimatedSurface, WithOneConstantKeyIsPlacedButDoesNotMove) {
  AnimatedSurface surface(triangle({}));
  surface.add_motion({{{0, {0, 0, 1}, {}}}, KeyInterpolation::linear, {}});
  EXPECT_FALSE(surface.moving());
  EXPECT_EQ(surface.rigid(7).translation, (Vec3d{0, 0, 1}));
}

}  // namespace
}  // namespace ymir
