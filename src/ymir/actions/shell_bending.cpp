#include <algorithm>
#include <array>
#include <cmath>

#include "ymir/actions/bears_load.h"
#include "ymir/actions/elastic_shell.h"
#include "ymir/actions/element_scatter.h"
#include "ymir/data/shell_topology.h"
#include "ymir/physics/constraints/response.h"
#include "ymir/physics/shells/hinge.h"
#include "ymir/physics/shells/mid_bending.h"
#include "ymir/physics/shells/tri_bending.h"
#include "ymir/solids/element_order.h"

namespace ymir {
namespace {

constexpr int lanes = ElementOrder::lanes;
using Real = Lanes<double, lanes>;

// What a kernel needs of an element beyond positions.
template <class Kernel>
struct BendingShape;

template <>
struct BendingShape<MidBending> {
  static constexpr int vertices = 6, turns = 3;
  static MidBending::Geometry<Real> geometry(const Vec3<Real>* x, const Real* xi, const Real* angle, const Real* turn,
                                             const Real* expected) {
    MidBending::Sides<Real> sides;
    for (int k = 0; k < 3; ++k) sides.angle[k] = angle[k], sides.turn[k] = turn[k], sides.expected[k] = expected[k];
    return {x, xi, sides};
  }
  static const Real& theta(const MidBending::Geometry<Real>& g, int k) { return g.hinges.side[k].theta; }
};

template <>
struct BendingShape<TriBending> {
  static constexpr int vertices = 6, turns = 0;
  static TriBending::Geometry<Real> geometry(const Vec3<Real>* x, const Real*, const Real* angle, const Real*,
                                             const Real* expected) {
    TriBending::Sides<Real> sides;
    for (int k = 0; k < 3; ++k) sides.angle[k] = angle[k], sides.expected[k] = expected[k];
    return {x, sides};
  }
  static const Real& theta(const TriBending::Geometry<Real>& g, int k) { return g.hinges.side[k].theta; }
};

template <>
struct BendingShape<Hinge> {
  static constexpr int vertices = 4, turns = 0;
  static Hinge::Geometry<Real> geometry(const Vec3<Real>* x, const Real*, const Real*, const Real*,
                                        const Real* expected) {
    return {x[0], x[1], x[2], x[3], expected[0]};
  }
  static const Real& theta(const Hinge::Geometry<Real>& g, int) { return g.theta; }
};

// One element as it is set up.
template <class Kernel>
struct BendingElement {
  static constexpr int rows = Kernel::rows;
  std::array<std::int32_t, BendingShape<Kernel>::vertices> vertex;
  std::array<double, packed_size(rows)> weight;  // [J]
  std::array<double, rows> angle, turn{};        // factors of hinge angles and of turns
  std::array<double, rows> measure;              // C of a curvature of 1/m [rad m]
  std::array<std::int32_t, rows> edge{};         // whose turn; not read where `turn` is 0
};

template <class Kernel>
class BendingCells final : public MeshConstraint, public BearsLoad {
 public:
  using Shape = BendingShape<Kernel>;
  static constexpr int rows = Kernel::rows, dofs = Kernel::dofs, vertices = Shape::vertices, turns = Shape::turns;
  static constexpr int stride = vertices + turns;

  // first_turn: node of the first three turns.
  BendingCells(const MeshObject& object, std::string owner, const ElasticShellMaterial& material,
               std::vector<BendingElement<Kernel>> elements, std::int32_t first_turn)
      : owner_(std::move(owner)),
        material_(material),
        unit_(object.mean_edge()),
        points_(object.mesh().positions.size()),
        elements_(std::move(elements)),
        state_(4 * rows * elements_.size(), 0) {
    for (const auto& e : elements_) {
      nodes_.insert(nodes_.end(), e.vertex.begin(), e.vertex.end());
      // An element without a turn at this side names another of its nodes once more.
      for (std::size_t k = 0; k < turns; ++k)
        nodes_.push_back(e.turn[k] != 0 ? first_turn + e.edge[k] / 3 : e.vertex[0]);
    }
    order_ = order_elements(nodes_, stride, static_cast<std::int32_t>(points_ + object.inner().size()));
    begin_.resize(order_.packs());
    pull_state(object.mesh().positions, !material.flat);
  }

