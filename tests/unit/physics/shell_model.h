// Shells of triangles assembled from the kernels of physics/shells, for the tests of plates and shells: meshes, the
// energy with its gradient and matrix, and the linear solution.
#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "ymir/base/random.h"
#include "ymir/physics/shells/hinge.h"
#include "ymir/physics/shells/membrane.h"
#include "ymir/physics/shells/mid_bending.h"
#include "ymir/physics/shells/shell_weights.h"
#include "ymir/physics/shells/tri_bending.h"

namespace ymir::shell_tests {

struct FlatMesh {
  std::vector<std::array<double, 2>> x;
  std::vector<std::array<int, 3>> triangles;
};

enum class Pattern { one_diagonal, alternating, equilateral, jittered_delaunay };
enum class Bending { hinge, tri, mid };

inline double twice_area(const FlatMesh& m, const std::array<int, 3>& t) {
  const auto at = [&](int k) { return m.x[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])]; };
  return (at(1)[0] - at(0)[0]) * (at(2)[1] - at(0)[1]) - (at(2)[0] - at(0)[0]) * (at(1)[1] - at(0)[1]);
}

inline FlatMesh equilateral_mesh(int nx, int ny, double lx, double ly) {
  // Rows shifted by half an edge in turn, an even number of them; ends cut straight.
  const int rows = 2 * static_cast<int>(std::lround(ny / std::sqrt(3.0)));
  FlatMesh m;
  std::vector<std::vector<int>> row(static_cast<std::size_t>(rows) + 1);
  for (int j = 0; j <= rows; ++j) {
    const auto add = [&](double x) {
      row[static_cast<std::size_t>(j)].push_back(static_cast<int>(m.x.size()));
      m.x.push_back({x, ly * j / rows});
    };
    if (j % 2 == 0) {
      for (int i = 0; i <= nx; ++i) add(lx * i / nx);
    } else {
      add(0);
      for (int i = 0; i < nx; ++i) add((i + .5) * lx / nx);
      add(lx);
    }
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(rows); ++j) {
    const auto &a = row[j], &b = row[j + 1];
    std::size_t i = 0, k = 0;
    while (i + 1 < a.size() || k + 1 < b.size()) {
      const double xa = i + 1 < a.size() ? m.x[static_cast<std::size_t>(a[i + 1])][0] : 1e9;
      const double xb = k + 1 < b.size() ? m.x[static_cast<std::size_t>(b[k + 1])][0] : 1e9;
      if (xa < xb || (xa == xb && j % 2 == 0)) {
        m.triangles.push_back({a[i], a[i + 1], b[k]});
        ++i;
      } else {
        m.triangles.push_back({a[i], b[k + 1], b[k]});
        ++k;
      }
    }
  }
  return m;
}

// Flips edges until every one is locally Delaunay.
inline void make_delaunay(FlatMesh& m) {
  for (bool flipped = true; flipped;) {
    flipped = false;
    std::map<std::pair<int, int>, std::pair<std::size_t, std::size_t>> seen;  // edge: triangle and its side
    for (std::size_t t = 0; t < m.triangles.size() && !flipped; ++t)
      for (std::size_t k = 0; k < 3 && !flipped; ++k) {
        const int a = m.triangles[t][k], b = m.triangles[t][(k + 1) % 3], c = m.triangles[t][(k + 2) % 3];
        const auto [other, fresh] = seen.try_emplace(std::minmax(a, b), t, k);
        if (fresh) continue;
        const auto [s, side] = other->second;
        const int d = m.triangles[s][(side + 2) % 3];
        const auto angle = [&](int apex) {
          const auto p = m.x[static_cast<std::size_t>(apex)], q = m.x[static_cast<std::size_t>(a)],
                     r = m.x[static_cast<std::size_t>(b)];
          const double ux = q[0] - p[0], uy = q[1] - p[1], vx = r[0] - p[0], vy = r[1] - p[1];
          return std::atan2(std::fabs(ux * vy - uy * vx), ux * vx + uy * vy);
        };
        if (angle(c) + angle(d) < M_PI + 1e-9) continue;
        m.triangles[t] = {c, a, d};
        m.triangles[s] = {d, b, c};
        flipped = true;
      }
  }
}

