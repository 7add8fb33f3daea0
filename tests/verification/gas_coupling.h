// Steps and sums of a gas with things in it.
#pragma once

#include "gas_run.h"
#include "ymir/objects/particle_object.h"

namespace ymir::verification {

// Everything of one step up to its pressure, in as many passes as the couplings ask for.
inline void newton_loop(GasRun& run, double dt) {
  Step step{1, 0, 0, 0, dt};
  for (const auto& object : run.simulation().objects()) object->save();
  run.simulation().timeline().run(Loop::substep_begin, step);
  for (step.iteration = 0; step.iteration < run.gas().passes(); ++step.iteration)
    run.simulation().timeline().run(Loop::newton, step);
}

inline Vec3d momentum_of(const ParticleObject& object) {
  Vec3d sum{0, 0, 0};
  object.visit_points([&](const PointBlock& b) {
    for (int i = 0; i < b.count; ++i) sum += Vec3d(b.velocity[i]) * b.mass[i];
  });
  return sum;
}

}  // namespace ymir::verification
