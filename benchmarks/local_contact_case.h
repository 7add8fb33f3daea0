// Random problems of one contact in classes that local solvers find hard, and their solution by trial of all
// directions: what `ymir bench contact` counts and tests assert.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "ymir/base/random.h"
#include "ymir/math/svd3.h"
#include "ymir/physics/contact/enumerative_contact.h"

namespace ymir::bench {

enum class ContactClass { regular, ill_conditioned, badly_scaled, rank_two, rank_two_in_range, rank_one, unsymmetric };
inline constexpr std::array contact_classes{
    ContactClass::regular,           ContactClass::ill_conditioned, ContactClass::badly_scaled, ContactClass::rank_two,
    ContactClass::rank_two_in_range, ContactClass::rank_one,        ContactClass::unsymmetric};
inline const char* name_of(ContactClass kind) {
  constexpr std::array names{"regular",           "ill_conditioned", "badly_scaled", "rank_two",
                             "rank_two_in_range", "rank_one",        "unsymmetric"};
  return names[static_cast<std::size_t>(kind)];
}
// Positive definite: a solution exists always.
inline bool is_definite(ContactClass kind) {
  return kind == ContactClass::regular || kind == ContactClass::ill_conditioned || kind == ContactClass::badly_scaled;
}

inline Vec3d random_vector(Random& random) {
  const double x = random.uniform(-1, 1), y = random.uniform(-1, 1);
  return {x, y, random.uniform(-1, 1)};
}

inline Mat3d random_block(ContactClass kind, Random& random) {
  Mat3d a;
  for (Vec3d& column : a.column) column = random_vector(random);
  if (kind == ContactClass::regular || kind == ContactClass::unsymmetric) {
    Mat3d w = a * transposed(a);
    w = plus_diagonal(w, 0.05 * trace(w));
    if (kind == ContactClass::unsymmetric)
      for (Vec3d& column : w.column) column += random_vector(random) * (0.02 * trace(w));
    return w;
  }
  const Mat3d axes = svd3(a).u;
  Vec3d values;
  for (int i = 0; i < 3; ++i)
    values[i] = kind == ContactClass::ill_conditioned ? std::pow(10, random.uniform(-6, 0)) : random.uniform(0.1, 1);
  if (kind == ContactClass::rank_two || kind == ContactClass::rank_two_in_range || kind == ContactClass::rank_one)
    values.z = 0;
  if (kind == ContactClass::rank_one) values.y = 0;
  Mat3d w = Mat3d{axes.column[0] * values.x, axes.column[1] * values.y, axes.column[2] * values.z} * transposed(axes);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j) w(i, j) = w(j, i);
  if (kind == ContactClass::badly_scaled) {
    const std::array scale{std::pow(10, random.uniform(-1.5, 1.5)), std::pow(10, random.uniform(-1.5, 1.5)),
                           std::pow(10, random.uniform(-1.5, 1.5))};
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) w(i, j) *= scale[i] * scale[j];
  }
  return w;
}

// mu: 0, below 1, up to 10, from 1e-4 to 10, .3 in turn. Units: from 1e-8 to 1e8 where the class is about scales.
inline LocalContact random_contact(ContactClass kind, std::uint64_t index) {
  Random random(static_cast<std::uint64_t>(kind), index);
  LocalContact c;
  c.w = random_block(kind, random);
  c.b = random_vector(random);
  if (kind == ContactClass::rank_two_in_range) c.b = c.w * c.b;
  c.b.x = index % 16 == 15 ? c.b.x : -std::fabs(c.b.x);  // most approach
  if (kind == ContactClass::rank_two_in_range && index % 16 != 15) {
    const Vec3d x = random_vector(random);
    c.b = c.w * x;
    if (c.b.x > 0) c.b = -c.b;
  }
  if (kind == ContactClass::ill_conditioned || kind == ContactClass::badly_scaled) {
    c.w = c.w * std::pow(10, random.uniform(-8, 8));
    c.b = c.b * std::pow(10, random.uniform(-8, 8));
  }
  switch (index % 5) {
    case 0: c.mu = 0; break;
    case 1: c.mu = random.uniform(); break;
    case 2: c.mu = random.uniform(0, 10); break;
    case 3: c.mu = std::pow(10, random.uniform(-4, 1)); break;
    default: c.mu = 0.3;
  }
  return c;
}

// Whether any direction of slip solves it: a scan with bisection that shares nothing with the solvers but the law.
inline bool slides_somewhere(const LocalContact& c, double tolerance, int directions) {
  constexpr double pi = 3.14159265358979323846;
  const auto impulse = [&](double th) {
    const double t1 = std::cos(th), t2 = std::sin(th), arm = c.w(0, 0) - c.mu * (c.w(0, 1) * t1 + c.w(0, 2) * t2);
    return Vec3d{1, -c.mu * t1, -c.mu * t2} * (-c.b.x / arm);
  };
  // Slip across the direction, times the arm, which has the poles.
  const auto across = [&](double th) {
    const double t1 = std::cos(th), t2 = std::sin(th), arm = c.w(0, 0) - c.mu * (c.w(0, 1) * t1 + c.w(0, 2) * t2);
    const Vec3d u = c.b * arm + c.w * Vec3d{-c.b.x, c.b.x * c.mu * t1, c.b.x * c.mu * t2};
    return t1 * u.z - t2 * u.y;
  };
  double before = across(0);
  for (int k = 1; k <= directions; ++k) {
    double low = 2 * pi * (k - 1) / directions, high = 2 * pi * k / directions;
    const double now = across(high);
    if ((before < 0) != (now < 0)) {
      for (int bisection = 0; bisection < 60; ++bisection) {
        const double middle = (low + high) / 2;
        ((across(middle) < 0) == (before < 0) ? low : high) = middle;
      }
      const Vec3d r = impulse((low + high) / 2);
      const bool bounded = norm(r) * mean_inverse_mass(c.w) < 1e8 * norm(c.b);
      if (bounded && r.x >= 0 && obeys_coulomb(c, r, tolerance)) return true;
    }
    before = now;
  }
  return false;
}

}  // namespace ymir::bench
