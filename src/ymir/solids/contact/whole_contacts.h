// Contacts of bodies that are light and stiff, as cloth: the matrices of all bodies and of their contacts, factored as
// one.
//
//   A x = b + J'r/dt,   u = J x/dt + free,   (u, r) in Coulomb's law at every contact           x: what bodies move [m]
//
// With friction bounded by given impulses g = mu r_N this is the least of a convex energy. The method of multipliers
// with a metric rho in place of a stiffness finds it,
//
//   A x = b + J' Pi(r - rho u)/dt;   r <- Pi(r - rho u),   g <- mu r_N       Pi: r_N >= 0, |r_T| <= g
//
// the first equation by Newton's method with an exact line search, on A + sum rho/dt^2 J'GJ, G = Pi' (symmetric, as
// Pi is the projection on a cylinder). rho is far above what the bodies themselves put against a contact, so that few
// rounds are needed; bounds of friction follow normal impulses from round to round, as far as Aitken's rule says.
// [Simo1992]
//
// What couplings hold together is in it with them (whole_couplings.h).
//
// Matrices of cloth that is compressed are indefinite by themselves. With those of what presses on it they need not be,
// and it is their sum alone that is factored.
//
// Contacts by penalties and barriers (smooth_law.h) stand beside exact ones: dt F(dt u) in the place of Pi, K in that
// of rho/dt^2 G.
#pragma once

#include <span>
#include <vector>

#include "ymir/math/mat3.h"
#include "ymir/solids/contact/cluster_contacts.h"
#include "ymir/solids/contact/friction_bound.h"
#include "ymir/solids/contact/smooth_law.h"
#include "ymir/solids/contact/whole_couplings.h"
#include "ymir/solvers/block_cholesky.h"
#include "ymir/solvers/coulomb/coulomb_problem.h"
#include "ymir/solvers/nodal_contact/node_contact.h"

namespace ymir {

class WholeContacts {
 public:
  struct Body {
    Cluster* cluster;
    ClusterContacts* contacts;
  };
  struct Report {
    double error = 0;  // E_s
    int iterations = 0, factorisations = 0;
    std::size_t worst = 0;  // contact with the largest error
  };

  // Of a substep: which unknowns there are, and which contacts they are in.
  void begin(std::span<const Body> bodies, const ContactList& list, std::span<const SmoothLaw> laws);
  // Matrices and right sides of the blocks as they are. curvature: with that of couplings.
  void take(double dt, bool curvature);
  // Relative velocities without contact, which errors are compared with. False: some body has no factor.
  bool measure(const ContactList& list);
  // What holds bodies to each other lets them answer linearly: there are no multipliers.
  bool linear() const { return !couplings_.hard(); }
  // After measure(), where that is so: the problem of the contacts alone, W = J A^-1 J'/dt^2.
  CoulombProblem condense(const ContactList& list);
  // From NodeContact::impulse to NodeContact::impulse, which is the best that was found. indefinite: there is no
  // factor; matrices have to be others.
  enum class Solved : unsigned char { yes, indefinite };
  Solved solve(ContactList& list, double tolerance, Report& report);
  // Impulses of penalties and barriers where velocities are `free`: at the iterate.
  void evaluate(ContactList& list) const;
  // What a body moves, over its rows; its multipliers take their changes.
  void step_of(std::size_t body, std::vector<double>& step) const;

 private:
  struct Place {  // of a contact: a node of the matrix, and what it moves of the relative position
    std::int32_t node;
    Mat3d way;
  };
  struct Touch {
    std::size_t first, end;   // into places_
    std::size_t first_block;  // into blocks_: of pairs of places
    double compliance = 0;    // w of errors [1/kg]
    double rho = 0;           // [kg]
    double whole_rho = 0;     // as far as it may grow
    FrictionBound bound;      // g [N s]
    Mat3d held;               // G
    unsigned char state = 0;  // 1: closed; 2: sticks
  };
  void find_pattern(const ContactList& list);
  void take_couplings(bool curvature);
  void find_places(const ContactList& list);
  void start(const ContactList& list);
  bool settle(const ContactList& list, double enough, Report& report, double& left);
  void harden(double share);
  double balance(const ContactList& list);
  bool hold(const ContactList& list);
  void descend(const ContactList& list);
  Vec3d velocity(const Touch& t, Vec3d free, std::span<const double> x) const;
  void spread(const Touch& t, Vec3d force, std::span<double> b) const;
  Vec3d respond(const Touch& t, const NodeContact& c, Vec3d u) const;
  const SmoothLaw& law_of(const Touch& t) const { return laws_[static_cast<std::size_t>(&t - touches_.data())]; }
  SmoothForce force_of(const Touch& t, const NodeContact& c, Vec3d u) const {
    return {law_of(t), c.normal, u * dt_, t.bound.value / dt_};
  }
  bool factor();
  double error(const ContactList& list, std::size_t& worst) const;

  std::vector<Body> bodies_;
  std::vector<SmoothLaw> laws_;           // of contacts
  std::vector<SolidBlock*> blocks_of_;    // of all bodies, one after the other
  std::vector<std::size_t> first_block_;  // of each body
  std::vector<std::int32_t> first_node_;  // of each block
  WholeCouplings couplings_;
  std::vector<std::int32_t> slots_;  // of what blocks have
  std::vector<std::uint8_t> used_;   // by slot: an unknown
  std::vector<Place> places_;
  std::vector<std::int32_t> blocks_;
  std::vector<Touch> touches_;
  BlockMatrix matrix_, augmented_;
  BlockCholesky cholesky_;
  double dt_ = 0, speed_ = 0;
  std::vector<Vec3d> u_, du_;
  std::vector<double> b_, x_, residual_, step_, product_;
};

}  // namespace ymir
