// The elastons of one plant as the solver wants them: those with the same number of nodes together, in packs of vector
// lanes, coloured so that threads never meet at a node.
//
// At an elaston the field has ten vectors, x and its derivatives along the axes of the elaston
//   (x, x,1 x,2 x,3, x,11 x,22 x,33 x,23 x,13 x,12) = sum over slots of S q,    q: x_i and l F_i e_k of the nodes [m]
// All that acts at an elaston (inertia, elasticity, forces, contact) is a gradient g and a matrix H on these ten, and
// comes to the slots as S'g and S'HS. S is rest data.
#pragma once

#include <functional>
#include <span>

#include "ymir/math/lane_math.h"
#include "ymir/objects/elaston_reach.h"
#include "ymir/solids/element_order.h"
#include "ymir/solvers/block_matrix.h"

namespace ymir {

class ElastonElements {
 public:
  static constexpr int lanes = ElementOrder::lanes, vectors = 10, dofs = 3 * vectors;
  using Real = Lanes<double, lanes>;
  using Field = Vec3<Real>[vectors];
  struct Local {
    Field gradient;           // [N, N m, ...]
    Real matrix[dofs][dofs];  // symmetric
  };

  struct Pack {
    const std::int32_t* element;  // numbers of points; -1: the lane is empty and repeats the first
    const std::int32_t* nodes[lanes];
    const std::int32_t* blocks[lanes];  // of each pair of nodes a >= b, packed: the block of x_a and x_b in its column
    const Real* shape;                  // [slot][vectors]
    int slots;
    std::size_t of(int lane) const { return static_cast<std::size_t>(element[lane] < 0 ? element[0] : element[lane]); }
  };

  ElastonElements() = default;
  // Nodes of points count from `first_node`; axes are those of each point. unit: l [m].
  ElastonElements(const std::vector<ElastonPoint>& points, const std::vector<Mat3d>& axes, std::int32_t first_node,
                  std::int32_t node_count, double unit);

  // Four nodes of 3x3 blocks per node of the plant.
  BlockMatrix pattern(std::span<const std::vector<std::int32_t>> more = {}) const;  // and each of these slots by each
  void connect(const BlockMatrix& matrix);

  // f(pack), colour by colour.
  void for_each_pack(const std::function<void(const Pack&)>& f) const;
  // The ten vectors of a field given at the slots.
  static void gather(const Pack& pack, std::span<const Vec3d> slots, Field& field);
  static void scatter(const Pack& pack, const Local& local, std::span<Vec3d> residual, BlockMatrix& matrix);

 private:
  struct Group {
    int reach;  // nodes of each point
    std::vector<std::int32_t> members, nodes, blocks;
    ElementOrder order;  // of members
    std::vector<std::int32_t> elements;
    std::vector<Real> shapes;
  };
  std::vector<Group> groups_;
  std::int32_t node_count_ = 0;
};

}  // namespace ymir