inline FlatMesh flat_mesh(Pattern pattern, int nx, int ny, double lx, double ly) {
  if (pattern == Pattern::equilateral) return equilateral_mesh(nx, ny, lx, ly);
  FlatMesh m;
  Random random(31, 0);
  for (int i = 0; i <= nx; ++i)
    for (int j = 0; j <= ny; ++j) {
      const bool inside = pattern == Pattern::jittered_delaunay && i > 0 && i < nx && j > 0 && j < ny;
      const double du = inside ? random.uniform(-.25, .25) : 0, dv = inside ? random.uniform(-.25, .25) : 0;
      m.x.push_back({lx * (i + du) / nx, ly * (j + dv) / ny});
    }
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j) {
      const int a = i * (ny + 1) + j, b = a + ny + 1, c = b + 1, d = a + 1;
      if (pattern == Pattern::alternating && (i + j) % 2 == 1) {
        m.triangles.push_back({a, b, d});
        m.triangles.push_back({b, c, d});
      } else {
        m.triangles.push_back({a, b, c});
        m.triangles.push_back({a, c, d});
      }
    }
  if (pattern == Pattern::jittered_delaunay) make_delaunay(m);
  return m;
}

using Edge = std::pair<int, int>;  // smaller index first

class ShellModel {
 public:
  struct Material {
    double young, poisson, thickness;  // [Pa], [1], [m]
  };

