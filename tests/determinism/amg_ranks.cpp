// Algebraic multigrid with rows shared by ranks. Every case is also solved by rank 0 alone: the shared solve must reach
// the tolerance on the whole matrix, agree with the other solution, need few more iterations and less memory per rank.
// The lines printed must be the same for any number of threads (same_for_threads.cmake compares them).
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "poisson_case.h"
#include "ymir/base/hash.h"
#include "ymir/parallel/bytes.h"
#include "ymir/solvers/amg/root_rows.h"
#include "ymir/solvers/poisson/pressure_solver.h"

namespace ymir::bench {
namespace {

constexpr AmgOptions split_w{.sweeps = 2, .w_cycle = true};

// Rows of all ranks: matrix, closed components, cells and a right side.
struct Whole {
  AlgebraicSystem system;
  std::vector<double> b;
};

Whole whole_case(PoissonGeometry geometry, int n) {
  Communicator alone;
  PoissonCase problem(geometry, n, alone);
  TilePoisson tiles(problem.volume);
  tiles.set_matrix(problem.coefficient, problem.cell);
  Whole whole{tiles.assemble(), {}};
  tiles.take_rows(problem.b, whole.b);
  return whole;
}

// Nothing links the rows.
Whole diagonal_case(int rows) {
  Whole whole;
  for (int i = 0; i < rows; ++i) {
    whole.system.matrix.starts.push_back(0);
    whole.system.matrix.row_sums.push_back(1 + i % 7);
    whole.system.cells.push_back({i % 32, i / 32 % 32, i / 1024});
    whole.b.push_back(i % 11 - 5);
  }
  return whole;
}

// Shares of the rows: even ones, or uneven ones where a rank has none.
std::size_t first_row(std::size_t rows, int rank, int ranks, bool uneven) {
  if (!uneven || ranks == 1) return rows * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks);
  if (rank == 0) return 0;
  if (rank == ranks) return rows;
  return rank == 1 ? 0 : rows - rows / static_cast<std::size_t>(rank + 1);
}

AlgebraicSystem share_of(const Whole& whole, std::size_t first, std::size_t last) {
  const CsrMatrix& from = whole.system.matrix;
  AlgebraicSystem mine;
  const auto part = [](const auto& all, auto low, auto high) {
    using Values = std::decay_t<decltype(all)>;
    return all.empty() ? Values{}
                       : Values(all.begin() + static_cast<std::ptrdiff_t>(low),
                                all.begin() + static_cast<std::ptrdiff_t>(high));
  };
  for (std::size_t i = first; i < last; ++i) mine.matrix.starts.push_back(from.starts[i + 1] - from.starts[first]);
  mine.matrix.columns = part(from.columns, from.starts[first], from.starts[last]);
  mine.matrix.values = part(from.values, from.starts[first], from.starts[last]);
  mine.matrix.row_sums = part(from.row_sums, first, last);
  mine.closed = part(whole.system.closed, first, last);
  mine.cells = part(whole.system.cells, first, last);
  return mine;
}

struct Solution {
  CgReport report;
  std::vector<double> x;  // of all rows, on rank 0
  std::size_t bytes = 0;  // on the rank with most
  int levels = 0;
};

// `before`: another system of the same structure that the hierarchy is built for.
Solution solve(Communicator& communicator, const Whole& whole, const Whole* before, AlgebraicMethod method,
               const AmgOptions& options, double tolerance, bool uneven) {
  const std::size_t rows = whole.b.size();
  const std::size_t first = first_row(rows, communicator.rank(), communicator.size(), uneven),
                    last = first_row(rows, communicator.rank() + 1, communicator.size(), uneven);
  AlgebraicSolver solver(communicator);
  solver.set_system(share_of(before != nullptr ? *before : whole, first, last));
  solver.choose(method, options);
  solver.build();
  if (before != nullptr) solver.set_system(share_of(whole, first, last), true);
  const std::span<const double> b = std::span(whole.b).subspan(first, last - first);
  std::vector<double> x(b.size(), 0);
  Solution solution;
  solution.report = solver.solve(b, x, {.relative = tolerance, .max_iterations = 300});
  solution.x = amg::gathered(communicator, std::span<const double>(x));
  solution.bytes = static_cast<std::size_t>(communicator.max(static_cast<std::int64_t>(solver.bytes())));
  solution.levels = solver.hierarchy().levels();
  return solution;
}

double norm_of(const std::vector<double>& v) { return std::sqrt(InnerProduct{}(v, v)); }

// |b - A x| / |b|, both without the means of closed components.
double residual_of(const Whole& whole, const std::vector<double>& x) {
  std::vector<double> b = whole.b, r(b.size());
  const std::vector<std::int32_t>& closed = whole.system.closed;
  std::vector<double> sums(closed.size() + 1, 0), rows(closed.size() + 1, 0);
  for (std::size_t i = 0; i < closed.size(); ++i)
    if (closed[i] >= 0) {
      sums[static_cast<std::size_t>(closed[i])] += b[i];
      ++rows[static_cast<std::size_t>(closed[i])];
    }
  for (std::size_t i = 0; i < closed.size(); ++i)
    if (closed[i] >= 0) b[i] -= sums[static_cast<std::size_t>(closed[i])] / rows[static_cast<std::size_t>(closed[i])];
  whole.system.matrix.multiply(x, r);
  for (std::size_t i = 0; i < b.size(); ++i) r[i] = b[i] - r[i];
  return norm_of(r) / norm_of(b);
}

struct Case {
  std::string name;
  AlgebraicMethod method;
  AmgOptions options;
  double tolerance = 1e-8;
  double most_difference = 1e-6;  // between the solutions, relative
  bool uneven = false;
  bool shrinks = false;  // large enough to say so of the memory
};

void run(const Case& each, const Whole& whole, const Whole* before = nullptr) {
  Communicator& world = Communicator::world();
  const Solution shared = solve(world, whole, before, each.method, each.options, each.tolerance, each.uneven);
  YMIR_CHECK(shared.report.converged);
  if (!world.root()) return;
  Communicator alone;
  const Solution single = solve(alone, whole, before, each.method, each.options, each.tolerance, false);
  YMIR_CHECK(single.report.converged);
  std::vector<double> difference = shared.x;
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < difference.size(); ++i) {
    hash = hash_combine(hash, hash_bits(shared.x[i]));
    difference[i] -= single.x[i];
  }
  const double residual = residual_of(whole, shared.x), apart = norm_of(difference) / norm_of(single.x);
  fmt::print(
      "{}: {} iterations (alone {}), {} levels ({}), residual {:.2e}, {:.1e} from the other solution, "
      "{:.2f} MB per rank (alone {:.2f}), {:016x}\n",
      each.name, shared.report.iterations, single.report.iterations, shared.levels, single.levels, residual, apart,
      static_cast<double>(shared.bytes) / 1e6, static_cast<double>(single.bytes) / 1e6, hash);
  std::fflush(stdout);
  YMIR_CHECK(residual <= 1.001 * each.tolerance);
  YMIR_CHECK(apart <= each.most_difference);
  YMIR_CHECK(shared.report.iterations <= 1.3 * single.report.iterations + 1);
  if (world.size() == 1) YMIR_CHECK(apart == 0 && shared.report.iterations == single.report.iterations);
  const double share = 1.0 / world.size();
  if (each.shrinks) YMIR_CHECK(static_cast<double>(shared.bytes) < (share + 0.12) * static_cast<double>(single.bytes));
}

