// Contact of one point (a small sphere) with one collider over one time step: impact, resting contact and friction.
//
// The caller has solved for the velocity v at the end of the step and proposes x = xn + dt v. In the frame of the
// collider (w = v - vc), with n the normal at the first touch of the path xn -> x:
//
//   normal       w_n' = e min(-wn_n, -w_n)+     Newton's impact law on wn = vn - vc, the velocity at the START of the
//                                               step, as in Moreau's time stepping: what gravity adds within a step is
//                                               no impact, so a resting point stays at rest. Bounded by -w_n.
//   tangential   |dw_t| <= mu dw_n              Coulomb on the impulses, dw_n = w_n' - w_n: sticks if that suffices
//   position     to the first touch with the proposed path, then on with w' for the rest of the step
//
//   e restitution [1], mu friction [1], vc velocity of the collider at the point [m/s]
//
// Neither rule can raise |w|. Further touches in the same step (inside a bowl, between features) are inelastic. The
// first touch is found by sphere tracing: steps as long as the distance says is free, so that no solid is stepped
// over at any speed. A point that starts inside is moved to the surface first; that changes its position only.
//
// Moving colliders: `phi` is the collider in its own frame (shapes.h), and all of the above happens there. The frame
// moves rigidly from one pose to another within the step, so vc at a material point is its displacement over dt: what
// sticks moves with the collider exactly, turning ones included. wn is taken against the displacement of the step
// before (MovingSolid): what the collider's own acceleration adds within a step is no impact either.
// Several colliders: apply one after the other in a fixed order, feeding each result to the next as the proposal with
// the same start, and repeat (2 or 3 passes) while any result says `touched`: the second collider may have pushed the
// point back into the first. No pass can add energy.
//
// Moreau, "Unilateral contact and dry friction in finite freedom dynamics" (1988); Hart, "Sphere tracing" (1996).
#pragma once

#include <cmath>
#include <limits>

#include "ymir/physics/contact/shapes.h"
#include "ymir/physics/contact/solid_motion.h"

