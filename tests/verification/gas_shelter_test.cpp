// Wind that meets a brush of hair: a channel whose lower half is crossed by upright strands.
#include "gas_run.h"
#include "ymir/actions/coupled_drag.h"
#include "ymir/actions/elastic_rod.h"
#include "ymir/objects/curves_object.h"

namespace ymir {
namespace {

using verification::GasCase;
using verification::GasRun;

constexpr double wind = 2;                            // [m/s]
constexpr double length = 1.28, height = 0.32;        // of the channel, as wide as high [m]
constexpr double brush_from = 0.48, brush_to = 0.64;  // [m]
constexpr int along = 8;                              // rows of strands

CurvesObject& add_brush(GasRun& run, int strands, double tall) {
  CurvesObject::Description d;
  d.radius = 40e-6;
  d.density = 1300;
  auto& hair = run.simulation().add(std::make_unique<CurvesObject>("hair", 0, run.simulation().domain(), d));
  const int segments = 8, across = strands / along;
  Curves curves;
  for (int s = 0; s < strands; ++s) {
    const double x = brush_from + (brush_to - brush_from) * (s % along + 0.5) / along;
    const double z = height * (s / along + 0.5) / across;
    for (int i = 0; i <= segments; ++i) curves.positions.push_back({x, tall * i / segments, z});
    curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
  }
  curves.vertices.resize(curves.positions.size());
  curves.strands.resize(static_cast<std::size_t>(strands));
  hair.set_curves(std::move(curves));
  ElasticRodMaterial material;
  material.youngs_modulus = 3.5e14;  // bristles that stay upright
  add_elastic_rod(hair, "rod", material, d);
  return hair;
}

struct Sheltered {
  std::vector<double> speed;       // along the lower half, by voxel [m/s]
  double force = 0;                // of the strands on the gas, along the wind [N]
  double balance = 0;              // pressure and momentum that enter less what leaves [N]
  std::array<double, 2> halves{};  // force on the front and on the back rows [N]
};

Sheltered blow_at(int strands, double tall, double dt = 1.0 / 48) {
  GasCase c;
  c.voxel = 0.02;
  c.box = {{0, 0, 0}, {length, height, height}};
  c.open = {0, 1};
  c.dt = dt;
  c.tolerance = 1e-6;
  GasRun run(c);
  run.gas().add_wind({"wind", "wind",
                      [](int count, ConstVec3Planes, double, Vec3Planes out) {
                        std::fill_n(out.x, count, wind);
                        std::fill_n(out.y, count, 0.0);
                        std::fill_n(out.z, count, 0.0);
                      },
                      [](double) {
                        return Vec3d{wind, 0, 0};
                      }});
  if (strands > 0) couple_drag(run.gas(), {&add_brush(run, strands, tall)}, "drag", {1.8e-5, 1, true, true, 2});
  run.begin([](Vec3d) { return Vec3d{wind, 0, 0}; });
  run.advance(static_cast<int>(std::lround(1.25 / dt)));
  // The mean of a quarter of a second: the wake sways.
  Sheltered found;
  const int columns = 64;
  found.speed.assign(columns, 0);
  const double h = c.voxel, density = c.density;
  const int samples = 12;
  for (int k = 0; k < samples; ++k) {
    run.advance(1);
    const DiscreteVolume& volume = run.grid().volume();
    const VolumeView<float> u(volume, run.grid().velocity, 0);
    const VolumeView<double> q(volume, volume.find_channel<double>("potential"));
    for (int x = 0; x < columns; ++x)
      for (int y = 0; y < 8; ++y)
        for (int z = 0; z < 16; ++z)
          found.speed[static_cast<std::size_t>(x)] += static_cast<double>(u.value(0, {x, y, z})) / (8 * 16 * samples);
    // Between two planes within the gas that the wind does not set.
    for (const int plane : {10, 54})
      for (int y = 0; y < 16; ++y)
        for (int z = 0; z < 16; ++z) {
          const double speed = static_cast<double>(u.value(0, {plane, y, z}));
          const double p = 0.5 * (q.value(0, {plane - 1, y, z}) + q.value(0, {plane, y, z})) / c.dt;
          found.balance += (plane == 10 ? 1 : -1) * density * h * h * (p + speed * speed) / samples;
        }
    for (int id = 0; id < volume.channel_count(); ++id) {
      if (!volume.channel(id).name.ends_with("_impulse")) continue;
      verification::for_gas(run.grid(), [&](Vec3i v, int at) {
        const double f = -density * h * h * h * volume.tiles(ChannelId<double>{id}, 0)[at] / c.dt / samples;
        found.force += f;
        const double back =
            std::clamp(v.x - 0.5 * (brush_from + brush_to) / h + 0.5, 0.0, 1.0);  // the middle face: half
        found.halves[0] += (1 - back) * f;
        found.halves[1] += back * f;
      });
    }
  }
  return found;
}

// Strands across the whole channel: gas cannot go around them, keeps its speed, and loses pressure for what it does to
// them, which follows from the law of drag. Drag and pressure act one after the other, which is first order in time.
TEST(Shelter, AScreenAcrossAChannelTakesItsDragFromThePressure) {
  const int strands = 160;
  double last = 0;
  for (const double dt : {1.0 / 24, 1.0 / 48, 1.0 / 96}) {
    const Sheltered found = blow_at(strands, height, dt);
    const double speed = found.speed[30];  // beyond the open ends pressure is 0: the screen slows the wind a little
    const double reynolds = 1.2 * speed * 80e-6 / 1.8e-5;
    const double law = 0.5 * 1.2 * (1 + 10 * std::pow(reynolds, -2.0 / 3)) * 80e-6 * speed * speed * height * strands;
    const double error = 1 - found.force / law;
    std::printf(
        "screen, dt 1/%.0f s: %.4f m/s, force %.6f N, by the law %.6f N (%.2f %%), pressure and momentum %.6f N\n",
        1 / dt, speed, found.force, law, 100 * error, found.balance);
    EXPECT_NEAR(found.balance, found.force, 0.001 * law);
    EXPECT_LT(error, 1.2 * dt);
    if (last > 0) {
      EXPECT_NEAR(last / error, 2, 0.3);
    }
    last = error;
  }
}

TEST(Shelter, BehindDenseHairTheWindIsSlower) {
  const auto behind = [](const Sheltered& s) { return s.speed[40]; };  // 16 cm behind the brush
  double last = wind;
  for (const int strands : {0, 320, 1280}) {
    const Sheltered found = blow_at(strands, height / 2);
    std::printf("%4d strands: force %.4f N (front rows %.4f, back rows %.4f), balance %.4f N; speed by x:", strands,
                found.force, found.halves[0], found.halves[1], found.balance);
    for (std::size_t x = 4; x < found.speed.size(); x += 4) std::printf(" %.2f", found.speed[x]);
    std::printf("\n");
    if (strands == 0) {
      EXPECT_NEAR(behind(found), wind, 1e-4 * wind);
      continue;
    }
    EXPECT_LT(behind(found), 0.96 * last);
    EXPECT_GT(found.halves[0], found.halves[1]);  // the front rows shelter the back rows
    EXPECT_NEAR(found.balance, found.force, 0.1 * found.force);
    last = behind(found);
  }
}

}  // namespace
}  // namespace ymir
