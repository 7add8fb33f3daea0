#include "ymir/actions/collider_contact.h"

#include <algorithm>
#include <cmath>

namespace ymir {
namespace {

// True when no point of the block can reach the collider: all start in one bucket, none moves farther than the longest.
template <class Solid>
bool out_of_reach(const Collider& collider, const Solid& solid, const PointBlock& start, Planes<Vec3d>::Type x) {
  const GridDomain& domain = start.particles->domain();
  const double edge = domain.bucket_size();
  const Vec3d center =
      domain.low_corner(start.particles->buckets().coord(start.bucket)) + Vec3d{edge, edge, edge} * 0.5;
  const Vec3d body_center = solid.to_body_at_start(center), end_center = solid.to_world_at_end(body_center);
  double reach = 0, radius = 0;
  for (int i = 0; i < start.count; ++i) {
    // Distance from the centre at start or end, whichever is farther: also right for points beyond the outermost
    // buckets.
    const Vec3d a = start.position[i] - center, b = x[i] - end_center;
    reach = std::max({reach, dot(a, a), dot(b, b)});
    radius = std::max(radius, start.radius[i]);
  }
  return collider.distance(body_center).distance > (std::sqrt(reach) * collider.lipschitz + radius) * (1 + 1e-9);
}

template <class Solid>
bool respond(const Collider& collider, const Solid& solid, const ContactMaterial& material, const PointBlock& start,
             Planes<Vec3d>::Type x, Planes<Vec3d>::Type v) {
  if (out_of_reach(collider, solid, start, x)) return false;
  const auto channel = [&](const std::optional<ParticleChannel<double>>& c) {
    return c ? start.particles->read(*c, start.bucket) + start.first : nullptr;
  };
  const double* restitution = channel(material.restitution_per_point);
  const double* friction = channel(material.friction_per_point);
  bool touched = false;
  for (int i = 0; i < start.count; ++i) {
    const ContactParams params{restitution != nullptr ? restitution[i] : material.restitution,
                               friction != nullptr ? friction[i] : material.friction, collider.lipschitz,
                               collider.smallest_feature};
    const ContactResult result = resolve_contact(collider.distance, params, start.radius[i], start.dt, solid,
                                                 {start.position[i], start.velocity[i]}, {x[i], v[i]});
    if (!result.touched) continue;
    touched = true;
    x.set(i, result.x);
    v.set(i, result.v);
  }
  return touched;
}

}  // namespace

PointContact collider_contact(std::string owner, Collider collider, const ContactMaterial& material) {
  PointContact contact;
  contact.owner = std::move(owner);
  contact.what = collider.pose ? "contact, moving" : "contact";
  contact.respond = [collider = std::move(collider), material](const PointBlock& start, Planes<Vec3d>::Type x,
                                                               Planes<Vec3d>::Type v) {
    if (!collider.pose) return respond(collider, StillSolid{}, material, start, x, v);
    const double end = start.time, begin = end - start.dt;
    const MovingSolid solid{collider.pose(begin - start.dt), collider.pose(begin), collider.pose(end), start.dt};
    return respond(collider, solid, material, start, x, v);
  };
  return contact;
}

}  // namespace ymir
