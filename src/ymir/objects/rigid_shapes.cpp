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
    shape.set_pose(poses[b].position, poses[b].rotation);
    shape.skin.positions = shape.positions;
    shape.skin.triangles = bodies_[b].triangles;
  }
  return shapes;
}

Embedding RigidObject::at_rest(const MaterialPoint& at) const {
  PieceShape shape;
  const RigidPose& pose = rest_[static_cast<std::size_t>(at.piece)];
  shape.set_pose(pose.position, pose.rotation);
  return point_of(shape, at);
}

std::vector<PieceShape> RigidObject::input_shapes() { return shapes_at(rest_); }
std::vector<PieceShape> RigidObject::present_shapes() { return shapes_at(poses_); }

Embedding RigidObject::point_of(const PieceShape& shape, const MaterialPoint& at) const {
  Embedding e;
  e.position =
      shape.origin + shape.axes[0] * at.weights.x + shape.axes[1] * at.weights.y + shape.axes[2] * at.weights.z;
  std::copy_n(shape.axes, 3, e.frame);
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
