// Points beside the axis of four strands side by side, as nodes of contacts: two arms a across each edge, as it is when
// the substep begins. What friction pulls at the surface of a strand turns it.
//
//   omega = turn t + t x (x_{j+1} - x_j)/l,   w = omega x a = turn (t x a) - t (a . (x_{j+1} - x_j))/l
//
// t is the tangent, turn the angle of the material frame: a node moves by w, which is linear in the unknowns, and what
// pulls at it is a torque on the angle and a couple on the two vertices. However far an edge rolls in a substep, the
// arm points to where it touched when that began, as normals do.
//
// Nodes of a strand of n vertices: the vertices, then two of each edge, named by its first vertex; of the last vertex,
// too, which nothing follows. [Bergou2010, 4: how a frame follows its edge]
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/math/vec3.h"
#include "ymir/solvers/nodal_contact/nodal_body.h"

namespace ymir {

class EdgeArms {
 public:
  static constexpr int lanes = 4;
  using Real = Lanes<double, lanes>;
  struct Edge {
    Vec3<Real> along;           // t/l [1/m]
    Vec3<Real> arm[2], way[2];  // a, t x a [m]
    Real turns, moves[2];       // 1: the angle, the two positions are unknowns; 0: they are given
    Real compliance;            // about that of a node [1/kg]; 0: none
    Real most;                  // that it could have if nothing held the edge
  };

  // block: rows of a vertex; three of its position first, the angle of the edge after it last.
  void set(int block, std::vector<Edge> edges) {
    block_ = block;
    edges_ = std::move(edges);
  }
  bool empty() const { return edges_.empty(); }
  int vertices() const { return static_cast<int>(edges_.size()); }
  const Edge& edge(int j) const { return edges_[static_cast<std::size_t>(j)]; }
  static int per_lane(int vertices) { return 3 * vertices; }
  std::int32_t node(int lane, int edge, int which) const {
    const int n = vertices();
    return lane * per_lane(n) + n + 2 * edge + which;
  }

  // N: of the ways of vertices and angles to those of nodes.
  void collect(const Real* rows, double times, NodeVector* nodes) const;
  // rows += N' nodes
  void spread(const NodeVector* nodes, double times, Real* rows) const;
  // matrix += times N'DN; columns of `column` entries from the diagonal on, as in band_ldl.h.
  void add_masses(std::span<const double> d, double times, Real* matrix, int column) const;
  // Compliances of the nodes, from the inverse of the matrix within the band: tr[N M^-1 N']/3 [1/kg].
  void measure(const Real* inverse, int column, int edge, Real (&compliance)[2]) const;

 private:
  int block_ = 0;
  std::vector<Edge> edges_;  // one for each vertex
};

}  // namespace ymir
