// A block as contacts see it: nodes that follow its unknowns, N dq = way of the nodes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/math/vec3.h"
#include "ymir/solids/matrix_part.h"
#include "ymir/solvers/nodal_contact/nodal_body.h"

namespace ymir {

struct NodeShare {
  std::int32_t node;
  double weight;
};

// What an unknown moves of a node, by itself.
struct NodeColumn {
  std::int32_t slot;  // row of the block, then as it stands in the matrix of all (matrix_part.h)
  Vec3d way;
};

class ContactBlock {
 public:
  virtual ~ContactBlock() = default;

  // After SolidBlock::begin(): what a point follows that is given by vertices of a piece, as the Boundary numbers them
  // within it, and by the arm from there to where it touches, of strands that roll. Appended.
  virtual void follow(int place, std::span<const std::int32_t> vertices, std::span<const double> weights, Vec3d arm,
                      std::vector<NodeShare>& shares) const = 0;
  virtual Vec3d way(std::int32_t node) const = 0;  // of the iterate, since the substep began [m]
  // The residual loses N' impulses / dt.
  virtual void push(std::span<const NodeVector> impulses, double per_dt) = 0;
  // The matrix gets how forces on nodes turn with it, where ways are not linear in the unknowns.
  virtual void add_levers(std::span<const NodeVector> /*impulses*/, double /*per_dt*/) {}

  // The unknowns that a node follows, at the iterate, times a weight. Appended.
  virtual void columns(std::int32_t node, double weight, std::vector<NodeColumn>& to) const = 0;
  // Impulses travel far through it, and would be carried off by masses of nodes: its matrix is factored with those of
  // all that it touches.
  virtual bool thin() const { return false; }

  // How the nodes answer, from the block's matrix and right side as they are: M = dt^2 A, f = dt b. False: there is no
  // factor of it.
  virtual NodalBody& body() = 0;
  virtual bool refresh(double dt) = 0;

  // For those who solve the block together with what it is coupled to: N' and N over its unknowns, and its matrix with
  // N'DN/dt^2 added, which stays where it is.
  virtual void spread(std::span<const NodeVector> impulses, double times, double* rows) const = 0;  // rows += N'
  virtual void collect(const double* rows, double times, std::span<NodeVector> nodes) const = 0;    // nodes = N rows
  virtual MatrixPart& with_masses(std::span<const double> d, double dt) = 0;
  // Its points keep their distances: what holds it to another such block holds all of it.
  virtual bool rigid() const { return false; }
};

}  // namespace ymir