// <u, M v> = <v, M u>: what one rank gives to another, it gives back.
void check_symmetry(const Whole& whole, const AmgOptions& options, bool split) {
  Communicator& world = Communicator::world();
  const std::size_t first = first_row(whole.b.size(), world.rank(), world.size(), false),
                    last = first_row(whole.b.size(), world.rank() + 1, world.size(), false);
  AlgebraicSystem mine = share_of(whole, first, last);
  DistributedMatrix matrix;
  matrix.set(world, std::move(mine.matrix));
  AmgHierarchy m;
  if (split)
    m.build_split(matrix.local(), mine.cells, options, matrix.halo());
  else
    m.build(matrix.local(), options, matrix.halo());
  std::vector<double> u, v, mu(last - first), mv(last - first);
  for (std::size_t i = first; i < last; ++i) {
    u.push_back(std::sin(1.7 * static_cast<double>(i)));
    v.push_back(std::cos(2.3 * static_cast<double>(i)));
  }
  m.apply(u, mu);
  m.apply(v, mv);
  const auto inner = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return world.ordered_sum(InnerProduct{}(a, b));
  };
  const double scale = std::sqrt(inner(u, u) * inner(mv, mv));
  YMIR_CHECK(std::abs(inner(u, mv) - inner(v, mu)) <= 2e-6 * scale);
  YMIR_CHECK(inner(u, mu) > 0);
}

