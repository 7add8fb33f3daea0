#include "ymir/actions/load_stress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ymir/actions/cell_assembly.h"
#include "ymir/base/error.h"
#include "ymir/data/mesh_values.h"
#include "ymir/math/symmetric_eigen3.h"
#include "ymir/objects/steady_load.h"
#include "ymir/physics/elements/hexahedron.h"
#include "ymir/physics/elements/quadratic_tetrahedron.h"
#include "ymir/physics/elements/tetrahedron.h"
#include "ymir/physics/hyperelastic/lame.h"
#include "ymir/solvers/block_cholesky.h"

namespace ymir {
namespace {

constexpr double stiffening = 1.25, most_stiffening = 1000;

template <class Element>
class LoadStress final : public MeshConstraint {
 public:
  LoadStress(const MeshObject& object, std::string owner, const ElasticSolidMaterial& material, double share)
      : mesh_(&object.mesh()), owner_(std::move(owner)), material_(material), cells_(*mesh_) {
    const std::vector<Vec3d> z = hooke(object);
    stress_.resize(mesh_->cell_count() * values);
    positive_.resize(stress_.size());
    cells_.for_each_pack([&](std::size_t p) {
      const Pack pack = cells_.pack(p);
      const Lame<Real> l = moduli(pack);
      Vec3<Real> moved[nodes];
      cells_.gather(pack, z, moved);
      Real dilation = Real::all(0);
      for (int q = 0; q < points; ++q) dilation += trace(gradient(pack, moved, q)) * pack.rest.weight[q];
      dilation = dilation / pack.volume;
      for (int q = 0; q < points; ++q) {
        const Mat3<Real> g = gradient(pack, moved, q);
        Mat3<Real> s = (g + transposed(g)) * l.mu;
        s = plus_diagonal(s, l.lambda * (per_point ? trace(g) : dilation)) * Real::all(share);
        Assembly::for_each_cell(pack, [&](int lane, std::size_t e) { keep(e, q, s, lane); });
      }
    });
  }

  // The exact matrix where the body begins has positive pivots.
  double stiffening_to_stand(const MeshObject& object) {
    MeshStep s;
    const std::vector<BlockMatrix::Elements> elements{cells_.elements()};
    s.matrix = BlockMatrix(static_cast<std::int32_t>(mesh_->positions.size()), elements);
    cells_.connect(s.matrix);
    s.position = mesh_->positions;
    s.residual.resize(s.position.size());
    s.scale.resize(s.position.size());
    const std::vector<std::uint8_t> held(object.held().begin(), object.held().begin() + s.matrix.nodes());
    BlockCholesky solver;
    solver.analyze(s.matrix);
    for (double factor = 1; factor < most_stiffening; factor *= stiffening) {
      s.matrix.clear();
      assemble(s);
      add_stiffness(s.matrix, factor);
      s.matrix.hold(held);
      if (solver.factor(s.matrix)) return factor;
    }
    return std::numeric_limits<double>::infinity();
  }
  std::string owner() const override { return owner_; }
  std::string what() const override { return "stress that bears the load"; }
  BlockMatrix::Elements elements() const override { return cells_.elements(); }
  bool divisible() const override { return true; }
  void restrict_to(std::span<const std::int32_t> cells) override { cells_.restrict_to(cells); }
  void connect(const BlockMatrix& matrix) override { cells_.connect(matrix); }