  std::string owner() const override { return owner_; }
  std::string what() const override { return "bending of cloth"; }
  BlockMatrix::Elements elements() const override { return {nodes_, stride}; }
  // Hinge angles; where folds may stay, rest values and what has hardened; the strain of friction where there is any.
  std::span<double> state() override {
    const std::size_t plane = state_.size() / 4;
    return {state_.data(), frictional() ? 4 * plane : std::isfinite(material_.yield_curvature) ? 3 * plane : plane};
  }

  void connect(const BlockMatrix& matrix) override {
    scatter_.connect(matrix, nodes_, stride);
    turn_slots_.resize(elements_.size() * turn_pairs);
    for (std::size_t e = 0; e < elements_.size(); ++e)
      for (int k = 0; k < turns; ++k) {
        const std::int32_t i = nodes_[e * stride + static_cast<std::size_t>(vertices + k)];
        for (int a = 0; a < vertices + k + 1; ++a) {
          const std::int32_t j = nodes_[e * stride + static_cast<std::size_t>(a)];
          turn_slots_[e * turn_pairs + turn_pair(k, a)] = matrix.slot(std::max(i, j), std::min(i, j));
        }
      }
  }

  void begin(const MeshStep& s) override {
    parallel_packs(static_cast<std::ptrdiff_t>(order_.packs()), [&](std::ptrdiff_t p) {
      Kernel::value(geometry(s.begin, static_cast<std::size_t>(p)), begin_[static_cast<std::size_t>(p)].data());
    });
  }

  void assemble(MeshStep& s) override {
    order_.for_each_pack([&](std::size_t pack) { assemble_pack(s, pack); });
  }

  void bear(const MeshStep& s) override {
    const double damping = material_.bending_relaxation / s.dt;
    const double holding = frictional() ? material_.friction_saturation / material_.friction_length : 0;
    load_.resize(rows * elements_.size(), 0);
    for (std::size_t p = 0; p < order_.packs(); ++p) {
      Real j[rows][dofs];
      gradient(geometry(s.position, p), j);
      for (int lane = 0; lane < lanes; ++lane) {
        if (order_.elements[p * lanes + static_cast<std::size_t>(lane)] < 0) continue;
        const std::size_t e = element(p, lane);
        double along[rows] = {};
        for (int k = 0; k < rows; ++k)
          for (int i = 0; i < dofs; ++i) along[k] += j[k][i][lane] * unknown(s.step, e, i);
        for (int k = 0; k < rows; ++k) {
          double& y = load_[e * rows + static_cast<std::size_t>(k)];
          y += holding * elements_[e].weight[packed(k, k)] * along[k];
          for (int l = 0; l < rows; ++l)
            y += (1 + damping) * elements_[e].weight[k >= l ? packed(k, l) : packed(l, k)] * along[l];
        }
      }
    }
  }

