// Attachment Constraint: points of strands, particles and bodies held to points of a surface or of each
// other.
// [Lesser2022, 6.3]
//
// Response: C of physics/constraints/attachment.h with S = diag(k_N, k_T, k_T, beta_1 x3, beta_2 x3, beta_3 x3), and
// for a taut distance constraint its radial geometric stiffness. Emission (which points) is in attachment_emission.h.
// Channels of the held strands and particles override the response (painted_response.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ymir/actions/attachment_emission.h"
#include "ymir/actions/attachment_response.h"
#include "ymir/objects/curves_object.h"
#include "ymir/solids/solid_system.h"

namespace ymir {

// Points of strands to an animated surface. Stays inside the band of each strand.
void add_surface_attachments(CurvesObject& curves, const std::string& owner, const AttachmentResponse& response,
                             const EmissionRule& rule, std::shared_ptr<const AnimatedSurface> surface);

// Points of `sources` to those of `targets` (which may be the same). Returns how many are made at the beginning.
std::size_t add_attachments(SolidSystem& solids, const std::string& owner, const std::vector<SolidObject*>& sources,
                            const std::vector<SolidObject*>& targets, const AttachmentResponse& response,
                            const EmissionRule& rule);
// Particles, or points of bodies, to an animated surface. Returns how many.
std::size_t add_surface_attachments(SolidSystem& solids, const std::string& owner, SolidObject& object,
                                    const AttachmentResponse& response, const EmissionRule& rule,
                                    std::shared_ptr<const AnimatedSurface> surface);

// Roots follow the surface in position and orientation, exactly. Returns how far from it each one is held [m].
std::vector<double> attach_roots(RootedStrands& strands, const std::string& owner,
                                 std::shared_ptr<const AnimatedSurface> surface);
// Roots follow the skin of bodies in position and orientation, exactly, and pull on it; those farther than `range` [m]
// are left loose. Returns how many are held.
std::size_t attach_roots(SolidSystem& solids, const std::string& owner, SolidObject& curves, RootedStrands& roots,
                         const std::vector<SolidObject*>& targets, double range);
template <class Strands>
std::size_t attach_roots(SolidSystem& solids, const std::string& owner, Strands& strands,
                         const std::vector<SolidObject*>& targets, double range) {
  return attach_roots(solids, owner, strands, strands, targets, range);
}

}  // namespace ymir
