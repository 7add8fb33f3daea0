// One rod in plain doubles with dense assembly straight from the kernels: the slow twin the solver is compared with.
//
// Degrees of freedom per vertex i: position (4i .. 4i + 2) and the angle of the edge that starts there (4i + 3).
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "ymir/physics/rods/bend_twist.h"
#include "ymir/physics/rods/stretch.h"

namespace ymir::conformance {

// Square, stored by rows.
class Dense {
 public:
  explicit Dense(int n) : n_(n), values_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {}
  int size() const { return n_; }
  double& operator()(int i, int j) { return values_[static_cast<std::size_t>(i * n_ + j)]; }
  double operator()(int i, int j) const { return values_[static_cast<std::size_t>(i * n_ + j)]; }
  double largest() const {
    double m = 0;
    for (const double v : values_) m = std::max(m, std::fabs(v));
    return m;
  }

 private:
  int n_;
  std::vector<double> values_;
};

// Elements of a kernel on a rod with n vertices: first, one past the last, and where element i's degrees of freedom
// begin.
template <class K>
struct ElementsOf {
  static constexpr int before = K::dofs == 11 ? 1 : 0;
  static int first() { return before; }
  static int last(int vertices) { return vertices - 1; }
  static int base(int i) { return 4 * (i - before); }
};

struct DenseRod {
  std::vector<Vec3d> x;
  std::vector<RodEdge<double>> edges;
  std::vector<double> twists;  // per vertex

  int vertices() const { return static_cast<int>(x.size()); }
  int dofs() const { return 4 * vertices(); }
  // What K::gather asks for.
  RodEdge<double> edge(int i) const { return edges[static_cast<std::size_t>(i)]; }
  double twist(int i) const { return twists[static_cast<std::size_t>(i)]; }

  // Frames by parallel transport from `normal` on, then turned by angle[i] about edge i.
  DenseRod(std::vector<Vec3d> positions, Vec3d normal, const std::vector<double>& angles)
      : x(std::move(positions)), twists(x.size(), 0) {
    RodEdge<double> at{};
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
      const Vec3d e = x[i + 1] - x[i];
      if (i == 0) {
        const Vec3d t = normalized(e);
        at = {t, 1 / norm(e), orthonormalized(normal, t)};
      } else {
        at = moved(at, e, 0.0);
      }
      edges.push_back(at);
    }
    for (std::size_t i = 0; i < edges.size(); ++i) edges[i].m1 = turned(edges[i].m1, edges[i].t, angles[i]);
    for (std::size_t i = 1; i < edges.size(); ++i)
      twists[i] = twist_between(edges[i - 1], edges[i], angles[i] - angles[i - 1]);
  }

  // The rod after its degrees of freedom changed by dq, frames transported from here.
  DenseRod displaced(const std::vector<double>& dq) const {
    DenseRod r = *this;
    const auto at = [&](std::size_t i) { return Vec3d{dq[4 * i], dq[4 * i + 1], dq[4 * i + 2]}; };
    for (std::size_t i = 0; i < x.size(); ++i) r.x[i] += at(i);
    for (std::size_t i = 0; i < edges.size(); ++i) r.edges[i] = moved(edges[i], r.x[i + 1] - r.x[i], dq[4 * i + 3]);
    for (std::size_t i = 1; i < edges.size(); ++i)
      r.twists[i] = twist_between(r.edges[i - 1], r.edges[i], twists[i] + dq[4 * i + 3] - dq[4 * i - 1]);
    return r;
  }
};

// Rest values and weights W = 2 S of one kernel's elements.
template <class K>
struct Material {
  std::vector<std::array<double, K::rows>> rest, weight;
};

template <class K>
std::array<double, K::rows> value_of(const DenseRod& rod, int i) {
  std::array<double, K::rows> c;
  K::value(K::gather(rod, i), c.data());
  return c;
}

// dC/dq of element i over its K::dofs.
template <class K>
std::array<std::array<double, K::dofs>, K::rows> gradient_of(const DenseRod& rod, int i) {
  double j[K::rows][K::coordinates];
  K::gradient(K::gather(rod, i), j);
  std::array<std::array<double, K::dofs>, K::rows> g{};
  for (std::size_t a = 0; a < K::rows; ++a)
    for (std::size_t k = 0; k < K::coordinates; ++k) {
      const Difference d = K::chain[k];
      g[a][static_cast<std::size_t>(d.plus)] += j[a][k];
      if (d.minus >= 0) g[a][static_cast<std::size_t>(d.minus)] -= j[a][k];
    }
  return g;
}