  // Angles are followed from substep to substep; what is bent beyond its yield stays, by the return map of a spring
  // with a linearly hardening slider: f = |c - rest| - yield - H a,  d rest = da = f/(1 + H).
  void end(const MeshStep& s) override {
    parallel_packs(static_cast<std::ptrdiff_t>(order_.packs()), [&](std::ptrdiff_t index) {
      const auto p = static_cast<std::size_t>(index);
      const auto g = geometry(s.position, p);
      Real c[rows];
      Kernel::value(g, c);
      for (int lane = 0; lane < lanes; ++lane) {
        if (order_.elements[p * lanes + static_cast<std::size_t>(lane)] < 0) continue;
        const std::size_t e = element(p, lane);
        for (int k = 0; k < rows; ++k) {
          expected(e, k) = Shape::theta(g, k)[lane];
          const double measure = elements_[e].measure[static_cast<std::size_t>(k)];
          if (frictional())
            friction(e, k) =
                dahl_friction(c[k][lane], begin_[p][static_cast<std::size_t>(k)][lane], friction(e, k),
                              material_.friction_saturation * measure, material_.friction_length * measure);
          const double off = c[k][lane] - rest(e, k);
          const double over =
              std::fabs(off) - material_.yield_curvature * measure - material_.hardening * hardened(e, k);
          if (!(over > 0)) continue;
          const double flow = over / (1 + material_.hardening);
          rest(e, k) += std::copysign(flow, off);
          hardened(e, k) += flow;
        }
      }
    });
  }

 private:
  static constexpr std::size_t turn_pairs = static_cast<std::size_t>(turns * vertices + turns * (turns + 1) / 2);
  // Of turn k with node a of the element, vertices first, then turns up to itself.
  static constexpr std::size_t turn_pair(int k, int a) {
    return static_cast<std::size_t>(k * vertices + k * (k + 1) / 2 + a);
  }

  double& expected(std::size_t e, int k) { return state_[e * rows + static_cast<std::size_t>(k)]; }
  double expected(std::size_t e, int k) const { return state_[e * rows + static_cast<std::size_t>(k)]; }
  bool frictional() const { return material_.friction_saturation > 0; }
  std::size_t place(std::size_t plane, std::size_t e, int k) const {
    return (plane * elements_.size() + e) * rows + static_cast<std::size_t>(k);
  }
  double& friction(std::size_t e, int k) { return state_[place(3, e, k)]; }
  double friction(std::size_t e, int k) const { return state_[place(3, e, k)]; }
  double& rest(std::size_t e, int k) { return state_[place(1, e, k)]; }
  double rest(std::size_t e, int k) const { return state_[place(1, e, k)]; }
  double& hardened(std::size_t e, int k) { return state_[place(2, e, k)]; }

  // Lanes without an element repeat the first; nothing of them is used.
  std::size_t element(std::size_t p, int lane) const {
    const std::int32_t* e = order_.elements.data() + p * lanes;
    return static_cast<std::size_t>(std::max(e[lane], e[0]));
  }

  typename Kernel::template Geometry<Real> geometry(const std::vector<Vec3d>& at, std::size_t p) const {
    Vec3<Real> x[vertices];
    Real xi[3], angle[rows], turn[rows], near[rows];
    for (int lane = 0; lane < lanes; ++lane) {
      const std::size_t e = element(p, lane);
      for (int a = 0; a < vertices; ++a) {
        const Vec3d& from = at[static_cast<std::size_t>(nodes_[e * stride + static_cast<std::size_t>(a)])];
        for (int k = 0; k < 3; ++k) x[a][k].set(lane, from[k]);
      }
      for (int k = 0; k < rows; ++k) {
        const auto row = static_cast<std::size_t>(k);
        angle[k].set(lane, elements_[e].angle[row]);
        turn[k].set(lane, elements_[e].turn[row]);
        near[k].set(lane, expected(e, k));
        if constexpr (turns > 0)
          xi[k].set(
              lane,
              elements_[e].turn[row] == 0
                  ? 0
                  : at[static_cast<std::size_t>(nodes_[e * stride + vertices + row])][elements_[e].edge[row] % 3] /
                        unit_);
      }
    }
    return Shape::geometry(x, xi, angle, turn, near);
  }

