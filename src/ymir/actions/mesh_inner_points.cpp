#include <algorithm>
#include <array>
#include <cmath>

#include "ymir/actions/cell_points.h"
#include "ymir/actions/inner_points.h"
#include "ymir/data/mesh_values.h"
#include "ymir/physics/elements/hexahedron.h"

namespace ymir {
namespace {

constexpr double most_points = 1e5;

using Tetrahedron = std::array<Vec3d, 4>;

// Into eight of equal volume: one at each corner, four of the octahedron between them.
void refine(const Tetrahedron& t, int levels, std::vector<Tetrahedron>& to) {
  if (levels == 0) {
    to.push_back(t);
    return;
  }
  const auto middle = [&](std::size_t a, std::size_t b) { return (t[a] + t[b]) * 0.5; };
  const Vec3d ab = middle(0, 1), ac = middle(0, 2), ad = middle(0, 3), bc = middle(1, 2), bd = middle(1, 3),
              cd = middle(2, 3);
  for (const Tetrahedron& child : {Tetrahedron{t[0], ab, ac, ad},
                                   {ab, t[1], bc, bd},
                                   {ac, bc, t[2], cd},
                                   {ad, bd, cd, t[3]},
                                   {ab, cd, ac, ad},
                                   {ab, cd, ad, bd},
                                   {ab, cd, bd, bc},
                                   {ab, cd, bc, ac}})
    refine(child, levels - 1, to);
}

// Points of a cell that stand for equal parts of it, `cuts` parts along an edge, in its reference coordinates.
std::vector<Vec3d> parts_of_cell(CellShape shape, int cuts) {
  std::vector<Vec3d> points;
  if (shape == CellShape::hexahedron) {
    const auto at = [&](int i) { return (2 * i + 1.0) / cuts - 1; };
    for (int k = 0; k < cuts; ++k)
      for (int j = 0; j < cuts; ++j)
        for (int i = 0; i < cuts; ++i) points.emplace_back(at(i), at(j), at(k));
    return points;
  }
  std::vector<Tetrahedron> parts;
  refine({Vec3d{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, static_cast<int>(std::ceil(std::log2(cuts))), parts);
  for (const Tetrahedron& t : parts) points.push_back((t[0] + t[1] + t[2] + t[3]) * 0.25);
  return points;
}

// Of the polyhedron of its corners [m^3].
double volume_of_cell(const SolidMesh& mesh, std::size_t cell, const std::vector<Vec3d>& x) {
  const auto each = static_cast<std::size_t>(nodes_of(mesh.shape));
  const auto corner = [&](std::size_t a) { return x[static_cast<std::size_t>(mesh.cells[each * cell + a])]; };
  const auto volume = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    return dot(cross(corner(b) - corner(a), corner(c) - corner(a)), corner(d) - corner(a)) / 6;
  };
  if (mesh.shape != CellShape::hexahedron) return volume(0, 1, 2, 3);
  // About its long diagonal.
  double sum = 0;
  constexpr std::array<std::size_t, 7> around{1, 2, 3, 7, 4, 5, 1};
  for (std::size_t k = 0; k + 1 < around.size(); ++k) sum += volume(0, around[k], around[k + 1], 6);
  return sum;
}

// Of what is solid in its cell, for each point: where its quadrature points say that it is.
std::vector<double> parts_of_points(const SolidMesh& mesh, const std::vector<CellPoint>& points, std::size_t per_cell) {
  std::vector<double> parts(points.size(), 1 / static_cast<double>(per_cell));
  if (mesh.shares.empty()) return parts;
  for (std::size_t first = 0; first < points.size(); first += per_cell) {
    double sum = 0;
    for (std::size_t i = first; i < first + per_cell; ++i) {
      double here = 0;
      for (std::size_t q = 0; q < Hexahedron::points; ++q) {
        const Vec3d p = Hexahedron::quadrature[q].at * 3, r = points[i].at;
        here += mesh.shares[Hexahedron::points * static_cast<std::size_t>(points[i].cell) + q] * (1 + r.x * p.x) *
                (1 + r.y * p.y) * (1 + r.z * p.z);
      }
      sum += parts[i] = std::max(here, 0.0);
    }
    for (std::size_t i = first; i < first + per_cell; ++i) parts[i] /= sum;
  }
  return parts;
}

class MeshInnerPoints final : public CellPoints {
 public:
  MeshInnerPoints(MeshObject& object, std::string owner, std::string what, const std::vector<CellPoint>& points)
      : CellPoints(object, std::move(owner), std::move(what), points, PanelPlanes::Of::inside) {
    const SolidMesh& mesh = object.mesh();
    const std::size_t cells = mesh.cell_count(), per_cell = points.size() / cells;
    const auto density =
        cell_values(mesh, "density").value_or(std::vector<double>(cells, object.description().density));
    // Of the nodes, which know curved cells too.
    double whole = 0, mass = 0, rest_volume = 0, rest_mass = 0;
    for (const double v : object.volume()) whole += v;
    for (const double m : object.mass()) mass += m;
    const std::vector<double> parts = parts_of_points(mesh, points, per_cell);
    for (std::size_t c = 0; c < cells; ++c) {
      const double rest = volume_of_cell(mesh, c, mesh.positions) * mesh.fill[c];
      rest_volume += rest;
      rest_mass += rest * density[c];
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      cell_.push_back(static_cast<std::size_t>(points[i].cell));
      const double rest = volume_of_cell(mesh, cell_[i], mesh.positions) * mesh.fill[cell_[i]];
      share_.push_back(mesh.fill[cell_[i]] * parts[i] * whole / rest_volume);
      planes_.set_mass(i, rest * parts[i] * density[cell_[i]] * mass / rest_mass);
    }
  }

 private:
  void place(PanelPlanes& planes, const std::vector<Vec3d>& nodes) const override {
    std::vector<double> volume;
    for (std::size_t c = 0; c < object_->mesh().cell_count(); ++c)
      volume.push_back(std::max(volume_of_cell(object_->mesh(), c, nodes), 0.0));
    for (std::size_t i = 0; i < count(); ++i) planes.place_ball(i, point(i, nodes), volume[cell_[i]] * share_[i]);
  }

  std::vector<double> share_;      // of its cell's volume, for each point
  std::vector<std::size_t> cell_;  // of each point
};

}  // namespace

ForceTarget& add_inner_points(MeshObject& object, const std::string& owner, const std::string& what, double longest) {
  const SolidMesh& mesh = object.mesh();
  const auto cells = static_cast<double>(mesh.cell_count());
  const double wanted = std::ceil(mean_edge(mesh) / longest * (1 - 1e-9)),
               possible = std::floor(std::cbrt(most_points / cells));
  const std::vector<Vec3d> parts = parts_of_cell(mesh.shape, std::max(1, static_cast<int>(std::min(wanted, possible))));
  std::vector<CellPoint> points;
  for (std::size_t c = 0; c < mesh.cell_count(); ++c)
    for (const Vec3d& at : parts) points.push_back({static_cast<std::int32_t>(c), at});
  auto added = std::make_unique<MeshInnerPoints>(object, owner, what, points);
  ForceTarget& target = *added;
  object.add_constraint(std::move(added));
  return target;
}

}  // namespace ymir
