#include "ymir/solvers/poisson/coarsest.h"

namespace ymir::poisson {

void CoarsestSolver::factor(PoissonLevel& level) {
  const LevelArrays& a = level.arrays;
  places_.clear();
  std::vector<int> number(static_cast<std::size_t>(level.count()) * tile_cells, -1);
  for (int t = 0; t < level.count(); ++t)
    for (int i = 0; i < tile_cells; ++i)
      if (a.cells[t][static_cast<std::size_t>(i / 64)] >> i % 64 & 1) {
        const std::ptrdiff_t place = std::ptrdiff_t{t} * tile_cells + i;
        number[static_cast<std::size_t>(place)] = static_cast<int>(places_.size());
        places_.push_back(place);
      }
  const std::size_t n = places_.size();
  matrix_.assign(n * n, 0);
  work_.resize(n);
  for (std::size_t row = 0; row < n; ++row) {
    const int t = static_cast<int>(places_[row] / tile_cells), cell = static_cast<int>(places_[row] % tile_cells);
    matrix_[row * n + row] += static_cast<double>(a.d[places_[row]]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int stride = 1 << 3 * axis, index = cell / stride % 8;
      const int beside = index > 0 ? t : a.tiles[t].near[2 * axis];
      if (beside == level.volume.buckets().missing()) continue;
      const int other = number[static_cast<std::size_t>(beside) * tile_cells +
                               static_cast<std::size_t>(cell + (index > 0 ? -stride : 7 * stride))];
      const auto c = static_cast<double>(a.c[axis][places_[row]]);
      if (other < 0 || c == 0) continue;
      const auto column = static_cast<std::size_t>(other);
      matrix_[row * n + row] += c;
      matrix_[column * n + column] += c;
      matrix_[std::max(row, column) * n + std::min(row, column)] -= c;
    }
  }
  std::vector<double> scaled(n);
  for (std::size_t j = 0; j < n; ++j) {
    double* row = &matrix_[j * n];
    const double diagonal = row[j];
    double pivot = diagonal;
    for (std::size_t k = 0; k < j; ++k) {
      scaled[k] = row[k] * matrix_[k * n + k];  // row[k] is L D here
      pivot -= row[k] * scaled[k];
    }
    // Links are exact sums in double precision: a closed part leaves rounding only.
    row[j] = pivot > 1e-12 * diagonal ? 1 / pivot : 0;
    for (std::size_t i = j + 1; i < n; ++i) {
      double* below = &matrix_[i * n];
      for (std::size_t k = 0; k < j; ++k) below[j] -= below[k] * scaled[k];
    }
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < i; ++k) matrix_[i * n + k] *= matrix_[k * n + k];
}

void CoarsestSolver::solve(PoissonLevel& level) {
  const std::size_t n = places_.size();
  for (std::size_t i = 0; i < n; ++i) {
    double sum = static_cast<double>(level.arrays.b[places_[i]]);
    for (std::size_t k = 0; k < i; ++k) sum -= matrix_[i * n + k] * work_[k];
    work_[i] = sum;
  }
  for (std::size_t i = 0; i < n; ++i) work_[i] *= matrix_[i * n + i];
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = 0; k < i; ++k) work_[k] -= matrix_[i * n + k] * work_[i];
    level.arrays.x[places_[i]] = static_cast<float>(work_[i]);
  }
}

}  // namespace ymir::poisson
