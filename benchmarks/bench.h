// Benchmarks: named programs that measure rows of one shape, so that every speed carries what it was measured on and a
// hash of what it computed. `ymir bench NAME` prints each as soon as it is there.
#pragma once

#include <cstdint>
#include <functional>
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
  std::string left_out;                                 // why nothing was measured; empty: it was
};

// Rows as they come. A benchmark adds complete ones, and tells how far it is: work is in units of its own choice, and
// what is left of it takes as long as what was done before.
class BenchRows {
 public:
  struct Listener {
    std::function<void(const BenchRow&)> row = [](const BenchRow&) {};
    std::function<void(double seconds_left)> progress = [](double) {};
  };
  explicit BenchRows(Listener listener) : listener_(std::move(listener)) {}
  BenchRows() = default;

  void add(BenchRow row);
  // Begins a part of so much work; the time that is left is that of the part.
  void expect(double work);
  void done(double work);

  const std::vector<BenchRow>& all() const { return all_; }

 private:
  Listener listener_;
  std::vector<BenchRow> all_;
  double expected_ = 0, done_ = 0;
  Timer since_;
};

struct BenchOptions {
  bool quick = false;  // small sizes only: a check that everything runs, not a measurement
  int repetitions = 15;
};

struct Benchmark {
  const char* name;
  const char* about;
  void (*run)(const BenchOptions&, BenchRows&);
};
const std::vector<Benchmark>& benchmarks();

// The benchmark of that name; an Error that lists the names when there is none. Collective over all ranks.
void run_benchmark(std::string_view name, const BenchOptions& options, BenchRows& rows);

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

// Lines of a table, whose columns are wide enough for most.
std::string table_head();
std::string table_line(const BenchRow& row);
// One line per row that has further figures.
std::string to_figures(const std::vector<BenchRow>& rows);
// One line per scene: every solver's time per element relative to the first solver of the scene.
std::string to_comparison(const std::vector<BenchRow>& rows);
// One JSON object on one line; hashes as hexadecimal strings, because JSON numbers lose bits.
std::string to_json(const BenchRow& row);

// The parts of the benchmark `data`.
BenchRow bench_memory(const BenchOptions& options);                  // STREAM triad
void bench_stencil(const BenchOptions& options, BenchRows& rows);    // 7-point stencil: tiles, dense array, OpenVDB
void bench_particles(const BenchOptions& options, BenchRows& rows);  // substep and rebucketing

void bench_rods(const BenchOptions& options, BenchRows& rows);          // substep of strands, its parts and its floors
void bench_helices(const BenchOptions& options, BenchRows& rows);       // the same hair as super-helices
void bench_manybodies(const BenchOptions& options, BenchRows& rows);    // strands coupled by springs: linear solvers
void bench_contact(const BenchOptions& options, BenchRows& rows);       // exact friction: local and global solvers
void bench_contact_hair(const BenchOptions& options, BenchRows& rows);  // hairs in contact: one step's problem
void bench_solids(const BenchOptions& options, BenchRows& rows);        // a soft body: assembly, factor, solve
void bench_poisson(const BenchOptions& options, BenchRows& rows);       // pressure equation on tiles
void bench_advection(const BenchOptions& options, BenchRows& rows);     // schemes of advection on tiles
void bench_colliders(const BenchOptions& options, BenchRows& rows);     // distance to a surface that deforms
void bench_detection(const BenchOptions& options, BenchRows& rows);     // contacts of hair and cloth
void bench_smoke(const BenchOptions& options, BenchRows& rows);         // substep of a plume and its parts

}  // namespace ymir::bench
