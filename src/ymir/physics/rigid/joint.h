// Rows of joints between two frames: what they hold, how it changes with the twists (dx, dphi) of both, and how that
// change changes. Frames turn as dF = dphi x F; axes (u, v, w) of the joint move with the source (s) and the target
// (t).
//
//   place    C = e.(x_s - x_t)            e an axis of the world: a pin
//   across   C = (x_s - x_t).b_t          b an axis of the target: a slider holds two of them, its place is the third
//   square   C = a_s.b_t                  axes that stay at right angles: two make a hinge, three a weld
//   angle    C = atan2(v_s.w_t, v_s.v_t)  of the source about u
//
// The second derivatives of the angle are left out: it belongs to a torque about the axis, which it does not turn.
#pragma once

#include <cmath>

#include "ymir/math/mat3.h"

namespace ymir {

struct JointFrames {
  Vec3d position[2];  // source, target [m]
  Vec3d axis[2][3];   // u, v, w of each
};

struct JointRow {
  static constexpr int twists = 12;  // x_s, phi_s, x_t, phi_t

  double c;
  double j[twists] = {};

  YMIR_HD void set(int block, Vec3d value) {
    for (int k = 0; k < 3; ++k) j[3 * block + k] = value[k];
  }
};

YMIR_HD inline JointRow place_row(const JointFrames& f, int component) {
  JointRow row;
  row.c = f.position[0][component] - f.position[1][component];
  row.j[component] = 1;
  row.j[6 + component] = -1;
  return row;
}

YMIR_HD inline JointRow across_row(const JointFrames& f, int axis) {
  const Vec3d d = f.position[0] - f.position[1], b = f.axis[1][axis];
  JointRow row;
  row.c = dot(d, b);
  row.set(0, b);
  row.set(2, -b);
  row.set(3, cross(b, d));
  return row;
}

YMIR_HD inline JointRow square_row(const JointFrames& f, int source, int target) {
  const Vec3d a = f.axis[0][source], b = f.axis[1][target], turn = cross(a, b);
  JointRow row;
  row.c = dot(a, b);
  row.set(1, turn);
  row.set(3, -turn);
  return row;
}

YMIR_HD inline JointRow angle_row(const JointFrames& f) {
  const Vec3d v = f.axis[0][1];
  JointRow row;
  row.c = std::atan2(dot(v, f.axis[1][2]), dot(v, f.axis[1][1]));
  row.set(1, f.axis[1][0]);
  row.set(3, -f.axis[1][0]);
  return row;
}

// force times the second derivatives, added; symmetric in the twists.
namespace joint_detail {

YMIR_HD inline void add_block(double h[JointRow::twists][JointRow::twists], int r, int c, const Mat3d& m,
                              double force) {
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      h[3 * r + i][3 * c + k] += force * m(i, k);
      if (r != c) h[3 * c + k][3 * r + i] += force * m(i, k);
    }
}

// Of a.b when b turns: sym(a b') - (a.b) 1.
YMIR_HD inline Mat3d turned(Vec3d a, Vec3d b) {
  const Mat3d ab = outer(a, b);
  return (ab + transposed(ab)) * 0.5 - identity3() * dot(a, b);
}

}  // namespace joint_detail

YMIR_HD inline void add_across_curvature(const JointFrames& f, int axis, double force,
                                         double h[JointRow::twists][JointRow::twists]) {
  const Vec3d d = f.position[0] - f.position[1], b = f.axis[1][axis];
  const Mat3d turn = cross_matrix(-b);  // d(dx.b): dx.(dphi x b)
  joint_detail::add_block(h, 0, 3, turn, force);
  joint_detail::add_block(h, 2, 3, turn, -force);
  joint_detail::add_block(h, 3, 3, joint_detail::turned(d, b), force);
}

YMIR_HD inline void add_square_curvature(const JointFrames& f, int source, int target, double force,
                                         double h[JointRow::twists][JointRow::twists]) {
  const Vec3d a = f.axis[0][source], b = f.axis[1][target];
  const Mat3d both = joint_detail::turned(a, b);
  joint_detail::add_block(h, 1, 1, both, force);
  joint_detail::add_block(h, 3, 3, both, force);
  joint_detail::add_block(h, 1, 3, identity3() * dot(a, b) - outer(b, a), force);
}

}  // namespace ymir
