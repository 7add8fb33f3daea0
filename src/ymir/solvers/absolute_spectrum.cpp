#include "ymir/solvers/absolute_spectrum.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace ymir {

bool take_absolute_spectrum(int n, int stride, const double* a, double* g) {
  constexpr int most = 48;
  constexpr double floor = 0.05;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most, most>;
  Matrix whole(n, n), more(n, n);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c <= r; ++c) {
      whole(r, c) = whole(c, r) = a[r * stride + c];
      more(r, c) = more(c, r) = g[r * stride + c];
    }
  const Eigen::LLT<Matrix> cholesky(whole);
  if (cholesky.info() != Eigen::Success) return false;
  const auto lower = cholesky.matrixL();
  Matrix b = lower.solve(more);
  b = lower.solve(Matrix(b.transpose()));
  const Eigen::SelfAdjointEigenSolver<Matrix> spectrum(b);
  if (spectrum.info() != Eigen::Success) return false;
  Matrix v = lower * spectrum.eigenvectors();
  Matrix scaled = v;
  for (int k = 0; k < n; ++k) scaled.col(k) *= std::max(std::fabs(1 + spectrum.eigenvalues()[k]), floor) - 1;
  more.noalias() = scaled * v.transpose();
  for (int r = 0; r < n; ++r)
    for (int c = 0; c <= r; ++c) g[r * stride + c] = 0.5 * (more(r, c) + more(c, r));
  return true;
}

}  // namespace ymir
