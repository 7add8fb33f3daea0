// Counter-based random numbers: the value depends only on (seed, index, draw), never on threads, ranks or history.
#pragma once

#include <cstdint>

#include "ymir/base/hash.h"

namespace ymir {

class Random {
 public:
  constexpr Random(std::uint64_t seed, std::uint64_t index) : key_(hash_combine(mix64(seed + 1), index)) {}

  constexpr std::uint64_t bits() { return hash_combine(key_, ++draw_); }
  // Uniform in [0, 1), 53 bits.
  constexpr double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  constexpr double uniform(double low, double high) { return low + (high - low) * uniform(); }

 private:
  std::uint64_t key_;
  std::uint64_t draw_ = 0;
};

}  // namespace ymir
