// Second derivative of an isotropic energy psi(s1, s2, s3) in the frame of F = U diag(s) V'. [Smith2019]
//
// Nine modes U D V', {i, j, k} cyclic, psi_i = dpsi/ds_i:
//   twist k  D = (e_i e_j' - e_j e_i')/sqrt 2    (psi_i + psi_j)/(s_i + s_j)
//   flip k   D = (e_i e_j' + e_j e_i')/sqrt 2    (psi_i - psi_j)/(s_i - s_j)
//   scale    D diagonal                          3x3 matrix d2psi/ds_i ds_j
// so that in that frame entry (i, j) of dF meets (j, i) and diagonal entries meet each other, nothing else.
#pragma once

#include "ymir/math/svd3.h"
#include "ymir/math/symmetric_eigen3.h"
#include "ymir/physics/hyperelastic/tangent.h"

namespace ymir {

template <class T>
struct IsotropicModes {
  Mat3<T> scale;
  Vec3<T> twist, flip;
};

// Nearest positive semidefinite one: negative eigenvalues become 0.
template <class T>
YMIR_HD IsotropicModes<T> clamped(const IsotropicModes<T>& modes) {
  const T zero = T{} + 0.0;
  const auto positive = [&](const Vec3<T>& v) { return Vec3<T>{max(v.x, zero), max(v.y, zero), max(v.z, zero)}; };
  const SymmetricEigen3<T> e = symmetric_eigen3(modes.scale);
  const Vec3<T> w = positive(e.values);
  const Mat3<T>& q = e.vectors;
  return {Mat3<T>{q.column[0] * w.x, q.column[1] * w.y, q.column[2] * w.z} * transposed(q), positive(modes.twist),
          positive(modes.flip)};
}

template <class T>
struct IsotropicTangent {
  Mat3<T> u, v, scale;
  Vec3<T> same, crossed;  // (i, j) with itself, and with (j, i); by k

  YMIR_HD IsotropicTangent(const Svd3<T>& d, const IsotropicModes<T>& modes)
      : u(d.u),
        v(d.v),
        scale(modes.scale),
        same((modes.flip + modes.twist) * (T{} + 0.5)),
        crossed((modes.flip - modes.twist) * (T{} + 0.5)) {}

  YMIR_HD Vec3<T> at(const Vec3<T>& g) const { return {dot(v.column[0], g), dot(v.column[1], g), dot(v.column[2], g)}; }

  YMIR_HD Mat3<T> block(const Vec3<T>& a, const Vec3<T>& b) const {
    const T xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z, xy = a.x * b.y, yx = a.y * b.x, yz = a.y * b.z,
            zy = a.z * b.y, zx = a.z * b.x, xz = a.x * b.z;
    const Mat3<T> k{{scale(0, 0) * xx + same.z * yy + same.y * zz, scale(1, 0) * yx + crossed.z * xy,
                     scale(2, 0) * zx + crossed.y * xz},
                    {scale(1, 0) * xy + crossed.z * yx, scale(1, 1) * yy + same.z * xx + same.x * zz,
                     scale(2, 1) * zy + crossed.x * yz},
                    {scale(2, 0) * xz + crossed.y * zx, scale(2, 1) * yz + crossed.x * zy,
                     scale(2, 2) * zz + same.y * xx + same.x * yy}};
    return u * k * transposed(u);
  }
};

// A material whose modes(s, p) are known in closed form.
template <class Material>
struct IsotropicHyperelastic : Hyperelastic<Material> {
  template <class T, class Parameters>
  YMIR_HD static IsotropicTangent<T> projected_tangent(const Mat3<T>& f, const Parameters& p) {
    const Svd3<T> d = svd3(f);
    return {d, clamped(Material::modes(d.s, p))};
  }
};

}  // namespace ymir
