// Passes over all contacts. Each is the same arithmetic in the same order on any number of threads.
#pragma once

#include <vector>

#include "ymir/solvers/nodal_contact/contact_lanes.h"

namespace ymir {

// One Gauss-Seidel sweep in the metric D: r = Coulomb(r - u/w), y += D^-1 H'(change of r).
// y: velocities of nodes and, as their fourth number, 1/D.
void sweep_contacts(ContactLanes& contacts, NodeVector* y);

// p += H'r; its fourth numbers stay. weight: of r.
void add_impulses(const ContactLanes& contacts, NodeVector* p);

// w = sum N^2/D; 1/D: fourth number of y.
void refresh_metric(ContactLanes& contacts, const NodeVector* y);

struct ContactError {
  double squared = 0;   // sum of |e_i|^2 [m^2/s^2]
  double largest = 0;   // of |e_i| [m/s]
  double impulse = 0;   // largest scale |r_i| [m/s]
  double speed = 0;     // sum of |u_i|^2 [m^2/s^2]
  double closing = 0;   // the same of those that approach
  double approach = 0;  // how many do
};
// e_i = coulomb_residual of every contact for velocities v of the nodes.
ContactError contact_error(const ContactLanes& contacts, const NodeVector* v);
// |e_i| of one group.
ContactLanes::Real group_error(const ContactLanes& contacts, std::int32_t group, const NodeVector* v);

}  // namespace ymir
