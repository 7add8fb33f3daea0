// Strands coupled by springs, the system of one Newton iteration: CG preconditioned by a direct solve per strand (the
// manybodies solver, [Lesser2022, 6.5, figure 12c]) against direct solvers on the whole matrix and against Jacobi-CG.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "bench.h"
#include "rod_case.h"
#include "ymir/base/hash.h"
#include "ymir/base/random.h"
#include "ymir/parallel/threads.h"
#include "ymir/solvers/band_ldl.h"
#include "ymir/solvers/conjugate_gradient.h"
#include "ymir/solvers/direct.h"

namespace ymir::bench {
namespace {

using Real = StrandReal;
constexpr int lanes = StrandSystem::lanes, spare = PlainLayout::half_bandwidth, column = spare + 1;
constexpr double tolerance = 1e-6;      // of |b - A x|, relative to |b|
constexpr int most_iterations = 5'000;  // of CG
constexpr int springs_per_strand = 2;

// Unknown r of lane l of group g is number (g rows + r) lanes + l: a group's part of a vector is its rows of lanes.
struct System {
  int groups = 0, rows = 0;
  std::vector<Real> bands;                           // [group][row][column]: the strands alone
  std::vector<std::array<std::int32_t, 2>> springs;  // first unknowns of two vertices
  double stiffness = 0;                              // of a spring, the same in all directions [N/m]
  std::vector<double> right_side;

  std::size_t size() const { return right_side.size(); }
  const Real* band(std::ptrdiff_t g) const { return bands.data() + g * rows * column; }

  void multiply(std::span<const double> x, std::span<double> y) const {
    parallel_for(groups, [&](std::ptrdiff_t g) {
      const Real* a = band(g);
      const double* from = x.data() + g * rows * lanes;
      double* to = y.data() + g * rows * lanes;
      Real pending[column] = {};  // what the columns before gave to this row and the next ones
      for (int j = 0; j < rows; ++j, a += column) {
        const Real xj = Real::load(from + j * lanes);
        Real sum = mul_add(a[0], xj, pending[0]);
        const int below = std::min(spare, rows - 1 - j);
        for (int k = 1; k <= below; ++k) {
          sum = mul_add(a[k], Real::load(from + (j + k) * lanes), sum);
          pending[k - 1] = mul_add(a[k], xj, pending[k]);
        }
        pending[below] = Real::all(0);
        sum.store(to + j * lanes);
      }
    });
    for (const auto& [a, b] : springs)
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = static_cast<std::size_t>(a) + k * lanes, j = static_cast<std::size_t>(b) + k * lanes;
        const double force = stiffness * (x[i] - x[j]);
        y[i] += force;
        y[j] -= force;
      }
  }

