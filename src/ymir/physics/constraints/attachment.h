// Attachment of a source point and frame to a target point and frame. [Lesser2022, 6.3]
//
//   d = x_s - x_t [m]; F_k, T_k: axes of the source and target frames (orthonormal)
//   B = T Q            target frame turned by the constant Q so that B e1 = d/|d| at rest
//   delta = B'd,       phi its angle to e1, u its direction across e1, n = e1 x u, psi = (1 - xi) phi
//   A = B R            R turns by xi phi about n: xi = 0 follows the target, xi = 1 follows d (slerp between them)
//   C0 = A'd - (Lb, 0, 0) = |d| (cos psi, sin psi u) - (Lb, 0, 0)       [m]
//   Ck = A'F_k - abar_k,  k = 1..3                                      [1]
//
// xi (flexibility) in [0, 1]; Lb rest length; abar_k rest orientation. The paper leaves open how A goes from the target
// to d; the minimal rotation chosen here has C0 = (|d| - Lb, 0, 0) at xi = 1. All of it depends on delta and B'F alone:
// rigid motions change nothing, and forces J'y have neither net force nor net torque.
//
// Degenerate states. d along e1: the formulas' limits. d against e1 (phi = pi, 0 < xi): u has no limit; the caller's u
// of the previous iterate is used and held fixed in the derivative. d = 0, xi > 0: the tip of a cone; C0 is continuous,
// its derivative is chosen as that of d along e1. Lb below 1e-9 m: no direction at rest, xi is taken as 0 (a pin) and
// the caller should use one stiffness for all rows of C0.
#pragma once

#include <cmath>

#include "ymir/math/vec3.h"

namespace ymir {

struct AttachmentGeometry {
  Vec3d d;          // x_s - x_t [m]
  Vec3d source[3];  // F_k
  Vec3d target[3];  // T_k
};

struct AttachmentRest {
  double flexibility = 0;                                    // xi
  double length = 0;                                         // Lb [m]
  Vec3d turn[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};         // columns of Q, in the target frame
  Vec3d orientation[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};  // abar_k

  YMIR_HD bool pin() const { return length < 1e-9; }
};

struct Attachment {
  static constexpr int rows = 12, dofs = 12, params = 10;

  double c[rows];         // C0, C1, C2, C3
  double j[rows * dofs];  // dC/d(x_s, om_s, x_t, om_t), row-major; om [rad] turns a frame: dF = om x F
  Vec3d u;                // direction across e1, for the next evaluation
};

namespace attachment_detail {

YMIR_HD inline Vec3d combine(const Vec3d axes[3], Vec3d v) { return axes[0] * v.x + axes[1] * v.y + axes[2] * v.z; }
YMIR_HD inline Vec3d components(const Vec3d axes[3], Vec3d v) {
  return {dot(axes[0], v), dot(axes[1], v), dot(axes[2], v)};
}

// What depends on delta alone, in the basis (e1, u, n). R and Omega (the variation of R, in B's axes: dR = [Omega]x R)
// follow from cos_turn, sin_turn and the coefficients.
struct LocalFrame {
  Vec3d u, n;
  double cos_turn, sin_turn;       // of xi phi
  Vec3d value;                     // R' delta
  double g11, g1u, gu1, guu, gnn;  // d(value)/d(delta), row and column
  double turn_1, turn_u;           // Omega.n = turn_1 ddelta_1 + turn_u ddelta_u
  double swing_1, swing_u;         // Omega.e1 = swing_1 ddelta_n, Omega.u = swing_u ddelta_n