// E = sum C'WC/2
template <class K>
double energy(const DenseRod& rod, const Material<K>& m) {
  double e = 0;
  for (int i = ElementsOf<K>::first(); i < ElementsOf<K>::last(rod.vertices()); ++i) {
    const auto c = value_of<K>(rod, i);
    const auto at = static_cast<std::size_t>(i);
    for (std::size_t a = 0; a < K::rows; ++a)
      e += m.weight[at][a] * (c[a] - m.rest[at][a]) * (c[a] - m.rest[at][a]) / 2;
  }
  return e;
}

template <class K>
void add_gradient(const DenseRod& rod, const Material<K>& m, std::vector<double>& g) {
  for (int i = ElementsOf<K>::first(); i < ElementsOf<K>::last(rod.vertices()); ++i) {
    const auto c = value_of<K>(rod, i);
    const auto j = gradient_of<K>(rod, i);
    const auto at = static_cast<std::size_t>(i), base = static_cast<std::size_t>(ElementsOf<K>::base(i));
    for (std::size_t a = 0; a < K::rows; ++a)
      for (std::size_t k = 0; k < K::dofs; ++k) g[base + k] += m.weight[at][a] * (c[a] - m.rest[at][a]) * j[a][k];
  }
}

// J'WJ + curvature_share * sum y d2C, y = W (C - rest).
template <class K>
void add_hessian(const DenseRod& rod, const Material<K>& m, Dense& h, double curvature_share = 1) {
  for (int i = ElementsOf<K>::first(); i < ElementsOf<K>::last(rod.vertices()); ++i) {
    const auto c = value_of<K>(rod, i);
    const auto j = gradient_of<K>(rod, i);
    const auto at = static_cast<std::size_t>(i);
    const int base = ElementsOf<K>::base(i);
    double y[K::rows], local[packed_size(K::coordinates)] = {};
    for (std::size_t a = 0; a < K::rows; ++a) y[a] = curvature_share * m.weight[at][a] * (c[a] - m.rest[at][a]);
    K::add_curvature(K::gather(rod, i), y, local);
    for (int r = 0; r < K::dofs; ++r)
      for (int s = 0; s < K::dofs; ++s) {
        double sum = 0;
        for (std::size_t a = 0; a < K::rows; ++a)
          sum += m.weight[at][a] * j[a][static_cast<std::size_t>(r)] * j[a][static_cast<std::size_t>(s)];
        for (int k = 0; k < K::coordinates; ++k)
          for (int l = 0; l < K::coordinates; ++l) {
            const Difference u = K::chain[static_cast<std::size_t>(k)], v = K::chain[static_cast<std::size_t>(l)];
            const int su = u.plus == r ? 1 : u.minus == r ? -1 : 0, sv = v.plus == s ? 1 : v.minus == s ? -1 : 0;
            if (su * sv != 0) sum += su * sv * local[k >= l ? packed(k, l) : packed(l, k)];
          }
        h(base + r, base + s) += sum;
      }
  }
}

// Number of negative eigenvalues of A - shift M over the free rows (Sylvester's law of inertia, elimination in the
// band).
inline int negative_eigenvalues(const Dense& a, const std::vector<double>& mass, double shift,
                                const std::vector<char>& free, int half_bandwidth = 10) {
  const int n = a.size();
  Dense w = a;
  int negative = 0;
  for (int i = 0; i < n; ++i) w(i, i) -= shift * mass[static_cast<std::size_t>(i)];
  for (int p = 0; p < n; ++p) {
    if (free[static_cast<std::size_t>(p)] == 0) continue;
    negative += w(p, p) < 0 ? 1 : 0;
    for (int i = p + 1; i < std::min(n, p + half_bandwidth + 1); ++i) {
      if (free[static_cast<std::size_t>(i)] == 0) continue;
      const double f = w(i, p) / w(p, p);
      for (int j = p + 1; j < std::min(n, p + half_bandwidth + 1); ++j) w(i, j) -= f * w(p, j);
    }
  }
  return negative;
}

// Where a function that is false below and true above changes, to the given width.
template <class F>
double turning_point(double low, double high, double width, F&& above) {
  while (high - low > width) {
    const double middle = (low + high) / 2;
    (above(middle) ? high : low) = middle;
  }
  return (low + high) / 2;
}

}  // namespace ymir::conformance
