// What Constraints see of the points of one super-helix during a substep, and what acts there.
#pragma once

#include <span>
#include <string>

#include "ymir/math/mat3.h"

namespace ymir {

struct HelixPoints {
  double dt = 0;                 // [s]
  int group = 0, lane = 0;       // of the strand
  std::span<const Vec3d> begin;  // when the substep began [m]
  std::span<const Vec3d> now;    // Newton iterate [m]
  std::span<const double> mass;  // [kg]
  std::span<Vec3d> gradient;     // dE/dx, to be added to [N]
  std::span<Mat3d> stiffness;    // d2E/dx2, symmetric [N/m]
};

// An energy of the points of strands, each by itself.
class HelixConstraint {
 public:
  virtual ~HelixConstraint() = default;
  virtual std::string owner() const = 0;
  virtual std::string what() const = 0;
  // Once per substep, on one thread, before any strand.
  virtual void prepare(double /*begin*/, double /*end*/) {}
  virtual void assemble(const HelixPoints& points) = 0;
  // Deepest point inside a solid, as of the last substep [m].
  virtual double penetration() const { return 0; }
};

}  // namespace ymir
