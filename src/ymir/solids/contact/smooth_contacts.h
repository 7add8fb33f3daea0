// Contacts of many bodies by penalties and barriers: one linearised step of the bodies, the whole law of contact.
//
//   M v = f + H'r,   u = H v + free,   r = dt F(dt u)           M, f: as for exact contact (nodal_body.h)
//
// With friction bounded by given forces g = mu F_N this is the least of a convex energy, found by Newton's method with
// an exact line search, in impulses: bodies answer to them by themselves, whatever couples or constrains them.
//
//   (1 + dt^2 K W) dr = dt F - r,  W = H M^-1 H',  K = LL':   dr = e - dt L y,  (1 + dt^2 L'WL) y = dt L'W e
//
// by conjugate gradients, of a definite matrix without eigenvalues below one. Bounds follow normal forces from round to
// round, so that friction in the end is that of the normal force that acts.
#pragma once

#include <span>
#include <vector>

#include "ymir/solids/contact/friction_bound.h"
#include "ymir/solids/contact/smooth_law.h"
#include "ymir/solvers/nodal_contact/nodal_body.h"
#include "ymir/solvers/nodal_contact/node_contact.h"

namespace ymir {

class SmoothContacts {
 public:
  struct Report {
    double error = 0;  // of velocities at contacts, by those without contact
    int iterations = 0;
    std::size_t worst = 0;  // contact with the largest error
  };

  // Of a substep of dt: impulses of the list say what friction begins with.
  void begin(std::span<NodalBody* const> bodies, const ContactList& list, std::span<const SmoothLaw> laws, double dt);
  // From NodeContact::impulse to NodeContact::impulse; bodies as they are by now.
  Report solve(ContactList& list, double tolerance);
  // Impulses that the law gives where velocities are `free`: at the iterate.
  void evaluate(ContactList& list);

 private:
  struct Touch {
    std::int32_t contact, node;
    double weight;
  };
  template <class F>
  void for_each_body(F&& f) const;
  template <class F>
  void for_each_contact(F&& f) const;
  SmoothForce force_at(const ContactList& list, std::size_t contact, Vec3d u) const {
    return {laws_[contact], list.contacts[contact].normal, u * dt_, bound_[contact].value};
  }
  void answer(const ContactList& list, std::span<const Vec3d> impulses, std::span<Vec3d> velocities);
  void start(const ContactList& list);
  double balance(const ContactList& list, std::size_t& worst);
  void find_step(const ContactList& list, double enough);
  void multiply(const ContactList& list, std::span<const Vec3d> y, std::span<Vec3d> to);
  void descend(const ContactList& list);
  void settle(const ContactList& list, double enough, Report& report);
  double follow_bounds();

  std::vector<NodalBody*> bodies_;
  std::vector<SmoothLaw> laws_;
  double dt_ = 0, speed_ = 0;
  std::vector<std::size_t> first_node_, first_touch_;  // of each body
  std::vector<Touch> touches_;                         // by body
  std::vector<double> compliance_;                     // w of errors [1/kg]
  std::vector<FrictionBound> bound_;                   // [N]
  std::vector<NodeVector> still_, moved_;              // nodes without impulses, and by them
  std::vector<SmoothForce> force_;
  std::vector<Vec3d> impulse_, u_, left_, step_, du_;  // r; u; dt F - r; dr; du
  std::vector<Vec3d> y_, r_, p_, product_, along_;     // of conjugate gradients, in the axes of K
};

}  // namespace ymir
