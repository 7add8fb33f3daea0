// A typed array of tuples: one channel of data, as stored in files and on meshes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "ymir/base/check.h"
#include "ymir/math/vec3.h"

namespace ymir {

enum class ScalarType : std::uint8_t { f32, f64, i32, i64, u8, u64 };

constexpr std::size_t size_of(ScalarType type) {
  switch (type) {
    case ScalarType::f32:
    case ScalarType::i32: return 4;
    case ScalarType::u8: return 1;
    default: return 8;
  }
}

// Maps a C++ element type to (scalar type, components).
template <class T>
struct ElementOf;
template <>
struct ElementOf<float> {
  static constexpr ScalarType type = ScalarType::f32;
  static constexpr int components = 1;
};
template <>
struct ElementOf<double> {
  static constexpr ScalarType type = ScalarType::f64;
  static constexpr int components = 1;
};
template <>
struct ElementOf<std::int32_t> {
  static constexpr ScalarType type = ScalarType::i32;
  static constexpr int components = 1;
};
template <>
struct ElementOf<std::int64_t> {
  static constexpr ScalarType type = ScalarType::i64;
  static constexpr int components = 1;
};
template <>
struct ElementOf<std::uint8_t> {
  static constexpr ScalarType type = ScalarType::u8;
  static constexpr int components = 1;
};
template <>
struct ElementOf<std::uint64_t> {
  static constexpr ScalarType type = ScalarType::u64;
  static constexpr int components = 1;
};
template <class T>
struct ElementOf<Vec3<T>> {
  static constexpr ScalarType type = ElementOf<T>::type;
  static constexpr int components = 3;
};

class Array {
 public:
  Array() = default;
  Array(ScalarType type, int components, std::size_t count)
      : type_(type), components_(components), bytes_(count * static_cast<std::size_t>(components) * size_of(type)) {}
  template <class T>
  static Array of(std::span<const T> values) {
    Array array(ElementOf<T>::type, ElementOf<T>::components, values.size());
    const auto bytes = std::as_bytes(values);
    array.bytes_.assign(bytes.begin(), bytes.end());
    return array;
  }
  template <class T>
  static Array of(const std::vector<T>& values) {
    return of(std::span<const T>(values));
  }

  ScalarType type() const { return type_; }
  int components() const { return components_; }
  std::size_t stride() const { return static_cast<std::size_t>(components_) * size_of(type_); }
  std::size_t count() const { return bytes_.size() / stride(); }
  void resize(std::size_t count) { bytes_.resize(count * stride()); }

  std::vector<std::byte>& bytes() { return bytes_; }
  const std::vector<std::byte>& bytes() const { return bytes_; }

  template <class T>
  bool holds() const {
    return type_ == ElementOf<T>::type && components_ == ElementOf<T>::components;
  }
  // Elements as T; a CHECK fails when the array holds another type.
  template <class T>
  std::span<T> as() {
    YMIR_CHECK(holds<T>());
    return {reinterpret_cast<T*>(bytes_.data()), count()};
  }
  template <class T>
  std::span<const T> as() const {
    YMIR_CHECK(holds<T>());
    return {reinterpret_cast<const T*>(bytes_.data()), count()};
  }

 private:
  ScalarType type_ = ScalarType::f32;
  int components_ = 1;
  std::vector<std::byte> bytes_;
};

}  // namespace ymir
