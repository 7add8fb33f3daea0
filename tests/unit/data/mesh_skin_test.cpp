#include "ymir/data/mesh_skin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ymir/base/error.h"
#include "ymir/data/cell_orientation.h"
#include "ymir/physics/elements/hexahedron.h"
#include "ymir/physics/elements/tetrahedron.h"

namespace ymir {
namespace {

// n^3 cubes with edge 1, sheared so that no face is parallel to an axis.
SolidMesh block(int n) {
  SolidMesh mesh;
  mesh.shape = CellShape::hexahedron;
  const auto node = [&](int x, int y, int z) { return static_cast<std::int32_t>((z * (n + 1) + y) * (n + 1) + x); };
  for (int z = 0; z <= n; ++z)
    for (int y = 0; y <= n; ++y)
      for (int x = 0; x <= n; ++x) mesh.positions.push_back({x + 0.2 * y, y + 0.3 * z, z + 0.1 * x});
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x)
        for (const Vec3d& c : Hexahedron::corner)
          mesh.cells.push_back(node(x + (c.x > 0), y + (c.y > 0), z + (c.z > 0)));
  return mesh;
}

SolidMesh tetrahedra(std::vector<Vec3d> positions, std::vector<std::int32_t> cells) {
  SolidMesh mesh;
  mesh.positions = std::move(positions);
  mesh.cells = std::move(cells);
  return mesh;
}
const std::vector<Vec3d> corners{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}, {-1, -1, -1}, {2, 2, 2}};

// Of the position that `at` has in its cell.
Vec3d embedded_position(const SolidMesh& mesh, const CellPoint& at) {
  double weight[8];
  if (mesh.shape == CellShape::tetrahedron)
    Tetrahedron::shape(at.at, weight);
  else
    Hexahedron::shape(at.at, weight);
  const int count = nodes_of(mesh.shape);
  Vec3d x;
  for (int k = 0; k < count; ++k)
    x +=
        mesh.positions[static_cast<std::size_t>(mesh.cells[static_cast<std::size_t>(at.cell * count + k)])] * weight[k];
  return x;
}

double enclosed_volume(const Surface& s) {
  double volume = 0;
  const auto at = [&](std::int32_t v) { return s.positions[static_cast<std::size_t>(v)]; };
  for (const auto& [a, b, c] : s.triangles) volume += dot(at(a), cross(at(b), at(c))) / 6;
  return volume;
}

std::string refusal(SolidMesh mesh) {
  try {
    fill_skin(mesh, "a.msh");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    return error.what();
  }
  return "";
}

TEST(MeshSkin, IsTheBoundaryOfABlockWithoutItsInnerNodes) {
  const int n = 3;
  SolidMesh mesh = block(n);
  fill_skin(mesh, "block");
  EXPECT_EQ(mesh.skin.triangles.size(), 6u * n * n * 2);
  EXPECT_EQ(mesh.skin.positions.size(), 64u - 8u) << "8 nodes are inside";
  EXPECT_TRUE(closed(mesh.skin));
  EXPECT_EQ(std::ssize(mesh.skin.positions) - std::ssize(unique_edges(mesh.skin)) + std::ssize(mesh.skin.triangles), 2);
  // The shear has the determinant 1 + 0.2 * 0.3 * 0.1.
  EXPECT_NEAR(enclosed_volume(mesh.skin), 27 * 1.006, 27 * 1e-14);
  EXPECT_EQ(mesh.skin.vertices.count(), mesh.skin.positions.size());
  EXPECT_EQ(mesh.skin.faces.count(), mesh.skin.triangles.size());
}

