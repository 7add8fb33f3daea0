// The pressure equation on tiles: iterations on all geometries at 64^3, and times of the sphere up to 256^3.
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

}  // namespace

std::vector<BenchRow> bench_poisson(const BenchOptions& options) {
  std::vector<BenchRow> rows;
  if (!options.quick)
    for (const int n : {128, 256})
      rows.push_back(measure(PoissonGeometry::sphere, "sphere", n, n <= 128 ? std::min(options.repetitions, 7) : 2));
  for (const PoissonGeometryName& each : poisson_geometries())
    rows.push_back(measure(each.geometry, each.name, options.quick ? 32 : 64, options.quick ? 1 : 3));
  if (options.quick) return rows;
  for (const auto& [geometry, name] : {PoissonGeometryName{PoissonGeometry::cut_sphere, "cut sphere"},
                                       {PoissonGeometry::balls, "120 cut balls"},
                                       {PoissonGeometry::blob, "blob of tiles"}})
    rows.push_back(measure(geometry, name, 128, 2));
  return rows;
}

}  // namespace ymir::bench
