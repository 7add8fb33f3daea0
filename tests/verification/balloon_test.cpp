// Balloons that rise through gas against their drag. [method notes C, light bodies, 4 and 6]
#include <fmt/format.h>

#include "light_body.h"
#include "ymir/actions/coupled_drag.h"

namespace ymir {
namespace {

using namespace verification;

// 24 cm across, 0.3 times the density of the gas, drag coefficient 0.44: v = v_t tanh(t/tau), as if the flow around it
// were that of its speed at all times.
constexpr double radius = 0.12, ratio = 0.3, terminal = 2.2348, tau = 0.26034;

double expected(double t) { return terminal * std::tanh(t / tau); }

// Speed after each of `steps` steps of 5 ms.
std::vector<double> rising(double h, Box box, Vec3d from, int steps) {
  GasCase c;
  c.voxel = h;
  c.box = box;
  c.tolerance = 1e-5;
  c.dt = 0.005;
  GasRun run(c);
  ParticleObject& balloon = add_balls(run, {from / h}, radius / h, ratio);
  couple_drag(run.gas(), {&balloon}, "drag", {1.81e-5, 1, true, true, 2});
  run.begin();
  std::vector<double> speeds{0};
  for (int i = 0; i < steps; ++i) {
    run.advance(1);
    speeds.push_back(moving(balloon)[0].v.y);
  }
  return speeds;
}

TEST(Balloon, RisesAlikeOnCoarseAndFineGrids) {
  for (const double h : {0.16, 0.08}) {
    const std::vector<double> v = rising(h, {{-0.96, -1.28, -0.96}, {0.96, 1.28, 0.96}}, {0.013, -0.6, 0.007}, 50);
    fmt::print("voxel {}: {:.3f} {:.3f} {:.3f} m/s, quasi-steady {:.3f} {:.3f} {:.3f}\n", h, v[10], v[20], v[50],
               expected(0.05), expected(0.1), expected(0.25));
    EXPECT_NEAR(v[10], expected(0.05), 0.02 * expected(0.05)) << h;
    EXPECT_NEAR(v[20], expected(0.1), 0.02 * expected(0.1)) << h;
    EXPECT_NEAR(v[50], expected(0.25), 0.03 * expected(0.25)) << h;
  }
}

TEST(Balloon, ReachesTheSpeedAtWhichDragCarriesItsLift) {
  const std::vector<double> v = rising(0.16, {{-0.96, 0, -0.96}, {0.96, 5.12, 0.96}}, {0.013, 0.92, 0.007}, 240);
  fmt::print("after 1.2 s {:.3f} m/s, terminal {:.3f}\n", v[240], terminal);
  EXPECT_NEAR(v[240], terminal, 0.03 * terminal);
}

}  // namespace
}  // namespace ymir
