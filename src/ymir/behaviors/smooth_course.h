// A number that changes over time from key to key.
#pragma once

#include <string>
#include <vector>

#include "ymir/base/error.h"

namespace ymir {

struct CourseKey {
  double time;  // [s]
  double value;
};

// Throws Error, beginning with `path`, where times do not increase.
inline void require_increasing(const std::vector<CourseKey>& keys, const std::string& path) {
  for (std::size_t i = 1; i < keys.size(); ++i)
    if (!(keys[i].time > keys[i - 1].time))
      throw Error(ExitCode::bad_input, path + ": times must increase from entry to entry");
}

// From key to key without a jump of its rate, 3 s^2 - 2 s^3; held before the first and after the last. `otherwise`:
// where there are no keys.
inline double value_at(const std::vector<CourseKey>& keys, double time, double otherwise) {
  if (keys.empty()) return otherwise;
  if (time <= keys.front().time) return keys.front().value;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (time > keys[i].time) continue;
    const double s = (time - keys[i - 1].time) / (keys[i].time - keys[i - 1].time);
    return keys[i - 1].value + (keys[i].value - keys[i - 1].value) * (s * s * (3 - 2 * s));
  }
  return keys.back().value;
}

}  // namespace ymir
