// How large numbers may be: frames hold 32 bits of each, and what does not fit there becomes infinite without a word.
#pragma once

#include <cmath>
#include <limits>

namespace ymir {

// Places and lengths [m]. Far beyond any scene: what is larger was written in another unit.
inline constexpr double farthest = 1e9;

inline constexpr double largest_number = std::numeric_limits<float>::max();

// Also false for what is not a number.
inline bool fits_in_frames(double value) { return std::abs(value) <= largest_number; }

}  // namespace ymir
