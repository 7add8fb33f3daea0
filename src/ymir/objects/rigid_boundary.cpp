// Rigid bodies as contacts see them: closed surfaces.
#include "ymir/objects/rigid_object.h"
#include "ymir/solids/detection/boundary.h"

namespace ymir {

void RigidObject::show_boundary(Boundary& boundary, std::int32_t object, double thickness, const PieceTraits& traits) {
  if (!here_) return;
  PieceTraits own = traits;
  own.solid = true;
  own.self_contact = false;
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    std::vector<Vec3d> positions;
    for (const Vec3d& p : bodies_[b].points) positions.push_back(poses_[b].position + rotate(poses_[b].rotation, p));
    boundary.add_mesh({object, static_cast<std::int64_t>(b)}, positions, bodies_[b].triangles, thickness, {}, own);
  }
}

void RigidObject::move_boundary(int block, int, double dt, std::span<BoundaryVertex> vertices) const {
  const auto b = static_cast<std::size_t>(block);
  const Vec3d spin = angular_velocity(b);
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const Vec3d arm = rotate(poses_[b].rotation, bodies_[b].points[v]);
    vertices[v].x = poses_[b].position + arm;
    vertices[v].way = (poses_[b].velocity + cross(spin, arm)) * dt;
  }
}

}  // namespace ymir
