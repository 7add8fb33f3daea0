// Contact of strands with a collider by implicit penalty: one of the two responses of the paper. [Lesser2022, 6.3,
// Collision Constraint]
//
//   E = k/2 (c - phi(x))^2 where phi < c;  friction: a spring on the slip of the substep, capped at mu times the normal
//   force
//
// c, the clearance of a vertex, is the radius, or what the groom has at the beginning if that is less: hair that starts
// inside a solid is not pushed out of it.
#pragma once

#include "ymir/actions/collider_contact.h"
#include "ymir/objects/curves_object.h"

namespace ymir {

struct PenaltyParams {
  double stiffness = 1;     // k [N/m]
  double friction = 0.3;    // mu
  double thickness = 2e-4;  // kept free beyond the radius [m]
};

void add_strand_contact(CurvesObject& curves, const std::string& owner, Collider collider, const PenaltyParams& params);

}  // namespace ymir
