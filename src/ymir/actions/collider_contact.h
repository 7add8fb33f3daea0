// Contact of points with one collider. [Lesser2022, 6.3, detection by signed distance]
#pragma once

#include <functional>
#include <optional>

#include "ymir/objects/point_block.h"
#include "ymir/physics/contact/point_contact.h"

namespace ymir {

struct Collider {
  std::function<DistanceSample(Vec3d)> distance;                      // signed, in the collider's frame [m]
  double lipschitz = 1;                                               // bound of its gradient
  double smallest_feature = std::numeric_limits<double>::infinity();  // [m]
  // Where that frame is at a time [s], from any thread; empty: in the world's, always.
  std::function<RigidTransform(double time)> pose{};
};

struct ContactMaterial {
  double restitution = 0;
  double friction = 0;
  // Channels of the points that override the values above.
  std::optional<ParticleChannel<double>> restitution_per_point, friction_per_point;
};

PointContact collider_contact(std::string owner, Collider collider, const ContactMaterial& material);

}  // namespace ymir
