// A tree of boxes over elements in Morton order, without pointers: eight elements to a block, eight blocks to one
// above, so that one box is tested against eight in one vector register.
//
// Boxes are kept in single precision about an origin, rounded outwards. Elements that have moved need new boxes (fit),
// not a new order, until blocks have spread: `spread` is their surface by that of the elements in them. Which pairs of
// elements overlap depends on the order no more than rounding of boxes does; who asks tests what is found exactly.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "ymir/math/box.h"
#include "ymir/math/lane_bits.h"
#include "ymir/parallel/threads.h"

namespace ymir {

class BoxTree {
 public:
  static constexpr int width = 8;
  static constexpr double most_spread = 1.3;  // of what it was when they were ordered: order them again

  struct Bounds {
    float low[3], high[3];
  };
  struct Block {
    alignas(32) float low[3][width];
    alignas(32) float high[3][width];
    Bounds lane(int i) const { return {{low[0][i], low[1][i], low[2][i]}, {high[0][i], high[1][i], high[2][i]}}; }
  };

  // Orders elements by center(element) -> Vec3d; fit() has to follow.
  template <class Center>
  void order(std::span<const std::int32_t> elements, const Center& center);
  // New boxes of all elements, box(element, slot) -> Box, about an origin that trees to be compared have in common.
  template <class ElementBox>
  void fit(Vec3d origin, const ElementBox& box);
  bool spread_out() const { return !(spread_ <= most_spread * first_spread_); }

  std::int32_t size() const { return static_cast<std::int32_t>(order_.size()); }
  std::int32_t element(std::int32_t slot) const { return order_[static_cast<std::size_t>(slot)]; }
  int top() const { return static_cast<int>(levels_.size()) - 1; }  // -1: empty
  // Boxes of the children of a node: elements at level 0.
  const Block& block(int level, std::int32_t node) const {
    return levels_[static_cast<std::size_t>(level)][static_cast<std::size_t>(node)];
  }
  Bounds root() const { return bounds_of(block(top(), 0)); }
  // Box of a node.
  Bounds bounds(int level, std::int32_t node) const {
    return level == top() ? root() : block(level + 1, node / width).lane(node % width);
  }

  // Lanes of a block that overlap a box.
  static unsigned overlaps(const Block& block, const Bounds& box) {
    using F = Lanes<float, width>;
    const auto low = [&](int k) { return F::load(block.low[k]) <= box.high[k]; };
    const auto high = [&](int k) { return F::load(block.high[k]) >= box.low[k]; };
    return bits((low(0) & high(0)) & (low(1) & high(1)) & (low(2) & high(2)));
  }

 private:
  static Bounds bounds_of(const Block& block);
  static double surface(const Bounds& box);
  void arrange();
  void fit_above();
  // Rounded outwards: half an ulp is 2^-24 of the value.
  static float below(double x) { return static_cast<float>(x - std::abs(x) * 0x1p-23); }
  static float above(double x) { return static_cast<float>(x + std::abs(x) * 0x1p-23); }

  std::vector<std::int32_t> order_;
  std::vector<std::vector<Block>> levels_;
  std::vector<std::uint64_t> keys_, sorted_keys_;
  std::vector<double> block_surface_, element_surface_;  // sums of runs of blocks
  double spread_ = 0, first_spread_ = 0;
  bool fitted_ = false;  // since it was ordered
};

// Place on the Morton curve through a cube of 2^12 cells along each axis, in the upper 36 bits, and the element.
std::uint64_t morton_key(Vec3d place, Vec3d low, double cells_per_metre, std::int32_t element);

template <class Center>
void BoxTree::order(std::span<const std::int32_t> elements, const Center& center) {
  const auto count = static_cast<std::ptrdiff_t>(elements.size());
  Box all;
  for (const std::int32_t e : elements) all.include(center(e));
  keys_.resize(elements.size());
  const Vec3d size = all.size();
  const double longest = std::max({size.x, size.y, size.z}), scale = longest > 0 ? 4096 / longest : 0;
  parallel_blocks(count, 4096, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      keys_[i] = morton_key(center(elements[i]), all.low, scale, elements[i]);
  });
  arrange();
  fitted_ = false;
}

template <class ElementBox>
void BoxTree::fit(Vec3d origin, const ElementBox& box) {
  if (order_.empty()) return;
  constexpr std::ptrdiff_t run = 512;  // blocks
  std::vector<Block>& leaves = levels_[0];
  const auto count = static_cast<std::ptrdiff_t>(leaves.size());
  block_surface_.assign(static_cast<std::size_t>((count + run - 1) / run), 0);
  element_surface_.assign(block_surface_.size(), 0);
  parallel_blocks(count, run, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    double blocks = 0, elements = 0;
    for (std::ptrdiff_t b = begin; b < end; ++b) {
      Block& block = leaves[static_cast<std::size_t>(b)];
      const auto first = static_cast<std::int32_t>(b * width);
      for (int i = 0; i < width && first + i < size(); ++i) {
        const Box around = box(element(first + i), first + i);
        const bool lost = around.empty();  // or not a number: overlaps nothing, and does not spoil its block
        constexpr float inf = std::numeric_limits<float>::infinity();
        for (int k = 0; k < 3; ++k) {
          block.low[k][i] = lost ? inf : below(around.low[k] - origin[k]);
          block.high[k][i] = lost ? -inf : above(around.high[k] - origin[k]);
        }
        if (!lost) elements += surface(block.lane(i));
      }
      blocks += surface(bounds_of(block));
    }
    block_surface_[static_cast<std::size_t>(begin / run)] = blocks;
    element_surface_[static_cast<std::size_t>(begin / run)] = elements;
  });
  fit_above();
}

}  // namespace ymir
