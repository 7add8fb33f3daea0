// Gas that bodies carry along, on a grid that may be coarser or finer than they are. [method notes C, light bodies]
//
//   virtual mass a: a body of volume V moves the gas between its neighbours as if a V of it belonged to it
//     sphere    a = (1 - S)/(2 + S)     alone in gas (S = 0) 1/2; conductance of a suspension (1 - S)/(1 + S/2)
//     [Maxwell] cylinder  a = (1 - S)/(1 + S)     across its axis; nothing along it
//
//   S the share of room that bodies take around the body, as the grid's weights W see it. What of it is the body's own
//   is known beforehand: the grid resolves the flow around a body of share S_self already, and S_self is such that both
//   together make exactly 1/2 (spheres).
//
//   Weights: trilinear for bodies below the voxel h, otherwise a ball that is smooth at its rim,
//     W ~ smoothstep((Rk + h - r)/(2 h)),   Rk = max(1.3 R, 1.25 h) (spheres), max(1.7 R, 1.25 h) (cylinders)
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "ymir/math/vec3.h"

namespace ymir::added_mass {

// Radii in voxels from which bodies are balls.
constexpr double smallest_ball = 0.3, smallest_rod = 0.1;
// Radius in voxels beyond which weights would fill memory.
constexpr double largest_radius = 16;
// Radius of the ball that spreads a force as wide as trilinear weights do on average, in voxels: sum W^2 = (2/3)^3.
constexpr double trilinear_radius = 0.93;

constexpr double of_sphere(double share) { return (1 - share) / (2 + share); }
constexpr double of_cylinder(double share) { return (1 - share) / (1 + share); }

// Rk [voxels] of a body of radius R [voxels]; 0: trilinear, also for those that are too large.
inline double kernel_radius(double radius, bool cylinder) {
  if (radius < (cylinder ? smallest_rod : smallest_ball) || radius > largest_radius) return 0;
  return std::max((cylinder ? 1.7 : 1.3) * radius, 1.25);
}

// Of a face at distance r, all in voxels; weights are then scaled to the sum 1.
inline double ball_weight(double kernel_radius, double r) {
  const double t = std::clamp(0.5 * (kernel_radius + 1 - r), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// S_self of a sphere with the weights of a ball; R in voxels. From added masses of 1/2 measured on the grid.
inline double own_share_of_ball(double radius) {
  struct Entry {
    double radius, share;
  };
  constexpr std::array<Entry, 14> table{{{0.2, 0.00152},
                                         {0.3, 0.00512},
                                         {0.5, 0.02386},
                                         {0.7, 0.06637},
                                         {0.85, 0.12096},
                                         {1, 0.18660},
                                         {1.25, 0.23421},
                                         {1.5, 0.27200},
                                         {2, 0.32100},
                                         {2.5, 0.35176},
                                         {3, 0.37255},
                                         {4, 0.39660},
                                         {6, 0.41917},
                                         {8, 0.42931}}};
  const Entry last = table.back();
  if (radius >= last.radius) {  // the rim's part shrinks as 1/R
    constexpr double all = 1 / (1.3 * 1.3 * 1.3);
    return all - (all - last.share) * last.radius / radius;
  }
  std::size_t i = 1;
  while (i + 1 < table.size() && radius > table[i].radius) ++i;
  const Entry low = table[i - 1], high = table[i];
  const double t = std::clamp((radius - low.radius) / (high.radius - low.radius), 0.0, 1.0);
  if (radius >= 1) return low.share + t * (high.share - low.share);
  // Below a voxel the kernel stays as it is, and the share goes with the volume.
  const auto cube = [](double r) { return r * r * r; };
  return cube(radius) * ((1 - t) * low.share / cube(low.radius) + t * high.share / cube(high.radius));
}

// S_self of a body with trilinear weights on the faces of one component: `offset` is its place from the face below it,
// each in [0, 1) voxels, share V/h^3. Pi is what the pressure gives back of a force on one face, there and on faces
// beside it.
inline double own_share_of_trilinear(Vec3d offset, int axis, double share) {
  constexpr double pi[2][3] = {{1.0 / 3, 0.06175, 0.02323}, {-0.12349, -0.01161, 0}};  // [along][across]
  const auto pair = [&](int a, int apart) {
    const double t = offset[a];
    return apart == 0 ? (1 - t) * (1 - t) + t * t : 2 * t * (1 - t);
  };
  const int second = (axis + 1) % 3, third = (axis + 2) % 3;
  double sum = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 2; ++k) sum += pi[i][j + k] * pair(axis, i) * pair(second, j) * pair(third, k);
  return 3 * share * sum;
}

}  // namespace ymir::added_mass
