// Contact of strands with a collider by implicit penalty: one of the two responses of the paper. [Lesser2022, 6.3,
// Collision Constraint]
//
//   N = k p^2/(2 h) for p < h, k (p - h/2) beyond;  p = c - phi(x) depth, h thickness of the layer the force grows in
//   friction: a spring on the slip of the substep, capped at mu N
//
// Stiffness is relative to the inertia of the vertex, k = stiffness m/dt^2, so that fine hair and thick cord, long and
// short steps behave alike; Newton's method must get in and out of contact within a few iterations, so it is not
// larger. c, the clearance of a vertex, is radius and thickness, or what the groom has at the beginning if that is
// less: hair that starts inside a solid is not pushed out of it.
//
// Slip is measured from where the collider has carried the vertex since the step began. A strand that is advanced in
// parts of the substep asks for the collider at the times of each part: none is carried twice.
#pragma once

#include "ymir/actions/collider_contact.h"
#include "ymir/actions/penalty_contact.h"

namespace ymir {

// Channels friction, strand_stiffness and strand_thickness of the curves override those of the collider, per strand
// or vertex.
void add_strand_contact(CurvesObject& curves, const std::string& owner, Collider collider, const PenaltyParams& params);

}  // namespace ymir
