#include "ymir/solids/contact/contact_frames.h"

#include <algorithm>

#include "ymir/physics/contact/contact_frame.h"

namespace ymir {

ContactFrames::ContactFrames(const ContactList& list) {
  for (const NodeContact& c : list.contacts) {
    const Vec3d tangent = any_normal(c.normal);
    Mat3d& frame = frames_.emplace_back();
    frame.column[0] = c.normal, frame.column[1] = tangent, frame.column[2] = cross(c.normal, tangent);
  }
}

std::vector<Vec3d> ContactFrames::impulses(const ContactList& list) const {
  std::vector<Vec3d> r;
  for (std::size_t i = 0; i < list.contacts.size(); ++i) r.push_back(to_frame(i, list.contacts[i].impulse));
  return r;
}

CoulombProblem ContactFrames::problem(const ContactList& list, std::vector<CoulombBlock> blocks,
                                      std::vector<Vec3d> q) const {
  std::vector<double> mu, adhesion;
  for (const NodeContact& c : list.contacts) {
    mu.push_back(c.friction);
    adhesion.push_back(c.cohesion);
  }
  CoulombProblem problem = coulomb_problem(std::move(blocks), std::move(q), std::move(mu));
  if (std::any_of(adhesion.begin(), adhesion.end(), [](double c) { return c > 0; }))
    problem.adhesion = std::move(adhesion);
  return problem;
}

}  // namespace ymir
