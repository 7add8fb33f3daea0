// Interpolation of a lattice of samples at eight points at once. Taps is where samples come from: a dense box around
// the tile (BoxTaps) or tiles looked up one by one (LookupTaps); both give the same bits. [method notes C, 6]
#pragma once

#include "ymir/fluid/tile_gather.h"
#include "ymir/physics/fluid/interpolation.h"

namespace ymir {

enum class Interpolation : std::uint8_t {
  linear,  // trilinear
  cubic,   // monotone cubic along x, then y, then z
};

using Row = Lanes8;
struct RowPoints {
  Row x, y, z;  // from the tile's first sample [voxels]
};

class BoxTaps {
 public:
  BoxTaps() = default;
  explicit BoxTaps(const GatheredBox<float>& box)
      : box_(&box),
        first_(box.first()),
        row_(Row::all(static_cast<float>(box.row()))),
        layer_(Row::all(static_cast<float>(box.layer()))),
        to_first_(Row::all(static_cast<float>(box.index(0, 0, 0)))) {}

  using Place = LaneIndex;
  // Offsets are exact: they and what they are made of stay below 2^24.
  Place locate(const Row& x, const Row& y, const Row& z) const {
    return LaneIndex::of(mul_add(z, layer_, mul_add(y, row_, x + to_first_)));
  }
  void pair(const Place& place, int dy, int dz, Row (&run)[2]) const {
    gather_pairs(first_ + dz * box_->layer() + dy * box_->row(), place, run);
  }
  void quad(const Place& place, int dy, int dz, Row (&run)[4]) const {
    gather_quads(first_ + dz * box_->layer() + dy * box_->row() - 1, place, run);
  }
  float value(int x, int y, int z) const { return *box_->at(x, y, z); }

 private:
  const GatheredBox<float>* box_ = nullptr;
  const float* first_ = nullptr;
  Row row_, layer_, to_first_;
};

// Weights below this, of values near 1, do not matter: paths along a wall do not feel what is behind it.
constexpr float negligible_weight = 1e-5f;

// Smallest and largest of the eight samples around each point that matter.
struct RowBounds {
  Row low, high;

  static RowBounds of(const RowBounds& a, const RowBounds& b, const Row& t) {
    const auto first = t<1 - negligible_weight, second = t> negligible_weight;
    return {min(select(first, a.low, b.low), select(second, b.low, a.low)),
            max(select(first, a.high, b.high), select(second, b.high, a.high))};
  }
  static RowBounds of(const Row& a, const Row& b, const Row& t) { return of({a, a}, {b, b}, t); }
};

// Corners at whole numbers (x, y, z) and above, fractions t.
template <class Taps>
[[gnu::always_inline]] inline Row sample_linear(const Taps& taps, const RowPoints& whole, const RowPoints& t,
                                                RowBounds* bounds = nullptr) {
  const auto place = taps.locate(whole.x, whole.y, whole.z);
  Row c[2][2][2];
  for (int dz = 0; dz < 2; ++dz)
    for (int dy = 0; dy < 2; ++dy) taps.pair(place, dy, dz, c[dz][dy]);
  if (bounds != nullptr) {
    RowBounds along_y[2];
    for (int dz = 0; dz < 2; ++dz)
      along_y[dz] = RowBounds::of(RowBounds::of(c[dz][0][0], c[dz][0][1], t.x),
                                  RowBounds::of(c[dz][1][0], c[dz][1][1], t.x), t.y);
    *bounds = RowBounds::of(along_y[0], along_y[1], t.z);
  }
  return trilinear(c, t.x, t.y, t.z);
}

template <class Taps>
[[gnu::always_inline]] inline Row sample_cubic(const Taps& taps, const RowPoints& whole, const RowPoints& t,
                                               RowBounds* bounds = nullptr) {
  const auto place = taps.locate(whole.x, whole.y, whole.z);
  Row along_z[4];
  RowBounds corners[2][2];
  for (int dz = 0; dz < 4; ++dz) {
    Row along_y[4];
    for (int dy = 0; dy < 4; ++dy) {
      Row run[4];
      taps.quad(place, dy - 1, dz - 1, run);
      along_y[dy] = monotone_cubic(run, t.x);
      if (bounds != nullptr && (dy == 1 || dy == 2) && (dz == 1 || dz == 2))
        corners[dz - 1][dy - 1] = RowBounds::of(run[1], run[2], t.x);
    }
    along_z[dz] = monotone_cubic(along_y, t.y);
  }
  if (bounds != nullptr)
    *bounds = RowBounds::of(RowBounds::of(corners[0][0], corners[0][1], t.y),
                            RowBounds::of(corners[1][0], corners[1][1], t.y), t.z);
  return monotone_cubic(along_z, t.z);
}

template <Interpolation interpolation, class Taps>
[[gnu::always_inline]] inline Row sample(const Taps& taps, const RowPoints& points, RowBounds* bounds = nullptr) {
  const RowPoints whole{floor(points.x), floor(points.y), floor(points.z)};
  const RowPoints t{points.x - whole.x, points.y - whole.y, points.z - whole.z};
  if constexpr (interpolation == Interpolation::linear)
    return sample_linear(taps, whole, t, bounds);
  else
    return sample_cubic(taps, whole, t, bounds);
}

}  // namespace ymir
