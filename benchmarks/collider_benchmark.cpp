// Distance to a surface that deforms: what a substep costs for the surface itself, and what each question costs, with
// the number of triangles.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench.h"
#include "ymir/base/hash.h"
#include "ymir/data/deforming_surface.h"
#include "ymir/data/shape_meshes.h"
#include "ymir/parallel/threads.h"

namespace ymir::bench {
namespace {

constexpr double fps = 96;

// A sphere of 10 cm that pulsates by a tenth.
AnimatedSurface pulsating(int rings) {
  SurfaceSequence sequence;
  sequence.first = 0;
  sequence.last = 1'000'000;
  sequence.fps = fps;
  sequence.load = [rings](std::int64_t frame) {
    return sphere_mesh({0, 0, 0}, 0.1 * (1 + 0.1 * std::sin(static_cast<double>(frame) / 12)), rings);
  };
  sequence.name = [](std::int64_t frame) { return fmt::format("pose {}", frame); };
  return AnimatedSurface(std::move(sequence));
}

// Places within `reach` of the surface, spread evenly over it.
std::vector<Vec3d> places(std::int64_t count, double radius, double reach) {
  std::vector<Vec3d> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double y = 1 - 2 * (static_cast<double>(i) + 0.5) / static_cast<double>(count);
    const double turn = 2.399963229728653 * static_cast<double>(i), off = std::sqrt(1 - y * y);
    const double r = radius + reach * (2 * std::fmod(0.6180339887 * static_cast<double>(i), 1.0) - 1);
    x[i] = Vec3d{off * std::cos(turn), y, off * std::sin(turn)} * r;
  }
  return x;
}

std::uint64_t hash_of(const std::vector<double>& values) {
  std::uint64_t sum = 0;
  for (const double v : values) sum = hash_combine(sum, hash_bits(v));
  return sum;
}

BenchRow fit(const std::string& shape, const DeformingSurface& surface, const BenchOptions& options, int& frame) {
  BenchRow row = new_row(shape + ", one substep of it", "exact distance");
  double best = 1e30;
  for (int k = 0; k < options.repetitions; ++k, ++frame)
    best = std::min(best, timed([&] { surface.during(frame / fps, (frame + 1) / fps); }));
  set_time(row, best, static_cast<std::int64_t>(surface.hierarchy().triangles().size()));
  row.peak_MB = peak_memory_MB();
  return row;
}

BenchRow ask(const std::string& shape, const char* what, const MovingSurface& motion, double reach, double bound,
             const BenchOptions& options) {
  BenchRow row = new_row(shape + ", " + what, "exact distance");
  const std::vector<Vec3d> x = places(options.quick ? 20'000 : 100'000, 0.1, reach);
  std::vector<double> distance(x.size());
  const double time = motion.begin() + motion.dt();
  double best = 1e30;
  for (int k = 0; k < options.repetitions; ++k)
    best = std::min(best, timed([&] {
                      parallel_blocks(
                          static_cast<std::ptrdiff_t>(x.size()), 256, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
                              distance[i] = motion.sample(x[i], time, bound).distance;
                          });
                    }));
  set_time(row, best, static_cast<std::int64_t>(x.size()));
  row.hash = hash_of(distance);
  row.peak_MB = peak_memory_MB();
  row.figures.emplace_back("million questions per second", 1e-6 * static_cast<double>(x.size()) / best);
  return row;
}

}  // namespace

void bench_colliders(const BenchOptions& options, BenchRows& rows) {
  const std::vector<int> sizes = options.quick ? std::vector<int>{24} : std::vector<int>{18, 36, 71, 142, 283};
  rows.expect(static_cast<double>(sizes.size()));
  for (const int rings : sizes) {
    reset_peak_memory();
    const Timer timer;
    const DeformingSurface surface(pulsating(rings), "sphere");
    const double setup = timer.seconds();
    const std::string scene = fmt::format("sphere of {} triangles", surface.hierarchy().triangles().size());
    int frame = 0;
    BenchRow row = fit(scene, surface, options, frame);
    row.setup_s = setup;
    rows.add(std::move(row));
    const auto motion = surface.during(frame / fps, (frame + 1) / fps);
    rows.add(ask(scene, "seen from within 5 mm", *motion, 5e-3, 2e-2, options));
    rows.add(ask(scene, "seen from within 9 cm", *motion, 9e-2, std::numeric_limits<double>::infinity(), options));
    rows.done(1);
  }
}

}  // namespace ymir::bench
