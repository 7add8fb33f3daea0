// What cannot be seen otherwise, as lines over a picture.
#pragma once

#include "ymir/data/frame.h"
#include "ymir/preview/scene.h"

namespace ymir {

// Edges of the tiles on which gas is computed.
void add_tile_edges(PreviewLines&, const Frame&);
// Arrows along the velocity of gas, a few thousand at most; the longest stands for `top_speed` [m/s].
void add_wind_arrows(PreviewLines&, const Frame&, double top_speed);
// 98th percentile of the speed of all gas [m/s]; 0 without any.
double reference_wind(const Frame&);

}  // namespace ymir
