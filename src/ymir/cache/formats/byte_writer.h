// Little-endian values gathered into bytes, for writers.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ymir {

class ByteWriter {
 public:
  template <class T>
  void put(T value) {
    static_assert(std::is_arithmetic_v<T>);
    put_array(std::span<const T>(&value, 1));
  }
  template <class T>
  void put_array(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(std::as_bytes(values));
  }
  void put_text(std::string_view text) { put_array(std::span(text.data(), text.size())); }

  std::span<const std::byte> bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void append(std::span<const std::byte> bytes);

  std::vector<std::byte> bytes_;
};

}  // namespace ymir
