#include "ymir/solvers/coulomb/system.h"

#include <algorithm>

#include "ymir/parallel/threads.h"
#include "ymir/physics/contact/coulomb_law.h"

namespace ymir::coulomb {
namespace {

template <class F>
void for_rows(std::int32_t count, F&& rows) {
  if (count < threaded_from)
    rows(0, count);
  else
    parallel_blocks(count, rows_per_task, rows);
}

}  // namespace

void System::velocities(const Vector& r, const Vector& q_, double shift, Vector& u) const {
  for_rows(contacts, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i < end; ++i) {
      Lane s = mul_add(Lane::all(shift), r[i], q_[i]);
      for (std::int64_t k = starts[i]; k < starts[i + 1]; ++k) s = multiply_add(blocks[k], r[columns[k]], s);
      u[i] = s;
    }
  });
}

System scaled_system(const CoulombProblem& problem) {
  System s;
  const std::int32_t n = s.contacts = problem.contacts();
  s.mu = problem.mu;
  s.weight.assign(static_cast<std::size_t>(n), 0);
  s.diagonal.resize(static_cast<std::size_t>(n));
  s.starts.push_back(0);
  double mean = 0, square = 0;
  std::vector<Vec3d> q = problem.q;
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int64_t k = problem.starts[i]; k < problem.starts[i + 1]; ++k) {
      if (problem.columns[k] == i) mean += trace(problem.blocks[k]) / (3.0 * n);
      if (!problem.adhesion.empty()) q[i] -= problem.blocks[k].column[0] * problem.adhesion[problem.columns[k]];
    }
  // Largest first: squares of very small or large velocities would leave the range of numbers.
  double peak = 0;
  for (const Vec3d& v : q) peak = std::max({peak, std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)});
  for (const Vec3d& v : q) square += peak > 0 ? ymir::dot(v / peak, v / peak) : 0;
  s.velocity = square > 0 ? peak * std::sqrt(square / (3.0 * n)) : 1;
  const double mass = mean > 0 ? 1 / mean : 1;
  s.impulse = s.velocity * mass;
  s.columns.reserve(problem.columns.size());
  s.blocks.reserve(problem.blocks.size());
  for (std::int32_t i = 0; i < n; ++i) {
    bool has = false;
    const auto put = [&](std::int32_t column, const Mat3d& value) {
      if (column == i) s.diagonal[i] = static_cast<std::int64_t>(s.blocks.size());
      s.columns.push_back(column);
      s.blocks.push_back(block(value * mass));
      has = has || column == i;
    };
    for (std::int64_t k = problem.starts[i]; k < problem.starts[i + 1]; ++k) {
      if (problem.columns[k] > i && !has) put(i, {});
      put(problem.columns[k], problem.blocks[k]);
    }
    if (!has) put(i, {});
    s.starts.push_back(static_cast<std::int64_t>(s.blocks.size()));
    s.q.push_back(lane(q[i] / s.velocity));
    s.weight[i] = mean_inverse_mass(s.own_block(i));
    s.largest = std::max(s.largest, ymir::norm(q[i] / s.velocity));
  }
  s.size = norm(s.q);
  return s;
}

Colours colour_contacts(const System& system) {
  // A row that names a column is coupled to it, and the column's row may not name it back: both ways count.
  const auto n = static_cast<std::size_t>(system.contacts);
  std::vector<std::int64_t> starts(n + 1, 0);
  for (const std::int32_t c : system.columns) ++starts[static_cast<std::size_t>(c) + 1];
  for (std::size_t i = 0; i < n; ++i) starts[i + 1] += starts[i];
  std::vector<std::int32_t> rows(system.columns.size());
  std::vector<std::int64_t> next(starts.begin(), starts.end() - 1);
  for (std::int32_t i = 0; i < system.contacts; ++i)
    for (std::int64_t k = system.starts[i]; k < system.starts[i + 1]; ++k) rows[next[system.columns[k]]++] = i;
  std::vector<std::int32_t> colour(n, -1), used;
  for (std::int32_t i = 0; i < system.contacts; ++i) {
    const auto mark = [&](std::int32_t j) {
      if (colour[j] >= 0) used[colour[j]] = i;
    };
    for (std::int64_t k = system.starts[i]; k < system.starts[i + 1]; ++k) mark(system.columns[k]);
    for (std::int64_t k = starts[i]; k < starts[i + 1]; ++k) mark(rows[k]);
    std::int32_t c = 0;
    while (c < static_cast<std::int32_t>(used.size()) && used[c] == i) ++c;
    if (c == static_cast<std::int32_t>(used.size())) used.push_back(-1);
    colour[i] = c;
  }
  Colours result;
  result.starts.assign(used.size() + 1, 0);
  for (const std::int32_t c : colour) ++result.starts[static_cast<std::size_t>(c) + 1];
  for (std::size_t c = 0; c < used.size(); ++c) result.starts[c + 1] += result.starts[c];
  result.order.resize(n);
  std::vector<std::int32_t> place(result.starts.begin(), result.starts.end() - 1);
  for (std::int32_t i = 0; i < system.contacts; ++i) result.order[place[colour[i]]++] = i;
  return result;
}

Judgement judge(const System& system, const Vector& r, const Vector& u) {
  double e2 = 0, impulse2 = 0;
  for (std::int32_t i = 0; i < system.contacts; ++i) {
    const Vec3d x = vec3(r[i]), e = natural_map(x, vec3(u[i]), system.mu[i], system.weight[i]);
    e2 += ymir::dot(e, e);
    impulse2 = std::max(impulse2, system.weight[i] * system.weight[i] * ymir::dot(x, x));
  }
  return {std::sqrt(e2) / system.size, std::sqrt(impulse2) / system.largest};
}

}  // namespace ymir::coulomb
