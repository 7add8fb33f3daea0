// Where the blocks of a sparse volume lie, and how far around a place there are none. Memory is proportional to the
// number of blocks, however far apart they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "ymir/base/hash.h"
#include "ymir/math/vec3.h"

namespace ymir {

class BlockIndex {
 public:
  // Block coordinates that can be stored: 21 bits each, with room for neighbours.
  static bool in_range(Vec3i b) {
    constexpr int limit = (1 << 20) - 2;
    return b.x > -limit && b.y > -limit && b.z > -limit && b.x < limit && b.y < limit && b.z < limit;
  }

  std::size_t size() const { return sets_.empty() ? 0 : sets_[0].size(); }
  bool empty() const { return size() == 0; }

  // Gives a block the next number, or leaves it the one it has.
  std::size_t add(Vec3i block) {
    for (int level = 0; level < levels; ++level) {
      if (sets_.size() <= static_cast<std::size_t>(level)) sets_.emplace_back();
      const std::int64_t had = sets_[static_cast<std::size_t>(level)].find(coarse(block, level));
      if (had >= 0) return level == 0 ? static_cast<std::size_t>(had) : size() - 1;
      sets_[static_cast<std::size_t>(level)].add(coarse(block, level));
    }
    return size() - 1;
  }
  std::int64_t find(Vec3i block) const {  // -1: none
    constexpr int limit = 1 << 20;        // beyond, keys repeat
    if (sets_.empty() || std::max({std::abs(block.x), std::abs(block.y), std::abs(block.z)}) >= limit) return -1;
    return sets_[0].find(coarse(block, 0));
  }
  // Of a block that is not there: how many times 3 bits its coordinates can be shifted until a block is near. The cube
  // of blocks with the same shifted coordinates is empty.
  int empty_shift(Vec3i block) const {
    for (int level = levels - 1; level > 0; --level)
      if (sets_.empty() || sets_[static_cast<std::size_t>(level)].find(coarse(block, level)) < 0) return 3 * level;
    return 0;
  }

 private:
  static constexpr int levels = 7;  // cubes of 1, 8, 64, ... 262144 blocks a side

  static std::uint64_t coarse(Vec3i b, int level) {
    constexpr std::uint64_t mask = (1u << 21) - 1;
    const auto part = [&](int c) { return static_cast<std::uint64_t>(c >> (3 * level)) & mask; };
    return part(b.x) | (part(b.y) << 21) | (part(b.z) << 42);
  }

  // Keys and the order they came in; open addressing, at most half full.
  class KeySet {
   public:
    std::size_t size() const { return count_; }
    std::int64_t find(std::uint64_t key) const {
      for (std::size_t i = mix64(key) & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
        if (slots_[i].number < 0) return -1;
        if (slots_[i].key == key) return slots_[i].number;
      }
    }
    void add(std::uint64_t key) {
      if (2 * (count_ + 1) > slots_.size()) grow();
      put({key, static_cast<std::int64_t>(count_++)});
    }

   private:
    struct Slot {
      std::uint64_t key = 0;
      std::int64_t number = -1;
    };
    void put(const Slot& slot) {
      std::size_t i = mix64(slot.key) & (slots_.size() - 1);
      while (slots_[i].number >= 0) i = (i + 1) & (slots_.size() - 1);
      slots_[i] = slot;
    }
    void grow() {
      std::vector<Slot> old(2 * slots_.size());
      old.swap(slots_);
      for (const Slot& slot : old)
        if (slot.number >= 0) put(slot);
    }

    std::vector<Slot> slots_ = std::vector<Slot>(16);
    std::size_t count_ = 0;
  };

  std::vector<KeySet> sets_;
};

}  // namespace ymir
