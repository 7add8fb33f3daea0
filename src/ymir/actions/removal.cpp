#include "ymir/actions/removal.h"

#include "ymir/base/random.h"

namespace ymir {

PointRemoval remove_outside(std::string owner, const Box& bounds) {
  return {std::move(owner), "drop points out of bounds",
          [bounds](const PointBlock& block, const double*, const std::uint64_t*, std::span<std::uint8_t> dead) {
            for (int i = 0; i < block.count; ++i)
              if (!bounds.contains(block.position[i])) dead[static_cast<std::size_t>(i)] = 1;
          }};
}

PointRemoval remove_old(std::string owner, double max_age, double variation) {
  return {std::move(owner), "drop old points",
          [=](const PointBlock& block, const double* age, const std::uint64_t* id, std::span<std::uint8_t> dead) {
            for (int i = 0; i < block.count; ++i) {
              if (age[i] < max_age * (1 - variation)) continue;
              const double chance = Random(0x6c696665, id[i]).uniform(-1, 1);
              if (age[i] >= max_age * (1 + variation * chance)) dead[static_cast<std::size_t>(i)] = 1;
            }
          }};
}

}  // namespace ymir
