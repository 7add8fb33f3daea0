// Contact of points with one collider. [Lesser2022, 6.3, detection by signed distance]
#pragma once

#include <functional>
#include <optional>

#include "ymir/objects/point_block.h"
#include "ymir/physics/contact/point_contact.h"

namespace ymir {

struct Collider {
  std::function<DistanceSample(Vec3d)> distance;                      // signed [m]
  double lipschitz = 1;                                               // bound of its gradient
  double smallest_feature = std::numeric_limits<double>::infinity();  // [m]
};

struct ContactMaterial {
  double restitution = 0;
  double friction = 0;
  // Channels of the points that override the values above.
  std::optional<ParticleChannel<double>> restitution_per_point, friction_per_point;
};

PointContact collider_contact(std::string owner, Collider collider, const ContactMaterial& material);

}  // namespace ymir