namespace ymir {

struct ContactParams {
  double restitution = 0;  // [1], 0..1
  double friction = 0;     // [1]
  // Bound of |grad phi|: 1 for exact distances, sqrt(3) for trilinear interpolation of one.
  double lipschitz = 1;
  // Thinnest part of the solid that a path along its surface must not step over [m]: the voxel of a sampled distance.
  // Convex shapes and containers have none.
  double smallest_feature = std::numeric_limits<double>::infinity();
};

struct PointState {
  Vec3d x;  // [m]
  Vec3d v;  // [m/s]
};

struct ContactResult {
  Vec3d x;               // [m]
  Vec3d v;               // [m/s]
  bool touched = false;  // x or v differ from the proposal
};

namespace point_contact {

// Samples of phi per step. Simple shapes need 1 to 12; 256 let a path follow 100 features of a mesh. A longer one ends
// early, outside the solid.
inline constexpr int most_samples = 256;

// Speed normal to the surface that counts as none, relative to the speed: rounding of a velocity just made tangential.
inline constexpr double tangential = 1e-12;

struct Touch {
  bool found = false;
  double time = 0;  // [s] along the path
  Vec3d x;          // where the path ends or touches
  Vec3d normal;
};

// Smallest x + s n with phi >= radius, for a start inside: the distance itself where exact, a few steps where sampled.
template <class Distance>
YMIR_HD Vec3d push_out(const Distance& phi, double radius, double tolerance, Vec3d x, bool& moved) {
  for (int i = 0; i < 8; ++i) {
    const DistanceSample s = phi(x);
    const double gap = s.distance - radius;
    if (!(gap < -tolerance)) break;
    x -= s.normal * gap;
    moved = true;
  }
  return x;
}

// First approaching touch on x + s p, 0 <= s <= time; takes what it uses from `samples`.
template <class Distance>
YMIR_HD Touch trace(const Distance& phi, double lipschitz, double near, double radius, double tolerance, Vec3d x,
                    Vec3d p, double time, int& samples) {
  const double speed = norm(p);
  const double length = speed * time;
  Touch touch{false, time, x + p * time, {}};
  if (!(length > 0)) return touch;
  const Vec3d direction = p / speed;
  double s = 0;
  DistanceSample sample;
  for (; samples > 0; --samples) {
    touch.x = x + direction * s;
    sample = phi(touch.x);
    const double gap = sample.distance - radius;
    const double approach = -dot(direction, sample.normal);
    if (gap <= tolerance && approach > tangential) {
      bool moved = false;
      return {true, s / speed, push_out(phi, radius, 1e-3 * tolerance, touch.x, moved), sample.normal};
    }
    const double free = gap / lipschitz;
    if (s >= length || free >= length - s) return {false, time, x + p * time, {}};
    // Along a surface `free` alone would creep: go where the tangent plane is reached, but not farther than `near`.
    const double tangent = approach > tangential && gap < near * approach ? gap / approach : near;
    s += free > tangent ? free : tangent;
    if (s > length) s = length;
  }
  return touch;
}

// Velocity after a touch with normal n; `impact` is the approaching normal speed that restitution acts on [m/s].
YMIR_HD inline Vec3d respond(const ContactParams& params, Vec3d w, Vec3d n, double impact) {
  const double before = dot(w, n);
  if (!(before < 0)) return w;
  const double rebound = impact > 0 ? params.restitution * (impact < -before ? impact : -before) : 0;
  const Vec3d slip = w - n * before;
  const double slip_speed = norm(slip);
  const double most_friction = params.friction * (rebound - before);
  const double kept = slip_speed > most_friction ? 1 - most_friction / slip_speed : 0;
  return slip * kept + n * rebound;
}

}  // namespace point_contact

// `phi(Vec3d) -> DistanceSample` is the collider in its own frame; `solid` where that frame is (StillSolid,
// MovingSolid); `start` the point when the step begins; `proposed` its state at the end without this collider.
template <class Distance, class Solid>
YMIR_HD ContactResult resolve_contact(const Distance& phi, const ContactParams& params, double radius, double dt,
                                      const Solid& solid, const PointState& start, const PointState& proposed) {
  const Vec3d from = solid.to_body_at_start(start.x);
  Vec3d path = solid.to_body_at_end(proposed.x) - from;
  // Far from the collider: one sample settles it.
  const double length = norm(path);
  const double start_gap = phi(from).distance - radius;
  // Relative to the motion, but above the rounding of coordinates.
  const double tolerance = 1e-9 * (radius + length) + 1e-13 * (1 + norm(start.x) + norm(from));
  if (start_gap > length * params.lipschitz + tolerance) return {proposed.x, proposed.v, false};

  bool touched = false;
  Vec3d x = point_contact::push_out(phi, radius, tolerance, from, touched);
  path = path * (1 / dt);
  Vec3d v = proposed.v;
  Vec3d w;
  const double near = length / 4 < params.smallest_feature ? length / 4 : params.smallest_feature;
  double left = dt;
  bool first = true;  // one impact per step
  for (int samples = point_contact::most_samples; samples > 0 && left > 0; --samples) {
    const point_contact::Touch touch =
        point_contact::trace(phi, params.lipschitz, near, radius, tolerance, x, path, left, samples);
    touched = touched || touch.found || samples == 0;
    x = touch.x;
    if (!touch.found) break;
    if (first) w = solid.relative_at_end(v, x);
    const double impact = first ? -dot(solid.relative_at_start(start.v, x), touch.normal) : 0;
    w = point_contact::respond(params, w, touch.normal, impact);
    v = solid.absolute_at_end(w, x);
    first = false;
    left -= touch.time;
    path = w;
  }
  if (!touched) return {proposed.x, proposed.v, false};
  return {solid.to_world_at_end(x), v, true};
}

// A collider that translates at a constant velocity; `phi` is the collider at the start of the step.
template <class Distance>
YMIR_HD ContactResult resolve_contact(const Distance& phi, const ContactParams& params, double radius, double dt,
                                      Vec3d collider_velocity, const PointState& start, const PointState& proposed) {
  const Vec3d moved_by = collider_velocity * dt;
  return resolve_contact(phi, params, radius, dt, MovingSolid{{{}, -moved_by}, {}, {{}, moved_by}, dt}, start,
                         proposed);
}

}  // namespace ymir
