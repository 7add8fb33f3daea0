// The one-step problem of few contacts by itself, the bodies eliminated: W = H M^-1 H', q = H M^-1 f + free.
#pragma once

#include <span>
#include <vector>

#include "ymir/solids/contact/contact_frames.h"
#include "ymir/solvers/coulomb/coulomb_solver.h"
#include "ymir/solvers/nodal_contact/nodal_body.h"

namespace ymir {

class CondensedContacts {
 public:
  // Bodies as they are: three solves of each body for every contact on it.
  CondensedContacts(const ContactList& list, std::span<NodalBody* const> bodies);

  const CoulombProblem& problem() const { return problem_; }
  const ContactFrames& frames() const { return frames_; }
  // From the impulses of the list to those of the solution. enough: CoulombOptions.
  CoulombReport solve(ContactList& list, double tolerance, double enough) const;

 private:
  ContactFrames frames_;
  CoulombProblem problem_;
};

}  // namespace ymir
