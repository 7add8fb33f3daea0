// Collider shapes as signed distances: positive outside the solid, negative inside, gradient = outward unit normal.
//
//   plane   n . (x - point)                                            solid below
//   sphere  |x - center| - radius                                      solid inside, or outside if `container`
//   box     exact distance of an oriented box, edges rounded inwards   likewise
//
// Box after Quilez, "Distance functions" (iquilezles.org): q = |x_local| - (half_size - rounding),
// distance = |max(q, 0)| + min(max(q_x, q_y, q_z), 0) - rounding.
#pragma once

#include <cmath>
#include <cstdint>

#include "ymir/math/vec3.h"

namespace ymir {

struct DistanceSample {
  double distance = 0;    // [m]
  Vec3d normal{0, 1, 0};  // unit, away from the solid
};

struct PlaneShape {
  Vec3d point{0, 0, 0};   // [m]
  Vec3d normal{0, 1, 0};  // unit
};

struct SphereShape {
  Vec3d center{0, 0, 0};   // [m]
  double radius = 1;       // [m]
  bool container = false;  // hollow: points are kept inside
};

struct BoxShape {
  Vec3d center{0, 0, 0};                                    // [m]
  Vec3d half_size{0.5, 0.5, 0.5};                           // [m]
  Vec3d axis_x{1, 0, 0}, axis_y{0, 1, 0}, axis_z{0, 0, 1};  // orthonormal
  double rounding = 0;                                      // edge radius [m], at most the smallest half_size
  bool container = false;                                   // hollow: points are kept inside
};

enum class ShapeKind : std::uint8_t { plane, sphere, box };

struct ColliderShape {
  ShapeKind kind = ShapeKind::plane;
  PlaneShape plane;
  SphereShape sphere;
  BoxShape box;
};

YMIR_HD inline DistanceSample signed_distance(const PlaneShape& plane, Vec3d x) {
  return {dot(plane.normal, x - plane.point), plane.normal};
}

YMIR_HD inline DistanceSample signed_distance(const SphereShape& sphere, Vec3d x) {
  const Vec3d d = x - sphere.center;
  const double distance = norm(d) - sphere.radius;
  const Vec3d normal = normalized(d, Vec3d(0, 1, 0));
  return sphere.container ? DistanceSample{-distance, -normal} : DistanceSample{distance, normal};
}

YMIR_HD inline DistanceSample signed_distance(const BoxShape& box, Vec3d x) {
  const Vec3d d = x - box.center;
  const Vec3d local{dot(box.axis_x, d), dot(box.axis_y, d), dot(box.axis_z, d)};
  const Vec3d q{std::fabs(local.x) - box.half_size.x + box.rounding,
                std::fabs(local.y) - box.half_size.y + box.rounding,
                std::fabs(local.z) - box.half_size.z + box.rounding};
  const Vec3d outside = cwise_max(q, Vec3d(0, 0, 0));
  Vec3d direction;
  double distance = norm(outside);
  if (distance > 0) {
    direction = outside / distance;
  } else {
    distance = q.x > q.y ? (q.x > q.z ? q.x : q.z) : (q.y > q.z ? q.y : q.z);
    direction = distance == q.x ? Vec3d(1, 0, 0) : distance == q.y ? Vec3d(0, 1, 0) : Vec3d(0, 0, 1);
  }
  distance -= box.rounding;
  const Vec3d normal = box.axis_x * std::copysign(direction.x, local.x) +
                       box.axis_y * std::copysign(direction.y, local.y) +
                       box.axis_z * std::copysign(direction.z, local.z);
  return box.container ? DistanceSample{-distance, -normal} : DistanceSample{distance, normal};
}

YMIR_HD inline DistanceSample signed_distance(const ColliderShape& shape, Vec3d x) {
  switch (shape.kind) {
    case ShapeKind::sphere: return signed_distance(shape.sphere, x);
    case ShapeKind::box: return signed_distance(shape.box, x);
    case ShapeKind::plane: break;
  }
  return signed_distance(shape.plane, x);
}

}  // namespace ymir
