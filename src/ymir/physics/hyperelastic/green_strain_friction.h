// Internal friction (Dahl) on the change of shape: a stress that follows the path of Green's strain, not its rate.
//
//   D = dev(E - E_n),  n = D/|D|,  zeta = s n + (zeta_n - s n) exp(-|D|/l),   P = F S,  S = 2 mu zeta
//
// is the solution of d zeta = (s dE - zeta |dE|)/l along a straight step: constraints/response.h where all is along one
// direction, and the same in all directions of the material. s is the largest |dev E| left at zero load, l how far it
// moves until friction is developed. zeta : dE = d(l |zeta|^2/2s) + |zeta|^2 |dE|/s: it never gives more than it took.
//
//   dzeta = a (dD - n (n : dD)) + b n (n : dD) - ...,   a = s (1 - e)/|D|,  b = e (s - zeta_n : n)/l,  e = exp(-|D|/l)
//
// What is left out, e/l (zeta_n - n (n : zeta_n)) (n : dD), is not symmetric, and vanishes where a motion goes on along
// its line or turns back on it. Newton's method may go to and fro between the branches of a step whose solution sticks;
// with the secant (zeta - zeta_n)/|D| instead of b, which is never below it, it does not.
#pragma once

#include "ymir/math/lane_math.h"
#include "ymir/physics/hyperelastic/green_strain_damping.h"

namespace ymir {

template <class T>
struct GreenStrainFrictionTangent {
  StVenantKirchhoffTangent<T> all;  // in all directions of the strain
  Mat3<T> fn;                       // F n
  T along;                          // more than that along n [Pa]

  struct Node {
    typename StVenantKirchhoffTangent<T>::Node all;
    Vec3<T> n;
  };

  YMIR_HD Node at(const Vec3<T>& g) const { return {all.at(g), fn * g}; }
  YMIR_HD Mat3<T> block(const Node& a, const Node& b) const {
    Mat3<T> k = all.block(a.all, b.all);
    k += outer(a.n * along, b.n);
    return k;
  }
};

struct GreenStrainFriction : Hyperelastic<GreenStrainFriction> {
  template <class T>
  struct Parameters {
    T mu;                  // [Pa]
    T saturation, length;  // s, l: of |dev E|
    Mat3<T> before, zeta;  // E_n, zeta_n
    bool secant = false;   // in the matrix
  };

  template <class T>
  YMIR_HD static Mat3<T> zeta(const Mat3<T>& f, const Parameters<T>& p) {
    return State<T>(f, p).zeta;
  }

  template <class T>
  YMIR_HD static Mat3<T> stress(const Mat3<T>& f, const Parameters<T>& p) {
    return f * (State<T>(f, p).zeta * (p.mu * 2.0));
  }

  template <class T>
  YMIR_HD static GreenStrainFrictionTangent<T> tangent(const Mat3<T>& f, const Parameters<T>& p) {
    const State<T> now(f, p);
    return around(f, p, now, now.zeta * (p.mu * 2.0));
  }

  template <class T>
  YMIR_HD static GreenStrainFrictionTangent<T> projected_tangent(const Mat3<T>& f, const Parameters<T>& p) {
    const State<T> now(f, p);
    const SymmetricEigen3<T> e = symmetric_eigen3(now.zeta * (p.mu * 2.0));
    const T zero = T{} + 0.0;
    const Mat3<T>& q = e.vectors;
    return around(f, p, now,
                  Mat3<T>{q.column[0] * max(e.values.x, zero), q.column[1] * max(e.values.y, zero),
                          q.column[2] * max(e.values.z, zero)} *
                      transposed(q));
  }

 private:
  // Changes of strain below this have no direction.
  static constexpr double smallest = 1e-30;

  template <class T>
  struct State {
    Mat3<T> zeta, n;
    T across, along;  // a, b

    YMIR_HD State(const Mat3<T>& f, const Parameters<T>& p) {
      const Mat3<T> change = GreenStrainDamping::strain(f) - p.before;
      const Mat3<T> d = plus_diagonal(change, trace(change) * (-1.0 / 3));
      const T size = sqrt(dot(d, d)), moved = size / p.length, left = exp(-moved);
      // (1 - exp(-u))/u, by its series where digits would cancel.
      const T share = select(moved > 1e-4, (T{} + 1.0 - left) / max(moved, T{} + 1e-4),
                             T{} + 1.0 - moved * 0.5 + moved * moved * (1.0 / 6));
      across = p.saturation / p.length * share;
      n = d * ((T{} + 1.0) / max(size, T{} + smallest));
      zeta = p.zeta * left + d * across;
      along = (p.saturation - dot(p.zeta, n)) / p.length * (p.secant ? share : left);
    }
  };

  template <class T>
  YMIR_HD static GreenStrainFrictionTangent<T> around(const Mat3<T>& f, const Parameters<T>& p, const State<T>& now,
                                                      const Mat3<T>& s) {
    const T mu = p.mu * now.across;
    return {{f, f * transposed(f) * mu, s, mu, mu * (-2.0 / 3)}, f * now.n, (now.along - now.across) * p.mu * 2.0};
  }
};

}  // namespace ymir
