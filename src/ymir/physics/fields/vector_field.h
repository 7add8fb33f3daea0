// A prescribed vector field u(x, t): wind, or a force per unit mass or volume. Plain data, evaluated for one point or
// for a block of points with equal results to the last bit. Sums of fields are the caller's.
#pragma once

#include <cstdint>

#include "ymir/physics/fields/curl_noise.h"
#include "ymir/physics/fields/vortex.h"
#include "ymir/physics/planes.h"

namespace ymir {

enum class FieldKind : std::uint8_t { uniform, vortex, curl_noise };

// Lengths in [m], times in [s]; values in the unit of what the field stands for ([m/s] for wind, [m/s^2] for a force
// per unit mass, [N/m^3] per unit volume).
struct VectorField {
  FieldKind kind = FieldKind::uniform;
  Vec3d uniform{0, 0, 0};
  Vortex vortex;
  CurlNoise curl_noise;
};

YMIR_HD inline Vec3d evaluate(const VectorField& field, Vec3d x, double t) {
  switch (field.kind) {
    case FieldKind::vortex: return evaluate(field.vortex, x);
    case FieldKind::curl_noise: return evaluate(field.curl_noise, x, t);
    case FieldKind::uniform: break;
  }
  return field.uniform;
}

inline void evaluate(const Vortex& vortex, int n, ConstVec3Planes x, Vec3Planes u) {
#pragma omp simd
  for (int i = 0; i < n; ++i) {
    const Vec3d value = evaluate(vortex, Vec3d(x.x[i], x.y[i], x.z[i]));
    u.x[i] = value.x, u.y[i] = value.y, u.z[i] = value.z;
  }
}

inline void evaluate(const CurlNoise& noise, int n, ConstVec3Planes x, double t, Vec3Planes u) {
  // Points are taken in runs that keep cells and fractions in the first-level cache; one node of all points of a run
  // at a time leaves the compiler a loop body small enough to vectorise.
  constexpr int run = 64;
  std::int32_t cx[run], cy[run], cz[run];
  double fx[run], fy[run], fz[run];
#pragma omp simd
  for (int i = 0; i < n; ++i) u.x[i] = u.y[i] = u.z[i] = 0;
  for (int k = 0; k < noise.octaves; ++k) {
    const curl_noise::Octave o = curl_noise::octave(noise, k, t);
    for (int begin = 0; begin < n; begin += run) {
      const int count = n - begin < run ? n - begin : run;
#pragma omp simd
      for (int i = 0; i < count; ++i) {
        curl_noise::split(x.x[begin + i] * o.inverse_length + o.shift.x, cx[i], fx[i]);
        curl_noise::split(x.y[begin + i] * o.inverse_length + o.shift.y, cy[i], fy[i]);
        curl_noise::split(x.z[begin + i] * o.inverse_length + o.shift.z, cz[i], fz[i]);
      }
      for (int corner = 0; corner < 8; ++corner) {
#pragma omp simd
        for (int i = 0; i < count; ++i) {
          const Vec3d value = curl_noise::node(o, corner, cx[i], cy[i], cz[i], Vec3d(fx[i], fy[i], fz[i])) * o.speed;
          u.x[begin + i] += value.x, u.y[begin + i] += value.y, u.z[begin + i] += value.z;
        }
      }
    }
  }
}

inline void evaluate(const VectorField& field, int n, const double* x, const double* y, const double* z, double t,
                     double* ux, double* uy, double* uz) {
  switch (field.kind) {
    case FieldKind::vortex: return evaluate(field.vortex, n, {x, y, z}, {ux, uy, uz});
    case FieldKind::curl_noise: return evaluate(field.curl_noise, n, {x, y, z}, t, {ux, uy, uz});
    case FieldKind::uniform: break;
  }
#pragma omp simd
  for (int i = 0; i < n; ++i) ux[i] = field.uniform.x, uy[i] = field.uniform.y, uz[i] = field.uniform.z;
}

}  // namespace ymir
