#include "ymir/data/embed_skin.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include "ymir/data/triangle_bvh.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/elements/reference_of.h"

namespace ymir {
namespace {

constexpr double rounding = 1e-9;         // of reference coordinates
constexpr double farthest_reference = 4;  // beyond, shape functions that are not linear say nothing

// Of a place in a cell of the mesh at rest.
template <class Element>
std::optional<Vec3d> reference_of(const SolidMesh& mesh, std::size_t cell, Vec3d x) {
  constexpr auto n = static_cast<std::size_t>(Element::nodes);
  Vec3d node[n], r;
  for (std::size_t a = 0; a < n; ++a) node[a] = mesh.positions[static_cast<std::size_t>(mesh.cells[n * cell + a])];
  if (!reference_of<Element>(node, x, r)) return std::nullopt;
  return r;
}

}  // namespace

// Cells by the cubes of a grid that their boxes touch.
class CellGrid {
 public:
  explicit CellGrid(const SolidMesh& mesh) {
    const auto n = static_cast<std::size_t>(nodes_of(mesh.shape));
    std::vector<Box> boxes(mesh.cell_count());
    for (std::size_t i = 0; i < mesh.cells.size(); ++i)
      boxes[i / n].include(mesh.positions[static_cast<std::size_t>(mesh.cells[i])]);
    for (Box& box : boxes) {  // curved faces bulge beyond their nodes
      const Vec3d room = box.size() * (mesh.shape == CellShape::quadratic_tetrahedron ? 0.25 : 1e-9);
      box.include(box.low - room);
      box.include(box.high + room);
      box_.include(box);
    }
    const Vec3d size = box_.size();
    edge_ = std::cbrt(size.x * size.y * size.z / static_cast<double>(boxes.size()));
    for (int k = 0; k < 3; ++k) count_[k] = std::clamp(static_cast<int>(size[k] / edge_), 1, 256);
    for (int k = 0; k < 3; ++k) step_[k] = size[k] / count_[k];
    std::vector<std::vector<std::int32_t>>& at = cells_;
    at.resize(static_cast<std::size_t>(count_.x) * static_cast<std::size_t>(count_.y) *
              static_cast<std::size_t>(count_.z));
    for (std::size_t c = 0; c < boxes.size(); ++c) {
      const Vec3i low = cube_of(boxes[c].low), high = cube_of(boxes[c].high);
      for (int z = low.z; z <= high.z; ++z)
        for (int y = low.y; y <= high.y; ++y)
          for (int x = low.x; x <= high.x; ++x) at[index({x, y, z})].push_back(static_cast<std::int32_t>(c));
    }
  }
  const std::vector<std::int32_t>& near(Vec3d x) const { return cells_[index(cube_of(x))]; }

