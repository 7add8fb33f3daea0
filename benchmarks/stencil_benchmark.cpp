#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench.h"
#include "stencil_case.h"
#include "ymir/base/check.h"
#include "ymir/data/tile_buffer.h"

namespace ymir::bench {
namespace {

std::vector<BenchRow> measure(const StencilCase& scene, const BenchOptions& options) {
  reset_peak_memory();
  const std::string name = fmt::format("stencil7 {}^3{}", scene.n, scene.occupancy < 1 ? " 30%" : "");
  std::vector<std::unique_ptr<StencilSolver>> solvers;
  std::vector<BenchRow> rows;
  const auto add = [&](auto make) {
    const Timer timer;
    auto solver = make(scene);
    if (!solver) return;
    rows.push_back(new_row(name, solver->name()));
    rows.back().setup_s = timer.seconds();
    solvers.push_back(std::move(solver));
  };
  // The peers are single programs: with several ranks only the distributed volume runs.
  if (Communicator::world().size() == 1) add(make_dense_stencil);
  add(make_tile_stencil);
  if (Communicator::world().size() == 1) add(make_openvdb_stencil);

  std::int64_t elements = 0;
  for (int z = 0; z < scene.buckets(); ++z)
    for (int y = 0; y < scene.buckets(); ++y)
      for (int x = 0; x < scene.buckets(); ++x) elements += scene.present(x, y, z) ? 512 : 0;

  // Interleaved, so that whatever else the machine does meets all solvers alike; small cases are repeated within one
  // measurement to rise above the clock.
  const int inner = std::max(1, 1 << 22 >> (scene.n <= 64 ? 18 : scene.n <= 128 ? 21 : 24));
  std::vector<double> best(solvers.size(), 1e30);
  for (int repetition = 0; repetition < options.repetitions; ++repetition)
    for (std::size_t s = 0; s < solvers.size(); ++s) {
      const double seconds = timed([&] {
        for (int i = 0; i < inner; ++i) solvers[s]->apply();
      });
      best[s] = std::min(best[s], seconds / inner);
    }
  for (std::size_t s = 0; s < solvers.size(); ++s) {
    set_time(rows[s], best[s], elements);
    rows[s].hash = solvers[s]->hash();
    rows[s].peak_MB = peak_memory_MB();
  }
  return rows;
}

}  // namespace

BenchRow bench_memory(const BenchOptions& options) {
  reset_peak_memory();
  const std::ptrdiff_t count = options.quick ? 1 << 20 : 1 << 25;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
  const Timer timer;
  TileBuffer buffers[3] = {{bytes, 0}, {bytes, 1}, {bytes, 2}};
  float* a = reinterpret_cast<float*>(buffers[0].data());
  float* b = reinterpret_cast<float*>(buffers[1].data());
  float* c = reinterpret_cast<float*>(buffers[2].data());
#pragma omp parallel for simd schedule(static)
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    a[i] = 0;
    b[i] = static_cast<float>(i & 1023);
    c[i] = 1;
  }
  BenchRow row = new_row("triad a = b + s c (12 bytes per element)", "stream");
  row.setup_s = timer.seconds();
  double best = 1e30;
  for (int repetition = 0; repetition < options.repetitions; ++repetition)
    best = std::min(best, timed([&] {
#pragma omp parallel for simd schedule(static)
                      for (std::ptrdiff_t i = 0; i < count; ++i) a[i] = b[i] + 3 * c[i];
                    }));
  set_time(row, best, count * Communicator::world().size());
  for (std::ptrdiff_t i = 0; i < count; ++i) row.hash += hash_combine(static_cast<std::uint64_t>(i), hash_bits(a[i]));
  row.peak_MB = peak_memory_MB();
  return row;
}

void bench_stencil(const BenchOptions& options, BenchRows& rows) {
  std::vector<StencilCase> scenes{{64, 1}};
  if (options.quick)
    scenes.push_back({64, 0.3});
  else
    scenes.insert(scenes.end(), {{128, 1}, {256, 1}, {256, 0.3}});
  const auto work = [](const StencilCase& scene) { return std::pow(scene.n, 3); };
  double whole = 0;
  for (const StencilCase& scene : scenes) whole += work(scene);
  rows.expect(whole);
  for (const StencilCase& scene : scenes) {
    for (BenchRow& row : measure(scene, options)) rows.add(std::move(row));
    rows.done(work(scene));
  }
}

}  // namespace ymir::bench
