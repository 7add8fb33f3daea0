// Closed surfaces cut into cubes: volume, the place of the skin, what cannot be cut.
#include "ymir/data/lattice.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ymir/base/error.h"
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
    const SolidMesh mesh = lattice_of(sphere_mesh({1, 2, 3}, radius, 64), cell, "ball", 1'000'000);
    EXPECT_NEAR(filled(mesh, cell) / volume, 1, 0.03) << cell;
    for (const double f : mesh.fill) {
      EXPECT_GE(f, 0.05);
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
