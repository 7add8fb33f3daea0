// What is known of a channel without its values.
#pragma once

#include <string>

#include "ymir/data/array.h"
#include "ymir/data/place.h"

namespace ymir {

struct ChannelInfo {
  std::string name;
  Place place = Place::object;
  ScalarType type = ScalarType::f64;  // of the state: frames hold reals in single precision
  int components = 1;
  std::string unit;  // SI; empty: a pure number
  std::string doc;
  bool shown = false;     // in frames
  bool kept = false;      // in checkpoints: what a resumed run needs
  bool writable = false;  // the input of the object may bring it

  ScalarType type_in_frames() const { return type == ScalarType::f64 ? ScalarType::f32 : type; }
};

// "f32", "f32 x 3"
std::string type_text(ScalarType type, int components);

}  // namespace ymir
