// Colours by the value of a channel, and the key that explains them.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ymir/data/frame.h"
#include "ymir/preview/image.h"

namespace ymir {

struct ChannelColors {
  std::string channel;  // of any object: `speed` is |velocity|, `velocity.x` a component; other vectors by their length
  double low = 0, high = 1;
  std::string unit;  // empty: a pure number

  float share(float value) const {  // 0 to 1; not finite: 0
    const double at = (static_cast<double>(value) - low) / (high > low ? high - low : 1.0);
    return at > 0 ? static_cast<float>(at < 1 ? at : 1) : 0.0f;
  }
};

// The channel of an object that a name like speed or velocity.x is computed from.
struct ColoredBy {
  std::string name;
  int component;  // -1: the value, or the length of a vector
};
ColoredBy stored_channel(const ObjectState&, const std::string& channel);
// Unit of what is shown, of the first object that has it.
std::string channel_unit(const Frame&, const std::string& channel);
// One number per element of the channel; empty where the object has no such channel.
std::vector<float> channel_values(const ObjectState&, const std::string& channel);
// From the 0.5th to the 99.5th percentile over all objects of a frame that have the channel.
std::optional<std::pair<double, double>> channel_range(const Frame&, const std::string& channel);
// Names that channel_values() knows in this frame, for messages.
std::string channel_names(const Frame&);

// Draws the scale with its name in the lower right corner.
void draw_key(Image&, const ChannelColors&);

}  // namespace ymir