  // Turns are kept as lengths.
  void gradient(const typename Kernel::template Geometry<Real>& g, Real (*j)[dofs]) const {
    Kernel::gradient(g, j);
    for (int k = 0; k < rows; ++k)
      for (int i = 3 * vertices; i < dofs; ++i) j[k][i] = j[k][i] * (1 / unit_);
  }
  // Of degree of freedom i of an element.
  double unknown(const std::vector<Vec3d>& of, std::size_t e, int i) const {
    if (i < 3 * vertices)
      return of[static_cast<std::size_t>(nodes_[e * stride + static_cast<std::size_t>(i / 3)])][i % 3];
    const auto k = static_cast<std::size_t>(i - 3 * vertices);
    if (elements_[e].turn[k] == 0) return 0;
    return of[static_cast<std::size_t>(nodes_[e * stride + vertices + k])][elements_[e].edge[k] % 3];
  }

  void pull_state(const std::vector<Vec3d>& positions, bool as_it_is) {
    std::vector<Vec3d> at = positions;
    at.resize(points_ + nodes_.size(), Vec3d{0, 0, 0});  // turns are 0
    for (std::size_t p = 0; p < order_.packs(); ++p) {
      const auto g = geometry(at, p);
      Real c[rows];
      Kernel::value(g, c);
      for (int lane = 0; lane < lanes; ++lane)
        for (int k = 0; k < rows; ++k) {
          expected(element(p, lane), k) = Shape::theta(g, k)[lane];
          if (as_it_is) rest(element(p, lane), k) = c[k][lane];
        }
    }
  }

  void assemble_pack(MeshStep& s, std::size_t p) const {
    const double damping = material_.bending_relaxation / s.dt;
    const auto g = geometry(s.position, p);
    Real c[rows], y[rows], w[packed_size(rows)], j[rows][dofs], wj[rows][dofs], h[packed_size(dofs)] = {};
    Kernel::value(g, c);
    Real held[rows], holding[rows];  // by friction: force and stiffness of each angle
    for (int k = 0; k < rows; ++k) {
      held[k] = holding[k] = Real::all(0);
      if (!frictional()) continue;
      Real weight, measure, before;
      for (int lane = 0; lane < lanes; ++lane) {
        const std::size_t e = element(p, lane);
        weight.set(lane, elements_[e].weight[packed(k, k)]);
        measure.set(lane, elements_[e].measure[static_cast<std::size_t>(k)]);
        before.set(lane, friction(e, k));
      }
      ymir::Response<Real> r{Real::all(0), Real::all(0)};
      add_dahl(r, c[k], begin_[p][static_cast<std::size_t>(k)], before, weight, measure * material_.friction_saturation,
               measure * material_.friction_length);
      held[k] = r.force;
      holding[k] = r.stiffness;
    }
    for (int k = 0; k < rows; ++k)
      for (int lane = 0; lane < lanes; ++lane) {
        const std::size_t e = element(p, lane);
        for (int l = 0; l <= k; ++l) w[packed(k, l)].set(lane, elements_[e].weight[packed(k, l)]);
        c[k].set(lane, c[k][lane] - rest(e, k) + damping * (c[k][lane] - begin_[p][static_cast<std::size_t>(k)][lane]));
      }
    for (int k = 0; k < rows; ++k) {
      y[k] = held[k];
      for (int lane = 0; lane < lanes && !load_.empty(); ++lane)
        y[k].set(lane, y[k][lane] + load_[element(p, lane) * rows + static_cast<std::size_t>(k)]);
      for (int l = 0; l < rows; ++l) y[k] = mul_add(w[k >= l ? packed(k, l) : packed(l, k)], c[l], y[k]);
    }
    gradient(g, j);
    for (int k = 0; k < rows; ++k)
      for (int i = 0; i < dofs; ++i) {
        wj[k][i] = holding[k] * j[k][i];
        for (int l = 0; l < rows; ++l)
          wj[k][i] = mul_add(w[k >= l ? packed(k, l) : packed(l, k)] * (1 + damping), j[l][i], wj[k][i]);
      }
    for (int k = 0; k < rows; ++k)
      for (int i = 0; i < dofs; ++i)
        for (int l = 0; l <= i; ++l) h[packed(i, l)] = mul_add(j[k][i], wj[k][l], h[packed(i, l)]);
    Real scale[dofs], force[dofs];
    for (int i = 0; i < dofs; ++i) {
      scale[i] = h[packed(i, i)];
      force[i] = Real::all(0);
      for (int k = 0; k < rows; ++k) force[i] = mul_add(j[k][i], y[k], force[i]);
    }
    if (s.curvature == MeshStep::Curvature::exact) Kernel::add_curvature(g, y, h);
    for (int lane = 0; lane < lanes; ++lane) {
      if (order_.elements[p * lanes + static_cast<std::size_t>(lane)] < 0) continue;
      const std::size_t e = element(p, lane);
      for (int a = 0; a < vertices; ++a) {
        const auto i = static_cast<std::size_t>(nodes_[e * stride + static_cast<std::size_t>(a)]);
        for (int k = 0; k < 3; ++k) {
          s.residual[i][k] += force[3 * a + k][lane];
          s.scale[i][k] += scale[3 * a + k][lane];
        }
      }
      scatter_.add(s.matrix, e, h, lane);
      if constexpr (turns > 0) add_turns(s, e, force, scale, h, lane);
    }
  }

