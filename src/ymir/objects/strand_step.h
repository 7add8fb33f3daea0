// One group of strands during one substep: the Newton iterate, its linear system, and what Constraints see of both.
//
// All of a group's memory fits the second-level cache, and a group is advanced to convergence before the next one
// begins: a matrix never travels through main memory.
//
// Unknowns per vertex i: position (3) and the angle by which the material frame of edge i turns. Vertex 0 of a strand
// is the ghost of its clamp: edge 0 carries the frame of the root, vertex 1 is the root itself. With multipliers (hard
// constraints on edges) there is one more per vertex, for the edge that ends there.
#pragma once

#include <memory>
#include <vector>

#include "ymir/data/strand_system.h"
#include "ymir/physics/rods/frames.h"
#include "ymir/solids/embedding.h"

namespace ymir {

using StrandReal = StrandSystem::Real;

// Channels of a Curves Object, by index in its Strand System.
struct RodChannels {
  int position, velocity, m1;     // vectors; m1 of the edge that starts at the vertex
  int spin;                       // angular velocity of the material frame about the edge [rad/s]
  int twist;                      // between the edges that meet at the vertex [rad]
  int rest_length;                // of the edge [m]
  int mass, inertia;              // [kg]; of the edge about its axis [kg m^2]
  int free_position, free_angle;  // 1: solved for, 0: given
  int radius;                     // [m]
};

// Where the unknowns of a vertex stand in the band matrix. local: 4 v + (0..2 position, 3 angle) of the v-th vertex
// from `base` on.
struct PlainLayout {
  static constexpr int block = 4, half_bandwidth = 10;
  static constexpr int row(int base, int local) { return 4 * base + local; }
};
struct MultiplierLayout {
  static constexpr int block = 5, half_bandwidth = 12;
  // Position, multiplier of the edge before the vertex, angle of the edge after it: every multiplier comes after both
  // of its vertices, so that elimination needs no pivoting.
  static constexpr int row(int base, int local) { return 5 * (base + local / 4) + (local % 4 == 3 ? 4 : local % 4); }
  static constexpr int multiplier(int edge) { return 5 * (edge + 1) + 3; }
};

struct StrandStep {
  int group = 0;
  int vertices = 0;
  bool multipliers = false;
  double dt = 0;    // [s]
  double time = 0;  // at its end; a strand that is halved gets there in parts, each with its own dt [s]

  // Newton iterate, planes of the strand system.
  StrandReal* position[3];
  StrandReal* m1[3];
  StrandReal* twist;
  const StrandReal* rest_length;
  // Derived from it.
  StrandReal* tangent[3];
  StrandReal* inverse_length;

  StrandReal* matrix;     // band, columns of half_bandwidth + 1
  StrandReal* residual;   // of the equations of motion, per row [N], [N m]
  StrandReal* condensed;  // what the right-hand side has beyond the residual (primal-dual constraints)
  StrandReal* scale;      // diagonal of inertia and elasticity: residual / scale is a displacement
  StrandReal* step;       // Newton step, per row
  StrandReal violation;   // largest residual of a multiplier or dual constraint [its own unit]
  StrandReal mean_length;
  StrandReal active = StrandReal::all(1);  // 1: advanced; 0: left as it is
  StrandReal beta;                         // share of the geometric stiffness kept, 1 unless a pivot failed
  // Lanes whose compressed edges Curvature::compressed counts.
  StrandReal pressed = StrandReal::all(1);
  // What of the second derivatives d2C enters the matrix: as Newton wants it (clamped tension), none, all of it, or
  // Newton's and the share beta of that of compressed edges.
  enum class Curvature : std::uint8_t { newton, none, exact, compressed };
  Curvature curvature = Curvature::newton;
  // The part of a tension that does.
  StrandReal curving(const StrandReal& tension) const {
    if (curvature == Curvature::exact) return tension;
    const StrandReal pulling = max(tension, StrandReal::all(0));
    return curvature == Curvature::compressed ? pulling + min(tension, StrandReal::all(0)) * (beta * pressed) : pulling;
  }
  std::vector<StrandReal*> constraint_work;

  // A point of a strand with its frame and how both follow the unknowns.
  Embedding embedded(int lane, int edge, double u) const;
  RodEdge<StrandReal> edge(int i) const {
    return {{tangent[0][i], tangent[1][i], tangent[2][i]}, inverse_length[i], {m1[0][i], m1[1][i], m1[2][i]}};
  }
};

// An energy on the strands of a group: one Constraint of the general framework bound to a Curves Object.
class StrandConstraint {
 public:
  virtual ~StrandConstraint() = default;
  virtual std::string owner() const = 0;
  virtual std::string what() const = 0;
  virtual bool needs_multipliers() const { return false; }
  virtual int work_planes() const { return 0; }  // per vertex, kept during a substep
  // Once per substep on one thread, before any group begins.
  virtual void prepare(double /*time*/, double /*dt*/) {}
  // The rod is as it was when the substep began.
  virtual void begin(StrandStep& step, StrandReal* work) = 0;
  virtual void assemble(StrandStep& step, StrandReal* work) = 0;
  // The iterate is about to move by `fraction` (per lane) of step.step.
  virtual void advance(StrandStep& step, const StrandReal& fraction, StrandReal* work) = 0;
  // The substep is solved, in active lanes.
  virtual void end(StrandStep& step, StrandReal* work) = 0;

  // Deepest vertex inside a solid, as of the last assemble() of every group [m].
  virtual double penetration() const { return 0; }

  // Derivatives with respect to rest values p (inverse dynamics); planes of parameters() per vertex, none by default.
  virtual int parameters() const { return 0; }
  virtual void strain_of(const StrandStep& /*step*/, const StrandReal* /*displacement*/, StrandReal* /*jz*/) const {
  }                                                                                                             // J z
  virtual void rest_gradient(const StrandStep& /*step*/, const StrandReal* /*z*/, StrandReal* /*to*/) const {}  // W J z
  virtual void add_rest_force(StrandStep& /*step*/, const StrandReal* /*dp*/, StrandReal* /*to*/) const {}  // += J'W dp
  // Rest values such that the strain C - p at the present configuration grows by `change`, where the lane is active.
  virtual void shift_rest(StrandStep& /*step*/, const StrandReal* /*change*/) {}
  // Stiffness times `factor` (per lane) at unchanged forces. Hard and primal-dual constraints stay as they are.
  virtual void stiffen(StrandStep& /*step*/, const StrandReal& /*factor*/) {}
};

}  // namespace ymir
