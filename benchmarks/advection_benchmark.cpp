// Advection of a gas in a box of 64^3 to 256^3 voxels: velocity alone and three scalars alone, by scheme, on one and on
// all threads; the same with every sample looked up; long paths; and the parts of it on one tile in cache.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench.h"
#include "ymir/fluid/advection.h"
#include "ymir/fluid/trace.h"
#include "ymir/parallel/threads.h"

namespace ymir::bench {
namespace {

// A box of gas with open sides, of edge n voxels of 1 m, in smooth flow.
struct GasBoxCase {
  GasBoxCase(int edge, double cfl) : n(edge), domain(8, 1, Communicator::world()), volume(domain) {
    velocity = volume.add_channel<float>("velocity", {.sampling = Sampling::face});
    new_velocity = volume.add_channel<float>("new velocity", {.sampling = Sampling::face});
    cell = volume.add_channel<std::uint8_t>("cell");
    std::vector<BucketKey> keys;
    const int tiles = n / 8;
    for (int z = 0; z <= tiles; ++z)
      for (int y = 0; y <= tiles; ++y)
        for (int x = 0; x <= tiles; ++x)
          if ((x == tiles) + (y == tiles) + (z == tiles) <= 1) keys.push_back(key_of({x, y, z, 0}));
    volume.set_buckets(domain.communicator().root() ? keys : std::vector<BucketKey>{});
    domain.rebalance(volume.buckets().local_keys(),
                     std::vector<double>(static_cast<std::size_t>(volume.buckets().local_count()), 1));
    volume.migrate();
    fill(volume, cell, [&](int, Vec3i v, int) {
      return static_cast<std::uint8_t>(v.x < n && v.y < n && v.z < n ? CellKind::fluid : CellKind::outside);
    });
    fill(volume, velocity, [&](int, Vec3i v, int axis) {
      const double phase = axis == 0   ? 0.1 * v.y + 0.07 * v.x
                           : axis == 1 ? 0.1 * v.z + 0.05 * v.y + 1
                                       : 0.1 * v.x + 0.06 * v.z + 2;
      return static_cast<float>(cfl * std::sin(phase));
    });
    for (int s = 0; s < 3; ++s) {
      const auto from = volume.add_channel<float>(fmt::format("scalar {}", s));
      const auto to = volume.add_channel<float>(fmt::format("new scalar {}", s));
      scalars.push_back({from, to});
      fill(volume, from, [&](int, Vec3i v, int) {
        return static_cast<float>(std::sin(0.2 * v.x + s) * std::cos(0.2 * v.y) * std::sin(0.15 * v.z));
      });
    }
  }
  std::int64_t elements() const { return std::int64_t{n} * n * n; }

