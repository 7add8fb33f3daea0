// A mesh of nodes during one substep: the Newton iterate, its linear system, and what Constraints see of both.
//
//   M (x - x_n - dt v_n)/dt^2 + dE/dx - f = 0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ymir/math/vec3.h"
#include "ymir/solvers/block_matrix.h"

namespace ymir {

struct MeshStep {
  double dt = 0;    // [s]
  double time = 0;  // at its end [s]

  // Of the nodes, then of the inner unknowns of the object, three to a node.
  std::vector<Vec3d> position;  // Newton iterate [m]
  std::vector<Vec3d> begin;     // when the substep began [m]
  BlockMatrix matrix;
  std::vector<Vec3d> residual;   // of the equations of motion [N]
  std::vector<Vec3d> condensed;  // what the right-hand side has beyond the residual (primal-dual constraints) [N]
  std::vector<Vec3d> scale;      // diagonal of inertia and shear: residual / scale is a displacement [N/m]
  std::vector<Vec3d> step;       // Newton step [m]
  double violation = 0;          // largest residual of a dual constraint [1]
  // exact: as Newton wants it. projected: every element positive semidefinite, after a pivot that was not.
  enum class Curvature : std::uint8_t { exact, projected };
  Curvature curvature = Curvature::exact;
};

// An energy on the nodes of a mesh.
class MeshConstraint {
 public:
  virtual ~MeshConstraint() = default;
  virtual std::string owner() const = 0;
  virtual std::string what() const = 0;
  // Nodes that its elements connect; then where their blocks are.
  virtual BlockMatrix::Elements elements() const = 0;
  virtual void connect(const BlockMatrix& /*matrix*/) {}
  // Whether ranks can divide it among them. Then, before elements(): only these cells are this rank's (mesh_share.h);
  // what is at others is left alone, in the residual, the matrix and the state.
  virtual bool divisible() const { return false; }
  virtual void restrict_to(std::span<const std::int32_t> /*cells*/) {}
  // The mesh is as it was when the substep began.
  virtual void begin(const MeshStep& /*step*/) {}
  // What has to be known of all cells at this iterate, before assemble(). Of a mesh that ranks share: by the rank that
  // leads, which tells the others the values.
  virtual void evaluate(const MeshStep& /*step*/) {}
  virtual std::span<double> evaluated() { return {}; }
  virtual void assemble(MeshStep& step) = 0;
  // The iterate is about to move by `share` of step.step.
  virtual void advance(const MeshStep& /*step*/, double /*share*/) {}
  // The substep is solved.
  virtual void end(const MeshStep& /*step*/) {}
  // What survives the substep: saved, rolled back, checkpointed and hashed with the mesh.
  virtual std::span<double> state() { return {}; }
  // Deepest point inside a solid, as of the last assemble() [m].
  virtual double penetration() const { return 0; }
};

}  // namespace ymir
