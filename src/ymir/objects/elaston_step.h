// What Constraints see of the elastons of one plant during a substep: their centres, and what acts there.
#pragma once

#include <array>
#include <span>
#include <string>

#include "ymir/math/mat3.h"

namespace ymir {

struct ElastonCentres {
  double dt = 0;    // [s]
  double time = 0;  // at its end [s]
  int piece = 0;
  std::size_t first = 0;         // number of the first one in the object
  std::span<const Vec3d> begin;  // when the substep began [m]
  std::span<const Vec3d> now;    // Newton iterate [m]
  std::span<Vec3d> gradient;     // dE/dx, to be added to [N]
  std::span<Mat3d> stiffness;    // d2E/dx2, symmetric [N/m]
};

// An energy of the centres of elastons, each by itself.
class ElastonConstraint {
 public:
  virtual ~ElastonConstraint() = default;
  virtual std::string owner() const = 0;
  virtual std::string what() const = 0;
  // Once per substep, on one thread, before any plant.
  virtual void prepare(double /*begin*/, double /*end*/) {}
  virtual void assemble(const ElastonCentres& centres) = 0;
  virtual void end(const ElastonCentres& /*centres*/) {}
  // What survives the substep: saved, rolled back, checkpointed and hashed with the plants.
  virtual std::span<double> state() { return {}; }
  // Deepest centre inside a solid, as of the last substep [m].
  virtual double penetration() const { return 0; }
};

}  // namespace ymir
