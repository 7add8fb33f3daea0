#include "ymir/actions/elastic_solid.h"

#include <array>
#include <cmath>
#include <limits>

#include "ymir/math/lane_math.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/elements/deformed_volume.h"
#include "ymir/physics/elements/hexahedron.h"
#include "ymir/physics/elements/tetrahedron.h"
#include "ymir/physics/hyperelastic/lame.h"
#include "ymir/physics/hyperelastic/mixed_neo_hookean.h"
#include "ymir/solids/element_order.h"

namespace ymir {
namespace {

constexpr int lanes = ElementOrder::lanes;
using Real = Lanes<double, lanes>;

template <class Element>
class NeoHookeanCells final : public MeshConstraint {
 public:
  static constexpr int nodes = Element::nodes, dofs = 3 * Element::nodes;

  NeoHookeanCells(const SolidMesh& mesh, std::string owner, const ElasticSolidMaterial& material)
      : mesh_(&mesh),
        owner_(std::move(owner)),
        lame_(lame(material.youngs_modulus, material.poisson_ratio)),
        order_(order_elements(mesh.cells, nodes, static_cast<std::int32_t>(mesh.positions.size()))),
        pressure_(mesh.cell_count(), 0) {}

  std::string owner() const override { return owner_; }
  std::string what() const override { return "elasticity of cells"; }
  BlockMatrix::Elements elements() const override { return {mesh_->cells, nodes}; }
  std::span<double> state() override { return pressure_; }

  void connect(const BlockMatrix& matrix) override {
    slots_.resize(mesh_->cell_count() * pairs);
    for (std::size_t e = 0; e < mesh_->cell_count(); ++e)
      for (int a = 0; a < nodes; ++a)
        for (int b = 0; b <= a; ++b) {
          const std::int32_t i = node(e, a), j = node(e, b);
          slots_[e * pairs + packed(a, b)] = matrix.slot(std::max(i, j), std::min(i, j));
        }
  }

  void assemble(MeshStep& s) override {
    std::vector<double> gap(order_.packs(), 0);
    for (std::size_t c = 0; c + 1 < order_.colours.size(); ++c) {
      const std::int32_t first = order_.colours[c];
      parallel_for(order_.colours[c + 1] - first, [&](std::ptrdiff_t p) {
        const std::size_t pack = static_cast<std::size_t>(first + p);
        gap[pack] = s.curvature == MeshStep::Curvature::exact ? assemble_pack<TangentKind::exact>(s, pack)
                                                              : assemble_pack<TangentKind::projected>(s, pack);
      });
    }
    for (const double g : gap) s.violation = std::max(s.violation, g);
  }

  void advance(const MeshStep& s, double share) override {
    if (lame_.lambda == 0) return;
    parallel_for(static_cast<std::ptrdiff_t>(order_.packs()), [&](std::ptrdiff_t p) {
      const Pack pack = gather(s, static_cast<std::size_t>(p));
      Real slope[dofs] = {};
      const Real volume = deformed_volume<Element>(pack.x, pack.rest, slope);
      Real along = Real::all(0);
      for (int k = 0; k < dofs; ++k) {
        Real step;
        for (int lane = 0; lane < lanes; ++lane)
          step.set(lane, s.step[static_cast<std::size_t>(
                             node(static_cast<std::size_t>(std::max(pack.element[lane], 0)), k / 3))][k % 3]);
        along = mul_add(slope[k], step, along);
      }
      const Real next = ((volume + along) / pack.volume - 1.0) * lame_.lambda;
      for (int lane = 0; lane < lanes; ++lane)
        if (pack.element[lane] >= 0) {
          double& q = pressure_[static_cast<std::size_t>(pack.element[lane])];
          q += share * (next[lane] - q);
        }
    });
  }

 private:
  static constexpr std::size_t pairs = packed_size(nodes);

  struct Pack {
    const std::int32_t* element;
    Vec3<Real> x[nodes];
    RestGradients<Element, Real> rest;
    Real volume, pressure;
  };

  std::int32_t node(std::size_t e, int a) const { return mesh_->cells[e * nodes + static_cast<std::size_t>(a)]; }

