// A parameter that a data channel of the same name may override per object or per primitive.
#pragma once

#include <utility>

namespace ymir {

template <class T>
struct Varying {
  T value{};

  constexpr Varying() = default;
  constexpr Varying(T v) : value(std::move(v)) {}
  constexpr operator const T&() const { return value; }
  friend constexpr bool operator==(const Varying&, const Varying&) = default;
};

}  // namespace ymir
