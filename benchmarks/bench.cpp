#include "bench.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "ymir/base/error.h"
#include "ymir/parallel/threads.h"

namespace ymir::bench {
namespace {

void bench_data(const BenchOptions& options, BenchRows& rows) {
  rows.add(bench_memory(options));
  bench_stencil(options, rows);
  bench_particles(options, rows);
}

// Value of a "name : value" line, as /proc writes them.
std::string proc_field(const char* file, std::string_view name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || !std::string_view(line).starts_with(name)) continue;
    const auto start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return "";
}

std::string machine() {
  const std::string model = proc_field("/proc/cpuinfo", "model name");
  std::ifstream in("/proc/cpuinfo");
  int processors = 0;
  for (std::string line; std::getline(in, line);) processors += line.starts_with("processor") ? 1 : 0;
  return fmt::format("{} x{}", model.empty() ? "unknown" : model, processors);
}

using Cells = std::array<std::string, 14>;

constexpr std::array<int, 14> widths{8, 24, 48, 28, 5, 7, 9, 8, 10, 14, 10, 9, 7, 16};
constexpr std::size_t words = 4;  // columns of text, set flush left

std::string line_of(const Cells& cells) {
  std::string text;
  for (std::size_t c = 0; c < cells.size(); ++c)
    text += c < words ? fmt::format("{:<{}}  ", cells[c], widths[c])
                      : fmt::format("{:>{}}{}", cells[c], widths[c], c + 1 < cells.size() ? "  " : "\n");
  return text;
}

std::string label(const BenchRow& row, const BenchRow& other) {
  return row.threads == other.threads ? row.solver : fmt::format("{} ({} threads)", row.solver, row.threads);
}

}  // namespace

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all{
      {"data", "memory bandwidth; stencil on a Discrete Volume against a dense array and OpenVDB; particles",
       &bench_data},
      {"stencil", "the stencil alone", &bench_stencil},
      {"particles", "particle substep and rebucketing from 10^5 to 10^7 particles", &bench_particles},
      {"rods", "elastic rods from 1,000 to 100,000 strands: cost per vertex and Newton iteration, its parts and floors",
       &bench_rods},
      {"helices", "super-helices beside discrete rods: cost per strand and Newton iteration", &bench_helices},
      {"colliders", "distance to a deforming surface of 1,000 to 320,000 triangles: cost per substep and question",
       &bench_colliders},
      {"detection", "contacts of hair from 10^4 to 10^6 segments and of cloth: trees, pairs, distances, memory",
       &bench_detection},
      {"manybodies", "strands coupled by springs: CG with a direct solve per strand, direct solvers, Jacobi-CG",
       &bench_manybodies},
      {"contact_hair", "10,000 to 200,000 contacts between hairs: nodal splitting, Gauss-Seidel on compliances",
       &bench_contact_hair},
      {"solids", "a soft body of 1,000 to 200,000 cells: assembly, factor and solve of a Newton iteration, and CHOLMOD",
       &bench_solids},
      {"poisson", "the pressure equation on tiles and by rows: iterations on easy and hard cases, times up to 256^3",
       &bench_poisson},
      {"contact", "exact Coulomb friction: local solvers on 10^6 contacts of every class, solvers of stacks and heaps",
       &bench_contact},
      {"smoke", "a substep of a plume, its parts and its growth to 16 million voxels", &bench_smoke},
      {"advection", "velocity and scalars of a gas carried along paths: schemes, parts, threads, long paths",
       &bench_advection},
  };
  return all;
}

void run_benchmark(std::string_view name, const BenchOptions& options, BenchRows& rows) {
  std::string names;
  for (const Benchmark& benchmark : benchmarks()) {
    if (name == benchmark.name) return benchmark.run(options, rows);
    names += fmt::format(" {}", benchmark.name);
  }
  throw Error(ExitCode::usage, fmt::format("bench: no benchmark is named '{}'; there are:{}", name, names));
}

void BenchRows::add(BenchRow row) {
  all_.push_back(std::move(row));
  listener_.row(all_.back());
}

void BenchRows::expect(double work) {
  expected_ = work;
  done_ = 0;
  since_.restart();
}

void BenchRows::done(double work) {
  done_ += work;
  listener_.progress(since_.seconds() * std::max(0.0, expected_ - done_) / done_);
}

BenchRow new_row(std::string scene, std::string solver) {
  BenchRow row;
  row.commit = YMIR_COMMIT;
  row.machine = machine();
  row.scene = std::move(scene);
  row.solver = std::move(solver);
  row.ranks = Communicator::world().size();
  row.threads = threads();
  return row;
}

void set_time(BenchRow& row, double seconds_per_step, std::int64_t elements) {
  row.elements = elements;
  row.s_per_step = seconds_per_step;
  row.ns_per_element = elements > 0 ? seconds_per_step * 1e9 / static_cast<double>(elements) : 0;
}

void reset_peak_memory() { std::ofstream("/proc/self/clear_refs") << 5; }

double peak_memory_MB() {
  if (const std::string kilobytes = proc_field("/proc/self/status", "VmHWM"); !kilobytes.empty())
    return std::stod(kilobytes) / 1024;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

std::string table_head() {
  return line_of({"commit", "machine", "scene", "solver", "ranks", "threads", "elements", "setup_s", "s_per_step",
                  "ns_per_element", "iterations", "residual", "peak_MB", "hash"});
}

std::string table_line(const BenchRow& r) {
  if (!r.left_out.empty())
    return fmt::format("{:<{}}  {:<{}}  {:<{}}  {:<{}}  {:>{}}  {:>{}}  left out: {}\n", r.commit, widths[0], r.machine,
                       widths[1], r.scene, widths[2], r.solver, widths[3], r.ranks, widths[4], r.threads, widths[5],
                       r.left_out);
  return line_of({r.commit, r.machine, r.scene, r.solver, fmt::format("{}", r.ranks), fmt::format("{}", r.threads),
                  fmt::format("{}", r.elements), fmt::format("{:.3g}", r.setup_s), fmt::format("{:.4g}", r.s_per_step),
                  fmt::format("{:.3f}", r.ns_per_element), fmt::format("{}", r.iterations),
                  fmt::format("{:.3g}", r.residual), fmt::format("{:.0f}", r.peak_MB), fmt::format("{:016x}", r.hash)});
}

std::string to_figures(const std::vector<BenchRow>& rows) {
  std::string text;
  for (const BenchRow& row : rows) {
    if (row.figures.empty()) continue;
    text += fmt::format("{}, {}, {} threads:", row.scene, row.solver, row.threads);
    for (const auto& [name, value] : row.figures) text += fmt::format("  {} {:.4g}", name, value);
    text += "\n";
  }
  return text;
}

std::string to_comparison(const std::vector<BenchRow>& rows) {
  std::string text;
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t end = first + 1;
    while (end < rows.size() && rows[end].scene == rows[first].scene) ++end;
    for (std::size_t i = first + 1; i < end; ++i) {
      if (!rows[i].left_out.empty() || !rows[first].left_out.empty()) continue;
      const char* agreement = rows[i].hash == rows[first].hash ? "same result" : "DIFFERENT RESULT";
      text += fmt::format("{}: {} takes {:.2f} times as long as {}, {}\n", rows[i].scene, label(rows[i], rows[first]),
                          rows[i].ns_per_element / rows[first].ns_per_element, label(rows[first], rows[i]),
                          rows[i].bitwise ? agreement : fmt::format("residual {:.1e}", rows[i].residual));
    }
    first = end;
  }
  return text;
}

}  // namespace ymir::bench
