// Contacts of bodies that are light and stiff, as cloth: the matrices of all bodies and of their contacts, factored as
// one.
//
//   A x = b + J'r/dt,   u = J x/dt + free,   r = Pi(r - rho u)         Pi: Coulomb's law in a metric rho, in closed form
//
// is solved by Newton's method on both unknowns [Alart, Curnier 1991], x being what bodies move [m]. Contacts that
// stick hold all of u, those that slide its normal part and, as far as its direction may turn, the rest:
//
//   (A + sum rho/dt^2 J'GJ) dx = b + J'Pi(r - rho u)/dt - A x,   r <- Pi(r - rho u)
//
// rho is far above what the bodies themselves put against a contact, so that an iteration that changes no contact's
// state ends there; what is left goes into the next one, as in the method of multipliers. G is symmetric: that the bound
// of friction follows the normal impulse is left to the iteration. Matrices of cloth that is compressed are indefinite by
// themselves; with those that press on it they need not be, and it is their sum alone that has to have a factor.
#pragma once

#include <span>
#include <vector>

#include "ymir/math/mat3.h"
#include "ymir/solids/contact/contact_block.h"
#include "ymir/solids/matrix_part.h"
#include "ymir/solvers/block_cholesky.h"
#include "ymir/solvers/nodal_contact/contact_progress.h"
#include "ymir/solvers/nodal_contact/node_contact.h"

namespace ymir {

class SolidBlock;

class WholeContacts {
 public:
  struct Body {
    SolidBlock* block;
    ContactBlock* contacts;
  };
  struct Report {
    ContactStatus status = ContactStatus::solved;
    double error = 0;  // E_s
    int iterations = 0, factorisations = 0;
    std::size_t worst = 0;  // contact with the largest error
  };

  // Of a substep: which unknowns there are, and which contacts they are in.
  void begin(std::span<const Body> bodies, const ContactList& list);
  // Matrices and right sides of the blocks as they are.
  void take(double dt);
  // Relative velocities without contact, which errors are compared with. False: some body has no factor.
  bool measure(const ContactList& list);
  // From NodeContact::impulse to NodeContact::impulse. indefinite: there is no factor; matrices have to be others.
  enum class Solved : std::uint8_t { yes, indefinite };
  Solved solve(ContactList& list, double tolerance, Report& report);
  // What a body moves, over its rows.
  void step_of(std::size_t body, std::vector<double>& step) const;

 private:
  struct Place {  // of a contact: a node of the matrix, and what it moves of the relative position
    std::int32_t node;
    Mat3d way;
  };
  struct Touch {
    std::size_t first, end;    // into places_
    std::size_t first_block;   // into blocks_: of pairs of places
    double scale = 0;          // w of errors [1/kg]
    double rho = 0;            // [kg]
    double bound = 0;          // of friction [N s]
    Mat3d held;                // G
    unsigned char state = 0;   // open, sticks, slides
  };
  void find_pattern(const ContactList& list);
  void find_places(const ContactList& list);
  Vec3d velocity(const Touch& t, Vec3d free, std::span<const double> x) const;
  void spread(const Touch& t, Vec3d force, std::span<double> b) const;
  Vec3d respond(const Touch& t, const NodeContact& c, Vec3d u, Mat3d* held, unsigned char& state) const;
  double slope(const ContactList& list, double share, double linear, double square, std::span<const Vec3d> u,
               std::span<const Vec3d> du) const;
  bool factor();
  double error(const ContactList& list, std::span<const Vec3d> u, std::size_t& worst) const;

  std::vector<Body> bodies_;
  std::vector<std::int32_t> first_node_;  // of each body
  std::vector<std::int32_t> slots_;       // of the blocks of the bodies
  std::vector<std::uint8_t> used_;        // by slot: an unknown
  std::vector<Place> places_;
  std::vector<std::int32_t> blocks_;
  std::vector<Touch> touches_;
  BlockMatrix matrix_, augmented_;
  BlockCholesky cholesky_;
  double dt_ = 0, speed_ = 0;
  std::vector<double> b_, x_, residual_, step_;
};

}  // namespace ymir