  YMIR_HD Vec3d to_a(Vec3d v) const {  // R' v
    const double v1 = v.x, vu = dot(u, v);
    const double a1 = cos_turn * v1 + sin_turn * vu, au = cos_turn * vu - sin_turn * v1;
    return Vec3d(a1, 0, 0) + u * au + n * dot(n, v);
  }
  YMIR_HD Vec3d value_change(Vec3d delta_change) const {
    const double v1 = delta_change.x, vu = dot(u, delta_change), vn = dot(n, delta_change);
    return Vec3d(g11 * v1 + g1u * vu, 0, 0) + u * (gu1 * v1 + guu * vu) + n * (gnn * vn);
  }
  YMIR_HD Vec3d omega(Vec3d delta_change) const {
    const double v1 = delta_change.x, vu = dot(u, delta_change), vn = dot(n, delta_change);
    return Vec3d(swing_1 * vn, 0, 0) + u * (swing_u * vn) + n * (turn_1 * v1 + turn_u * vu);
  }
};

// No turn, and the derivative diag(1, across, across).
YMIR_HD inline LocalFrame unturned(Vec3d delta, double across, Vec3d u) {
  const Vec3d value(delta.x, across * delta.y, across * delta.z);
  return {u, Vec3d(0, -u.z, u.y), 1, 0, value, 1, 0, 0, across, across, 0, 0, 0, 0};
}

// rho = |d| rather than |delta|, so that at xi = 1 no rounding of the frames enters C0.
YMIR_HD inline LocalFrame local_frame(Vec3d delta, double rho, double xi, double length, Vec3d previous_u) {
  const double s = std::sqrt(delta.y * delta.y + delta.z * delta.z);
  const bool on_axis = s <= 1e-9 * rho;
  const bool reversed = on_axis && delta.x < 0;
  Vec3d u = previous_u;
  if (s > 0 && !reversed) u = Vec3d(0, delta.y, delta.z) / s;
  if (xi == 0) return unturned(delta, 1, u);
  if (rho <= 1e-12 * length) return unturned(delta, 1 - xi, u);

  const double phi = std::atan2(s, delta.x), turn = xi * phi, psi = (1 - xi) * phi;
  const double cos_phi = std::cos(phi), sin_phi = std::sin(phi);
  const double cos_psi = std::cos(psi), sin_psi = std::sin(psi);
  const double half_sine = std::sin(0.5 * turn);
  LocalFrame f;
  f.u = u;
  f.n = Vec3d(0, -u.z, u.y);
  f.cos_turn = std::cos(turn);
  f.sin_turn = std::sin(turn);
  f.g11 = cos_psi * cos_phi + (1 - xi) * sin_psi * sin_phi;
  f.g1u = cos_psi * sin_phi - (1 - xi) * sin_psi * cos_phi;
  f.gu1 = sin_psi * cos_phi - (1 - xi) * cos_psi * sin_phi;
  f.guu = sin_psi * sin_phi + (1 - xi) * cos_psi * cos_phi;
  f.turn_1 = -xi * sin_phi / rho;
  f.turn_u = xi * cos_phi / rho;
  if (reversed) {
    f.gnn = f.swing_1 = f.swing_u = 0;
  } else if (on_axis) {
    f.gnn = 1 - xi;
    f.swing_u = -xi / rho;
    f.swing_1 = 0;
  } else {
    f.gnn = rho * sin_psi / s;
    f.swing_u = -f.sin_turn / s;
    f.swing_1 = 2 * half_sine * half_sine / s;  // 1 - cos, without cancellation
  }
  f.value = Vec3d(rho * cos_psi, 0, 0) + u * (rho * sin_psi);
  return f;
}

}  // namespace attachment_detail

// Columns of B: the target frame turned by Q.
YMIR_HD inline void attachment_axes(const AttachmentRest& rest, const Vec3d target[3], Vec3d axes[3]) {
  for (int k = 0; k < 3; ++k) axes[k] = attachment_detail::combine(target, rest.turn[k]);
}

// Rest parameters for which C = 0 at `g`.
YMIR_HD inline AttachmentRest rest_of(const AttachmentGeometry& g, double flexibility) {
  AttachmentRest rest;
  rest.flexibility = flexibility;
  rest.length = norm(g.d);
  if (rest.pin()) {
    rest.length = 0;
  } else {
    const Vec3d along = attachment_detail::components(g.target, g.d / rest.length);
    const double x = std::fabs(along.x), y = std::fabs(along.y), z = std::fabs(along.z);
    // The target axis most across d gives the second axis of B.
    const Vec3d across = x <= y && x <= z ? Vec3d(1, 0, 0) : y <= z ? Vec3d(0, 1, 0) : Vec3d(0, 0, 1);
    rest.turn[0] = normalized(along);
    rest.turn[1] = normalized(across - rest.turn[0] * dot(rest.turn[0], across));
    rest.turn[2] = cross(rest.turn[0], rest.turn[1]);
  }
  Vec3d axes[3];
  attachment_axes(rest, g.target, axes);
  for (int k = 0; k < 3; ++k) rest.orientation[k] = attachment_detail::components(axes, g.source[k]);
  return rest;
}

// C and its derivative; previous_u: u of the last evaluation, a unit vector across e1.
YMIR_HD inline Attachment evaluate_attachment(const AttachmentRest& rest, const AttachmentGeometry& g,
                                              Vec3d previous_u = {0, 1, 0}) {
  Vec3d axes[3];
  attachment_axes(rest, g.target, axes);
  const Vec3d delta = attachment_detail::components(axes, g.d);
  const attachment_detail::LocalFrame frame =
      attachment_detail::local_frame(delta, norm(g.d), rest.pin() ? 0.0 : rest.flexibility, rest.length, previous_u);

  Attachment out;
  out.u = frame.u;
  const auto put = [&](int k, int column, Vec3d v) {
    for (int i = 0; i < 3; ++i) out.j[(3 * k + i) * Attachment::dofs + column] = v[i];
  };
  const Vec3d c0 = frame.value - Vec3d(rest.length, 0, 0);
  for (int i = 0; i < 3; ++i) out.c[i] = c0[i];
  Vec3d local[3];  // w_k = B'F_k
  for (int k = 0; k < 3; ++k) {
    local[k] = attachment_detail::components(axes, g.source[k]);
    const Vec3d ck = frame.to_a(local[k]) - rest.orientation[k];
    for (int i = 0; i < 3; ++i) out.c[3 + 3 * k + i] = ck[i];
  }
  for (int i = 0; i < 3; ++i) {
    const Vec3d b(axes[0][i], axes[1][i], axes[2][i]);  // B' of the i-th unit vector e: de = B'e
    // ddelta: b for x_s, -b for x_t; a turn e of the target gives B'(d x e) = delta x b.
    const Vec3d turned = cross(delta, b);
    const Vec3d moved_value = frame.value_change(b), moved_omega = frame.omega(b);
    put(0, i, moved_value);
    put(0, 3 + i, {0, 0, 0});
    put(0, 6 + i, -moved_value);
    put(0, 9 + i, frame.value_change(turned));
    const Vec3d turned_omega = frame.omega(turned);
    for (int k = 0; k < 3; ++k) {
      const Vec3d w = local[k];
      const Vec3d moved = frame.to_a(cross(w, moved_omega)), swung = cross(w, b);
      put(1 + k, i, moved);
      put(1 + k, 3 + i, -frame.to_a(swung));
      put(1 + k, 6 + i, -moved);
      put(1 + k, 9 + i, frame.to_a(swung + cross(w, turned_omega)));
    }
  }
  return out;
}

// dC/d(Lb, abar_1, abar_2, abar_3), row-major rows x params; the same in every state.
YMIR_HD inline void attachment_parameter_jacobian(double out[Attachment::rows * Attachment::params]) {
  for (int i = 0; i < Attachment::rows * Attachment::params; ++i) out[i] = 0;
  out[0] = -1;
  for (int i = 0; i < 9; ++i) out[(3 + i) * Attachment::params + 1 + i] = -1;
}

}  // namespace ymir
