// Benchmarks: named programs that return rows of one shape, so that every speed carries what it was measured on and a
// hash of what it computed. `ymir bench NAME` prints them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ymir/base/timer.h"
#include "ymir/parallel/communicator.h"

namespace ymir::bench {

struct BenchRow {
  std::string commit;
  std::string machine;
  std::string scene;
  std::string solver;
  int ranks = 1;
  int threads = 1;
  std::int64_t elements = 0;
  double setup_s = 0;
  double s_per_step = 0;  // the best of several repetitions
  double ns_per_element = 0;
  int iterations = 1;
  double residual = 0;
  double peak_MB = 0;  // of the process on rank 0, while the scene was measured (solvers of one scene share it)
  std::uint64_t hash = 0;
  bool bitwise = true;  // solvers of this scene must agree in every bit; else in what their residuals allow
  std::vector<std::pair<std::string, double>> figures;  // what this benchmark reports beyond the columns, by name
};

struct BenchOptions {
  bool quick = false;  // small sizes only: a check that everything runs, not a measurement
  int repetitions = 15;
};

struct Benchmark {
  const char* name;
  const char* about;
  std::vector<BenchRow> (*run)(const BenchOptions&);
};
const std::vector<Benchmark>& benchmarks();

// Rows of the benchmark of that name; an Error that lists the names when there is none. Collective over all ranks.
std::vector<BenchRow> run_benchmark(std::string_view name, const BenchOptions& options = {});

// Row with commit, machine, ranks and threads filled in.
BenchRow new_row(std::string scene, std::string solver);
void set_time(BenchRow& row, double seconds_per_step, std::int64_t elements);

// High-water mark of this process's memory since the last reset [MB].
void reset_peak_memory();
double peak_memory_MB();

// Seconds that work() took on the slowest rank. Collective.
template <class F>
double timed(F&& work) {
  Communicator& world = Communicator::world();
  world.barrier();
  const Timer timer;
  work();
  return world.max(timer.seconds());
}

std::string to_table(const std::vector<BenchRow>& rows);
// One line per row that has further figures.
std::string to_figures(const std::vector<BenchRow>& rows);
// One line per scene: every solver's time per element relative to the first solver of the scene.
std::string to_comparison(const std::vector<BenchRow>& rows);
// One JSON document {"rows": [...]}; hashes as hexadecimal strings, because JSON numbers lose bits.
std::string to_json(const std::vector<BenchRow>& rows);

// The parts of the benchmark `data`.
std::vector<BenchRow> bench_memory(const BenchOptions& options);     // STREAM triad
std::vector<BenchRow> bench_stencil(const BenchOptions& options);    // 7-point stencil: tiles, dense array, OpenVDB
std::vector<BenchRow> bench_particles(const BenchOptions& options);  // substep and rebucketing

std::vector<BenchRow> bench_rods(const BenchOptions& options);          // substep of strands, its parts and its floors
std::vector<BenchRow> bench_helices(const BenchOptions& options);       // the same hair as super-helices
std::vector<BenchRow> bench_manybodies(const BenchOptions& options);    // strands coupled by springs: linear solvers
std::vector<BenchRow> bench_contact(const BenchOptions& options);       // exact friction: local and global solvers
std::vector<BenchRow> bench_contact_hair(const BenchOptions& options);  // hairs in contact: one step's problem
std::vector<BenchRow> bench_solids(const BenchOptions& options);        // a soft body: assembly, factor, solve
std::vector<BenchRow> bench_poisson(const BenchOptions& options);       // pressure equation on tiles
std::vector<BenchRow> bench_advection(const BenchOptions& options);     // schemes of advection on tiles
std::vector<BenchRow> bench_colliders(const BenchOptions& options);     // distance to a surface that deforms
std::vector<BenchRow> bench_detection(const BenchOptions& options);     // contacts of hair and cloth
std::vector<BenchRow> bench_smoke(const BenchOptions& options);         // substep of a plume and its parts

}  // namespace ymir::bench