  // Lanes without an element repeat another; nothing of them is used.
  Pack gather(const MeshStep& s, std::size_t p) const {
    Pack pack;
    pack.element = order_.elements.data() + p * lanes;
    Vec3<Real> rest[nodes];
    Real fill;
    for (int lane = 0; lane < lanes; ++lane) {
      const auto e = static_cast<std::size_t>(std::max(pack.element[lane], pack.element[0]));
      for (int a = 0; a < nodes; ++a) {
        const auto i = static_cast<std::size_t>(node(e, a));
        for (int k = 0; k < 3; ++k) {
          pack.x[a][k].set(lane, s.position[i][k]);
          rest[a][k].set(lane, mesh_->positions[i][k]);
        }
      }
      fill.set(lane, mesh_->fill[e]);
      pack.pressure.set(lane, pressure_[e]);
    }
    pack.rest = rest_gradients<Element, Real>(rest);
    pack.volume = Real::all(0);
    for (int q = 0; q < Element::points; ++q) {
      pack.rest.weight[q] *= fill;
      pack.volume += pack.rest.weight[q];
    }
    return pack;
  }

  template <TangentKind kind>
  double assemble_pack(MeshStep& s, std::size_t p) const {
    const Pack pack = gather(s, p);
    const Real mu = Real::all(lame_.mu);
    const MixedNeoHookean::Parameters<Real> material{mu, Real::all(0), pack.pressure};
    Real f[dofs] = {}, slope[dofs] = {}, h[packed_size(dofs)] = {};
    assemble_element<MixedNeoHookean, Element, kind>(pack.x, pack.rest, material, f, h);
    Real scale[dofs];
    for (int k = 0; k < dofs; ++k) scale[k] = max(h[packed(k, k)], Real::all(0));
    const Real volume = deformed_volume<Element>(pack.x, pack.rest, slope);
    const Real dilation = volume / pack.volume - 1.0, missing = dilation * lame_.lambda - pack.pressure;
    const Real stiffness = lame_.lambda / pack.volume;
    for (int i = 0; i < dofs; ++i) {
      const Real along = slope[i] * stiffness;
      for (int j = 0; j <= i; ++j) h[packed(i, j)] = mul_add(along, slope[j], h[packed(i, j)]);
    }
    double gap = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      if (pack.element[lane] < 0) continue;
      const auto e = static_cast<std::size_t>(pack.element[lane]);
      for (int a = 0; a < nodes; ++a) {
        const auto i = static_cast<std::size_t>(node(e, a));
        for (int k = 0; k < 3; ++k) {
          s.residual[i][k] += f[3 * a + k][lane];
          s.condensed[i][k] += missing[lane] * slope[3 * a + k][lane];
          s.scale[i][k] += scale[3 * a + k][lane];
        }
        for (int b = 0; b <= a; ++b) add_block(s.matrix, e, a, b, h, lane);
      }
      if (lame_.lambda > 0) gap = worse(gap, std::fabs(missing[lane]) / lame_.lambda);
    }
    return gap;
  }

  void add_block(BlockMatrix& matrix, std::size_t e, int a, int b, const Real* h, int lane) const {
    double* block = matrix.block(slots_[e * pairs + packed(a, b)]);
    const bool turned = node(e, a) < node(e, b);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        const int i = 3 * a + r, j = 3 * b + c;
        const double value = h[i >= j ? packed(i, j) : packed(j, i)][lane];
        block[turned ? 3 * c + r : 3 * r + c] += value;
      }
  }

  const SolidMesh* mesh_;
  std::string owner_;
  Lame<double> lame_;
  ElementOrder order_;
  std::vector<double> pressure_;     // multiplier of each cell [Pa]
  std::vector<std::int32_t> slots_;  // of the pairs of nodes of each cell
};

}  // namespace

void add_elastic_solid(MeshObject& object, const std::string& owner, const ElasticSolidMaterial& material) {
  if (object.mesh().shape == CellShape::tetrahedron)
    object.add_constraint(std::make_unique<NeoHookeanCells<Tetrahedron>>(object.mesh(), owner, material));
  else
    object.add_constraint(std::make_unique<NeoHookeanCells<Hexahedron>>(object.mesh(), owner, material));
}

}  // namespace ymir
