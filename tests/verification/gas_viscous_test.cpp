// Viscous flows of a gas against exact solutions and reference computations. [method notes C, section 9]
#include "gas_run.h"
#include "ymir/actions/gas_diffusion.h"
#include "ymir/actions/gas_forces.h"

namespace ymir {
namespace {

using verification::GasCase;
using verification::GasRun;

constexpr auto slip = Wall::free_slip, stick = Wall::no_slip;

Step step_of(double dt) { return {0, 0, 0, 0, dt}; }

// --- Taylor-Green vortex

struct Decay {
  double velocity, energy;  // errors relative to the exact ones, exp(-2 nu t) and exp(-4 nu t)
};

// Between slipping walls, x and y in [0, pi]; nu t = 0.2 at the end.
Decay decay(int n, int steps, bool advect) {
  constexpr double nu = 0.1, end = 2;
  GasCase c;
  c.voxel = M_PI / n;
  c.box = {{0, 0, 0}, {M_PI, M_PI, 8 * c.voxel}};
  c.dt = end / steps;
  c.reflection = advect;
  c.advection = {AdvectionScheme::mac_cormack, Interpolation::linear, true};
  GasRun run(c);
  run.gas().set_viscosity(nu * c.density);
  const auto exact = [](Vec3d x) { return Vec3d{std::sin(x.x) * std::cos(x.y), -std::cos(x.x) * std::sin(x.y), 0}; };
  run.begin(exact);
  double before = 0, after = 0, error = 0, size = 0;
  run.for_faces([&](Vec3d, double u, int) { before += u * u; });
  if (advect)
    run.advance(steps);
  else
    for (int i = 0; i < steps; ++i) run.gas().apply_viscosity(step_of(c.dt));
  run.gas().project(step_of(c.dt));
  run.for_faces([&](Vec3d x, double u, int axis) {
    const double wanted = std::exp(-2 * nu * end) * exact(x)[axis];
    after += u * u;
    error += (u - wanted) * (u - wanted);
    size += wanted * wanted;
  });
  return {std::sqrt(error / size), std::abs(after / before / std::exp(-4 * nu * end) - 1)};
}

TEST(ViscousTaylorGreen, DecaysByItsViscosityAlone) {
  // Steps shrink with the square of voxels, so that both parts of the error do.
  const Decay coarse = decay(16, 16, false), fine = decay(32, 64, false);
  std::printf("viscosity alone: velocity %.2e, %.2e; energy %.2e, %.2e\n", coarse.velocity, fine.velocity,
              coarse.energy, fine.energy);
  EXPECT_LT(fine.velocity, 2e-3);
  EXPECT_GT(std::log2(coarse.velocity / fine.velocity), 1.9);
  EXPECT_GT(std::log2(coarse.energy / fine.energy), 1.9);
}

TEST(ViscousTaylorGreen, DecaysWhileItTurns) {
  const Decay coarse = decay(16, 16, true), fine = decay(32, 32, true);
  std::printf("with advection: velocity %.2e, %.2e; energy %.2e, %.2e\n", coarse.velocity, fine.velocity, coarse.energy,
              fine.energy);
  EXPECT_LT(fine.velocity, 5e-3);
  EXPECT_LT(fine.energy, 1e-2);
  EXPECT_GT(std::log2(coarse.velocity / fine.velocity), 0.9);
}

// --- flows between walls

// Viscosity alone on a grid with walls, one tile thick.
struct Walls {
  Walls(int n, const GasBox& box, const std::vector<GasSolid>& solids) : grid(1.0 / n, alone), viscosity(grid) {
    const double h = grid.voxel();
    boundary.set_box(box);
    for (const GasSolid& solid : solids) boundary.add(solid);
    const Vec3d inset = Vec3d{1, 1, 1} * (1e-3 * h);
    grid.set_wanted(tiles_in(grid.domain(), {box.box.low + inset, box.box.high - inset}),
                    [&](BucketCoord tile) { return boundary.behind_wall(grid.domain(), tile); });
    boundary.update(grid, 0, dt);
    viscosity.boundary_changed(boundary, 0, dt);
  }
  // The flow that a steady acceleration leads to.
  void settle(Vec3d acceleration, double nu) {
    constexpr double long_time = 1e5;
    fill(grid.volume(), grid.velocity,
         [&](int, Vec3i, int c) { return static_cast<float>(acceleration[c] * long_time); });
    const DiffusionReport report = viscosity.apply(grid.velocity, nu * long_time, {1e-12, 5000});
    EXPECT_TRUE(report.converged);
  }
  // body(place, velocity, axis) for open faces beside gas.
  template <class F>
  void for_faces(F&& body) {
    DiscreteVolume& volume = grid.volume();
    for (int t = 0; t < volume.buckets().local_count(); ++t)
      for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < GasGrid::voxels; ++i)
          if (grid.holds_gas(t) && volume.tiles(grid.open, axis)[t * GasGrid::voxels + i] > 0)
            body(grid.face_position(t, {i % 8, i / 8 % 8, i / 64}, axis),
                 static_cast<double>(volume.tiles(grid.velocity, axis)[t * GasGrid::voxels + i]), axis);
  }

