// A contact as detection finds it and solvers of friction take it: two sides, each a point that follows few vertices.
//
//   u = sum_a N v - sum_b N v - carried/dt   relative velocity, N the weights [m/s];  u.normal + room()/dt >= 0
#pragma once

#include <array>
#include <cstdint>

#include "ymir/math/vec3.h"

namespace ymir {

enum class SideKind : std::uint8_t { point, fiber, edge, face, collider };

struct ContactSide {
  SideKind kind = SideKind::point;
  std::int32_t piece = -1;   // of the Boundary; the number of a collider
  std::int32_t element = 0;  // vertex, segment, edge or triangle of the Boundary, named as there; of a collider 0
  // x = sum of weights of vertices of the Boundary; -1: no vertex.
  std::array<std::int32_t, 3> vertex{-1, -1, -1};
  std::array<double, 3> weight{0, 0, 0};
};

// Which elements were compared.
enum class ContactFamily : std::uint8_t {
  fiber_fiber,
  fiber_face,   // vertices of fibres and faces, segments and edges of meshes
  vertex_face,  // vertices of meshes, and loose points
  edge_edge,    // of meshes
  point_fiber,  // loose points
  point_point,
  collider,
};
constexpr int contact_families = 7;

struct Contact {
  ContactFamily family = ContactFamily::fiber_fiber;
  bool vague = false;  // the two points coincide: the normal is a choice
  bool known = false;  // followed from the substep before
  ContactSide a, b;
  double arc_a = 0, arc_b = 0;  // along a fibre, from its first vertex [edges]
  double gap = 0;               // distance less radii [m]; negative: they overlap
  double overlap = 0;           // <= 0: what they may overlap for now, remembered from the beginning [m]
  Vec3d normal{0, 1, 0};        // from b to a
  Vec3d tangent{1, 0, 0};       // t1; t2 = normal x t1
  Vec3d impulse{0, 0, 0};       // on a, in world directions: to start from; then what the solver found [N s]
  Vec3d carried{0, 0, 0};       // way of side b in the substep where it is a collider, which has no vertices [m]

  double room() const { return gap - overlap; }  // what the step may close [m]
  Vec3d tangent2() const { return cross(normal, tangent); }
};

}  // namespace ymir
