// Coulomb contact between many bodies by a splitting at their nodes: work and memory are linear in the contacts.
//
//   M v = f + H'r,  u = H v + free,  (u, r) in Coulomb's law at every contact
//
// Nodes get a copy y of their velocity. Bodies are solved with masses D added, contacts in the metric D, where the law
// is isotropic and has a closed solution (physics/contact/cone.h); a contact meets only those at the same nodes:
//
//   (M + D) v = f + D y + H'r
//   y += k (v - y)
//   sweeps over contacts:  r = Coulomb(r - u/w),  u = H y + free,  w = sum N^2/D,  y += D^-1 H'(change of r)
//
// The scaled dual of the splitting is -D^-1 H'r. It is kept as z = y - D^-1 H'r, so that f + D y + H'r = f + D (2y -
// z). [Alternating direction method of multipliers; the idea of a splitting at nodes: Daviet 2020. The derivation is
// ours.]
//
// Runs inside every Newton iteration: begin() once per set of contacts, solve() whenever M, f and `free` are new.
#pragma once

#include <span>
#include <vector>

#include "ymir/solvers/nodal_contact/contact_progress.h"
#include "ymir/solvers/nodal_contact/contact_sweep.h"
#include "ymir/solvers/nodal_contact/metric_policy.h"

namespace ymir {

struct NodalOptions {
  // Of E_s = |e|/|q|, q: relative velocities without contact, where these close it; 1e-6 for statics.
  double tolerance = 1e-4;
  double guess = 1;  // part of the tolerance at which the impulses to start from are believed
  int max_iterations = 1500;
  int sweeps = 3;
  double relaxation = 1.7;  // k
  double masses = 1;        // D of the start, by what bodies describe
  int check_every = 10;
  bool adapt = true;        // D
  bool compliances = true;  // Gauss-Seidel on compliances where the splitting stalls
  int max_sweeps = 1000;    // of that
};

struct NodalReport {
  ContactStatus status = ContactStatus::solved;
  int iterations = 0;
  int compliance_sweeps = 0;
  int factorisations = 0;           // rounds of them beyond the first
  double error = 0;                 // E_s
  double largest = 0;               // max |e_i| over the root mean square of |q_i|
  double impulse = 0;               // max w_i |r_i| over that
  std::vector<std::int32_t> worst;  // contacts with the largest errors, where it is not solved
};

class NodalContact {
 public:
  // Bodies that contacts touch, contacts between their nodes. Colours and memory.
  void begin(std::span<NodalBody* const> bodies, const ContactList& list);
  // From NodeContact::impulse to NodeContact::impulse; reads NodeContact::free. Bodies have factored M.
  NodalReport solve(ContactList& list, const NodalOptions& options = {});
  // After solve(), of a body's nodes: impulses H'r [N s], to be added to the body's own right side, and the velocities
  // N M^-1 (f + H'r) that they lead to.
  std::span<const NodeVector> impulses(int body) const { return of_body(given_, body); }
  std::span<const NodeVector> velocities(int body) const { return of_body(exact_, body); }

  const ContactLanes& contacts() const { return contacts_; }
  std::size_t memory() const;  // without that of the bodies [B]

 private:
  friend class ComplianceSweeps;

  void measure();
  void take(const ContactList& list);
  void give(ContactList& list) const;
  std::span<double> masses(std::size_t body) {
    return std::span(d_).subspan(first(body), first(body + 1) - first(body));
  }
  bool begin_masses(double factor);
  void start();
  double first_mass(std::size_t node) const { return mass_factor_ * metric_[node].mass; }
  void run(const NodalOptions& options, ContactProgress& progress);
  void iterate(int sweeps, double relaxation, bool keep);
  void update_body(std::size_t body, double relaxation, bool keep);
  bool change(MetricPolicy::Change change);
  bool adapt(bool all);
  bool adapt_body(std::size_t body);
  template <class F>
  bool set_masses(F&& f);
  bool refactor();
  void change_mass(std::size_t node, double factor);
  void exact_velocities();
  double check(int iteration, ContactProgress& progress);
  bool polish(const NodalOptions& options, ContactProgress& progress);
  void sweep_compliances(const NodalOptions& options, double worth, ContactProgress& progress);
  void finish(const ContactProgress& progress);
  void cut_impulses();
  void name_worst();
  std::span<const NodeVector> of_body(const std::vector<NodeVector>& nodes, int body) const;
  template <class F>
  void for_each_body(F&& body) const;
  template <class F>  // values(body): what it will be asked with; nullptr: nothing
  void announce(NodalBody::Question question, F&& values);
  void load(std::size_t body, NodeVector* x) const;
  std::size_t first(std::size_t body) const { return static_cast<std::size_t>(first_[body]); }

  std::vector<NodalBody*> bodies_;
  std::vector<std::int32_t> first_;  // node of each body
  std::vector<std::int32_t> alone_;  // bodies whose solver uses all threads
  std::vector<std::int32_t> side_by_side_;
  std::vector<std::int32_t> elsewhere_;
  std::vector<NodeMetric> metric_;
  std::vector<double> d_;  // D
  ContactLanes contacts_;
  bool cohesive_ = false;
  std::vector<NodeVector> y_, z_, v_;
  std::vector<NodeVector> exact_;      // N M^-1 (f + H'r)
  std::vector<NodeVector> given_;      // H'r
  std::vector<NodeVector> before_;     // y of the iteration before
  std::vector<NodeVector> pull_;       // -H'(c n)
  std::vector<double> kept_;           // D before it was adapted
  std::vector<std::uint8_t> changed_;  // by body
  std::vector<ContactLanes::Vector> best_;
  std::vector<std::uint8_t> measured_;  // by body: D is
  double mass_factor_ = 1;
  double speed_ = 0, rms_ = 0;  // |q|, root mean square of |q_i| [m/s]
  NodalReport report_;
};

}  // namespace ymir
