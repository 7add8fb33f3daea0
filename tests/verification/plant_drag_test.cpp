// Drag between a gas and plants in it: branches and leaves are felt by their area, whatever their volume.
#include <cmath>

#include "elaston_run.h"
#include "gas_coupling.h"
#include "ymir/actions/coupled_drag.h"
#include "ymir/actions/drag_force.h"

namespace ymir {
namespace {

using verification::GasCase;
using verification::GasRun;
using verification::newton_loop;

constexpr double air = 1.2, viscosity = 1.8e-5, across = 1.2;

// A branch along z and a leaf in the plane y = 0.8, which nothing holds.
ElastonCloud twig(double length, double radius, double width, double thickness) {
  Plant plant(0.05);
  if (length > 0) plant.add_branches(strand({0.8, 0.8, 0.6}, {0.8, 0.8, 0.6 + length}), radius, "twig");
  if (width > 0) {
    Surface leaf;
    const double a = 0.8, b = 0.8 + width;
    leaf.positions = {{a, 0.8, a}, {b, 0.8, a}, {b, 0.8, b}, {a, 0.8, b}};
    leaf.triangles = {{0, 2, 1}, {0, 3, 2}};
    plant.add_leaves(leaf, thickness, "leaf");
  }
  return plant.grown(false);
}

struct Grown {
  Grown(GasRun& run, ElastonCloud cloud, double density) {
    auto& solids = run.simulation().add(std::make_unique<SolidSystem>());
    plant = &run.simulation().add(std::make_unique<ElastonObject>(
        "plant", 0, run.simulation().domain(),
        ElastonObject::Description{{1e8, 0.3, density, 0}, {1e-10, 100}, {0, 0, 0}}, std::move(cloud)));
    solids.add(*plant);
  }
  Vec3d momentum() const {
    const std::vector<Vec3d> v = plant->centres(plant->slot_velocities());
    Vec3d sum{0, 0, 0};
    for (std::size_t e = 0; e < v.size(); ++e) sum += v[e] * plant->mass()[e];
    return sum;
  }
  ElastonObject* plant = nullptr;
};

// What a plant at rest in a stream gains in a short step: dt rho C A U^2/2, with A of wires and sheets.
TEST(PlantDrag, IsThatOfTheAreaOfBranchesAndLeaves) {
  struct Case {
    double length, radius, width, thickness, area;
  };
  for (const Case& shape : {Case{0.4, 2e-3, 0, 0, 0.4 * 4e-3}, Case{0.4, 2e-4, 0, 0, 0.4 * 4e-4},
                            Case{0, 0, 0.2, 1e-3, 0.04}, Case{0, 0, 0.2, 1e-4, 0.04}})
    for (const double speed : {3.0, 30.0}) {
      GasCase c;
      c.closed = false;
      c.dt = 1e-5;
      GasRun run(c);
      const Grown grown(run, twig(shape.length, shape.radius, shape.width, shape.thickness), 700);
      couple_drag(run.gas(), {grown.plant}, "drag", {viscosity, 1, true, false, 2});
      run.gas().set_pressure({});
      run.begin([=](Vec3d) { return Vec3d{0, speed, 0}; });
      newton_loop(run, c.dt);
      const double law = c.dt * 0.5 * air * across * shape.area * speed * speed, found = grown.momentum().y;
      std::printf("area %.1e m^2 at %2.0f m/s: %.4f of the law\n", shape.area, speed, found / law);
      // The slow part of the law, that of the balls which fill the volume, is below a hundredth here.
      EXPECT_GT(found, 0.98 * law);
      EXPECT_LT(found, 1.05 * law);
    }
}

// The same number as `drag` in the wind that the gas is, however far the plant gives way in the step.
TEST(PlantDrag, OfAGasThatFeelsNothingIsThatOfDrag) {
  for (const double dt : {1e-4, 0.04}) {
    GasCase c;
    c.closed = false;
    c.dt = dt;
    GasRun run(c);
    const Grown grown(run, twig(0.4, 2e-3, 0.2, 1e-3), 700);
    couple_drag(run.gas(), {grown.plant}, "drag", {viscosity, 1, true, false, 2});
    run.gas().set_pressure({});
    run.begin([](Vec3d) { return Vec3d{1, 4, -2}; });
    newton_loop(run, c.dt);

    ElastonRun other(twig(0.4, 2e-3, 0.2, 1e-3), {1e8, 0.3, 700, 0});
    VectorField stream;
    stream.uniform = {1, 4, -2};
    PrescribedField wind;
    wind.add(stream);
    other.object().add_force(
        drag_force("drag", {viscosity, air, 0}, wind, {1, other.object().drag_coefficients(across), {}}));
    other.start();
    other.step(dt);
    EXPECT_LT(norm(grown.momentum() - other.momentum()), 1e-6 * norm(other.momentum())) << dt;
  }
}

// A stream past a plant at rest: what one loses the other gains, for plants light and heavy.
TEST(PlantDrag, ExchangesMomentumToRounding) {
  for (const double density : {7.0, 700.0})
    for (const double dt : {0.01, 0.1}) {
      GasCase c;
      c.closed = false;
      c.dt = dt;
      GasRun run(c);
      const Grown grown(run, twig(0.2, 2e-3, 0.15, 5e-4), density);
      couple_drag(run.gas(), {grown.plant}, "drag", {viscosity, 1, true, true, 3});
      run.gas().set_pressure({});
      run.begin([](Vec3d x) { return Vec3d{1 + x.y, 3, -1.5 + x.x}; });
      newton_loop(run, c.dt);
      const DiscreteVolume& volume = run.grid().volume();
      Vec3d given{0, 0, 0};
      for (int id = 0; id < volume.channel_count(); ++id) {
        if (!volume.channel(id).name.ends_with("_impulse")) continue;
        for (int k = 0; k < 3; ++k)
          for (int i = 0; i < volume.buckets().local_count() * GasGrid::voxels; ++i)
            given[k] += air * std::pow(c.voxel, 3) * volume.tiles(ChannelId<double>{id}, k)[i];
      }
      const Vec3d gained = grown.momentum();
      std::printf("%3.0f kg/m^3, dt %.2f: takes %.4e kg m/s, off by %.1e\n", density, dt, norm(gained),
                  norm(gained + given) / norm(gained));
      EXPECT_GT(norm(gained), 5e-5);
      EXPECT_LT(norm(gained + given), 1e-10 * norm(gained));
    }
}

// Drag only takes energy, of leaves as light as gas too.
TEST(PlantDrag, EnergyDoesNotGrow) {
  for (const double density : {1.0, 700.0})
    for (const double dt : {1.0 / 24}) {
      GasCase c;
      c.dt = dt;
      GasRun run(c);
      const Grown grown(run, twig(0.2, 2e-3, 0.15, 5e-4), density);
      couple_drag(run.gas(), {grown.plant}, "drag", {viscosity, 1, true, true, 3});
      run.begin([](Vec3d x) {
        const double a = M_PI * x.y / 1.6, b = M_PI * x.x / 1.6;
        return Vec3d{-std::cos(a) * std::sin(b), std::sin(a) * std::cos(b), 0} * 5;
      });
      const auto energy = [&] {
        double sum = 0;
        run.for_faces([&](Vec3d, double u, int) { sum += 0.5 * air * std::pow(c.voxel, 3) * u * u; });
        const std::vector<Vec3d> v = grown.plant->centres(grown.plant->slot_velocities());
        for (std::size_t e = 0; e < v.size(); ++e) sum += 0.5 * grown.plant->mass()[e] * dot(v[e], v[e]);
        return sum;
      };
      const double start = energy();
      double most = 0;
      for (int k = 0; k < 3; ++k) {
        run.advance(1);
        most = std::max(most, energy());
      }
      std::printf("%3.0f kg/m^3, dt %.4f: energy %.4f, at most %.4f, of %.4f J\n", density, dt, energy(), most, start);
      EXPECT_LT(most, 1.001 * start);
    }
}

}  // namespace
}  // namespace ymir
