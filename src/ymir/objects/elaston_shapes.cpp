// Plants as attachments look at them.
#include <algorithm>

#include "ymir/math/polar3.h"
#include "ymir/objects/elaston_object.h"

namespace ymir {
namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace

std::vector<Vec3d> ElastonObject::rest_slots() const {
  std::vector<Vec3d> slots;
  for (const Vec3d& x : cloud_.nodes) slots.insert(slots.end(), {x, {unit(), 0, 0}, {0, unit(), 0}, {0, 0, unit()}});
  return slots;
}

std::vector<Vec3d> ElastonObject::skin_now() const {
  std::vector<Vec3d> positions;
  for (std::size_t v = 0; here_ && v < cloud_.skin.positions.size(); ++v)
    positions.push_back(skin_weights_.at(v, position_));
  return positions;
}

std::vector<PieceShape> ElastonObject::shapes_at(const std::vector<Vec3d>& skin) {
  std::vector<PieceShape> shapes(skin_pieces_.size());
  for (std::size_t p = 0; p < shapes.size(); ++p) {
    PieceShape& shape = shapes[p];
    shape.object = this;
    shape.piece = static_cast<std::int64_t>(p);
    std::vector<std::int32_t> number(skin.size(), -1);
    for (const std::int32_t t : skin_pieces_[p]) {
      std::array<std::int32_t, 3> triangle{};
      for (std::size_t k = 0; k < 3; ++k) {
        const std::int32_t v = cloud_.skin.triangles[at(t)][k];
        if (number[at(v)] < 0) {
          number[at(v)] = static_cast<std::int32_t>(shape.positions.size());
          shape.positions.push_back(skin[at(v)]);
          Vec3d corner{0, 0, 0};
          corner[static_cast<int>(k)] = 1;
          shape.points.push_back(on_skin(shape.piece, static_cast<std::int32_t>(shape.skin.triangles.size()), corner));
        }
        triangle[k] = number[at(v)];
      }
      shape.skin.triangles.push_back(triangle);
    }
    shape.skin.positions = shape.positions;
  }
  return shapes;
}

std::vector<PieceShape> ElastonObject::input_shapes() { return shapes_at(cloud_.skin.positions); }

std::vector<PieceShape> ElastonObject::present_shapes() {
  return here_ ? shapes_at(skin_now()) : std::vector<PieceShape>{};
}

MaterialPoint ElastonObject::on_skin(std::int64_t piece, std::int32_t triangle, Vec3d barycentric) {
  const auto& corners = cloud_.skin.triangles[at(skin_pieces_[static_cast<std::size_t>(piece)][at(triangle)])];
  Vec3d x{0, 0, 0};
  std::size_t most = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    x += cloud_.skin.positions[at(corners[k])] * barycentric[static_cast<int>(k)];
    if (barycentric[static_cast<int>(k)] > barycentric[static_cast<int>(most)]) most = k;
  }
  // From a node of its part to the nearest one, along the plant.
  std::int32_t node = cloud_.skin_nodes[at(corners[most])];
  for (std::int32_t before = -1; before != node;) {
    std::int32_t nodes[ElastonReach::few];
    reach_->nearest(node, x, nodes);
    before = node;
    node = nodes[0];
  }
  return {this, piece, node, x};
}

// Moving least squares over few nodes instead of all in reach: rigid motions are exact, so that forces and torques are
// handed on whole.
Embedding ElastonObject::embedded_at(const MaterialPoint& point, std::span<const Vec3d> slots,
                                     std::size_t first_node) const {
  std::int32_t nodes[ElastonReach::few];
  const auto count = static_cast<std::size_t>(reach_->nearest(point.cell, point.weights, nodes));
  Vec3d places[ElastonReach::few];
  for (std::size_t n = 0; n < count; ++n) places[n] = cloud_.nodes[at(nodes[n])];
  GmlsShape shapes[ElastonReach::few];
  gmls_shapes(std::span<const Vec3d>(places, count), point.weights, reach_->radius(),
              std::span<GmlsShape>(shapes, count));
  Embedding e;
  static_assert(12 * ElastonReach::few <= Embedding::max_dofs);
  e.dofs = static_cast<int>(12 * count);
  Mat3d gradient;
  for (std::size_t n = 0; n < count; ++n)
    for (std::size_t s = 0; s < 4; ++s) {
      const Vec3d q = slots[4 * (at(nodes[n]) - first_node) + s] / (s == 0 ? 1 : unit());
      e.position += q * shapes[n].value[s];
      gradient += outer(q, shapes[n].first[s]);
    }
  const Svd3<double> deformation = svd3(gradient);
  const Mat3d rotation = polar_rotation(deformation);
  for (int k = 0; k < 3; ++k) e.frame[k] = rotation.column[k];
  for (std::size_t n = 0; n < count; ++n)
    for (std::size_t s = 0; s < 4; ++s)
      for (int k = 0; k < 3; ++k) {
        Vec3d axis{0, 0, 0};
        axis[k] = 1 / (s == 0 ? 1 : unit());
        const std::size_t dof = 12 * n + 3 * s + static_cast<std::size_t>(k);
        e.shift[dof] = axis * shapes[n].value[s];
        e.turn[dof] = polar_spin(deformation, outer(axis, shapes[n].first[s]));
      }
  return e;
}

Embedding ElastonObject::point_of(const PieceShape&, const MaterialPoint& point) const {
  return embedded_at(point, position_.empty() ? rest_slots() : position_, 0);
}

}  // namespace ymir
