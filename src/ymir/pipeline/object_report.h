// How substeps went for one Object, in numbers: what its solves cost and left, and whether its state is still
// believable. The simulation compares the state with stated bounds after every substep and stores the rest with the
// frame.
#pragma once

#include <cstdint>
#include <string>

namespace ymir {

struct ObjectReport {
  // Solves, on this rank.
  std::int64_t solves = 0;              // systems solved: strands, projections, ...
  std::int64_t iterations = 0;          // of all of them
  std::int64_t unconverged = 0;         // accepted above their tolerance
  std::int64_t retries = 0;             // parts advanced again in smaller steps, by themselves
  std::int64_t cg_iterations = 0;       // of linear systems that conjugate gradients solved
  std::int64_t direct_solves = 0;       // linear systems that they did not, which were factored then
  std::int64_t contacts = 0;            // between solids, that carried something; of all substeps
  std::int64_t contact_iterations = 0;  // of their solver
  std::int64_t contacts_found = 0;      // that might have
  double residual = 0;                  // largest that was accepted, relative
  std::string worst;                    // which part that was ("strand 3887"), when above the tolerance

  // State at the end of the substep.
  double speed = 0;        // largest [m/s]
  double courant = 0;      // largest move in a substep, in voxels, edges or buckets
  double stretch = 0;      // largest |length / rest length - 1|
  double penetration = 0;  // deepest point inside a collider [m]
  double crushed = 0;  // most cells at once that had less than a hundredth of their volume, or were turned inside out

  // Another substep of the same object, or another rank's part of the same substep: counts add up, extremes stay.
  void join(const ObjectReport& other);
};

}  // namespace ymir
