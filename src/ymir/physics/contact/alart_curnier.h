// Alart and Curnier's function of Coulomb's law [Alart1991]: zero where (r, u) obeys it.
//
//   y = r_N - rho_N u_N,  z = r_T - rho_T u_T,  R = mu max(0, y)
//   F_N = r_N - max(0, y),   F_T = r_T - z where |z| <= R,  r_T - R z / |z| elsewhere
//
// rho [kg] is free; 1 / W_NN and 2 / tr W_TT of the contact make both parts of one size.
#pragma once

#include "ymir/physics/contact/fischer_burmeister.h"

namespace ymir {

struct AlartCurnierScale {
  double normal = 1, tangent = 1;  // rho [kg]
};

YMIR_HD inline AlartCurnierScale alart_curnier_scale(const Mat3d& w) {
  const double n = w(0, 0), t = (w(1, 1) + w(2, 2)) / 2, all = trace(w) / 3;
  if (!(all > 0)) return {};
  return {1 / (n > 1e-14 * all ? n : all), 1 / (t > 1e-14 * all ? t : all)};
}

// F(r, u) and, where asked for, dF/dr and dF/du.
YMIR_HD inline Vec3d alart_curnier(Vec3d r, Vec3d u, double mu, AlartCurnierScale rho, ConeDerivatives* d) {
  const double y = r.x - rho.normal * u.x;
  const double z1 = r.y - rho.tangent * u.y, z2 = r.z - rho.tangent * u.z;
  const double length = std::sqrt(z1 * z1 + z2 * z2), radius = mu * std::max(0.0, y);
  Vec3d f{y > 0 ? rho.normal * u.x : r.x, r.y, r.z};
  const bool sticks = radius > 0 && length <= radius, slides = radius > 0 && !sticks;
  if (sticks) {
    f.y = rho.tangent * u.y;
    f.z = rho.tangent * u.z;
  }
  const double t1 = slides ? z1 / length : 0, t2 = slides ? z2 / length : 0;
  if (slides) {
    f.y -= radius * t1;
    f.z -= radius * t2;
  }
  if (d == nullptr) return f;
  const double an = y > 0 ? 0 : 1, bn = y > 0 ? rho.normal : 0;
  if (sticks) {
    d->x = {{an, 0, 0}, {}, {}};
    d->y = {{bn, 0, 0}, {0, rho.tangent, 0}, {0, 0, rho.tangent}};
  } else if (slides) {
    const double k = radius / length, n11 = k * t2 * t2, n12 = -k * t1 * t2, n22 = k * t1 * t1;  // k (I - t t')
    d->x = {{an, -mu * t1, -mu * t2}, {0, 1 - n11, -n12}, {0, -n12, 1 - n22}};
    d->y = {{bn, mu * rho.normal * t1, mu * rho.normal * t2},
            {0, rho.tangent * n11, rho.tangent * n12},
            {0, rho.tangent * n12, rho.tangent * n22}};
  } else {
    d->x = {{an, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    d->y = {{bn, 0, 0}, {}, {}};
  }
  return f;
}

}  // namespace ymir
