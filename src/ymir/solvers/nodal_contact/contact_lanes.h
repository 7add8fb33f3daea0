// Contacts as the sweeps read them: coloured, four of one colour side by side.
//
// Contacts of a colour have no node in common, so that they can be swept in any order, on any thread and in lanes, with
// the same bits. Colours are given greedily in the order of the list.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/math/vec3.h"
#include "ymir/solvers/nodal_contact/contact.h"
#include "ymir/solvers/nodal_contact/nodal_body.h"

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

  // first_node: of each body in the arrays of nodes; the last is their number. moves: whether a node does.
  void build(const ContactList& list, std::span<const std::int32_t> first_node, std::span<const std::uint8_t> moves);
  std::size_t memory() const;

  int colours() const { return static_cast<int>(colour_.size()) - 1; }
  std::int32_t first_group(int colour) const { return colour_[static_cast<std::size_t>(colour)]; }
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
  std::vector<std::int32_t> colour_, slot_, place_, contact_;
  std::int32_t spare_ = 0;
};

}  // namespace ymir
