#include "ymir/data/cell_orientation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ymir/physics/elements/hexahedron.h"
#include "ymir/physics/elements/quadratic_tetrahedron.h"
#include "ymir/physics/elements/tetrahedron.h"

namespace ymir {
namespace {

constexpr double flattest = 1e-12;  // rounding alone gives as much

// det dx/dr at r.
template <class Element>
double determinant(const Vec3d* x, Vec3d r) {
  Vec3d gradient[Element::nodes], column[3];
  Element::shape_gradient(r, gradient);
  for (int axis = 0; axis < 3; ++axis)
    for (int a = 0; a < Element::nodes; ++a) column[axis] += (x[a] - x[0]) * gradient[a][axis];
  return dot(column[0], cross(column[1], column[2]));
}

template <class Element>
double least_determinant(const Vec3d* x) {
  double longest = 0;
  for (int a = 0; a < Element::nodes; ++a)
    for (int b = a + 1; b < Element::nodes; ++b) longest = std::max(longest, norm(x[b] - x[a]));
  return flattest * longest * longest * longest;
}

// `unit`: volume of the reference cell over that of the unit cell that L^3 stands for.
template <class Element>
CellOrientation orientation(const Vec3d* x, double unit) {
  const double least = least_determinant<Element>(x);
  bool positive = false, negative = false;
  for (const QuadraturePoint& point : Element::quadrature) {
    const double det = unit * determinant<Element>(x, point.at);
    if (!(std::abs(det) > least)) return CellOrientation::flat;
    (det > 0 ? positive : negative) = true;
  }
  if (positive && negative) return CellOrientation::folded;
  return negative ? CellOrientation::inverted : CellOrientation::upright;
}

template <class Element, std::size_t N>
bool folded_at(const Vec3d* x, double unit, const std::array<Vec3d, N>& corners) {
  const double least = least_determinant<Element>(x);
  return std::any_of(corners.begin(), corners.end(),
                     [&](Vec3d r) { return unit * determinant<Element>(x, r) < -least; });
}

using CellNodes = std::array<Vec3d, 10>;

CellNodes nodes_in(const SolidMesh& mesh, std::size_t cell) {
  const auto count = static_cast<std::size_t>(nodes_of(mesh.shape));
  CellNodes x;
  for (std::size_t a = 0; a < count; ++a) x[a] = mesh.positions[static_cast<std::size_t>(mesh.cells[cell * count + a])];
  return x;
}

}  // namespace

CellOrientation orientation_of(const SolidMesh& mesh, std::size_t cell) {
  const CellNodes x = nodes_in(mesh, cell);
  switch (mesh.shape) {
    case CellShape::hexahedron: return orientation<Hexahedron>(x.data(), 8);
    case CellShape::quadratic_tetrahedron: return orientation<QuadraticTetrahedron>(x.data(), 1);
    case CellShape::tetrahedron:
    case CellShape::triangle: break;
  }
  return orientation<Tetrahedron>(x.data(), 1);
}

bool folded_at_corner(const SolidMesh& mesh, std::size_t cell) {
  const CellNodes x = nodes_in(mesh, cell);
  switch (mesh.shape) {
    case CellShape::hexahedron: return folded_at<Hexahedron>(x.data(), 8, Hexahedron::corner);
    case CellShape::quadratic_tetrahedron:
      return folded_at<QuadraticTetrahedron>(x.data(), 1,
                                             std::array<Vec3d, 4>{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
    case CellShape::tetrahedron:
    case CellShape::triangle: break;
  }
  return false;  // it is the same everywhere
}

void turn(SolidMesh& mesh, std::size_t cell) {
  const auto first = mesh.cells.begin() + static_cast<std::ptrdiff_t>(cell) * nodes_of(mesh.shape);
  if (mesh.shape == CellShape::hexahedron) {
    std::swap_ranges(first, first + 4, first + 4);
    return;
  }
  std::iter_swap(first + 2, first + 3);
  if (mesh.shape == CellShape::quadratic_tetrahedron) {  // edges 1-2 and 1-3, 0-2 and 0-3
    std::iter_swap(first + 5, first + 8);
    std::iter_swap(first + 6, first + 7);
  }
}

}  // namespace ymir
