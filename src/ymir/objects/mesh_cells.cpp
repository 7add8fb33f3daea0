#include "ymir/objects/mesh_cells.h"

#include <algorithm>

#include "ymir/math/polar3.h"
#include "ymir/physics/elements/assemble_element.h"
#include "ymir/physics/elements/hexahedron.h"
#include "ymir/physics/elements/quadratic_tetrahedron.h"
#include "ymir/physics/elements/tetrahedron.h"
#include "ymir/physics/elements/triangle.h"

namespace ymir {
namespace {

template <class F>
auto with_solid(CellShape shape, F&& f) {
  switch (shape) {
    case CellShape::hexahedron: return f(Hexahedron{});
    case CellShape::quadratic_tetrahedron: return f(QuadraticTetrahedron{});
    default: return f(Tetrahedron{});
  }
}

template <class F>
auto with_element(CellShape shape, F&& f) {
  return shape == CellShape::triangle ? f(Triangle{}) : with_solid(shape, f);
}

template <class Element>
struct Corners {
  static constexpr auto count = static_cast<std::size_t>(Element::nodes);
  const std::int32_t* first;

  Corners(const SolidMesh& mesh, std::size_t cell) : first(mesh.cells.data() + count * cell) {}
  Vec3d of(const std::vector<Vec3d>& x, std::size_t a) const { return x[static_cast<std::size_t>(first[a])]; }
};

// A triangle has no deformation across it: its frame is that of its first edge and its normal.
//
//   e = x1 - x0, f = x2 - x0, t = e/|e|, n = e x f / |e x f|, b = n x t
//   spin = t x de/|e| + t n.(|e| df - (f.t) de)/|e x f|
Embedding embed_triangle(const SolidMesh& mesh, const CellPoint& at, const std::vector<Vec3d>& x) {
  constexpr double tiny = 1e-200;  // a triangle without area has no frame, but no NaN either
  const Corners<Triangle> cell(mesh, static_cast<std::size_t>(at.cell));
  double weight[3];
  Triangle::shape(at.at, weight);
  const Vec3d e = cell.of(x, 1) - cell.of(x, 0), f = cell.of(x, 2) - cell.of(x, 0), normal = cross(e, f);
  const double length = std::max(norm(e), tiny), area = std::max(norm(normal), tiny);
  const Vec3d t = e / length, n = normal / area;
  Embedding out;
  out.frame[0] = t;
  out.frame[1] = cross(n, t);
  out.frame[2] = n;
  out.dofs = 9;
  for (std::size_t a = 0; a < 3; ++a) {
    out.position += cell.of(x, a) * weight[a];
    const double of_e = a == 0 ? -1 : a == 1 ? 1 : 0, of_f = a == 0 ? -1 : a == 2 ? 1 : 0;
    for (int k = 0; k < 3; ++k) {
      Vec3d axis{0, 0, 0};
      axis[k] = 1;
      out.shift[3 * a + static_cast<std::size_t>(k)] = axis * weight[a];
      out.turn[3 * a + static_cast<std::size_t>(k)] =
          cross(t, axis) * (of_e / length) + t * (n[k] * (length * of_f - dot(f, t) * of_e) / area);
    }
  }
  return out;
}

// The polar factor of the deformation is the frame.
template <class Element>
Embedding embed(const SolidMesh& mesh, const CellPoint& at, const std::vector<Vec3d>& x) {
  using Cell = Corners<Element>;
  const Cell cell(mesh, static_cast<std::size_t>(at.cell));
  Vec3d nodes[Cell::count], local[Cell::count], gradient[Cell::count];
  double weight[Cell::count];
  Element::shape(at.at, weight);
  Element::shape_gradient(at.at, local);
  Mat3d jacobian;
  for (std::size_t a = 0; a < Cell::count; ++a) {
    nodes[a] = cell.of(x, a);
    jacobian += outer(cell.of(mesh.positions, a), local[a]);
  }
  const Mat3d inverse_transposed = cofactor(jacobian) * (1 / determinant(jacobian));
  for (std::size_t a = 0; a < Cell::count; ++a) gradient[a] = inverse_transposed * local[a];
  const Svd3<double> deformation = svd3(deformation_gradient<Element::nodes>(nodes, gradient));
  Embedding e;
  e.dofs = 3 * Element::nodes;
  for (std::size_t a = 0; a < Cell::count; ++a) {
    e.position += nodes[a] * weight[a];
    for (int k = 0; k < 3; ++k) {
      Vec3d axis{0, 0, 0};
      axis[k] = 1;
      e.shift[3 * a + static_cast<std::size_t>(k)] = axis * weight[a];
      e.turn[3 * a + static_cast<std::size_t>(k)] = polar_spin(deformation, outer(axis, gradient[a]));
    }
  }
  const Mat3d rotation = polar_rotation(deformation);
  for (int k = 0; k < 3; ++k) e.frame[k] = rotation.column[k];
  return e;
}

}  // namespace

std::vector<double> node_masses(const SolidMesh& mesh, std::span<const double> density) {
  std::vector<double> mass(mesh.positions.size(), 0);
  if (mesh.shape == CellShape::triangle) {
    for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
      const Corners<Triangle> cell(mesh, c);
      const Vec3d x0 = cell.of(mesh.positions, 0);
      const double area = 0.5 * norm(cross(cell.of(mesh.positions, 1) - x0, cell.of(mesh.positions, 2) - x0));
      for (std::size_t a = 0; a < 3; ++a)
        mass[static_cast<std::size_t>(cell.first[a])] += density[c] * mesh.fill[c] * mesh.thickness * area / 3;
    }
    return mass;
  }
  with_solid(mesh.shape, [&](auto element) {
    using Element = decltype(element);
    using Cell = Corners<Element>;
    for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
      const Cell cell(mesh, c);
      Vec3d rest[Cell::count];
      double volume[Cell::count];
      for (std::size_t a = 0; a < Cell::count; ++a) rest[a] = cell.of(mesh.positions, a);
      auto gradients = rest_gradients<Element, double>(rest);
      for (std::size_t q = 0; q < Element::points; ++q)
        gradients.weight[q] *= mesh.shares.empty() ? mesh.fill[c] : mesh.shares[Element::points * c + q];
      Element::lumped_volume(gradients.weight, volume);
      for (std::size_t a = 0; a < Cell::count; ++a)
        mass[static_cast<std::size_t>(cell.first[a])] += density[c] * volume[a];
    }
  });
  return mass;
}

