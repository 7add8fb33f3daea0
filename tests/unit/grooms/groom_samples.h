// Small grooms and motions for the tests of this folder.
#pragma once

#include <cmath>

#include "ymir/grooms/generate.h"
#include "ymir/grooms/head.h"

namespace ymir {

inline const Scalp& head_scalp() {
  static const Scalp scalp(head_mesh(), {}, "head");
  return scalp;
}

inline GroomParams small_params(Hairstyle style, std::int64_t strands = 120) {
  GroomParams params = default_params(style);
  params.strands = strands;
  return params;
}

// Rotation about (1, 2, 3) by 2 rad and a shift.
inline Vec3d rigidly_moved(Vec3d x) {
  const Vec3d axis = normalized(Vec3d(1, 2, 3));
  const double c = std::cos(2.0), s = std::sin(2.0);
  return x * c + cross(axis, x) * s + axis * (dot(axis, x) * (1 - c)) + Vec3d(0.3, -1.2, 0.7);
}

inline Curves rigidly_moved(Curves curves) {
  for (Vec3d& p : curves.positions) p = rigidly_moved(p);
  return curves;
}

inline Curves curves_from(const std::vector<std::vector<Vec3d>>& strands) {
  Curves curves;
  for (const auto& strand : strands) {
    curves.positions.insert(curves.positions.end(), strand.begin(), strand.end());
    curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
  }
  curves.vertices.resize(curves.positions.size());
  curves.edges.resize(curves.edge_count());
  curves.strands.resize(curves.strand_count());
  return curves;
}

}  // namespace ymir
