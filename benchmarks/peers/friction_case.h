// A friction problem as both programs of the comparison get it, the errors of a solution, and how a solve is timed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "measure.h"

namespace peers {

// u = W r + q, W by rows of 3x3 blocks, each stored by columns; every diagonal block is there.
struct FrictionCase {
  std::vector<std::int32_t> starts, columns;
  std::vector<double> blocks, q, mu;

  int contacts() const { return static_cast<int>(mu.size()); }
  void write(const char* to) const {
    std::FILE* file = open(to, "wb");
    put(file, starts);
    put(file, columns);
    put(file, blocks);
    put(file, q);
    put(file, mu);
    std::fclose(file);
  }
  static FrictionCase read(const char* from) {
    FrictionCase c;
    std::FILE* file = open(from, "rb");
    get(file, c.starts);
    get(file, c.columns);
    get(file, c.blocks);
    get(file, c.q);
    get(file, c.mu);
    std::fclose(file);
    return c;
  }

 private:
  static std::FILE* open(const char* name, const char* mode) {
    std::FILE* file = std::fopen(name, mode);
    if (file == nullptr) {
      std::perror(name);
      std::exit(1);
    }
    return file;
  }
  template <class T>
  static void put(std::FILE* file, const std::vector<T>& values) {
    const std::uint64_t size = values.size();
    if (std::fwrite(&size, sizeof size, 1, file) != 1 || std::fwrite(values.data(), sizeof(T), size, file) != size)
      std::exit(1);
  }
  template <class T>
  static void get(std::FILE* file, std::vector<T>& values) {
    std::uint64_t size = 0;
    if (std::fread(&size, sizeof size, 1, file) != 1) std::exit(1);
    values.resize(size);
    if (std::fread(values.data(), sizeof(T), size, file) != size) std::exit(1);
  }
};

struct FrictionErrors {
  double scaled = 0, natural = 0;
};

// w r - P_K(w r - u - mu |u_T| e), squared
inline double law_error(const double* r, const double* u, double mu, double w) {
  const double ut = std::hypot(u[1], u[2]);
  const double x[3] = {w * r[0] - u[0] - mu * ut, w * r[1] - u[1], w * r[2] - u[2]}, t = std::hypot(x[1], x[2]);
  double p[3] = {x[0], x[1], x[2]};
  if (mu * t <= -x[0]) {
    p[0] = p[1] = p[2] = 0;
  } else if (t > mu * x[0]) {
    p[0] = (x[0] + mu * t) / (1 + mu * mu);
    p[1] = mu * p[0] * x[1] / t;
    p[2] = mu * p[0] * x[2] / t;
  }
  double e = 0;
  for (int a = 0; a < 3; ++a) e += (w * r[a] - p[a]) * (w * r[a] - p[a]);
  return e;
}

// E_s over |q| with each contact's own scale, and Siconos' relative natural map.
inline FrictionErrors errors(const FrictionCase& c, const std::vector<double>& r) {
  double e = 0, n = 0, q2 = 0, r2 = 0, u2 = 0;
  for (int i = 0; i < c.contacts(); ++i) {
    double u[3] = {c.q[3 * i], c.q[3 * i + 1], c.q[3 * i + 2]}, w = 0;
    for (int a = 0; a < 3; ++a) q2 += u[a] * u[a];
    for (int k = c.starts[i]; k < c.starts[i + 1]; ++k) {
      const double* b = c.blocks.data() + 9 * k;
      for (int j = 0; j < 3; ++j)
        for (int a = 0; a < 3; ++a) u[a] += b[3 * j + a] * r[3 * c.columns[k] + j];
      if (c.columns[k] == i) w = (b[0] + b[4] + b[8]) / 3;
    }
    for (int a = 0; a < 3; ++a) {
      r2 += r[3 * i + a] * r[3 * i + a];
      u2 += u[a] * u[a];
    }
    e += law_error(&r[3 * i], u, c.mu[i], w);
    n += law_error(&r[3 * i], u, c.mu[i], 1);
  }
  return {std::sqrt(e / q2), std::sqrt(n / std::max({q2, r2, u2}))};
}

// CPU time of this process, to the nanosecond; solves of one contact take microseconds.
inline double fine_cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// prepare() and solve() again and again for a twentieth of a second, at least once: the least CPU time of solve().
template <class Prepare, class Solve>
double least_seconds(Prepare&& prepare, Solve&& solve) {
  double least = 1e300;
  const double begin = fine_cpu_seconds();
  do {
    prepare();
    const double start = fine_cpu_seconds();
    solve();
    least = std::min(least, fine_cpu_seconds() - start);
  } while (fine_cpu_seconds() - begin < 0.05);
  return least;
}

inline void report(const FrictionCase& c, const std::vector<double>& r, double seconds, int iterations) {
  const FrictionErrors e = errors(c, r);
  const auto number = [](double x) { return std::isfinite(x) ? x : 1e300; };
  std::printf("{\"contacts\": %d, \"iterations\": %d, \"cpu_s\": %.9f, \"error\": %.6e, \"natural\": %.6e}\n",
              c.contacts(), iterations, seconds, number(e.scaled), number(e.natural));
}

}  // namespace peers
