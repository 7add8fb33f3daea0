// Mass, centre and second moments of the solid that a closed triangle mesh bounds. [Blow2004]
//
//   tetrahedra (o, a, b, c) of every triangle, A = (a b c) about a point o of the mesh, d = det A
//   m = rho sum d/6,  m (x_c - o) = rho sum d/24 (a + b + c),  Cov = rho sum d A C0 A' - m (x_c - o)(x_c - o)'
//   C0 = (1 + delta_ij)/120,   I = tr(Cov) 1 - Cov
//
// Triangles run counter-clockwise seen from outside: a mass that is not positive tells of a flipped or open mesh.
#pragma once

#include <span>

#include "ymir/math/symmetric_eigen3.h"

namespace ymir {

struct MassProperties {
  double mass = 0;   // [kg]
  Vec3d centre;      // [m]
  Mat3d covariance;  // about the centre [kg m^2]
};

inline MassProperties mass_properties(std::span<const Vec3d> x, std::span<const Vec3i> triangles, double density) {
  MassProperties p;
  if (x.empty()) return p;
  // Of the mesh rather than of space: far from the origin the moments would cancel.
  const Vec3d origin = x[0];
  for (const Vec3i& t : triangles) {
    const Vec3d corner[3] = {x[static_cast<std::size_t>(t.x)] - origin, x[static_cast<std::size_t>(t.y)] - origin,
                             x[static_cast<std::size_t>(t.z)] - origin};
    const Vec3d sum = corner[0] + corner[1] + corner[2];
    const double d = density * dot(corner[0], cross(corner[1], corner[2]));
    p.mass += d / 6;
    p.centre += sum * (d / 24);
    // A (1 1')A' = sum sum', A A' = sum of a a'
    p.covariance += outer(sum, sum * (d / 120));
    for (const Vec3d& a : corner) p.covariance += outer(a, a * (d / 120));
  }
  if (p.mass == 0) return p;
  p.centre = p.centre / p.mass;
  p.covariance -= outer(p.centre, p.centre * p.mass);
  p.centre += origin;
  return p;
}

YMIR_HD inline Mat3d inertia_tensor(const Mat3d& covariance) { return identity3() * trace(covariance) - covariance; }

// In the axes `axes` (columns, a rotation): covariance diag(spread), inertia diag(moments), falling.
struct PrincipalInertia {
  Mat3d axes;
  Vec3d spread, moments;  // [kg m^2]
};

YMIR_HD inline PrincipalInertia principal_inertia(const Mat3d& covariance) {
  SymmetricEigen3<double> e = symmetric_eigen3(covariance);
  // Swapped columns change sign, so that the determinant stays 1.
  const auto order = [&](int low, int high) {
    if (e.values[low] <= e.values[high]) return;
    const double value = e.values[low];
    e.values[low] = e.values[high], e.values[high] = value;
    const Vec3d column = e.vectors.column[low];
    e.vectors.column[low] = e.vectors.column[high], e.vectors.column[high] = -column;
  };
  order(0, 1), order(1, 2), order(0, 1);
  return {e.vectors, e.values, {e.values.y + e.values.z, e.values.x + e.values.z, e.values.x + e.values.y}};
}

}  // namespace ymir
