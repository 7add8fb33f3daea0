#include "ymir/solvers/minimum_separator.h"

#include <algorithm>

namespace ymir {
namespace {

using Indices = std::vector<std::int32_t>;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// Each node of the band is an arc of capacity one from its entry, state 2 v, to its exit, state 2 v + 1; edges lead
// from exits to entries and carry any flow. Flow is kept as paths: whether a node is on one, and the node before it
// there.
class Flow {
 public:
  Flow(const Graph& graph, const std::vector<std::int8_t>& sides) : sides_(sides) {
    Indices name(sides.size(), -1);
    for (std::int32_t i = 0; i < graph.nodes(); ++i)
      if (sides[at(i)] == 2) {
        name[at(i)] = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back(i);
      }
    touches_[0].assign(nodes_.size(), 0);
    touches_[1].assign(nodes_.size(), 0);
    for (std::size_t v = 0; v < nodes_.size(); ++v) {
      for (const std::int32_t other : graph.of(nodes_[v])) {
        if (sides[at(other)] == 2)
          neighbours_.push_back(name[at(other)]);
        else
          touches_[sides[at(other)]][v] = 1;
      }
      starts_.push_back(static_cast<std::int32_t>(neighbours_.size()));
    }
    used_.assign(nodes_.size(), 0);
    before_.assign(nodes_.size(), -1);
    level_.resize(2 * nodes_.size());
    arc_.resize(2 * nodes_.size());
  }

  void run() {
    while (find_levels()) {
      std::fill(arc_.begin(), arc_.end(), 0);
      for (std::int32_t v = 0; v < count(); ++v)
        if (touches_[0][at(v)]) find_path(v);
    }
  }

  // What the last search could reach from side 0: the separator is entered and not left.
  std::vector<std::int8_t> nearest_first() const {
    return marked([&](std::size_t v) -> std::int8_t {
      return level_[2 * v + 1] >= 0 ? std::int8_t{0} : level_[2 * v] >= 0 ? std::int8_t{2} : std::int8_t{1};
    });
  }
  // What can reach side 1: the separator is left and not entered.
  std::vector<std::int8_t> nearest_second() const {
    std::vector<std::uint8_t> reaches(2 * nodes_.size(), 0);
    Indices queue;
    const auto visit = [&](std::int32_t state) {
      if (reaches[at(state)]) return;
      reaches[at(state)] = 1;
      queue.push_back(state);
    };
    for (std::int32_t v = 0; v < count(); ++v)
      if (touches_[1][at(v)]) visit(2 * v + 1);
    for (std::size_t k = 0; k < queue.size(); ++k) {
      const std::int32_t v = queue[k] / 2;
      const bool exit = queue[k] % 2 == 1;
      if (exit && !used_[at(v)]) visit(2 * v);
      if (!exit && used_[at(v)]) visit(2 * v + 1);
      for (std::int32_t e = starts_[at(v)]; e < starts_[at(v) + 1]; ++e) {
        const std::int32_t w = neighbours_[at(e)];
        if (!exit)
          visit(2 * w + 1);
        else if (used_[at(w)] && before_[at(w)] == v)
          visit(2 * w);
      }
    }
    return marked([&](std::size_t v) -> std::int8_t {
      return reaches[2 * v] ? std::int8_t{1} : reaches[2 * v + 1] ? std::int8_t{2} : std::int8_t{0};
    });
  }

 private:
  std::int32_t count() const { return static_cast<std::int32_t>(nodes_.size()); }

  template <class F>
  std::vector<std::int8_t> marked(F&& side) const {
    std::vector<std::int8_t> result = sides_;
    for (std::size_t v = 0; v < nodes_.size(); ++v) result[at(nodes_[v])] = side(v);
    return result;
  }

  // The k-th arc out of a state that flow may still take: another state, -1 for none there, -2 past the last, -3 for
  // side 1.
  std::int32_t follow(std::int32_t state, std::int32_t k) const {
    const std::int32_t v = state / 2;
    if (state % 2 == 0) {
      if (k == 0) return used_[at(v)] ? -1 : state + 1;
      if (k == 1) return used_[at(v)] && before_[at(v)] >= 0 ? 2 * before_[at(v)] + 1 : -1;
      return -2;
    }
    if (k == 0) return touches_[1][at(v)] ? -3 : -1;
    if (k == 1) return used_[at(v)] ? state - 1 : -1;
    const std::int32_t e = starts_[at(v)] + k - 2;
    return e < starts_[at(v) + 1] ? 2 * neighbours_[at(e)] : -2;
  }

  bool find_levels() {
    std::fill(level_.begin(), level_.end(), -1);
    queue_.clear();
    for (std::int32_t v = 0; v < count(); ++v)
      if (touches_[0][at(v)]) {
        level_[at(2 * v)] = 0;
        queue_.push_back(2 * v);
      }
    bool found = false;
    for (std::size_t k = 0; k < queue_.size(); ++k) {
      const std::int32_t state = queue_[k];
      for (std::int32_t arc = 0;; ++arc) {
        const std::int32_t next = follow(state, arc);
        if (next == -2) break;
        if (next == -3) found = true;
        if (next < 0 || level_[at(next)] >= 0) continue;
        level_[at(next)] = level_[at(state)] + 1;
        queue_.push_back(next);
      }
    }
    return found;
  }

  // One more path, from the entry of v, down the levels.
  void find_path(std::int32_t v) {
    path_.assign(1, 2 * v);
    while (!path_.empty()) {
      const std::int32_t state = path_.back(), next = follow(state, arc_[at(state)]);
      if (next == -3) return take_path();
      if (next == -2) {
        path_.pop_back();
        if (!path_.empty()) ++arc_[at(path_.back())];
      } else if (next >= 0 && level_[at(next)] == level_[at(state)] + 1) {
        path_.push_back(next);
      } else {
        ++arc_[at(state)];
      }
    }
  }

  void take_path() {
    for (std::size_t k = 0; k < path_.size(); ++k) {
      const std::int32_t v = path_[k] / 2;
      const bool exit = path_[k] % 2 == 1;
      if (exit) continue;
      const std::int32_t from = k > 0 ? path_[k - 1] / 2 : -1;
      if (from == v) {  // back through the node: it is free again
        used_[at(v)] = 0;
        before_[at(v)] = -1;
      } else {
        used_[at(v)] = 1;
        before_[at(v)] = from;
      }
    }
  }

  const std::vector<std::int8_t>& sides_;
  Indices nodes_, starts_{0}, neighbours_;  // of the band
  std::vector<std::uint8_t> touches_[2];    // a node of that side
  std::vector<std::uint8_t> used_;
  Indices before_;  // -1: side 0
  Indices level_, arc_, queue_, path_;
};

}  // namespace

MinimumSeparators minimum_separators(const Graph& graph, const std::vector<std::int8_t>& sides) {
  Flow flow(graph, sides);
  flow.run();
  return {{flow.nearest_first(), flow.nearest_second()}};
}

}  // namespace ymir
