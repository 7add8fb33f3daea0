// The pressure equation: multigrid on tiles, smoothed aggregation and split aggregates on rows. Iterations on all
// geometries at 64^3, and times of the sphere up to 256^3.
#include <algorithm>
#include <limits>

#include "bench.h"
#include "poisson_case.h"
#include "ymir/base/hash.h"

namespace ymir::bench {
namespace {

std::uint64_t hash_of(const PoissonCase& problem) {
  const BucketSet& set = problem.volume.buckets();
  const double* x = problem.volume.tiles(problem.x);
  std::uint64_t sum = 0;
  for (int t = 0; t < set.local_count(); ++t) {
    std::uint64_t h = mix64(set.key(t));
    for (int i = 0; i < 512; ++i) h = hash_combine(h, hash_bits(x[512 * std::ptrdiff_t{t} + i]));
    sum += h;
  }
  return problem.domain.communicator().wrapping_sum(sum);
}

BenchRow measure(PoissonGeometry geometry, const char* name, int n, int repetitions) {
  PoissonCase problem(geometry, n);
  BenchRow row = new_row(std::string(name) + ", " + std::to_string(n) + "^3", "multigrid_cg");
  reset_peak_memory();
  double setup = std::numeric_limits<double>::infinity(), again = setup, solve = setup;
  PoissonReport report;
  std::size_t bytes = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    TilePoisson solver(problem.volume);
    setup = std::min(setup, timed([&] { solver.set_matrix(problem.coefficient, problem.cell); }));
    again = std::min(again, timed([&] { solver.set_matrix(problem.coefficient, problem.cell); }));
    problem.clear_solution();
    solve = std::min(solve, timed([&] { report = solver.solve(problem.b, problem.x); }));
    bytes = solver.bytes();
  }
  set_time(row, solve, problem.unknowns());
  row.solver = report.solver;
  row.setup_s = setup;
  row.iterations = report.iterations;
  row.residual = report.residual;
  row.peak_MB = peak_memory_MB();
  row.hash = hash_of(problem);
  const auto cells = static_cast<double>(problem.unknowns());
  row.figures = {{"ns_per_cell_and_iteration", solve * 1e9 / cells / std::max(1, report.iterations)},
                 {"setup_ns_per_cell", setup * 1e9 / cells},
                 {"setup_same_tiles_ns_per_cell", again * 1e9 / cells},
                 {"solver_bytes_per_cell", static_cast<double>(bytes) / cells},
                 {"components", static_cast<double>(report.components)},
                 {"closed_components", static_cast<double>(report.closed_components)},
                 {"wants_algebraic", report.wants_algebraic ? 1.0 : 0.0}};
  return row;
}

struct RowMethod {
  const char* name;
  AlgebraicMethod method;
  AmgOptions options;
};
constexpr RowMethod row_methods[] = {{"sa_amg_cg", AlgebraicMethod::smoothed, {}},
                                     {"split_v_cg", AlgebraicMethod::split, {.sweeps = 2}},
                                     {"split_w_cg", AlgebraicMethod::split, {.sweeps = 2, .w_cycle = true}}};

// The same system by rows; to be compared with the row of multigrid on tiles.
BenchRow measure_rows(PoissonGeometry geometry, const char* name, int n, int repetitions, const RowMethod& method) {
  PoissonCase problem(geometry, n);
  BenchRow row = new_row(std::string(name) + ", " + std::to_string(n) + "^3", method.name);
  row.bitwise = false;
  TilePoisson tiles(problem.volume);
  tiles.set_matrix(problem.coefficient, problem.cell);
  std::vector<double> b, x;
  tiles.take_rows(problem.b, b);
  reset_peak_memory();
  double assembly = std::numeric_limits<double>::infinity(), setup = assembly, again = assembly, solve = assembly;
  CgReport report;
  AlgebraicSolver solver(problem.domain.communicator());
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    AlgebraicSystem system;
    assembly = std::min(assembly, timed([&] { system = tiles.assemble(); }));
    solver.set_system(std::move(system));
    solver.choose(method.method, method.options);
    setup = std::min(setup, timed([&] { solver.build(); }));
    system = tiles.assemble();
    again = std::min(again, timed([&] { solver.set_system(std::move(system), true); }));
    x.assign(b.size(), 0);
    solve = std::min(solve, timed([&] { report = solver.solve(b, x, {.relative = 1e-6, .max_iterations = 200}); }));
  }
  tiles.put_rows(x, problem.x);
  set_time(row, solve, problem.unknowns());
  row.setup_s = setup;
  row.iterations = report.iterations;
  row.residual = tiles.solve(problem.b, problem.x, {.max_iterations = 0}).residual;
  row.peak_MB = peak_memory_MB();
  row.hash = hash_of(problem);
  const auto cells = static_cast<double>(problem.unknowns());
  const AmgHierarchy& hierarchy = solver.hierarchy();
  row.figures = {{"ns_per_cell_and_iteration", solve * 1e9 / cells / std::max(1, report.iterations)},
                 {"assembly_s", assembly},
                 {"new_values_s", again},
                 {"hierarchy_MB", static_cast<double>(hierarchy.bytes()) / 1e6},
                 {"matrix_MB", static_cast<double>(solver.matrix().bytes()) / 1e6},
                 {"operator_complexity", hierarchy.operator_complexity()},
                 {"levels", static_cast<double>(hierarchy.levels())},
                 {"divided_blocks", static_cast<double>(hierarchy.divided_blocks())}};
  return row;
}

// Cells and repetitions of multigrid; by rows a solve takes some ten times as long.
double work_of(int n, int repetitions) { return repetitions * std::pow(n, 3); }
double work_of_all(int n, int repetitions) { return 31 * work_of(n, repetitions); }

void measure_all(PoissonGeometry geometry, const char* name, int n, int repetitions, BenchRows& rows) {
  rows.add(measure(geometry, name, n, repetitions));
  for (const RowMethod& method : row_methods) rows.add(measure_rows(geometry, name, n, repetitions, method));
  rows.done(work_of_all(n, repetitions));
}

}  // namespace

void bench_poisson(const BenchOptions& options, BenchRows& rows) {
  const int small = options.quick ? 32 : 64, few = options.quick ? 1 : 3;
  const int many = std::min(options.repetitions, 7);
  const PoissonGeometryName hard[] = {{PoissonGeometry::cut_sphere, "cut sphere"},
                                      {PoissonGeometry::balls, "120 cut balls"},
                                      {PoissonGeometry::blob, "blob of tiles"}};
  double work = static_cast<double>(std::size(poisson_geometries())) * work_of_all(small, few);
  if (!options.quick) work += work_of_all(128, many) + work_of(256, 2) + std::size(hard) * work_of(128, 2);
  rows.expect(work);
  const auto add = [&](const PoissonGeometryName& each, int n) {
    rows.add(measure(each.geometry, each.name, n, 2));
    rows.done(work_of(n, 2));
  };
  if (!options.quick) {
    measure_all(PoissonGeometry::sphere, "sphere", 128, many, rows);
    add({PoissonGeometry::sphere, "sphere"}, 256);
  }
  for (const PoissonGeometryName& each : poisson_geometries()) measure_all(each.geometry, each.name, small, few, rows);
  if (options.quick) return;
  for (const PoissonGeometryName& each : hard) add(each, 128);
}

}  // namespace ymir::bench