 private:
  Vec3i cube_of(Vec3d x) const {
    Vec3i c;
    for (int k = 0; k < 3; ++k)
      c[k] = static_cast<int>(std::clamp(std::floor((x[k] - box_.low[k]) / step_[k]), 0.0, count_[k] - 1.0));
    return c;
  }
  std::size_t index(Vec3i c) const {
    return (static_cast<std::size_t>(c.z) * static_cast<std::size_t>(count_.y) + static_cast<std::size_t>(c.y)) *
               static_cast<std::size_t>(count_.x) +
           static_cast<std::size_t>(c.x);
  }
  Box box_;
  double edge_ = 0;
  Vec3d step_{0, 0, 0};
  Vec3i count_{1, 1, 1};
  std::vector<std::vector<std::int32_t>> cells_;
};

namespace {

template <class Element>
SkinFit embed(SolidMesh& mesh, Surface skin) {
  const CellGrid grid(mesh);
  const TriangleBvh boundary(mesh.skin);
  const std::size_t count = skin.positions.size();
  std::vector<CellPoint> embedded(count);
  std::vector<double> distance(count, 0);
  parallel_for(static_cast<std::ptrdiff_t>(count), [&](std::ptrdiff_t i) {
    const auto v = static_cast<std::size_t>(i);
    const Vec3d x = skin.positions[v];
    // The cell that it is least outside of; mostly the one that it is in.
    double least = std::numeric_limits<double>::infinity();
    const auto look = [&](std::int32_t c) {
      const auto r = reference_of<Element>(mesh, static_cast<std::size_t>(c), x);
      if (!r || !(outside(Element{}, *r) < least)) return;
      least = outside(Element{}, *r);
      embedded[v] = {c, *r};
    };
    for (const std::int32_t c : grid.near(x)) {
      look(c);
      if (least <= 0) return;
    }
    if (least <= rounding) return;
    const ClosestPoint closest = boundary.closest(x);
    distance[v] = closest.distance;
    least = std::numeric_limits<double>::infinity();
    const auto& triangle = mesh.skin.triangles[static_cast<std::size_t>(closest.triangle)];
    for (const std::int32_t corner : triangle) look(mesh.embedded[static_cast<std::size_t>(corner)].cell);
    if (least < farthest_reference) return;
    // Where the map of the cell cannot be continued so far it stays at the point of the boundary nearest to it.
    skin.positions[v] = closest.point;
    const std::int32_t c = mesh.embedded[static_cast<std::size_t>(triangle[0])].cell;
    embedded[v] = {
        c, reference_of<Element>(mesh, static_cast<std::size_t>(c), closest.point).value_or(middle_of(Element{}))};
  });
  SkinFit fit;
  for (std::size_t v = 0; v < count; ++v) {
    if (distance[v] > 0) ++fit.outside;
    if (distance[v] > fit.farthest) {
      fit.farthest = distance[v];
      fit.vertex = v;
    }
  }
  mesh.skin = std::move(skin);
  mesh.embedded = std::move(embedded);
  return fit;
}

template <class Element>
CellPoint nearest_cell(const SolidMesh& mesh, const std::array<std::int32_t, 3>& corners, Vec3d x,
                       const std::function<const CellGrid&()>& grid) {
  CellPoint best = mesh.embedded[static_cast<std::size_t>(corners[0])];
  double least = std::numeric_limits<double>::infinity();
  const auto try_cell = [&](std::int32_t cell) {
    const auto r = reference_of<Element>(mesh, static_cast<std::size_t>(cell), x);
    if (!r || !(outside(Element{}, *r) < least)) return;
    least = outside(Element{}, *r);
    best = {cell, *r};
  };
  for (const std::int32_t corner : corners) try_cell(mesh.embedded[static_cast<std::size_t>(corner)].cell);
  if (least <= rounding) return best;
  // The triangle is larger than a cell.
  for (const std::int32_t cell : grid().near(x)) try_cell(cell);
  return best;
}

}  // namespace

SkinLocator::SkinLocator(const SolidMesh& mesh) : mesh_(&mesh) {}
SkinLocator::~SkinLocator() = default;

CellPoint SkinLocator::point(std::int32_t triangle, Vec3d barycentric) {
  const auto& corners = mesh_->skin.triangles[static_cast<std::size_t>(triangle)];
  // The cells of cloth are the triangles of its skin.
  if (mesh_->shape == CellShape::triangle) return {triangle, {barycentric.y, barycentric.z, 0}};
  Vec3d x{0, 0, 0};
  for (std::size_t k = 0; k < 3; ++k)
    x += mesh_->skin.positions[static_cast<std::size_t>(corners[k])] * barycentric[static_cast<int>(k)];
  const auto grid = [&]() -> const CellGrid& {
    std::call_once(made_, [&] { grid_ = std::make_unique<CellGrid>(*mesh_); });
    return *grid_;
  };
  switch (mesh_->shape) {
    case CellShape::hexahedron: return nearest_cell<Hexahedron>(*mesh_, corners, x, grid);
    case CellShape::quadratic_tetrahedron: return nearest_cell<QuadraticTetrahedron>(*mesh_, corners, x, grid);
    default: return nearest_cell<Tetrahedron>(*mesh_, corners, x, grid);
  }
}

SkinFit embed_skin(SolidMesh& mesh, Surface skin) {
  switch (mesh.shape) {
    case CellShape::hexahedron: return embed<Hexahedron>(mesh, std::move(skin));
    case CellShape::quadratic_tetrahedron: return embed<QuadraticTetrahedron>(mesh, std::move(skin));
    default: return embed<Tetrahedron>(mesh, std::move(skin));
  }
}

}  // namespace ymir
