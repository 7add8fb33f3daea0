// Turbulent, divergence-free velocity noise: the curl of a random vector potential that is C2 in space.
//
// Per octave, in units of its length scale, the potential is a sum over the 8 nodes c of the lattice cell around x,
//
//   psi(x) = sum_c w(d) (beta b_c + a_c x d),        d = x - x_c,   w(d) = f(1-|d_x|) f(1-|d_y|) f(1-|d_z|),
//   u = curl psi = sum_c (2 w + g.d) a_c - (g.a_c) d + beta g x b_c,               g = grad w,
//
// f the quintic fade (f', f'' vanish at 0 and 1). u is differentiated by hand, so div u = 0 up to rounding. Each node
// carries two random vectors A, B from an integer hash, turning into each other with time:
//
//   a = A cos q + B sin q,   b = B cos q - A sin q,   q = 2 pi (phase + speed rate t),   speed in [1/2, 3/2] per node,
//
// which keeps the statistics of u constant in time, never repeats, and has no common beat. a_c makes nodes fast, b_c
// the space between them; beta evens that out: the mean square of u varies by 1.5 % (standard deviation) over a cell.
//
//   rms           root mean square of |u| over space, time and seeds [m/s]
//   length_scale  cell size of the first octave [m]; each further octave has half the size of the one before
//   gain          rms of an octave relative to the one before [1]
//   rate          turns of a node per second in the first octave [1/s]; further octaves scale as rms / size
//
// After Bridson, Hourihan, Nordenstam, "Curl-noise for procedural fluid flow" (2007) and Perlin (2002); the node
// potential with its spin term and the calibration are our own (docs/theory/particles.md).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "ymir/base/hash.h"
#include "ymir/math/vec3.h"

