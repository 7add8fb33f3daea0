// Contact of points with a surface that deforms: the laws of point_contact.h (impact, friction, resting contact), in
// the world's frame, relative to the velocity of the point of the surface that is touched.
//
// The first touch is found along the path of the point and of the surface together: both move in straight lines during
// a substep, a gap g cannot close before g / (|v| + fastest vertex), and steps are as long as that says. What sticks
// moves with the point of the surface exactly. A point that starts inside is brought out no faster than `push_out`.
#pragma once

#include <memory>

#include "ymir/actions/collider_contact.h"
#include "ymir/data/deforming_surface.h"

namespace ymir {

PointContact deforming_contact(std::string owner, std::shared_ptr<const DeformingSurface> surface,
                               const ContactMaterial& material, double push_out);

// One point against the surface during `motion`, exposed for tests. `start_sample` is the surface seen from start.x at
// the beginning.
ContactResult resolve_deforming_contact(const MovingSurface& motion, const ContactParams& params, double push_out,
                                        double radius, const SurfaceSample& start_sample, const PointState& start,
                                        const PointState& proposed);

}  // namespace ymir
