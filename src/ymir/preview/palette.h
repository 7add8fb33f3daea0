// Colours of things that bring none.
#pragma once

#include <cstdint>

#include "ymir/math/vec3.h"

namespace ymir {

// Dark red, orange, yellow-white; heat in [0, 1]. Linear RGB.
Vec3f ember_color(float heat);
// Colour of light from a black body, brightest component 1. Temperature in K.
Vec3f black_body_color(float temperature);
// Brown, a little different for every strand; along in [0, 1] from root to tip.
Vec3f hair_color(std::uint64_t strand, float along);
Vec3f clay_color(std::uint64_t object);
// Values in [0, 1] by lightness: deep blue, teal, green, yellow, pale. Beyond: the ends.
Vec3f scale_color(float value);

}  // namespace ymir
