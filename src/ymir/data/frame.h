// What one frame (or checkpoint) of a simulation holds, as data: objects with channels and attributes.
// cache/ stores it, preview/ draws it, hosts/ convert it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "ymir/data/array.h"

namespace ymir {

using Attribute = std::variant<std::int64_t, double, std::string>;
using Attributes = std::map<std::string, Attribute, std::less<>>;

// kind and the channels a reader may rely on:
//   "points":  position f32x3 [m]; optional radius f32 [m], velocity f32x3 [m/s], id u64, ...
//   "curves":  position f32x3 [m], first i64 (strands + 1); optional radius f32 (per vertex) [m]
//   "surface": position f32x3 [m], triangles i32x3
//   "volume":  bucket i32x3 (bucket coordinates), <channel> f32xC with resolution^3 values per bucket, x fastest;
//              attributes bucket_size [m] (f64), <channel>.resolution (i64)
//   "state":   anything (checkpoints)
struct ObjectState {
  std::string name;  // Group/behavior path, unique in a frame
  std::string kind;
  std::map<std::string, Array, std::less<>> channels;
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
