// Liquid in a tank with walls it may leave, two dimensions: one layer of cells. [method notes C, 5, V13]
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ymir/data/volume_accessor.h"
#include "ymir/solvers/pc_lcp.h"

namespace ymir::lcp {

enum class Case { still, slosh, ceiling };

struct Tank {
  // Collective.
  Tank(Case which, int n_, Communicator& communicator = Communicator::world())
      : n(n_), domain(8.0 / n_, 1, communicator), volume(domain) {
    std::vector<BucketKey> keys;
    for (int j = 0; communicator.root() && j <= n / 8; ++j)
      for (int i = 0; i <= n / 8; ++i)
        for (int k = 0; k < 2; ++k) keys.push_back(key_of({i, j, k, 0}));
    std::sort(keys.begin(), keys.end());
    domain.rebalance(keys, std::vector<double>(keys.size(), 1.0));
    volume.set_buckets(keys);
    coefficient = volume.add_channel<float>("c", {.sampling = Sampling::face});
    cell = volume.add_channel<std::uint8_t>("cell");
    bounded = volume.add_channel<std::uint8_t>("bounded");
    b = volume.add_channel<double>("b");
    x = volume.add_channel<double>("x");
    const auto inside = [&](Vec3i v) { return v.x >= 0 && v.y >= 0 && v.x < n && v.y < n && v.z == 0; };
    const auto liquid = [=](Vec3i v) {
      const double px = (v.x + 0.5) / n_, py = (v.y + 0.5) / n_;
      return inside(v) && (which == Case::ceiling ? py > 0.55 || px < 0.3 : py < 0.6);
    };
    fill(volume, cell, [&](int, Vec3i v, int) -> std::uint8_t { return liquid(v); });
    fill(volume, bounded, [&](int, Vec3i v, int) -> std::uint8_t {
      return inside(v) && (v.x == 0 || v.y == 0 || v.x == n - 1 || v.y == n - 1);
    });
    fill(volume, coefficient, [&](int, Vec3i v, int axis) {
      Vec3i low = v;
      --low[axis];
      return inside(v) && inside(low) && (liquid(v) || liquid(low)) ? 1.f : 0.f;
    });
    // Velocity before: gravity for dt, and the liquid moving to the right; 0 on walls. In units where w = A p + div.
    const double dt = 0.02, speed = which == Case::still ? 0.02 : which == Case::slosh ? 0.1 : 0;
    const auto u = [=](int i) { return i > 0 && i < n_ ? speed : 0; };
    const auto w = [=](int j) { return j > 0 && j < n_ ? -9.81 * dt : 0; };
    fill(volume, b,
         [&](int, Vec3i v, int) { return liquid(v) ? -(u(v.x + 1) - u(v.x) + w(v.y + 1) - w(v.y)) / n / dt : 0; });
  }
  LcpReport solve(double tolerance, PressureMethod method = PressureMethod::automatic, int max_iterations = 200) {
    PressureSolver solver(volume, method);
    PcLcp lcp(volume, solver);
    return lcp.solve(coefficient, cell, bounded, b, x, {.tolerance = tolerance, .max_iterations = max_iterations});
  }

  // Conditions of the problem, cell by cell, without the solver's help: the largest error over the largest |x|. On one
  // rank.
  double worst_error() const {
    const VolumeView<double> values(volume, x), right(volume, b);
    const VolumeView<std::uint8_t> cells(volume, cell), bounds(volume, bounded);
    double largest = 0, worst = 0;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const Vec3i v{i, j, 0};
        if (cells.value(0, v) == 0) continue;
        const double value = values.value(0, v);
        double diagonal = 0, rest = -right.value(0, v);
        for (int axis = 0; axis < 2; ++axis)
          for (int side = 0; side < 2; ++side) {
            Vec3i face = v, beside = v;
            face[axis] += side;
            beside[axis] += 2 * side - 1;
            const auto c = static_cast<double>(VolumeView<float>(volume, coefficient, axis).value(0, face));
            diagonal += c;
            rest += c * (value - values.value(0, beside));
          }
        const double error = bounds.value(0, v) != 0 ? std::min(value, rest / diagonal) : rest / diagonal;
        worst = std::max(worst, std::abs(error));
        largest = std::max(largest, std::abs(value));
      }
    return largest > 0 ? worst / largest : std::numeric_limits<double>::infinity();
  }

  int n;
  GridDomain domain;
  DiscreteVolume volume;
  ChannelId<float> coefficient;
  ChannelId<std::uint8_t> cell, bounded;
  ChannelId<double> b, x;
};

}  // namespace ymir::lcp
