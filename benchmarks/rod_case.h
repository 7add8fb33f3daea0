// The hair that the benchmarks of rods share: real hair, half of it wavy, half curly, under gravity, with its roots
// shaken. The shape of strand i does not depend on the number of strands.
#pragma once

#include <vector>

#include "ymir/actions/elastic_rod.h"

namespace ymir::bench {

struct RodCase {
  static constexpr int vertices = 32;     // of a strand, 20 cm long
  static constexpr double dt = 1.0 / 96;  // [s]

  RodCase(std::int64_t strands, Communicator& communicator);
  static Curves curves(std::int64_t strands);  // the groom
  static Vec3d shift(double time);             // of the roots [m]
  RodCase(const RodCase&) = delete;
  RodCase& operator=(const RodCase&) = delete;

  // Substep: begin() saves the state and places the roots, object.advance(step) solves, end() lets time pass.
  void begin();
  void end();
  // Roots of a group's strands, where the last begin() placed them.
  RootPose root_pose(int group) const;

  GridDomain domain;
  CurvesObject object;
  Step step;
  // Forces and constraints of the object once more, for those who drive StrandNewton by its parts; they have no state.
  std::vector<PointForce> forces;
  std::vector<std::unique_ptr<StrandConstraint>> constraints;

 private:
  std::vector<RootFrame> roots_;  // at rest
};

}  // namespace ymir::bench
