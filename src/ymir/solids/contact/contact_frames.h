// Normal and two tangents of every contact of a list: the axes that a one-step problem (coulomb_problem.h) is written
// in.
#pragma once

#include <vector>

#include "ymir/solvers/coulomb/coulomb_problem.h"
#include "ymir/solvers/nodal_contact/node_contact.h"

namespace ymir {

class ContactFrames {
 public:
  explicit ContactFrames(const ContactList& list);

  const Vec3d& axis(std::size_t contact, int k) const { return frames_[contact].column[k]; }
  Vec3d to_frame(std::size_t contact, Vec3d v) const { return transposed(frames_[contact]) * v; }
  Vec3d to_world(std::size_t contact, Vec3d v) const { return frames_[contact] * v; }

  std::vector<Vec3d> impulses(const ContactList& list) const;
  // W and q, with friction and adhesion of the list.
  CoulombProblem problem(const ContactList& list, std::vector<CoulombBlock> blocks, std::vector<Vec3d> q) const;

 private:
  std::vector<Mat3d> frames_;  // by columns
};

}  // namespace ymir