void run_all() {
  const auto both = [](const std::string& name, PoissonGeometry geometry, int n, bool uneven = false) {
    const Whole whole = whole_case(geometry, n);
    const bool shrinks = n >= 64 && !uneven;
    run({name + " smoothed", AlgebraicMethod::smoothed, {}, 1e-8, 1e-6, uneven, shrinks}, whole);
    run({name + " split", AlgebraicMethod::split, split_w, 1e-8, 1e-6, uneven, shrinks}, whole);
  };
  both("sphere 64", PoissonGeometry::sphere, 64);
  both("comb 64", PoissonGeometry::comb, 64);
  both("pockets 48", PoissonGeometry::pockets, 48);
  both("uneven pockets 40", PoissonGeometry::pockets, 40, true);
  both("bubbles 40", PoissonGeometry::bubbles, 40);
  both("uneven box 8", PoissonGeometry::box, 8, true);

  // Shared down to few rows.
  AmgOptions deep{.gathered_rows = 100}, deep_split = split_w;
  deep_split.gathered_rows = 100;
  const Whole sheets = whole_case(PoissonGeometry::sheets, 32);
  run({"deep sheets 32 smoothed", AlgebraicMethod::smoothed, deep}, sheets);
  run({"deep sheets 32 split", AlgebraicMethod::split, deep_split}, sheets);
  check_symmetry(sheets, deep, false);
  check_symmetry(sheets, deep_split, true);

  // Other values in a structure that is kept.
  const Whole box = whole_case(PoissonGeometry::box, 32), drops = whole_case(PoissonGeometry::drops, 32);
  run({"new values 32 smoothed", AlgebraicMethod::smoothed, deep}, drops, &box);
  run({"new values 32 split", AlgebraicMethod::split, deep_split}, drops, &box);
  const Whole small_box = whole_case(PoissonGeometry::box, 16), small_drops = whole_case(PoissonGeometry::drops, 16);
  run({"new values 16 direct", AlgebraicMethod::direct, {}, 1e-12}, small_drops, &small_box);
  run({"closed box 16 direct", AlgebraicMethod::direct, {}, 1e-12}, whole_case(PoissonGeometry::closed_box, 16));

  const Whole diagonal = diagonal_case(20000);
  run({"diagonal smoothed", AlgebraicMethod::smoothed, {}}, diagonal);
  run({"diagonal split", AlgebraicMethod::split, split_w}, diagonal);
  run({"uneven diagonal", AlgebraicMethod::smoothed, {}, 1e-8, 1e-6, true}, diagonal_case(50));
  run({"one row", AlgebraicMethod::smoothed, {}, 1e-8, 1, true}, diagonal_case(1));
}

// Assembled by the ranks, and again after tiles have moved between them.
void run_pressure(PressureMethod method, const char* name) {
  Communicator& world = Communicator::world();
  PoissonCase problem(PoissonGeometry::serpentine, 48);
  PressureSolver solver(problem.volume, method);
  for (int pass = 0; pass < 2; ++pass) {
    solver.set_matrix(problem.coefficient, problem.cell);
    problem.clear_solution();
    const PoissonReport report = solver.solve(problem.b, problem.x, {.tolerance = 1e-8});
    YMIR_CHECK(report.converged && report.residual <= 1e-8);
    const std::uint64_t hash = problem.volume.hash();  // collective
    if (world.root()) fmt::print("serpentine 48 {}: {} iterations, {:016x}\n", name, report.iterations, hash);
    const auto keys = problem.volume.buckets().local_keys();
    std::vector<double> weights;
    for (const BucketKey key : keys) weights.push_back(1 + coord_of(key).x);
    problem.domain.rebalance(keys, weights);
    problem.volume.migrate();
  }
}

}  // namespace
}  // namespace ymir::bench

int main() {
  ymir::Communicator& communicator = ymir::Communicator::world();
  try {
    ymir::bench::run_all();
    ymir::bench::run_pressure(ymir::PressureMethod::amg, "smoothed");
    ymir::bench::run_pressure(ymir::PressureMethod::split, "split");
    ymir::bench::run_pressure(ymir::PressureMethod::automatic, "automatic");
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank {}: {}\n", communicator.rank(), error.what());
    std::fflush(stderr);
    communicator.abort(1);
  }
  return 0;
}
