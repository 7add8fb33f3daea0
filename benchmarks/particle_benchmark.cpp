// Particles: one substep (forces, implicit solve, motion) and rebucketing, per particle, from 10^5 to 10^7 particles,
// against the time that memory alone would take for what must be read and written.
#include <algorithm>
#include <cmath>
#include <limits>

#include "bench.h"
#include "ymir/actions/drag_force.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/base/random.h"
#include "ymir/objects/particle_object.h"
#include "ymir/parallel/threads.h"

namespace ymir::bench {
namespace {

constexpr double per_bucket = 512;  // particles
constexpr double bucket = 0.1;      // [m]
constexpr double speed = 1;         // [m/s], random directions in a uniform wind
constexpr double dt = 5e-3;         // [s]: 5 mm of a 10 cm bucket at most

// Bytes a substep must move: position, velocity, mass and radius in, position and velocity out.
constexpr double step_bytes = (3 + 3 + 1 + 1 + 3 + 3) * 8.0;
// Rebucketing reads every position; particles that change buckets are moved whole: read, packed, unpacked.
constexpr double position_bytes = 3 * 8.0;
constexpr double record_bytes = (3 + 3 + 1 + 1 + 1 + 1) * 8.0;

Points cloud(std::int64_t count) {
  Points points;
  points.positions.resize(static_cast<std::size_t>(count));
  points.vertices.resize(points.positions.size());
  const auto velocity = points.vertices.add<Vec3d>("velocity");
  const double edge = std::cbrt(static_cast<double>(count) / per_bucket) * bucket;
  parallel_blocks(count, 4096, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      Random random(5, i);
      points.positions[i] = {random.uniform(0, edge), random.uniform(0, edge), random.uniform(0, edge)};
      velocity[i] = {random.uniform(-speed, speed), random.uniform(-speed, speed), random.uniform(-speed, speed)};
    }
  });
  return points;
}

// Measured with the same threads just before: [B/s] of the triad.
double memory_bandwidth(const BenchOptions& options) {
  return 3 * sizeof(float) / (bench_memory(options).ns_per_element * 1e-9);
}

void bench_cloud(std::int64_t count, double bandwidth, const BenchOptions& options, BenchRows& rows) {
  Communicator& world = Communicator::world();
  GridDomain domain(bucket, 1, world);
  const std::string scene = "particles " + std::to_string(count);
  reset_peak_memory();
  const Timer setup;
  ParticleObject object("particles", 0, domain, {});
  object.add_points(cloud(count));
  object.add_force(gravity_force("gravity", {0, -9.81, 0}, {}));
  PrescribedField wind;
  VectorField uniform;
  uniform.uniform = {0.5, 0, 0};
  wind.add(uniform);
  object.add_force(drag_force("drag", {}, wind));
  Timeline timeline;
  object.schedule(timeline);
  timeline.run(Loop::once, {});
  std::vector<BucketKey> keys;
  std::vector<double> weights;
  object.weigh(keys, weights);
  domain.rebalance(keys, weights);
  object.migrate();
  const double setup_s = setup.seconds();

  Step step;
  step.dt = dt;
  double best_step = std::numeric_limits<double>::infinity(), best_rebucket = best_step, best_both = best_step;
  double moved = 0;
  int iterations = 0;
  for (int r = 0; r < std::max(3, options.repetitions); ++r) {
    object.save();
    object.begin_substep();
    const double a = timed([&] { object.advance(step); });
    const double b = timed([&] {
      object.accept();
      object.rebucket();
    });
    moved += static_cast<double>(world.sum(object.particles().last_moved())) / static_cast<double>(count);
    ++iterations;
    best_step = std::min(best_step, a);
    best_rebucket = std::min(best_rebucket, b);
    best_both = std::min(best_both, a + b);
  }
  const std::uint64_t hash = object.hash();
  const double fraction = moved / iterations;
  const double floor_s =
      static_cast<double>(count) * (step_bytes + position_bytes + fraction * 4 * record_bytes) / bandwidth;
  for (const auto& [solver, seconds] : {std::pair{"memory floor", floor_s},
                                        {"step", best_step},
                                        {"rebucket", best_rebucket},
                                        {"step + rebucket", best_both}}) {
    BenchRow row = new_row(scene, solver);
    row.setup_s = setup_s;
    set_time(row, seconds, count);
    row.iterations = iterations;
    row.residual = object.solve_report().residual;
    row.peak_MB = peak_memory_MB();
    row.hash = hash;
    rows.add(std::move(row));
  }
}

}  // namespace

void bench_particles(const BenchOptions& options, BenchRows& rows) {
  const double bandwidth = memory_bandwidth(options);
  const std::vector<std::int64_t> counts =
      options.quick ? std::vector<std::int64_t>{100'000} : std::vector<std::int64_t>{100'000, 1'000'000, 10'000'000};
  double work = 0;
  for (const std::int64_t count : counts) work += static_cast<double>(count);
  rows.expect(work);
  for (const std::int64_t count : counts) {
    bench_cloud(count, bandwidth, options, rows);
    rows.done(static_cast<double>(count));
  }
}

}  // namespace ymir::bench
