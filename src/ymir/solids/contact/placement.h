// Where solids are that touch each other, before objects are ingested.
//
// Strands are divided among ranks, in the blocks that they would have on one. Of bodies, cloth and plants that may
// touch each other all are on one rank, and so is all that couplings or cloth join with them: clusters do not span
// ranks, and the matrices of cloth and of all that it touches are factored as one (whole_contacts.h).
#pragma once

namespace ymir {

class SolidSystem;

// Collective. Error(bad_input) of what cannot be on one rank and would have to.
void place_touching(const SolidSystem& solids);

}  // namespace ymir
