#include "ymir/solids/detection/rest_distance.h"

#include <bit>
#include <limits>
#include <numeric>

#include "ymir/base/check.h"
#include "ymir/physics/contact/contact_frame.h"
#include "ymir/physics/elements/reference_of.h"

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// visit(element) of all whose boxes overlap this one.
template <class Visit>
void for_overlaps(const BoxTree& tree, int level, std::int32_t node, const BoxTree::Bounds& box, const Visit& visit) {
  for (unsigned lanes = BoxTree::overlaps(tree.block(level, node), box); lanes != 0; lanes &= lanes - 1) {
    const std::int32_t child = node * BoxTree::width + std::countr_zero(lanes);
    if (level > 0)
      for_overlaps(tree, level - 1, child, box, visit);
    else
      visit(tree.element(child));
  }
}

BoxTree::Bounds around(Vec3d x, double room) {
  BoxTree::Bounds box;
  for (int k = 0; k < 3; ++k) {
    const double rounding = 0x1p-22 * std::abs(x[k]);
    box.low[k] = static_cast<float>(x[k] - room - rounding);
    box.high[k] = static_cast<float>(x[k] + room + rounding);
  }
  return box;
}

template <class Element>
void nodes_of_cell(const SolidMesh& mesh, std::span<const Vec3d> nodes, std::int32_t cell,
                   Vec3d (&node)[Element::nodes]) {
  for (std::size_t a = 0; a < Element::nodes; ++a) node[a] = nodes[at(mesh.cells[Element::nodes * at(cell) + a])];
}

template <class Element>
Vec3d place_in(const SolidMesh& mesh, const CellPoint& p, std::span<const Vec3d> nodes) {
  double weight[Element::nodes];
  Vec3d node[Element::nodes], x{0, 0, 0};
  Element::shape(p.at, weight);
  nodes_of_cell<Element>(mesh, nodes, p.cell, node);
  for (int a = 0; a < Element::nodes; ++a) x += node[a] * weight[a];
  return x;
}

}  // namespace

RestDistance::RestDistance(const SolidMesh& mesh, std::shared_ptr<const SignedDistanceGrid> rest)
    : mesh_(&mesh), rest_(std::move(rest)), cells_(mesh.cell_count()), now_(mesh.positions) {
  YMIR_CHECK(mesh.shape != CellShape::triangle && !cells_.empty());
  std::iota(cells_.begin(), cells_.end(), 0);
  origin_ = mesh.positions[0];
  fit(rest_tree_, mesh.positions);
  fit(tree_, now_);
}

void RestDistance::fit(BoxTree& tree, std::span<const Vec3d> nodes) const {
  const auto n = static_cast<std::size_t>(nodes_of(mesh_->shape));
  const auto box = [&](std::int32_t cell) {
    Box b;
    for (std::size_t a = 0; a < n; ++a) b.include(nodes[at(mesh_->cells[n * at(cell) + a])]);
    // Curved faces bulge beyond their nodes.
    const Vec3d room = b.size() * (mesh_->shape == CellShape::quadratic_tetrahedron ? 0.25 : 0);
    return Box{b.low - room, b.high + room};
  };
  const auto fit_boxes = [&] { tree.fit(origin_, [&](std::int32_t cell, std::int32_t) { return box(cell); }); };
  const auto order = [&] { tree.order(cells_, [&](std::int32_t cell) { return box(cell).center(); }); };
  if (tree.size() == 0) order();
  fit_boxes();
  if (!tree.spread_out()) return;
  order();
  fit_boxes();
}

void RestDistance::fit(std::span<const Vec3d> nodes) {
  YMIR_CHECK(nodes.size() == now_.size());
  std::copy(nodes.begin(), nodes.end(), now_.begin());
  fit(tree_, now_);
}

template <class Element>
std::optional<CellPoint> RestDistance::cell_of(const BoxTree& tree, std::span<const Vec3d> nodes, Vec3d x, double most,
                                               double room) const {
  std::optional<CellPoint> best;
  double least = std::numeric_limits<double>::infinity();
  for_overlaps(tree, tree.top(), 0, around(x - origin_, room), [&](std::int32_t cell) {
    Vec3d node[Element::nodes], r;
    nodes_of_cell<Element>(*mesh_, nodes, cell, node);
    if (!reference_of<Element>(node, x, r)) return;
    // All cells that it is in are as good as each other: the first.
    const double off = std::max(outside(Element{}, r), 0.0);
    if (off > most || off > least || (off == least && best && best->cell < cell)) return;
    least = off;
    best = CellPoint{cell, r};
  });
  return best;
}

std::optional<CellPoint> RestDistance::cell_of(const BoxTree& tree, std::span<const Vec3d> nodes, Vec3d x, double most,
                                               double room) const {
  switch (mesh_->shape) {
    case CellShape::hexahedron: return cell_of<Hexahedron>(tree, nodes, x, most, room);
    case CellShape::quadratic_tetrahedron: return cell_of<QuadraticTetrahedron>(tree, nodes, x, most, room);
    default: return cell_of<Tetrahedron>(tree, nodes, x, most, room);
  }
}

Vec3d RestDistance::place(const CellPoint& point, std::span<const Vec3d> nodes) const {
  switch (mesh_->shape) {
    case CellShape::hexahedron: return place_in<Hexahedron>(*mesh_, point, nodes);
    case CellShape::quadratic_tetrahedron: return place_in<QuadraticTetrahedron>(*mesh_, point, nodes);
    default: return place_in<Tetrahedron>(*mesh_, point, nodes);
  }
}

std::optional<RestHit> RestDistance::find(Vec3d x) const {
  constexpr double rounding = 1e-9;  // of reference coordinates
  const auto inside = cell_of(tree_, now_, x, rounding, 0);
  if (!inside) return std::nullopt;
  const Vec3d rest = place(*inside, mesh_->positions);
  const DistanceSample sample = rest_->sample(rest);
  if (!(sample.distance < 0)) return std::nullopt;
  // The grid may say that the surface is a little outside of the cells: their map goes on there.
  const Vec3d out = rest - sample.normal * sample.distance;
  const auto surface = cell_of(rest_tree_, mesh_->positions, out, 1, rest_->voxel());
  if (!surface) return std::nullopt;
  RestHit hit{*inside, *surface, place(*surface, now_), sample.normal, 0};
  const double depth = norm(hit.nearest - x);
  hit.distance = -depth;
  if (depth >= contact_frame::nearest) hit.normal = (hit.nearest - x) / depth;
  return hit;
}

}  // namespace ymir
