// Axes of a contact: the normal e from b to a, t1 and t2 = e x t1 across it.
//
// On a fibre t1 is its tangent less the part along e: friction along and around the fibre keep their meaning as it
// slides. Elsewhere any t1 will do, and is carried along by parallel transport as e turns.
#pragma once

#include "ymir/physics/rods/frames.h"

namespace ymir {

namespace contact_frame {
constexpr double nearest = 1e-9;  // below, the difference of two points has no direction [m]
}

// From b to a; of points that coincide the direction of the contact before, else across both tangents (0: none).
inline Vec3d contact_normal(Vec3d difference, Vec3d before, Vec3d tangent_a, Vec3d tangent_b) {
  const double distance = norm(difference);
  if (distance >= contact_frame::nearest) return difference / distance;
  if (dot(before, before) > 0) return normalized(before);
  const Vec3d across = cross(tangent_a, tangent_b);
  const double size = norm(across);
  if (size > 1e-6 * norm(tangent_a) * norm(tangent_b)) return across / size;
  const Vec3d along = dot(tangent_a, tangent_a) > 0 ? tangent_a : tangent_b;
  return dot(along, along) > 0 ? any_normal(normalized(along)) : Vec3d{0, 1, 0};
}

// t1 of a fibre.
inline Vec3d tangent_along(Vec3d normal, Vec3d fibre) {
  const Vec3d across = fibre - normal * dot(fibre, normal);
  const double size = norm(across);
  // A fibre that points at what it touches.
  return size > 1e-6 * norm(fibre) ? across / size : any_normal(normal);
}

// t1 of the contact before, after its normal turned from `before` to `normal`.
inline Vec3d tangent_carried(Vec3d normal, Vec3d before, Vec3d t1) {
  return tangent_along(normal, transport(t1, before, normal));
}

}  // namespace ymir