  void add_turns(MeshStep& s, std::size_t e, const Real* force, const Real* scale, const Real* h, int lane) const {
    for (int k = 0; k < turns; ++k) {
      if (elements_[e].turn[static_cast<std::size_t>(k)] == 0) continue;
      const int row = 3 * vertices + k, place = elements_[e].edge[static_cast<std::size_t>(k)] % 3;
      const std::int32_t node = nodes_[e * stride + static_cast<std::size_t>(vertices + k)];
      s.residual[static_cast<std::size_t>(node)][place] += force[row][lane];
      s.scale[static_cast<std::size_t>(node)][place] += scale[row][lane];
      for (int a = 0; a < vertices; ++a) {  // nodes of turns come after all others
        double* block = s.matrix.block(turn_slots_[e * turn_pairs + turn_pair(k, a)]);
        for (int c = 0; c < 3; ++c) block[3 * place + c] += h[packed(row, 3 * a + c)][lane];
      }
      for (int l = 0; l <= k; ++l) {
        if (elements_[e].turn[static_cast<std::size_t>(l)] == 0) continue;
        const int other = elements_[e].edge[static_cast<std::size_t>(l)] % 3;
        const std::int32_t with = nodes_[e * stride + static_cast<std::size_t>(vertices + l)];
        const double value = h[packed(row, 3 * vertices + l)][lane];
        double* block = s.matrix.block(turn_slots_[e * turn_pairs + turn_pair(k, vertices + l)]);
        if (node >= with) block[3 * place + other] += value;
        if (node < with || (node == with && k != l)) block[3 * other + place] += value;
      }
    }
  }

  std::string owner_;
  ElasticShellMaterial material_;
  double unit_;         // length that a turn of 1 rad is kept as [m]
  std::size_t points_;  // nodes that are places
  std::vector<BendingElement<Kernel>> elements_;
  std::vector<std::int32_t> nodes_;  // vertices and nodes of turns of each element
  ElementOrder order_;
  std::vector<std::array<Real, rows>> begin_;  // C when the substep began, by pack [rad]
  std::vector<double> load_;                   // moments that the rows of each element bear [J]; empty: none
  std::vector<double> state_;  // hinge angles, rest values, hardening, friction, of all elements each [rad]
  ElementScatter<vertices> scatter_;
  std::vector<std::int32_t> turn_slots_;
};

struct ShellGeometry {
  const SolidMesh& mesh;
  ShellTopology topology;
  std::vector<RestTriangle<double>> rest;

