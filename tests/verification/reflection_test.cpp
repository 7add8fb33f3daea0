// Order in time of the splitting of advection and pressure. [Narain2019; method notes C, section 6]
#include <fmt/format.h>

#include "gas_run.h"

namespace ymir {
namespace {

using verification::GasCase;
using verification::GasRun;

// Velocity on all faces after 1 s, in a given number of steps: two shielded eddies that pull at each other, at rest
// near the walls.
std::vector<double> after(int steps, bool reflection) {
  GasCase c;
  c.voxel = 1.0 / 64;
  c.box = {{0, 0, 0}, {1, 1, c.voxel}};
  c.dt = 1.0 / steps;
  c.reflection = reflection;
  c.tolerance = 1e-9;
  c.advection = {AdvectionScheme::mac_cormack, Interpolation::linear, false};
  GasRun run(c);
  run.begin([](Vec3d x) {
    Vec3d u{0, 0, 0};
    // psi = A exp(-r^2/2 s^2), u = (psi_y, -psi_x)
    for (const auto& [cx, cy, a] : {std::tuple(0.42, 0.5, 0.025), std::tuple(0.58, 0.53, 0.02)}) {
      constexpr double s = 0.11;
      const double psi = a * std::exp(-((x.x - cx) * (x.x - cx) + (x.y - cy) * (x.y - cy)) / (2 * s * s));
      u += Vec3d{-psi * (x.y - cy), psi * (x.x - cx), 0} / (s * s);
    }
    return u;
  });
  run.gas().project({0, 0, 0, 0, c.dt});
  run.advance(steps);
  run.gas().project({0, 0, 0, 0, c.dt});
  std::vector<double> result;
  run.for_faces([&](Vec3d, double u, int axis) {
    if (axis < 2) result.push_back(u);
  });
  return result;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

struct Order {
  double order, last;  // between halvings of the step, and the last difference
};

Order order_in_time(bool reflection) {
  const auto quarters = after(4, reflection), eighths = after(8, reflection), finest = after(16, reflection);
  const double first = difference(quarters, eighths), last = difference(eighths, finest);
  fmt::print("{}: {:.3e} m/s from 4 to 8 steps, {:.3e} from 8 to 16, order {:.2f}\n",
             reflection ? "reflection" : "projection", first, last, std::log2(first / last));
  return {std::log2(first / last), last};
}

TEST(Reflection, IsOfSecondOrderInTimeAndProjectionOfFirst) {
  const Order projection = order_in_time(false), reflection = order_in_time(true);
  // The notes: 0.90 and 1.99, and 5 to 20 times smaller.
  EXPECT_GT(projection.order, 0.7);
  EXPECT_LT(projection.order, 1.1);
  EXPECT_GT(reflection.order, 1.8);
  EXPECT_LT(reflection.last, projection.last / 5);
}

}  // namespace
}  // namespace ymir
