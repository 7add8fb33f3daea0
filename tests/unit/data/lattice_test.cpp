// Closed surfaces cut into cubes: volume, the place of the skin, what cannot be cut.
#include "ymir/data/lattice.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ymir/base/error.h"
#include "ymir/data/closed_surface.h"
#include "ymir/data/shape_meshes.h"
#include "ymir/physics/elements/hexahedron.h"

namespace ymir {
namespace {

double filled(const SolidMesh& mesh, double cell) {
  double volume = 0;
  for (const double f : mesh.fill) volume += f * cell * cell * cell;
  return volume;
}

Vec3d place(const SolidMesh& mesh, const CellPoint& at) {
  double weight[8];
  Hexahedron::shape(at.at, weight);
  Vec3d x{0, 0, 0};
  for (std::size_t a = 0; a < 8; ++a)
    x += mesh.positions[static_cast<std::size_t>(mesh.cells[8 * static_cast<std::size_t>(at.cell) + a])] * weight[a];
  return x;
}

TEST(Lattice, HoldsTheVolumeOfABall) {
  const double radius = 0.1, volume = 4.0 / 3 * M_PI * std::pow(radius, 3);
  for (const double cell : {0.03, 0.015, 0.0075}) {
    const Surface ball = sphere_mesh({1, 2, 3}, radius, 64);
    const SolidMesh mesh = lattice_of(ball, cell, "ball", 1'000'000);
    EXPECT_NEAR(filled(mesh, cell) / enclosed_volume(ball), 1, 1e-9) << cell;
    EXPECT_NEAR(filled(mesh, cell) / volume, 1, 2e-3) << cell;
    for (const double f : mesh.fill) {
      EXPECT_GT(f, 0.04);
      EXPECT_LE(f, 1);
    }
  }
}

TEST(Lattice, IsTheBoxThatItsCellsDivide) {
  const Surface box = box_mesh({0, 0, 0}, {0.1, 0.2, 0.3}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1});
  const SolidMesh mesh = lattice_of(box, 0.05, "box", 10'000);
  EXPECT_EQ(mesh.cell_count(), 4u * 8 * 12);
  EXPECT_EQ(mesh.positions.size(), 5u * 9 * 13);
  for (const double f : mesh.fill) EXPECT_EQ(f, 1);
}

// Volume and moments of what is solid, whatever the cells: of a box that they do not divide.
TEST(Lattice, HasTheMomentsOfABoxThatItsCellsDoNotDivide) {
  const double edge = 0.1;
  const Surface box = box_mesh({0, 0, 0}, {edge / 2, edge / 2, edge / 2}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1});
  for (const double cell : {0.09, 0.08, 0.07, 0.06, 0.04, 0.03, 0.022, 0.015}) {
    const SolidMesh mesh = lattice_of(box, cell, "box", 100'000);
    double volume = 0, second = 0;
    for (std::size_t c = 0; c < mesh.cell_count(); ++c)
      for (std::size_t q = 0; q < 8; ++q) {
        const Vec3d x = place(mesh, {static_cast<std::int32_t>(c), Hexahedron::quadrature[q].at});
        const double v = mesh.shares[8 * c + q] * cell * cell * cell / 8;
        volume += v;
        second += v * x.y * x.y;
      }
    EXPECT_NEAR(volume / (edge * edge * edge), 1, 1e-9) << cell;
    // Two points with the right volume and mean have at most an eighth too much, where 5/8 of a cell is solid, and the
    // border is known to half of an eighth of a cell. Spread over whole cells it would be 2.56 at 8 cm.
    const double ratio = second / (std::pow(edge, 5) / 12);
    EXPECT_GT(ratio, 0.97) << cell;
    EXPECT_LT(ratio, 1.2) << cell;
  }
}

TEST(Lattice, HoldsTheSkinWhereItIs) {
  const Surface ball = sphere_mesh({-5, 0, 0.2}, 0.1, 24);
  const SolidMesh mesh = lattice_of(ball, 0.023, "ball", 10'000);
  ASSERT_EQ(mesh.embedded.size(), ball.positions.size());
  for (std::size_t i = 0; i < ball.positions.size(); ++i) {
    EXPECT_LT(norm(place(mesh, mesh.embedded[i]) - ball.positions[i]), 1e-14);
    for (int k = 0; k < 3; ++k) EXPECT_LE(std::abs(mesh.embedded[i].at[k]), 1 + 1e-9);
  }
}

TEST(Lattice, RefusesWhatHasNoInsideAndWhatIsTooFine) {
  Surface open = sphere_mesh({0, 0, 0}, 1, 8);
  open.triangles.pop_back();
  EXPECT_THROW(lattice_of(open, 0.1, "open", 10'000), Error);
  EXPECT_THROW(lattice_of(sphere_mesh({0, 0, 0}, 1, 8), 1e-3, "fine", 10'000), Error);
}

}  // namespace
}  // namespace ymir
