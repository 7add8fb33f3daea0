// Plain values to message bytes and back.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "ymir/parallel/communicator.h"

namespace ymir {

template <class T>
Bytes to_bytes(const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

template <class T>
std::vector<T> from_bytes(std::span<const std::byte> bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace ymir
