// Greedy colouring of items that share resources: each takes, in order, the smallest colour that none of its resources
// has yet.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace ymir {

class GreedyColours {
 public:
  explicit GreedyColours(std::size_t resources) : resources_(resources), used_(resources) {}

  int next(std::span<const std::int32_t> shared) {
    for (std::size_t word = 0;; ++word) {
      if (word == words_) grow();
      std::uint64_t taken = 0;
      for (const std::int32_t r : shared) taken |= at(r, word);
      if (taken == ~std::uint64_t{0}) continue;
      const int bit = std::countr_one(taken);
      for (const std::int32_t r : shared) at(r, word) |= std::uint64_t{1} << bit;
      return static_cast<int>(64 * word) + bit;
    }
  }

  // All resources are free again.
  void forget() { std::fill(used_.begin(), used_.end(), 0); }

 private:
  std::uint64_t& at(std::int32_t r, std::size_t word) { return used_[word * resources_ + static_cast<std::size_t>(r)]; }
  void grow() {
    ++words_;
    used_.resize(words_ * resources_, 0);
  }

  std::size_t resources_, words_ = 1;
  std::vector<std::uint64_t> used_;
};

}  // namespace ymir
