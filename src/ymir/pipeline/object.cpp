#include "ymir/pipeline/object.h"

#include <fmt/format.h>

#include "ymir/base/error.h"
#include "ymir/base/hash.h"

namespace ymir {
namespace {

template <class To, class From>
Array converted(const Array& array) {
  const std::size_t values = array.count() * static_cast<std::size_t>(array.components());
  Array result(ElementOf<To>::type, array.components(), array.count());
  const auto* from = reinterpret_cast<const From*>(array.bytes().data());
  auto* to = reinterpret_cast<To*>(result.bytes().data());
  for (std::size_t i = 0; i < values; ++i) to[i] = static_cast<To>(from[i]);
  return result;
}

Error misfit(const std::string& path, const std::string& why) {
  return Error(
      ExitCode::bad_input,
      fmt::format("the checkpoint of {} does not fit this setup: {}; start again in another folder", path, why));
}

}  // namespace

ObjectState Object::frame_state() const {
  ObjectState state{path(), std::string(frame_kind()), {}, {}};
  for (const Channel& channel : listed()) {
    if (!channel.shown) continue;
    Array values = channel.read();
    if (values.type() == ScalarType::f64) values = converted<float, double>(values);
    state.channels[channel.name] = {channel.place, std::move(values), channel.unit};
  }
  return state;
}

ObjectState Object::checkpoint() const {
  ObjectState state{path(), "state", {}, {}};
  for (const Channel& channel : listed())
    if (channel.kept) state.channels[channel.name] = {channel.place, channel.read(), channel.unit};
  return state;
}

void Object::restore(const ObjectState* whole) {
  if (whole == nullptr) return;
  expect_kept(*whole);
  for (const Channel& channel : channels())
    if (channel.kept)
      if (const Array& values = whole->channels.find(channel.name)->second; !channel.write(values))
        throw misfit(path(), fmt::format("the channel {} has {} values there", channel.name, values.count()));
}

void Object::expect_kept(const ObjectState& whole) const {
  for (const Channel& channel : listed()) {
    if (!channel.kept) continue;
    const auto found = whole.channels.find(channel.name);
    if (found == whole.channels.end()) throw misfit(path(), "it has no channel " + channel.name);
    if (found->second.type() != channel.type || found->second.components() != channel.components)
      throw misfit(path(), fmt::format("the channel {} has another type there", channel.name));
  }
}

std::uint64_t Object::hash_kept() const {
  std::uint64_t h = 0;
  for (const Channel& channel : listed())
    if (channel.kept) h = channel.hash ? channel.hash(h) : hash_bytes(channel.read().bytes(), h);
  return h;
}

// Reading changes nothing; the list is the same that writes.
std::vector<Channel> Object::listed() const { return const_cast<Object*>(this)->channels(); }

}  // namespace ymir
