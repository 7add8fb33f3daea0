// A strand as a short vector, for comparing strands by root and shape.
#pragma once

#include <array>
#include <span>

#include "ymir/grooms/polyline.h"

namespace ymir {

inline constexpr std::size_t signature_points = 6;  // the root and five more to the tip
using StrandSignature = std::array<Vec3d, signature_points>;

inline StrandSignature signature_of(std::span<const Vec3d> points) {
  StrandSignature signature;
  const std::vector<Vec3d> samples = resampled(points, signature_points);
  for (std::size_t i = 0; i < signature_points; ++i) signature[i] = samples[i];
  return signature;
}

// Squared distance [m^2]; half of it is the root's, half the mean of the other points'.
inline double distance2(const StrandSignature& a, const StrandSignature& b) {
  double shape = 0;
  for (std::size_t i = 1; i < signature_points; ++i) shape += dot(a[i] - b[i], a[i] - b[i]);
  return 0.5 * dot(a[0] - b[0], a[0] - b[0]) + 0.5 * shape / static_cast<double>(signature_points - 1);
}

}  // namespace ymir
