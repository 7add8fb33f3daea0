// A plane through a gas as a picture: one of its channels in colours, and what of other objects lies in that plane.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ymir/data/frame.h"
#include "ymir/preview/block_index.h"
#include "ymir/preview/image.h"

namespace ymir {

struct SliceOptions {
  std::string object;        // a volume of the frame; empty: the only one
  std::string channel;       // one of its channels; a component as velocity.x; `speed` is |velocity|; empty: `speed`
  int axis = 2;              // the plane's normal: x, y or z
  std::optional<double> at;  // place of the plane [m]; absent: the middle, or where there is gas nearest to it
  std::optional<std::pair<double, double>> range;  // of the colours; absent: least to largest value
  int width = 960;                                 // of the picture [pixels]
};

// Values at the voxel centres of a plane, between its two nearest layers of voxels; NaN where there is no gas. Columns
// follow axis `across`, rows axis `up`.
struct Slice {
  std::string channel;
  int axis = 2, across = 0, up = 1;
  double at = 0;       // [m]
  double voxel = 0;    // [m]
  double low[2] = {};  // lower corner [m]
  int columns = 0, rows = 0;
  double least = 0, most = 0;

  // Squares of side x side voxels where there is gas; memory is theirs alone, however far apart they lie.
  int side = 1;
  BlockIndex squares;  // (column / side, row / side, 0), counted from the voxel at `low`
  std::vector<Vec3i> places;
  std::vector<float> values;

  float value(int column, int row) const;
};

// Throws Error(bad_input) where the frame holds no such volume or channel, or the plane misses it.
Slice cut(const Frame& frame, const SliceOptions& options);
// With a scale of the colours beside it; at most twice as high as wide. Where a pixel is wider than a voxel, it shows
// the mean of its voxels, so that nothing is too small to be seen.
Image draw(const Slice& slice, const Frame& frame, const SliceOptions& options);

}  // namespace ymir
