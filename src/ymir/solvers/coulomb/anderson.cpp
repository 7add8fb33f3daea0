#include "ymir/solvers/coulomb/anderson.h"

#include <array>
#include <limits>

namespace ymir::coulomb {
namespace {

constexpr int window = 8;

// x with N x = b by elimination, N positive definite after a small shift.
void solve_normal(std::array<std::array<double, window>, window>& n, std::array<double, window>& b, int size) {
  double trace = 0;
  for (int i = 0; i < size; ++i) trace += n[i][i];
  for (int i = 0; i < size; ++i) n[i][i] += 1e-10 * trace;
  for (int i = 0; i < size; ++i)
    for (int j = i + 1; j < size; ++j) {
      const double l = n[j][i] / n[i][i];
      for (int k = i; k < size; ++k) n[j][k] -= l * n[i][k];
      b[j] -= l * b[i];
    }
  for (int i = size - 1; i >= 0; --i) {
    for (int j = i + 1; j < size; ++j) b[i] -= n[i][j] * b[j];
    b[i] /= n[i][i];
  }
}

}  // namespace

void anderson(const System& system, Sweeper& sweeper, Vector r, int most_sweeps, Progress& progress) {
  std::array<Vector, window> dg, df;  // differences of g(r) and of f = g(r) - r
  Vector g(r.size()), f(r.size()), last_g(r.size()), last_f(r.size()), x(r.size());
  for (int k = 0; k < window; ++k) dg[k] = df[k] = x;
  int kept = 0, next = 0;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < most_sweeps && !progress.finished(); ++k) {
    g = r;
    sweeper.sweep(g, system.q, 0);
    ++progress.sweeps;
    progress.offer(g);
    add(g, -1, r, f);
    const double size = norm(f);
    if (k > 0 && size > 2 * last) {
      kept = next = 0;
    } else if (k > 0) {
      add(g, -1, last_g, dg[next]);
      add(f, -1, last_f, df[next]);
      next = (next + 1) % window;
      kept = std::min(kept + 1, window);
    }
    last = size;
    last_g = g;
    last_f = f;
    r = g;
    if (kept == 0) continue;
    std::array<std::array<double, window>, window> normal{};
    std::array<double, window> b{};
    for (int i = 0; i < kept; ++i) {
      for (int j = 0; j <= i; ++j) normal[i][j] = normal[j][i] = dot(df[i], df[j]);
      b[i] = dot(df[i], f);
    }
    solve_normal(normal, b, kept);
    x = g;
    for (int j = 0; j < kept; ++j) add(x, -b[j], dg[j], x);
    if (!std::isfinite(norm(x))) continue;
    for (std::int32_t i = 0; i < system.contacts; ++i) r[i] = lane(project_on_cone(vec3(x[i]), system.mu[i]));
  }
}

}  // namespace ymir::coulomb
