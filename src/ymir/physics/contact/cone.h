// Coulomb's cone K = { r : |r_T| <= mu r_N } in the world's axes: n is the normal, r_N = n.r, r_T = r - n r_N.
// For numbers and for lanes. No tangents are needed: everything here is isotropic about n.
#pragma once

#include "ymir/math/scalar.h"
#include "ymir/math/vec3.h"

namespace ymir {

// Nearest point of the cone.
template <class T>
YMIR_HD Vec3<T> project_on_cone(Vec3<T> r, Vec3<T> n, T mu) {
  const T rn = dot(n, r);
  const Vec3<T> rt = r - n * rn;
  const T t = sqrt(dot(rt, rt));
  const T pn = (rn + mu * t) / (mu * mu + 1.0);
  const T pt = mu * pn / select(t > 0.0, t, 1.0);
  const auto inside = t <= mu * rn, polar = mu * t <= -rn;
  const T along = select(inside, rn, select(polar, 0.0, pn));
  const T across = select(inside, 1.0, select(polar, 0.0, pt));
  return n * along + rt * across;
}

// Impulse of a contact whose velocity is u = b + w r, w a positive number: Coulomb's law has one solution, in closed
// form. s = -b/w is the impulse that would hold the contact still; without b: s = r - u/w.
//   s_N <= 0: it opens, r = 0;   |s_T| <= mu s_N: it sticks, r = s;   else it slides, r_N = s_N, r_T = mu s_N s_T/|s_T|
template <class T>
YMIR_HD Vec3<T> isotropic_coulomb(Vec3<T> s, Vec3<T> n, T mu) {
  const T sn = dot(n, s);
  const Vec3<T> st = s - n * sn;
  const T t2 = dot(st, st), limit = mu * sn;
  const auto slides = t2 > limit * limit;
  const T across = select(slides, limit / sqrt(select(slides, t2, 1.0)), 1.0);
  const auto closed = sn > 0.0;
  return n * select(closed, sn, 0.0) + st * select(closed, across, 0.0);
}

// Natural map of the law in velocities: zero exactly at solutions. a = w r is the impulse in the contact's own scale,
// u~ = u + mu |u_T| n the velocity of de Saxce:  a - P_K(a - u~)                                           [m/s]
template <class T>
YMIR_HD Vec3<T> coulomb_residual(Vec3<T> a, Vec3<T> u, Vec3<T> n, T mu) {
  const Vec3<T> ut = u - n * dot(n, u);
  const Vec3<T> raised = u + n * (mu * sqrt(dot(ut, ut)));
  return a - project_on_cone(a - raised, n, mu);
}

}  // namespace ymir
