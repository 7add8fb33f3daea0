#include "ymir/solvers/coulomb/coulomb_problem.h"

#include <algorithm>
#include <numeric>

#include "ymir/base/check.h"
#include "ymir/physics/contact/coulomb_law.h"

namespace ymir {
namespace {

bool finite(const Mat3d& a) { return is_finite(a.column[0]) && is_finite(a.column[1]) && is_finite(a.column[2]); }

Mat3d diagonal_of(const CoulombProblem& p, std::int32_t i) {
  for (std::int64_t k = p.starts[i]; k < p.starts[i + 1]; ++k)
    if (p.columns[k] == i) return p.blocks[k];
  return {};
}

}  // namespace

std::vector<Vec3d> CoulombProblem::velocities(const std::vector<Vec3d>& r) const {
  std::vector<Vec3d> u = q;
  for (std::int32_t i = 0; i < contacts(); ++i)
    for (std::int64_t k = starts[i]; k < starts[i + 1]; ++k) u[i] += blocks[k] * r[columns[k]];
  return u;
}

std::string CoulombProblem::defect() const {
  const std::size_t n = q.size();
  if (starts.size() != n + 1 || mu.size() != n || columns.size() != blocks.size() ||
      starts.back() != static_cast<std::int64_t>(blocks.size()) || (!adhesion.empty() && adhesion.size() != n))
    return "W, q and mu are of different numbers of contacts";
  for (std::size_t i = 0; i < n; ++i) {
    const std::string contact = "contact " + std::to_string(i) + ": ";
    if (!(mu[i] >= 0) || !std::isfinite(mu[i])) return contact + "the friction coefficient is negative or not a number";
    if (!is_finite(q[i])) return contact + "q is not finite";
    if (!adhesion.empty() && !(adhesion[i] >= 0 && std::isfinite(adhesion[i])))
      return contact + "the adhesion is negative or not a number";
    std::int32_t before = -1;
    for (std::int64_t k = starts[i]; k < starts[i + 1]; ++k) {
      if (columns[k] <= before || columns[k] >= contacts()) return contact + "columns of W are out of order or range";
      before = columns[k];
      if (!finite(blocks[k])) return contact + "W is not finite";
    }
    const Mat3d own = diagonal_of(*this, static_cast<std::int32_t>(i));
    if (own(0, 0) < 0 || trace(own) < 0) return contact + "its own block of W is negative; W must be positive";
  }
  return {};
}

CoulombProblem coulomb_problem(std::vector<CoulombBlock> blocks, std::vector<Vec3d> q, std::vector<double> mu) {
  CoulombProblem p;
  p.q = std::move(q);
  p.mu = std::move(mu);
  std::stable_sort(blocks.begin(), blocks.end(), [](const CoulombBlock& a, const CoulombBlock& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  p.starts.assign(p.q.size() + 1, 0);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const CoulombBlock& b = blocks[k];
    YMIR_CHECK(b.row >= 0 && b.row < p.contacts() && b.column >= 0 && b.column < p.contacts());
    if (k > 0 && blocks[k - 1].row == b.row && blocks[k - 1].column == b.column) {
      p.blocks.back() += b.value;
      continue;
    }
    p.columns.push_back(b.column);
    p.blocks.push_back(b.value);
    p.starts[static_cast<std::size_t>(b.row) + 1] = static_cast<std::int64_t>(p.blocks.size());
  }
  for (std::size_t i = 1; i < p.starts.size(); ++i) p.starts[i] = std::max(p.starts[i], p.starts[i - 1]);
  return p;
}

CoulombErrors coulomb_errors(const CoulombProblem& problem, const std::vector<Vec3d>& r, int worst) {
  const std::int32_t n = problem.contacts();
  std::vector<Vec3d> moved;
  const bool sticky = !problem.adhesion.empty();
  if (sticky) {
    moved = r;
    for (std::int32_t i = 0; i < n; ++i) moved[i].x += problem.adhesion[i];
  }
  const std::vector<Vec3d>& x = sticky ? moved : r;
  const std::vector<Vec3d> u = problem.velocities(r);
  std::vector<Vec3d> q = problem.q;
  if (sticky) {
    for (std::int32_t i = 0; i < n; ++i)
      for (std::int64_t k = problem.starts[i]; k < problem.starts[i + 1]; ++k)
        q[i] -= problem.blocks[k].column[0] * problem.adhesion[problem.columns[k]];
  }
  CoulombErrors errors;
  std::vector<double> each(static_cast<std::size_t>(n));
  double e2 = 0, natural2 = 0, q2 = 0, r2 = 0, u2 = 0, impulse = 0, speed = 0;
  for (std::int32_t i = 0; i < n; ++i) {
    const double w = mean_inverse_mass(diagonal_of(problem, i));
    const Vec3d e = natural_map(x[i], u[i], problem.mu[i], w), f = natural_map(x[i], u[i], problem.mu[i], 1);
    each[i] = norm(e);
    e2 += dot(e, e);
    natural2 += dot(f, f);
    q2 += dot(q[i], q[i]);
    r2 += dot(x[i], x[i]);
    u2 += dot(u[i], u[i]);
    impulse = std::max(impulse, w * norm(x[i]));
    speed = std::max(speed, norm(q[i]));
  }
  // Without q the problem is solved by r = 0, and any other error is infinite.
  errors.scaled = e2 > 0 ? std::sqrt(e2 / q2) : 0;
  const double largest = std::max({q2, r2, u2});
  errors.natural = natural2 > 0 ? std::sqrt(natural2 / largest) : 0;
  errors.impulse = impulse > 0 ? impulse / speed : 0;
  errors.worst.resize(static_cast<std::size_t>(n));
  std::iota(errors.worst.begin(), errors.worst.end(), 0);
  const auto kept = static_cast<std::size_t>(std::min<std::int32_t>(n, worst));
  std::partial_sort(errors.worst.begin(), errors.worst.begin() + static_cast<std::ptrdiff_t>(kept), errors.worst.end(),
                    [&](std::int32_t a, std::int32_t b) { return each[a] != each[b] ? each[a] > each[b] : a < b; });
  errors.worst.resize(kept);
  while (!errors.worst.empty() && !(each[errors.worst.back()] > 0)) errors.worst.pop_back();
  return errors;
}

}  // namespace ymir
