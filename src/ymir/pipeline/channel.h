// A channel of an Object: what it is, and how its values are read and put back. Frames, checkpoints, restoring, hashes
// and documentation are loops over an Object's list of them.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "ymir/data/channel_info.h"

namespace ymir {

struct Channel : ChannelInfo {
  std::function<Array()> read;  // values of this rank, on all ranks together; empty: only inputs know it
  // Takes this rank's values back, of the type they are read as; false: another number of them. Empty: the object
  // takes several channels at once, in its own restore().
  std::function<bool(const Array&)> write;
  std::function<std::uint64_t(std::uint64_t seed)> hash;  // empty: of the bytes that are read
};

enum class Use : std::uint8_t { shown = 1, kept = 2, writable = 4 };
constexpr Use operator|(Use a, Use b) {
  return static_cast<Use>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool operator&(Use a, Use b) { return (static_cast<std::uint8_t>(a) & static_cast<std::uint8_t>(b)) != 0; }

template <class T>
ChannelInfo described(std::string name, Place place, std::string unit, std::string doc, Use use) {
  return {std::move(name),          place,           ElementOf<T>::type,
          ElementOf<T>::components, std::move(unit), std::move(doc),
          use & Use::shown,         use & Use::kept, use & Use::writable};
}

// The values are a member of the object.
template <class T, class Owner>
Channel stored(ChannelInfo info, Owner* owner, std::vector<T> Owner::*values) {
  return {std::move(info),
          [=] { return Array::of(owner->*values); },
          [=](const Array& from) {
            if (from.count() != (owner->*values).size()) return false;
            std::copy_n(from.as<T>().begin(), from.count(), (owner->*values).begin());
            return true;
          },
          {}};
}

}  // namespace ymir
