// Forces that turn with the strand, as drag does, implicit in its direction. The derivative is all but antisymmetric: a
// vertex is pushed by where its neighbours are, and they are not pushed back. So the matrix is factored as it is.
#include "ymir/objects/strand_newton.h"

namespace ymir {
namespace {

using Real = StrandReal;

Real* entry(Real* lower, Real* upper, int row, int column_index, int column) {
  return row >= column_index ? lower + column_index * column + (row - column_index)
                             : upper + row * column + (column_index - row);
}

}  // namespace

// The neighbours that give a vertex its direction; at an end the vertex itself is one of them.
StrandNewton::Span StrandNewton::span(int i) const {
  Span s;
  s.exists = (Real::all(i) >= 1.0) & (Real::all(i) < count_) & (count_ > 2.0);
  s.from_self = i <= 1;
  s.to_self = !(Real::all(i) < count_ - 1.0);
  const int before = s.from_self ? i : i - 1, after = i + 1 < step_.vertices ? i + 1 : i;
  for (int k = 0; k < 3; ++k) {
    const Real* x = step_.position[k];
    s.e[k] = select(s.exists, select(s.to_self, x[i], x[after]) - x[before], k == 0 ? Real::all(1) : Real::all(0));
  }
  const Real length = sqrt(dot(s.e, s.e));
  const auto usable = length > step_.mean_length * 1e-12;
  s.inverse = select(usable, 1.0 / select(usable, length, 1.0), 0.0);
  return s;
}

void StrandNewton::find_tangents() {
  const int n = step_.vertices;
  for (int i = 0; i < n; ++i) {
    const Span s = span(i);
    const auto usable = s.inverse > 0.0;
    for (int k = 0; k < 3; ++k)
      vertex_tangent_[k * n + i] = select(usable, s.e[k] * s.inverse, k == 0 ? Real::all(1) : Real::all(0));
    Real length = Real::all(0);
    if (i > 1) length += step_.rest_length[i - 1];
    length += select(s.to_self, Real::all(0), step_.rest_length[i]);
    vertex_length_[i] = select(s.exists, length * 0.5, 0.0);
  }
}

// Residual -f: by the vertex after, -df/dt (I - t t')/|e|; by the one before, the opposite.
void StrandNewton::add_turning() {
  StrandStep& s = step_;
  const int n = s.vertices, half = s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth,
            column = half + 1;
  std::copy_n(s.matrix, (rows() + half) * column, upper_);
  // Without geometric stiffness the matrix must be definite, whatever the wind.
  const Real share =
      select(s.beta > 0.0, s.curvature == StrandStep::Curvature::none ? Real::all(0) : Real::all(1), 0.0);
  for (int i = 1; i < n; ++i) {
    const Span at = span(i);
    const Vec3<Real> t{vertex_tangent_[i], vertex_tangent_[n + i], vertex_tangent_[2 * n + i]};
    const Real scale = select(at.exists, at.inverse * share, 0.0);
    for (int a = 0; a < 3; ++a) {
      Vec3<Real> row_of{by_tangent_[(3 * a) * n + i], by_tangent_[(3 * a + 1) * n + i],
                        by_tangent_[(3 * a + 2) * n + i]};
      row_of = (row_of - t * dot(row_of, t)) * scale;
      const int r = row(i, a);
      for (int b = 0; b < 3; ++b) {
        *entry(s.matrix, upper_, r, row(at.from_self ? i : i - 1, b), column) += row_of[b];
        if (i + 1 < n)
          *entry(s.matrix, upper_, r, row(i + 1, b), column) -= select(at.to_self, Real::all(0), row_of[b]);
        *entry(s.matrix, upper_, r, row(i, b), column) -= select(at.to_self, row_of[b], 0.0);
      }
    }
  }
}

}  // namespace ymir
