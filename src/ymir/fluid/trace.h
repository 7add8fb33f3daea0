// Where the gas at the samples of a tile comes from: paths traced back over dt through a face-sampled velocity.
// [method notes C, 6]
//
//   x_mid = x - dt/2 u(x),   x_end = x - dt u(x_mid)
//
// A negative dt traces forward. Lengths are in voxels, counted from the tile's first sample of the lattice.
#pragma once

#include <type_traits>

#include "ymir/fluid/interpolation.h"

namespace ymir {

// Which samples of a tile are wanted: bit i of row (j, k) at [k * 8 + j].
struct RowBits {
  std::array<std::uint8_t, 64> bits;
  bool all = false;

  static RowBits full();
  // Samples with gas on at least one side.
  static RowBits with_gas(const GatheredBox<std::uint8_t>& cells, Lattice lattice);
  bool empty() const { return bits == decltype(bits){}; }
  int count_in(const RowBits& others) const;  // set in both
  Row::Mask mask(int row) const {
    const Row::NativeMask bit{1, 2, 4, 8, 16, 32, 64, 128};
    return {{(bit & static_cast<std::int32_t>(bits[static_cast<std::size_t>(row)])) != 0}};
  }
};

// Values of one tile in the order of its voxels.
struct TileValues {
  alignas(32) std::array<float, GasGrid::voxels> at;
  Row row(int r) const { return Row::load(at.data() + 8 * r); }
  void set(int r, const Row& values) { values.store(at.data() + 8 * r); }
};

// Points of the paths from a tile's samples.
struct TileTrace {
  TileValues x, y, z;
  RowPoints row(int r) const { return {x.row(r), y.row(r), z.row(r)}; }
  void set(int r, const RowPoints& p) { x.set(r, p.x), y.set(r, p.y), z.set(r, p.z); }
};

// Smallest and largest velocity of a tile.
struct VelocityBounds {
  Vec3f low, high;
};

// What the paths from a tile and the interpolation at their ends may read, from bounds of the velocity there. Not
// near() when they may leave the tile's neighbourhood.
GatherRegion region_of_paths(const VelocityBounds& bounds, float dt_over_h, Interpolation interpolation);

namespace detail {

inline constexpr float farthest = 1 << 20;  // a path's reach [voxels]: the addressable space is four times as wide

// Component of the velocity at the samples of a row, from faces next to them.
template <Lattice lattice, int axis>
Row velocity_at_row(const GatheredBox<float>& velocity, int j, int k) {
  const float* here_ = velocity.at(0, j, k);
  if constexpr (lattice == face_lattice(axis)) return Row::load(here_);
  constexpr Vec3i up = Vec3i{0, 0, 0} - below(face_lattice(axis));
  const int above = up.z * velocity.layer() + up.y * velocity.row() + up.x;
  if constexpr (lattice == Lattice::cells) return (Row::load(here_) + Row::load(here_ + above)) * 0.5f;
  constexpr Vec3i down = below(lattice);
  const float* before = here_ + down.z * velocity.layer() + down.y * velocity.row() + down.x;
  return ((Row::load(here_) + Row::load(before)) + (Row::load(here_ + above) + Row::load(before + above))) * 0.25f;
}

// All three components at points counted from the first cell centre.
template <class Taps>
[[gnu::always_inline]] inline RowPoints velocity_at(const std::array<Taps, 3>& velocity, const RowPoints& p) {
  const RowPoints whole{floor(p.x), floor(p.y), floor(p.z)};
  const RowPoints t{p.x - whole.x, p.y - whole.y, p.z - whole.z};
  const RowPoints up{p.x + 0.5f, p.y + 0.5f, p.z + 0.5f};  // counted from the first faces
  const RowPoints whole_up{floor(up.x), floor(up.y), floor(up.z)};
  const RowPoints t_up{up.x - whole_up.x, up.y - whole_up.y, up.z - whole_up.z};
  return {sample_linear(velocity[0], {whole_up.x, whole.y, whole.z}, {t_up.x, t.y, t.z}),
          sample_linear(velocity[1], {whole.x, whole_up.y, whole.z}, {t.x, t_up.y, t.z}),
          sample_linear(velocity[2], {whole.x, whole.y, whole_up.z}, {t.x, t.y, t_up.z})};
}

// Sets velocities that lead nowhere to 0. Bits: lanes set.
inline std::uint8_t freeze(RowPoints& velocity, float dt_over_h) {
  const auto sane = [&](const Row& u) { return abs(u * dt_over_h) <= farthest; };  // false for NaN
  const Row::Mask wild = !(sane(velocity.x) & sane(velocity.y) & sane(velocity.z));
  if (!any(wild)) return 0;
  unsigned bits = 0;
  for (int lane = 0; lane < 8; ++lane) bits |= static_cast<unsigned>(wild[lane]) << lane;
  for (Row* u : {&velocity.x, &velocity.y, &velocity.z}) *u = select(wild, 0.0f, *u);
  return static_cast<std::uint8_t>(bits);
}

inline Row lane_numbers() { return {{Row::Native{0, 1, 2, 3, 4, 5, 6, 7}}}; }

// Midpoints of the paths from a row, counted from the first cell centre, given the velocity where they start.
template <Lattice lattice>
[[gnu::always_inline]] inline RowPoints midpoints(const RowPoints& velocity, float dt_over_h, int j, int k) {
  constexpr Vec3f to_centre = Vec3f(below(lattice)) * 0.5f;
  const Row half_step = Row::all(-0.5f * dt_over_h);
  return {mul_add(half_step, velocity.x, lane_numbers() + to_centre.x),
          mul_add(half_step, velocity.y, Row::all(static_cast<float>(j) + to_centre.y)),
          mul_add(half_step, velocity.z, Row::all(static_cast<float>(k) + to_centre.z))};
}

[[gnu::always_inline]] inline RowPoints ends(const RowPoints& velocity, float dt_over_h, int j, int k) {
  const Row step = Row::all(-dt_over_h);
  return {mul_add(step, velocity.x, lane_numbers()), mul_add(step, velocity.y, Row::all(static_cast<float>(j))),
          mul_add(step, velocity.z, Row::all(static_cast<float>(k)))};
}

// Velocity at the samples of a row.
template <Lattice lattice>
[[gnu::always_inline]] inline RowPoints velocity_at_row(const std::array<GatheredBox<float>, 3>& near, int j, int k) {
  return {velocity_at_row<lattice, 0>(near[0], j, k), velocity_at_row<lattice, 1>(near[1], j, k),
          velocity_at_row<lattice, 2>(near[2], j, k)};
}

}  // namespace detail

// Paths that stay where the boxes are: region_of_paths.
template <Lattice lattice>
void trace_near(const std::array<GatheredBox<float>, 3>& near, float dt_over_h, const RowBits& wanted,
                TileTrace& trace) {
  const std::array<BoxTaps, 3> velocity{BoxTaps(near[0]), BoxTaps(near[1]), BoxTaps(near[2])};
  for (int r = 0; r < 64; ++r) {
    if (wanted.bits[static_cast<std::size_t>(r)] == 0) continue;
    const RowPoints start = detail::velocity_at_row<lattice>(near, r % 8, r / 8);
    const RowPoints middle = detail::midpoints<lattice>(start, dt_over_h, r % 8, r / 8);
    trace.set(r, detail::ends(detail::velocity_at(velocity, middle), dt_over_h, r % 8, r / 8));
  }
}

// The same in two parts, so that what the second reads can be found in between. Midpoints are counted from the first
// cell centre; a velocity beyond all bounds freezes the path there, and `frozen` tells which.
template <Lattice lattice>
void trace_to_midpoints(const std::array<GatheredBox<float>, 3>& near, float dt_over_h, const RowBits& wanted,
                        TileTrace& middle, RowBits& frozen) {
  for (int r = 0; r < 64; ++r) {
    if (wanted.bits[static_cast<std::size_t>(r)] == 0) continue;
    RowPoints start = detail::velocity_at_row<lattice>(near, r % 8, r / 8);
    frozen.bits[static_cast<std::size_t>(r)] = detail::freeze(start, dt_over_h);
    middle.set(r, detail::midpoints<lattice>(start, dt_over_h, r % 8, r / 8));
  }
}

template <class Taps>
void trace_to_ends(const std::array<Taps, 3>& velocity, const TileTrace& middle, float dt_over_h, const RowBits& wanted,
                   RowBits& frozen, TileTrace& trace) {
  for (int r = 0; r < 64; ++r) {
    if (wanted.bits[static_cast<std::size_t>(r)] == 0) continue;
    RowPoints u = detail::velocity_at(velocity, middle.row(r));
    std::uint8_t& stuck = frozen.bits[static_cast<std::size_t>(r)];
    stuck |= detail::freeze(u, dt_over_h);
    if (stuck != 0)
      for (Row* c : {&u.x, &u.y, &u.z}) *c = select(frozen.mask(r), 0.0f, *c);
    trace.set(r, detail::ends(u, dt_over_h, r % 8, r / 8));
  }
}

// Smallest region with the samples around the points, with the linear interpolation's or the cubic's reach; counted
// from the first sample, `midpoints` of all lattices together.
GatherRegion region_around(const TileTrace& points, const RowBits& wanted, bool are_midpoints,
                           Interpolation interpolation);

// body(std::integral_constant<Lattice, lattice>)
template <class F>
void with_lattice(Lattice lattice, F&& body) {
  switch (lattice) {
    case Lattice::x_faces: return body(std::integral_constant<Lattice, Lattice::x_faces>{});
    case Lattice::y_faces: return body(std::integral_constant<Lattice, Lattice::y_faces>{});
    case Lattice::z_faces: return body(std::integral_constant<Lattice, Lattice::z_faces>{});
    case Lattice::cells: return body(std::integral_constant<Lattice, Lattice::cells>{});
  }
}

}  // namespace ymir
