// Contact of strands with a surface that deforms: the penalty and friction of strand_contact.h, against exact distances
// at the time of each step, also of strands that halve their own.
//
// Slip is measured from where the vertex would be had it moved with the point of the surface below it. Vertices that
// are far from the surface are not asked for again until they or the surface may have come near: each remembers its
// last distance d and place, and |d| changes by no more than both have moved.
//
// Clearance c of a vertex as in strand_contact.h. One that starts inside the solid is brought out: c grows from what it
// is at the beginning, at the speed `push_out`, until the strand lies on the surface. The part of a held strand between
// its root and where it first leaves the solid is planted in it and stays.
#pragma once

#include <memory>

#include "ymir/actions/strand_contact.h"
#include "ymir/data/deforming_surface.h"

namespace ymir {

// Channels friction, strand_stiffness and strand_thickness of the curves override those of the collider, per strand
// or vertex.
void add_deforming_strand_contact(CurvesObject& curves, const std::string& owner,
                                  std::shared_ptr<const DeformingSurface> surface, const PenaltyParams& params,
                                  double push_out);

}  // namespace ymir