  SymmetricMatrix whole() const {
    std::vector<Triplet> triplets;
    for (int g = 0; g < groups; ++g)
      for (int j = 0; j < rows; ++j)
        for (int k = 0; k <= std::min(spare, rows - 1 - j); ++k)
          for (int lane = 0; lane < lanes; ++lane) {
            const double value = band(g)[j * column + k][lane];
            const int at = g * rows + j;
            if (value != 0 || k == 0) triplets.push_back({(at + k) * lanes + lane, at * lanes + lane, value});
          }
    for (const auto& [a, b] : springs)
      for (int k = 0; k < 3; ++k) {
        const std::int32_t i = a + k * lanes, j = b + k * lanes;
        triplets.push_back({i, i, stiffness});
        triplets.push_back({j, j, stiffness});
        triplets.push_back({i, j, -stiffness});
      }
    return {static_cast<std::int32_t>(size()), triplets};
  }
};

// Vertices of different strands, drawn at random; never the root, which is given.
void add_springs(System& system, const RodCase& rods, std::int64_t strands, double ratio) {
  const auto vertex = [&](Random& random, std::int64_t& at) {
    at = std::min(static_cast<std::int64_t>(random.uniform() * static_cast<double>(strands)), strands - 1);
    const int v = 2 + std::min(static_cast<int>(random.uniform() * (RodCase::vertices - 1)), RodCase::vertices - 2);
    return static_cast<std::int32_t>((at / lanes * system.rows + PlainLayout::row(v, 0)) * lanes + at % lanes);
  };
  for (std::int64_t s = 0; s < strands * springs_per_strand; ++s) {
    Random random(11, static_cast<std::uint64_t>(s));
    std::int64_t one = 0, other = 0;
    const std::int32_t a = vertex(random, one);
    std::int32_t b = vertex(random, other);
    while (other == one) b = vertex(random, other);
    system.springs.push_back({a, b});
  }
  const double mass = rods.object.strands().plane(0, rods.object.rod_channels().mass)[RodCase::vertices / 2][0];
  system.stiffness = ratio * mass / (RodCase::dt * RodCase::dt);
}

// The matrices of a substep's first iteration, the strands being in motion.
System make_system(RodCase& rods, std::int64_t strands, double ratio) {
  System system;
  system.groups = rods.object.strands().group_count();
  StrandNewton newton(rods.object.strands(), rods.object.rod_channels());
  for (int g = 0; g < system.groups; ++g) {
    const RootPose pose = rods.root_pose(g);
    rods.object.strands().rollback(g);
    newton.begin(g, rods.step.time + rods.step.dt, rods.step.dt, &pose, rods.forces, rods.constraints);
    StrandStep& step = newton.step();
    system.rows = newton.rows();
    const auto count = static_cast<std::ptrdiff_t>(system.rows);
    std::vector<Real> band;
    do {
      newton.assemble(rods.forces, rods.constraints);
      band.assign(step.matrix, step.matrix + count * column);
    } while (!newton.factor());
    system.bands.insert(system.bands.end(), band.begin(), band.end());
    for (int r = 0; r < system.rows; ++r)
      for (int lane = 0; lane < lanes; ++lane)
        system.right_side.push_back(-(step.residual[r][lane] + step.condensed[r][lane]));
  }
  add_springs(system, rods, strands, ratio);
  return system;
}

// The diagonal blocks of the whole matrix, factored strand by strand in lanes.
struct StrandBlocks {
  using Ldl = BandLdl<Real, PlainLayout::block, PlainLayout::half_bandwidth>;
  const System* system;
  std::vector<Real> factors;  // [group][row + spare][column]

