// Implicit penalty of a point that touches a solid, with friction that goes on from where the substep before left it: a
// body at rest does not creep.
//
//   depth d below the distance h kept free:  f_n = k d^2/(2h) for d < h, k (d - h/2) beyond        [N]
//   friction: a spring of stiffness s = stick k, stretched by slip = (moved + held/s) across the normal, its force at
//   most mu f_n; held: its force when the substep began
#pragma once

#include <cmath>

#include "ymir/math/vec3.h"

namespace ymir {

// Of the penalty on a mass m [kg] [N/m]: what moves it by one depth in a substep, so that a point is pushed out as fast
// as it came. Longer substeps than a frame of film would let bodies sink under their own weight.
YMIR_HD inline double penalty_stiffness(double factor, double mass, double dt) {
  constexpr double longest = 1.0 / 24;  // [s]
  const double interval = dt < longest ? dt : longest;
  return factor * mass / (interval * interval);
}

// h of a point that begins nearer than the distance kept free, and is kept where it begins [m]: with all of that
// distance the penalty would be so soft near 0 that the point sinks below the surface under its own weight.
YMIR_HD inline double grazing_depth(double kept, double begins) {
  constexpr double least = 5e-4;
  const double near = begins > least ? begins : least;
  return near < kept ? near : kept;
}

struct StickingPenalty {
  static constexpr double stick = 0.1;
  static constexpr double same_way = 0.9;  // cosine between directions of slip that counts as no change

  Vec3d gradient;           // dE/dx: against the force [N]
  Vec3d friction;           // of which against friction, to be held on to in the next substep [N]
  double normal_stiffness;  // along the normal [N/m]
  double hold;              // across it [N/m]
  double slack = 0;         // by which it is less the way it slides [N/m]
  Vec3d sliding{0, 0, 0};   // where to, a unit vector; 0 while it sticks

  // n: normal of the solid; moved: of the point relative to the solid since the substep began [m]; slid: `sliding` of
  // the iterate before.
  //
  // What slides pulls no harder when it slides farther. Where it has just begun to slide, or slides another way than
  // before, all of hold keeps Newton from going to and fro. That friction follows the depth is left out, it is not
  // symmetric.
  YMIR_HD StickingPenalty(double k, double h, double mu, double depth, Vec3d n, Vec3d moved, Vec3d held, Vec3d slid) {
    const bool grazing = depth < h;
    const double force = grazing ? k * depth * depth / (2 * h) : k * (depth - h / 2), spring = stick * k;
    const Vec3d slipped = moved + held / spring, slip = slipped - n * dot(slipped, n);
    const double length = norm(slip), limit = mu * force;
    const bool slides = length * spring > limit;
    hold = slides ? limit / length : spring;
    if (slides) sliding = slip / length;
    if (dot(sliding, slid) > same_way) slack = hold;
    normal_stiffness = grazing ? k * depth / h : k;
    friction = slip * hold;
    gradient = n * -force + friction;
  }
  // Of the stiffness, in the world.
  YMIR_HD double stiffness(Vec3d n, int r, int c) const {
    return (normal_stiffness - hold) * n[r] * n[c] - slack * sliding[r] * sliding[c] + (r == c ? hold : 0);
  }
};

}  // namespace ymir
