// When the masses D of the splitting, and its sweeps, change, from how its error falls.
#pragma once

#include "ymir/solvers/nodal_contact/contact_progress.h"

namespace ymir {

class MetricPolicy {
 public:
  // deformable: there are bodies that are.
  MetricPolicy(bool adapt, bool deformable, double relaxation, int sweeps)
      : relaxation_(relaxation), sweeps_(sweeps), adapt_(adapt), deformable_(deformable) {}

  enum class Change : unsigned char {
    none,
    adapt_often,  // D of rigid bodies follows the iteration
    adapt_all,    // that of deformables too
    take_back,    // to what it was before the last adapt_all
    more_sweeps,  // twice as many
    enlarge,      // twice as large everywhere
    restart       // from the best impulses with D of the start
  };
  // After a check.
  Change next(int iteration, double error, const ContactProgress& progress);

  double relaxation() const { return relaxation_; }
  int sweeps() const { return sweeps_; }
  // What is cheap has been tried.
  bool thorough() const { return thorough_ || !deformable_ || !adapt_; }

 private:
  double relaxation_;
  int sweeps_;
  bool adapt_, deformable_, trusted_ = true, restarted_ = false, thorough_ = false;
  int enlarged_ = 0;
  int lost_ = 0;    // checks in a row far above the best error
  int tried_ = -1;  // iteration of the last adapt_all, while it has not proved itself
  double error_before_ = 0;
};

}  // namespace ymir
