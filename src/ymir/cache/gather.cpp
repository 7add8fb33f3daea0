#include "ymir/cache/gather.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "ymir/base/check.h"
#include "ymir/base/hash.h"

namespace ymir {
namespace {

bool is_replicated(const std::string& channel) { return channel.starts_with('@'); }

// Names, places and types of all channels, without counts: what ranks must agree on.
std::uint64_t layout_hash(const Frame& frame) {
  std::uint64_t hash = hash_combine(0, frame.objects.size());
  for (const ObjectState& object : frame.objects) {
    hash = hash_combine(hash, hash_text(object.name) + hash_text(object.kind, 1));
    for (const auto& [name, array] : object.channels) {
      hash = hash_combine(hash_text(name, hash), static_cast<std::uint64_t>(array.type()));
      hash = hash_combine(hash, static_cast<std::uint64_t>(array.components()));
      hash = hash_combine(hash, static_cast<std::uint64_t>(array.place));
    }
  }
  return hash;
}

void append(Array& whole, const Array& part) {
  whole.bytes().insert(whole.bytes().end(), part.bytes().begin(), part.bytes().end());
}

// Strand s of a part has vertices first[s] to first[s + 1]; `vertices` are those of the parts before it.
void append_first(Array& whole, const Array& part, std::size_t vertices) {
  const auto first = part.as<std::int64_t>();
  const std::size_t skip = whole.count() > 0 && !first.empty() ? 1 : 0;
  std::vector<std::int64_t> shifted;
  for (const std::int64_t value : first.subspan(skip)) shifted.push_back(value + static_cast<std::int64_t>(vertices));
  append(whole, Array::of(shifted));
}

void append_triangles(Array& whole, Array part, std::size_t vertices) {
  YMIR_CHECK(part.type() == ScalarType::i32);
  for (std::size_t at = 0; at < part.bytes().size(); at += sizeof(std::int32_t)) {
    std::int32_t index = 0;
    std::memcpy(&index, part.bytes().data() + at, sizeof index);
    const std::int64_t shifted = index + static_cast<std::int64_t>(vertices);
    YMIR_CHECK(shifted <= std::numeric_limits<std::int32_t>::max());
    index = static_cast<std::int32_t>(shifted);
    std::memcpy(part.bytes().data() + at, &index, sizeof index);
  }
  append(whole, part);
}

std::size_t vertices_of(const ObjectState& object) {
  const auto it = object.channels.find("position");
  return it == object.channels.end() ? 0 : it->second.count();
}

void append(ObjectState& whole, const ObjectState& part) {
  const std::size_t vertices = vertices_of(whole);  // before this part's positions are appended
  for (const auto& [name, array] : part.channels) {
    if (is_replicated(name)) continue;
    Array& target = whole.channels.at(name);
    if (whole.kind == "curves" && name == "first")
      append_first(target, array, vertices);
    else if (whole.kind == "surface" && name == "triangles")
      append_triangles(target, array, vertices);
    else
      append(target, array);
  }
}

// Curves whose strands carry their number come in its order, whatever rank they were on, with all that lives on them.
void sort_strands(ObjectState& object) {
  const auto numbered = object.channels.find("strand");
  if (object.kind != "curves" || numbered == object.channels.end() || !numbered->second.holds<std::int64_t>()) return;
  if (numbered->second.place != Place::strand) return;
  const auto number = numbered->second.as<std::int64_t>();
  const auto first = object.channels.at("first").as<std::int64_t>();
  if (first.size() != number.size() + 1) return;
  std::vector<std::size_t> order(number.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return number[a] < number[b]; });
  std::map<std::string, Array, std::less<>> sorted;
  for (const auto& [name, array] : object.channels) {
    Array target(array.type(), array.components(), 0);
    const auto take = [&](std::int64_t begin, std::int64_t end) {
      YMIR_CHECK(begin >= 0 && begin <= end && end <= static_cast<std::int64_t>(array.count()));
      const auto from = array.bytes().begin();
      const auto stride = static_cast<std::ptrdiff_t>(array.stride());
      target.bytes().insert(target.bytes().end(), from + begin * stride, from + end * stride);
    };
    if (array.place == Place::strand)
      for (const std::size_t s : order) take(static_cast<std::int64_t>(s), static_cast<std::int64_t>(s) + 1);
    else if (array.place == Place::vertex)
      for (const std::size_t s : order) take(first[s], first[s + 1]);
    else if (array.place == Place::edge)  // strands before this one have each one less than vertices
      for (const std::size_t s : order)
        take(first[s] - static_cast<std::int64_t>(s), first[s + 1] - static_cast<std::int64_t>(s) - 1);
    else
      continue;
    sorted[name] = std::move(target);
  }
  std::vector<std::int64_t> starts{0};
  for (const std::size_t s : order) starts.push_back(starts.back() + first[s + 1] - first[s]);
  sorted["first"] = Array::of(starts);
  for (auto& [name, array] : sorted) object.channels.at(name).bytes() = std::move(array.bytes());
}

// Wire format: layout hash, then per channel in order: bytes (u64) and the data.
Bytes pack(const Frame& frame) {
  Bytes packed;
  const auto put = [&](const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    packed.insert(packed.end(), bytes, bytes + size);
  };
  const std::uint64_t layout = layout_hash(frame);
  put(&layout, sizeof layout);
  for (const ObjectState& object : frame.objects)
    for (const auto& [name, array] : object.channels) {
      if (is_replicated(name)) continue;
      const std::uint64_t size = array.bytes().size();
      put(&size, sizeof size);
      put(array.bytes().data(), size);
    }
  return packed;
}

// A frame like `model`, which is rank 0's, with the channels that another rank packed.
Frame unpack(const Bytes& packed, const Frame& model) {
  std::size_t at = 0;
  const auto take = [&](void* data, std::size_t size) {
    YMIR_CHECK(size <= packed.size() - at);
    std::copy_n(packed.data() + at, size, static_cast<std::byte*>(data));
    at += size;
  };
  std::uint64_t layout = 0;
  take(&layout, sizeof layout);
  YMIR_CHECK(layout == layout_hash(model));  // every rank has the same objects and channels
  Frame frame;
  for (const ObjectState& object : model.objects) {
    ObjectState& part = frame.objects.emplace_back();
    part.name = object.name;
    part.kind = object.kind;
    for (const auto& [name, array] : object.channels) {
      StoredChannel& target = part.channels[name] = {array.place, Array(array.type(), array.components(), 0)};
      if (is_replicated(name)) continue;
      std::uint64_t size = 0;
      take(&size, sizeof size);
      YMIR_CHECK(size % array.stride() == 0 && size <= packed.size() - at);
      target.resize(size / array.stride());
      take(target.bytes().data(), size);
    }
  }
  return frame;
}

}  // namespace

Frame join_frames(std::vector<Frame> parts) {
  YMIR_CHECK(!parts.empty());
  Frame whole = std::move(parts.front());
  for (std::size_t p = 1; p < parts.size(); ++p) {
    YMIR_CHECK(layout_hash(parts[p]) == layout_hash(whole));
    for (std::size_t o = 0; o < whole.objects.size(); ++o) append(whole.objects[o], parts[p].objects[o]);
  }
  for (ObjectState& object : whole.objects) sort_strands(object);
  return whole;
}

Frame gather_frame(Frame local, Communicator& communicator) {
  if (communicator.size() == 1) return local;
  std::vector<Bytes> packed = communicator.gather(communicator.root() ? Bytes{} : pack(local));
  if (!communicator.root()) {
    local.objects.clear();
    return local;
  }
  std::vector<Frame> parts;
  parts.push_back(std::move(local));
  for (std::size_t r = 1; r < packed.size(); ++r) {
    parts.push_back(unpack(packed[r], parts.front()));
    packed[r] = {};
  }
  return join_frames(std::move(parts));
}

}  // namespace ymir
