#include "ymir/solvers/nodal_contact/contact_lanes.h"

#include <algorithm>
#include <tuple>
#include <utility>

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
  Slots(const ContactList& list, const NodeContact& c, std::span<const std::int32_t> first,
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

// The blocks of a contact, ascending; a second one that is the first: there is one only. More than two: loose.
struct Blocks {
  std::int32_t first = -1, second = -1;
  bool loose = false;

  Blocks(const Slots& slots, std::span<const std::int32_t> block_of) {
    for (const std::int32_t node : slots.nodes()) {
      const std::int32_t b = block_of[static_cast<std::size_t>(node)];
      if (first < 0) first = second = b;
      if (b == first || b == second) continue;
      loose = loose || first != second;
      second = b;
    }
    if (first > second) std::swap(first, second);
  }
};

}  // namespace

struct ContactLanes::Order {
  std::int32_t phase, first, second, colour, slots, contact;

  bool same_task(const Order& b) const { return phase == b.phase && first == b.first && second == b.second; }
  bool operator<(const Order& b) const {
    return std::tie(phase, first, second, colour, slots, contact) <
           std::tie(b.phase, b.first, b.second, b.colour, b.slots, b.contact);
  }
};

std::vector<ContactLanes::Order> ContactLanes::order(const ContactList& list, std::span<const std::int32_t> first_node,
                                                     std::span<const std::uint8_t> moves,
                                                     std::span<const std::int32_t> block_of) const {
  std::vector<Order> order, loose;
  for (std::size_t i = 0; i < list.contacts.size(); ++i) {
    const Slots s(list, list.contacts[i], first_node, moves);
    const Blocks b(s, block_of);
    (b.loose ? loose : order).push_back({0, b.first, b.second, 0, s.count(), static_cast<std::int32_t>(i)});
  }
  // Tasks within blocks are phase 0; those between them are coloured by blocks.
  std::sort(order.begin(), order.end());
  std::int32_t phases = 1, blocks = 0;
  for (const std::int32_t b : block_of) blocks = std::max(blocks, b + 1);
  GreedyColours by_block(static_cast<std::size_t>(blocks));
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::int32_t pair[] = {order[k].first, order[k].second};
    if (pair[0] == pair[1]) continue;
    const bool same = k > 0 && order[k - 1].first == pair[0] && order[k - 1].second == pair[1];
    order[k].phase = same ? order[k - 1].phase : 1 + by_block.next(pair);
    phases = std::max(phases, order[k].phase + 1);
  }
  std::sort(order.begin(), order.end());
  // Tasks of a phase share no nodes: their contacts can be coloured together, and new for every phase.
  GreedyColours by_node(moves.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k > 0 && order[k].phase != order[k - 1].phase) by_node.forget();
    const Slots s(list, list.contacts[static_cast<std::size_t>(order[k].contact)], first_node, moves);
    order[k].colour = by_node.next(s.nodes());
  }
  by_node.forget();
  for (Order& o : loose) {
    const Slots s(list, list.contacts[static_cast<std::size_t>(o.contact)], first_node, moves);
    o.phase = phases + by_node.next(s.nodes());
    o.first = o.second = 0;
    order.push_back(o);
  }
  std::sort(order.begin(), order.end());
  return order;
}

// Within a colour of a task contacts with as many nodes stand together.
void ContactLanes::group(const std::vector<Order>& order) {
  constexpr std::int32_t most = 256;  // groups of a task of loose contacts, which are of one colour
  phase_.assign(1, 0), task_.assign(1, 0), slot_.assign(1, 0), contact_.clear(), place_.assign(order.size(), -1);
  for (std::size_t i = 0; i < order.size();) {
    const Order first = order[i];
    std::int32_t slots = 0;
    for (int lane = 0; lane < lanes; ++lane) {
      const bool used = i < order.size() && order[i].same_task(first) && order[i].colour == first.colour;
      contact_.push_back(used ? order[i].contact : -1);
      if (!used) continue;
      place_[static_cast<std::size_t>(order[i].contact)] = static_cast<std::int32_t>(contact_.size()) - 1;
      slots = std::max(slots, order[i].slots);
      ++i;
    }
    slot_.push_back(slot_.back() + slots);
    const auto groups = static_cast<std::int32_t>(slot_.size()) - 1;
    const bool loose = first.first == first.second && first.phase > 0;
    if (i == order.size() || !order[i].same_task(first) || (loose && groups - task_.back() == most))
      task_.push_back(groups);
    if (i == order.size() || order[i].phase != first.phase)
      phase_.push_back(static_cast<std::int32_t>(task_.size()) - 1);
  }
}

void ContactLanes::build(const ContactList& list, std::span<const std::int32_t> first_node,
                         std::span<const std::uint8_t> moves, std::span<const std::int32_t> block_of) {
  group(order(list, first_node, moves, block_of));
  fill(list, first_node, moves);
}

void ContactLanes::fill(const ContactList& list, std::span<const std::int32_t> first_node,
                        std::span<const std::uint8_t> moves) {
  const std::int32_t nodes = first_node.back();
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
      const NodeContact& c = list.contacts[static_cast<std::size_t>(contact_[p])];
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
         bytes(inverse_w) + bytes(scale) + bytes(phase_) + bytes(task_) + bytes(slot_) + bytes(place_) +
         bytes(contact_);
}

}  // namespace ymir
