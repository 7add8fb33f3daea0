// Where new points come from. Point i is born at start + (i + 1/2) / rate, wherever the substeps lie, and everything
// about it follows from (seed, i): results do not depend on substeps, threads or ranks.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "ymir/data/meshes.h"

namespace ymir {

enum class SourceShape : std::uint8_t { box, sphere, surface };

class PointSource {
 public:
  struct Description {
    SourceShape shape = SourceShape::box;
    Vec3d center;                                           // [m]
    Vec3d size{1, 1, 1};                                    // edges of the box [m]
    double radius = 0.5;                                    // of the sphere [m]
    double rate = 1000;                                     // [1/s]
    double start = 0;                                       // [s]
    double stop = std::numeric_limits<double>::infinity();  // [s]
    std::int64_t limit = std::numeric_limits<std::int64_t>::max();
    Vec3d velocity;     // [m/s]
    double spread = 0;  // radius of the ball of random velocities added [m/s]
    std::uint64_t seed = 1;
  };

  // `surface` is used by SourceShape::surface only: points appear on it, evenly by area.
  PointSource(const Description& description, const Surface* surface);

  // Points born up to `time` since the beginning.
  std::int64_t born_until(double time) const;
  double birth_time(std::int64_t i) const;

  struct Birth {
    Vec3d position;
    Vec3d velocity;
    double chance;  // one more uniform number in [0, 1), for properties that vary
  };
  Birth birth(std::int64_t i) const;

 private:
  Description description_;
  std::vector<std::array<Vec3d, 3>> triangles_;
  std::vector<double> cumulative_area_;  // [m^2]
};

}  // namespace ymir
