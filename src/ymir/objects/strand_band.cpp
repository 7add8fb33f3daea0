#include "ymir/objects/strand_band.h"

#include <algorithm>
#include <cmath>

namespace ymir {
namespace {

using Real = StrandReal;

}  // namespace

std::int32_t StrandBand::slot(std::size_t row) const {
  const auto lane = static_cast<std::int32_t>(row % lanes);
  return 3 * lane * lane_nodes() + static_cast<std::int32_t>(row / lanes);
}

void StrandBand::visit_blocks(const MatrixPart::BlockVisitor& visit) const {
  const int n = lane_nodes();
  for (int lane = 0; lane < lanes; ++lane)
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n && 3 * i <= 3 * j + 2 + half_; ++i) {
        double values[9] = {};
        for (int k = 0; k < 9; ++k) {
          const int r = std::max(3 * i + k / 3, 3 * j + k % 3), c = std::min(3 * i + k / 3, 3 * j + k % 3);
          if (r < rows_ && r - c <= half_) values[k] = matrix_[c * (half_ + 1) + r - c][lane];
        }
        visit(lane * n + i, lane * n + j, values);
      }
}

// The vectors of doubles need not be aligned as lanes are.
void StrandBand::product(const double* x, double* y) const {
  const int column = half_ + 1;
  std::fill_n(y, rows_ * lanes, 0.0);
  for (int c = 0; c < rows_; ++c) {
    const Real* a = matrix_ + static_cast<std::ptrdiff_t>(c) * column;
    const Real xc = Real::load(x + c * lanes);
    Real sum = Real::load(y + c * lanes) + a[0] * xc;
    for (int k = 1; k < column && c + k < rows_; ++k) {
      sum = mul_add(a[k], Real::load(x + (c + k) * lanes), sum);
      mul_add(a[k], xc, Real::load(y + (c + k) * lanes)).store(y + (c + k) * lanes);
    }
    sum.store(y + c * lanes);
  }
}

std::size_t StrandBand::place(int r, int c, int lane) const {
  return static_cast<std::size_t>((std::min(r, c) * (half_ + 1) + std::abs(r - c)) * lanes + lane);
}

void StrandBand::hold(std::span<const std::size_t> held, StrandReal* copy) const {
  auto* values = reinterpret_cast<double*>(copy);
  for (const std::size_t row : held) {
    const int r = static_cast<int>(row) / lanes, lane = static_cast<int>(row) % lanes;
    for (int k = 1; k <= half_; ++k) values[(r * (half_ + 1) + k) * lanes + lane] = 0;
    for (int c = std::max(0, r - half_); c < r; ++c) values[place(r, c, lane)] = 0;
    values[place(r, r, lane)] = 1;
  }
  if (half_ == MultiplierLayout::half_bandwidth) yield_between(held, values);
}

// A multiplier whose edge is held at both ends has nothing left to act on. It gives way, to a stiffness that is far
// above that of its vertices: Newton's method still ends where the edge has its length.
void StrandBand::yield_between(std::span<const std::size_t> held, double* copy) const {
  constexpr double firmness = 1e6;
  const auto* before = reinterpret_cast<const double*>(matrix_);
  for (const std::size_t row : held) {
    const int r = static_cast<int>(row) / lanes, lane = static_cast<int>(row) % lanes;
    for (int m = std::max(0, r - half_); m <= std::min(rows_ - 1, r + half_); ++m) {
      if (m == r || before[place(m, m, lane)] != 0 || copy[place(m, m, lane)] != 0) continue;
      double acts = 0, stiffness = 0, slope = 0;
      for (int c = std::max(0, m - half_); c <= std::min(rows_ - 1, m + half_); ++c) {
        if (c == m) continue;
        acts += std::fabs(copy[place(m, c, lane)]);
        if (const double j = before[place(m, c, lane)]; j != 0) {
          slope += j * j;
          stiffness = std::max(stiffness, std::fabs(before[place(c, c, lane)]));
        }
      }
      if (acts == 0 && slope > 0) copy[place(m, m, lane)] = -slope / (firmness * stiffness);
    }
  }
}

}  // namespace ymir
