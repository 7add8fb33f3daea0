// Contacts with what is known by its distance: animated colliders, as shapes, signed distance grids or surfaces.
// [Lesser2022, 6.3, detection by signed distance]
//
// Asked at vertices of fibres, at the middles of their edges where an edge is longer than two voxels, at loose points
// and at vertices of meshes:  gap = phi(x) - r - thickness,  e = grad phi.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "ymir/data/moving_surface.h"
#include "ymir/math/rigid_motion.h"
#include "ymir/physics/contact/shapes.h"
#include "ymir/solids/detection/boundary.h"
#include "ymir/solids/detection/contact.h"

namespace ymir {

// The point of a collider that is nearest to a place when the substep begins.
struct ColliderPoint {
  double distance;  // signed [m]
  Vec3d normal;     // unit, outwards, as it will be when the substep ends
  Vec3d carried;    // its way in the substep [m]
};

struct ContactCollider {
  // From any thread. What is farther than `reach` may be answered by any larger distance.
  std::function<ColliderPoint(Vec3d x, double reach)> nearest;
  double voxel = 0;      // length below which it has no features [m]
  double travel = 0;     // bound on the way of its surface in the substep [m]
  double thickness = 0;  // kept free around it [m]
  bool swept = false;    // what would pass through it within the substep is found on its way (swept_contacts.h)
};

// Whether objects touch each other, or a collider; empty: all do.
struct ContactFilter {
  std::function<bool(std::int32_t object, std::int32_t other)> objects;
  std::function<bool(std::int32_t object, std::int32_t collider)> colliders;
};

// A distance in its own axes, which move rigidly from one pose to another. `size`: of the largest distance of its
// surface from the origin of these axes [m], for the bound on travel.
ContactCollider rigid_collider(std::function<DistanceSample(Vec3d)> distance, const RigidTransform& begin,
                               const RigidTransform& end, double size, double voxel);
// `depth` [m]: what lies deeper inside than that is not seen.
ContactCollider moving_collider(std::shared_ptr<const MovingSurface> surface, double depth);

// Contacts of one part of the vertices, in the order of places, then colliders. Places that are held are left out.
std::ptrdiff_t collider_parts(const Boundary& boundary);
void find_collider_contacts(const Boundary& boundary, std::span<const ContactCollider> colliders,
                            const ContactFilter& filter, std::ptrdiff_t part, std::vector<Contact>& contacts);

}  // namespace ymir
