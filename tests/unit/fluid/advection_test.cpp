#include "ymir/fluid/advection.h"

#include <gtest/gtest.h>

#include <limits>

#include "advection_case.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

std::string describe(const AdvectionOptions& o) {
  return std::string(o.scheme == AdvectionScheme::semi_lagrangian ? "semi-Lagrangian"
                     : o.scheme == AdvectionScheme::mac_cormack   ? "MacCormack"
                                                                  : "BFECC") +
         (o.interpolation == Interpolation::cubic ? ", cubic" : ", linear") + (o.limit ? ", limited" : "");
}

// The air outside moves as the gas does.
AdvectionCase uniform_case(Vec3i size, float speed) {
  return AdvectionCase(
      size, AdvectionCase::alone(), 0.25f, [](int, int, int) { return true; }, speed);
}

void expect_shifted(const AdvectionCase& gas, int by, const std::string& how) {
  gas.for_each_gas_cell([&](Vec3i v) {
    const Vec3i from = v - Vec3i{by, by, by};
    const float expected = gas.kind(from) == CellKind::fluid ? gas.value(gas.smoke, from) : 0.25f;
    ASSERT_EQ(gas.value(gas.new_smoke, v), expected) << how << " at " << v.x << " " << v.y << " " << v.z;
  });
}

TEST(Advection, AUniformTranslationByWholeVoxelsIsExact) {
  for (const int by : {-2, 4, -5}) {
    AdvectionCase gas = uniform_case({2, 2, 2}, static_cast<float>(by) / 2);
    gas.set_velocity({static_cast<float>(by) / 2, static_cast<float>(by) / 2, static_cast<float>(by) / 2});
    gas.set_noise(gas.smoke, 1);
    Advection advection(gas.volume, gas.cell);
    for (const AdvectionOptions& options : all_advection_options()) {
      const std::vector<Transported> fields{{gas.smoke, gas.new_smoke}};
      advection.advect(gas.velocity, fields, 2, options);
      EXPECT_EQ(advection.far_tiles(), 0);
      expect_shifted(gas, by, describe(options));
    }
  }
}

TEST(Advection, PathsAcrossManyTilesArriveExactly) {
  for (const int by : {-11, 20}) {
    AdvectionCase gas = uniform_case({4, 3, 3}, static_cast<float>(by));
    gas.set_velocity({static_cast<float>(by), static_cast<float>(by), static_cast<float>(by)});
    gas.set_noise(gas.smoke, 1);
    Advection advection(gas.volume, gas.cell);
    const std::vector<Transported> fields{{gas.smoke, gas.new_smoke}};
    for (const AdvectionScheme scheme : {AdvectionScheme::semi_lagrangian, AdvectionScheme::mac_cormack}) {
      advection.advect(gas.velocity, fields, 1, {scheme});
      EXPECT_GT(advection.far_tiles(), 0);
      EXPECT_EQ(advection.frozen_traces(), 0);
      expect_shifted(gas, by, describe({scheme}));
    }
  }
}

TEST(Advection, CarriesFacesAlongAnotherFieldOverHalfAStep) {
  AdvectionCase gas({2, 2, 2});
  const auto carried = gas.volume.add_channel<float>("carried", {.sampling = Sampling::face});
  gas.set_velocity({-2, 4, 6});
  gas.set_noise(carried, 5);
  Advection advection(gas.volume, gas.cell);
  const std::vector<Transported> fields{{carried, gas.new_velocity}};
  for (const AdvectionOptions& options : all_advection_options()) {
    advection.advect(gas.velocity, fields, 0.5, options);
    for (int axis = 0; axis < 3; ++axis)
      for (int n = 0; n < 300; ++n) {
        const auto at = [&](unsigned s) { return 5 + static_cast<int>(noise({n, axis, 0}, s) * 7); };
        const Vec3i v{at(1), at(2), at(3)};
        ASSERT_EQ(gas.value(gas.new_velocity, v, axis), gas.value(carried, v - Vec3i{-1, 2, 3}, axis))
            << describe(options);
      }
  }
}

TEST(Advection, ConstantFieldsStayConstantInEveryBit) {
  constexpr float value = 0.3f;
  AdvectionCase gas({3, 3, 3}, AdvectionCase::alone(), value, [](int x, int y, int z) { return x * y * z != 2; });
  gas.set_solid({11, 12, 13}, 5);
  gas.set_swirl(3);
  fill(gas.volume, gas.smoke, [&](int, Vec3i v, int) { return gas.kind(v) == CellKind::fluid ? value : 1e6f; });
  Advection advection(gas.volume, gas.cell);
  for (const AdvectionOptions& options : all_advection_options()) {
    const std::vector<Transported> fields{{gas.smoke, gas.new_smoke}};
    advection.advect(gas.velocity, fields, 1.3, options);
    gas.for_each_gas_cell([&](Vec3i v) { ASSERT_EQ(gas.value(gas.new_smoke, v), value) << describe(options); });
  }
}

