// Gauss-Legendre points and weights on [0, 1], by Newton's method on the Legendre polynomial.
#pragma once

#include <cmath>

namespace ymir {

template <int Most>
struct GaussPoints {
  int count = 0;
  double at[Most], weight[Most];

  explicit GaussPoints(int n) : count(n) {
    for (int k = 0; k < n; ++k) {
      double x = std::cos(M_PI * (k + 0.75) / (n + 0.5)), slope = 1;
      for (int iteration = 0; iteration < 100; ++iteration) {
        double before = 0, value = 1;
        for (int j = 1; j <= n; ++j) {
          const double next = ((2 * j - 1) * x * value - (j - 1) * before) / j;
          before = value;
          value = next;
        }
        slope = n * (x * value - before) / (x * x - 1);
        const double step = value / slope;
        x -= step;
        if (std::fabs(step) < 1e-15) break;
      }
      at[n - 1 - k] = 0.5 * (1 + x);
      weight[n - 1 - k] = 1 / ((1 - x * x) * slope * slope);
    }
  }
};

}  // namespace ymir
