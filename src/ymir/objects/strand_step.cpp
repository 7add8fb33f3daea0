#include "ymir/objects/strand_step.h"

namespace ymir {

Embedding StrandStep::embedded(int lane, int edge, double u) const {
  const auto at = [lane](StrandReal* const planes[3], int i) {
    return Vec3d{planes[0][i][lane], planes[1][i][lane], planes[2][i][lane]};
  };
  const Vec3d a = at(position, edge), b = at(position, edge + 1), t = at(tangent, edge), m = at(m1, edge);
  Embedding p;
  p.position = a + (b - a) * u;
  p.frame[0] = t;
  p.frame[1] = m;
  p.frame[2] = cross(t, m);
  p.dofs = 7;
  const double inverse = inverse_length[edge][lane];
  for (int k = 0; k < 3; ++k) {
    Vec3d axis{0, 0, 0};
    axis[k] = 1;
    p.shift[k] = axis * (1 - u);
    p.shift[4 + k] = axis * u;
    p.turn[4 + k] = cross(t, axis) * inverse;
    p.turn[k] = -p.turn[4 + k];
  }
  p.shift[3] = {0, 0, 0};
  p.turn[3] = t;
  return p;
}

}  // namespace ymir
