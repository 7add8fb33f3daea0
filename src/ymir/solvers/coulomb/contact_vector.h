// Vectors and 3x3 blocks of the solvers of Coulomb problems: three values in four lanes, the last one zero, so that a
// block by a vector is three fused multiply-adds.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "ymir/math/mat3.h"
#include "ymir/math/simd.h"

namespace ymir::coulomb {

using Lane = Lanes<double, 4>;
using Vector = std::vector<Lane>;  // one per contact

inline Lane lane(Vec3d v) {
  Lane a = Lane::all(0);
  a.v[0] = Lane::Native{v.x, v.y, v.z, 0};
  return a;
}
inline Vec3d vec3(const Lane& a) { return {a[0], a[1], a[2]}; }

struct Block {
  Lane column[3];
};
inline Block block(const Mat3d& a) { return {{lane(a.column[0]), lane(a.column[1]), lane(a.column[2])}}; }
inline Mat3d mat3(const Block& a) { return {vec3(a.column[0]), vec3(a.column[1]), vec3(a.column[2])}; }
inline Block zero_block() { return {{Lane::all(0), Lane::all(0), Lane::all(0)}}; }

// sum + a x
inline Lane multiply_add(const Block& a, const Lane& x, Lane sum) {
  sum = mul_add(a.column[0], Lane::all(x[0]), sum);
  sum = mul_add(a.column[1], Lane::all(x[1]), sum);
  return mul_add(a.column[2], Lane::all(x[2]), sum);
}
inline Block operator*(const Block& a, const Block& b) {
  Block c;
  for (int j = 0; j < 3; ++j) c.column[j] = multiply_add(a, b.column[j], Lane::all(0));
  return c;
}
inline Block operator-(const Block& a) { return {{-a.column[0], -a.column[1], -a.column[2]}}; }

// Sums in a fixed order.
inline double sum(const Lane& a) { return (a[0] + a[1]) + a[2]; }
inline double dot(const Vector& a, const Vector& b) {
  Lane s = Lane::all(0);
  for (std::size_t i = 0; i < a.size(); ++i) s = mul_add(a[i], b[i], s);
  return sum(s);
}
inline double norm(const Vector& a) { return std::sqrt(dot(a, a)); }
// a + k b
inline void add(const Vector& a, double k, const Vector& b, Vector& to) {
  const Lane factor = Lane::all(k);
  for (std::size_t i = 0; i < a.size(); ++i) to[i] = mul_add(factor, b[i], a[i]);
}
inline void clear(Vector& a) {
  for (Lane& x : a) x = Lane::all(0);
}

}  // namespace ymir::coulomb
