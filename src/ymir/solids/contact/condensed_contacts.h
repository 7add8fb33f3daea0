// The one-step problem of few contacts by itself, the bodies eliminated: W = H M^-1 H', q = H M^-1 f + free.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "ymir/solids/contact/contact_frames.h"
#include "ymir/solvers/coulomb/coulomb_solver.h"
#include "ymir/solvers/nodal_contact/nodal_body.h"

namespace ymir {

class CondensedContacts {
 public:
  // Bodies as they are: three solves of each body for every contact on one of its pieces.
  CondensedContacts(const ContactList& list, std::span<NodalBody* const> bodies);

  const CoulombProblem& problem() const { return problem_; }
  const ContactFrames& frames() const { return frames_; }
  // From the impulses of the list to those of the solution. enough: CoulombOptions.
  CoulombReport solve(ContactList& list, double tolerance, double enough) const;

 private:
  // The nodes of a contact on one piece of a body.
  struct Touch {
    std::int32_t contact;
    std::vector<ContactNode> nodes;
  };
  static Vec3d velocity(const Touch& touch, std::span<const NodeVector> v);
  void condense(NodalBody& body, const std::map<int, std::vector<Touch>>& pieces, std::span<Vec3d> q,
                std::vector<CoulombBlock>& blocks) const;

  ContactFrames frames_;
  CoulombProblem problem_;
};

}  // namespace ymir
