// Prints a hash of a gas after viscosity and diffusion, with sticking solids, sides and a rim of open air. The line
// must be the same for any number of ranks and threads (same_output.cmake compares them).
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "ymir/base/hash.h"
#include "ymir/fluid/diffusion.h"
#include "ymir/fluid/viscosity.h"

namespace ymir {
namespace {

std::uint64_t run(Communicator& communicator) {
  GasGrid grid(0.1, communicator);
  DiscreteVolume& volume = grid.volume();
  GasBoundary boundary;
  GasSolid ball;
  ball.distance = [](Vec3d x) { return DistanceSample{norm(x) - 0.9, {0, 0, 0}}; };
  ball.pose = [](double time) {
    return RigidTransform{quaternion_exp({0, time, 2 * time}), {1.5 + 0.3 * time, 1.1, 1.3}};
  };
  ball.wall = Wall::no_slip;
  boundary.add(ball);
  GasBox box{{{0, 0, 0}, {3.15, 3.2, 3.2}}, {false, true, true, false, true, true}, {}, {}};
  box.wall.fill(Wall::no_slip);
  box.wall[4] = Wall::free_slip;
  box.velocity[1] = {0, 1, -2};
  boundary.set_box(box);
  grid.set_wanted(
      communicator.root() ? tiles_in(grid.domain(), {{0.05, 0.05, 0.05}, {3.1, 3.1, 3.1}}) : std::vector<BucketKey>{},
      [&](BucketCoord tile) { return boundary.behind_wall(grid.domain(), tile); });
  const std::vector<BucketKey> keys = grid.gas_keys();
  grid.domain().rebalance(keys, std::vector<double>(keys.size(), 1.0));
  volume.migrate();

  const auto heat = volume.add_channel<float>("heat", {.background = 2});
  Viscosity viscosity(grid);
  Diffusion diffusion(grid);
  diffusion.set_wall_value([](int side, Vec3d x) { return side == 2 ? std::optional(x.x) : std::nullopt; });
  const double dt = 0.05;
  boundary.update(grid, dt, dt);
  viscosity.boundary_changed(boundary, dt, dt);
  fill(volume, grid.velocity, [](int, Vec3i v, int c) {
    return static_cast<float>(std::sin(0.4 * v.x + c) * std::cos(0.3 * v.y - 0.2 * v.z));
  });
  fill(volume, heat, [](int, Vec3i v, int) { return static_cast<float>(1 + std::sin(0.7 * v.x * v.y + v.z)); });
  YMIR_CHECK(viscosity.apply(grid.velocity, 0.02).converged);
  viscosity.extend(grid.velocity);
  YMIR_CHECK(diffusion.diffuse(heat, 0.03, boundary).converged);
  return volume.hash();
}

}  // namespace
}  // namespace ymir

int main() {
  using namespace ymir;
  Communicator& world = Communicator::world();
  try {
    const std::uint64_t hash = run(world);
    if (world.root()) fmt::print("viscosity {:016x}\n", hash);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank {}: {}\n", world.rank(), error.what());
    std::fflush(stderr);
    world.abort(1);
  }
  return 0;
}
