// Elastic rods: a substep of 1,000 to 100,000 strands of 32 vertices, in core time per vertex and Newton iteration;
// the parts of an iteration; and the time that its arithmetic alone, or memory alone, would take.
#include <algorithm>
#include <limits>

#include "bench.h"
#include "rod_case.h"
#include "ymir/parallel/threads.h"

namespace ymir::bench {
namespace {

using Real = StrandReal;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Floating-point operations per vertex and Newton iteration, counted in the source (a multiply-add counts two;
// divisions and square roots one; a sine and cosine 30, an arc tangent 40):
//   bend and twist 1064: geometry 44, value 18, gradient 128, J'WJ 204, forces 83, second derivatives 482, scatter 105
//   stretch 75, inertia 20, residual 16
constexpr double assembly_flops = 1064 + 75 + 20 + 16;
// Band LDL' of 4 columns with 10, 9, 8, 7 entries below the diagonal: 164 multiply-adds, 34 multiplications, 4
// divisions.
constexpr double factor_flops = 366;
// 68 multiply-adds, 4 multiplications; the right-hand side.
constexpr double solve_flops = 140 + 8;
// Stretch multiplier 15, positions 14, edges 14, transport and turn of frames 113, twist 109.
constexpr double update_flops = 265;
constexpr double iteration_flops = assembly_flops + factor_flops + solve_flops + update_flops;

// What a thread reaches with nothing but independent multiply-adds on the lanes of the solver [flop/s].
double peak_flops() {
  constexpr int chains = 12, repeats = 200'000;  // latency 4, two per cycle: 8 chains would do
  double best = infinity;
  for (int trial = 0; trial < 20; ++trial) {
    Real sum[chains];
    for (int c = 0; c < chains; ++c) sum[c] = Real::all(c);
    const Real a = Real::all(0.999), b = Real::all(1e-3);
    const Timer timer;
    for (int r = 0; r < repeats; ++r)
      for (int c = 0; c < chains; ++c) sum[c] = mul_add(sum[c], a, b);
    for (int c = 1; c < chains; ++c) sum[0] += sum[c];
    asm volatile("" ::"m"(sum[0]));  // the sums are wanted, and before the clock is read
    best = std::min(best, timer.seconds());
  }
  return 2.0 * StrandSystem::lanes * chains * repeats / best;
}

// Bytes that StrandNewton keeps for a group: its constraints need no planes of their own, so the last one's are the
// end.
double scratch_bytes(StrandNewton& newton) {
  return static_cast<double>(newton.step().constraint_work.back() - newton.step().matrix) * sizeof(Real);
}

struct Parts {
  double begin = 0, assembly = 0, factor = 0, solve = 0, update = 0;  // [s]
  double iteration() const { return assembly + factor + solve + update; }
};

// One substep of one group, `iterations` of Newton's method whether it has converged or not.
void time_group(RodCase& rods, StrandNewton& newton, int iterations, Parts& parts) {
  const auto timed_to = [](double& sum, auto&& work) {
    const Timer timer;
    work();
    sum += timer.seconds();
  };
  const RootPose pose = rods.root_pose(0);
  rods.object.strands().rollback(0);
  timed_to(parts.begin,
           [&] { newton.begin(0, rods.step.time + rods.step.dt, rods.step.dt, &pose, rods.forces, rods.constraints); });
  Real largest = Real::all(0);
  for (int k = 0; k < iterations; ++k) {
    bool factored = false;
    while (!factored) {
      timed_to(parts.assembly, [&] {
        newton.assemble(rods.forces, rods.constraints);
        largest = max(largest, newton.residual());
      });
      timed_to(parts.factor, [&] { factored = newton.factor(); });
    }
    timed_to(parts.solve, [&] { newton.solve(); });
    timed_to(parts.update, [&] { newton.move(newton.reach(), Real::all(0), rods.constraints); });
  }
  timed_to(parts.begin, [&] { newton.end(rods.constraints); });
  asm volatile("" ::"m"(largest));
}

void bench_parts(double peak, const BenchOptions& options, BenchRows& rows) {
  constexpr int iterations = 3;
  const int batches = 100, repeats = options.quick ? 2 : 100;
  Communicator alone;
  const Timer setup;
  RodCase rods(StrandSystem::lanes, alone);
  for (int s = 0; s < 3; ++s) {
    rods.begin();
    rods.object.advance(rods.step);
    rods.end();
  }
  rods.begin();
  StrandNewton newton(rods.object.strands(), rods.object.rod_channels());
  const double setup_s = setup.seconds();
  Parts best;
  double shortest = infinity;
  for (int b = 0; b < batches; ++b) {
    Parts parts;
    for (int r = 0; r < repeats; ++r) time_group(rods, newton, iterations, parts);
    if (parts.iteration() < shortest) shortest = parts.iteration(), best = parts;
  }
  const std::int64_t elements = StrandSystem::lanes * RodCase::vertices;
  const double per_iteration = 1.0 / (iterations * repeats);
  const double floor_s = iteration_flops * static_cast<double>(elements) / peak;
  const auto add = [&](const char* name, double seconds, double flops) {
    BenchRow row = new_row("rods, one group in cache, per Newton iteration", name);
    row.threads = 1;
    row.setup_s = setup_s;
    set_time(row, seconds, elements);
    row.iterations = iterations;
    row.peak_MB = peak_memory_MB();
    row.hash = rods.object.hash();
    row.figures = {{"share", seconds / (best.iteration() * per_iteration)}};
    if (flops > 0) row.figures.emplace_back("flops_per_vertex", flops);
    if (flops > 0) row.figures.emplace_back("Gflop_per_s", flops * static_cast<double>(elements) / seconds * 1e-9);
    rows.add(std::move(row));
  };
  add("iteration", best.iteration() * per_iteration, iteration_flops);
  add("assembly", best.assembly * per_iteration, assembly_flops);
  add("factor", best.factor * per_iteration, factor_flops);
  add("solve", best.solve * per_iteration, solve_flops);
  add("update", best.update * per_iteration, update_flops);
  add("begin and end of the substep", best.begin / repeats, 0);
  add("flop floor", floor_s, iteration_flops);
}

// Largest residual of the state that the last substep ended with, assembled again.
double last_residual(RodCase& rods, double& scratch) {
  StrandNewton newton(rods.object.strands(), rods.object.rod_channels());
  double largest = 0;
  for (int g = 0; g < rods.object.strands().group_count(); ++g) {
    newton.begin(g, rods.step.time + rods.step.dt, rods.step.dt, nullptr, rods.forces, rods.constraints);
    newton.assemble(rods.forces, rods.constraints);
    const Real left = newton.residual();
    for (int lane = 0; lane < StrandSystem::lanes; ++lane)
      if (rods.object.strands().group(g).id[static_cast<std::size_t>(lane)] >= 0)
        largest = std::max(largest, left[lane]);
    scratch = scratch_bytes(newton);
  }
  return largest;
}

struct Machine {
  double peak;       // [flop/s] of a core
  double bandwidth;  // [B/s] of all threads together
};

BenchRow bench_strands(std::int64_t strands, const Machine& machine, const BenchOptions& options) {
  Communicator& world = Communicator::world();
  BenchRow row = new_row("rods " + std::to_string(strands), "substep");
  reset_peak_memory();
  const Timer setup;
  RodCase rods(strands, world);
  row.setup_s = setup.seconds();
  const std::int64_t elements = strands * RodCase::vertices;
  const double cores = static_cast<double>(threads()) * world.size();
  const int warm = 2, measured = options.quick ? 2 : 32;  // one period of the shaking
  std::vector<double> costs;                              // core time per vertex and iteration, by substep [s]
  double best = infinity, sum = 0, residual = 0, scratch = 0;
  for (int s = 0; s < warm + measured; ++s) {
    rods.begin();
    const std::int64_t before = world.sum(rods.object.newton_iterations());
    const double seconds = timed([&] { rods.object.advance(rods.step); });
    const double iterations =
        static_cast<double>(world.sum(rods.object.newton_iterations()) - before) / static_cast<double>(strands);
    if (s + 1 == warm + measured) residual = last_residual(rods, scratch);
    rods.end();
    if (s < warm) continue;
    sum += iterations;
    best = std::min(best, seconds);
    costs.push_back(cores * seconds / (static_cast<double>(elements) * iterations));
  }
  std::sort(costs.begin(), costs.end());
  const double best_cost = costs.front(), median_cost = costs[costs.size() / 2];
  const double mean = sum / measured;
  const double per_vertex = 1 / static_cast<double>(elements);
  const double system = static_cast<double>(world.sum(static_cast<std::int64_t>(rods.object.strands().memory())));
  set_time(row, best, elements);
  row.iterations = static_cast<int>(world.max(std::int64_t{rods.object.most_iterations()}));
  row.residual = world.max(residual);
  row.peak_MB = peak_memory_MB();
  row.hash = rods.object.hash();
  // Every iteration is computed once, and a last assembly finds that it converged.
  const double flop_floor = (iteration_flops + assembly_flops / mean) / machine.peak;
  // All channels and the saved state are read, the state written and saved: once per substep, whatever the iterations.
  const int channels = rods.object.strands().channel_count();
  const double saved = system * per_vertex / sizeof(double) - channels;
  const double memory_floor = cores * (channels + 3 * saved) * sizeof(double) / machine.bandwidth / mean;
  row.figures = {{"core_us_per_vertex_iteration", best_cost * 1e6},
                 {"median_core_us", median_cost * 1e6},
                 {"mean_iterations", mean},
                 {"bytes_per_vertex", (system + cores * scratch) * per_vertex},
                 {"flop_floor_us", flop_floor * 1e6},
                 {"memory_floor_us", memory_floor * 1e6},
                 {"times_flop_floor", best_cost / flop_floor}};
  return row;
}

double figure(const BenchRow& row, std::string_view name) {
  const auto found =
      std::find_if(row.figures.begin(), row.figures.end(), [&](const auto& f) { return f.first == name; });
  return found == row.figures.end() ? 0 : found->second;
}

}  // namespace

void bench_rods(const BenchOptions& options, BenchRows& rows) {
  const int all = threads();
  const double peak = peak_flops();
  bench_parts(peak, options, rows);
  std::vector<int> counts{1};
  if (all > 1) counts.push_back(all);
  std::vector<double> bandwidths;
  for (const int count : counts) {
    set_threads(count);
    bandwidths.push_back(3 * sizeof(float) / (bench_memory(options).ns_per_element * 1e-9));
  }
  const auto cost = [](const BenchRow& row) { return figure(row, "core_us_per_vertex_iteration"); };
  constexpr std::int64_t reference = 10'000;  // first: others are compared with it
  const std::vector<std::int64_t> sizes =
      options.quick ? std::vector<std::int64_t>{1'000} : std::vector<std::int64_t>{reference, 1'000, 100'000};
  std::vector<double> costs(counts.size());
  double work = 0;
  for (const std::int64_t strands : sizes) work += static_cast<double>(strands) * static_cast<double>(counts.size());
  rows.expect(work);
  for (const std::int64_t strands : sizes)
    for (std::size_t c = 0; c < counts.size(); ++c) {
      set_threads(counts[c]);
      BenchRow row = bench_strands(strands, {peak, bandwidths[c]}, options);
      if (strands == reference) costs[c] = cost(row);
      if (costs[c] > 0) row.figures.emplace_back("relative_to_10000_strands", cost(row) / costs[c]);
      rows.add(std::move(row));
      rows.done(static_cast<double>(strands));
    }
  set_threads(all);
}

}  // namespace ymir::bench