  void assemble(MeshStep& s) override {
    const bool exact = s.curvature == MeshStep::Curvature::exact;
    cells_.for_each_pack([&](std::size_t p) {
      const Pack pack = cells_.pack(p);
      Vec3<Real> x[nodes];
      cells_.gather(pack, s.position, x);
      for (int a = nodes - 1; a >= 0; --a) x[a] = x[a] - x[0];  // sums of the rest lose no digits far away
      Real f[dofs] = {}, h[packed_size(dofs)] = {}, scale[dofs];
      for (int q = 0; q < points; ++q) {
        Mat3<Real> now, kept;
        for (int k = 0; k < 6; ++k) {
          const auto [r, c] = places[static_cast<std::size_t>(k)];
          now(r, c) = now(c, r) = cells_.of_cells(pack, stress_, values, static_cast<std::size_t>(6 * q + k));
          kept(r, c) = kept(c, r) =
              exact ? now(r, c) : cells_.of_cells(pack, positive_, values, static_cast<std::size_t>(6 * q + k));
        }
        for (int a = 0; a < nodes; ++a) {
          const Vec3<Real> pulled = now * pack.rest.gradient[q][a] * pack.rest.weight[q];
          const Vec3<Real> held = kept * pack.rest.gradient[q][a] * pack.rest.weight[q];
          for (int b = 0; b < nodes; ++b) {
            const Real g = dot(pulled, pack.rest.gradient[q][b]);
            for (int k = 0; k < 3; ++k) f[3 * a + k] = mul_add(g, x[b][k], f[3 * a + k]);
            if (b > a) continue;
            const Real stiffness = dot(held, pack.rest.gradient[q][b]);
            for (int k = 0; k < 3; ++k) h[packed(3 * a + k, 3 * b + k)] += stiffness;
          }
        }
      }
      for (int k = 0; k < dofs; ++k) scale[k] = max(h[packed(k, k)], Real::all(0));
      cells_.add_vector(pack, f, s.residual);
      cells_.add_vector(pack, scale, s.scale);
      cells_.add_matrix(pack, h, s.matrix);
    });
  }

 private:
  using Assembly = CellAssembly<Element>;
  using Real = typename Assembly::Real;
  using Pack = typename Assembly::Pack;
  static constexpr int nodes = Element::nodes, dofs = 3 * nodes, points = Element::points;
  static constexpr std::size_t values = 6 * points;
  static constexpr bool per_point = points == 4;  // dilation of quadratic cells; else one for all of a cell
  static constexpr std::array<std::pair<int, int>, 6> places{{{0, 0}, {1, 1}, {2, 2}, {1, 0}, {2, 0}, {2, 1}}};

  static Mat3<Real> gradient(const Pack& pack, const Vec3<Real>* of, int q) {
    Mat3<Real> g;
    for (int a = 0; a < nodes; ++a) g += outer(of[a], pack.rest.gradient[q][a]);
    return g;
  }

  Lame<Real> moduli(const Pack& pack, double factor = 1) const {
    const Lame<double> unit = lame(factor, material_.poisson_ratio);
    const Real young = cells_.of_cells(pack, young_);
    return {young * unit.mu, young * unit.lambda};
  }

  void add_stiffness(BlockMatrix& matrix, double factor) const {
    cells_.for_each_pack([&](std::size_t p) {
      const Pack pack = cells_.pack(p);
      const Lame<Real> l = moduli(pack, factor);
      Real h[packed_size(dofs)] = {};
      Vec3<Real> slope[nodes] = {};
      const auto add = [&](const Vec3<Real>* ga, const Real& mu, const Real& lambda) {
        for (int i = 0; i < dofs; ++i)
          for (int j = 0; j <= i; ++j) {
            const Vec3<Real>&a = ga[i / 3], &b = ga[j / 3];
            Real value = lambda * a[i % 3] * b[j % 3] + mu * a[j % 3] * b[i % 3];
            if (i % 3 == j % 3) value += mu * dot(a, b);
            h[packed(i, j)] += value;
          }
      };
      for (int q = 0; q < points; ++q) {
        const Real w = pack.rest.weight[q];
        add(&pack.rest.gradient[q][0], l.mu * w, per_point ? l.lambda * w : Real::all(0));
        for (int a = 0; a < nodes; ++a) slope[a] = slope[a] + pack.rest.gradient[q][a] * w;
      }
      if (!per_point) add(slope, Real::all(0), l.lambda / pack.volume);
      cells_.add_matrix(pack, h, matrix);
    });
  }

