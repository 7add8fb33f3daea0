// Reading what a frame may or may not hold.
#pragma once

#include <span>
#include <string_view>

#include "ymir/data/frame.h"

namespace ymir {

// A channel as T, or nothing when it is absent, of another type, or shorter than needed.
template <class T>
std::span<const T> channel_of(const ObjectState& object, std::string_view name, std::size_t count = 0) {
  const auto it = object.channels.find(name);
  if (it == object.channels.end() || !it->second.holds<T>() || it->second.count() < count) return {};
  return it->second.as<T>();
}

// The same where it lives on that place.
template <class T>
std::span<const T> channel_on(const ObjectState& object, Place place, std::string_view name, std::size_t count) {
  const auto it = object.channels.find(name);
  return it == object.channels.end() || it->second.place != place ? std::span<const T>()
                                                                  : channel_of<T>(object, name, count);
}

inline double number_of(const ObjectState& object, std::string_view name, double otherwise) {
  const auto it = object.attributes.find(name);
  if (it == object.attributes.end()) return otherwise;
  if (const auto* real = std::get_if<double>(&it->second)) return *real;
  if (const auto* integer = std::get_if<std::int64_t>(&it->second)) return static_cast<double>(*integer);
  return otherwise;
}

}  // namespace ymir
