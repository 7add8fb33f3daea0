// One step of rigid bodies in exact Coulomb contact, by the solver alone: what the cases of coulomb_contact_test.cpp
// need.
#pragma once

#include <vector>

#include "ymir/solvers/coulomb/coulomb_solver.h"

namespace ymir::contact_bodies {

struct Body {
  double mass = 1;  // [kg]
  Vec3d inertia;    // about the axes [kg m2]
  Vec3d x, v, spin;
};

inline Body box(double mass, Vec3d half, Vec3d x) {
  return {
      mass,
      Vec3d{half.y * half.y + half.z * half.z, half.x * half.x + half.z * half.z, half.x * half.x + half.y * half.y} *
          (mass / 3),
      x,
      {},
      {}};
}

struct Contact {
  int a, b;          // bodies; b = -1: what does not move
  Vec3d at, normal;  // from b to a
  double mu;
  Vec3d belt{};     // velocity of what does not move [m/s]
  Vec3d impulse{};  // on a, as solved; where the next solve starts [N s]
};

inline Mat3d contact_frame(Vec3d n) {
  const Vec3d t = normalized(std::fabs(n.x) < 0.6 ? Vec3d{0, -n.z, n.y} : Vec3d{-n.y, n.x, 0});
  return {n, t, cross(n, t)};
}

struct Step {
  CoulombProblem problem;
  CoulombReport report;
};

// Velocities after gravity and contacts; positions follow.
inline Step step(std::vector<Body>& bodies, std::vector<Contact>& contacts, Vec3d gravity, double dt,
                 const CoulombOptions& options = {.tolerance = 1e-12}) {
  for (Body& body : bodies) body.v += gravity * dt;
  const auto turned = [](const Body& b, Vec3d torque) {
    return Vec3d{torque.x / b.inertia.x, torque.y / b.inertia.y, torque.z / b.inertia.z};
  };
  const auto side = [](const Contact& c, int s) { return s == 0 ? c.a : c.b; };
  std::vector<CoulombBlock> blocks;
  std::vector<Vec3d> q;
  std::vector<double> mu;
  const int n = static_cast<int>(contacts.size());
  for (int i = 0; i < n; ++i) {
    const Contact& ci = contacts[i];
    const Mat3d frame = transposed(contact_frame(ci.normal));
    Vec3d approach = -ci.belt;
    for (int si = 0; si < 2; ++si) {
      if (side(ci, si) < 0) continue;
      const Body& body = bodies[side(ci, si)];
      const double sign = si == 0 ? 1 : -1;
      approach += (body.v + cross(body.spin, ci.at - body.x)) * sign;
      for (int j = 0; j < n; ++j)
        for (int sj = 0; sj < 2; ++sj) {
          if (side(contacts[j], sj) != side(ci, si)) continue;
          const Mat3d other = contact_frame(contacts[j].normal);
          Mat3d w;
          for (int k = 0; k < 3; ++k) {
            const Vec3d f = other.column[k], spin = turned(body, cross(contacts[j].at - body.x, f));
            w.column[k] = frame * ((f / body.mass + cross(spin, ci.at - body.x)) * (si == sj ? 1.0 : -1.0));
          }
          blocks.push_back({i, j, w});
        }
    }
    q.push_back(frame * approach);
    mu.push_back(ci.mu);
  }
  Step result{coulomb_problem(std::move(blocks), std::move(q), std::move(mu)), {}};
  std::vector<Vec3d> r;
  for (const Contact& c : contacts) r.push_back(transposed(contact_frame(c.normal)) * c.impulse);
  result.report = solve_coulomb(result.problem, r, options);
  for (int i = 0; i < n; ++i) {
    Contact& c = contacts[i];
    c.impulse = contact_frame(c.normal) * r[i];
    for (int s = 0; s < 2; ++s) {
      if (side(c, s) < 0) continue;
      Body& body = bodies[side(c, s)];
      const Vec3d f = s == 0 ? c.impulse : -c.impulse;
      body.v += f / body.mass;
      body.spin += turned(body, cross(c.at - body.x, f));
    }
  }
  for (Body& body : bodies) body.x += body.v * dt;
  return result;
}

// Four corners of a box's lower side.
inline std::vector<Contact> corners(int a, int b, Vec3d centre, double half, double mu) {
  std::vector<Contact> found;
  for (int i = 0; i < 4; ++i)
    found.push_back({a, b, centre + Vec3d{i % 2 == 1 ? half : -half, i / 2 == 1 ? half : -half, 0}, {0, 0, 1}, mu});
  return found;
}

// k boxes of 1 kg, .2 x .2 x .1 m, on each other.
inline void stack(int k, double mu, std::vector<Body>& bodies, std::vector<Contact>& contacts) {
  for (int i = 0; i < k; ++i) {
    bodies.push_back(box(1, {0.1, 0.1, 0.05}, {0, 0, 0.05 + 0.1 * i}));
    for (const Contact& c : corners(i, i - 1, {0, 0, 0.1 * i}, 0.1, mu)) contacts.push_back(c);
  }
}

}  // namespace ymir::contact_bodies
