// A substep of smoke: a hot plume in a closed box whose every voxel is simulated, and what its parts cost.
#include <algorithm>
#include <cmath>

#include "bench.h"
#include "ymir/actions/gas_emission.h"
#include "ymir/actions/gas_forces.h"
#include "ymir/parallel/threads.h"
#include "ymir/pipeline/simulation.h"

namespace ymir::bench {
namespace {

struct Variant {
  const char* name;
  AdvectionOptions advection;
  bool reflection;
};

constexpr double dt = 1.0 / 48;  // [s]

// [Lesser2022, Table 1] in core-seconds per million voxels and step.
constexpr double loki_brasier = 36, loki_explosion = 12.6;

// `copies` boxes of n^3 voxels in a row, open to each other, with a plume in each.
BenchRow measure(int n, const Variant& variant, int steps, int copies = 1) {
  Communicator& world = Communicator::world();
  TimeParams time;
  Simulation simulation(time, 1.0, world);
  VolumeObject::Description d;
  d.voxel = 2.0 / n;
  d.box = GasBox{{{-1, 0, -1}, {1, 2, 2.0 * copies - 1}}, {true, true, true, false, true, true}};
  d.everywhere = true;
  d.advection = variant.advection;
  d.reflection = variant.reflection;
  VolumeObject& gas = simulation.add(std::make_unique<VolumeObject>("smoke", 0, d, world));
  VolumeObject::Pressure pressure;
  pressure.enabled = true;
  pressure.options.tolerance = 1e-4;
  gas.set_pressure(pressure);
  GasEmission source;
  source.shape = shape_of(
      [copies](Vec3d x, double) {
        const double nearest = 2 * std::clamp(std::round(x.z / 2), 0.0, copies - 1.0);
        return norm(x - Vec3d{0, 0.3, nearest}) - 0.2;
      },
      [copies](double) {
        return Box{{-0.2, 0.1, -0.2}, {0.2, 0.5, 2.0 * copies - 1.8}};
      });
  source.materials = {{gas.material("density"), [](Vec3d, double) { return 1.0; }},
                      {gas.material("temperature"), [](Vec3d, double) { return 420.0; }}};
  add_emission(gas, "source", source);
  add_buoyancy(gas, "buoyancy", {});

  const std::string size = std::to_string(n) + "^3";
  BenchRow row =
      new_row(copies > 1 ? std::to_string(copies) + " plumes, " + size + " each" : "plume, " + size, variant.name);
  reset_peak_memory();
  row.setup_s = timed([&] { simulation.ingest(); });
  // Stages apart; the first steps fill caches and let the plume begin.
  double parts[6] = {};
  double whole = 0;
  Step step;
  step.dt = dt;
  const int warm = 3;
  for (int s = 0; s < warm + steps; ++s, step.time += dt) {
    if (s == warm) {
      std::fill(std::begin(parts), std::end(parts), 0.0);
      whole = 0;
    }
    Timeline& timeline = simulation.timeline();
    whole += timed([&] {
      gas.save();
      parts[0] += timed([&] { timeline.run(Loop::substep_begin, step); });
      for (const Stage stage : {Stage::update_solids, Stage::solid_forces, Stage::data_transfer})
        timeline.run(stage, step);
      parts[1] += timed([&] { timeline.run(Stage::fluid_forces, step); });
      parts[2] += timed([&] { timeline.run(Stage::pressure, step); });
      parts[3] += timed([&] { timeline.run(Stage::advection, step); });
      parts[4] += timed([&] { timeline.run(Stage::emission, step); });
      parts[5] += timed([&] { gas.non_finite(); });
      gas.accept();
    });
  }
  const std::int64_t voxels = world.sum(gas.element_count());
  set_time(row, whole / steps, voxels);
  row.iterations = gas.projection_report().solve.iterations;
  row.residual = gas.projection_report().solve.residual;
  row.peak_MB = peak_memory_MB();
  row.hash = gas.hash();
  const double per_voxel = 1e9 / (steps * static_cast<double>(voxels));
  const double core_seconds = whole / steps * row.threads * row.ranks / (static_cast<double>(voxels) * 1e-6);
  row.figures = {{"tiles_ns", parts[0] * per_voxel},
                 {"forces_ns", parts[1] * per_voxel},
                 {"pressure_ns", parts[2] * per_voxel},
                 {"advection_ns", parts[3] * per_voxel},
                 {"emission_ns", parts[4] * per_voxel},
                 {"check_ns", parts[5] * per_voxel},
                 {"volume_error", gas.projection_report().divergence},
                 {"core_s_per_million_voxels", core_seconds},
                 {"loki_brasier_by_ours", loki_brasier / core_seconds},
                 {"loki_explosion_by_ours", loki_explosion / core_seconds},
                 {"bytes_per_voxel", row.peak_MB * 1e6 / static_cast<double>(voxels)}};
  row.bitwise = false;
  return row;
}

}  // namespace

void bench_smoke(const BenchOptions& options, BenchRows& rows) {
  const Variant mac_cormack{"mac_cormack", {AdvectionScheme::mac_cormack, Interpolation::linear, true}, false};
  struct Case {
    int n;
    Variant variant;
    int steps, copies = 1;
    double work() const { return copies * std::pow(n, 3) * (steps + 4); }
  };
  std::vector<Case> cases;
  if (options.quick) {
    cases.push_back({32, mac_cormack, 2});
  } else {
    cases = {{64, mac_cormack, 12},
             {64, {"semi_lagrangian", {AdvectionScheme::semi_lagrangian, Interpolation::linear, true}, false}, 12},
             {64, {"reflection", {AdvectionScheme::mac_cormack, Interpolation::linear, true}, true}, 12},
             {128, mac_cormack, 8},
             {256, mac_cormack, 3}};
    // Weak scaling: as many plumes as cores.
    const int workers = threads() * Communicator::world().size();
    if (workers > 1) cases.push_back({128, mac_cormack, 3, workers});
  }
  double work = 0;
  for (const Case& each : cases) work += each.work();
  rows.expect(work);
  for (const Case& each : cases) {
    rows.add(measure(each.n, each.variant, each.steps, each.copies));
    rows.done(each.work());
  }
}

}  // namespace ymir::bench
