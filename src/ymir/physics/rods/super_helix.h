// Super-helix: a rod in reduced coordinates, elements of one length with constant curvatures. [Bertails2006]
//
// Unknowns are the curvatures u_Q of the elements about their own directions and, where the root is free, its place and
// rotation before them. The centre line follows in closed form (helix_arc.h): no point can be stretched away from
// another, no unknown holds a length.
//
// Unknown i of element Q turns everything behind the element by omega_i, and moves it: for r behind the element that
// ends in r_Q, Theta being that of the whole element and R the frame it begins with,
//
//   dr/du_i = omega_i x (r - r_Q) + dr_Q/du_i,   omega_i = R Theta e_i,   dr_Q/du_i = R dTheta/du_i e_3
//
// which is N_i x r - P_i of the integrals over the element. Second derivatives: an unknown nearer to the root turns
// dr/du_i as it turns everything else, d2r = omega_j x dr/du_i; within one element they come from the arc.
#pragma once

#include "ymir/physics/rods/helix_arc.h"

namespace ymir {

struct HelixFrame {
  Vec3d position;                               // [m]
  Mat3d axes{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};  // m1, m2, t
};

class SuperHelix {
 public:
  static constexpr int max_dofs = 48, max_elements = max_dofs / 3, root_dofs = 6;
  static constexpr int most_elements(bool free_root) { return (max_dofs - (free_root ? root_dofs : 0)) / 3; }

  int elements = 0;
  bool free_root = false;  // place and rotation of the root are unknowns
  double length = 0;       // of an element [m]
  HelixFrame root;
  Vec3d u[max_elements];  // [1/m]

  int first() const { return free_root ? root_dofs : 0; }  // unknown of the first element
  int dofs() const { return first() + 3 * elements; }
  int dofs_of(int element) const { return first() + 3 * (element + 1); }  // on which its points depend

  // Frames of the elements and how they turn, once root or curvatures have changed.
  void update() {
    begin_[0] = root;
    for (int e = 0; e < elements; ++e) {
      const HelixArc arc(u[e], length);
      const Mat3d& r = begin_[e].axes;
      turn_[e] = r * arc.integral();
      begin_[e + 1].position = begin_[e].position + turn_[e].column[2];
      begin_[e + 1].axes = orthonormal(r * arc.rotation());
      for (int i = 0; i < 3; ++i) {
        drift_[e].column[i] = r * arc.gradient(2, i);
        for (int j = 0; j <= i; ++j) {
          drift2_[e][packed(i, j)] = r * arc.curvature(i, j);
          // The part of d omega_i/du_j that is the same for d omega_j/du_i.
          turn2_[e][packed(i, j)] = r * ((arc.gradient(i, j) + arc.gradient(j, i)) * 0.5);
        }
      }
    }
  }

  const HelixFrame& begin_of(int element) const { return begin_[element]; }
  HelixFrame frame(int element, double s) const {
    const HelixArc arc(u[element], s);
    const HelixFrame& from = begin_[element];
    return {from.position + from.axes * arc.end(), from.axes * arc.rotation()};
  }

  // d position and rotation vector per unknown, of a point at s [m] in an element: dofs_of(element) of them.
  void jacobian(int element, double s, Vec3d position, Vec3d* shift, Vec3d* turn) const {
    move_with_root(position, shift, turn);
    for (int e = 0; e < element; ++e)
      for (int i = 0; i < 3; ++i) {
        const int at = first() + 3 * e + i;
        shift[at] = cross(turn_[e].column[i], position - begin_[e + 1].position) + drift_[e].column[i];
        if (turn != nullptr) turn[at] = turn_[e].column[i];
      }
    const HelixArc arc(u[element], s);
    const Mat3d theta = begin_[element].axes * arc.integral();
    for (int i = 0; i < 3; ++i) {
      const int at = first() + 3 * element + i;
      shift[at] = begin_[element].axes * arc.gradient(2, i);
      if (turn != nullptr) turn[at] = theta.column[i];
    }
  }

  // Adds sum f . d2 position / (du_i du_j), i >= j, to `matrix` (rows of max_dofs): what a force against f [N] at the
  // point adds to the stiffness. shift: of that point.
  void add_geometric(int element, double s, Vec3d position, const Vec3d* shift, Vec3d f, double* matrix) const {
    const HelixArc own(u[element], s);
    for (int e = element; e >= 0; --e) {
      const Vec3d c = position - begin_[e + 1].position, torque = cross(c, f);
      for (int i = 0; i < 3; ++i) {
        const int row = first() + 3 * e + i;
        const Vec3d moment = cross(shift[row], f);
        double* to = matrix + row * max_dofs;
        for (int k = 0; free_root && k < 3; ++k) to[3 + k] += moment[k];
        for (int d = 0; d < e; ++d)
          for (int j = 0; j < 3; ++j) to[first() + 3 * d + j] += dot(turn_[d].column[j], moment);
        for (int j = 0; j <= i; ++j) {
          double& value = to[first() + 3 * e + j];
          if (e == element) {
            value += dot(f, begin_[e].axes * own.curvature(i, j));
            continue;
          }
          const Vec3d wi = turn_[e].column[i], wj = turn_[e].column[j];
          value += dot(f, drift2_[e][packed(i, j)]) + dot(turn2_[e][packed(i, j)], torque) +
                   0.5 * (dot(wi, c) * dot(f, wj) + dot(wj, c) * dot(f, wi)) - dot(wi, wj) * dot(c, f);
        }
      }
    }
    if (!free_root) return;
    const Vec3d c = position - root.position;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j)
        matrix[(3 + i) * max_dofs + 3 + j] += 0.5 * (c[i] * f[j] + c[j] * f[i]) - (i == j ? dot(c, f) : 0.0);
  }

 private:
  static int packed(int i, int j) { return i * (i + 1) / 2 + j; }
  // Rounding would add up over thousands of substeps of a free root.
  static Mat3d orthonormal(const Mat3d& r) {
    const Vec3d t = r.column[2] / norm(r.column[2]);
    Vec3d m1 = r.column[0] - t * dot(r.column[0], t);
    m1 = m1 / norm(m1);
    return {m1, cross(t, m1), t};
  }
  void move_with_root(Vec3d position, Vec3d* shift, Vec3d* turn) const {
    for (int k = 0; free_root && k < 3; ++k) {
      Vec3d axis{0, 0, 0};
      axis[k] = 1;
      shift[k] = axis;
      shift[3 + k] = cross(axis, position - root.position);
      if (turn == nullptr) continue;
      turn[k] = {0, 0, 0};
      turn[3 + k] = axis;
    }
  }

  HelixFrame begin_[max_elements + 1];
  Mat3d turn_[max_elements], drift_[max_elements];          // omega_i, dr_Q/du_i
  Vec3d drift2_[max_elements][6], turn2_[max_elements][6];  // d2r_Q/du_i du_j, and of omega
};

}  // namespace ymir
