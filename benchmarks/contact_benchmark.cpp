// Exact Coulomb contact: local solvers on random contacts of every class (10^6 each), and the solvers of whole problems
// on stacks, chains and heaps that are made here.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "bench.h"
#include "local_contact_case.h"
#include "ymir/base/hash.h"
#include "ymir/parallel/threads.h"
#include "ymir/solvers/coulomb/coulomb_solver.h"

namespace ymir::bench {
namespace {

constexpr double tolerance = 1e-8;

using Local = std::function<LocalResult(const LocalContact&)>;

BenchRow local_row(ContactClass kind, const std::string& solver, std::uint64_t count, const Local& solve) {
  BenchRow row = new_row(fmt::format("contacts {}", name_of(kind)), solver);
  row.bitwise = false;  // each solver finds its own of several solutions
  std::int64_t unsolved = 0, missed = 0;
  double worst = 0;
  std::uint64_t hash = 0;
  std::vector<LocalContact> contacts;
  std::vector<LocalResult> results;
  double seconds = 0;
  constexpr std::uint64_t at_once = 4096;
  for (std::uint64_t begin = 0; begin < count; begin += at_once) {
    contacts.clear();
    for (std::uint64_t k = begin; k < std::min(count, begin + at_once); ++k)
      contacts.push_back(random_contact(kind, k));
    results.resize(contacts.size());
    seconds += timed([&] {
      for (std::size_t k = 0; k < contacts.size(); ++k) results[k] = solve(contacts[k]);
    });
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const LocalContact& c = contacts[k];
      hash = hash_combine(hash, hash_bits(results[k].r.x));
      if (results[k].solved) {
        worst = std::max(worst, local_residual(c, results[k].r) / norm(c.b));
        continue;
      }
      ++unsolved;
      // Where W is not definite a solution need not exist.
      missed += is_definite(kind) || kind == ContactClass::rank_two_in_range ||
                        (c.mu > 0 && slides_somewhere(c, tolerance, 1000))
                    ? 1
                    : 0;
    }
  }
  row.residual = worst;
  row.hash = hash;
  set_time(row, seconds, static_cast<std::int64_t>(count));
  row.figures = {{"unsolved", static_cast<double>(unsolved)}, {"missed", static_cast<double>(missed)}};
  return row;
}

// Boxes of 1 kg and .2 x .2 x .1 m on each other, on four corners each: 4 k contacts, W of rank 6 k.
CoulombProblem stack(int k) {
  std::vector<CoulombBlock> blocks;
  std::vector<Vec3d> q(static_cast<std::size_t>(4 * k));
  const double i = (0.01 + 0.0025) / 3, j = 0.02 / 3;  // inertia about a side and the vertical [kg m2]
  const auto corner = [](int c, double z) { return Vec3d{c % 2 == 1 ? 0.1 : -0.1, c / 2 == 1 ? 0.1 : -0.1, z}; };
  // (normal, x, y) of an impulse at one corner of a box, seen at another.
  const auto respond = [&](Vec3d at, Vec3d seen) {
    Mat3d w;
    for (int a = 0; a < 3; ++a) {
      const Vec3d f = a == 0 ? Vec3d{0, 0, 1} : a == 1 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
      const Vec3d torque = cross(at, f), spin{torque.x / i, torque.y / i, torque.z / j}, u = f + cross(spin, seen);
      w.column[a] = {u.z, u.x, u.y};
    }
    return w;
  };
  for (int b = 0; b < k; ++b)
    for (int c = 0; c < 4; ++c) {
      const int row = 4 * b + c;
      q[static_cast<std::size_t>(row)].x = b == 0 ? -0.0981 : 0;
      for (int d = 0; d < 4; ++d) {
        blocks.push_back({row, 4 * b + d, respond(corner(d, -0.05), corner(c, -0.05))});
        if (b > 0) {
          blocks.push_back({row, 4 * b + d, respond(corner(d, 0.05), corner(c, 0.05))});
          blocks.push_back({row, 4 * (b - 1) + d, respond(corner(d, -0.05), corner(c, 0.05)) * -1.0});
        }
        if (b + 1 < k) blocks.push_back({row, 4 * (b + 1) + d, respond(corner(d, 0.05), corner(c, -0.05)) * -1.0});
      }
    }
  return coulomb_problem(std::move(blocks), std::move(q), std::vector<double>(static_cast<std::size_t>(4 * k), 0.5));
}

// Spheres in a grid of edge n, pressed together at random velocities: three contacts each, all of one size.
CoulombProblem heap(int n) {
  struct Touch {
    int a, b, axis;
  };
  std::vector<Touch> touches;
  std::vector<std::vector<int>> of(static_cast<std::size_t>(n * n * n));
  std::vector<Vec3d> v, spin;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const int body = (z * n + y) * n + x;
        Random random(9, static_cast<std::uint64_t>(body));
        v.push_back(Vec3d{0.5 * n - x, 0.5 * n - y, -1.0 * z} * 0.1 + random_vector(random));
        spin.push_back(random_vector(random));
        const int step[3] = {1, n, n * n}, place[3] = {x, y, z};
        for (int axis = 0; axis < 3; ++axis) {
          const int other = place[axis] > 0 ? body - step[axis] : axis == 2 ? -1 : -2;
          if (other == -2) continue;
          of[static_cast<std::size_t>(body)].push_back(static_cast<int>(touches.size()));
          if (other >= 0) of[static_cast<std::size_t>(other)].push_back(static_cast<int>(touches.size()));
          touches.push_back({body, other, axis});
        }
      }
  // Unit mass and radius; the basis of a touch is its axis and the two that follow.
  const auto unit = [](int axis) {
    return Vec3d{axis % 3 == 0 ? 1.0 : 0, axis % 3 == 1 ? 1.0 : 0, axis % 3 == 2 ? 1.0 : 0};
  };
  const auto arm = [&](const Touch& t, int body) { return unit(t.axis) * (body == t.a ? -1.0 : 1.0); };
  std::vector<CoulombBlock> blocks;
  std::vector<Vec3d> q;
  for (std::size_t i = 0; i < touches.size(); ++i) {
    const Touch& t = touches[i];
    Vec3d u{};
    for (const int body : {t.a, t.b}) {
      if (body < 0) continue;
      const double sign = body == t.a ? 1 : -1;
      u += (v[static_cast<std::size_t>(body)] + cross(spin[static_cast<std::size_t>(body)], arm(t, body))) * sign;
      for (const int j : of[static_cast<std::size_t>(body)]) {
        const Touch& s = touches[static_cast<std::size_t>(j)];
        Mat3d w;
        for (int c = 0; c < 3; ++c) {
          const Vec3d f = unit(s.axis + c) * (body == s.a ? 1.0 : -1.0);
          const Vec3d response = (f + cross(cross(arm(s, body), f) * 2.5, arm(t, body))) * sign;
          w.column[c] = {dot(unit(t.axis), response), dot(unit(t.axis + 1), response), dot(unit(t.axis + 2), response)};
        }
        blocks.push_back({static_cast<std::int32_t>(i), j, w});
      }
    }
    q.push_back({dot(unit(t.axis), u), dot(unit(t.axis + 1), u), dot(unit(t.axis + 2), u)});
  }
  std::vector<double> mu(q.size(), 0.3);
  return coulomb_problem(std::move(blocks), std::move(q), std::move(mu));
}

