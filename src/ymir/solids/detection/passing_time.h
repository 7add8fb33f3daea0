// How long a substep may be so that nothing passes anything unseen. [Daviet, Bertails-Descoubes, Boissieux 2011, 7.1]
//
// Detection sees two elements when they are nearer than their margin (boundary.h), which grows with the substep up to
// half an edge. A substep dt is safe where they do not meet in it, or where
//
//   w dt <= margin(dt) = min(min(v_a dt, h_a) + min(v_b dt, h_b), max(h_a, h_b)),  h: half an edge
//
// w being their relative velocity. Velocities are those of now; the time until they meet is bounded from below, by
// their boxes. Colliders are no concern of this.
#pragma once

#include "ymir/solids/detection/boundary.h"
#include "ymir/solids/detection/distance_contacts.h"

namespace ymir {

// At most `longest` [s], for which BoundaryVertex::way is.
double passing_time(const Boundary& boundary, const ContactFilter& filter, double longest);

}  // namespace ymir
