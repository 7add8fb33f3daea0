// Drag of a piece of a plate in a fast flow, with its exact derivative. [Hoerner1965]
//
//   F = rho A/2 (C_n |w_n| w_n + C_t |w_t| w_t),  w = u - v, w_n along the normal, w_t the rest
//
// A is half of what the fluid touches: the area of a sheet, half that of a part of a body's surface, so that a closed
// surface around a thin plate feels what the plate does. Of a ball this makes Cd = C_n/2 + 3 pi/8 C_t, of a long
// cylinder across the flow 2/3 C_n + ...
#pragma once

#include "ymir/physics/fluid/drag_laws.h"

namespace ymir {

struct PlateLaw {
  double density = 1.225;  // rho [kg/m^3]
  double pressure = 1.2;   // C_n, of a plate across the flow
  double friction = 0.01;  // C_t, of both sides of a plate along it
};

YMIR_HD inline GasDrag plate_drag(const PlateLaw& law, double area, Vec3d normal, Vec3d w) {
  const double half = 0.5 * law.density * area, through = dot(w, normal);
  const Vec3d along = w - normal * through;
  const double speed = std::sqrt(dot(along, along));
  const double a_n = law.pressure * std::abs(through) * half, k_t = law.friction * speed * half;
  // dF/dw = k_n nn' + k_t ((I - nn') + tt'), k_n = 2 a_n, t direction of w_t
  const double change = 2 * a_n - k_t;
  const Vec3d n = normal, t = speed > 0 ? along / speed : Vec3d{0, 0, 0};
  return {n * (a_n * through) + along * k_t,
          {k_t + change * n.x * n.x + k_t * t.x * t.x, k_t + change * n.y * n.y + k_t * t.y * t.y,
           k_t + change * n.z * n.z + k_t * t.z * t.z, change * n.x * n.y + k_t * t.x * t.y,
           change * n.x * n.z + k_t * t.x * t.z, change * n.y * n.z + k_t * t.y * t.z}};
}

}  // namespace ymir
