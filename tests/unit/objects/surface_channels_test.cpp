#include "ymir/objects/surface_channels.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ymir {
namespace {

// A right triangle of 1 m under F = R diag(1.5, 0.8), R a turn about (1, 1, 1); shear of angle a has the principal
// stretch tan(a)/2 + sqrt(1 + tan(a)^2/4).
TEST(SurfaceChannels, ShowThePrincipalStretchOfTriangles) {
  const Triangles triangles{{0, 1, 2}};
  const std::vector<Vec3d> rest{{5, 5, 5}, {6, 5, 5}, {5, 6, 5}};
  std::vector<Vec3d> now;
  const auto stretch = [&] {
    const auto channels = surface_channels({[&] { return now; }, [&] { return &triangles; }, {}, [&] { return rest; }});
    const Channel& last = channels.back();
    EXPECT_EQ(last.name, "stretch");
    EXPECT_EQ(last.place, Place::face);
    return last.read().as<double>()[0];
  };
  now = rest;
  EXPECT_NEAR(stretch(), 0, 1e-12);
  EXPECT_EQ(largest_stretch(triangles, rest, now), 0);
  // (x, y, z) -> (z, x, y) is that turn by 120 degrees.
  now = {{0, 0, 0}, {0, 1.5, 0}, {0, 0, 0.8}};
  EXPECT_NEAR(stretch(), 0.5, 1e-12);
  EXPECT_NEAR(largest_stretch(triangles, rest, now), 0.5, 1e-12);
  const double shear = 0.7;
  now = {{0, 0, 0}, {1, 0, 0}, {shear, 1, 0}};
  EXPECT_NEAR(stretch(), shear / 2 + std::sqrt(1 + shear * shear / 4) - 1, 1e-12);
  now = {{0, 0, 0}, {0.25, 0, 0}, {0, 0.5, 0}};  // compressed
  EXPECT_NEAR(stretch(), -0.5, 1e-12);
  EXPECT_NEAR(largest_stretch(triangles, rest, now), 0.75, 1e-12);
}

}  // namespace
}  // namespace ymir
