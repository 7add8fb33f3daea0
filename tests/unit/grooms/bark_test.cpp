#include "ymir/grooms/bark.h"

#include <gtest/gtest.h>

#include "ymir/data/shape_meshes.h"
#include "ymir/grooms/plant.h"
#include "ymir/grooms/polyline.h"

namespace ymir {
namespace {

Surface trunk() { return box_mesh({0, .5, 0}, {.1, .5, .1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}); }

Curves strands(const std::vector<std::vector<Vec3d>>& lines, const std::vector<double>& radius) {
  Curves c;
  for (const auto& line : lines) {
    c.positions.insert(c.positions.end(), line.begin(), line.end());
    c.first.push_back(std::ssize(c.positions));
  }
  c.vertices.resize(c.positions.size());
  c.edges.resize(c.edge_count());
  c.strands.resize(c.strand_count());
  if (!radius.empty()) c.vertices.set("radius", Array::of(radius));
  return c;
}

TEST(Bark, IsWhereBranchesBeginThatAreDrawnIntoTheTrunk) {
  std::size_t inside = 0;
  const Curves cut = begun_at_bark(strands({{{0, .5, 0}, {.05, .5, 0}, {.25, .5, 0}, {.6, .5, 0}},  // from the axis
                                            {{.1, .2, 0}, {.5, .2, 0}},                             // from the bark
                                            {{.3, .8, 0}, {0, .8, 0}, {-.3, .8, 0}},                // through it
                                            {{0, .1, 0}, {0, .3, 0}}},                              // never out
                                           {.04, .04, .02, .01, .03, .03, .02, .02, .02, .01, .01}),
                                   trunk(), inside);
  EXPECT_EQ(inside, 1U);
  ASSERT_EQ(cut.strand_count(), 3U);
  const auto axis = points_of(cut, 0);
  ASSERT_EQ(axis.size(), 3U);
  EXPECT_LT(norm(axis[0] - Vec3d{.1, .5, 0}), 1e-12);
  EXPECT_NEAR(polyline_length(axis), .5, 1e-12);
  const auto radius = cut.vertices.get<double>("radius");
  EXPECT_NEAR(radius[0], .035, 1e-12);  // a quarter of the way from 4 to 2 cm
  EXPECT_EQ(radius[1], .02);
  EXPECT_EQ(points_of(cut, 1)[0].x, .1);
  EXPECT_EQ(points_of(cut, 2).size(), 3U);
  EXPECT_EQ(radius.back(), .02);
}

// A ball in the wind feels 0.6 of its shadow where a plate across the wind feels 1.2, whatever it is made of.
TEST(Bark, OfABallFeelsTheWindAsABallDoes) {
  for (const double spacing : {.05, .1, .2}) {
    Plant plant(spacing);
    plant.add_trunks(sphere_mesh({0, 0, 0}, .3, 48), "ball", 100'000);
    double area = 0;
    for (const ElastonSample& e : plant.grown(false).elastons) area += e.area;
    EXPECT_NEAR(1.2 * area / (M_PI * .09), .6, .005) << spacing;
  }
}

}  // namespace
}  // namespace ymir
