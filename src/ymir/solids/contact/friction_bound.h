// A bound of friction that follows the normal force of its contact from round to round.
//
// Friction that turns a sheet may raise its own normal force, or lower it: bounds would go to and fro, or away. Of each
// change the share is taken that would have ended the one before (Aitken's rule).
#pragma once

#include <algorithm>

namespace ymir {

struct FrictionBound {
  double value = 0;  // g
  double off = 0;    // of what it should have been, when it was last set
  double share = 1;  // of that it moves by

  void start(double bound) { *this = {bound, 0, 1}; }
  // most: shares of a change that may be taken.
  void follow(double wanted, double most) {
    constexpr double least = 0.05;
    const double now = wanted - value, before = off;
    if (before != 0 && now != before) {
      const double next = share * before / (before - now);
      share = next > 0 ? std::clamp(next, least, most) : 1;
    }
    off = now;
    value = wanted == 0 ? 0 : std::max(0.0, value + share * now);
  }
};

}  // namespace ymir
