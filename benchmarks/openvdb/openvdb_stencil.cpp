// The same stencil on OpenVDB trees the way its documentation advises: leaves in parallel, the voxel's own values from
// the leaf, neighbours through value accessors; one per thread, tree and direction, so that each finds its last leaf
// again.
//
// A module of its own that `ymir bench` loads: OpenVDB's libraries start a thread as soon as they are loaded, which the
// program itself must not depend on.
#include <openvdb/openvdb.h>
#include <openvdb/tree/ValueAccessor.h>

#include <stdexcept>
#include <vector>

#include "stencil_case.h"

namespace ymir::bench {
namespace {

using Tree = openvdb::FloatTree;
using Leaf = Tree::LeafNodeType;
using Reader = openvdb::tree::ValueAccessor<const Tree>;

class OpenVdbStencil final : public StencilSolver {
 public:
  explicit OpenVdbStencil(const StencilCase& scene) : scene_(scene) {
    openvdb::initialize();
    for (int z = 0; z < scene.buckets(); ++z)
      for (int y = 0; y < scene.buckets(); ++y)
        for (int x = 0; x < scene.buckets(); ++x)
          if (scene.present(x, y, z))
            for (Tree& tree : trees_) tree.touchLeaf({8 * x, 8 * y, 8 * z})->setValuesOn();
    for (int t = 0; t < 6; ++t) trees_[t].getNodes(leaves_[t]);
    const auto count = static_cast<std::ptrdiff_t>(leaves_[0].size());
    for (int t = 1; t < 6; ++t)
      if (leaves_[t].size() != leaves_[0].size()) throw std::logic_error("trees of one topology differ");
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t l = 0; l < count; ++l)
      for (openvdb::Index i = 0; i < Leaf::SIZE; ++i) {
        const auto leaf = static_cast<std::size_t>(l);
        const Vec3i v = place(*leaves_[0][leaf], i);
        leaves_[0][leaf]->setValueOnly(i, scene_.diagonal(v));
        for (int axis = 0; axis < 3; ++axis) leaves_[1 + axis][leaf]->setValueOnly(i, scene_.face(v, axis));
        leaves_[4][leaf]->setValueOnly(i, scene_.x(v));
      }
  }

  const char* name() const override { return "openvdb_accessor"; }

  void apply() override {
    const auto count = static_cast<std::ptrdiff_t>(leaves_[0].size());
#pragma omp parallel
    {
      const Reader cx(trees_[1]), cy(trees_[2]), cz(trees_[3]);
      const Reader x_low(trees_[4]), x_high(trees_[4]), y_low(trees_[4]), y_high(trees_[4]), z_low(trees_[4]),
          z_high(trees_[4]);
#pragma omp for schedule(static)
      for (std::ptrdiff_t n = 0; n < count; ++n) {
        const auto l = static_cast<std::size_t>(n);
        const float *d_own = leaves_[0][l]->buffer().data(), *x_own = leaves_[4][l]->buffer().data();
        const float *cx_own = leaves_[1][l]->buffer().data(), *cy_own = leaves_[2][l]->buffer().data(),
                    *cz_own = leaves_[3][l]->buffer().data();
        float* y = leaves_[5][l]->buffer().data();
        for (openvdb::Index i = 0; i < Leaf::SIZE; ++i) {
          const openvdb::Coord v = leaves_[0][l]->offsetToGlobalCoord(i);
          y[i] = d_own[i] * x_own[i] - (cx_own[i] * x_low.getValue(v.offsetBy(-1, 0, 0)) +
                                        cx.getValue(v.offsetBy(1, 0, 0)) * x_high.getValue(v.offsetBy(1, 0, 0)) +
                                        cy_own[i] * y_low.getValue(v.offsetBy(0, -1, 0)) +
                                        cy.getValue(v.offsetBy(0, 1, 0)) * y_high.getValue(v.offsetBy(0, 1, 0)) +
                                        cz_own[i] * z_low.getValue(v.offsetBy(0, 0, -1)) +
                                        cz.getValue(v.offsetBy(0, 0, 1)) * z_high.getValue(v.offsetBy(0, 0, 1)));
        }
      }
    }
  }

  std::uint64_t hash() const override {
    std::uint64_t sum = 0;
    for (const Leaf* leaf : leaves_[5])
      for (openvdb::Index i = 0; i < Leaf::SIZE; ++i) sum += scene_.hash(place(*leaf, i), leaf->getValue(i));
    return sum;
  }

 private:
  static Vec3i place(const Leaf& leaf, openvdb::Index i) {
    const openvdb::Coord c = leaf.offsetToGlobalCoord(i);
    return {c.x(), c.y(), c.z()};
  }

  StencilCase scene_;
  Tree trees_[6];  // d, cx, cy, cz, x, y: one topology
  std::vector<Leaf*> leaves_[6];
};

}  // namespace

}  // namespace ymir::bench

extern "C" ymir::bench::StencilSolver* ymir_openvdb_stencil(const ymir::bench::StencilCase& scene) {
  return new ymir::bench::OpenVdbStencil(scene);
}
