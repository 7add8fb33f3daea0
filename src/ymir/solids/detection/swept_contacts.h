// Continuous detection: contacts of what is too far apart for the margins of detection, and meets on its way.
//
// Vertices go on with their ways of the substep in straight lines. Pairs whose swept boxes overlap, where one of the
// two goes farther than a quarter of its edge, are asked for the time at which they touch, by conservative steps
// (additive_ccd.h), points and colliders by steps along the way. The contact has the points and the normal of that
// time, and the distance along it that is left: n.(u dt) + gap >= 0 stops it there. [Li2021, 5]
#pragma once

#include <span>
#include <vector>

#include "ymir/solids/detection/boundary.h"
#include "ymir/solids/detection/contact.h"
#include "ymir/solids/detection/distance_contacts.h"

namespace ymir {

// Appended, in an order that follows from the Boundary alone. What is within the margins already is left out.
void find_swept_pairs(const Boundary& boundary, const ContactFilter& filter, std::vector<Contact>& contacts);
// With colliders that are `swept`.
void find_swept_colliders(const Boundary& boundary, std::span<const ContactCollider> colliders,
                          const ContactFilter& filter, std::vector<Contact>& contacts);

}  // namespace ymir
