// Words of a text file as checked numbers. `In` is what they were read from: it has fail() and remaining().
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string_view>

#include "ymir/base/reach.h"
#include "ymir/cache/formats/bounded_reader.h"
#include "ymir/math/vec3.h"

namespace ymir {

// "what which" names the value in messages, "node 7" or "point 3".
template <class In>
double finite_number(const In& in, std::string_view word, std::string_view what, std::int64_t which) {
  double value = 0;
  if (word.empty())
    in.fail(fmt::format("the data ends within {} {}; the file is truncated: export it again", what, which));
  if (!parse_number(word, value) || !fits_in_frames(value))
    in.fail(fmt::format("{} {}: {} is not a finite number that 32 bits can hold; repair it and export the file again",
                        what, which, printable(word)));
  return value;
}

template <class In>
Vec3d finite_position(In& in, std::string_view what, std::int64_t which) {
  Vec3d p;
  for (int axis = 0; axis < 3; ++axis) p[axis] = finite_number(in, in.next_word(), what, which);
  return p;
}

template <class In>
std::int64_t whole_number(const In& in, std::string_view word, std::string_view what) {
  std::int64_t value = 0;
  if (!parse_integer(word, value))
    in.fail(word.empty() ? fmt::format("expected {}, but the data ends; the file is truncated: export it again", what)
                         : fmt::format("expected {}, found {}; export the file again", what, printable(word)));
  return value;
}

// Not below 0, and no more than the bytes that remain can hold when each takes `bytes` or more, its separator included.
template <class In>
std::size_t bounded_count(const In& in, std::string_view word, std::size_t bytes, std::string_view what) {
  const std::int64_t count = whole_number(in, word, fmt::format("the number of {}", what));
  // The last value of a file needs no separator.
  if (count < 0 || static_cast<std::uint64_t>(count) > (in.remaining() + 1) / bytes)
    in.fail(
        fmt::format("{} {} cannot be stored in the {} bytes that remain; the file is truncated or its counts are "
                    "wrong: export it again",
                    count, what, in.remaining()));
  return static_cast<std::size_t>(count);
}

}  // namespace ymir
