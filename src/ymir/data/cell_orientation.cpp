#include "ymir/data/cell_orientation.h"

#include <algorithm>

#include "ymir/physics/elements/hexahedron.h"
#include "ymir/physics/elements/quadratic_tetrahedron.h"
#include "ymir/physics/elements/tetrahedron.h"

namespace ymir {
namespace {

constexpr double flattest = 1e-12;  // rounding alone gives as much

// `unit`: volume of the reference cell over that of the unit cell that L^3 stands for.
template <class Element>
CellOrientation orientation(const Vec3d* x, double unit) {
  double longest = 0;
  for (int a = 0; a < Element::nodes; ++a)
    for (int b = a + 1; b < Element::nodes; ++b) longest = std::max(longest, norm(x[b] - x[a]));
  const double least = flattest * longest * longest * longest;
  bool positive = false, negative = false;
  for (const QuadraturePoint& point : Element::quadrature) {
    Vec3d gradient[Element::nodes], column[3];
    Element::shape_gradient(point.at, gradient);
    for (int axis = 0; axis < 3; ++axis)
      for (int a = 0; a < Element::nodes; ++a) column[axis] += (x[a] - x[0]) * gradient[a][axis];
    const double det = unit * dot(column[0], cross(column[1], column[2]));
    if (!(std::abs(det) > least)) return CellOrientation::flat;
    (det > 0 ? positive : negative) = true;
  }
  if (positive && negative) return CellOrientation::folded;
  return negative ? CellOrientation::inverted : CellOrientation::upright;
}

}  // namespace

CellOrientation orientation_of(const SolidMesh& mesh, std::size_t cell) {
  const auto count = static_cast<std::size_t>(nodes_of(mesh.shape));
  Vec3d x[10];
  for (std::size_t a = 0; a < count; ++a) x[a] = mesh.positions[static_cast<std::size_t>(mesh.cells[cell * count + a])];
  switch (mesh.shape) {
    case CellShape::hexahedron: return orientation<Hexahedron>(x, 8);
    case CellShape::quadratic_tetrahedron: return orientation<QuadraticTetrahedron>(x, 1);
    case CellShape::tetrahedron: break;
  }
  return orientation<Tetrahedron>(x, 1);
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