  Vec3d x(std::int32_t v) const { return mesh.positions[static_cast<std::size_t>(v)]; }
  double area(std::int32_t t) const { return rest[static_cast<std::size_t>(t)].area; }
};

// A fold of C = 1 rad about one edge has this curvature [1/m].
double curvature_of(const RestTriangle<double>& rest, int side, double factor) {
  return factor * std::hypot(rest.ru[(side + 2) % 3], rest.rv[(side + 2) % 3]);
}

template <class Kernel>
std::vector<BendingElement<Kernel>> triangle_elements(const ShellGeometry& shell, const ElasticShellMaterial& m) {
  constexpr bool mid = BendingShape<Kernel>::turns > 0;
  std::vector<BendingElement<Kernel>> elements(shell.rest.size());
  for (std::size_t t = 0; t < elements.size(); ++t) {
    BendingElement<Kernel>& e = elements[t];
    double missing[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const ShellTopology::Side& side = shell.topology.sides[3 * t + k];
      const bool inside = side.across >= 0;
      missing[k] = inside ? 0 : 1;
      e.vertex[k] = shell.mesh.cells[3 * t + k];
      e.vertex[3 + k] = inside ? side.across : e.vertex[k];  // a hinge without area has no angle
      e.angle[k] = Kernel::angle_factor(inside ? ShellSide::interior : ShellSide::missing);
      e.turn[k] = mid ? side.turn : 0;
      e.edge[k] = std::max(side.edge, 0);
      e.measure[k] = 1 / curvature_of(shell.rest[t], static_cast<int>(k), mid ? 2 : 1);
    }
    e.weight = mid ? mid_bending_weight(shell.rest[t], m.bending, missing)
                   : tri_bending_weight(shell.rest[t], m.bending, missing);
  }
  return elements;
}

BendingElement<Hinge> hinge_element(const ShellGeometry& shell, const ShellTopology::Hinge& h,
                                    const ElasticShellMaterial& m) {
  const double length = norm(shell.x(h.vertex[1]) - shell.x(h.vertex[0]));
  const double area1 = shell.area(h.triangle[0]), area2 = shell.area(h.triangle[1]);
  BendingElement<Hinge> e;
  e.vertex = h.vertex;
  e.weight[0] = hinge_weight((m.bending[0] + m.bending[2]) / 2, length, area1, area2);
  e.angle[0] = 1;
  e.measure[0] = (area1 + area2) / length;
  return e;
}

}  // namespace

std::size_t add_shell_bending(MeshObject& object, const std::string& owner, const ElasticShellMaterial& material,
                              const std::vector<Vec3d>& warp) {
  if (material.bending[0] == 0 && material.bending[2] == 0) return 0;
  const SolidMesh& mesh = object.mesh();
  ShellGeometry shell{mesh, shell_topology(mesh.cells, mesh.positions.size()), {}};
  for (std::size_t t = 0; t < mesh.cell_count(); ++t) {
    const Vec3d x[3] = {shell.x(mesh.cells[3 * t]), shell.x(mesh.cells[3 * t + 1]), shell.x(mesh.cells[3 * t + 2])};
    shell.rest.push_back(rest_triangle(x, warp[t]));
  }
  std::vector<BendingElement<Hinge>> hinges;
  for (const auto& h : shell.topology.junctions) hinges.push_back(hinge_element(shell, h, material));
  if (material.model == BendingModel::mid && !shell.topology.hinges.empty()) {
    const std::int32_t first = object.add_inner(shell.topology.hinges.size());
    object.add_constraint(std::make_unique<BendingCells<MidBending>>(
        object, owner, material, triangle_elements<MidBending>(shell, material), first));
  } else if (material.model == BendingModel::tri && !shell.topology.hinges.empty()) {
    object.add_constraint(std::make_unique<BendingCells<TriBending>>(
        object, owner, material, triangle_elements<TriBending>(shell, material), 0));
  } else {
    for (const auto& h : shell.topology.hinges) hinges.push_back(hinge_element(shell, h, material));
  }
  if (!hinges.empty())
    object.add_constraint(std::make_unique<BendingCells<Hinge>>(object, owner, material, std::move(hinges), 0));
  return shell.topology.junction_edges;
}

}  // namespace ymir
