// Drag between a gas and surfaces in it: cloth, soft bodies and rigid ones. [method notes C, sections 7 and 9]
#include <cmath>

#include "cloth_run.h"
#include "gas_coupling.h"
#include "rigid_run.h"
#include "soft_run.h"
#include "ymir/actions/coupled_drag.h"
#include "ymir/actions/surface_panels.h"
#include "ymir/data/mesh_skin.h"

namespace ymir {
namespace {

using cloth_tests::fabric;
using verification::GasCase;
using verification::GasRun;
using verification::newton_loop;

enum class Kind : std::uint8_t { cloth, soft, rigid };

// One solid of 0.4 m about `centre` in a gas, and what it gives to the gas.
struct Coupled {
  Coupled(GasRun& run, Kind kind, double density, Vec3d centre = {0.8, 0.8, 0.8}) {
    auto& solids = run.simulation().add(std::make_unique<SolidSystem>());
    GridDomain& domain = run.simulation().domain();
    if (kind == Kind::rigid) {
      RigidObject::Description d;
      d.density = density;
      rigid = &run.simulation().add(
          std::make_unique<RigidObject>("body", 0, domain, d, box_surface(centre, {0.4, 0.05, 0.4})));
      solids.add(*rigid);
      panels = &add_panels(*rigid, "air", "coupled drag", 0.1);
      return;
    }
    SolidMesh cells;
    if (kind == Kind::cloth) {
      Surface sheet = sheet_mesh({0, 0, 0}, 0.4, 0.4, 0.08);
      for (Vec3d& x : sheet.positions) x = centre + Vec3d{x.x, 0, x.y};
      cells = cloth_of(sheet, 1e-3, "sheet");
    } else {
      cells = block(CellShape::hexahedron, {4, 2, 4}, {0.4, 0.1, 0.4});
      for (Vec3d& x : cells.positions) x += centre - Vec3d{0.2, 0.05, 0.2};
      fill_skin(cells, "block");
    }
    MeshObject::Description d;
    d.density = density;
    d.newton = {1e-9, 100};
    mesh = &run.simulation().add(std::make_unique<MeshObject>("solid", 0, domain, d, std::move(cells)));
    solids.add(*mesh);
    if (kind == Kind::cloth)
      add_elastic_shell(*mesh, "material", fabric(1e3, 1e-4), warp_along(mesh->mesh(), {1, 0, 0}));
    else
      add_elastic_solid(*mesh, "material", {.youngs_modulus = 1e5});
    panels = &add_panels(*mesh, "air", "coupled drag", 0.1);
  }
  Vec3d momentum() const {
    if (rigid != nullptr) return rigid->poses()[0].velocity * rigid->bodies()[0].mass;
    Vec3d sum{0, 0, 0};
    for (std::size_t i = 0; i < mesh->mass().size(); ++i) sum += mesh->velocities()[i] * mesh->mass()[i];
    return sum;
  }
  double energy() const {
    if (rigid != nullptr)
      return 0.5 * dot(momentum(), rigid->poses()[0].velocity) +
             0.5 * dot(rigid->poses()[0].momentum, rigid->angular_velocity(0));
    double sum = 0;
    for (std::size_t i = 0; i < mesh->mass().size(); ++i)
      sum += 0.5 * mesh->mass()[i] * dot(mesh->velocities()[i], mesh->velocities()[i]);
    return sum;
  }
  MeshObject* mesh = nullptr;
  RigidObject* rigid = nullptr;
  ForceTarget* panels = nullptr;
};

// Density of a solid of `ratio` times the mass of the gas in a box of its size.
double density_of(Kind kind, double ratio) {
  return 1.2 * ratio * (kind == Kind::cloth ? 0.1 / 1e-3 : kind == Kind::soft ? 1 : 2);
}

// A stream past a solid at rest: what one loses the other gains, after one step.
TEST(SurfaceCoupling, ExchangesMomentumToRounding) {
  for (const Kind kind : {Kind::cloth, Kind::soft, Kind::rigid})
    for (const double ratio : {0.1, 1.0, 10.0})
      for (const double dt : {0.01, 0.1}) {
        GasCase c;
        c.closed = false;
        c.dt = dt;
        GasRun run(c);
        const Coupled solid(run, kind, density_of(kind, ratio));
        couple_drag(run.gas(), {solid.panels}, "drag", {1.8e-5, 1, true, true, 3});
        run.gas().set_pressure({});  // pressure would push gas through the open sides
        run.begin([](Vec3d x) { return Vec3d{1 + x.y, 2, -1.5 + x.x}; });
        newton_loop(run, c.dt);
        const DiscreteVolume& volume = run.grid().volume();
        Vec3d given{0, 0, 0};
        for (int id = 0; id < volume.channel_count(); ++id) {
          if (!volume.channel(id).name.ends_with("_impulse")) continue;
          for (int k = 0; k < 3; ++k)
            for (int i = 0; i < volume.buckets().local_count() * GasGrid::voxels; ++i)
              given[k] += 1.2 * std::pow(c.voxel, 3) * volume.tiles(ChannelId<double>{id}, k)[i];
        }
        const Vec3d gained = solid.momentum();
        std::printf("kind %d, %4.1f of the gas, dt %.2f: takes %.4e kg m/s, off by %.1e\n", static_cast<int>(kind),
                    ratio, dt, norm(gained), norm(gained + given) / norm(gained));
        EXPECT_GT(norm(gained), 1e-4);
        EXPECT_LT(norm(gained + given), 1e-10 * norm(gained));
      }
}

// Drag only takes energy, whatever a solid weighs: a stream in a closed box with a solid that is let go.
TEST(SurfaceCoupling, EnergyDoesNotGrowForAnyMass) {
  for (const Kind kind : {Kind::cloth, Kind::soft, Kind::rigid})
    for (const double ratio : {1e-4, 1.0, 1e4})
      for (const double dt : {1.0 / 24, 1.0 / 192}) {
        GasCase c;
        c.dt = dt;
        GasRun run(c);
        const Coupled solid(run, kind, density_of(kind, ratio), {0.5, 0.8, 0.8});
        couple_drag(run.gas(), {solid.panels}, "drag", {1.8e-5, 1, true, true, 3});
        // A roll about the middle of the box, at most 5 m/s.
        run.begin([](Vec3d x) {
          const double a = M_PI * x.y / 1.6, b = M_PI * x.x / 1.6;
          return Vec3d{-std::cos(a) * std::sin(b), std::sin(a) * std::cos(b), 0} * 5;
        });
        const auto energy = [&] {
          double sum = 0;
          run.for_faces([&](Vec3d, double u, int) { sum += 0.5 * 1.2 * std::pow(c.voxel, 3) * u * u; });
          return sum + solid.energy();
        };
        const double start = energy();
        double most = 0;
        for (int k = 0; k < 8; ++k) {
          run.advance(1);
          most = std::max(most, energy());
        }
        std::printf("kind %d, %.0e of the gas, dt %.4f: energy %.4f, at most %.4f, of %.4f J\n", static_cast<int>(kind),
                    ratio, dt, energy(), most, start);
        EXPECT_LT(most, 1.001 * start);
        EXPECT_LT(energy(), 0.995 * start);
      }
}

// A gas that feels nothing: the law of drag holds as against a given wind.
TEST(SurfaceCoupling, OneWayIsTheLawOfDrag) {
  for (const Kind kind : {Kind::cloth, Kind::soft, Kind::rigid}) {
    GasCase c;
    c.dt = 0.05;
    c.voxel = 20;
    c.box = {{-80, -80, -80}, {80, 80, 80}};
    GasRun run(c);
    const Coupled solid(run, kind, density_of(kind, 10), {0, 60, 0});
    ForceTarget& target = solid.rigid != nullptr ? static_cast<ForceTarget&>(*solid.rigid) : *solid.mesh;
    const Vec3d down{0, -1, 0};
    target.add_force(gravity_force("gravity", down * 9.81, {}));
    couple_drag(run.gas(), {solid.panels}, "drag", {1.8e-5, 1, true, false, 2});
    run.gas().set_pressure({});  // nothing moves the gas
    run.begin();
    run.advance(80);
    const double mass = solid.rigid != nullptr ? solid.rigid->bodies()[0].mass : [&] {
      double sum = 0;
      for (const double m : solid.mesh->mass()) sum += m;
      return sum;
    }();
    const double rim = kind == Kind::cloth ? 0 : 4 * 0.4 * (kind == Kind::soft ? 0.1 : 0.05);
    const double exact = std::sqrt(2 * mass * 9.81 / (1.2 * (1.2 * 0.16 + 0.005 * rim)));
    EXPECT_NEAR(dot(solid.momentum(), down) / mass, exact, 1e-5 * exact) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace ymir