// Dense boxes and looked-up tiles, tiles that are all gas and tiles that are not, narrow and wide boxes.
TEST(Advection, EveryWayToReadSamplesGivesTheSameBits) {
  for (const auto& [peak, solid] : {std::pair{1.5f, true}, {1.5f, false}, {5.0f, true}, {11.0f, true}, {30.0f, true}}) {
    AdvectionCase gas({3, 2, 2}, AdvectionCase::alone(), 0.5f, [](int x, int y, int z) { return x + 2 * y + z != 3; });
    if (solid) gas.set_solid({14, 9, 8}, 4.5);
    gas.set_swirl(peak);
    gas.set_noise(gas.smoke, 3);
    Advection advection(gas.volume, gas.cell);
    const std::vector<Transported> fields{{gas.velocity, gas.new_velocity}, {gas.smoke, gas.new_smoke}};
    for (AdvectionOptions options : all_advection_options()) {
      advection.advect(gas.velocity, fields, 1, options);
      const std::uint64_t expected = gas.volume.hash();
      const std::int64_t far = advection.far_tiles();
      options.look_up = true;
      advection.advect(gas.velocity, fields, 1, options);
      EXPECT_EQ(gas.volume.hash(), expected) << describe(options) << ", peak " << peak;
      EXPECT_GE(advection.far_tiles(), far);
    }
  }
}

TEST(Advection, ThreadsDoNotChangeAnyBit) {
  AdvectionCase gas({4, 4, 3}, AdvectionCase::alone(), 0.5f, [](int x, int y, int z) { return x + 2 * y + z != 4; });
  gas.set_solid({14, 9, 13}, 4.5);
  gas.set_swirl(6);
  gas.set_noise(gas.smoke, 3);
  Advection advection(gas.volume, gas.cell);
  const std::vector<Transported> fields{{gas.velocity, gas.new_velocity}, {gas.smoke, gas.new_smoke}};
  const int before = threads();
  std::uint64_t expected = 0;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    advection.advect(gas.velocity, fields, 1, {AdvectionScheme::mac_cormack});
    if (count == 1) expected = gas.volume.hash();
    EXPECT_EQ(gas.volume.hash(), expected) << count << " threads";
  }
  set_threads(before);
}

TEST(Advection, LimitedSchemesMakeNoNewExtrema) {
  for (const AdvectionOptions& options : all_advection_options()) {
    if (!options.limit) continue;
    AdvectionCase gas({3, 3, 3});
    gas.set_solid({18, 9, 13}, 4.5);
    gas.set_swirl(2.5f);
    fill(gas.volume, gas.smoke, [](int, Vec3i v, int) { return noise(v, 9) < 0.5 ? 0.0f : 1.0f; });
    Advection advection(gas.volume, gas.cell);
    float low = 0, high = 0;
    for (int step = 0; step < 4; ++step) {
      const std::vector<Transported> fields{{gas.smoke, gas.new_smoke}};
      advection.advect(gas.velocity, fields, 0.8, options);
      std::swap(gas.smoke, gas.new_smoke);
      gas.for_each_gas_cell([&](Vec3i v) {
        low = std::min(low, gas.value(gas.smoke, v));
        high = std::max(high, gas.value(gas.smoke, v));
      });
    }
    EXPECT_GE(low, -1e-6f) << describe(options);
    EXPECT_LE(high, 1 + 1e-6f) << describe(options);
  }
}

TEST(Advection, UnlimitedSchemesDoOvershoot) {
  AdvectionCase gas({2, 2, 2});
  gas.set_velocity({0.5f, 0, 0});
  fill(gas.volume, gas.smoke, [](int, Vec3i v, int) { return v.x < 7 ? 0.0f : 1.0f; });
  Advection advection(gas.volume, gas.cell);
  const std::vector<Transported> fields{{gas.smoke, gas.new_smoke}};
  for (const AdvectionScheme scheme : {AdvectionScheme::mac_cormack, AdvectionScheme::bfecc}) {
    float low = 0;
    advection.advect(gas.velocity, fields, 1, {scheme, Interpolation::linear, false});
    for (int x = 2; x < 14; ++x) low = std::min(low, gas.value(gas.new_smoke, {x, 5, 5}));
    EXPECT_LT(low, -0.05f);
  }
}

