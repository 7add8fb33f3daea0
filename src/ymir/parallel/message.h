// A message put together piece by piece, and taken apart in the same order.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "ymir/base/check.h"
#include "ymir/parallel/communicator.h"

namespace ymir {

class MessageWriter {
 public:
  explicit MessageWriter(Bytes& bytes) : bytes_(&bytes) {}

  template <class T>
  void put(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto bytes = std::as_bytes(values);
    bytes_->insert(bytes_->end(), bytes.begin(), bytes.end());
  }
  template <class T>
  void put(const T& value) {
    put(std::span<const T>(&value, 1));
  }
  // With its length.
  template <class T>
  void put_list(const std::vector<T>& values) {
    put(values.size());
    put(std::span<const T>(values));
  }

 private:
  Bytes* bytes_;
};

class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  bool done() const { return bytes_.empty(); }

  template <class T>
  void get(std::span<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    YMIR_CHECK(bytes_.size() >= values.size_bytes());
    if (!values.empty()) std::memcpy(values.data(), bytes_.data(), values.size_bytes());
    bytes_ = bytes_.subspan(values.size_bytes());
  }
  template <class T>
  T get() {
    T value;
    get(std::span<T>(&value, 1));
    return value;
  }
  template <class T>
  std::vector<T> get_list() {
    std::vector<T> values(get<std::size_t>());
    get(std::span<T>(values));
    return values;
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace ymir