double mean_edge(const SolidMesh& mesh) {
  const double sum = with_element(mesh.shape, [&](auto element) {
    using Cell = Corners<decltype(element)>;
    double edges = 0;
    for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
      const Cell cell(mesh, c);
      const Vec3d x0 = cell.of(mesh.positions, 0), x1 = cell.of(mesh.positions, 1), x2 = cell.of(mesh.positions, 2);
      edges += Cell::count == 3 ? (norm(x1 - x0) + norm(x2 - x1) + norm(x0 - x2)) / 3 : norm(x1 - x0);
    }
    return edges;
  });
  return sum / static_cast<double>(mesh.cell_count());
}

std::size_t crushed_cells(const SolidMesh& mesh, const std::vector<Vec3d>& x) {
  constexpr double least_volume = 0.01;
  if (mesh.shape == CellShape::triangle || x.empty()) return 0;
  return with_solid(mesh.shape, [&](auto element) {
    using Element = decltype(element);
    using Cell = Corners<Element>;
    const Vec3d middle = mesh.shape == CellShape::hexahedron ? Vec3d{0, 0, 0} : Vec3d{0.25, 0.25, 0.25};
    Vec3d gradient[Cell::count];
    Element::shape_gradient(middle, gradient);
    std::size_t crushed = 0;
    for (std::size_t c = 0; c < mesh.cell_count(); ++c) {
      const Cell cell(mesh, c);
      Mat3d rest, now;
      for (std::size_t a = 0; a < Cell::count; ++a) {
        rest += outer(cell.of(mesh.positions, a), gradient[a]);
        now += outer(cell.of(x, a), gradient[a]);
      }
      if (determinant(now) < least_volume * determinant(rest)) ++crushed;
    }
    return crushed;
  });
}

void weights_in(const SolidMesh& mesh, const CellPoint& at, double* weight) {
  with_element(mesh.shape, [&](auto element) { decltype(element)::shape(at.at, weight); });
}

Vec3d point_in(const SolidMesh& mesh, const CellPoint& at, const std::vector<Vec3d>& x) {
  return with_element(mesh.shape, [&](auto element) {
    using Element = decltype(element);
    using Cell = Corners<Element>;
    const Cell cell(mesh, static_cast<std::size_t>(at.cell));
    double weight[Cell::count];
    Element::shape(at.at, weight);
    Vec3d point{0, 0, 0};
    for (std::size_t a = 0; a < Cell::count; ++a) point += cell.of(x, a) * weight[a];
    return point;
  });
}

Embedding embedding_in(const SolidMesh& mesh, const CellPoint& at, const std::vector<Vec3d>& x) {
  if (mesh.shape == CellShape::triangle) return embed_triangle(mesh, at, x);
  return with_solid(mesh.shape, [&](auto element) { return embed<decltype(element)>(mesh, at, x); });
}

}  // namespace ymir
