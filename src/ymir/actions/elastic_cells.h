// Cells of one shape made of one hyperelastic material, with Rayleigh damping and internal friction.
//
// Models whose volume is kept by lambda/2 (J - 1)^2 have a pressure q = lambda C of their own, condensed away
// (primal-dual): one per cell, C = volume/rest volume - 1 (P1, Q1P0), or one per point of a quadratic tetrahedron.
// Damping changes that law alone, q = lambda C + tau lambda (C - C_n)/dt, and adds shear on Green's strain. Internal
// friction acts on its deviator, point by point.
#pragma once

#include <cmath>
#include <type_traits>

#include "ymir/actions/cell_assembly.h"
#include "ymir/actions/elastic_solid.h"
#include "ymir/data/mesh_values.h"
#include "ymir/physics/elements/deformed_volume.h"
#include "ymir/physics/elements/hexahedron.h"
#include "ymir/physics/elements/quadratic_tetrahedron.h"
#include "ymir/physics/elements/tetrahedron.h"
#include "ymir/physics/hyperelastic/green_strain_damping.h"
#include "ymir/physics/hyperelastic/green_strain_friction.h"
#include "ymir/physics/hyperelastic/lame.h"
#include "ymir/physics/hyperelastic/st_venant_kirchhoff.h"

namespace ymir {

template <class Material, class Element>
class ElasticCells final : public MeshConstraint {
 public:
  ElasticCells(const SolidMesh& mesh, std::string owner, const ElasticSolidMaterial& material)
      : owner_(std::move(owner)),
        cells_(mesh),
        tau_(material.relaxation_time),
        saturation_(std::sqrt(1.5) * material.friction_saturation),
        length_(std::sqrt(1.5) * material.friction_length),
        each_(static_cast<std::size_t>(groups + (frictional() ? 6 * points : 0))),
        state_(mesh.cell_count() * each_, 0) {
    const auto young = cell_values(mesh, "youngs_modulus");
    for (std::size_t e = 0; e < mesh.cell_count(); ++e) {
      const Lame<double> l = lame(young ? (*young)[e] : material.youngs_modulus, material.poisson_ratio);
      mu_.push_back(l.mu);
      lambda_.push_back(l.lambda);
    }
    compressible_ = !mixed || material.poisson_ratio == 0;
  }

  std::string owner() const override { return owner_; }
  std::string what() const override { return "elasticity of cells"; }
  BlockMatrix::Elements elements() const override { return cells_.elements(); }
  bool divisible() const override { return true; }
  void restrict_to(std::span<const std::int32_t> cells) override { cells_.restrict_to(cells); }
  void connect(const BlockMatrix& matrix) override { cells_.connect(matrix); }
  std::span<double> state() override { return state_; }

  void assemble(MeshStep& s) override {
    std::vector<double> gap(cells_.packs(), 0);
    cells_.for_each_pack([&](std::size_t p) {
      gap[p] = s.curvature == MeshStep::Curvature::exact ? assemble_pack<TangentKind::exact>(s, p)
                                                         : assemble_pack<TangentKind::projected>(s, p);
    });
    for (const double g : gap) s.violation = worse(s.violation, g);
  }

  void begin(const MeshStep&) override { iterations_ = 0; }

  void advance(const MeshStep& s, double share) override {
    ++iterations_;
    if (compressible_) return;
    parallel_packs(static_cast<std::ptrdiff_t>(cells_.packs()), [&](std::ptrdiff_t p) {
      const Pack pack = cells_.pack(static_cast<std::size_t>(p));
      Vec3<Real> x[nodes], step[nodes];
      cells_.gather(pack, s.position, x);
      cells_.gather(pack, s.step, step);
      const Damping damping(*this, pack, s);
      for (int g = 0; g < groups; ++g) {
        const Volume now(pack, x, g);
        Real along = Real::all(0);
        for (int k = 0; k < dofs; ++k) along = mul_add(now.slope[k], step[k / 3][k % 3], along);
        const Real next = (now.dilation + along / now.rest - damping.rest_dilation[g]) * damping.lambda;
        Assembly::for_each_cell(pack, [&](int lane, std::size_t e) {
          double& q = state_[e * each_ + static_cast<std::size_t>(g)];
          q += share * (next[lane] - q);
        });
      }
    });
  }