namespace ymir {

struct CurlNoise {
  double rms = 1;           // [m/s]
  double length_scale = 1;  // [m], > 0
  int octaves = 3;          // >= 1
  double gain = 0.5;        // [1]
  double rate = 0;          // [1/s]
  std::uint64_t seed = 0;
};

namespace curl_noise {

inline constexpr double beta = 0.82;
// Mean of |u|^2 over a cell for node components of unit variance: integrals of the fade polynomial, exact.
inline constexpr double mean_square = 468944393.0 / 106828722.0 + beta * beta * 1310440.0 / 124509.0;
// Node components take the 1024 equidistant values of [-1, 1].
inline constexpr double node_variance = 1025.0 / (3.0 * 1023.0);

// One octave at one time.
struct Octave {
  double inverse_length;  // [1/m]
  double speed;           // factor from lattice units to [m/s]
  double turns;           // rate * t of this octave
  Vec3d shift;            // of the lattice, so that the nodes of octaves do not coincide
  std::uint32_t seed;
};

YMIR_HD inline double amplitude_sum(const CurlNoise& noise) {
  double sum = 0, power = 1;
  for (int k = 0; k < noise.octaves; ++k, power *= noise.gain * noise.gain) sum += power;
  return std::sqrt(sum);
}

YMIR_HD inline Octave octave(const CurlNoise& noise, int k, double t) {
  double relative_rms = 1, relative_rate = 1, inverse_length = 1 / noise.length_scale;
  for (int i = 0; i < k; ++i) {
    relative_rms *= noise.gain;
    relative_rate *= 2 * noise.gain;
    inverse_length *= 2;
  }
  const std::uint64_t h = hash_combine(noise.seed, static_cast<std::uint64_t>(k));
  const double unit = noise.rms / (amplitude_sum(noise) * std::sqrt(mean_square * node_variance));
  return {inverse_length, relative_rms * unit, relative_rate * noise.rate * t,
          Vec3d(static_cast<double>(h & 0xffff), static_cast<double>(h >> 16 & 0xffff),
                static_cast<double>(h >> 32 & 0xffff)) *
              0x1p-16,
          static_cast<std::uint32_t>(mix64(h) >> 32)};
}

// Avalanche of 32 bits (the finaliser of MurmurHash3): 32-bit products vectorise on AVX2, 64-bit ones do not.
[[gnu::always_inline]] YMIR_HD inline std::uint32_t mix32(std::uint32_t h) {
  h = (h ^ (h >> 16)) * 0x85ebca6bu;
  h = (h ^ (h >> 13)) * 0xc2b2ae35u;
  return h ^ (h >> 16);
}

[[gnu::always_inline]] YMIR_HD inline Vec3d vector_of(std::uint32_t h) {
  constexpr double scale = 2.0 / 1023.0;
  return {static_cast<std::int32_t>(h & 1023) * scale - 1, static_cast<std::int32_t>(h >> 10 & 1023) * scale - 1,
          static_cast<std::int32_t>(h >> 20 & 1023) * scale - 1};
}

// sin(2 pi x) for |x| <= 1/4, to 6e-8: the result must not depend on the machine's libm.
[[gnu::always_inline]] YMIR_HD inline double sine_of_turns(double x) {
  const double y = x * 6.283185307179586, y2 = y * y;
  return y *
         (1 + y2 * (-1.0 / 6 + y2 * (1.0 / 120 + y2 * (-1.0 / 5040 + y2 * (1.0 / 362880 + y2 * (-1.0 / 39916800))))));
}

// Adding and subtracting this rounds to the nearest integer (below 2^51), with the integer in the low bits of the sum.
// std::floor would keep GCC from vectorising.
inline constexpr double rounder = 0x1.8p52;

// Lattice coordinate split into cell and fraction. Cells repeat after 2^32 of them instead of overflowing; NaN stays in
// `fraction`.
[[gnu::always_inline]] YMIR_HD inline void split(double s, std::int32_t& cell, double& fraction) {
  const double nearest = s + rounder;
  const double offset = s - (nearest - rounder);
  const bool below = offset < 0;
  fraction = below ? offset + 1 : offset;
  cell = static_cast<std::int32_t>(std::bit_cast<std::int64_t>(nearest)) - static_cast<std::int32_t>(below);
}

// Contribution of one node, `corner` bits 0, 1, 2 selecting its side in x, y, z, to u in lattice units.
[[gnu::always_inline]] YMIR_HD inline Vec3d node(const Octave& o, int corner, std::int32_t cx, std::int32_t cy,
                                                 std::int32_t cz, Vec3d fraction) {
  const int sx = corner & 1, sy = corner >> 1 & 1, sz = corner >> 2 & 1;
  const std::uint32_t key = static_cast<std::uint32_t>(cx + sx) * 0x9e3779b1u +
                            static_cast<std::uint32_t>(cy + sy) * 0x85ebca77u +
                            static_cast<std::uint32_t>(cz + sz) * 0xc2b2ae3du + o.seed;
  const std::uint32_t h0 = mix32(key), h1 = mix32(h0 + 0x9e3779b9u), h2 = mix32(h1 + 0x9e3779b9u);
  const Vec3d va = vector_of(h0), vb = vector_of(h1);

  const double phase = static_cast<std::int32_t>(h2 & 0xffff) * 0x1p-16;
  const double turns = phase + (0.5 + static_cast<std::int32_t>(h2 >> 16) * 0x1p-16) * o.turns;
  const double r = turns - ((turns + rounder) - rounder);  // in [-1/2, 1/2]
  const double c = sine_of_turns(0.25 - std::fabs(r));
  const double folded = 0.25 - std::fabs(std::fabs(r) - 0.25);
  const double s = std::copysign(sine_of_turns(folded), r);
  const Vec3d a = va * c + vb * s, b = (vb * c - va * s) * beta;

  const auto fade = [](double p) { return p * p * p * (p * (6 * p - 15) + 10); };
  const auto fade_slope = [](double p) { return 30 * p * p * ((p - 2) * p + 1); };
  const Vec3d d{fraction.x - sx, fraction.y - sy, fraction.z - sz};
  const double px = 1 - std::fabs(d.x), py = 1 - std::fabs(d.y), pz = 1 - std::fabs(d.z);
  const double fx = fade(px), fy = fade(py), fz = fade(pz);
  const double w = fx * fy * fz;
  const Vec3d g{(2 * sx - 1) * fade_slope(px) * fy * fz, (2 * sy - 1) * fx * fade_slope(py) * fz,
                (2 * sz - 1) * fx * fy * fade_slope(pz)};
  return a * (2 * w + dot(g, d)) - d * dot(g, a) + cross(g, b);
}

}  // namespace curl_noise

YMIR_HD inline Vec3d evaluate(const CurlNoise& noise, Vec3d x, double t) {
  Vec3d u;
  for (int k = 0; k < noise.octaves; ++k) {
    const curl_noise::Octave o = curl_noise::octave(noise, k, t);
    std::int32_t cx, cy, cz;
    Vec3d fraction;
    curl_noise::split(x.x * o.inverse_length + o.shift.x, cx, fraction.x);
    curl_noise::split(x.y * o.inverse_length + o.shift.y, cy, fraction.y);
    curl_noise::split(x.z * o.inverse_length + o.shift.z, cz, fraction.z);
    for (int corner = 0; corner < 8; ++corner) u += curl_noise::node(o, corner, cx, cy, cz, fraction) * o.speed;
  }
  return u;
}

}  // namespace ymir
