// Voxels around a place as one dense array that stays in cache, copied from the tiles they lie in: reading at scattered
// points then needs no look-up of tiles. [method notes C, 1 and 6]
//
// Voxels are counted from the first one of a tile. Beyond gas is ambient air: values of cells outside, and of faces
// between two such cells, are replaced by the channel's background, so that it does not matter which of them happen
// to be stored.
#pragma once

#include <array>
#include <memory>

#include "ymir/fluid/gas_grid.h"
#include "ymir/math/lane_gather.h"

namespace ymir {

// Lattices of samples: the lower faces along an axis, or cell centres.
enum class Lattice : std::uint8_t { x_faces, y_faces, z_faces, cells };
constexpr Lattice face_lattice(int axis) { return static_cast<Lattice>(axis); }
// From a voxel to the one below its sample: two cells decide about a face, one about itself.
constexpr Vec3i below(Lattice lattice) {
  return {lattice == Lattice::x_faces ? -1 : 0, lattice == Lattice::y_faces ? -1 : 0,
          lattice == Lattice::z_faces ? -1 : 0};
}

// What interpolation may do with a sample, from the kinds of its two cells, joined as bits.
enum class SampleKind : std::uint8_t { gas, air, solid };
constexpr bool is_air(int kinds) { return kinds == static_cast<int>(CellKind::outside); }
constexpr SampleKind sample_kind(int kinds) {
  if (is_air(kinds)) return SampleKind::air;
  return kinds == static_cast<int>(CellKind::fluid) ? SampleKind::gas : SampleKind::solid;
}

// Voxels low .. high.
struct GatherRegion {
  Vec3i low, high;

  // Within the 27 tiles around; one voxel is left on the low side for the cell below a face.
  bool near() const {
    return low.x >= -7 && low.y >= -7 && low.z >= -7 && high.x <= 15 && high.y <= 15 && high.z <= 15;
  }
  // Small enough for a box anywhere, with the cells below faces; not so far that offsets in single precision round.
  bool compact() const {
    const auto fits = [](int from, int to) { return to - from <= 22 && from > -(1 << 14) && to < 1 << 14; };
    return fits(low.x, high.x) && fits(low.y, high.y) && fits(low.z, high.z);
  }
  // Rows of boxes hold the voxel below anyway.
  GatherRegion with_below() const { return {low - Vec3i{0, 1, 1}, high}; }
};

template <class T>
class GatheredBox {
 public:
  GatheredBox();

  // From a tile and its 26 neighbours; `tiles` is the first tile of a channel component, region.near().
  void gather(const T* tiles, const std::array<int, 27>& neighbours, const GatherRegion& region);
  // From anywhere: tile_at(x, y, z) gives the values of a tile, counted in tiles. region.compact(), or with_below() of
  // such.
  template <class F>
  void gather_far(const GatherRegion& region, F&& tile_at);
  // Laid out as another box, for the caller to fill.
  template <class U>
  void shape_as(const GatheredBox<U>& other, const GatherRegion& region) {
    shape(region, other.first_x(), other.row());
  }

  const GatherRegion& region() const { return region_; }
  const T* at(int x, int y, int z) const { return first_ + index(x, y, z); }
  T* at(int x, int y, int z) { return first_ + index(x, y, z); }
  // Offset of a voxel, in the box or not, from the first one.
  int index(int x, int y, int z) const {
    return (z - region_.low.z) * layer_ + (y - region_.low.y) * row_ + (x - first_x_);
  }
  const T* first() const { return first_; }
  int first_x() const { return first_x_; }
  int row() const { return row_; }
  int layer() const { return layer_; }

 private:
  static constexpr int side = GasGrid::side, widest = 3 * side;
  static constexpr int slack = 32;  // vector loads may begin one voxel early and end late
  void shape(const GatherRegion& region, int first_x, int row);

  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> memory_;
  T* first_ = nullptr;
  int first_x_ = 0, row_ = 0, layer_ = 0;
  GatherRegion region_{};
};

template <class T>
template <class F>
void GatheredBox<T>::gather_far(const GatherRegion& region, F&& tile_at) {
  shape(region, region.low.x - 1, widest);
  const Vec3i begin{first_x_, region.low.y, region.low.z};
  for (int tz = region.low.z >> 3; tz <= region.high.z >> 3; ++tz)
    for (int ty = region.low.y >> 3; ty <= region.high.y >> 3; ++ty)
      for (int tx = begin.x >> 3; tx <= region.high.x >> 3; ++tx) {
        const T* tile = tile_at(tx, ty, tz);
        const Vec3i corner{tx * side, ty * side, tz * side};
        const Vec3i low = cwise_max(corner, begin), high = cwise_min(corner + Vec3i{7, 7, 7}, region.high);
        for (int z = low.z; z <= high.z; ++z)
          for (int y = low.y; y <= high.y; ++y)
            std::copy_n(tile + ((z - corner.z) * side + y - corner.y) * side + low.x - corner.x, high.x - low.x + 1,
                        at(low.x, y, z));
      }
}

// Sets values where there is only air to the background. `cells` holds the cells below too, in rows as long.
void replace_air(GatheredBox<float>& values, const GatheredBox<std::uint8_t>& cells, Lattice lattice, float background);

// SampleKind of the samples of a lattice, as numbers.
void sample_kinds(GatheredBox<float>& kinds, const GatheredBox<std::uint8_t>& cells, Lattice lattice,
                  const GatherRegion& region);

}  // namespace ymir
