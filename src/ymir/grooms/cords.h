// Cords and rods of simple shape: strands that no groom is needed for.
#pragma once

#include <cstdint>

#include "ymir/data/meshes.h"

namespace ymir {

// A coil about the line from `origin` along `direction`. Its radius grows from 0 and shrinks to 0 over one turn where
// it goes over into a straight lead, so that the cord has no corner there.
struct HelixParams {
  double radius = 0.008;              // from the axis to the middle of the strand [m]
  double pitch = 0.006;               // along the axis, per turn [m]
  double turns = 20;                  // greater than 0
  std::int64_t points_per_turn = 16;  // at least 3
  Vec3d origin{0, 0, 0};              // where the axis begins, the root's end [m]
  Vec3d direction{0, -1, 0};          // along the axis; any length but 0
  double straight_lead = 0;           // length of a straight part at either end [m]
};
Curves helix_curve(const HelixParams& params);

// `count` straight strands side by side, each `spacing` from the one before.
struct LineParams {
  Vec3d from{0, 0, 0};         // root of the first [m]
  Vec3d to{0, -0.1, 0};        // its tip [m]
  std::int64_t vertices = 32;  // per strand, at least 2
  std::int64_t count = 1;
  Vec3d spacing{0.01, 0, 0};  // [m]
};
Curves line_curves(const LineParams& params);

}  // namespace ymir
