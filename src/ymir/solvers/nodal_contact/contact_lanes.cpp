#include "ymir/solvers/nodal_contact/contact_lanes.h"

#include <algorithm>
#include <tuple>

#include "ymir/base/check.h"
#include "ymir/solvers/nodal_contact/colouring.h"

namespace ymir {
namespace {

struct Slot {
  std::int32_t node;
  double weight;
};

// Nodes of a contact in the arrays, each once, ascending, those that move: the weights of both sides of one add up.
class Slots {
 public:
  Slots(const ContactList& list, const Contact& c, std::span<const std::int32_t> first,
        std::span<const std::uint8_t> moves) {
    YMIR_CHECK(c.nodes <= ContactList::most_nodes);
    for (const ContactNode& n : list.nodes_of(c)) {
      const std::int32_t node = first[static_cast<std::size_t>(n.body)] + n.node;
      YMIR_CHECK(node < first[static_cast<std::size_t>(n.body) + 1]);
      if (moves[static_cast<std::size_t>(node)]) slot_[count_++] = {node, n.weight};
    }
    std::sort(slot_, slot_ + count_, [](const Slot& a, const Slot& b) { return a.node < b.node; });
    int kept = 0;
    for (int i = 0; i < count_; ++i)
      if (kept > 0 && slot_[kept - 1].node == slot_[i].node)
        slot_[kept - 1].weight += slot_[i].weight;
      else
        slot_[kept++] = slot_[i];
    count_ = static_cast<int>(std::remove_if(slot_, slot_ + kept, [](const Slot& s) { return s.weight == 0; }) - slot_);
    for (int i = 0; i < count_; ++i) nodes_[i] = slot_[i].node;
  }
  int count() const { return count_; }
  const Slot& operator[](int i) const { return slot_[i]; }
  std::span<const std::int32_t> nodes() const { return {nodes_, static_cast<std::size_t>(count_)}; }

 private:
  Slot slot_[ContactList::most_nodes];
  std::int32_t nodes_[ContactList::most_nodes];
  int count_ = 0;
};

}  // namespace

void ContactLanes::build(const ContactList& list, std::span<const std::int32_t> first_node,
                         std::span<const std::uint8_t> moves) {
  const std::size_t count = list.contacts.size();
  const std::int32_t nodes = first_node.back();
  struct Order {
    std::int32_t colour, slots, contact;
    bool operator<(const Order& b) const {
      return std::tie(colour, slots, contact) < std::tie(b.colour, b.slots, b.contact);
    }
  };
  std::vector<Order> order(count);
  GreedyColours colours(moves.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Slots s(list, list.contacts[i], first_node, moves);
    order[i] = {colours.next(s.nodes()), s.count(), static_cast<std::int32_t>(i)};
  }
  // Within a colour contacts with as many nodes stand together, in the order of the list.
  std::sort(order.begin(), order.end());

  colour_.assign(1, 0), slot_.assign(1, 0), contact_.clear(), place_.assign(count, -1);
  for (std::size_t i = 0; i < count;) {
    const std::int32_t colour = order[i].colour;
    std::int32_t slots = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      const bool used = i < count && order[i].colour == colour;
      contact_.push_back(used ? order[i].contact : -1);
      if (!used) continue;
      place_[static_cast<std::size_t>(order[i].contact)] = static_cast<std::int32_t>(contact_.size()) - 1;
      slots = std::max(slots, order[i].slots);
      ++i;
    }
    slot_.push_back(slot_.back() + slots);
    if (i == count || order[i].colour != colour) colour_.push_back(static_cast<std::int32_t>(slot_.size()) - 1);
  }

  const std::size_t groups = contact_.size() / lanes, slots = static_cast<std::size_t>(slot_.back());
  const Real zero = Real::all(0);
  weight.assign(slots, zero), node.assign(slots, {});
  normal.assign(groups, {zero, zero, Real::all(1)});
  free.assign(groups, {zero, zero, zero}), impulse = free;
  friction.assign(groups, zero), inverse_w = friction, scale = friction;
  spare_ = 0;
  for (std::size_t p = 0; p < contact_.size(); ++p) {
    const std::size_t group = p / lanes;
    const int lane = static_cast<int>(p % lanes);
    int k = 0;
    if (contact_[p] >= 0) {
      const Contact& c = list.contacts[static_cast<std::size_t>(contact_[p])];
      const Slots s(list, c, first_node, moves);
      for (; k < s.count(); ++k) {
        weight[static_cast<std::size_t>(slot_[group] + k)].set(lane, s[k].weight);
        node[static_cast<std::size_t>(slot_[group] + k)].at[lane] = 4 * s[k].node;
      }
      for (int axis = 0; axis < 3; ++axis) normal[group][axis].set(lane, c.normal[axis]);
      friction[group].set(lane, c.friction);
    }
    for (; k < slot_[group + 1] - slot_[group]; ++k)
      node[static_cast<std::size_t>(slot_[group] + k)].at[lane] = 4 * (nodes + spare_++);
  }
}

std::size_t ContactLanes::memory() const {
  const auto bytes = [](const auto& v) { return v.size() * sizeof(v[0]); };
  return bytes(weight) + bytes(node) + bytes(normal) + bytes(free) + bytes(impulse) + bytes(friction) +
         bytes(inverse_w) + bytes(scale) + bytes(colour_) + bytes(slot_) + bytes(place_) + bytes(contact_);
}

}  // namespace ymir