  static constexpr double dt = 1e-6;
  Communicator alone;
  GasGrid grid;
  GasBoundary boundary;
  Viscosity viscosity;
};

// Open along x, sticking below and above, slipping in z.
GasBox channel(double thickness, double low, double high) {
  return {{{0, low, 0}, {1, high, thickness}},
          {false, false, true, true, true, true},
          {slip, slip, stick, stick, slip, slip},
          {}};
}

TEST(CouetteFlow, IsLinearBetweenMovingWalls) {
  // Walls along faces, and anywhere between them.
  for (const double gap : {0.0, 0.03, 0.06, 0.1}) {
    GasBox box = channel(0.5, gap, 1 - 0.5 * gap);
    box.velocity[2] = {-1, 0, 0};
    box.velocity[3] = {3, 0, 0};
    Walls flow(16, box, {});
    flow.settle({0, 0, 0}, 1);
    double worst = 0;
    flow.for_faces([&](Vec3d x, double u, int axis) {
      const double share = std::clamp((x.y - gap) / (1 - 1.5 * gap), 0.0, 1.0);
      worst = std::max(worst, std::abs(u - (axis == 0 ? -1 + 4 * share : 0)));
    });
    std::printf("Couette flow, wall %.2f m off the grid: largest error %.1e\n", gap, worst);
    EXPECT_LT(worst, 1e-5);
  }
}

double poiseuille(int n) {
  Walls flow(n, channel(8.0 / n, 0, 1), {});
  flow.settle({2, 0, 0}, 0.5);
  double worst = 0;
  flow.for_faces([&](Vec3d x, double u, int axis) {
    worst = std::max(worst, std::abs(u - (axis == 0 ? 2 * x.y * (1 - x.y) : 0)));
  });
  return worst;
}

TEST(PoiseuilleFlow, IsAParabolaOfSecondOrder) {
  const double coarse = poiseuille(8), fine = poiseuille(16);
  std::printf("Poiseuille flow: %.2e, %.2e\n", coarse, fine);
  EXPECT_LT(fine, 3e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);
}

// Between a turning cylinder and a still one around it, both cut by the grid: u = A r + B / r around the axis.
double cylinders(int n) {
  constexpr double inner = 0.14, outer = 0.43, turn = 5;
  const Vec3d axis{0.503, 0.497, 0};
  const auto radius = [axis](Vec3d x) { return std::hypot(x.x - axis.x, x.y - axis.y); };
  std::vector<GasSolid> solids(2);
  solids[0].distance = [=](Vec3d x) { return DistanceSample{std::hypot(x.x, x.y) - inner, {0, 0, 0}}; };
  solids[0].pose = [=](double time) { return RigidTransform{quaternion_exp(Vec3d{0, 0, turn * time}), axis}; };
  solids[1].distance = [=](Vec3d x) { return DistanceSample{outer - radius(x), {0, 0, 0}}; };
  for (GasSolid& solid : solids) solid.wall = stick;
  GasBox box{{{0, 0, 0}, {1, 1, 8.0 / n}}, {true, true, true, true, true, true}};
  Walls flow(n, box, solids);
  flow.settle({0, 0, 0}, 1);
  const double b = turn / (1 / (inner * inner) - 1 / (outer * outer)), a = -b / (outer * outer);
  double sum = 0, faces = 0;
  flow.for_faces([&](Vec3d x, double u, int c) {
    const double r = radius(x);
    if (r < inner || r > outer) return;
    const double around = a * r + b / r;
    const double exact = c == 0 ? -around * (x.y - axis.y) / r : c == 1 ? around * (x.x - axis.x) / r : 0;
    sum += (u - exact) * (u - exact);
    ++faces;
  });
  return std::sqrt(sum / faces) / (turn * inner);
}

TEST(TaylorCouetteFlow, IsOfSecondOrderAtCutWalls) {
  const double coarse = cylinders(32), fine = cylinders(64);
  std::printf("flow between cylinders: %.2e, %.2e of the wall's speed\n", coarse, fine);
  EXPECT_LT(fine, 1e-3);
  EXPECT_GT(std::log2(coarse / fine), 1.7);
}

// --- lid-driven cavity

// Ghia, Ghia and Shin 1982, Re = 100: u on the upright centre line, v on the level one.
constexpr double ghia_u[][2] = {{.0547, -.03717}, {.0625, -.04192}, {.0703, -.04775}, {.1016, -.06434},
                                {.1719, -.10150}, {.2813, -.15662}, {.4531, -.21090}, {.5, -.20581},
                                {.6172, -.13641}, {.7344, .00332},  {.8516, .23151},  {.9531, .68717},
                                {.9609, .73722},  {.9688, .78871},  {.9766, .84123}};
constexpr double ghia_v[][2] = {{.0625, .09233},  {.0703, .10091},  {.0781, .10890},  {.0938, .12317},
                                {.1563, .16077},  {.2266, .17507},  {.2344, .17527},  {.5, .05454},
                                {.8047, -.24533}, {.8594, -.22445}, {.9063, -.16914}, {.9453, -.10313},
                                {.9531, -.08864}, {.9609, -.07391}, {.9688, -.05906}};

// Largest difference from a table, between samples linear, with the values of the walls at both ends.
template <std::size_t N>
double difference(const double (&table)[N][2], std::vector<std::pair<double, double>> samples, double low,
                  double high) {
  samples.emplace_back(0, low);
  samples.emplace_back(1, high);
  std::sort(samples.begin(), samples.end());
  double worst = 0;
  for (const auto& [x, value] : table) {
    const auto above = std::upper_bound(samples.begin(), samples.end(), std::pair(x, 1e9));
    const auto below = above - 1;
    const double t = (x - below->first) / (above->first - below->first);
    worst = std::max(worst, std::abs(below->second + t * (above->second - below->second) - value));
  }
  return worst;
}

struct Cavity {
  double u, v;  // largest differences from the table
};

Cavity cavity(int n, double end, const AdvectionOptions& advection) {
  GasCase c;
  c.voxel = 1.0 / n;
  c.dt = c.voxel;
  c.box = {{0, 0, 0}, {1, 1, c.voxel}};
  c.wall = {stick, stick, stick, stick, slip, slip};
  c.wall_velocity[3] = {1, 0, 0};
  c.density = 1;
  c.tolerance = 1e-6;
  c.advection = advection;
  GasRun run(c);
  run.gas().set_viscosity(0.01);
  run.begin();
  run.advance(static_cast<int>(end / c.dt));
  run.gas().apply_viscosity(step_of(c.dt));
  run.gas().project(step_of(c.dt));
  std::vector<std::pair<double, double>> u, v;
  run.for_faces([&](Vec3d x, double value, int axis) {
    if (std::abs(x.z - 0.5 * c.voxel) > 0.1 * c.voxel) return;
    if (axis == 0 && std::abs(x.x - 0.5) < 0.1 * c.voxel) u.emplace_back(x.y, value);
    if (axis == 1 && std::abs(x.y - 0.5) < 0.1 * c.voxel) v.emplace_back(x.x, value);
  });
  return {difference(ghia_u, u, 0, 1), difference(ghia_v, v, 0, 0)};
}

TEST(LidDrivenCavity, AgreesWithGhia) {
  // The notes: 0.010 and 0.006 with cubic interpolation. Ours does not overshoot; their script gives 0.0117 and 0.0092
  // with such a one.
  const Cavity cubic = cavity(32, 13, {AdvectionScheme::semi_lagrangian, Interpolation::cubic, true});
  const Cavity mac_cormack = cavity(32, 13, {AdvectionScheme::mac_cormack, Interpolation::linear, true});
  std::printf("cavity, 32 voxels: u %.4f, v %.4f cubic; %.4f, %.4f MacCormack\n", cubic.u, cubic.v, mac_cormack.u,
              mac_cormack.v);
  EXPECT_LT(cubic.u, 0.010 * 1.2);
  EXPECT_LT(cubic.v, 0.0092);
  EXPECT_LT(mac_cormack.u, 0.010 * 1.2);
  EXPECT_LT(mac_cormack.v, 0.006 * 1.2);
}

// --- natural convection

struct Convection {
  double nusselt, fastest;
};

// A square with a hot side at x = 0 and a cold one at x = 1, in units of its edge and its diffusivity of heat.
Convection convection(int n, double rayleigh, double end, double speed) {
  static constexpr double prandtl = 0.71, cold = 1;
  GasCase c;
  c.voxel = 1.0 / n;
  c.dt = 0.5 * c.voxel / speed;
  c.box = {{0, 0, 0}, {1, 1, c.voxel}};
  c.wall = {stick, stick, stick, stick, slip, slip};
  c.density = 1;
  c.temperature = cold;
  c.tolerance = 1e-6;
  c.advection = {AdvectionScheme::mac_cormack, Interpolation::linear, true};
  GasRun run(c);
  run.gas().set_viscosity(prandtl);
  add_buoyancy(run.gas(), "buoyancy", {{0, -rayleigh * prandtl * cold, 0}, 0});
  GasDiffusion diffusion;
  diffusion.diffusivity = 1;
  diffusion.wall_value = [](int side, Vec3d) -> std::optional<double> {
    return side == 0 ? std::optional(cold + 1) : side == 1 ? std::optional(cold) : std::nullopt;
  };
  add_diffusion(run.gas(), "diffusion", diffusion);
  run.begin();
  const ChannelId<float> temperature = run.gas().material("temperature");
  DiscreteVolume& volume = run.grid().volume();
  fill(volume, temperature,
       [&](int, Vec3i v, int) { return static_cast<float>(cold + 1 - volume.position(temperature.index, 0, v).x); });
  run.advance(static_cast<int>(end / c.dt));
  run.gas().apply_forces(step_of(c.dt));
  run.gas().apply_viscosity(step_of(c.dt));
  run.gas().project(step_of(c.dt));
  Convection r{0, 0};
  const VolumeView<float> t(volume, temperature);
  for (int j = 0; j < n; ++j) r.nusselt += 2 * (cold + 1 - static_cast<double>(t.value(0, {0, j, 0})));
  run.for_faces([&](Vec3d x, double u, int axis) {
    if (axis == 0 && std::abs(x.x - 0.5) < 0.1 * c.voxel) r.fastest = std::max(r.fastest, u);
  });
  return r;
}

TEST(NaturalConvection, AgreesWithDeVahlDavis) {
  // Reference: 1.118 and 3.649 for Ra = 1e3, 2.243 and 16.178 for 1e4. The notes, 32 voxels: 1.129 and 3.62, 2.264 and
  // 16.22; 16 voxels: 1.141, 2.325.
  const Convection slow = convection(16, 1e3, 0.4, 4), coarse = convection(16, 1e4, 0.2, 20),
                   fine = convection(32, 1e4, 0.2, 20);
  std::printf("natural convection, Ra 1e3: Nu %.4f, u %.3f with 16 voxels\n", slow.nusselt, slow.fastest);
  std::printf("natural convection, Ra 1e4: Nu %.4f, u %.3f with 16 voxels; %.4f, %.3f with 32\n", coarse.nusselt,
              coarse.fastest, fine.nusselt, fine.fastest);
  EXPECT_NEAR(slow.nusselt, 1.118, 1.2 * (1.141 - 1.118));
  EXPECT_NEAR(slow.fastest, 3.649, 0.1);
  EXPECT_NEAR(coarse.nusselt, 2.243, 1.2 * (2.325 - 2.243));
  EXPECT_NEAR(fine.nusselt, 2.243, 1.2 * (2.264 - 2.243));
  EXPECT_NEAR(fine.fastest, 16.178, 0.1);
}

}  // namespace
}  // namespace ymir
