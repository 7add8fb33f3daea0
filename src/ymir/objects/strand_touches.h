// Exact Coulomb contact of strands with colliders, lane by lane inside the Newton loop of a group: what no other strand
// or body touches stays in that loop, with its retries, and lanes do not influence each other.
//
//   A dq = b + N'f,  u = N (way + dq)/dt + room/dt n - velocity of the collider,  (u, f dt) in Coulomb's law
//
// as in contact_island.h, the strand condensed to W = N A^-1 N'/dt by band solves, four strands in each. Only contacts
// that push, or that the step without them would close, are condensed; those that this closes in turn join them.
// f are forces [N], not impulses, so that parts of a substep go on from each other.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ymir/data/strand_system.h"
#include "ymir/math/mat3.h"
#include "ymir/solids/contact/lone_contact.h"

namespace ymir {

class StrandNewton;

class StrandTouches {
 public:
  // Of a group, found for the substep that begins at `time` [s]; they are solved to `tolerance` (E_s).
  void set(std::span<LoneContact> touches, double time, double dt, double tolerance);
  bool empty() const { return touches_.empty(); }

  // The loop begins, maybe with a part of that substep.
  void begin(const StrandNewton& newton);
  // The residual loses the forces of contacts.
  void push(StrandNewton& newton) const { push(newton, 1); }
  // Newton's step with contacts, for the factored matrix and the residual with push(), which leaves displacements
  // `left`; lanes that are frozen keep their forces.
  void solve(StrandNewton& newton, const StrandSystem::Real& frozen, const StrandSystem::Real& left);
  // 1: contacts push the lane; 1: it touches something; 1: its contacts are above their tolerance.
  const StrandSystem::Real& pressed() const { return pressed_; }
  const StrandSystem::Real& touched() const { return touched_; }
  const StrandSystem::Real& unsolved() const { return unsolved_; }
  int iterations() const { return iterations_; }  // of the solver, since set()

 private:
  using Real = StrandSystem::Real;
  struct Touch {
    LoneContact* contact;
    Vec3d axis[3];        // normal, tangents
    Vec3d base;           // u = (axes . (x - from)) / dt + base, of the iterate [m/s]
    Vec3d from;           // where the point was when the part began [m]
    Vec3d free;           // u without contacts
    bool active = false;  // in W
    int column = -1;      // in W, of the first of three
  };
  struct Lane {
    std::vector<Touch> touches;
    std::vector<Vec3d> answers;  // u of all touches to a unit of each column, column by column [m/s/N]
    int columns = 0;
  };
  void push(StrandNewton& newton, double sign) const;
  Vec3d moved(const StrandNewton& newton, const Real* step, const Touch& touch, int lane) const;
  void set_free(const StrandNewton& newton, int lane);
  void find_columns(StrandNewton& newton);
  bool solve_lane(int lane, double left);
  bool close_more(Lane& lane) const;

  std::span<LoneContact> touches_;
  double time_ = 0, dt_ = 0, tolerance_ = 0;
  double part_ = 0;  // length of the step at hand [s]
  std::array<Lane, StrandSystem::lanes> lanes_;
  std::vector<Real> side_;
  Real pressed_, touched_, unsolved_;
  int iterations_ = 0;
};

}  // namespace ymir
