// The one-step problem of few contacts by itself, the bodies eliminated: W = H M^-1 H', q = H M^-1 f + free.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ymir/solvers/coulomb/coulomb_solver.h"
#include "ymir/solvers/nodal_contact/nodal_body.h"
#include "ymir/solvers/nodal_contact/node_contact.h"

namespace ymir {

class CondensedContacts {
 public:
  // Bodies as they are: three solves of each body for every contact on it.
  CondensedContacts(const ContactList& list, std::span<NodalBody* const> bodies);

  const CoulombProblem& problem() const { return problem_; }
  // From the impulses of the list to those of the solution.
  CoulombReport solve(ContactList& list, double tolerance) const;
  // Impulses of the list as the problem has them.
  std::vector<Vec3d> impulses(const ContactList& list) const;

 private:
  Vec3d to_frame(std::size_t contact, Vec3d v) const;
  Vec3d to_world(std::size_t contact, Vec3d v) const;

  struct Frame {
    Vec3d normal, tangent, other;
  };
  std::vector<Frame> frames_;
  CoulombProblem problem_;
};

// The same for those of many contacts that push, or that would be closed without it, where they are not too many to be
// condensed: what a splitting has left above its tolerance. Nothing: they are, or others keep being closed; impulses
// are as they were.
std::optional<CoulombReport> solve_active(ContactList& list, std::span<NodalBody* const> bodies, double tolerance);

}  // namespace ymir
