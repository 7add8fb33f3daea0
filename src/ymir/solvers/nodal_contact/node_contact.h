// Contacts between two bodies, or of one with a collider.
//
//   u = sum_a N_a v_a - sum_b N_b v_b + free       relative velocity [m/s]; gap speed included: u_N >= 0 keeps apart
//   |r_T| <= mu (r_N + c),  r_N >= -c,  u_N >= 0 and (r_N + c) u_N = 0,  u_T against r_T where it slides
//
// [Daviet, Bertails-Descoubes, Boissieux 2011; cohesion: Daviet, Bertails-Descoubes 2016]
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ymir/math/vec3.h"

namespace ymir {

struct ContactNode {
  std::int32_t body, node;
  double weight;  // N_a; negative on the second side
};

struct NodeContact {
  Vec3d normal{0, 0, 1};       // unit, from the second side to the first
  Vec3d free{0, 0, 0};         // u while v = 0 [m/s]
  Vec3d impulse{0, 0, 0};      // on the first side, in the world's axes: guess and result [N s]
  double friction = 0;         // mu
  double cohesion = 0;         // c, an impulse [N s]
  std::size_t first_node = 0;  // into ContactList::nodes; a collider has none
  int nodes = 0;
};

struct ContactList {
  static constexpr int most_nodes = 16;  // two rigid bodies of 8 corners each

  std::vector<NodeContact> contacts;
  std::vector<ContactNode> nodes;

  NodeContact& add(Vec3d normal, double friction) {
    NodeContact& c = contacts.emplace_back();
    c.normal = normal, c.friction = friction, c.first_node = nodes.size();
    return c;
  }
  // Of the contact added last. A node may stand on both sides.
  void touch(std::int32_t body, std::int32_t node, double weight) {
    nodes.push_back({body, node, weight});
    ++contacts.back().nodes;
  }
  std::span<const ContactNode> nodes_of(const NodeContact& c) const {
    return {nodes.data() + c.first_node, static_cast<std::size_t>(c.nodes)};
  }
};

}  // namespace ymir
