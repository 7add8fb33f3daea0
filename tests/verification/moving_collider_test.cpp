// Points on colliders that move, against what rigid motion demands.
#include <fmt/format.h>

#include <cmath>

#include "particle_run.h"
#include "ymir/cache/formats/obj.h"
#include "ymir/data/shape_meshes.h"

namespace ymir::verification {
namespace {

TEST(MovingPlane, LiftsABallAtItsOwnVelocity) {
  double worst = 0;
  const Particle end = run_particle(
      {{0.3, 5e-3, 0}, {0, 0, 0}}, "{frames: [1, 48], fps: 24, substeps: 4}",
      "  - gravity\n  - particle_object: {points: start, radius: 5 mm}\n"
      "  - collider: {motion: [{time: 0}, {time: 4 s, position: [0, 2, 0]}], restitution: 0.9}\n",
      [&](double t, const Particle& p) { worst = std::max(worst, std::abs(p.position.y - (5e-3 + 0.5 * t))); });
  fmt::print("plane rising at 0.5 m/s: velocity {:.15f} m/s, worst height error {:.1e} m\n", end.velocity.y, worst);
  EXPECT_NEAR(end.velocity.y, 0.5, 1e-10);
  EXPECT_LT(worst, 1e-9);
}

TEST(MovingPlane, KeepsABallWhenItAcceleratesAndSetsItDown) {
  // Smooth: 1 m up in 2 s and down again, with accelerations up to 3 m/s^2; bouncy, and yet no bounce.
  double worst = 0;
  const double r = 5e-3;
  run_particle({{0.3, r, 0}, {0, 0, 0}}, "{frames: [1, 96], fps: 24, substeps: 4}",
               "  - gravity\n  - particle_object: {points: start, radius: 5 mm}\n"
               "  - collider: {interpolation: smooth, restitution: 0.9,\n"
               "      motion: [{time: 0}, {time: 2 s, position: [0, 1, 0]}, {time: 4 s}]}\n",
               [&](double t, const Particle& p) {
                 const double s = t <= 2 ? t / 2 : (4 - t) / 2;
                 worst = std::max(worst, std::abs(p.position.y - (r + s * s * (3 - 2 * s))));
               });
  fmt::print("plane going up and down smoothly: worst distance of the ball {:.1e} m\n", worst);
  EXPECT_LT(worst, 1e-9);
}

TEST(MovingPlane, HitsAFlyingBallWithTheRelativeVelocity) {
  // Without gravity: plane at 2 m/s meets a ball at -1 m/s: rebound 2 + 0.5 * 3.
  const Particle end =
      run_particle({{0, 0.5, 0}, {0, -1, 0}}, "{frames: [1, 24], fps: 24, substeps: 4}",
                   "  - particle_object: {points: start, radius: 5 mm}\n"
                   "  - collider: {motion: [{time: 0}, {time: 4 s, position: [0, 8, 0]}], restitution: 0.5}\n");
  EXPECT_NEAR(end.velocity.y, 3.5, 1e-12);
}

TEST(SpinningDisc, DragsAMarbleToItsTangentialVelocity) {
  const double omega = 2, dt = 1.0 / 96;
  double radius_at_half = 0;
  const Particle end =
      run_particle({{0.2, 5e-3, 0}, {0, 0, 0}}, "{frames: [1, 48], fps: 24, substeps: 4}",
                   "  - gravity\n  - particle_object: {points: start, radius: 5 mm}\n"
                   "  - collider: {shape: box, center: [0, -0.05, 0], size: [2, 0.1, 2], friction: 0.5,\n"
                   "      motion: [{time: 0}, {time: 10 s, rotation: [0, 20 rad, 0]}]}\n",
                   [&](double t, const Particle& p) {
                     if (t < 1.01) radius_at_half = std::hypot(p.position.x, p.position.z);
                   });
  const double radius = std::hypot(end.position.x, end.position.z);
  const Vec3d before = rotate(quaternion_exp({0, -omega * dt, 0}), end.position);
  const Vec3d carried = (end.position - before) / dt;
  fmt::print(
      "disc at {} rad/s: marble {:.9f} m/s at radius {:.6f} m, {:.3e} from the carried velocity, {:.3e} from "
      "omega r (dt^2 omega^2 / 24 = {:.3e})\n",
      omega, norm(end.velocity), radius, norm(end.velocity - carried), 1 - norm(end.velocity) / (omega * radius),
      omega * omega * dt * dt / 24);
  EXPECT_LT(norm(end.velocity - carried), 1e-10);
  EXPECT_NEAR(norm(end.velocity) / (omega * radius), 1, omega * omega * dt * dt / 24 * 1.01);
  EXPECT_NEAR(radius, radius_at_half, 1e-9) << "it slid although friction suffices";
  EXPECT_GT(radius, 0.2) << "it was dragged from rest, so it must have slid outwards first";
  EXPECT_NEAR(end.position.y, 5e-3, 1e-9);
}

TEST(SpinningDisc, AsAMeshCarriesAMarbleAlong) {
  const auto file = std::filesystem::temp_directory_path() / ("ymir_disc_" + std::to_string(getpid()) + ".obj");
  write_obj(file, box_mesh({0, -0.1, 0}, {0.5, 0.1, 0.5}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}));
  // The input turns, the collider rises: one after the other.
  const Particle end = run_particle(
      {{0.2, 5e-3, 0}, {0, 0, -0.4}}, "{frames: [1, 24], fps: 24, substeps: 8}",
      "  - gravity\n  - particle_object: {points: start, radius: 5 mm}\n"
      "  - collider: {shape: mesh, surface: disc, friction: 1, motion: [{time: 0}, {time: 1, position: [0, 1, 0]}]}\n",
      [](double, const Particle&) {}, "", "",
      ", disc: {surface: " + file.string() + ", motion: [{time: 0}, {time: 10 s, rotation: [0, 20 rad, 0]}]}");
  std::filesystem::remove(file);
  fmt::print("mesh: marble at {:.6f} {:.6f} {:.6f} m\n", end.position.x, end.position.y, end.position.z);
  EXPECT_NEAR(end.position.y, 1.005, 1e-5);
  EXPECT_NEAR(std::hypot(end.position.x, end.position.z), 0.2, 1e-3);
  EXPECT_NEAR(std::atan2(-end.position.z, end.position.x), 2, 1e-2);
}

TEST(ColliderObject, IsShownInThePoseAtTheEndOfEachFrame) {
  const Registry registry = all_behaviors();
  const ReadResult read = read_setup_text(
      "ymir: 1\ntime: {frames: [1, 4], fps: 4, substeps: 3}\nsetup:\n"
      "  - collider: {shape: sphere, motion: [{time: 0}, {time: 1 s, position: [4, 0, 0]}]}\n",
      "shown.yaml", registry);
  ASSERT_TRUE(read.setup);
  Communicator alone;
  const BuiltSimulation built = build(*read.setup, alone);
  built.simulation->ingest();
  for (std::int64_t frame = 1; frame <= 4; ++frame) {
    built.simulation->advance_frame(frame);
    const Frame shown = built.simulation->frame(frame);
    // The first vertex is the north pole.
    EXPECT_FLOAT_EQ(shown.objects.at(0).channels.at("position").as<Vec3f>()[0].x, static_cast<float>(frame));
  }
}

}  // namespace
}  // namespace ymir::verification
