// Pointers to structure-of-arrays data, the arguments of block kernels: element i of a vector is (x[i], y[i], z[i]).
// Block kernels run under `omp simd`: output planes must overlap neither each other nor the input planes.
#pragma once

#include "ymir/math/vec3.h"

namespace ymir {

struct Vec3Planes {
  double *x, *y, *z;
};

struct ConstVec3Planes {
  const double *x, *y, *z;

  YMIR_HD ConstVec3Planes(const double* x_, const double* y_, const double* z_) : x(x_), y(y_), z(z_) {}
  YMIR_HD ConstVec3Planes(Vec3Planes p) : x(p.x), y(p.y), z(p.z) {}
};

// Symmetric 3x3 matrices.
struct SymmetricPlanes {
  double *xx, *yy, *zz, *xy, *xz, *yz;
};

struct ConstSymmetricPlanes {
  const double *xx, *yy, *zz, *xy, *xz, *yz;

  YMIR_HD ConstSymmetricPlanes(const double* xx_, const double* yy_, const double* zz_, const double* xy_,
                               const double* xz_, const double* yz_)
      : xx(xx_), yy(yy_), zz(zz_), xy(xy_), xz(xz_), yz(yz_) {}
  YMIR_HD ConstSymmetricPlanes(SymmetricPlanes p) : xx(p.xx), yy(p.yy), zz(p.zz), xy(p.xy), xz(p.xz), yz(p.yz) {}
};

// Symmetric 3x3 matrix.
template <class T>
struct Symmetric3 {
  T xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

  YMIR_HD friend constexpr Vec3<T> operator*(const Symmetric3& a, Vec3<T> v) {
    return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
            a.xz * v.x + a.yz * v.y + a.zz * v.z};
  }
};

}  // namespace ymir
