// Rigid bodies as attachments look at them.
#include "ymir/objects/rigid_object.h"

namespace ymir {

std::vector<PieceShape> RigidObject::shapes_at(const std::vector<RigidPose>& poses) {
  std::vector<PieceShape> shapes(poses.size());
  for (std::size_t b = 0; b < poses.size(); ++b) {
    PieceShape& shape = shapes[b];
    shape.object = this;
    shape.piece = static_cast<std::int64_t>(b);
    for (const Vec3d& at : bodies_[b].points) {
      shape.positions.push_back(poses[b].position + rotate(poses[b].rotation, at));
      shape.points.push_back({this, shape.piece, 0, at});
    }
    shape.skin.positions = shape.positions;
    shape.skin.triangles = bodies_[b].triangles;
  }
  return shapes;
}

std::vector<PieceShape> RigidObject::input_shapes() { return shapes_at(rest_); }
std::vector<PieceShape> RigidObject::present_shapes() { return shapes_at(poses_); }

Embedding RigidObject::point_of(const PieceShape&, const MaterialPoint& at) const {
  const RigidPose& pose = (poses_.empty() ? rest_ : poses_)[static_cast<std::size_t>(at.piece)];
  Embedding e;
  e.position = pose.position + rotate(pose.rotation, at.weights);
  for (int k = 0; k < 3; ++k) {
    Vec3d axis{0, 0, 0};
    axis[k] = 1;
    e.frame[k] = rotate(pose.rotation, axis);
  }
  return e;
}

MaterialPoint RigidObject::on_skin(std::int64_t piece, std::int32_t triangle, Vec3d barycentric) {
  const RigidBody& body = bodies_[static_cast<std::size_t>(piece)];
  Vec3d x{0, 0, 0};
  for (std::size_t k = 0; k < 3; ++k)
    x += body.points[static_cast<std::size_t>(body.triangles[static_cast<std::size_t>(triangle)][k])] *
         barycentric[static_cast<int>(k)];
  return {this, piece, 0, x};
}

}  // namespace ymir
