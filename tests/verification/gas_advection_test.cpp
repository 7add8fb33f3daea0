// Advection against exact solutions and the table of method notes C, 6. Fields are plane: one tile thick, and only
// layer 3 is looked at, since the last layer of the tile borders on air.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "ymir/fluid/advection.h"

namespace ymir {
namespace {

constexpr int layer = 3;

// n x n cells of edge h with the lower corner at the origin, and one tile around them that repeats the other side.
class Plane {
 public:
  Plane(int cells, double h) : n(cells), voxel(h), domain(8 * h, 1, communicator), volume(domain) {
    velocity = volume.add_channel<float>("velocity", {.sampling = Sampling::face});
    cell = volume.add_channel<std::uint8_t>("cell");
    field = volume.add_channel<float>("field");
    moved = volume.add_channel<float>("moved");
    const int tiles = (n + 7) / 8;
    std::vector<BucketKey> keys;
    for (int y = -1; y <= tiles; ++y)
      for (int x = -1; x <= tiles; ++x) keys.push_back(key_of({x, y, 0, 0}));
    volume.set_buckets(keys);
    fill(volume, cell, [](int, Vec3i, int) { return static_cast<std::uint8_t>(CellKind::fluid); });
  }
  double centre(int i) const { return (i + 0.5) * voxel; }
  // u(axis, x, y) [m/s]
  template <class F>
  void set_velocity(F&& u) {
    fill(volume, velocity, [&](int, Vec3i v, int axis) {
      if (axis == 2) return 0.0f;
      return static_cast<float>(
          u(axis, centre(v.x) - (axis == 0 ? voxel / 2 : 0), centre(v.y) - (axis == 1 ? voxel / 2 : 0)));
    });
  }
  template <class F>
  void set_field(F&& f) {
    fill(volume, field, [&](int, Vec3i v, int) { return static_cast<float>(f(centre(v.x), centre(v.y))); });
  }
  void advect(Advection& advection, double dt, const AdvectionOptions& options, bool periodic) {
    const std::vector<Transported> fields{{field, moved}};
    advection.advect(velocity, fields, dt, options);
    std::swap(field, moved);
    if (periodic) repeat();
  }
  double value(int x, int y) const { return static_cast<double>(view().value(0, {x, y, layer})); }

  int n;
  double voxel;

 private:
  VolumeView<float> view() const { return {volume, field}; }
  void repeat() {
    const int tiles = n / 8;
    auto f = read_write(volume, field);
    const BucketSet& buckets = volume.buckets();
    for_each_bucket(buckets, f, [&](int tile) {
      const BucketCoord b = buckets.coord(tile);
      const auto inside = [&](int c) { return (c + tiles) % tiles; };
      if (inside(b.x) == b.x && inside(b.y) == b.y) return;
      const int from = buckets.find(key_of({inside(b.x), inside(b.y), 0, 0}));
      std::copy_n(f.tile(from), 512, f.tile(tile));
    });
  }

  Communicator communicator;
  GridDomain domain;

