// What all energies on the cells of a mesh share: cells in packs of vector lanes, in an order in which threads never
// meet at a node, and where their blocks are in the matrix.
#pragma once

#include <algorithm>
#include <vector>

#include "ymir/data/solid_mesh.h"
#include "ymir/math/lane_math.h"
#include "ymir/objects/mesh_step.h"
#include "ymir/physics/elements/assemble_element.h"
#include "ymir/solids/element_order.h"

namespace ymir {

template <class Element>
class CellAssembly {
 public:
  static constexpr int nodes = Element::nodes, dofs = 3 * Element::nodes, lanes = ElementOrder::lanes;
  using Real = Lanes<double, lanes>;

  struct Pack {
    const std::int32_t* element;  // -1: the lane is empty; it repeats the first, and nothing of it is used
    RestGradients<Element, Real> rest;
    Real volume;  // at rest, of what is solid [m^3]
    std::size_t of(int lane) const { return static_cast<std::size_t>(std::max(element[lane], element[0])); }
  };

  explicit CellAssembly(const SolidMesh& mesh)
      : mesh_(&mesh), order_(order_elements(mesh.cells, nodes, static_cast<std::int32_t>(mesh.positions.size()))) {}

  // Only these cells from now on.
  void restrict_to(std::span<const std::int32_t> cells) {
    chosen_.clear();
    for (const std::int32_t c : cells)
      for (int a = 0; a < nodes; ++a) chosen_.push_back(node(static_cast<std::size_t>(c), a));
    order_ = order_elements(chosen_, nodes, static_cast<std::int32_t>(mesh_->positions.size()));
    for (std::int32_t& e : order_.elements)
      if (e >= 0) e = cells[static_cast<std::size_t>(e)];
    restricted_ = true;
  }

  std::size_t packs() const { return order_.packs(); }
  BlockMatrix::Elements elements() const { return {restricted_ ? chosen_ : mesh_->cells, nodes}; }

  void connect(const BlockMatrix& matrix) {
    slots_.assign(order_.elements.size() * pairs, 0);
    for (std::size_t k = 0; k < order_.elements.size(); ++k)
      for (int a = 0; a < nodes && order_.elements[k] >= 0; ++a)
        for (int b = 0; b <= a; ++b) {
          const auto e = static_cast<std::size_t>(order_.elements[k]);
          const std::int32_t i = node(e, a), j = node(e, b);
          slots_[k * pairs + packed(a, b)] = matrix.slot(std::max(i, j), std::min(i, j));
        }
  }

  // f(number of the pack)
  template <class F>
  void for_each_pack(F&& f) const {
    order_.for_each_pack(f);
  }

  Pack pack(std::size_t p) const {
    Pack pack;
    pack.element = order_.elements.data() + p * lanes;
    Vec3<Real> rest[nodes];
    gather(pack, mesh_->positions, rest);
    pack.rest = rest_gradients<Element, Real>(rest);
    const bool apart = !mesh_->shares.empty();
    pack.volume = Real::all(0);
    for (int q = 0; q < Element::points; ++q) {
      pack.rest.weight[q] *= apart ? of_cells(pack, mesh_->shares, Element::points, static_cast<std::size_t>(q))
                                   : of_cells(pack, mesh_->fill);
      pack.volume += pack.rest.weight[q];
    }
    return pack;
  }

  // A vector of the nodes at those of the pack's cells.
  void gather(const Pack& pack, const std::vector<Vec3d>& from, Vec3<Real>* x) const {
    for (int lane = 0; lane < lanes; ++lane)
      for (int a = 0; a < nodes; ++a) {
        const Vec3d& v = from[static_cast<std::size_t>(node(pack.of(lane), a))];
        for (int k = 0; k < 3; ++k) x[a][k].set(lane, v[k]);
      }
  }
  // `each` values per cell, the one at `which`.
  Real of_cells(const Pack& pack, const std::vector<double>& values, std::size_t each = 1,
                std::size_t which = 0) const {
    Real value;
    for (int lane = 0; lane < lanes; ++lane) value.set(lane, values[pack.of(lane) * each + which]);
    return value;
  }

  // f(lane, number of the cell) for lanes that hold one.
  template <class F>
  static void for_each_cell(const Pack& pack, F&& f) {
    for (int lane = 0; lane < lanes; ++lane)
      if (pack.element[lane] >= 0) f(lane, static_cast<std::size_t>(pack.element[lane]));
  }
  void add_vector(const Pack& pack, const Real* f, std::vector<Vec3d>& to) const {
    for_each_cell(pack, [&](int lane, std::size_t e) {
      for (int a = 0; a < nodes; ++a)
        for (int k = 0; k < 3; ++k) to[static_cast<std::size_t>(node(e, a))][k] += f[3 * a + k][lane];
    });
  }
  // h: lower triangle by rows, packed.
  void add_matrix(const Pack& pack, const Real* h, BlockMatrix& matrix) const {
    const auto first = static_cast<std::size_t>(pack.element - order_.elements.data());
    for_each_cell(pack, [&](int lane, std::size_t e) {
      const std::int32_t* slots = slots_.data() + (first + static_cast<std::size_t>(lane)) * pairs;
      for (int a = 0; a < nodes; ++a)
        for (int b = 0; b <= a; ++b)
          add_block(matrix.block(slots[packed(a, b)]), node(e, a) < node(e, b), a, b, h, lane);
    });
  }

 private:
  static constexpr std::size_t pairs = packed_size(nodes);

  std::int32_t node(std::size_t e, int a) const { return mesh_->cells[e * nodes + static_cast<std::size_t>(a)]; }

  static void add_block(double* block, bool turned, int a, int b, const Real* h, int lane) {
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        const int i = 3 * a + r, j = 3 * b + c;
        const double value = h[i >= j ? packed(i, j) : packed(j, i)][lane];
        block[turned ? 3 * c + r : 3 * r + c] += value;
      }
  }

  const SolidMesh* mesh_;
  ElementOrder order_;
  bool restricted_ = false;
  std::vector<std::int32_t> chosen_;  // nodes of the cells it is restricted to
  std::vector<std::int32_t> slots_;   // of the pairs of nodes of each cell, in the order of packs
};

}  // namespace ymir
