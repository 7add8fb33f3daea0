// Pairs of elements whose boxes overlap, of one tree or of two, found from the top down on all threads.
#pragma once

#include <bit>

#include "ymir/solids/detection/box_tree.h"

namespace ymir {

class BoxPairs {
 public:
  // leaf(slot, block, lanes): the element at `slot` of a overlaps those `lanes` of a block of b. Within one tree every
  // pair is found once. Called from any thread.
  template <class Leaf>
  void find(const BoxTree& a, const BoxTree& b, const Leaf& leaf) {
    if (a.top() < 0 || b.top() < 0) return;
    const bool self = &a == &b;
    nodes_.assign(1, Node{0, 0});
    int la = a.top(), lb = b.top();
    // Enough pairs of nodes that threads share the work evenly.
    while ((la > 0 || lb > 0) && nodes_.size() < 1024) {
      next_.clear();
      for (const Node& node : nodes_)
        for_children(a, la, b, lb, self, node, [&](const Node& child) { next_.push_back(child); });
      descend(la, lb);
      nodes_.swap(next_);
    }
    // Few elements are not worth waking threads for.
    if (a.size() + b.size() < 2048) {
      for (const Node& node : nodes_) visit(a, la, b, lb, self, node, leaf);
      return;
    }
    parallel_for(static_cast<std::ptrdiff_t>(nodes_.size()),
                 [&](std::ptrdiff_t i) { visit(a, la, b, lb, self, nodes_[static_cast<std::size_t>(i)], leaf); });
  }

 private:
  struct Node {
    std::int32_t a, b;
  };
  // The higher of the two, or both.
  static void descend(int& la, int& lb) {
    const int higher = la > lb ? la : lb;
    la -= la == higher;
    lb -= lb == higher;
  }
  template <class Visit>
  static void for_each(unsigned lanes, const Visit& visit) {
    for (; lanes != 0; lanes &= lanes - 1) visit(std::countr_zero(lanes));
  }

  template <class Visit>
  static void for_children(const BoxTree& a, int la, const BoxTree& b, int lb, bool self, const Node& node,
                           const Visit& visit) {
    constexpr std::int32_t width = BoxTree::width;
    if (la != lb) {
      const bool first = la > lb;
      const unsigned lanes = first ? BoxTree::overlaps(a.block(la, node.a), b.bounds(lb, node.b))
                                   : BoxTree::overlaps(b.block(lb, node.b), a.bounds(la, node.a));
      for_each(lanes, [&](std::int32_t i) {
        visit(first ? Node{node.a * width + i, node.b} : Node{node.a, node.b * width + i});
      });
      return;
    }
    const BoxTree::Block &of_a = a.block(la, node.a), &of_b = b.block(lb, node.b);
    const bool same = self && node.a == node.b;
    for_each(same ? 0xffu : BoxTree::overlaps(of_a, b.bounds(lb, node.b)), [&](std::int32_t i) {
      // Also itself, in a tree: its elements meet each other.
      const unsigned lanes = BoxTree::overlaps(of_b, of_a.lane(i)) & (same ? 0xffu << i : 0xffu);
      for_each(lanes, [&](std::int32_t j) { visit(Node{node.a * width + i, node.b * width + j}); });
    });
  }

  template <class Leaf>
  static void visit(const BoxTree& a, int la, const BoxTree& b, int lb, bool self, const Node& node, const Leaf& leaf) {
    if (la > 0 || lb > 0) {
      int next_a = la, next_b = lb;
      descend(next_a, next_b);
      for_children(a, la, b, lb, self, node,
                   [&](const Node& child) { visit(a, next_a, b, next_b, self, child, leaf); });
      return;
    }
    const BoxTree::Block &of_a = a.block(0, node.a), &of_b = b.block(0, node.b);
    const bool same = self && node.a == node.b;
    for_each(same ? 0xffu : BoxTree::overlaps(of_a, b.bounds(lb, node.b)), [&](std::int32_t i) {
      const unsigned lanes = BoxTree::overlaps(of_b, of_a.lane(i)) & (same ? 0xfeu << i & 0xffu : 0xffu);
      if (lanes != 0) leaf(node.a * BoxTree::width + i, node.b, lanes);
    });
  }

  std::vector<Node> nodes_, next_;
};

}  // namespace ymir
