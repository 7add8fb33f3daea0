#include "ymir/fluid/tile_gather.h"

#include <algorithm>
#include <cstring>

namespace ymir {
namespace {

constexpr int side = GasGrid::side;

// Blocks of rows that lie in one tile along an axis.
struct Span {
  int first, last;  // voxels
};
Span in_tile(int low, int high, int tile) {
  return {std::max(low, tile * side), std::min(high, tile * side + side - 1)};
}

// The last `edge` values of each row of one tile, the rows of the next, and the first of the third.
template <int edge, class T>
void copy_rows(T* to, const T* low, const T* middle, const T* high, int rows) {
  for (int row = 0; row < rows; ++row) {
    std::memcpy(to, low + side - edge, edge * sizeof(T));
    std::memcpy(to + edge, middle, side * sizeof(T));
    std::memcpy(to + edge + side, high, edge * sizeof(T));
    to += side + 2 * edge;
    low += side, middle += side, high += side;
  }
}

// Kinds of eight samples in a row.
inline Lanes<std::int32_t, 8> kinds_of_row(const std::uint8_t* cell, int to_below) {
  Lanes<std::int32_t, 8> kinds;
#if defined(__AVX2__)
  const __m128i a = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(cell));
  const __m128i b = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(cell + to_below));
  kinds.v[0] = reinterpret_cast<Lanes<std::int32_t, 8>::Native>(_mm256_cvtepu8_epi32(_mm_or_si128(a, b)));
#else
  for (int i = 0; i < 8; ++i) kinds.set(i, cell[i] | cell[i + to_below]);
#endif
  return kinds;
}

// row(values, cells, to_below) for every eight voxels of the box; the sample's other cell is at cells + to_below.
template <class F>
void for_each_row(GatheredBox<float>& values, const GatheredBox<std::uint8_t>& cells, Lattice lattice, F&& row) {
  YMIR_CHECK(values.row() == cells.row());
  const GatherRegion r = values.region();
  const Vec3i d = below(lattice);
  const int to_below = d.z * cells.layer() + d.y * cells.row() + d.x;
  const int count = values.layer();  // rows follow each other without gaps
  for (int z = r.low.z; z <= r.high.z; ++z) {
    float* v = values.at(values.first_x(), r.low.y, z);
    const std::uint8_t* c = cells.at(values.first_x(), r.low.y, z);
    for (int x = 0; x < count; x += 8) row(v + x, c + x, to_below);
  }
}

Lanes8::Mask equal(const Lanes<std::int32_t, 8>& kinds, int kind) { return {{kinds.v[0] == kind}}; }

// Whether one of eight samples is air: the bytes are 0, 1, 2 or 3.
bool any_air(const std::uint8_t* cell, int to_below) {
  std::uint64_t a, b;
  std::memcpy(&a, cell, 8);
  std::memcpy(&b, cell + to_below, 8);
  a |= b;
  constexpr std::uint64_t ones = 0x0101010101010101;
  return ((a | a >> 1) & ones) != ones;
}

}  // namespace

template <class T>
GatheredBox<T>::GatheredBox() {
  static_assert((widest * widest * widest + 2 * slack) * sizeof(T) % 64 == 0);
  constexpr std::size_t bytes = (widest * widest * widest + 2 * slack) * sizeof(T);
  memory_.reset(static_cast<T*>(std::aligned_alloc(64, bytes)));
  if (!memory_) throw std::bad_alloc();
  std::memset(memory_.get(), 0, bytes);
  first_ = memory_.get() + slack;
}

template <class T>
void GatheredBox<T>::shape(const GatherRegion& region, int first_x, int row) {
  region_ = region;
  first_x_ = first_x;
  row_ = row;
  layer_ = row * (region.high.y - region.low.y + 1);
}

template <class T>
void GatheredBox<T>::gather(const T* tiles, const std::array<int, 27>& neighbours, const GatherRegion& region) {
  const bool narrow = region.low.x >= -3 && region.high.x <= 11;  // a row of 16 floats is one cache line
  shape(region, narrow ? -4 : -8, narrow ? 16 : 24);
  const auto tile = [&](int dx, int dy, int dz) {
    return tiles +
           static_cast<std::size_t>(neighbours[static_cast<std::size_t>(direction(dx, dy, dz))]) * GasGrid::voxels;
  };
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy) {
      const Span zs = in_tile(region.low.z, region.high.z, dz), ys = in_tile(region.low.y, region.high.y, dy);
      const T *low = tile(-1, dy, dz), *middle = tile(0, dy, dz), *high = tile(1, dy, dz);
      for (int z = zs.first; z <= zs.last; ++z) {
        const int from = ((z - dz * side) * side + (ys.first - dy * side)) * side;
        T* to = at(first_x_, ys.first, z);
        if (narrow)
          copy_rows<4>(to, low + from, middle + from, high + from, ys.last - ys.first + 1);
        else
          copy_rows<8>(to, low + from, middle + from, high + from, ys.last - ys.first + 1);
      }
    }
}

template class GatheredBox<float>;
template class GatheredBox<std::uint8_t>;

void replace_air(GatheredBox<float>& values, const GatheredBox<std::uint8_t>& cells, Lattice lattice,
                 float background) {
  for_each_row(values, cells, lattice, [&](float* v, const std::uint8_t* cell, int to_below) {
    if (any_air(cell, to_below)) select(equal(kinds_of_row(cell, to_below), 0), background, Lanes8::load(v)).store(v);
  });
}

void sample_kinds(GatheredBox<float>& kinds, const GatheredBox<std::uint8_t>& cells, Lattice lattice,
                  const GatherRegion& region) {
  const auto number = [](SampleKind kind) { return Lanes8::all(static_cast<float>(kind)); };
  kinds.shape_as(cells, region);
  for_each_row(kinds, cells, lattice, [&](float* v, const std::uint8_t* cell, int to_below) {
    const Lanes<std::int32_t, 8> of_cells = kinds_of_row(cell, to_below);
    select(equal(of_cells, static_cast<int>(CellKind::fluid)), number(SampleKind::gas),
           select(equal(of_cells, 0), number(SampleKind::air), number(SampleKind::solid)))
        .store(v);
  });
}

}  // namespace ymir
