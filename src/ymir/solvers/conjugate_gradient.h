// Preconditioned conjugate gradients for A x = b, A and the preconditioner M symmetric positive definite.
//
//   apply(x, y)        y = A x
//   precondition(r, z) z = M^-1 r, linear and the same in every iteration
//   inner(a, b)        the sum of a_i b_i over all unknowns; over ranks it adds those of the others, and the same code
//                      is the distributed solver. All ranks must get the same bits.
//
// The recurrence's residual drifts from b - A x, so convergence is decided on the latter: when the recurrence is below
// the target, b - A x is computed, and if it is not below too, the iteration restarts from it as long as that helps.
// Breakdown (p'Ap <= 0 or r'z <= 0: not positive definite) ends it with the iterate reached. All vectors are updated
// element by element in fixed blocks: results do not depend on the thread count.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "ymir/base/check.h"
#include "ymir/parallel/threads.h"

namespace ymir {

enum class CgStatus {
  converged,
  too_many_iterations,
  stagnated,                 // b - A x no longer falls: the tolerance is below round-off
  matrix_breakdown,          // a direction with p'Ap <= 0
  preconditioner_breakdown,  // a residual with r'z <= 0
  not_finite
};

struct CgOptions {
  double relative = 1e-6;  // stop at |b - A x| <= max(relative |b|, absolute)
  double absolute = 0;
  int max_iterations = 1000;
};

struct CgReport {
  bool converged = false;
  int iterations = 0;
  double residual = 0;  // |b - A x| of the x returned, computed from it
  CgStatus status = CgStatus::converged;
  double curvature = 0;  // p'Ap or r'z of a breakdown
};

// Kept between solves, it spares every allocation.
struct CgWorkspace {
  std::vector<double> r, z, p, q;
  void resize(std::size_t n) { r.resize(n), z.resize(n), p.resize(n), q.resize(n); }
};

// Ordered sum over fixed blocks.
struct InnerProduct {
  double operator()(std::span<const double> a, std::span<const double> b) const {
    constexpr std::ptrdiff_t blocks = 256, smallest = 65536;
    const auto n = static_cast<std::ptrdiff_t>(a.size());
    const std::ptrdiff_t block = std::max(smallest, (n + blocks - 1) / blocks);
    std::array<double, blocks> partial;
    parallel_blocks(n, block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      double sum[4] = {0, 0, 0, 0};
      const double *x = a.data(), *y = b.data();
      std::ptrdiff_t i = begin;
      for (; i + 4 <= end; i += 4)
        for (int lane = 0; lane < 4; ++lane) sum[lane] += x[i + lane] * y[i + lane];
      for (; i < end; ++i) sum[0] += x[i] * y[i];
      partial[static_cast<std::size_t>(begin / block)] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    });
    double sum = 0;
    for (std::ptrdiff_t k = 0; k * block < n; ++k) sum += partial[static_cast<std::size_t>(k)];
    return sum;
  }
};

struct NoPreconditioner {
  void operator()(std::span<const double> r, std::span<double> z) const { std::copy(r.begin(), r.end(), z.begin()); }
};

struct JacobiPreconditioner {
  std::span<const double> diagonal;
  void operator()(std::span<const double> r, std::span<double> z) const {
    for (std::size_t i = 0; i < r.size(); ++i) z[i] = r[i] / diagonal[i];
  }
};

namespace cg_detail {

// f(i) for every i below n.
template <class F>
void each(std::size_t n, F&& f) {
  parallel_blocks(static_cast<std::ptrdiff_t>(n), 65536, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i < end; ++i) f(static_cast<std::size_t>(i));
  });
}

// Iterates from r = b - A x until |r| of the recurrence is at most `target`; converged means that alone.
template <class Apply, class Precondition, class Inner>
CgStatus recur(Apply& apply, Precondition& precondition, Inner& inner, std::span<double> x, CgWorkspace& w,
               double target, int max_iterations, CgReport& report) {
  double rz = 0;
  for (bool first = true; report.iterations < max_iterations; first = false) {
    precondition(std::span<const double>(w.r), std::span<double>(w.z));
    const double rz_new = inner(std::span<const double>(w.r), std::span<const double>(w.z));
    if (!(rz_new > 0) || !std::isfinite(rz_new)) {
      report.curvature = rz_new;
      return std::isfinite(rz_new) ? CgStatus::preconditioner_breakdown : CgStatus::not_finite;
    }
    const double beta = first ? 0 : rz_new / rz;
    rz = rz_new;
    if (first)
      each(x.size(), [&](std::size_t i) { w.p[i] = w.z[i]; });
    else
      each(x.size(), [&](std::size_t i) { w.p[i] = w.z[i] + beta * w.p[i]; });
    apply(std::span<const double>(w.p), std::span<double>(w.q));
    const double curvature = inner(std::span<const double>(w.p), std::span<const double>(w.q));
    const double alpha = rz / curvature;
    if (!(curvature > 0) || !std::isfinite(alpha)) {
      report.curvature = curvature;
      return std::isfinite(curvature) ? CgStatus::matrix_breakdown : CgStatus::not_finite;
    }
    each(x.size(), [&](std::size_t i) {
      x[i] += alpha * w.p[i];
      w.r[i] -= alpha * w.q[i];
    });
    ++report.iterations;
    const double rr = inner(std::span<const double>(w.r), std::span<const double>(w.r));
    if (std::sqrt(rr) <= target) return CgStatus::converged;
    if (!std::isfinite(rr)) return CgStatus::not_finite;
  }
  return CgStatus::too_many_iterations;
}

}  // namespace cg_detail

// x: the first guess on entry, the solution on return.
template <class Apply, class Precondition, class Inner = InnerProduct>
CgReport conjugate_gradient(Apply&& apply, Precondition&& precondition, std::span<const double> b, std::span<double> x,
                            CgWorkspace& workspace, const CgOptions& options = {}, Inner&& inner = {}) {
  YMIR_CHECK(b.size() == x.size());
  workspace.resize(b.size());
  const auto true_residual = [&] {
    apply(std::span<const double>(x), std::span<double>(workspace.r));
    cg_detail::each(b.size(), [&](std::size_t i) { workspace.r[i] = b[i] - workspace.r[i]; });
    const std::span<const double> r(workspace.r);
    return std::sqrt(inner(r, r));
  };
  const double scale = std::sqrt(inner(b, b));
  const double target = std::max(options.relative * scale, options.absolute);
  CgReport report;
  if (scale == 0) {  // no relative target could ever be met from another guess
    std::fill(x.begin(), x.end(), 0.0);
    report.converged = true;
    return report;
  }
  for (double before = std::numeric_limits<double>::infinity();;) {
    report.residual = true_residual();
    if (!std::isfinite(report.residual)) report.status = CgStatus::not_finite;
    if (report.residual <= target) report.status = CgStatus::converged;
    if (report.residual <= target || report.status != CgStatus::converged) break;
    if (report.residual > before / 2) {
      report.status = CgStatus::stagnated;
      break;
    }
    before = report.residual;
    report.status = cg_detail::recur(apply, precondition, inner, x, workspace, target, options.max_iterations, report);
  }
  report.converged = report.status == CgStatus::converged;
  return report;
}

}  // namespace ymir
