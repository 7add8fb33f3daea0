// The points of one bucket as Forces and contacts see them: planes of doubles that fit the cache.
//
// A Force acts on single points [Lesser2022, 6.2], so an object evaluates all its forces bucket by bucket and solves in
// the same pass; forces and derivatives never travel through memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ymir/data/particle_system.h"

namespace ymir {

struct PointBlock {
  const ParticleSystem* particles;  // nullptr: the points belong to another kind of object
  int bucket;                       // or group of strands
  int count;
  double time;                         // end of the substep [s]
  double dt;                           // [s]
  Planes<const Vec3d>::Type position;  // at the beginning of the substep [m]
  Planes<const Vec3d>::Type velocity;  // Newton iterate [m/s]
  const double* mass;                  // [kg]
  const double* radius;                // [m]
  int first = 0;                       // of these points in their bucket
  // Of points on strands: direction of the strand, and the length of it that the point stands for [m]; else nullptr.
  Planes<const Vec3d>::Type tangent{nullptr, nullptr, nullptr};
  const double* length = nullptr;
  // Of pieces of surfaces: `tangent` is their normal, and half the area that air touches [m^2]; else nullptr.
  const double* area = nullptr;
};

// Accumulated force [N] and derivative df/dv [kg/s].
struct ForceBlock {
  Planes<Vec3d>::Type force;
  SymmetricPlanes derivative;
  double* by_tangent = nullptr;  // 9 planes of the block's count, df_a/dt_b at [3 a + b] [N]; nullptr: not wanted
};

// How a force depends on the velocity of its point: decides how many Newton iterations it needs.
enum class Dependence : std::uint8_t { none, linear, nonlinear };

struct PointForce {
  std::string owner;  // path of the behavior
  std::string what;
  Dependence on_velocity = Dependence::none;
  bool steady = false;  // the same at all times: rest shapes may be adapted to it
  // Asked when a substep begins: whether the force on a point of a strand turns with the strand. It then gets tangents
  // of the Newton iterate, and adds its derivative by them; empty: no.
  std::function<bool()> on_tangent{};
  // Optional: a vector per point that depends on its position alone (a wind velocity), sampled once per substep.
  std::function<void(const PointBlock&, Planes<Vec3d>::Type sampled)> sample;
  std::function<void(const PointBlock&, Planes<const Vec3d>::Type sampled, const ForceBlock&)> accumulate;
};

// Response of points to one collider: from where and how fast they started to where and how fast they end.
struct PointContact {
  std::string owner;
  std::string what;
  // start: the points when the substep began; position and velocity: proposed, corrected in place. True: some touched.
  std::function<bool(const PointBlock& start, Planes<Vec3d>::Type position, Planes<Vec3d>::Type velocity)> respond;
};

// Flags points that leave the simulation; position and velocity are those at the end of the substep.
struct PointRemoval {
  std::string owner;
  std::string what;
  std::function<void(const PointBlock&, const double* age, const std::uint64_t* id, std::span<std::uint8_t> dead)> mark;
};

}  // namespace ymir