TEST(MeshSkin, EmbedsVerticesWhereTheyAreInTheOrderOfNodes) {
  for (SolidMesh mesh : {block(3), tetrahedra(corners, {0, 1, 2, 3, 1, 2, 3, 4})}) {
    fill_skin(mesh, "mesh");
    ASSERT_EQ(mesh.embedded.size(), mesh.skin.positions.size());
    std::size_t node = 0;
    for (std::size_t v = 0; v < mesh.embedded.size(); ++v) {
      EXPECT_LT(norm(embedded_position(mesh, mesh.embedded[v]) - mesh.skin.positions[v]), 1e-14) << v;
      while (node < mesh.positions.size() && !(mesh.positions[node] == mesh.skin.positions[v])) ++node;
      EXPECT_LT(node, mesh.positions.size()) << "vertex " << v << " comes before one of a lower node";
    }
  }
}

TEST(MeshSkin, RefusesAFaceOfThreeCellsAndCellsInsideOthers) {
  const std::string three = refusal(tetrahedra(corners, {0, 1, 2, 3, 1, 2, 3, 4, 1, 2, 3, 6}));
  EXPECT_NE(three.find("a.msh: 3 cells share one face"), std::string::npos) << three;
  const std::string twice = refusal(tetrahedra(corners, {0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_NE(twice.find("cells 1 and 2"), std::string::npos) << twice;
  const std::string inside = refusal(tetrahedra(corners, {1, 2, 3, 4, 1, 2, 3, 6}));
  EXPECT_NE(inside.find("same side"), std::string::npos) << inside;
}

TEST(MeshSkin, KeepsBodiesApart) {
  SolidMesh mesh = tetrahedra(corners, {0, 1, 2, 3});
  for (const Vec3d& x : corners) mesh.positions.push_back(x + Vec3d{5, 0, 0});
  for (int k = 0; k < 4; ++k) mesh.cells.push_back(7 + k);
  fill_skin(mesh, "two");
  EXPECT_EQ(mesh.skin.positions.size(), 8u);
  EXPECT_NEAR(enclosed_volume(mesh.skin), 1.0 / 3, 1e-15);
  EXPECT_TRUE(closed(mesh.skin));
}

TEST(CellOrientation, TellsAndTurnsInvertedCells) {
  SolidMesh tetrahedron = tetrahedra(corners, {1, 0, 2, 3}), cube = block(1);
  EXPECT_EQ(orientation_of(cube, 0), CellOrientation::upright);
  std::swap_ranges(cube.cells.begin(), cube.cells.begin() + 4, cube.cells.begin() + 4);
  for (SolidMesh* mesh : {&tetrahedron, &cube}) {
    EXPECT_EQ(orientation_of(*mesh, 0), CellOrientation::inverted);
    turn(*mesh, 0);
    EXPECT_EQ(orientation_of(*mesh, 0), CellOrientation::upright);
  }
}

TEST(CellOrientation, TellsFlatCellsAtAnyScale) {
  for (const double scale : {1e-9, 1.0, 1e9}) {
    // det = h * scale^3, L^3 = 2 sqrt 2 scale^3: the limit is h = 2.8e-12.
    const auto flattened = [&](double h) {
      SolidMesh mesh = tetrahedra({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.2, 0.2, h}}, {0, 1, 2, 3});
      for (Vec3d& x : mesh.positions) x *= scale;
      return orientation_of(mesh, 0);
    };
    EXPECT_EQ(flattened(3e-12), CellOrientation::upright) << scale;
    EXPECT_EQ(flattened(-3e-12), CellOrientation::inverted) << scale;
    EXPECT_EQ(flattened(2.5e-12), CellOrientation::flat) << scale;
    EXPECT_EQ(flattened(0), CellOrientation::flat) << scale;
    SolidMesh cube = block(1);
    for (Vec3d& x : cube.positions) x = {x.x * scale, x.y * scale, 0};
    EXPECT_EQ(orientation_of(cube, 0), CellOrientation::flat) << scale;
  }
}

TEST(CellOrientation, TellsFoldedHexahedra) {
  SolidMesh cube = block(1);
  std::swap(cube.cells[0], cube.cells[1]);
  EXPECT_EQ(orientation_of(cube, 0), CellOrientation::folded);
}

}  // namespace
}  // namespace ymir
