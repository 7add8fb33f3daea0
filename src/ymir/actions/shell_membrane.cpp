#include <array>
#include <cmath>

#include "ymir/actions/bears_load.h"
#include "ymir/actions/elastic_shell.h"
#include "ymir/actions/element_scatter.h"
#include "ymir/math/lane_math.h"
#include "ymir/physics/constraints/response.h"
#include "ymir/physics/shells/membrane.h"
#include "ymir/solids/element_order.h"
#include "ymir/solids/solid_block.h"

namespace ymir {
namespace {

constexpr int lanes = ElementOrder::lanes;
using Real = Lanes<double, lanes>;

// Residuals are measured against what resists across the cloth. Of what resists along it only this share counts, which
// is above round-off: with all of it, a residual across the cloth would pass for a small displacement.
constexpr double stiff_share = 1e-6;

// Where the matrix is projected to be definite, compression is kept up to what inertia alone withstands: the geometric
// part of a triangle is above -s A |G|^2, its share of inertia rho h A/(3 dt^2). So much less is in the way of modes
// that buckle, which grow by the ratio of their negative stiffness to what the matrix has instead.
constexpr double nearly = 0.95;

constexpr int patience = 6;  // iterations that go by the tangent of friction

class MembraneCells final : public MeshConstraint, public BearsLoad {
 public:
  MembraneCells(const MeshObject& object, std::string owner, const ElasticShellMaterial& material,
                const std::vector<Vec3d>& warp)
      : mesh_(&object.mesh()),
        owner_(std::move(owner)),
        material_(material),
        order_(order_elements(mesh_->cells, 3, static_cast<std::int32_t>(mesh_->positions.size()))),
        rest_(order_.packs()),
        borne_(order_.packs()),
        begin_(order_.packs()),
        state_((material.stretch_saturation > 0 ? 6 : 3) * mesh_->cell_count(), 0) {
    for (std::size_t p = 0; p < order_.packs(); ++p)
      for (int lane = 0; lane < lanes; ++lane) {
        const std::size_t e = element(p, lane);
        Vec3d x[3];
        for (int a = 0; a < 3; ++a) x[a] = mesh_->positions[node(e, a)];
        const RestTriangle<double> rest = rest_triangle(x, warp[e]);
        for (int a = 0; a < 3; ++a) {
          rest_[p].ru[a].set(lane, rest.ru[a]);
          rest_[p].rv[a].set(lane, rest.rv[a]);
        }
        rest_[p].area.set(lane, rest.area * mesh_->fill[e]);
        double uu = 0, uv = 0, vv = 0;
        for (int a = 0; a < 3; ++a)
          uu += rest.ru[a] * rest.ru[a], uv += rest.ru[a] * rest.rv[a], vv += rest.rv[a] * rest.rv[a];
        const double largest = (uu + vv) / 2 + std::hypot((uu - vv) / 2, uv);
        borne_[p].set(lane, nearly * object.description().density * mesh_->thickness / (3 * largest));
      }
  }

  std::string owner() const override { return owner_; }
  std::string what() const override { return "stretch and shear of cloth"; }
  BlockMatrix::Elements elements() const override { return {mesh_->cells, 3}; }
  std::span<double> state() override { return state_; }
  void connect(const BlockMatrix& matrix) override { scatter_.connect(matrix, mesh_->cells, 3); }

  void begin(const MeshStep& s) override {
    iterations_ = 0;
    parallel_packs(static_cast<std::ptrdiff_t>(order_.packs()), [&](std::ptrdiff_t p) {
      Membrane::value(geometry(s.begin, static_cast<std::size_t>(p)), begin_[static_cast<std::size_t>(p)].data());
    });
  }

  void assemble(MeshStep& s) override {
    std::vector<double> gap(order_.packs(), 0);
    order_.for_each_pack([&](std::size_t pack) { gap[pack] = assemble_pack(s, pack); });
    for (const double g : gap) s.violation = std::max(s.violation, g);
  }

  void advance(const MeshStep& s, double share) override {
    parallel_packs(static_cast<std::ptrdiff_t>(order_.packs()), [&](std::ptrdiff_t index) {
      const auto p = static_cast<std::size_t>(index);
      const Membrane::Geometry<Real> g = geometry(s.position, p);
      const Membrane::Geometry<Real> d = geometry(s.step, p);
      const Response r = respond_to(g, p, s.dt);
      const Real along[3] = {dot(g.u, d.u), dot(g.v, d.v), dot(g.u, d.v) + dot(g.v, d.u)};
      for (int k = 0; k < 3; ++k) {
        Real next = r.stress[k];
        for (int l = 0; l < 3; ++l) next = mul_add(r.stiffness[k >= l ? packed(k, l) : packed(l, k)], along[l], next);
        for (int lane = 0; lane < lanes; ++lane)
          if (order_.elements[p * lanes + static_cast<std::size_t>(lane)] >= 0) {
            double& sigma = stress(element(p, lane), k);
            sigma += share * (next[lane] - sigma);
          }
      }
    });
    ++iterations_;
  }

