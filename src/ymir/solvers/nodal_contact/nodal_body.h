// What the contact solver asks of a body: how its nodes answer to impulses. Nothing else of it is known.
//
//   v = N M^-1 (f + N'g)            M v = f: the body's own step, linearised by Newton's method (M = dt^2 A, f = -dt r)
//   v = N (M + N'DN)^-1 (f + N'g)   the same with masses D added to its nodes
//
// N maps the body's unknowns to the velocities of its nodes: rows of vertices (strands, meshes), J of the copies at the
// corners of a rigid body. Impulses g and velocities v are exchanged in the layout of NodeVector; how the body stores
// its unknowns, how many there are besides nodes (angles, multipliers), and which solver it uses (band, sparse factor,
// CG, 6x6) is its own affair. A group of strands side by side is one body with a piece per strand.
#pragma once

#include <cstddef>
#include <span>

#include "ymir/math/simd.h"

namespace ymir {

// x, y, z of a node and one number more, which the solver uses.
using NodeVector = Lanes<double, 4>;

struct NodeMetric {
  double mass = 0;  // D of the start [kg]: 15 m of a vertex, 3 m/8 of a rigid corner, m where exact; 0: it is given
  double compliance = 0;  // about tr[N M^-1 N']/3 [1/kg], the scale in which errors are measured
};

class NodalBody {
 public:
  virtual ~NodalBody() = default;

  virtual int nodes() const = 0;
  virtual void describe(std::span<NodeMetric> nodes) const = 0;
  // The same once M has been factored, for those who can tell then; D needs no adaptation. False: they cannot.
  virtual bool measure(std::span<NodeMetric>) const { return false; }
  // Pieces are independent of each other, and each owns a range of nodes.
  virtual int pieces() const { return 1; }
  virtual int first_node(int piece) const { return piece == 0 ? 0 : nodes(); }

  // How often D may follow the iteration: seldom for deformables, often for rigid bodies, whose factor is cheap; never
  // where others are tied to it.
  enum class Adapt : unsigned char { never, seldom, often };
  virtual Adapt adapt() const { return Adapt::seldom; }
  // M is m at every node and nothing else: sweeps then act on its velocity itself.
  virtual bool exact() const { return false; }
  // solve() uses all threads, and wants to be called by one.
  virtual bool threaded() const { return false; }

  // M has been factored by whoever assembled it. False: M + N'DN cannot be.
  virtual bool factor(std::span<const double> d) = 0;
  // In place, of nodes(): g on entry, v on return; the fourth numbers are ignored.
  virtual void solve(NodeVector* x) = 0;         // with M
  virtual void solve_metric(NodeVector* x) = 0;  // with M + N'DN
  // solve() of many, one after the other in memory.
  virtual void solve_many(NodeVector* x, int count) {
    for (int k = 0; k < count; ++k) solve(x + static_cast<std::ptrdiff_t>(k) * nodes());
  }

  // Not in this process: what is going to be asked is announced, of all such bodies, and sent; then others are asked,
  // then these, with the same values. One question at a time.
  virtual bool elsewhere() const { return false; }
  enum class Question : unsigned char { solve, solve_metric, factor };
  virtual void announce(Question, const double* /*values*/) {}
  virtual void send() {}
};

}  // namespace ymir