BenchRow global_row(const std::string& scene, const CoulombProblem& problem, const CoulombSolverName& solver,
                    double accuracy, int repetitions) {
  BenchRow row = new_row(scene, std::string(solver.name));
  row.bitwise = false;
  const CoulombOptions options{.method = solver.method, .local = solver.local, .tolerance = accuracy};
  CoulombReport report;
  double best = 1e300;
  std::vector<Vec3d> r;
  reset_peak_memory();
  for (int k = 0; k < repetitions; ++k) {
    r.clear();
    best = std::min(best, timed([&] { report = solve_coulomb(problem, r, options); }));
  }
  row.peak_MB = peak_memory_MB();
  set_time(row, best, problem.contacts());
  row.iterations = report.iterations;
  row.residual = report.errors.scaled;
  for (const Vec3d& x : r) row.hash = hash_combine(row.hash, hash_combine(hash_bits(x.x), hash_bits(x.y)));
  row.figures = {{"solved", report.status == CoulombStatus::solved ? 1.0 : 0.0},
                 {"sweeps", report.sweeps},
                 {"steps", report.steps},
                 {"natural", report.errors.natural}};
  return row;
}

}  // namespace

void bench_contact(const BenchOptions& options, BenchRows& rows) {
  const std::uint64_t count = options.quick ? 10'000 : 1'000'000;
  rows.expect(static_cast<double>(std::size(contact_classes)));
  for (const ContactClass kind : contact_classes) {
    rows.add(local_row(kind, "hybrid", count, [](const LocalContact& c) {
      return hybrid_contact(hybrid_block(c.w), c.b, c.mu, {}, tolerance);
    }));
    rows.add(
        local_row(kind, "enumerative", count, [](const LocalContact& c) { return enumerative_contact(c, tolerance); }));
    rows.add(local_row(kind, "mfb", count / 10, [](const LocalContact& c) { return mfb_newton(c, {}, tolerance); }));
    rows.done(1);
  }
  const int all = threads();
  struct Scene {
    std::string name;
    CoulombProblem problem;
    double accuracy;  // 1e-6: statics; 1e-4: motion
    std::vector<std::string_view> solvers;
  };
  std::vector<Scene> scenes;
  for (const int k : options.quick ? std::vector{5} : std::vector{5, 20, 100})
    scenes.push_back({fmt::format("stack of {}", k), stack(k), 1e-6, {"ladder", "newton", "anderson"}});
  for (const int n : options.quick ? std::vector{6} : std::vector{6, 10})
    scenes.push_back({fmt::format("heap of {}^3", n), heap(n), 1e-4, {"ladder", "sweeps", "anderson"}});
  const std::vector<int> counts = all > 1 ? std::vector{1, all} : std::vector{1};
  const auto work = [](const Scene& scene) { return static_cast<double>(scene.problem.contacts()); };
  double whole = 0;
  for (const Scene& scene : scenes) whole += work(scene) * static_cast<double>(counts.size());
  rows.expect(whole);
  for (const Scene& scene : scenes)
    for (const int used : counts) {
      set_threads(used);
      for (const CoulombSolverName& solver : coulomb_solver_names())
        if (std::find(scene.solvers.begin(), scene.solvers.end(), solver.name) != scene.solvers.end())
          rows.add(global_row(scene.name, scene.problem, solver, scene.accuracy, options.quick ? 1 : 2));
      rows.done(work(scene));
    }
  set_threads(all);
}

}  // namespace ymir::bench
