// Detection of contact: hair on a head, straight and curly, from 10^4 to 10^6 segments; cloth that lies on itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "bench.h"
#include "ymir/base/hash.h"
#include "ymir/base/random.h"
#include "ymir/physics/rods/frames.h"
#include "ymir/solids/detection/contact_detection.h"

namespace ymir::bench {
namespace {

constexpr int edges = 40;
constexpr double length = 0.2, head = 0.09;  // [m]

double normal(Random& random) {
  const double r = std::sqrt(-2 * std::log(1 - random.uniform()));
  return r * std::cos(2 * M_PI * random.uniform());
}
Vec3d normal_vector(Random& random) {
  const double x = normal(random), y = normal(random);
  return {x, y, normal(random)};
}

// Strands of 5 mm edges in locks of 30 on the upper part of a head, bent down by their weight, `curl` wide [m].
Boundary hair(std::int64_t segments, double curl, double diameter) {
  Boundary boundary;
  const std::vector<double> radii(edges + 1, diameter / 2);
  for (std::int64_t i = 0; i < segments / edges; ++i) {
    Random lock(3, static_cast<std::uint64_t>(i / 30)), random(4, static_cast<std::uint64_t>(i));
    Vec3d guide;
    do guide = normalized(normal_vector(lock));
    while (guide.z < -0.1);
    const double phase = 2 * M_PI * lock.uniform() + 0.3 * normal(random), turns = 8 + normal(random);
    const double width = curl * (1 + 0.2 * normal(random)), edge = length / edges;
    Vec3d t = normalized(guide + normal_vector(random) * 0.02), x = t * head;
    std::vector<Vec3d> positions{x};
    for (int k = 1; k <= edges; ++k) {
      t = normalized(t + Vec3d{0, 0, -0.12} + normal_vector(random) * 0.01);
      x += t * edge;
      if (norm(x) < head + 2e-3) x = normalized(x) * (head + 2e-3);
      const Vec3d across = any_normal(t), beside = cross(t, across);
      const double angle = 2 * M_PI * turns * k / edges + phase;
      positions.push_back(x + (across * std::cos(angle) + beside * std::sin(angle)) * (width * std::min(1.0, k / 5.0)));
    }
    boundary.add_fiber({0, i}, positions, radii, {}, {});
  }
  return boundary;
}

// Square sheets of a metre above each other, wavy, edges of 1/n, 0.3 edges apart and 0.2 thick.
Boundary cloth(int n, int sheets) {
  Boundary boundary;
  std::vector<std::array<std::int32_t, 3>> triangles;
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t j = 0; j < n; ++j) {
      const std::int32_t v = i * (n + 1) + j;
      triangles.push_back({v, v + 1, v + n + 1});
      triangles.push_back({v + 1, v + n + 2, v + n + 1});
    }
  for (int k = 0; k < sheets; ++k) {
    std::vector<Vec3d> positions;
    for (int i = 0; i <= n; ++i)
      for (int j = 0; j <= n; ++j) {
        const double x = (i + 0.37 * k) / n, y = (j + 0.21 * k) / n;
        positions.emplace_back(x, y, 0.3 * k / n + 0.02 * std::sin(9 * x) * std::sin(7 * y));
      }
    boundary.add_mesh({0, k}, positions, triangles, 0.2 / n, {}, {});
    for (BoundaryVertex& v : boundary.vertices_of(k)) v.travel = 0.1 / n;
  }
  return boundary;
}

std::uint64_t hash_of(std::span<const Contact> contacts) {
  std::uint64_t sum = 0;
  for (const Contact& c : contacts) {
    sum = hash_combine(sum, static_cast<std::uint64_t>(c.a.element));
    sum = hash_combine(sum, static_cast<std::uint64_t>(c.b.element));
    sum = hash_combine(sum, hash_bits(c.gap));
  }
  return sum;
}

void measure(const std::string& scene, const Boundary& boundary, std::int64_t elements, double setup,
             const BenchOptions& options, BenchRows& rows) {
  constexpr double dt = 1.0 / 96;
  ContactDetection detection;
  DetectionTimes best{1e30, 1e30, 1e30, 1e30};
  double accepted = 1e30;
  const auto least = [&](double DetectionTimes::*part) { best.*part = std::min(best.*part, detection.times().*part); };
  const int repetitions = elements < 500'000 ? options.repetitions : 8;
  double total = 1e30, core = 1e30;
  for (int k = 0; k < repetitions; ++k) {
    detection.order_always(k % 3 == 0);
    const std::clock_t begin = std::clock();
    const double seconds = timed([&] { detection.find(boundary, {}, dt); });
    if (k % 3 == 0) least(&DetectionTimes::order);
    for (const auto part : {&DetectionTimes::fit, &DetectionTimes::pairs, &DetectionTimes::contacts}) least(part);
    if (k % 3 != 0) total = std::min(total, seconds);
    accepted = std::min(accepted, timed([&] { detection.accept(boundary); }));
    if (k % 3 != 0) core = std::min(core, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  const auto row_of = [&](const char* what, double seconds) {
    BenchRow row = new_row(scene + ", " + what, "box tree");
    row.setup_s = setup;
    set_time(row, seconds, elements);
    row.hash = hash_of(detection.contacts());
    row.peak_MB = peak_memory_MB();
    return row;
  };
  const auto each = [&](double value) { return value / static_cast<double>(elements); };
  rows.add(row_of("order", best.order));
  rows.add(row_of("fit", best.fit));
  rows.add(row_of("pairs", best.pairs));
  rows.add(row_of("contacts", best.contacts));
  rows.add(row_of("accept", accepted));
  BenchRow substep = row_of("one substep", total + accepted);
  // Of all threads; waiting ones count too.
  substep.figures = {{"core-ns per element", each(1e9 * core)},
                     {"candidates per element", each(static_cast<double>(detection.candidates()))},
                     {"contacts per element", each(static_cast<double>(detection.contacts().size()))}};
  rows.add(std::move(substep));
  rows.done(static_cast<double>(elements));
}

}  // namespace

void bench_detection(const BenchOptions& options, BenchRows& rows) {
  struct Size {
    std::int64_t segments;
    double diameter;
  };
  const std::vector<Size> sizes = options.quick
                                      ? std::vector<Size>{{10'000, 1e-3}}
                                      : std::vector<Size>{{10'000, 1e-3}, {100'000, 5e-4}, {1'000'000, 2.5e-4}};
  const std::vector<int> sheets = options.quick ? std::vector<int>{32} : std::vector<int>{32, 100, 224};
  double work = 0;
  for (const Size& size : sizes) work += 2 * static_cast<double>(size.segments);
  for (const int n : sheets) work += 10.0 * n * n;
  rows.expect(work);
  for (const double curl : {5e-4, 4e-3})
    for (const Size& size : sizes) {
      reset_peak_memory();
      const Timer timer;
      const Boundary boundary = hair(size.segments, curl, size.diameter);
      measure(fmt::format("{} hair, {} segments of 5 mm, {} mm wide", curl < 1e-3 ? "straight" : "curly", size.segments,
                          size.diameter * 1e3),
              boundary, size.segments, timer.seconds(), options, rows);
    }
  for (const int n : sheets) {
    reset_peak_memory();
    const Timer timer;
    const Boundary boundary = cloth(n, 5);
    const auto triangles = static_cast<std::int64_t>(boundary.triangles.size());
    measure(fmt::format("five sheets, {} triangles", triangles), boundary, triangles, timer.seconds(), options, rows);
  }
}

}  // namespace ymir::bench
