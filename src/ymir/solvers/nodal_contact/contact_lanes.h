// Contacts as the sweeps read them: in phases, tasks, and groups of four side by side.
//
// The four of a group have no node in common. A task is what one thread does in order: the contacts within a block of
// nodes (contact_blocks.h), or those between two blocks. Tasks of a phase have no block in common, so that they can run
// in any order and on any thread with the same bits; phases follow each other. Contacts of more than two blocks are
// coloured one by one: each colour is a phase.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/math/vec3.h"
#include "ymir/solvers/nodal_contact/nodal_body.h"
#include "ymir/solvers/nodal_contact/node_contact.h"

namespace ymir {

class ContactLanes {
 public:
  static constexpr int lanes = 4;
  using Real = Lanes<double, lanes>;
  using Vector = Vec3<Real>;
  // Offsets of the nodes of four contacts into an array of NodeVectors, in numbers.
  struct Nodes {
    alignas(16) std::int32_t at[lanes];
  };

  // first_node: of each body in the arrays of nodes; the last is their number. moves: whether a node does; block_of:
  // its block.
  void build(const ContactList& list, std::span<const std::int32_t> first_node, std::span<const std::uint8_t> moves,
             std::span<const std::int32_t> block_of);
  std::size_t memory() const;

  int phases() const { return static_cast<int>(phase_.size()) - 1; }
  std::int32_t first_task(int phase) const { return phase_[static_cast<std::size_t>(phase)]; }
  std::int32_t first_group(std::int32_t task) const { return task_[static_cast<std::size_t>(task)]; }
  std::int32_t groups() const { return static_cast<std::int32_t>(normal.size()); }
  // Nodes that lanes without a contact, and contacts with fewer nodes than their group, refer to: after all others,
  // each once, so that no two threads ever write one.
  std::int32_t spare_nodes() const { return spare_; }
  // Slots of a group: as many as its contact with most nodes has.
  std::int32_t first_slot(std::int32_t group) const { return slot_[static_cast<std::size_t>(group)]; }
  std::int32_t place_of(std::size_t contact) const { return place_[contact]; }  // lanes * group + lane
  std::int32_t contact_at(std::int32_t place) const { return contact_[static_cast<std::size_t>(place)]; }  // or -1

  // By slot.
  std::vector<Real> weight;
  std::vector<Nodes> node;
  // By group.
  std::vector<Vector> normal, free, impulse;  // impulse: r + c n
  std::vector<Real> friction;
  std::vector<Real> inverse_w;  // of w = sum N^2/D; 0: nothing moves
  std::vector<Real> scale;      // sum N^2 c, of errors

 private:
  struct Order;
  std::vector<Order> order(const ContactList& list, std::span<const std::int32_t> first_node,
                           std::span<const std::uint8_t> moves, std::span<const std::int32_t> block_of) const;
  void group(const std::vector<Order>& order);
  void fill(const ContactList& list, std::span<const std::int32_t> first_node, std::span<const std::uint8_t> moves);

  std::vector<std::int32_t> phase_, task_, slot_, place_, contact_;
  std::int32_t spare_ = 0;
};

}  // namespace ymir