  // clamps: boundary edges and the normals of the planes they are clamped to. Rest state: the positions given, xi = 0.
  ShellModel(std::vector<Vec3d> positions, std::vector<std::array<int, 3>> triangles, const Material& material,
             Bending bending, const std::map<Edge, Vec3d>& clamps = {})
      : x_(std::move(positions)), triangles_(std::move(triangles)), bending_(bending) {
    lumped_.assign(x_.size(), 0);
    for (std::size_t t = 0; t < triangles_.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k) edges_[edge(t, k)].push_back({t, k});
    const std::size_t meshed = x_.size();
    for (const auto& [key, normal] : clamps) {
      const auto [t, k] = edges_.at(key)[0];
      ghosts_[key] = static_cast<int>(x_.size());
      x_.push_back(clamp_ghost(at(t, k), at(t, k + 1), normal));
    }
    for (const auto& entry : edges_) turn_index_[entry.first] = static_cast<int>(turn_index_.size());
    const std::size_t dofs = 3 * x_.size() + (bending_ == Bending::mid ? edges_.size() : 0);
    q = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(dofs));
    fixed.assign(dofs, false);
    for (std::size_t v = 0; v < x_.size(); ++v)
      for (int k = 0; k < 3; ++k) {
        q[static_cast<Eigen::Index>(3 * v) + k] = x_[v][k];
        fixed[3 * v + static_cast<std::size_t>(k)] = v >= meshed;
      }
    if (bending_ == Bending::mid)
      for (const auto& clamp : clamps) fixed[turn_dof(clamp.first)] = true;
    for (std::size_t t = 0; t < triangles_.size(); ++t) build(t, material);
    if (bending_ == Bending::hinge) build_hinges(material);
  }

  double lumped_area(std::size_t v) const { return lumped_[v]; }
  void fix(std::size_t v, int axis) { fixed[3 * v + static_cast<std::size_t>(axis)] = true; }

  struct State {
    double energy = 0;
    Eigen::VectorXd gradient;
    Eigen::SparseMatrix<double> matrix;  // over free degrees of freedom
  };
  enum class Matrix { none, exact, semi_definite };

  State state(const Eigen::VectorXd& at, Matrix kind) const {
    State s;
    s.gradient = Eigen::VectorXd::Zero(at.size());
    std::vector<Eigen::Triplet<double>> entries;
    const auto vertex = [&](int v) { return Vec3d{at[3 * v], at[3 * v + 1], at[3 * v + 2]}; };
    for (const Triangle& t : elements_) {
      Vec3d x[6];
      for (std::size_t a = 0; a < 6; ++a) x[a] = vertex(t.vertex[a]);
      add<Membrane>(Membrane::Geometry<double>(x, t.rest), t.membrane.data(), zeros, dofs(t.vertex, 3), kind, s,
                    entries);
      if (bending_ == Bending::tri)
        add<TriBending>(TriBending::Geometry<double>(x, t.tri), t.bending.data(), t.rest_angle, dofs(t.vertex, 6), kind,
                        s, entries);
      if (bending_ == Bending::mid) {
        auto ids = dofs(t.vertex, 6);
        double xi[3];
        for (std::size_t k = 0; k < 3; ++k) {
          ids.push_back(t.turn[k]);
          xi[k] = at[t.turn[k]];
        }
        add<MidBending>(MidBending::Geometry<double>(x, xi, t.mid), t.bending.data(), t.rest_angle, ids, kind, s,
                        entries);
      }
    }
    for (const EdgeHinge& h : hinges_)
      add<Hinge>(Hinge::Geometry<double>(vertex(h.vertex[0]), vertex(h.vertex[1]), vertex(h.vertex[2]),
                                         vertex(h.vertex[3]), h.rest),
                 &h.weight, &h.rest, dofs(h.vertex, 4), kind, s, entries);
    if (kind != Matrix::none) s.matrix = reduced(entries);
    return s;
  }

  Eigen::VectorXd free_part(const Eigen::VectorXd& all) const {
    std::vector<double> part;
    for (Eigen::Index k = 0; k < all.size(); ++k)
      if (!fixed[static_cast<std::size_t>(k)]) part.push_back(all[k]);
    return Eigen::Map<Eigen::VectorXd>(part.data(), static_cast<Eigen::Index>(part.size()));
  }
  Eigen::VectorXd spread(const Eigen::VectorXd& part) const {
    Eigen::VectorXd all = Eigen::VectorXd::Zero(q.size());
    for (Eigen::Index k = 0, i = 0; k < all.size(); ++k)
      if (!fixed[static_cast<std::size_t>(k)]) all[k] = part[i++];
    return all;
  }

  // Displacement under a load, linear about the rest state.
  Eigen::VectorXd linear(const Eigen::VectorXd& load) const {
    const State s = state(q, Matrix::exact);
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(s.matrix);
    return spread(solver.solve(free_part(load)));
  }

  Eigen::VectorXd q;        // positions, ghosts, turns xi of edges
  std::vector<bool> fixed;  // by degree of freedom

 private:
  static constexpr double zeros[3] = {0, 0, 0};

  struct Triangle {
    std::array<int, 6> vertex;
    std::array<int, 3> turn;
    RestTriangle<double> rest;
    Packed3<double> membrane, bending;
    TriBending::Sides<double> tri;
    MidBending::Sides<double> mid;
    double rest_angle[3] = {0, 0, 0};
  };
  struct EdgeHinge {
    std::array<int, 4> vertex;
    double weight, rest;
  };

  int index(std::size_t t, std::size_t k) const { return triangles_[t][k % 3]; }
  Vec3d at(std::size_t t, std::size_t k) const { return x_[static_cast<std::size_t>(index(t, k))]; }
  Edge edge(std::size_t t, std::size_t k) const { return std::minmax(index(t, k), index(t, k + 1)); }
  std::size_t turn_dof(const Edge& e) const { return 3 * x_.size() + static_cast<std::size_t>(turn_index_.at(e)); }

  template <std::size_t N>
  static std::vector<int> dofs(const std::array<int, N>& vertex, std::size_t count) {
    std::vector<int> ids;
    for (std::size_t a = 0; a < count; ++a)
      for (int k = 0; k < 3; ++k) ids.push_back(3 * vertex[a] + k);
    return ids;
  }

  void build(std::size_t t, const Material& m) {
    Triangle e;
    const Vec3d own[3] = {at(t, 0), at(t, 1), at(t, 2)};
    e.rest = rest_triangle(own, own[1] - own[0]);
    const auto moduli = isotropic_moduli(m.young, m.poisson), d = bending_moduli(moduli, m.thickness);
    e.membrane = membrane_weight(e.rest, moduli, m.thickness);
    double missing[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const Edge key = edge(t, k);
      const auto& sides = edges_.at(key);
      const ShellSide side = sides.size() == 2    ? ShellSide::interior
                             : ghosts_.count(key) ? ShellSide::clamped
                                                  : ShellSide::missing;
      const bool first = sides[0].first == t;
      const auto& other = sides[first && sides.size() == 2 ? 1 : 0];
      e.vertex[k] = index(t, k);
      // Nothing across a missing side: its own vertex, an edge without area.
      e.vertex[3 + k] = side == ShellSide::interior  ? index(other.first, other.second + 2)
                        : side == ShellSide::clamped ? ghosts_.at(key)
                                                     : index(t, k);
      e.tri.angle[k] = TriBending::angle_factor(side);
      e.mid.angle[k] = MidBending::angle_factor(side);
      e.mid.turn[k] = MidBending::turn_factor(side, first);
      e.tri.expected[k] = e.mid.expected[k] = 0;
      e.turn[k] = bending_ == Bending::mid ? static_cast<int>(turn_dof(key)) : 0;
      missing[k] = side == ShellSide::missing ? 1 : 0;
      lumped_[static_cast<std::size_t>(index(t, k))] += e.rest.area / 3;
    }
    e.bending =
        bending_ == Bending::tri ? tri_bending_weight(e.rest, d, missing) : mid_bending_weight(e.rest, d, zeros);
    Vec3d x[6];
    for (std::size_t a = 0; a < 6; ++a) x[a] = x_[static_cast<std::size_t>(e.vertex[a])];
    if (bending_ == Bending::tri) TriBending::value(TriBending::Geometry<double>(x, e.tri), e.rest_angle);
    if (bending_ == Bending::mid) MidBending::value(MidBending::Geometry<double>(x, zeros, e.mid), e.rest_angle);
    elements_.push_back(e);
  }

  void build_hinges(const Material& m) {
    const double rigidity = m.young * m.thickness * m.thickness * m.thickness / (12 * (1 - m.poisson * m.poisson));
    for (const auto& [key, sides] : edges_) {
      const auto [t, k] = sides[0];
      const double length = norm(at(t, k + 1) - at(t, k)), area = elements_[t].rest.area;
      EdgeHinge h{{index(t, k), index(t, k + 1), index(t, k + 2), 0}, 0, 0};
      if (sides.size() == 2) {
        h.vertex[3] = index(sides[1].first, sides[1].second + 2);
        h.weight = hinge_weight(rigidity, length, area, elements_[sides[1].first].rest.area);
      } else if (ghosts_.count(key)) {
        h.vertex[3] = ghosts_.at(key);
        h.weight = clamped_hinge_weight(rigidity, length, area);
      } else {
        continue;
      }
      Vec3d x[4];
      for (std::size_t a = 0; a < 4; ++a) x[a] = x_[static_cast<std::size_t>(h.vertex[a])];
      h.rest = Hinge::Geometry<double>(x[0], x[1], x[2], x[3], 0).theta;
      hinges_.push_back(h);
    }
  }

  template <class K>
  static void add(const typename K::template Geometry<double>& g, const double* weight, const double* rest,
                  const std::vector<int>& ids, Matrix kind, State& s, std::vector<Eigen::Triplet<double>>& entries) {
    Eigen::Matrix<double, K::rows, K::rows> w;
    for (int a = 0; a < K::rows; ++a)
      for (int b = 0; b < K::rows; ++b) w(a, b) = weight[a >= b ? packed(a, b) : packed(b, a)];
    Eigen::Matrix<double, K::rows, 1> c;
    K::value(g, c.data());
    for (int a = 0; a < K::rows; ++a) c[a] -= rest[a];
    Eigen::Matrix<double, K::rows, 1> y = w * c;
    s.energy += c.dot(y) / 2;
    double rows[K::rows][K::dofs];
    K::gradient(g, rows);
    const Eigen::Map<Eigen::Matrix<double, K::dofs, K::rows>> jt(&rows[0][0]);
    const Eigen::Matrix<double, K::dofs, 1> f = jt * y;
    for (int k = 0; k < K::dofs; ++k) s.gradient[ids[static_cast<std::size_t>(k)]] += f[k];
    if (kind == Matrix::none) return;
    const Eigen::Matrix<double, K::dofs, K::dofs> gauss = jt * w * jt.transpose();
    double h[packed_size(K::dofs)] = {};
    if constexpr (K::dofs == Membrane::dofs) {
      if (kind == Matrix::semi_definite) psd_membrane(Eigen::VectorXd(y).data(), y.data());
      K::add_curvature(g, y.data(), h);
    } else if (kind == Matrix::exact) {
      K::add_curvature(g, y.data(), h);
    }
    for (int a = 0; a < K::dofs; ++a)
      for (int b = 0; b < K::dofs; ++b)
        entries.emplace_back(ids[static_cast<std::size_t>(a)], ids[static_cast<std::size_t>(b)],
                             gauss(a, b) + h[a >= b ? packed(a, b) : packed(b, a)]);
  }

  Eigen::SparseMatrix<double> reduced(std::vector<Eigen::Triplet<double>>& entries) const {
    std::vector<int> place(fixed.size(), -1);
    int count = 0;
    for (std::size_t k = 0; k < fixed.size(); ++k)
      if (!fixed[k]) place[k] = count++;
    std::vector<Eigen::Triplet<double>> kept;
    for (const auto& e : entries)
      if (place[static_cast<std::size_t>(e.row())] >= 0 && place[static_cast<std::size_t>(e.col())] >= 0)
        kept.emplace_back(place[static_cast<std::size_t>(e.row())], place[static_cast<std::size_t>(e.col())],
                          e.value());
    Eigen::SparseMatrix<double> m(count, count);
    m.setFromTriplets(kept.begin(), kept.end());
    return m;
  }

  std::vector<Vec3d> x_;
  std::vector<std::array<int, 3>> triangles_;
  Bending bending_;
  std::map<Edge, std::vector<std::pair<std::size_t, std::size_t>>> edges_;  // triangles and their sides
  std::map<Edge, int> ghosts_, turn_index_;
  std::vector<double> lumped_;
  std::vector<Triangle> elements_;
  std::vector<EdgeHinge> hinges_;
};

inline std::map<Edge, std::vector<int>> triangles_by_edge(const std::vector<std::array<int, 3>>& triangles) {
  std::map<Edge, std::vector<int>> edges;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k)
      edges[std::minmax(triangles[t][k], triangles[t][(k + 1) % 3])].push_back(static_cast<int>(t));
  return edges;
}

}  // namespace ymir::shell_tests