  void end(const MeshStep& s) override {
    if (!frictional()) return;
    parallel_packs(static_cast<std::ptrdiff_t>(cells_.packs()), [&](std::ptrdiff_t p) {
      const Pack pack = cells_.pack(static_cast<std::size_t>(p));
      Vec3<Real> x[nodes];
      cells_.gather(pack, s.position, x);
      const Friction before = friction(pack, s);
      for (int q = 0; q < points; ++q) {
        const Mat3<Real> now =
            GreenStrainFriction::zeta(deformation_gradient<nodes>(x, pack.rest.gradient[q]), before.point[q]);
        Assembly::for_each_cell(pack, [&](int lane, std::size_t e) {
          for (int k = 0; k < 6; ++k)
            state_[e * each_ + static_cast<std::size_t>(zeta(q, k))] = now(row(k), column(k))[lane];
        });
      }
    });
  }

 private:
  using Assembly = CellAssembly<Element>;
  using Real = typename Assembly::Real;
  using Pack = typename Assembly::Pack;
  using Parameters = typename Material::template Parameters<Real>;
  static constexpr int nodes = Element::nodes, dofs = 3 * nodes, points = Element::points;
  static constexpr bool mixed = !std::is_same_v<Material, StVenantKirchhoff>;
  static constexpr bool per_point = std::is_same_v<Element, QuadraticTetrahedron>;
  static constexpr int patience = 6;                                  // iterations that go by the tangent of friction
  static constexpr int groups = !mixed ? 0 : per_point ? points : 1;  // that have a pressure

  // Of a group.
  struct Volume {
    Real rest = Real::all(0), dilation;
    Real slope[dofs] = {};

    Volume(const Pack& pack, const Vec3<Real>* x, int g) {
      if constexpr (per_point) {
        rest = pack.rest.weight[g];
        dilation = point_volume<Element>(x, pack.rest, g, slope) / rest - 1.0;
      } else {
        rest = pack.volume;
        dilation = deformed_volume<Element>(x, pack.rest, slope) / rest - 1.0;
      }
    }
  };

  // lambda C + tau lambda (C - C_n)/dt = lambda' (C - C_0).
  struct Damping {
    double factor;  // tau/dt
    Real mu, lambda;
    Real rest_dilation[std::max(groups, 1)] = {};  // C_0
    Vec3<Real> before[nodes];

    Damping(const ElasticCells& of, const Pack& pack, const MeshStep& s)
        : factor(of.tau_ / s.dt), mu(of.cells_.of_cells(pack, of.mu_)), lambda(of.cells_.of_cells(pack, of.lambda_)) {
      if (of.tau_ == 0) return;
      of.cells_.gather(pack, s.begin, before);
      if constexpr (mixed) lambda *= Real::all(1 + factor);
      for (int g = 0; g < groups; ++g) rest_dilation[g] = Volume(pack, before, g).dilation * (factor / (1 + factor));
    }
  };

  Parameters parameters(const Real& mu, const Real& lambda) const {
    if constexpr (std::is_same_v<Material, StVenantKirchhoff>)
      return {mu, lambda};
    else
      return Material::deviatoric(mu);
  }

  template <TangentKind kind>
  double assemble_pack(MeshStep& s, std::size_t p) const {
    const Pack pack = cells_.pack(p);
    Vec3<Real> x[nodes];
    cells_.gather(pack, s.position, x);
    const Damping damping(*this, pack, s);
    Real f[dofs] = {}, h[packed_size(dofs)] = {}, condensed[dofs] = {}, scale[dofs];
    PointParameters<Parameters, points> material;
    for (int q = 0; q < points; ++q) {
      material.point[q] = parameters(damping.mu, damping.lambda);
      if constexpr (mixed) material.point[q].pressure = kept(pack, per_point ? q : 0);
    }
    assemble_element<Material, Element, kind>(x, pack.rest, material, f, h);
    if (tau_ > 0) add_shear_damping<kind>(pack, x, damping, f, h);
    if (frictional()) assemble_element<GreenStrainFriction, Element, kind>(x, pack.rest, friction(pack, s), f, h);
    for (int k = 0; k < dofs; ++k) scale[k] = max(h[packed(k, k)], Real::all(0));
    double gap = 0;
    if (!compressible_)
      for (int g = 0; g < groups; ++g) {
        const Volume now(pack, x, g);
        const Real missing = (now.dilation - damping.rest_dilation[g]) * damping.lambda - kept(pack, g);
        const Real stiffness = damping.lambda / now.rest;
        for (int i = 0; i < dofs; ++i) {
          const Real along = now.slope[i] * stiffness;
          condensed[i] = mul_add(missing, now.slope[i], condensed[i]);
          for (int j = 0; j <= i; ++j) h[packed(i, j)] = mul_add(along, now.slope[j], h[packed(i, j)]);
        }
        Assembly::for_each_cell(
            pack, [&](int lane, std::size_t) { gap = worse(gap, std::fabs(missing[lane]) / damping.lambda[lane]); });
      }
    cells_.add_vector(pack, f, s.residual);
    cells_.add_vector(pack, condensed, s.condensed);
    cells_.add_vector(pack, scale, s.scale);
    cells_.add_matrix(pack, h, s.matrix);
    return gap;
  }