  // What the load would do to a linear solid [m].
  std::vector<Vec3d> hooke(const MeshObject& object) {
    young_ = cell_values(*mesh_, "youngs_modulus")
                 .value_or(std::vector<double>(mesh_->cell_count(), material_.youngs_modulus));
    const auto n = static_cast<std::int32_t>(mesh_->positions.size());
    const std::vector<BlockMatrix::Elements> elements{cells_.elements()};
    BlockMatrix matrix(n, elements);
    cells_.connect(matrix);
    matrix.clear();
    add_stiffness(matrix, 1);
    const std::vector<std::uint8_t> held(object.held().begin(), object.held().begin() + n);
    std::vector<double> diagonal;
    for (std::int32_t i = 0; i < n; ++i) diagonal.push_back(matrix.diagonal(i)[0]);
    matrix.hold(held);
    const std::vector<Vec3d> load =
        steady_load(object.forces(), object.start(), object.mass().data(), object.radius().data());
    std::vector<double> b(3 * load.size(), 0.0), z(b.size());
    for (std::size_t i = 0; i < load.size(); ++i)
      for (int k = 0; k < 3 && held[i] == 0; ++k) b[3 * i + static_cast<std::size_t>(k)] = load[i][k];
    BlockCholesky solver;
    solver.analyze(matrix);
    const bool definite = solver.factor(matrix);
    if (definite) solver.solve(b.data(), z.data());
    // A body that may still move as a whole answers with a move that its stiffness does not bound.
    double largest = 0, most = 0;
    for (std::size_t i = 0; i < load.size(); ++i) {
      largest = std::max({largest, std::fabs(z[3 * i]), std::fabs(z[3 * i + 1]), std::fabs(z[3 * i + 2])});
      most += norm(load[i]) / diagonal[i];
    }
    if (!definite || !(largest < 1e9 * most))
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: {} is not held so that it cannot move as a whole, and nothing can bear its weight; "
                              "hold more of it by `attachment: {{surface: ..., range: ...}}`, or leave "
                              "gravity_compensation out",
                              owner_, object.path()));
    std::vector<Vec3d> moved(load.size());
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = {z[3 * i], z[3 * i + 1], z[3 * i + 2]};
    return moved;
  }

  void keep(std::size_t e, int q, const Mat3<Real>& s, int lane) {
    Mat3d own, positive;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) own(r, c) = s(r, c)[lane];
    const SymmetricEigen3<double> eigen = symmetric_eigen3(own);
    for (int k = 0; k < 3; ++k)
      positive += outer(eigen.vectors.column[k] * std::max(eigen.values[k], 0.0), eigen.vectors.column[k]);
    for (std::size_t k = 0; k < 6; ++k) {
      const auto [r, c] = places[k];
      stress_[e * values + static_cast<std::size_t>(6 * q) + k] = own(r, c);
      positive_[e * values + static_cast<std::size_t>(6 * q) + k] = positive(r, c);
    }
  }

  const SolidMesh* mesh_;
  std::string owner_;
  ElasticSolidMaterial material_;
  Assembly cells_;
  std::vector<double> young_;              // of each cell [Pa]
  std::vector<double> stress_, positive_;  // S of each point of each cell, and the part of it that pulls [Pa]
};

}  // namespace

double add_load_stress(MeshObject& object, const std::string& owner, const ElasticSolidMaterial& material,
                       double share) {
  const auto add = [&]<class Element>() {
    auto stress = std::make_unique<LoadStress<Element>>(object, owner, material, share);
    const double factor = stress->stiffening_to_stand(object);
    object.add_constraint(std::move(stress));
    return factor;
  };
  switch (object.mesh().shape) {
    case CellShape::hexahedron: return add.template operator()<Hexahedron>();
    case CellShape::quadratic_tetrahedron: return add.template operator()<QuadraticTetrahedron>();
    default: return add.template operator()<Tetrahedron>();
  }
}

}  // namespace ymir
