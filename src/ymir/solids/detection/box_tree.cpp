#include "ymir/solids/detection/box_tree.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "ymir/base/check.h"

namespace ymir {
namespace {

constexpr int element_bits = 28, digit_bits = 12, digits = 3;

// Two zeros after each of 12 bits.
std::uint64_t spread_bits(std::uint64_t x) {
  x = (x | x << 16) & 0x0000000ff0000ffull;
  x = (x | x << 8) & 0x000000f00f00f00full;
  x = (x | x << 4) & 0x00000c30c30c30c3ull;
  return (x | x << 2) & 0x0000249249249249ull;
}

}  // namespace

std::uint64_t morton_key(Vec3d place, Vec3d low, double cells_per_metre, std::int32_t element) {
  YMIR_CHECK(element >= 0 && element < 1 << element_bits);
  std::uint64_t key = 0;
  for (int k = 0; k < 3; ++k) {
    const double cell = (place[k] - low[k]) * cells_per_metre;
    const double inside = cell > 0 ? std::min(cell, 4095.0) : 0;  // also where it is not a number
    key |= spread_bits(static_cast<std::uint64_t>(inside)) << k;
  }
  return key << element_bits | static_cast<std::uint64_t>(element);
}

void BoxTree::arrange() {
  const std::size_t count = keys_.size();
  // Least significant digit first: elements of one cell stay in order.
  sorted_keys_.resize(keys_.size());
  std::vector<std::uint32_t> first(std::size_t{1} << digit_bits);
  for (int digit = 0; digit < digits; ++digit) {
    const int shift = element_bits + digit * digit_bits;
    const auto value = [&](std::uint64_t key) { return (key >> shift) & ((1u << digit_bits) - 1); };
    std::fill(first.begin(), first.end(), 0);
    for (const std::uint64_t key : keys_) ++first[value(key)];
    std::uint32_t sum = 0;
    for (std::uint32_t& f : first) sum += std::exchange(f, sum);
    for (const std::uint64_t key : keys_) sorted_keys_[first[value(key)]++] = key;
    keys_.swap(sorted_keys_);
  }
  order_.resize(keys_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i)
    order_[i] = static_cast<std::int32_t>(keys_[i] & ((1u << element_bits) - 1));

  Block empty;
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < width; ++i) {
      empty.low[k][i] = std::numeric_limits<float>::infinity();
      empty.high[k][i] = -std::numeric_limits<float>::infinity();
    }
  std::size_t level = 0;
  for (std::size_t nodes = count; count > 0; ++level) {
    nodes = (nodes + width - 1) / width;
    if (levels_.size() <= level) levels_.emplace_back();
    levels_[level].assign(nodes, empty);
    if (nodes == 1) break;
  }
  levels_.resize(count > 0 ? level + 1 : 0);
}

BoxTree::Bounds BoxTree::bounds_of(const Block& block) {
  Bounds box;
  for (int k = 0; k < 3; ++k) {
    float low = block.low[k][0], high = block.high[k][0];
    for (int i = 1; i < width; ++i) {
      low = block.low[k][i] < low ? block.low[k][i] : low;
      high = block.high[k][i] > high ? block.high[k][i] : high;
    }
    box.low[k] = low;
    box.high[k] = high;
  }
  return box;
}

double BoxTree::surface(const Bounds& box) {
  const double x = box.high[0] - box.low[0], y = box.high[1] - box.low[1], z = box.high[2] - box.low[2];
  return x * y + y * z + z * x;
}

void BoxTree::fit_above() {
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    const std::vector<Block>& below_it = levels_[level - 1];
    std::vector<Block>& blocks = levels_[level];
    parallel_blocks(static_cast<std::ptrdiff_t>(below_it.size()), 1024, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t c = begin; c < end; ++c) {
        const Bounds box = bounds_of(below_it[static_cast<std::size_t>(c)]);
        Block& block = blocks[static_cast<std::size_t>(c / width)];
        for (int k = 0; k < 3; ++k) {
          block.low[k][c % width] = box.low[k];
          block.high[k][c % width] = box.high[k];
        }
      }
    });
  }
  double blocks = 0, elements = 0;
  for (const double s : block_surface_) blocks += s;
  for (const double s : element_surface_) elements += s;
  spread_ = elements > 0 ? blocks / elements : 1;
  if (!fitted_) first_spread_ = spread_;
  fitted_ = true;
}

}  // namespace ymir
