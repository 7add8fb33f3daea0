#include "ymir/actions/rigid_load.h"

#include <memory>

#include "ymir/objects/rigid_block.h"
#include "ymir/objects/steady_load.h"

namespace ymir {

void add_rigid_load(RigidObject& object, const std::string& owner, double share) {
  constexpr std::size_t count = MassPoints::count;
  auto borne = std::make_shared<std::vector<Vec3d>>();
  for (std::size_t b = 0; b < object.bodies().size(); ++b) {
    const RigidPose& pose = object.rest_poses()[b];
    const MassPoints points(object.bodies()[b], pose.position, pose.rotation, {0, 0, 0}, {0, 0, 0});
    const PointBlock block = points.block(static_cast<int>(b), 0, 1);
    std::vector<Vec3d> at;
    for (int i = 0; i < block.count; ++i) at.push_back(block.position[i]);
    for (const Vec3d& force : steady_load(object.forces(), at, block.mass, block.radius, block.bucket))
      borne->push_back(force * share);
  }
  PointForce force;
  force.owner = owner;
  force.what = "what bears constant forces";
  force.accumulate = [borne](const PointBlock& block, Planes<const Vec3d>::Type, const ForceBlock& out) {
    for (int i = 0; i < block.count; ++i) {
      const Vec3d& f = (*borne)[static_cast<std::size_t>(block.bucket) * count + static_cast<std::size_t>(i)];
      out.force.x[i] -= f.x, out.force.y[i] -= f.y, out.force.z[i] -= f.z;
    }
  };
  object.add_force(std::move(force));
}

}  // namespace ymir