// A step in one dimension, against the formulas.
TEST(Advection, SchemesFollowTheirFormulas) {
  AdvectionCase gas({3, 1, 1});
  const float c = 0.375f;  // voxels per step: exact in binary
  gas.set_velocity({c, 0, 0});
  const auto f = [](int x) { return static_cast<float>(x * x % 7) / 8; };
  fill(gas.volume, gas.smoke, [&](int, Vec3i v, int) { return f(v.x); });
  Advection advection(gas.volume, gas.cell);
  const std::vector<Transported> fields{{gas.smoke, gas.new_smoke}};
  const auto back = [&](const auto& g, int x) { return g(x) + c * (g(x - 1) - g(x)); };
  const auto forth = [&](const auto& g, int x) { return g(x) + c * (g(x + 1) - g(x)); };
  const auto a = [&](int x) { return back(f, x); };
  const auto g = [&](int x) { return f(x) + (f(x) - forth(a, x)) / 2; };
  const auto result = [&](AdvectionScheme scheme, bool limit) {
    advection.advect(gas.velocity, fields, 1, {scheme, Interpolation::linear, limit});
    return [&](int x) { return gas.value(gas.new_smoke, {x, 3, 3}); };
  };
  const auto limited = [&](float v, int x) {
    return std::clamp(v, std::min(f(x - 1), f(x)), std::max(f(x - 1), f(x)));
  };
  for (int x = 4; x < 20; ++x) {
    EXPECT_NEAR(result(AdvectionScheme::semi_lagrangian, false)(x), a(x), 1e-6);
    EXPECT_NEAR(result(AdvectionScheme::mac_cormack, false)(x), a(x) + (f(x) - forth(a, x)) / 2, 1e-6);
    EXPECT_NEAR(result(AdvectionScheme::mac_cormack, true)(x), limited(a(x) + (f(x) - forth(a, x)) / 2, x), 1e-6);
    EXPECT_NEAR(result(AdvectionScheme::bfecc, false)(x), back(g, x), 1e-6);
    EXPECT_NEAR(result(AdvectionScheme::bfecc, true)(x), limited(back(g, x), x), 1e-6);
  }
}

TEST(Advection, SolidsGiveNoValueToCells) {
  for (const AdvectionOptions& options : all_advection_options()) {
    AdvectionCase gas({3, 3, 3}, AdvectionCase::alone(), 1);
    gas.set_solid({12, 12, 12}, 6);
    gas.set_swirl(2);
    fill(gas.volume, gas.smoke, [&](int, Vec3i v, int) {
      return gas.kind(v) == CellKind::solid ? 1000.0f : 1 + static_cast<float>(noise(v, 2));
    });
    Advection advection(gas.volume, gas.cell);
    const std::vector<Transported> fields{{gas.smoke, gas.new_smoke}};
    advection.advect(gas.velocity, fields, 1, options);
    float high = 0;
    gas.for_each_gas_cell([&](Vec3i v) { high = std::max(high, gas.value(gas.new_smoke, v)); });
    EXPECT_LT(high, 5) << describe(options);
  }
}

TEST(Advection, CellsWhosePathsEndInsideASolidKeepTheirValue) {
  AdvectionCase gas({2, 2, 2});
  gas.set_solid({8, 8, 8}, 4);
  gas.set_velocity({3, 0, 0});
  gas.set_noise(gas.smoke, 4);
  Advection advection(gas.volume, gas.cell);
  const std::vector<Transported> fields{{gas.smoke, gas.new_smoke}};
  advection.advect(gas.velocity, fields, 1, {AdvectionScheme::semi_lagrangian});
  const Vec3i behind{12, 8, 8};  // the path ends in cell 9
  ASSERT_EQ(gas.kind(behind), CellKind::fluid);
  ASSERT_EQ(gas.kind({9, 8, 8}), CellKind::solid);
  EXPECT_EQ(gas.value(gas.new_smoke, behind), gas.value(gas.smoke, behind));
}

// Whether a cell outside is stored, in a rim, or not makes no difference.
TEST(Advection, AirOutsideIsTheBackgroundWhateverIsStoredThere) {
  std::uint64_t first = 0;
  for (const float stored : {0.0f, 55.0f}) {
    AdvectionCase gas({2, 2, 2}, AdvectionCase::alone(), 0.5f);
    gas.set_swirl(4);
    gas.set_noise(gas.smoke, 8);
    auto smoke = read_write(gas.volume, gas.smoke);
    auto velocity = read_write(gas.volume, gas.velocity);
    auto cells = read(gas.volume, gas.cell);
    for_each_bucket(gas.volume.buckets(), cells, smoke, velocity, [&](int tile) {
      const BucketCoord b = gas.volume.buckets().coord(tile);
      for (int v = 0; v < 512; ++v) {
        if (cells.tile(tile)[v] != 0) continue;
        smoke.tile(tile)[v] = stored;
        for (int axis = 0; axis < 3; ++axis) {
          const Vec3i d = below(face_lattice(axis));
          const Vec3i low{b.x * 8 + v % 8 + d.x, b.y * 8 + v / 8 % 8 + d.y, b.z * 8 + v / 64 + d.z};
          const auto inside = [](int c) { return c >= 0 && c < 16; };
          if (!(inside(low.x) && inside(low.y) && inside(low.z))) velocity.tile(tile, axis)[v] = stored;
        }
      }
    });
    Advection advection(gas.volume, gas.cell);
    const std::vector<Transported> fields{{gas.velocity, gas.new_velocity}, {gas.smoke, gas.new_smoke}};
    for (const bool look_up : {false, true}) {
      advection.advect(gas.velocity, fields, 1, {AdvectionScheme::bfecc, Interpolation::linear, true, look_up});
      std::uint64_t hash = 0;
      gas.for_each_gas_cell([&](Vec3i v) {
        hash = hash_combine(hash, std::bit_cast<std::uint32_t>(gas.value(gas.new_smoke, v)));
        for (int axis = 0; axis < 3; ++axis)
          hash = hash_combine(hash, std::bit_cast<std::uint32_t>(gas.value(gas.new_velocity, v, axis)));
      });
      if (first == 0) first = hash;
      EXPECT_EQ(hash, first);
    }
  }
}

