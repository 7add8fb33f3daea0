// Advection and extrapolation beside sheets.
#include <gtest/gtest.h>

#include "advection_case.h"
#include "ymir/fluid/extrapolation.h"

namespace ymir {
namespace {

constexpr auto now = sheet::When::now, before = sheet::When::before;

// A sheet in steps through all of the gas; cells below it are those with `under`.
struct Stairs : AdvectionCase {
  explicit Stairs(Vec3i size = {3, 3, 2}) : AdvectionCase(size) {
    sheets = volume.add_channel<std::uint8_t>("sheets", {.scratch = true});
    fill(volume, sheets, [](int, Vec3i v, int) {
      int marks = 0;
      for (int axis = 0; axis < 3; ++axis) {
        Vec3i low = v;
        --low[axis];
        if (under(v) != under(low)) marks |= sheet::closes(axis, now) | sheet::closes(axis, before);
      }
      return static_cast<std::uint8_t>(marks);
    });
  }
  static bool under(Vec3i v) { return 3 * v.y + 2 * v.x + v.z < 70; }
  ChannelId<std::uint8_t> sheets;
};

TEST(SheetAdvection, LetsNothingThrough) {
  for (AdvectionOptions options : all_advection_options())
    for (const float speed : {0.7f, 5.0f, 30.0f}) {
      Stairs gas;
      gas.set_noise(gas.velocity, 5);
      auto u = read_write(gas.volume, gas.velocity);
      for_each_bucket(gas.volume.buckets(), u, [&](int t) {
        for (int c = 0; c < 3; ++c)
          for (int i = 0; i < 512; ++i) u.tile(t, c)[i] = (2 * u.tile(t, c)[i] - 1) * speed;
      });
      fill(gas.volume, gas.smoke, [](int, Vec3i v, int) { return Stairs::under(v) ? 1.0f : 0.0f; });
      Advection advection(gas.volume, gas.cell);
      advection.set_sheets(gas.sheets);
      const Transported field[] = {{gas.smoke, gas.new_smoke}};
      advection.advect(gas.velocity, field, 1, options);
      gas.for_each_gas_cell([&](Vec3i v) {
        const float smoke = gas.value(gas.new_smoke, v);
        // Below the sheet, but for what ambient air brings.
        const bool still_full =
            Stairs::under(v) && speed < 1 && v.x < 19 && v.y < 19 && std::min({v.x, v.y, v.z}) > 4 && v.z < 11;
        if (!Stairs::under(v) || still_full) {
          ASSERT_EQ(smoke, Stairs::under(v) ? 1.0f : 0.0f) << v.x << ' ' << v.y << ' ' << v.z;
        }
      });
    }
}

TEST(SheetAdvection, LeavesGasAtRestBehindAWind) {
  for (const AdvectionScheme scheme : {AdvectionScheme::semi_lagrangian, AdvectionScheme::mac_cormack}) {
    Stairs gas;
    const auto is_under = [](Vec3i v, int axis) {
      Vec3i low = v;
      --low[axis];
      return Stairs::under(v) && Stairs::under(low);
    };
    gas.set_noise(gas.velocity, 6);
    auto u = read_write(gas.volume, gas.velocity);
    for_each_bucket(gas.volume.buckets(), u, [&](int t) {
      const BucketCoord b = gas.volume.buckets().coord(t);
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < 512; ++i)
          if (!is_under({b.x * 8 + i % 8, b.y * 8 + i / 8 % 8, b.z * 8 + i / 64}, c)) u.tile(t, c)[i] = 0;
    });
    gas.set_noise(gas.smoke, 9);
    Advection advection(gas.volume, gas.cell);
    advection.set_sheets(gas.sheets);
    const Transported field[] = {{gas.velocity, gas.new_velocity}, {gas.smoke, gas.new_smoke}};
    advection.advect(gas.velocity, field, 1, {.scheme = scheme});
    gas.for_each_gas_cell([&](Vec3i v) {
      if (Stairs::under(v)) return;
      ASSERT_EQ(gas.value(gas.new_smoke, v), gas.value(gas.smoke, v));
      for (int c = 0; c < 3; ++c) ASSERT_EQ(gas.value(gas.new_velocity, v, c), 0.0f);
    });
  }
}

TEST(SheetAdvection, SlidesAlongASheet) {
  Stairs gas;  // uniform flow along the sheet would be (3, -2, 0)
  fill(gas.volume, gas.velocity, [&](int, Vec3i v, int axis) {
    Vec3i low = v;
    --low[axis];
    return Stairs::under(v) != Stairs::under(low) ? 0.0f : axis == 0 ? 0.6f : axis == 1 ? -0.4f : 0.0f;
  });
  fill(gas.volume, gas.smoke, [](int, Vec3i v, int) { return static_cast<float>(v.x); });
  Advection advection(gas.volume, gas.cell);
  advection.set_sheets(gas.sheets);
  const Transported field[] = {{gas.smoke, gas.new_smoke}, {gas.velocity, gas.new_velocity}};
  advection.advect(gas.velocity, field, 1, {.scheme = AdvectionScheme::semi_lagrangian});
  double moved = 0, count = 0;
  gas.for_each_gas_cell([&](Vec3i v) {
    if (v.x < 3 || v.y < 3 || v.z < 3 || v.x > 20 || v.y > 20 || v.z > 12) return;
    if (VolumeView<std::uint8_t>(gas.volume, gas.sheets).value(0, v) == 0) return;
    moved += static_cast<double>(static_cast<float>(v.x) - gas.value(gas.new_smoke, v)), ++count;
    ASSERT_EQ(gas.value(gas.new_velocity, v, 2), 0.0f);
    if (Stairs::under(v) == Stairs::under(v - Vec3i{1, 0, 0})) {
      ASSERT_NEAR(gas.value(gas.new_velocity, v, 0), 0.6f, 1e-6f);
    }
  });
  ASSERT_GT(count, 100);
  EXPECT_GT(moved / count, 0.35);  // of 0.6: weights that a sheet takes away go to the nearer cells
}

TEST(SheetAdvection, HasTheSameBitsWithLookUps) {
  for (AdvectionOptions options : all_advection_options()) {
    const auto run = [&](bool look_up) {
      Stairs gas;
      gas.set_swirl(1.7f);
      gas.set_noise(gas.smoke, 3);
      Advection advection(gas.volume, gas.cell);
      advection.set_sheets(gas.sheets);
      options.look_up = look_up;
      const Transported field[] = {{gas.smoke, gas.new_smoke}, {gas.velocity, gas.new_velocity}};
      advection.advect(gas.velocity, field, 1, options);
      return gas.volume.hash();
    };
    EXPECT_EQ(run(false), run(true));
  }
}

TEST(SheetAdvection, KeepsItsBitsAwayFromSheets) {
  const auto run = [&](bool with_sheets) {
    Stairs gas;
    gas.set_swirl(1.2f);
    gas.set_noise(gas.smoke, 3);
    Advection advection(gas.volume, gas.cell);
    if (with_sheets) advection.set_sheets(gas.sheets);
    const Transported field[] = {{gas.smoke, gas.new_smoke}};
    advection.advect(gas.velocity, field, 1, {.scheme = AdvectionScheme::semi_lagrangian});
    std::vector<float> values;
    gas.for_each_gas_cell([&](Vec3i v) {
      if (std::abs(3 * v.y + 2 * v.x + v.z - 70) > 24) values.push_back(gas.value(gas.new_smoke, v));
    });
    return values;
  };
  const std::vector<float> values = run(true);
  EXPECT_GT(values.size(), 1000u);
  EXPECT_EQ(values, run(false));
}

// The sheet y = 8 becomes y = 9: what was above it stays above.
TEST(SheetAdvection, PushesMaterialThatASheetPasses) {
  for (const float speed : {0.05f, 1.0f}) {
    AdvectionCase gas({2, 2, 2});
    const auto sheets = gas.volume.add_channel<std::uint8_t>("sheets", {.scratch = true});
    fill(gas.volume, sheets, [](int, Vec3i v, int) {
      if (v.y == 8) return static_cast<std::uint8_t>(sheet::closes(1, before) | sheet::passed);
      return v.y == 9 ? sheet::closes(1, now) : std::uint8_t{0};
    });
    gas.set_velocity({0, speed, 0});
    fill(gas.volume, gas.smoke, [](int, Vec3i v, int) { return v.y >= 8 ? 1.0f : 0.0f; });
    Advection advection(gas.volume, gas.cell);
    advection.set_sheets(sheets);
    const Transported field[] = {{gas.smoke, gas.new_smoke}};
    advection.advect(gas.velocity, field, 1, {});
    for (int y = 1; y < 14; ++y) EXPECT_EQ(gas.value(gas.new_smoke, {5, y, 5}), y >= 9 ? 1.0f : 0.0f) << y;
  }
}

// A floor with a sheet standing on it: the velocity in the floor is that of either side.
TEST(SheetAdvection, ExtendsTheVelocityOnEachSideOfASheetAlone) {
  AdvectionCase gas({2, 2, 2});
  const auto open = gas.volume.add_channel<float>("open", {.sampling = Sampling::face, .background = 1});
  const auto sheets = gas.volume.add_channel<std::uint8_t>("sheets", {.scratch = true});
  fill(gas.volume, sheets, [](int, Vec3i v, int) { return v.x == 8 ? sheet::closes(0, now) : std::uint8_t{0}; });
  const auto in_slit = [](Vec3i v) { return (v.y == 9 && v.x == 7) || (v.y == 11 && v.x == 8); };  // barely open
  fill(gas.volume, open, [&](int, Vec3i v, int axis) {
    const bool below = v.y < (axis == 1 ? 6 : 5), slit = axis != 0 && in_slit(v);
    return below || (axis == 0 && v.x == 8) ? 0.0f : slit ? 0.05f : 1.0f;
  });
  auto cells = read_write(gas.volume, gas.cell);
  for_each_bucket(gas.volume.buckets(), cells, [&](int t) {
    for (int i = 0; i < 512; ++i)
      if (gas.volume.buckets().coord(t).y * 8 + i / 8 % 8 < 5) cells.tile(t)[i] = 2;
  });
  fill(gas.volume, gas.velocity, [&](int, Vec3i v, int axis) {
    if (axis == 0 && v.x == 8) return 7.0f;
    if (in_slit(v) || v.y < 5) return 99.0f;
    return v.x < 8 ? 1.0f : 3.0f;
  });
  Extrapolation extrapolation(gas.volume, open, gas.cell);
  extrapolation.set_sheets(sheets);
  extrapolation.extend(gas.velocity);
  EXPECT_EQ(gas.value(gas.velocity, {8, 9, 5}, 0), 7.0f);
  for (const int axis : {1, 2})
    for (const int y : {4, 9, 11})
      for (int x = 5; x < 11; ++x)
        EXPECT_EQ(gas.value(gas.velocity, {x, y, 5}, axis), x < 8 ? 1.0f : 3.0f) << x << ' ' << y << ' ' << axis;
}

}  // namespace
}  // namespace ymir
