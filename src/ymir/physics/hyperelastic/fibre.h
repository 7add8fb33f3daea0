// Stress along fibres of the rest direction a: muscle, tendon, a pattern that shrinks.
//
//   l = |F a|,  psi = T_a (l - 1) + k/2 max(l - 1, 0)^2,  y = dpsi/dl = T_a + k max(l - 1, 0)
//   P = y d a', d = F a / l,   K_ab = (a . g_a)(a . g_b) [k d d' + y/l (I - d d')], k only where l > 1
//
// The active tension T_a acts at every length, but that below l_0 = 0.1 it goes to 0 with the length, T_a l/l_0: a cone
// at l = 0 would have no tangent. The passive part resists stretch but not compression. Eigenvalues are k, y/l, y/l and
// zeros. To be added to an isotropic material: alone it resists in one direction only.
#pragma once

#include "ymir/math/scalar.h"
#include "ymir/math/simd.h"
#include "ymir/physics/hyperelastic/tangent.h"

namespace ymir {

template <class T>
struct FibreTangent {
  Vec3<T> direction;  // a
  Mat3<T> stiffness;  // k d d' + y/l (I - d d') [Pa]

  YMIR_HD T at(const Vec3<T>& g) const { return dot(direction, g); }
  YMIR_HD Mat3<T> block(const T& a, const T& b) const { return stiffness * (a * b); }
};

struct Fibre : Hyperelastic<Fibre> {
  // Shortest fibre that has a direction, as a stretch.
  static constexpr double shortest = 1e-9;
  // Stretch below which a fibre pulls in proportion to its length.
  static constexpr double crushed = 0.1;

  template <class T>
  struct Parameters {
    T tension;          // active tension T_a [Pa]
    T stiffness;        // passive k [Pa]
    Vec3<T> direction;  // a, unit
  };

  template <class T>
  YMIR_HD static T energy(const Mat3<T>& f, const Parameters<T>& p) {
    const T length = norm(f * p.direction), stretched = max(length - 1.0, T{} + 0.0);
    const T active = select(length > crushed, length - 1.0, length * length * (0.5 / crushed) + (0.5 * crushed - 1.0));
    return p.tension * active + p.stiffness * 0.5 * stretched * stretched;
  }

  template <class T>
  YMIR_HD static Mat3<T> stress(const Mat3<T>& f, const Parameters<T>& p) {
    const State<T> now(f, p);
    return outer(now.d * now.y, p.direction);
  }

  template <class T>
  YMIR_HD static FibreTangent<T> tangent(const Mat3<T>& f, const Parameters<T>& p) {
    const State<T> now(f, p);
    return across_and_along(p, now.d, now.y / now.length, now.k);
  }

  template <class T>
  YMIR_HD static FibreTangent<T> projected_tangent(const Mat3<T>& f, const Parameters<T>& p) {
    const State<T> now(f, p);
    const T zero = T{} + 0.0;
    return across_and_along(p, now.d, max(now.y / now.length, zero), max(now.k, zero));
  }

 private:
  template <class T>
  struct State {
    Vec3<T> d;
    T length, y, k;

    YMIR_HD State(const Mat3<T>& f, const Parameters<T>& p) {
      const Vec3<T> along = f * p.direction;
      length = max(norm(along), T{} + shortest);
      d = along / length;
      const T strain = length - 1.0;
      const T zero = T{} + 0.0, passive = select(strain > 0.0, p.stiffness, zero);
      const T fall = select(length > crushed, zero, p.tension * (1 / crushed));
      k = passive + fall;
      y = select(length > crushed, p.tension, fall * length) + passive * strain;
    }
  };

  template <class T>
  YMIR_HD static FibreTangent<T> across_and_along(const Parameters<T>& p, const Vec3<T>& d, const T& across,
                                                  const T& along) {
    return {p.direction, plus_diagonal(outer(d * (along - across), d), across)};
  }
};

}  // namespace ymir