TEST(Advection, SamplesWithoutGasKeepWhatTheSourceHolds) {
  AdvectionCase gas({2, 1, 1});
  gas.set_solid({5, 4, 4}, 3);
  gas.set_swirl(2);
  gas.set_noise(gas.smoke, 8);
  Advection advection(gas.volume, gas.cell);
  const std::vector<Transported> fields{{gas.velocity, gas.new_velocity}, {gas.smoke, gas.new_smoke}};
  for (const AdvectionOptions& options : all_advection_options()) {
    advection.advect(gas.velocity, fields, 1, options);
    for (const Vec3i v : {Vec3i{4, 4, 4}, Vec3i{18, 2, 2}, Vec3i{3, 9, 3}}) {
      EXPECT_EQ(gas.value(gas.new_smoke, v), gas.value(gas.smoke, v));
      EXPECT_EQ(gas.value(gas.new_velocity, v, 2), gas.value(gas.velocity, v, 2));
    }
    // The last faces of the gas are stored in the rim, and computed.
    EXPECT_NE(gas.value(gas.new_velocity, {16, 3, 3}, 0), gas.value(gas.velocity, {16, 3, 3}, 0));
  }
}

TEST(Advection, PathsAlongVelocitiesThatAreNotFiniteAreFrozenAndCounted) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 1e30f}) {
    AdvectionCase gas({2, 2, 2});
    gas.set_velocity({0, 0, 0});
    gas.set_noise(gas.smoke, 8);
    auto velocity = read_write(gas.volume, gas.velocity);
    for_each_bucket(gas.volume.buckets(), velocity, [&](int tile) {
      if (gas.volume.buckets().coord(tile) == BucketCoord{1, 0, 0, 0}) velocity.tile(tile, 1)[100] = bad;
    });
    Advection advection(gas.volume, gas.cell);
    const std::vector<Transported> fields{{gas.smoke, gas.new_smoke}};
    advection.advect(gas.velocity, fields, 1, {AdvectionScheme::semi_lagrangian});
    // The face is averaged in two cells, and touched with weight 0, which does not help against NaN, from the others.
    EXPECT_GE(advection.frozen_traces(), 2);
    EXPECT_LE(advection.frozen_traces(), 8);
    gas.for_each_gas_cell([&](Vec3i v) { ASSERT_EQ(gas.value(gas.new_smoke, v), gas.value(gas.smoke, v)); });
  }
}

TEST(Advection, MissingTilesAreWhatTheCellBackgroundSays) {
  Communicator& ranks = AdvectionCase::alone();
  GridDomain domain(8, 1, ranks);
  DiscreteVolume volume(domain);
  const auto velocity = volume.add_channel<float>("velocity", {.sampling = Sampling::face, .background = 0.25f});
  const auto cell =
      volume.add_channel<std::uint8_t>("cell", {.background = static_cast<std::uint8_t>(CellKind::solid)});
  const auto smoke = volume.add_channel<float>("smoke", {}), moved = volume.add_channel<float>("moved", {});
  volume.set_buckets({key_of({0, 0, 0, 0})});
  fill(volume, cell, [](int, Vec3i, int) { return static_cast<std::uint8_t>(CellKind::fluid); });
  fill(volume, velocity, [](int, Vec3i, int) { return 0.25f; });
  fill(volume, smoke, [](int, Vec3i, int) { return 2.0f; });
  Advection advection(volume, cell);
  const std::vector<Transported> fields{{smoke, moved}};
  advection.advect(velocity, fields, 1);
  for (int v = 0; v < 512; ++v) ASSERT_EQ(volume.tiles(moved)[v], 2.0f);
}

}  // namespace
}  // namespace ymir