 public:
  DiscreteVolume volume;
  ChannelId<float> velocity, field, moved;
  ChannelId<std::uint8_t> cell;
};

// A smooth field in a frozen Taylor-Green flow, T = 1, CFL 0.8: the error against paths integrated by Runge-Kutta 4.
double taylor_green_error(int n, const AdvectionOptions& options) {
  const double h = 2 * std::numbers::pi / n;
  Plane plane(n, h);
  const auto u = [](int axis, double x, double y) {
    return axis == 0 ? std::sin(x) * std::cos(y) : -std::cos(x) * std::sin(y);
  };
  const auto f0 = [](double x, double y) {
    const double cx = std::cos(x - 2) - 1, cy = std::cos(y - 1.5) - 1;
    return std::exp(-3 * (cx * cx + cy * cy)) + 0.3 * std::sin(x) * std::cos(2 * y);
  };
  plane.set_velocity(u);
  plane.set_field(f0);
  Advection advection(plane.volume, plane.cell);
  const int steps = static_cast<int>(std::ceil(1 / (0.8 * h)));
  for (int s = 0; s < steps; ++s) plane.advect(advection, 1.0 / steps, options, true);
  double sum = 0;
  const int stride = n / 32;
  int count = 0;
  for (int j = stride / 2; j < n; j += stride)
    for (int i = 0; i < n; ++i) {
      double x = plane.centre(i), y = plane.centre(j);
      constexpr int parts = 50;
      for (int k = 0; k < parts; ++k) {
        const double d = -1.0 / parts;
        const double ax = u(0, x, y), ay = u(1, x, y);
        const double bx = u(0, x + d / 2 * ax, y + d / 2 * ay), by = u(1, x + d / 2 * ax, y + d / 2 * ay);
        const double cx = u(0, x + d / 2 * bx, y + d / 2 * by), cy = u(1, x + d / 2 * bx, y + d / 2 * by);
        const double ex = u(0, x + d * cx, y + d * cy), ey = u(1, x + d * cx, y + d * cy);
        x += d / 6 * (ax + 2 * bx + 2 * cx + ex);
        y += d / 6 * (ay + 2 * by + 2 * cy + ey);
      }
      const double e = plane.value(i, j) - f0(x, y);
      sum += e * e;
      ++count;
    }
  return std::sqrt(sum / count);
}

struct Accuracy {
  const char* name;
  AdvectionOptions options;
  double order, error;  // between n = 128 and 256, and at 256 [method notes C, 6]
};

TEST(GasAdvection, OrdersInATaylorGreenFlowAreThoseOfTheNotes) {
  using enum AdvectionScheme;
  for (const Accuracy& expected : {Accuracy{"linear", {semi_lagrangian, Interpolation::linear}, 0.98, 2.7e-3},
                                   Accuracy{"clipped cubic", {semi_lagrangian, Interpolation::cubic}, 1.93, 6.3e-5},
                                   Accuracy{"MacCormack", {mac_cormack, Interpolation::linear, false}, 1.99, 1.15e-4},
                                   Accuracy{"BFECC", {bfecc, Interpolation::linear, false}, 1.98, 3.8e-5}}) {
    const double coarse = taylor_green_error(128, expected.options), fine = taylor_green_error(256, expected.options);
    EXPECT_NEAR(std::log2(coarse / fine), expected.order, 0.1) << expected.name;
    EXPECT_NEAR(fine, expected.error, 0.2 * expected.error) << expected.name;
  }
}

// A round blob of 3 voxels (standard deviation) goes 30 voxels down a uniform wind: L2 error relative to the blob.
double blob_error(double courant, const AdvectionOptions& options) {
  Plane plane(80, 1);
  plane.set_velocity([](int axis, double, double) { return axis == 0 ? 1.0 : 0.0; });
  const int steps = static_cast<int>(std::lround(30 / courant));
  const auto blob = [](double x, double y) { return std::exp(-(x * x + y * y) / 18); };
  plane.set_field([&](double x, double y) { return blob(x - 22, y - 30); });
  Advection advection(plane.volume, plane.cell);
  for (int s = 0; s < steps; ++s) plane.advect(advection, courant, options, false);
  double off = 0, all = 0;
  for (int y = 0; y < 80; ++y)
    for (int x = 0; x < 80; ++x) {
      const double exact = blob(plane.centre(x) - 22 - steps * courant, plane.centre(y) - 30);
      off += (plane.value(x, y) - exact) * (plane.value(x, y) - exact);
      all += exact * exact;
    }
  return std::sqrt(off / all);
}

// The default is the scheme that carries a blob best, over moves up to the default courant_number of 4 voxels.
TEST(GasAdvection, TheDefaultCarriesABlobBestAtEveryCourantNumber) {
  using enum AdvectionScheme;
  std::printf("blob after 30 voxels, L2 error at Courant numbers 0.5, 1.3, 2.5, 3.75:\n");
  struct Row {
    const char* name;
    AdvectionScheme scheme;
    double largest[4];
  };
  for (const Row& row :
       {Row{"semi_lagrangian", semi_lagrangian, {0.38, 0.19, 0.13, 0.07}},
        Row{"mac_cormack", mac_cormack, {0.17, 0.15, 0.14, 0.1}}, Row{"bfecc", bfecc, {0.09, 0.035, 0.03, 0.015}}}) {
    std::printf("  %-16s", row.name);
    for (int i = 0; i < 4; ++i) {
      const double courant = std::array{0.5, 1.3, 2.5, 3.75}[static_cast<std::size_t>(i)];
      const double error = blob_error(courant, {row.scheme});
      std::printf(" %6.2f %%", 100 * error);
      EXPECT_LT(error, row.largest[i]) << row.name << " " << courant;
      EXPECT_LE(blob_error(courant, {}), error) << row.name << " " << courant;
    }
    std::printf("\n");
  }
}

struct Turned {
  double error, mass, low;  // L1 error and mass relative to the disk's area; smallest value
};

// Zalesak's slotted disk of radius 15 in 100^2 cells, turned once.
Turned turn_zalesak(int steps, const AdvectionOptions& options) {
  Plane plane(100, 1);
  plane.set_velocity([](int axis, double x, double y) { return axis == 0 ? -(y - 50) : x - 50; });
  const auto disk = [](double x, double y) {
    double sum = 0;
    for (int k = 0; k < 16; ++k) {
      const double px = x + (k % 4 + 0.5) / 4 - 0.5, py = y + (k / 4 + 0.5) / 4 - 0.5;
      if (std::hypot(px - 50, py - 75) < 15 && !(std::abs(px - 50) < 2.5 && py < 85)) sum += 1.0 / 16;
    }
    return sum;
  };
  plane.set_field(disk);
  Advection advection(plane.volume, plane.cell);
  for (int s = 0; s < steps; ++s) plane.advect(advection, 2 * std::numbers::pi / steps, options, false);
  double area = 0, error = 0, mass = 0, low = 0;
  for (int y = -8; y < 112; ++y)  // with the tiles around, which diffusion reaches
    for (int x = -8; x < 112; ++x) {
      const double exact = disk(plane.centre(x), plane.centre(y)), now = plane.value(x, y);
      area += exact;
      error += std::abs(now - exact);
      mass += now;
      low = std::min(low, now);
    }
  return {error / area, mass / area, low};
}

struct ZalesakRow {
  const char* name;
  AdvectionOptions options;
  int steps;
  double error, mass;
};

TEST(GasAdvection, ZalesaksDiskTurnsAsInTheNotes) {
  using enum AdvectionScheme;
  for (const ZalesakRow& expected :
       {ZalesakRow{"linear", {semi_lagrangian, Interpolation::linear}, 628, 1.09, 1.002},
        ZalesakRow{"linear", {semi_lagrangian, Interpolation::linear}, 157, 0.76, 1.001},
        ZalesakRow{"cubic", {semi_lagrangian, Interpolation::cubic}, 628, 0.53, 1.000},
        ZalesakRow{"cubic", {semi_lagrangian, Interpolation::cubic}, 157, 0.29, 1.007},
        ZalesakRow{"MacCormack", {mac_cormack}, 628, 0.70, 1.040},
        ZalesakRow{"MacCormack", {mac_cormack}, 157, 0.55, 1.017}, ZalesakRow{"BFECC", {bfecc}, 628, 0.50, 1.029},
        ZalesakRow{"BFECC", {bfecc}, 157, 0.27, 1.009}}) {
    const Turned turned = turn_zalesak(expected.steps, expected.options);
    EXPECT_NEAR(turned.error, expected.error, 0.05 * expected.error) << expected.name << " " << expected.steps;
    EXPECT_NEAR(turned.mass, expected.mass, 0.005) << expected.name << " " << expected.steps;
    EXPECT_GE(turned.low, -1e-6) << expected.name << " " << expected.steps;
  }
}

}  // namespace
}  // namespace ymir
