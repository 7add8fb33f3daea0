// Polylines by arc length.
#pragma once

#include <span>
#include <vector>

#include "ymir/data/meshes.h"

namespace ymir {

inline std::span<const Vec3d> points_of(const Curves& curves, std::size_t strand) {
  const auto begin = static_cast<std::size_t>(curves.first[strand]);
  return {curves.positions.data() + begin, static_cast<std::size_t>(curves.first[strand + 1]) - begin};
}

double polyline_length(std::span<const Vec3d> points);
// The first `length` [m] of the line.
std::vector<Vec3d> trimmed(std::span<const Vec3d> points, double length);
// `count` >= 2 points at equal distances along the line; the ends stay. Chords are shorter than the arcs they cut, the
// more so the coarser, and equal only where the line bends evenly.
std::vector<Vec3d> resampled(std::span<const Vec3d> points, std::size_t count);

// Vector `v` carried along from unit tangent `from` to unit tangent `to` by the smallest rotation; opposite tangents
// leave it as it is.
inline Vec3d transported(Vec3d v, Vec3d from, Vec3d to) {
  const Vec3d axis = cross(from, to);
  const double c = dot(from, to);
  if (!(1 + c > 1e-12)) return v;
  return v * c + cross(axis, v) + axis * (dot(axis, v) / (1 + c));
}
// A unit vector perpendicular to the unit vector t.
inline Vec3d any_perpendicular(Vec3d t) {
  const Vec3d helper = std::abs(t.x) < 0.6 ? Vec3d(1, 0, 0) : Vec3d(0, 1, 0);
  return normalized(cross(t, helper), Vec3d(0, 0, 1));
}

}  // namespace ymir