  void bear(const MeshStep& s) override {
    load_.resize(3 * mesh_->cell_count(), 0);
    for (std::size_t p = 0; p < order_.packs(); ++p) {
      const Membrane::Geometry<Real> g = geometry(s.position, p), d = geometry(s.step, p);
      const Response r = respond_to(g, p, s.dt);
      const Real along[3] = {dot(g.u, d.u), dot(g.v, d.v), dot(g.u, d.v) + dot(g.v, d.u)};
      for (int lane = 0; lane < lanes; ++lane) {
        if (order_.elements[p * lanes + static_cast<std::size_t>(lane)] < 0) continue;
        for (int k = 0; k < 3; ++k) {
          double answer = 0;
          for (int l = 0; l < 3; ++l)
            answer += r.stiffness[k >= l ? packed(k, l) : packed(l, k)][lane] * along[l][lane];
          load_[3 * element(p, lane) + static_cast<std::size_t>(k)] += answer;
          stress(element(p, lane), k) += answer;
        }
      }
    }
  }

  void end(const MeshStep& s) override {
    if (!frictional()) return;
    parallel_packs(static_cast<std::ptrdiff_t>(order_.packs()), [&](std::ptrdiff_t index) {
      const auto p = static_cast<std::size_t>(index);
      Real c[3];
      Membrane::value(geometry(s.position, p), c);
      for (int lane = 0; lane < lanes; ++lane)
        for (int k = 0; k < 3 && order_.elements[p * lanes + static_cast<std::size_t>(lane)] >= 0; ++k) {
          double& zeta = friction(element(p, lane), k);
          zeta = dahl_friction(c[k][lane], begin_[p][static_cast<std::size_t>(k)][lane], zeta,
                               material_.stretch_saturation, material_.stretch_length);
        }
    });
  }

 private:
  struct Response {
    Real stress[3];                 // dw/dC with damping [N/m]
    std::array<Real, 6> stiffness;  // its derivative by C [N/m]
  };

  bool frictional() const { return material_.stretch_saturation > 0; }
  double& stress(std::size_t e, int k) { return state_[3 * e + static_cast<std::size_t>(k)]; }
  double stress(std::size_t e, int k) const { return state_[3 * e + static_cast<std::size_t>(k)]; }
  double& friction(std::size_t e, int k) { return state_[3 * (mesh_->cell_count() + e) + static_cast<std::size_t>(k)]; }
  double friction(std::size_t e, int k) const {
    return state_[3 * (mesh_->cell_count() + e) + static_cast<std::size_t>(k)];
  }
  double stretch(int k, int l) const { return material_.stretch[k >= l ? packed(k, l) : packed(l, k)]; }
  // Lanes without an element repeat the first; nothing of them is used.
  std::size_t element(std::size_t p, int lane) const {
    const std::int32_t* e = order_.elements.data() + p * lanes;
    return static_cast<std::size_t>(std::max(e[lane], e[0]));
  }
  std::size_t node(std::size_t e, int a) const {
    return static_cast<std::size_t>(mesh_->cells[3 * e + static_cast<std::size_t>(a)]);
  }
  Membrane::Geometry<Real> geometry(const std::vector<Vec3d>& at, std::size_t p) const {
    Vec3<Real> x[3];
    for (int lane = 0; lane < lanes; ++lane)
      for (int a = 0; a < 3; ++a) {
        const Vec3d& from = at[node(element(p, lane), a)];
        for (int k = 0; k < 3; ++k) x[a][k].set(lane, from[k]);
      }
    return Membrane::Geometry<Real>(x, rest_[p]);
  }

  Response respond_to(const Membrane::Geometry<Real>& g, std::size_t p, double dt) const {
    const double damping = material_.stretch_relaxation / dt;
    Real c[3];
    Membrane::value(g, c);
    Response r;
    for (std::size_t k = 0; k < 6; ++k) r.stiffness[k] = Real::all(material_.stretch[k]);
    const auto linear = [&](int k, const Real* strain) {
      Real sum = Real::all(0);
      for (int l = 0; l < 3; ++l) sum = mul_add(strain[l], Real::all(stretch(k, l)), sum);
      return sum;
    };
    for (int k = 0; k < 3; ++k) r.stress[k] = linear(k, c);
    // A curve holds for tension along its own threads; it knows no contraction across them.
    const auto follow = [&](const std::optional<TensileCurve>& curve, int k) {
      if (!curve) return;
      const TensileResponse<Real> t = respond(*curve, c[k]);
      r.stress[k] = t.stress;
      r.stiffness[packed(k, k)] = t.stiffness;
    };
    follow(material_.warp_curve, 0);
    follow(material_.weft_curve, 1);
    if (damping > 0) {
      const Real change[3] = {c[0] - begin_[p][0], c[1] - begin_[p][1], c[2] - begin_[p][2]};
      for (int k = 0; k < 3; ++k) r.stress[k] = mul_add(linear(k, change), Real::all(damping), r.stress[k]);
      for (std::size_t k = 0; k < 6; ++k) r.stiffness[k] += Real::all(damping * material_.stretch[k]);
    }
    for (int k = 0; k < 3 && !load_.empty(); ++k) {
      Real borne;
      for (int lane = 0; lane < lanes; ++lane)
        borne.set(lane, load_[3 * element(p, lane) + static_cast<std::size_t>(k)]);
      r.stress[k] += borne;
    }
    for (int k = 0; k < 3 && frictional(); ++k) {
      Real zeta;
      for (int lane = 0; lane < lanes; ++lane) zeta.set(lane, friction(element(p, lane), k));
      ymir::Response<Real> row{r.stress[k], r.stiffness[packed(k, k)]};
      const auto add = iterations_ < patience ? add_dahl<Real> : add_dahl_secant<Real>;
      add(row, c[k], begin_[p][static_cast<std::size_t>(k)], zeta, Real::all(stretch(k, k)),
          Real::all(material_.stretch_saturation), Real::all(material_.stretch_length));
      r.stress[k] = row.force;
      r.stiffness[packed(k, k)] = row.stiffness;
    }
    return r;
  }

