// Rigid motions of nodes, which smoothers leave alone and coarse levels must have: six columns, translations and
// rotations about a common point. Within an aggregate they are made orthonormal, B = Q R: Q interpolates from its
// coarse node, R are the rigid motions of that. [Vanek1996]
#pragma once

#include <array>
#include <span>
#include <vector>

#include "ymir/math/vec3.h"
#include "ymir/solvers/amg/aggregation.h"
#include "ymir/solvers/elastic_amg/block_level.h"

namespace ymir::elastic_amg {

// N x 6 values by rows, of each node.
template <int N>
struct RigidModes {
  std::vector<double> values;
  double* of(Index i) { return values.data() + static_cast<std::size_t>(N * modes) * at(i); }
  const double* of(Index i) const { return values.data() + static_cast<std::size_t>(N * modes) * at(i); }
  void resize(Index rows) { values.assign(static_cast<std::size_t>(N * modes) * at(rows), 0); }
};

// Nodes of each aggregate.
struct Members {
  std::vector<Index> starts, nodes;
  explicit Members(const amg::Aggregates& aggregates = {});
  Index count() const { return static_cast<Index>(starts.size()) - 1; }
};

// Of nodes at `positions`, lengths in parts of the size of all. Nodes beyond have none. ranks: that share the nodes, or
// none.
void set_rigid_modes(std::span<const Vec3d> positions, Communicator* ranks, RigidModes<3>& out);

// Q in place of B (columns that depend on others become zero), R to `coarse`.
template <int N>
void orthonormalize(const Members& members, RigidModes<N>& fine, RigidModes<modes>& coarse);

}  // namespace ymir::elastic_amg