  int n;
  GridDomain domain;
  DiscreteVolume volume;
  ChannelId<float> velocity, new_velocity;
  ChannelId<std::uint8_t> cell;
  std::vector<Transported> scalars;
};

struct Scheme {
  const char* name;
  AdvectionOptions options;
};
constexpr std::array schemes{
    Scheme{"semi-Lagrangian", {AdvectionScheme::semi_lagrangian, Interpolation::linear}},
    Scheme{"MacCormack", {AdvectionScheme::mac_cormack, Interpolation::linear}},
    Scheme{"BFECC", {AdvectionScheme::bfecc, Interpolation::linear}},
    Scheme{"semi-Lagrangian cubic", {AdvectionScheme::semi_lagrangian, Interpolation::cubic}},
};

BenchRow bench_scheme(GasBoxCase& gas, Advection& advection, std::span<const Transported> fields,
                      const AdvectionOptions& options, BenchRow row, int repetitions) {
  double best = std::numeric_limits<double>::infinity();
  for (int r = 0; r < repetitions; ++r)
    best = std::min(best, timed([&] { advection.advect(gas.velocity, fields, 1, options); }));
  set_time(row, best, gas.elements());
  row.peak_MB = peak_memory_MB();
  row.hash = gas.volume.hash();
  row.figures = {{"far_tiles", static_cast<double>(gas.domain.communicator().sum(advection.far_tiles()))},
                 {"frozen_paths", static_cast<double>(advection.frozen_traces())}};
  return row;
}

void bench_box(int n, double cfl, const std::vector<int>& thread_counts, const BenchOptions& options, BenchRows& rows) {
  reset_peak_memory();
  const Timer setup;
  GasBoxCase gas(n, cfl);
  Advection advection(gas.volume, gas.cell);
  const double setup_s = setup.seconds();
  const std::vector<Transported> velocity{{gas.velocity, gas.new_velocity}};
  const int repetitions = options.quick ? 1 : std::min(options.repetitions, 8);
  for (const auto& [what, fields] : {std::pair{"velocity", &velocity}, {"3 scalars", &gas.scalars}})
    for (const Scheme& scheme : schemes) {
      const std::string scene = fmt::format("advection {}^3, CFL {:g}, {}, {}", n, cfl, what, scheme.name);
      const auto add = [&](const char* solver, const AdvectionOptions& how, int repeats) {
        BenchRow row = bench_scheme(gas, advection, *fields, how, new_row(scene, solver), repeats);
        row.setup_s = setup_s;
        rows.add(std::move(row));
      };
      for (const int count : thread_counts) {
        set_threads(count);
        add("boxes", scheme.options, repetitions);
      }
      if (n > 64) continue;  // takes too long, and tells nothing new
      set_threads(1);
      AdvectionOptions looked_up = scheme.options;
      looked_up.look_up = true;
      add("every sample looked up", looked_up, 1);
    }
}

// One tile whose surroundings stay in cache.
void bench_parts(const BenchOptions& options, BenchRows& rows) {
  GasBoxCase gas(32, 2);
  const BucketSet& buckets = gas.volume.buckets();
  int tile = 0;
  while (tile < buckets.local_count() && !(buckets.coord(tile) == BucketCoord{1, 1, 1, 0})) ++tile;
  if (tile == buckets.local_count()) return;
  const GatherRegion region{{-3, -3, -3}, {10, 10, 10}};
  std::array<GatheredBox<float>, 3> velocity;
  GatheredBox<float> scalar;
  const std::array<int, 27>& neighbours = buckets.neighbours(tile);
  for (int axis = 0; axis < 3; ++axis)
    velocity[static_cast<std::size_t>(axis)].gather(gas.volume.tiles(gas.velocity, axis), neighbours, region);
  const RowBits all = RowBits::full();
  TileTrace trace;
  TileValues values;
  const auto add = [&](const char* name, auto&& work) {
    double best = std::numeric_limits<double>::infinity();
    constexpr int inner = 200;
    for (int r = 0; r < (options.quick ? 2 : 200); ++r) {
      const Timer timer;
      for (int i = 0; i < inner; ++i) {
        work();
        asm volatile("" ::: "memory");
      }
      best = std::min(best, timer.seconds() / inner);
    }
    BenchRow row = new_row("advection, one tile in cache", name);
    row.threads = 1;
    row.bitwise = false;  // parts, not rivals
    set_time(row, best, GasGrid::voxels);
    rows.add(std::move(row));
  };
  add("gather a component", [&] { scalar.gather(gas.volume.tiles(gas.scalars[0].source), neighbours, region); });
  add("paths from cells", [&] { trace_near<Lattice::cells>(velocity, 1, all, trace); });
  const auto sampled = [&](auto interpolation) {
    const BoxTaps taps(scalar);
    for (int r = 0; r < 64; ++r) values.set(r, sample<decltype(interpolation)::value>(taps, trace.row(r)));
  };
  add("linear samples", [&] { sampled(std::integral_constant<Interpolation, Interpolation::linear>{}); });
  add("cubic samples", [&] { sampled(std::integral_constant<Interpolation, Interpolation::cubic>{}); });
  add("paths from x faces", [&] { trace_near<Lattice::x_faces>(velocity, 1, all, trace); });
}

}  // namespace

void bench_advection(const BenchOptions& options, BenchRows& rows) {
  const int all = threads();
  std::vector<int> counts{1};
  if (all > 1) counts.push_back(all);
  bench_parts(options, rows);
  struct Case {
    int n;
    double cfl;
    std::vector<int> threads;
    double work() const { return std::pow(n, 3); }
  };
  std::vector<Case> cases;
  for (const int n : options.quick ? std::vector<int>{32} : std::vector<int>{64, 128, 256})
    cases.push_back({n, 2, counts});
  if (!options.quick)
    for (const double cfl : {8.0, 20.0}) cases.push_back({128, cfl, {1}});
  double work = 0;
  for (const Case& each : cases) work += each.work();
  rows.expect(work);
  for (const Case& each : cases) {
    bench_box(each.n, each.cfl, each.threads, options, rows);
    rows.done(each.work());
  }
  set_threads(all);
}

}  // namespace ymir::bench
