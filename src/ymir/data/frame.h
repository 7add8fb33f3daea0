// What one frame (or checkpoint) of a simulation holds, as data: objects with channels and attributes.
// cache/ stores it, preview/ draws it, hosts/ convert it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ymir/data/array.h"
#include "ymir/data/place.h"

namespace ymir {

using Attribute = std::variant<std::int64_t, double, std::string>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

// Values of a channel, with where they live.
struct StoredChannel : Array {
  StoredChannel() = default;
  StoredChannel(Place at, Array values, std::string in = {})
      : Array(std::move(values)), place(at), unit(std::move(in)) {}

  Place place = Place::object;
  std::string unit;  // SI; empty: a pure number
};

// kind and the channels a reader may rely on, with their place:
//   "points":  position f32x3 [m] (particle); optional radius f32 [m], velocity f32x3 [m/s], id u64, ...
//   "curves":  position f32x3 [m] (vertex), first i64 (object; strands + 1); optional radius f32 (vertex) [m]
//   "surface": position f32x3 [m] (vertex), triangles i32x3 (face)
//   "volume":  bucket i32x3 (tile; its coordinates), <channel> f32xC (voxel), resolution^3 values per tile, x fastest;
//              attributes bucket_size [m] (f64), <channel>.resolution (i64)
//   "state":   anything (checkpoints)
struct ObjectState {
  std::string name;  // Group/behavior path, unique in a frame
  std::string kind;
  std::map<std::string, StoredChannel, std::less<>> channels;
  Attributes attributes;
};

struct Frame {
  std::int64_t number = 0;
  double time = 0;         // [s]
  std::uint64_t hash = 0;  // state hash at full precision, independent of ranks and threads
  Attributes attributes;
  std::vector<ObjectState> objects;
};

}  // namespace ymir
