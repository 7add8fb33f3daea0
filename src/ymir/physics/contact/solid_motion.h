// Where the frame of a collider is during a time step, as contact sees it. Velocities in body axes are relative to the
// material point X of the collider.
#pragma once

#include "ymir/math/rigid_motion.h"

namespace ymir {

struct StillSolid {
  YMIR_HD Vec3d to_body_at_start(Vec3d x) const { return x; }
  YMIR_HD Vec3d to_body_at_end(Vec3d x) const { return x; }
  YMIR_HD Vec3d to_world_at_end(Vec3d body) const { return body; }
  YMIR_HD Vec3d relative_at_start(Vec3d v, Vec3d) const { return v; }
  YMIR_HD Vec3d relative_at_end(Vec3d v, Vec3d) const { return v; }
  YMIR_HD Vec3d absolute_at_end(Vec3d w, Vec3d) const { return w; }
};

// Velocities of material points are displacements by time: over the step before for the velocity it starts with, over
// the step itself for the one it ends with. A point that rests on the collider has exactly the former from the step
// before, so it is at rest whatever the acceleration.
struct MovingSolid {
  RigidTransform before, start, end;  // body to world at t - dt, t and t + dt
  double dt = 0;                      // [s]

  YMIR_HD Vec3d to_body_at_start(Vec3d x) const { return start.to_body(x); }
  YMIR_HD Vec3d to_body_at_end(Vec3d x) const { return end.to_body(x); }
  YMIR_HD Vec3d to_world_at_end(Vec3d body) const { return end.to_world(body); }
  YMIR_HD Vec3d relative_at_start(Vec3d v, Vec3d body) const {
    return start.direction_to_body(v - (start.to_world(body) - before.to_world(body)) / dt);
  }
  YMIR_HD Vec3d relative_at_end(Vec3d v, Vec3d body) const { return end.direction_to_body(v - velocity(body)); }
  YMIR_HD Vec3d absolute_at_end(Vec3d w, Vec3d body) const { return end.direction_to_world(w) + velocity(body); }
  YMIR_HD Vec3d velocity(Vec3d body) const { return (end.to_world(body) - start.to_world(body)) / dt; }
};

}  // namespace ymir
