// Attachments made anew in every substep, where pieces are on several ranks: each rank looks for those of its own
// sources, among the targets of all; afterwards every rank knows all of them.
#pragma once

#include <vector>

#include "ymir/actions/attachment_emission.h"
#include "ymir/parallel/communicator.h"
#include "ymir/physics/constraints/attachment.h"

namespace ymir {

struct EmittedPair {
  ObjectPair pair;
  SurfacePoint on_surface;  // where the target is no object
  AttachmentRest rest;
  bool particles = false;  // both are
};

// This rank's targets, and those of other ranks within `range` [m] of its sources; by object, then piece. Collective.
std::vector<PieceShape> targets_of_all(const std::vector<SolidObject*>& objects, const std::vector<PieceShape>& sources,
                                       std::vector<PieceShape> targets, double range, Communicator& communicator);

// The pairs of all ranks, in the order in which one rank would have found them; two particles are held to each other
// once. Collective.
std::vector<EmittedPair> pairs_of_all(const std::vector<SolidObject*>& sources,
                                      const std::vector<SolidObject*>& targets, std::vector<EmittedPair> own,
                                      Communicator& communicator);

}  // namespace ymir