  std::ptrdiff_t stride() const { return static_cast<std::ptrdiff_t>(system->rows + spare) * column; }
  explicit StrandBlocks(const System& s) : system(&s) {
    factors.resize(static_cast<std::size_t>(s.groups * stride()));
    for (int g = 0; g < s.groups; ++g) std::copy_n(s.band(g), s.rows * column, factors.data() + g * stride());
    double* values = reinterpret_cast<double*>(factors.data());
    for (const auto& spring : s.springs)
      for (const std::int32_t end : spring)
        for (int k = 0; k < 3; ++k) {
          const int at = end / lanes + k, group = at / s.rows;
          values[(group * stride() + (at % s.rows) * column) * lanes + end % lanes] += s.stiffness;
        }
    parallel_for(s.groups, [&](std::ptrdiff_t g) {
      Ldl::factor(factors.data() + g * stride(), s.rows / PlainLayout::block, [](int, const Real& d) { return d; });
    });
  }
  void operator()(std::span<const double> r, std::span<double> z) const {
    const int rows = system->rows;
    parallel_for(system->groups, [&](std::ptrdiff_t g) {
      thread_local std::vector<Real> x;
      x.assign(static_cast<std::size_t>(rows + spare), Real::all(0));
      for (int j = 0; j < rows; ++j) x[static_cast<std::size_t>(j)] = Real::load(r.data() + (g * rows + j) * lanes);
      Ldl::solve(factors.data() + g * stride(), x.data(), rows / PlainLayout::block);
      for (int j = 0; j < rows; ++j) x[static_cast<std::size_t>(j)].store(z.data() + (g * rows + j) * lanes);
    });
  }
};

struct Outcome {
  double setup = std::numeric_limits<double>::infinity(), solve = setup;  // [s], of the fastest repetition
  double analysis = 0;  // share of the setup that depends on the pattern alone [s]
  double bytes = 0;     // of the factors or diagonals
  int iterations = 1;
  std::vector<double> x;
  bool keep(double setup_s, double solve_s) {
    const bool faster = setup_s + solve_s < setup + solve;
    if (faster) setup = setup_s, solve = solve_s;
    return faster;
  }
};

template <class Precondition>
void run_cg(const System& system, const Precondition& precondition, double setup_s, Outcome& out) {
  CgWorkspace workspace;
  out.x.assign(system.size(), 0);
  const Timer timer;
  const CgReport report = conjugate_gradient(
      [&](std::span<const double> x, std::span<double> y) { system.multiply(x, y); }, precondition, system.right_side,
      out.x, workspace, {.relative = tolerance, .max_iterations = most_iterations});
  out.keep(setup_s, timer.seconds());
  out.iterations = report.iterations;
}

Outcome by_strand_blocks(const System& system, int repetitions) {
  Outcome out;
  for (int r = 0; r < repetitions; ++r) {
    const Timer timer;
    const StrandBlocks blocks(system);
    run_cg(system, blocks, timer.seconds(), out);
    out.bytes = static_cast<double>(blocks.factors.size() * sizeof(Real));
  }
  return out;
}

Outcome by_jacobi(const System& system, const SymmetricMatrix& whole) {
  Outcome out;
  const Timer timer;
  std::vector<double> diagonal;
  for (std::int32_t i = 0; i < whole.size(); ++i) diagonal.push_back(whole.diagonal(i));
  run_cg(system, JacobiPreconditioner{diagonal}, timer.seconds(), out);
  out.bytes = static_cast<double>(diagonal.size() * sizeof(double));
  return out;
}

// The pattern of contacts changes from step to step: ordering and symbolic analysis are part of the setup.
Outcome by_direct(const System& system, const SymmetricMatrix& whole, DirectBackend backend, int repetitions) {
  Outcome out;
  out.x.resize(system.size());
  for (int r = 0; r < repetitions; ++r) {
    const Timer setup;
    DirectSolver solver(backend);
    solver.analyze(whole);
    const double analysis_s = setup.seconds();
    solver.factor(whole);
    const double setup_s = setup.seconds();
    const Timer solve;
    if (solver.report().ok) solver.solve(system.right_side, out.x);
    if (out.keep(setup_s, solve.seconds())) out.analysis = analysis_s;
    out.bytes = static_cast<double>(solver.factor_entries()) * (sizeof(double) + sizeof(std::int32_t));
  }
  return out;
}

void bench_coupled(std::int64_t strands, double ratio, const BenchOptions& options, BenchRows& rows) {
  Communicator alone;
  reset_peak_memory();
  RodCase rods(strands, alone);
  for (int s = 0; s < 3; ++s) {
    rods.begin();
    rods.object.advance(rods.step);
    rods.end();
  }
  rods.begin();
  const System system = make_system(rods, strands, ratio);
  const SymmetricMatrix whole = system.whole();
  const double scale = std::sqrt(InnerProduct{}(system.right_side, system.right_side));
  std::vector<double> rest(system.size());
  const auto add = [&](const char* solver, const Outcome& out) {
    BenchRow row =
        new_row("manybodies, " + std::to_string(strands) + " strands, ratio " + std::to_string(static_cast<int>(ratio)),
                solver);
    row.setup_s = out.setup;
    set_time(row, out.setup + out.solve, static_cast<std::int64_t>(system.size()));
    row.iterations = out.iterations;
    row.residual = whole.residual(system.right_side, out.x, rest) / scale;
    row.peak_MB = peak_memory_MB();
    row.hash = hash_bytes(std::as_bytes(std::span(out.x)));
    row.bitwise = false;
    row.figures = {{"analysis_s", out.analysis},
                   {"factor_s", out.setup - out.analysis},
                   {"solve_s", out.solve},
                   {"factor_MB", out.bytes / (1 << 20)}};
    rows.add(std::move(row));
  };
  const int repetitions = options.quick ? 1 : 5;
  const int all = threads();
  for (const int count : all > 1 ? std::vector<int>{1, all} : std::vector<int>{1}) {
    set_threads(count);
    add("strand blocks + CG", by_strand_blocks(system, repetitions));
  }
  if (has_cholmod()) add("CHOLMOD, whole matrix", by_direct(system, whole, DirectBackend::cholmod, repetitions));
  add("Eigen, whole matrix", by_direct(system, whole, DirectBackend::eigen, repetitions));
  add("Jacobi-CG", by_jacobi(system, whole));
}

}  // namespace

void bench_manybodies(const BenchOptions& options, BenchRows& rows) {
  const std::vector<std::int64_t> sizes =
      options.quick ? std::vector<std::int64_t>{50} : std::vector<std::int64_t>{50, 200, 500};
  double work = 0;
  for (const std::int64_t strands : sizes) work += 2 * static_cast<double>(strands);
  rows.expect(work);
  for (const std::int64_t strands : sizes)
    for (const double ratio : {1.0, 100.0}) {
      bench_coupled(strands, ratio, options, rows);
      rows.done(static_cast<double>(strands));
    }
}

}  // namespace ymir::bench