  double assemble_pack(MeshStep& s, std::size_t p) const {
    constexpr int dofs = Membrane::dofs;
    const Membrane::Geometry<Real> g = geometry(s.position, p);
    const Response r = respond_to(g, p, s.dt);
    const Real area = rest_[p].area;
    Real sigma[3], y[3], missing[3], j[3][dofs], wj[3][dofs], h[packed_size(dofs)] = {};
    for (int k = 0; k < 3; ++k) {
      for (int lane = 0; lane < lanes; ++lane) sigma[k].set(lane, stress(element(p, lane), k));
      y[k] = sigma[k] * area;
      missing[k] = (r.stress[k] - sigma[k]) * area;
    }
    Real curved[3] = {y[0], y[1], y[2]};
    if (s.curvature == MeshStep::Curvature::projected) {
      // Compression that the inertia of the triangle itself withstands stays.
      const Real borne = borne_[p] * area * (1 / (s.dt * s.dt));
      const Real raised[3] = {y[0] + borne, y[1] + borne, y[2]};
      psd_membrane(raised, curved);
      curved[0] -= borne;
      curved[1] -= borne;
    }
    Membrane::add_curvature(g, curved, h);
    Real scale[dofs];
    for (int i = 0; i < dofs; ++i) scale[i] = max(h[packed(i, i)], Real::all(0));
    Membrane::gradient(g, j);
    for (int k = 0; k < 3; ++k)
      for (int i = 0; i < dofs; ++i) {
        wj[k][i] = Real::all(0);
        for (int l = 0; l < 3; ++l)
          wj[k][i] = mul_add(r.stiffness[k >= l ? packed(k, l) : packed(l, k)] * area, j[l][i], wj[k][i]);
      }
    for (int i = 0; i < dofs; ++i) {
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l <= i; ++l) h[packed(i, l)] = mul_add(j[k][i], wj[k][l], h[packed(i, l)]);
      for (int k = 0; k < 3; ++k) scale[i] = mul_add(j[k][i] * stiff_share, wj[k][i], scale[i]);
    }
    Real force[dofs], beyond[dofs];
    for (int i = 0; i < dofs; ++i) {
      force[i] = j[0][i] * y[0] + j[1][i] * y[1] + j[2][i] * y[2];
      beyond[i] = j[0][i] * missing[0] + j[1][i] * missing[1] + j[2][i] * missing[2];
    }
    double gap = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      if (order_.elements[p * lanes + static_cast<std::size_t>(lane)] < 0) continue;
      const std::size_t e = element(p, lane);
      for (int a = 0; a < 3; ++a) {
        const std::size_t i = node(e, a);
        for (int k = 0; k < 3; ++k) {
          s.residual[i][k] += force[3 * a + k][lane];
          s.condensed[i][k] += beyond[3 * a + k][lane];
          s.scale[i][k] += scale[3 * a + k][lane];
        }
      }
      scatter_.add(s.matrix, e, h, lane);
      for (int k = 0; k < 3; ++k) {
        const double stiffness = std::max(r.stiffness[packed(k, k)][lane], material_.stretch[packed(k, k)]);
        gap = worse(gap, std::fabs(missing[k][lane]) / (stiffness * area[lane]));
      }
    }
    return gap;
  }

  const SolidMesh* mesh_;
  std::string owner_;
  ElasticShellMaterial material_;
  ElementOrder order_;
  std::vector<RestTriangle<Real>> rest_;    // by pack
  std::vector<Real> borne_;                 // compression that inertia withstands, times dt^2, by pack [kg]
  std::vector<std::array<Real, 3>> begin_;  // strain when the substep began, by pack
  std::vector<double> state_;  // of each triangle sigma: warp, weft, shear [N/m]; then the strains of friction
  std::vector<double> load_;   // that each triangle bears, as sigma [N/m]; empty: none
  int iterations_ = 0;         // of this substep
  ElementScatter<3> scatter_;
};

}  // namespace

void add_shell_membrane(MeshObject& object, const std::string& owner, const ElasticShellMaterial& material,
                        const std::vector<Vec3d>& warp) {
  object.add_constraint(std::make_unique<MembraneCells>(object, owner, material, warp));
}

}  // namespace ymir
