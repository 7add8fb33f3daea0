#include "ymir/solvers/nodal_contact/band_body.h"

#include <algorithm>
#include <cmath>

#include "ymir/base/check.h"
#include "ymir/math/lane_transpose.h"
#include "ymir/math/scalar.h"
#include "ymir/parallel/threads.h"
#include "ymir/solvers/band_inverse.h"
#include "ymir/solvers/band_ldl.h"
#include "ymir/solvers/band_solve.h"
#include "ymir/solvers/nodal_contact/nodal_metric.h"

namespace ymir {
namespace {

constexpr int most_vertices = 4096;

}  // namespace

template <int Block, int HalfBandwidth>
void BandBody<Block, HalfBandwidth>::set_masses(int vertices, std::span<const Real> mass) {
  YMIR_CHECK(vertices <= most_vertices);
  vertices_ = vertices;
  mass_.assign(mass.begin(), mass.end());
}

template <int Block, int HalfBandwidth>
bool BandBody<Block, HalfBandwidth>::set(const Real* matrix, double times, const Real* side, double side_times,
                                         bool positive) {
  const auto rows = static_cast<std::size_t>(Block * vertices_);
  positive_ = positive;
  m_.assign((rows + HalfBandwidth) * column, Real::all(0));
  for (std::size_t i = 0; i < rows * column; ++i) m_[i] = matrix[i] * times;
  side_.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) side_[i] = side[i] * side_times;
  return factor(m_);
}

template <int Block, int HalfBandwidth>
void BandBody<Block, HalfBandwidth>::describe(std::span<NodeMetric> nodes) const {
  for (int lane = 0; lane < lanes; ++lane)
    for (int i = 0; i < vertices_; ++i)
      nodes[static_cast<std::size_t>(node(lane, i))] = metric_of_vertex(mass_[static_cast<std::size_t>(i)][lane]);
  if (arms_ == nullptr) return;
  for (int lane = 0; lane < lanes; ++lane)
    for (int j = 0; j < vertices_; ++j)
      for (int which = 0; which < 2; ++which)
        nodes[static_cast<std::size_t>(arms_->node(lane, j, which))] = metric_of_arm(arms_->edge(j).compliance[lane]);
}

template <int Block, int HalfBandwidth>
bool BandBody<Block, HalfBandwidth>::measure(std::span<NodeMetric> nodes) const {
  thread_local std::vector<Real> inverse;
  inverse.resize(m_.size());
  BandInverse<Real, Block, HalfBandwidth>::within_band(m_.data(), inverse.data(), vertices_);
  for (int i = 0; i < vertices_; ++i) {
    Real trace = Real::all(0);
    for (int k = 0; k < 3; ++k) trace += inverse[static_cast<std::size_t>((Block * i + k) * column)];
    for (int lane = 0; lane < lanes; ++lane) {
      NodeMetric& to = nodes[static_cast<std::size_t>(node(lane, i))];
      if (to.mass > 0) to = metric_of_compliance(trace[lane] / 3, to);
    }
  }
  if (arms_ != nullptr) measure_arms(inverse.data(), nodes);
  return true;
}

template <int Block, int HalfBandwidth>
void BandBody<Block, HalfBandwidth>::measure_arms(const Real* inverse, std::span<NodeMetric> nodes) const {
  for (int j = 0; j + 1 < vertices_; ++j) {
    Real compliance[2];
    arms_->measure(inverse, column, j, compliance);
    for (int which = 0; which < 2; ++which)
      for (int lane = 0; lane < lanes; ++lane) {
        NodeMetric& to = nodes[static_cast<std::size_t>(arms_->node(lane, j, which))];
        const double own = compliance[which][lane];
        if (to.mass > 0 && own > 0 && own <= arms_->edge(j).most[lane]) to = metric_of_arm(own);
      }
  }
}

template <int Block, int HalfBandwidth>
bool BandBody<Block, HalfBandwidth>::factor(std::vector<Real>& matrix) const {
  bool good = true;
  BandLdl<Real, Block, HalfBandwidth>::factor(matrix.data(), vertices_, [&](int, const Real& d) {
    for (int lane = 0; lane < lanes; ++lane)
      good = good && std::isfinite(d[lane]) && (positive_ ? d[lane] > 0 : d[lane] != 0);
    return d;
  });
  return good;
}

template <int Block, int HalfBandwidth>
bool BandBody<Block, HalfBandwidth>::factor(std::span<const double> d) {
  const int rows = Block * vertices_;
  metric_.assign(m_.size(), Real::all(0));
  // M(j + k, j) = sum over i <= j of L(j + k, i) D_i L(j, i)
  for (int i = 0; i < rows; ++i) {
    const Real* l = m_.data() + i * column;
    const Real pivot = 1.0 / l[0];
    const int reach = std::min(HalfBandwidth - i % Block, rows - 1 - i);
    for (int j = 0; j <= reach; ++j) {
      const Real lj = j == 0 ? pivot : l[j] * pivot;
      Real* to = metric_.data() + (i + j) * column;
      to[0] = mul_add(lj, j == 0 ? Real::all(1) : l[j], to[0]);
      for (int k = j + 1; k <= reach; ++k) to[k - j] = mul_add(lj, l[k], to[k - j]);
    }
  }
  for (int i = 0; i < vertices_; ++i) {
    Real add;
    for (int lane = 0; lane < lanes; ++lane) add.set(lane, d[static_cast<std::size_t>(node(lane, i))]);
    for (int k = 0; k < 3; ++k) metric_[static_cast<std::size_t>((Block * i + k) * column)] += add;
  }
  if (arms_ != nullptr) arms_->add_masses(d, 1, metric_.data(), column);
  return factor(metric_);
}

template <int Block, int HalfBandwidth>
void BandBody<Block, HalfBandwidth>::solve(const Real* factor, NodeVector* x) const {
  using Solve = BandSolve<Real, Block, HalfBandwidth>;
  thread_local std::vector<Real> b;
  b.resize(static_cast<std::size_t>(Block * vertices_ + Solve::spare));
  for (int i = 0; i < vertices_; ++i) {
    Real g[4];
    for (int lane = 0; lane < lanes; ++lane) g[lane] = x[node(lane, i)];
    transpose(g[0], g[1], g[2], g[3]);
    Real* to = b.data() + Block * i;
    const Real* side = side_.data() + Block * i;
    // Vertices that are held do not answer.
    const Real moves = select(mass_[static_cast<std::size_t>(i)] > 0.0, Real::all(1), Real::all(0));
    for (int k = 0; k < Block; ++k) to[k] = k < 3 ? side[k] + g[k] * moves : side[k];
  }
  std::fill(b.end() - Solve::spare, b.end(), Real::all(0));
  if (arms_ != nullptr) arms_->spread(x, 1, b.data());
  Solve::solve(factor, b.data(), vertices_);
  if (arms_ != nullptr) arms_->collect(b.data(), 1, x);
  for (int i = 0; i < vertices_; ++i) {
    const Real* from = b.data() + Block * i;
    Real v[4] = {from[0], from[1], from[2], Real::all(0)};
    transpose(v[0], v[1], v[2], v[3]);
    for (int lane = 0; lane < lanes; ++lane) x[node(lane, i)] = v[lane];
  }
}

template class BandBody<4, 10>;
template class BandBody<5, 12>;

}  // namespace ymir
