#include "ymir/solvers/elastic_amg/diagonal_blocks.h"

#include <algorithm>
#include <cmath>

namespace ymir::elastic_amg {
namespace {

// Inverse of a symmetric matrix by its Cholesky factor, both by columns.
template <int N>
bool invert(const float* a, float* inverse) {
  double l[N][N] = {};
  for (int i = 0; i < N; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0.5 * (static_cast<double>(a[N * j + i]) + static_cast<double>(a[N * i + j]));
      for (int k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      if (i == j && !(sum > 0)) return false;
      l[i][j] = i == j ? std::sqrt(sum) : sum / l[j][j];
    }
  for (int c = 0; c < N; ++c) {
    double v[N] = {};
    for (int i = c; i < N; ++i) {
      v[i] = i == c ? 1 : 0;
      for (int k = c; k < i; ++k) v[i] -= l[i][k] * v[k];
      v[i] /= l[i][i];
    }
    for (int i = N - 1; i >= 0; --i) {
      for (int k = i + 1; k < N; ++k) v[i] -= l[k][i] * v[k];
      v[i] /= l[i][i];
      inverse[N * c + i] = static_cast<float>(v[i]);
    }
  }
  return true;
}

// A number in [-1, 1) from a counter. [Steele, Lea, Flood 2014, their mixing function]
float scattered(std::uint64_t n) {
  n += 0x9e3779b97f4a7c15u;
  n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
  n = (n ^ (n >> 27)) * 0x94d049bb133111ebu;
  n ^= n >> 31;
  return static_cast<float>(static_cast<double>(n >> 11) * 0x1p-52 - 1);
}

// Largest eigenvalue of a symmetric tridiagonal matrix, by bisection on the signs of its pivots.
double largest_eigenvalue(const double* diagonal, const double* beside, int n) {
  double low = 0, high = 0;
  for (int i = 0; i < n; ++i)
    high =
        std::max(high, diagonal[i] + (i > 0 ? std::fabs(beside[i - 1]) : 0) + (i + 1 < n ? std::fabs(beside[i]) : 0));
  for (int halving = 0; halving < 30; ++halving) {
    const double mid = (low + high) / 2;
    bool below = false;  // an eigenvalue is above mid
    double pivot = 1;
    for (int i = 0; i < n && !below; ++i) {
      pivot = mid - diagonal[i] - (i > 0 ? beside[i - 1] * beside[i - 1] / pivot : 0);
      below = !(pivot > 0);
    }
    (below ? low : high) = mid;
  }
  return high;
}

}  // namespace

template <int N>
bool invert_diagonal(BlockLevel<N>& level) {
  return level.all(ordered_reduce((level.rows() + chunk_rows - 1) / chunk_rows, true,
                                  [&](std::ptrdiff_t c) {
                                    bool good = true;
                                    const Index end = std::min(level.rows(), static_cast<Index>((c + 1) * chunk_rows));
                                    for (auto i = static_cast<Index>(c * chunk_rows); i < end; ++i)
                                      good =
                                          invert<N>(level.matrix.block(level.diagonal[at(i)]),
                                                    level.inverse.data() + static_cast<std::size_t>(N * N) * at(i)) &&
                                          good;
                                    return good;
                                  },
                                  [](bool a, bool b) { return a && b; }));
}

template <int N>
bool estimate_largest(BlockLevel<N>& level) {
  constexpr int steps = 8;
  constexpr double above = 1.1;  // so few steps stay below the largest
  const auto n = static_cast<std::ptrdiff_t>(level.width * at(level.rows()));
  constexpr std::ptrdiff_t block = 16384;
  const auto dot = [&](const std::vector<float>& p, const std::vector<float>& q) {
    return level.sum(ordered_reduce((n + block - 1) / block, 0.0,
                                    [&](std::ptrdiff_t c) {
                                      double sum = 0;
                                      for (auto i = static_cast<std::size_t>(c * block);
                                           i < static_cast<std::size_t>(std::min(n, (c + 1) * block)); ++i)
                                        sum += static_cast<double>(p[i] * q[i]);
                                      return sum;
                                    },
                                    [](double p_sum, double q_sum) { return p_sum + q_sum; }));
  };
  const auto each = [&](auto&& body) {
    parallel_blocks(n, block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) body(i);
    });
  };
  // Conjugate gradients with D for a preconditioner; their coefficients are Lanczos' matrix. [Golub, Van Loan, 11.3]
  const std::size_t first = level.ghosts ? level.width * at(level.ghosts->first()) : 0;
  // Soft parts and stiff ones weigh the same: random in D^(-1/2) r.
  each_row(level.rows(), [&](Index i) {
    const float* own = level.matrix.block(level.diagonal[at(i)]);
    float trace = 0;
    for (int q = 0; q < N; ++q) trace += own[(N + 1) * q];
    const float root = std::sqrt(trace / N);
    for (std::size_t q = level.width * at(i); q < level.width * at(i + 1); ++q)
      level.r[q] = root * scattered(first + q);
  });
  level.scale_residual();
  each([&](std::size_t i) { level.x[i] = level.d[i]; });
  double rz = dot(level.r, level.d), alpha = 1, beta = 0;
  double diagonal[steps], beside[steps];
  int k = 0;
  for (; k < steps; ++k) {
    level.product();
    const double curvature = dot(level.x, level.y);
    if (!(curvature > 0)) return false;
    const double share = beta / alpha;
    alpha = rz / curvature;
    diagonal[k] = 1 / alpha + share;
    const auto step = static_cast<float>(alpha);
    each([&](std::size_t i) { level.r[i] -= step * level.y[i]; });
    level.scale_residual();
    const double next = dot(level.r, level.d);
    if (!(next > 1e-10 * rz)) break;  // solved: few unknowns
    beta = next / rz;
    rz = next;
    beside[k] = std::sqrt(beta) / alpha;
    const auto turn = static_cast<float>(beta);
    each([&](std::size_t i) { level.x[i] = level.d[i] + turn * level.x[i]; });
  }
  level.largest = static_cast<float>(above * largest_eigenvalue(diagonal, beside, std::min(k + 1, steps)));
  return true;
}

template bool invert_diagonal(BlockLevel<3>&);
template bool invert_diagonal(BlockLevel<6>&);
template bool estimate_largest(BlockLevel<3>&);
template bool estimate_largest(BlockLevel<6>&);

}  // namespace ymir::elastic_amg