  template <TangentKind kind>
  static void add_shear_damping(const Pack& pack, const Vec3<Real>* x, const Damping& damping, Real* f, Real* h) {
    PointParameters<GreenStrainDamping::Parameters<Real>, points> viscous;
    for (int q = 0; q < points; ++q)
      viscous.point[q] = {
          damping.mu * damping.factor, mixed ? Real::all(0) : damping.lambda * damping.factor,
          GreenStrainDamping::strain(deformation_gradient<nodes>(damping.before, pack.rest.gradient[q]))};
    assemble_element<GreenStrainDamping, Element, kind>(x, pack.rest, viscous, f, h);
  }

  bool frictional() const { return saturation_ > 0; }
  // State of a pack's cells.
  Real kept(const Pack& pack, int which) const {
    return cells_.of_cells(pack, state_, each_, static_cast<std::size_t>(which));
  }

  using Friction = PointParameters<GreenStrainFriction::Parameters<Real>, points>;
  Friction friction(const Pack& pack, const MeshStep& s) const {
    Vec3<Real> before[nodes];
    cells_.gather(pack, s.begin, before);
    Friction all;
    for (int q = 0; q < points; ++q) {
      auto& at = all.point[q];
      at.mu = cells_.of_cells(pack, mu_);
      at.saturation = Real::all(saturation_);
      at.length = Real::all(length_);
      at.secant = iterations_ >= patience;
      at.before = GreenStrainDamping::strain(deformation_gradient<nodes>(before, pack.rest.gradient[q]));
      for (int k = 0; k < 6; ++k) at.zeta(row(k), column(k)) = at.zeta(column(k), row(k)) = kept(pack, zeta(q, k));
    }
    return all;
  }
  // Entries of a symmetric matrix, and where those of a point stand in the state of a cell.
  static constexpr int row(int k) { return k < 3 ? k : k == 3 ? 1 : 2; }
  static constexpr int column(int k) { return k < 3 ? k : k == 5 ? 1 : 0; }
  static constexpr int zeta(int q, int k) { return groups + 6 * q + k; }

  std::string owner_;
  Assembly cells_;
  double tau_;                       // [s]
  double saturation_, length_;       // of friction, as norms of dev E
  bool compressible_ = false;        // no pressure: lambda is 0, or part of the material
  std::vector<double> mu_, lambda_;  // of each cell [Pa]
  int iterations_ = 0;               // of this substep
  std::size_t each_;                 // values that a cell keeps
  std::vector<double> state_;        // multipliers of each cell [Pa]; strain of friction at its points
};

// Of whichever shape the cells have.
template <class Material>
std::unique_ptr<MeshConstraint> make_elastic_cells(const SolidMesh& mesh, const std::string& owner,
                                                   const ElasticSolidMaterial& material) {
  switch (mesh.shape) {
    case CellShape::hexahedron: return std::make_unique<ElasticCells<Material, Hexahedron>>(mesh, owner, material);
    case CellShape::quadratic_tetrahedron:
      return std::make_unique<ElasticCells<Material, QuadraticTetrahedron>>(mesh, owner, material);
    case CellShape::tetrahedron: break;
  }
  return std::make_unique<ElasticCells<Material, Tetrahedron>>(mesh, owner, material);
}

}  // namespace ymir
