// Locking of solid elements: tip deflection of a cantilever of 8 x 1 x 1 next to Timoshenko's beam, by the work of the
// load, against the figures measured for other code. [method notes, solids 3.3]
#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <cmath>

#include "solid_meshes.h"

namespace ymir {
namespace {

constexpr double length = 8;

// Nodal forces of a unit shear load along z, uniform over the end face.
template <class Element>
Eigen::VectorXd end_load(const SolidMesh<Element>& mesh) {
  Eigen::VectorXd f = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * mesh.rest.size()));
  const auto on_end = [&](int node) { return mesh.rest[static_cast<std::size_t>(node)].x > length - 1e-9; };
  if constexpr (std::is_same_v<Element, QuadraticTetrahedron>) {
    // Integrals of the shape functions over a face: nothing at corners, a third of the area at each middle.
    const int faces[4][6] = {{0, 1, 2, 4, 5, 6}, {0, 1, 3, 4, 8, 7}, {1, 2, 3, 5, 9, 8}, {0, 2, 3, 6, 9, 7}};
    for (const auto& cell : mesh.cells)
      for (const auto& face : faces) {
        const auto node = [&](int k) { return cell[static_cast<std::size_t>(face[k])]; };
        const auto at = [&](int k) { return mesh.rest[static_cast<std::size_t>(node(k))]; };
        if (!on_end(node(0)) || !on_end(node(1)) || !on_end(node(2))) continue;
        const double area = norm(cross(at(1) - at(0), at(2) - at(0))) / 2;
        for (int k = 3; k < 6; ++k) f(3 * node(k) + 2) += area / 3;
      }
  } else {
    for (std::size_t i = 0; i < mesh.rest.size(); ++i) {
      if (!on_end(static_cast<int>(i))) continue;
      const auto side = [](double y) { return y < 1e-9 || y > 1 - 1e-9 ? 0.5 : 1.0; };
      f(3 * static_cast<Eigen::Index>(i) + 2) = side(mesh.rest[i].y) * side(mesh.rest[i].z);
    }
  }
  return f / f.sum();
}

template <class Element>
double deflection(const SolidMesh<Element>& mesh, double poisson, Pressure pressure = Pressure::at_points) {
  std::vector<int> free;
  for (std::size_t i = 0; i < mesh.rest.size(); ++i)
    for (int c = 0; c < 3; ++c)
      if (mesh.rest[i].x > 1e-9) free.push_back(3 * static_cast<int>(i) + c);
  Eigen::VectorXd residual;
  const auto matrix = restricted(assemble_mesh(mesh, mesh.rest, lame(1.0, poisson), pressure, residual), free);
  EXPECT_LT(residual.cwiseAbs().maxCoeff(), 1e-13);
  const Eigen::VectorXd whole = end_load(mesh);
  Eigen::VectorXd load(matrix.rows());
  for (std::size_t i = 0; i < free.size(); ++i) load(static_cast<Eigen::Index>(i)) = whole(free[i]);
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> ldl(matrix);
  EXPECT_EQ(ldl.info(), Eigen::Success);
  const double inertia = 1.0 / 12, shear = 1 / (2 * (1 + poisson));
  const double timoshenko = length * length * length / (3 * inertia) + length / (5.0 / 6 * shear);
  return load.dot(ldl.solve(load)) / timoshenko;
}

BoxGrid beam(int n) { return {{8 * n, n, n}, {length, 1, 1}}; }

void expect_ratios(const char* name, const auto& deflection_of, const double (&at_30)[2], const double (&at_49)[2]) {
  for (int n = 1; n <= 2; ++n) {
    EXPECT_NEAR(deflection_of(n, 0.3), at_30[n - 1], 0.002) << name << " nu .3 n " << n;
    EXPECT_NEAR(deflection_of(n, 0.49), at_49[n - 1], 0.002) << name << " nu .49 n " << n;
  }
}

TEST(Locking, LinearTetrahedraLockMostInTheKuhnSplit) {
  expect_ratios("kuhn", [](int n, double poisson) { return deflection(tetrahedra(beam(n), Split::kuhn), poisson); },
                {.222, .504}, {.041, .108});
  expect_ratios("five", [](int n, double poisson) { return deflection(tetrahedra(beam(n), Split::five), poisson); },
                {.353, .669}, {.299, .586});
}

TEST(Locking, OnePressurePerHexahedronCuresTheVolume) {
  expect_ratios("Q1", [](int n, double poisson) { return deflection(hexahedra(beam(n)), poisson); }, {.641, .866},
                {.385, .596});
  expect_ratios("Q1P0", [](int n, double poisson) { return deflection(hexahedra(beam(n)), poisson, Pressure::mean); },
                {.863, .934}, {.987, .915});
}

TEST(Locking, QuadraticTetrahedraBendFreely) {
  expect_ratios("P2",
                [](int n, double poisson) { return deflection(quadratic(tetrahedra(beam(n), Split::five)), poisson); },
                {.971, .986}, {.867, .943});
}

}  // namespace
}  // namespace ymir
