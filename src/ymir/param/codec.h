// Which C++ types a parameter may have, and how each passes through ParamValue.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ymir/base/check.h"
#include "ymir/param/schema_info.h"
#include "ymir/param/varying.h"

namespace ymir {

template <class T>
const T& held(const ParamValue& value) {
  const T* found = std::get_if<T>(&value);
  YMIR_CHECK(found != nullptr);
  return *found;
}

template <class T, class Stored, ParamType kind>
struct PlainCodec {
  using Scalar = T;
  static constexpr ParamType type = kind;
  static constexpr bool needs_unit = kind == ParamType::real || kind == ParamType::vector || kind == ParamType::list;
  static constexpr bool varying = false;
  static constexpr bool optional = false;
  static ParamValue get(const T& member) { return Stored(member); }
  static void set(T& member, const ParamValue& value) { member = static_cast<T>(held<Stored>(value)); }
};

template <class T>
struct Codec;
template <>
struct Codec<bool> : PlainCodec<bool, bool, ParamType::boolean> {};
template <>
struct Codec<std::int64_t> : PlainCodec<std::int64_t, std::int64_t, ParamType::integer> {};
template <>
struct Codec<int> : PlainCodec<int, std::int64_t, ParamType::integer> {
  static void set(int& member, const ParamValue& value) {
    YMIR_CHECK(std::in_range<int>(held<std::int64_t>(value)));
    member = static_cast<int>(held<std::int64_t>(value));
  }
};
template <>
struct Codec<double> : PlainCodec<double, double, ParamType::real> {};
template <>
struct Codec<Vec3d> : PlainCodec<Vec3d, Vec3d, ParamType::vector> {};
template <>
struct Codec<std::string> : PlainCodec<std::string, std::string, ParamType::text> {};
template <>
struct Codec<std::vector<double>> : PlainCodec<std::vector<double>, std::vector<double>, ParamType::list> {};
template <>
struct Codec<FrameRange> : PlainCodec<FrameRange, FrameRange, ParamType::frames> {};

template <>
struct Codec<InputRef> : PlainCodec<std::string, std::string, ParamType::input> {
  static ParamValue get(const InputRef& member) { return member.name; }
  static void set(InputRef& member, const ParamValue& value) { member.name = held<std::string>(value); }
};
template <>
struct Codec<GroupRef> : PlainCodec<std::string, std::string, ParamType::group> {
  static ParamValue get(const GroupRef& member) { return member.path; }
  static void set(GroupRef& member, const ParamValue& value) { member.path = held<std::string>(value); }
};

// By number here; Schema::enumerated() puts the names around it.
template <class E>
requires std::is_enum_v<E>
struct Codec<E> : PlainCodec<E, std::int64_t, ParamType::choice> {
};

template <class T>
struct Codec<Varying<T>> : Codec<T> {
  static constexpr bool varying = true;
  static ParamValue get(const Varying<T>& member) { return Codec<T>::get(member.value); }
  static void set(Varying<T>& member, const ParamValue& value) { Codec<T>::set(member.value, value); }
};

template <class T>
struct Codec<std::optional<T>> : Codec<T> {
  static constexpr bool optional = true;
  static ParamValue get(const std::optional<T>& member) { return member ? Codec<T>::get(*member) : ParamValue(); }
  static void set(std::optional<T>& member, const ParamValue& value) {
    member.reset();
    if (!std::holds_alternative<std::monostate>(value)) Codec<T>::set(member.emplace(T{}), value);
  }
};

// Replaces a choice's number by its name, outside and in.
void name_choices(ParamInfo& info, std::vector<std::pair<std::string, std::int64_t>> names);

}  // namespace ymir
