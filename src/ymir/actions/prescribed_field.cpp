#include "ymir/actions/prescribed_field.h"

#include <algorithm>

namespace ymir {

void PrescribedField::sample(int n, ConstVec3Planes x, double t, Vec3Planes out) const {
  std::fill_n(out.x, n, 0.0);
  std::fill_n(out.y, n, 0.0);
  std::fill_n(out.z, n, 0.0);
  constexpr int run = 256;  // a run of all six planes stays in the first-level cache
  double px[run], py[run], pz[run];
  for (const VectorField& field : analytic_)
    for (int begin = 0; begin < n; begin += run) {
      const int count = std::min(run, n - begin);
      evaluate(field, count, x.x + begin, x.y + begin, x.z + begin, t, px, py, pz);
#pragma omp simd
      for (int i = 0; i < count; ++i) {
        out.x[begin + i] += px[i];
        out.y[begin + i] += py[i];
        out.z[begin + i] += pz[i];
      }
    }
  for (const auto& volume : volumes_)
    for (int i = 0; i < n; ++i) {
      const Vec3d u = volume->sample({x.x[i], x.y[i], x.z[i]});
      out.x[i] += u.x;
      out.y[i] += u.y;
      out.z[i] += u.z;
    }
}

}  // namespace ymir
