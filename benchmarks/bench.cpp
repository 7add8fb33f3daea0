#include "bench.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "ymir/base/error.h"
#include "ymir/parallel/threads.h"

namespace ymir::bench {
namespace {

std::vector<BenchRow> bench_data(const BenchOptions& options) {
  std::vector<BenchRow> rows = bench_memory(options);
  std::vector<BenchRow> stencil = bench_stencil(options);
  std::move(stencil.begin(), stencil.end(), std::back_inserter(rows));
  std::vector<BenchRow> particles = bench_particles(options);
  std::move(particles.begin(), particles.end(), std::back_inserter(rows));
  return rows;
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

Cells cells(const BenchRow& r) {
  return {r.commit,
          r.machine,
          r.scene,
          r.solver,
          fmt::format("{}", r.ranks),
          fmt::format("{}", r.threads),
          fmt::format("{}", r.elements),
          fmt::format("{:.3g}", r.setup_s),
          fmt::format("{:.4g}", r.s_per_step),
          fmt::format("{:.3f}", r.ns_per_element),
          fmt::format("{}", r.iterations),
          fmt::format("{:.3g}", r.residual),
          fmt::format("{:.0f}", r.peak_MB),
          fmt::format("{:016x}", r.hash)};
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

std::vector<BenchRow> run_benchmark(std::string_view name, const BenchOptions& options) {
  std::string names;
  for (const Benchmark& benchmark : benchmarks()) {
    if (name == benchmark.name) return benchmark.run(options);
    names += fmt::format(" {}", benchmark.name);
  }
  throw Error(ExitCode::usage, fmt::format("bench: no benchmark is named '{}'; there are:{}", name, names));
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

std::string to_table(const std::vector<BenchRow>& rows) {
  std::vector<Cells> table{{"commit", "machine", "scene", "solver", "ranks", "threads", "elements", "setup_s",
                            "s_per_step", "ns_per_element", "iterations", "residual", "peak_MB", "hash"}};
  for (const BenchRow& row : rows) table.push_back(cells(row));
  std::array<std::size_t, 14> widths{};
  for (const Cells& line : table)
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  std::string text;
  for (const Cells& line : table) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      const bool words = c < 4;
      text += words ? fmt::format("{:<{}}", line[c], widths[c]) : fmt::format("{:>{}}", line[c], widths[c]);
      text += c + 1 < line.size() ? "  " : "\n";
    }
  }
  return text;
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
