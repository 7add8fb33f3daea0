// Surfaces embedded in volume meshes of every shape of cell: what is inside is where it was, what is outside goes
// along.
#include <gtest/gtest.h>

#include "ymir/data/embed_skin.h"
#include "ymir/data/mesh_skin.h"
#include "ymir/data/quadratic_mesh.h"
#include "ymir/physics/elements/hexahedron.h"
#include "ymir/physics/elements/quadratic_tetrahedron.h"
#include "ymir/physics/elements/tetrahedron.h"

namespace ymir {
namespace {

// Six tetrahedra around the diagonal of a skewed cube, or the cube itself, far from the origin.
SolidMesh cell_block(CellShape shape) {
  SolidMesh mesh;
  const Vec3d far{1000, -2000, 500};
  for (const Vec3d& c : Hexahedron::corner)
    mesh.positions.push_back(far + Vec3d{c.x + 0.2 * c.y, c.y, c.z - 0.1 * c.x});
  if (shape == CellShape::hexahedron) {
    mesh.shape = shape;
    mesh.positions[6] += Vec3d{0.3, 0.2, 0.1};
    mesh.cells = {0, 1, 2, 3, 4, 5, 6, 7};
  } else {
    mesh.cells = {0, 1, 2, 6, 0, 2, 3, 6, 0, 3, 7, 6, 0, 7, 4, 6, 0, 4, 5, 6, 0, 5, 1, 6};
  }
  mesh.fill.assign(mesh.cell_count(), 1);
  fill_skin(mesh, "block");
  if (shape != CellShape::quadratic_tetrahedron) return mesh;
  SolidMesh quadratic = quadratic_mesh(mesh, "block");
  quadratic.positions.back() += Vec3d{0.05, -0.02, 0.03};  // one edge is curved
  fill_skin(quadratic, "block");
  return quadratic;
}

Vec3d place_of(const SolidMesh& mesh, const CellPoint& at) {
  double weight[10];
  if (mesh.shape == CellShape::hexahedron)
    Hexahedron::shape(at.at, weight);
  else if (mesh.shape == CellShape::tetrahedron)
    Tetrahedron::shape(at.at, weight);
  else
    QuadraticTetrahedron::shape(at.at, weight);
  Vec3d x{0, 0, 0};
  const auto n = static_cast<std::size_t>(nodes_of(mesh.shape));
  for (std::size_t a = 0; a < n; ++a)
    x += mesh.positions[static_cast<std::size_t>(mesh.cells[n * static_cast<std::size_t>(at.cell) + a])] * weight[a];
  return x;
}

TEST(EmbedSkin, PutsVerticesWhereTheyAre) {
  for (const CellShape shape : {CellShape::tetrahedron, CellShape::hexahedron, CellShape::quadratic_tetrahedron}) {
    SolidMesh mesh = cell_block(shape);
    Surface skin;
    const Vec3d middle{1000, -2000, 500};
    for (const Vec3d& d : {Vec3d{0, 0, 0}, Vec3d{0.5, 0.3, -0.2}, Vec3d{-0.7, 0.6, 0.1}, Vec3d{0.1, -0.9, 0.8}})
      skin.positions.push_back(middle + d);
    skin.positions.push_back(middle + Vec3d{0, 1.5, 0});  // half a metre above the upper face
    skin.triangles = {{0, 1, 2}, {1, 2, 3}, {2, 3, 4}};
    const SkinFit fit = embed_skin(mesh, skin);
    EXPECT_EQ(fit.outside, 1u);
    EXPECT_EQ(fit.vertex, 4u);
    EXPECT_NEAR(fit.farthest, 0.5, 0.06);
    for (std::size_t v = 0; v < skin.positions.size(); ++v)
      EXPECT_LT(norm(place_of(mesh, mesh.embedded[v]) - skin.positions[v]), 1e-9)
          << static_cast<int>(shape) << " " << v;
  }
}

TEST(QuadraticMesh, HasTheNodesOfItsEdges) {
  const SolidMesh mesh = cell_block(CellShape::quadratic_tetrahedron);
  EXPECT_EQ(mesh.positions.size(), 8u + 19u);  // 12 edges of the cube, 6 diagonals of its faces, its own
  EXPECT_EQ(mesh.cell_count(), 6u);
  EXPECT_EQ(mesh.skin.triangles.size(), 48u);
  EXPECT_EQ(mesh.skin.positions.size(), 26u);
}

}  // namespace
}  // namespace ymir
