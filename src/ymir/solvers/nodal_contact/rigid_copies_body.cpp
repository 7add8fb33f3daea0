#include "ymir/solvers/nodal_contact/rigid_copies_body.h"

#include <algorithm>
#include <cmath>

#include "ymir/solvers/nodal_contact/nodal_metric.h"

namespace ymir {

RigidCopiesBody::RigidCopiesBody(double mass, Vec3d centre, const Mat3d& axes, Vec3d half)
    : mass_(mass), axes_(axes), centre_(centre) {
  constexpr double thinnest = 0.01;
  const double least = thinnest * std::max({half.x, half.y, half.z});
  half_ = {std::max(half.x, least), std::max(half.y, least), std::max(half.z, least)};
  for (int c = 0; c < copies; ++c)
    arm_[c] = centre + axes * Vec3d{c & 1 ? half_.x : -half_.x, c & 2 ? half_.y : -half_.y, c & 4 ? half_.z : -half_.z};
}

bool RigidCopiesBody::set(const double (&m)[6][6], const double (&f)[6]) {
  std::copy(&m[0][0], &m[0][0] + 36, &m_[0][0]);
  std::copy(&m[0][0], &m[0][0] + 36, &factor_[0][0]);
  std::copy(f, f + 6, f_);
  return factor(factor_);
}

bool RigidCopiesBody::set_free(double mass, Vec3d inertia, Vec3d velocity, Vec3d spin) {
  double m[6][6] = {}, f[6];
  const Vec3d turned = axes_ * Vec3d{inertia.x * dot(axes_.column[0], spin), inertia.y * dot(axes_.column[1], spin),
                                     inertia.z * dot(axes_.column[2], spin)};
  for (int i = 0; i < 3; ++i) {
    m[i][i] = mass, f[i] = mass * velocity[i], f[3 + i] = turned[i];
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) m[3 + i][3 + j] += axes_(i, k) * inertia[k] * axes_(j, k);
  }
  return set(m, f);
}

void RigidCopiesBody::weights(Vec3d arm, double (&weight)[copies]) const {
  const Vec3d from = arm - centre_;
  for (int c = 0; c < copies; ++c) {
    weight[c] = 1;
    for (int k = 0; k < 3; ++k) weight[c] *= 0.5 * (1 + (c >> k & 1 ? 1 : -1) * dot(axes_.column[k], from) / half_[k]);
  }
}

void RigidCopiesBody::describe(std::span<NodeMetric> nodes) const {
  std::fill(nodes.begin(), nodes.end(), metric_of_copy(mass_, copies));
}

bool RigidCopiesBody::factor(double (&a)[6][6]) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (int k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      if (i == j && !(sum > 0 && std::isfinite(sum))) return false;
      a[i][j] = i == j ? 1 / std::sqrt(sum) : sum * a[j][j];
    }
  return true;
}

bool RigidCopiesBody::factor(std::span<const double> d) {
  std::copy(&m_[0][0], &m_[0][0] + 36, &metric_[0][0]);
  for (int c = 0; c < copies; ++c) {
    const double mass = d[static_cast<std::size_t>(c)];
    const Mat3d x = cross_matrix(arm_[c]);  // J = (I, -[arm]x)
    for (int i = 0; i < 3; ++i) {
      metric_[i][i] += mass;
      for (int j = 0; j < 3; ++j) {
        metric_[3 + i][j] += mass * x(i, j);
        metric_[3 + i][3 + j] += mass * ((i == j ? dot(arm_[c], arm_[c]) : 0) - arm_[c][i] * arm_[c][j]);
      }
    }
  }
  return factor(metric_);
}

void RigidCopiesBody::solve(const double (&l)[6][6], NodeVector* x) const {
  double b[6];
  std::copy(f_, f_ + 6, b);
  for (int c = 0; c < copies; ++c) {
    const Vec3d g{x[c][0], x[c][1], x[c][2]}, torque = cross(arm_[c], g);
    for (int k = 0; k < 3; ++k) b[k] += g[k], b[3 + k] += torque[k];
  }
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < i; ++k) b[i] -= l[i][k] * b[k];
    b[i] *= l[i][i];
  }
  for (int i = 5; i >= 0; --i) {
    for (int k = i + 1; k < 6; ++k) b[i] -= l[k][i] * b[k];
    b[i] *= l[i][i];
  }
  const Vec3d v{b[0], b[1], b[2]}, spin{b[3], b[4], b[5]};
  for (int c = 0; c < copies; ++c) {
    const Vec3d at = v + cross(spin, arm_[c]);
    for (int k = 0; k < 3; ++k) x[c].set(k, at[k]);
  }
}

}  // namespace ymir
