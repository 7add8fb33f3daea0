// Paths and samples beside sheets. [method notes C, 11]
//
// A path goes from cell to cell; a face that a sheet closes, or a solid cell behind it, stops its component across, and
// it slides on. Interpolation takes samples of cells that are joined to the path's last cell by open faces among those
// around its end; their weights are scaled up. A value therefore comes from cells that can be reached without crossing
// a sheet: nothing leaks, whatever the velocity. In ambient air, where nobody knows how far the sheet goes on, a path
// ends and joins nothing.
//
// Faces that a sheet closes hold its velocity and stand for both sides; gas beside them slips, so they give their
// weight to the opposite face of the cell.
//
// Values in cells are from before the sheet moved: their paths meet the sheet where it was. A cell that it has passed
// since begins its path in a cell beside it, on its side.
#pragma once

#include <cmath>

#include "ymir/fluid/trace_sheets.h"

namespace ymir {

// Around: sheets(v), kind(v), velocity(axis, v) of voxels counted from the tile's first one, and
// any_sheet(low, high). Places are in voxels from its corner.
template <class Around>
class SheetPaths {
 public:
  SheetPaths(const Around& around, float dt_over_h) : around_(around), dt_(static_cast<double>(dt_over_h)) {}

  // Samples of a lattice whose path or interpolation meets a sheet; trace: as if there were none. Where they come from
  // is left out unless it is wanted.
  void find(Lattice lattice, const TileTrace& trace, const RowBits& wanted, bool cubic, bool origins,
            std::vector<SheetSample>& found) const;

 private:
  using When = sheet::When;
  struct Place {
    Vec3d x;
    Vec3i cell;  // holds x, on its rim at most
  };
  bool closed(Vec3i from, int axis, int step, When when) const {
    Vec3i beyond = from;
    beyond[axis] += step;
    const std::uint8_t marks = around_.sheets(step > 0 ? beyond : from);
    return (marks & sheet::closes(axis, when)) != 0 || around_.kind(beyond) == static_cast<int>(CellKind::solid);
  }
  bool outside(Vec3i cell) const { return around_.kind(cell) == static_cast<int>(CellKind::outside); }
  Place walk(const Place& from, Vec3d to, When when) const;
  unsigned joined(Vec3i low, Vec3i size, Vec3i from, When when) const;
  void add_faces(const Place& end, int axis, SheetSample& sample) const;
  void add_cells(const Place& end, SheetSample& sample) const;
  Vec3d velocity(const Place& place) const;
  Place beside(const Place& place) const;
  SheetSample sample(Lattice lattice, Vec3i voxel) const;

  const Around& around_;
  double dt_;
};

template <class Around>
void SheetPaths<Around>::find(Lattice lattice, const TileTrace& trace, const RowBits& wanted, bool cubic, bool origins,
                              std::vector<SheetSample>& found) const {
  const Vec3d first = Vec3d{0.5, 0.5, 0.5} + Vec3d(below(lattice)) * 0.5;
  const int margin = cubic ? 1 : 0;
  constexpr double longest = 16;  // voxels; beyond, looking at all of them costs more than a walk
  for (int i = 0; i < GasGrid::voxels; ++i) {
    if ((wanted.bits[static_cast<std::size_t>(i / 8)] >> (i % 8) & 1) == 0) continue;
    const auto at = static_cast<std::size_t>(i);
    const Vec3i v{i % 8, i / 8 % 8, i / 64};
    const Vec3d start = Vec3d(v) + first, end = first + Vec3d{trace.x.at[at], trace.y.at[at], trace.z.at[at]};
    Vec3i low, high;
    bool near = true;
    for (int axis = 0; axis < 3; ++axis) {
      near = near && std::abs(end[axis] - start[axis]) <= longest;
      if (!near) break;
      low[axis] = static_cast<int>(std::floor(std::min(start[axis], end[axis]) - 0.5)) - margin;
      high[axis] = static_cast<int>(std::floor(std::max(start[axis], end[axis]))) + 1 + margin;
    }
    if (near && !around_.any_sheet(low, high)) continue;
    found.push_back(origins ? sample(lattice, v) : SheetSample{});
    found.back().voxel = static_cast<std::uint16_t>(i);
  }
}

template <class Around>
typename SheetPaths<Around>::Place SheetPaths<Around>::walk(const Place& from, Vec3d to, When when) const {
  constexpr double farthest = 4096;  // voxels; also turns down NaN
  const Vec3d way = to - from.x;
  for (int axis = 0; axis < 3; ++axis)
    if (!(std::abs(way[axis]) <= farthest)) return from;
  constexpr double never = 2;
  Place end{to, from.cell};
  Vec3d next;  // share of the way to the next plane between cells along each axis
  const auto plane = [&](int axis) { return end.cell[axis] + (way[axis] > 0 ? 1 : 0); };
  const auto share = [&](int axis) { return way[axis] == 0 ? never : (plane(axis) - from.x[axis]) / way[axis]; };
  for (int axis = 0; axis < 3; ++axis) next[axis] = share(axis);
  for (;;) {
    int axis = 0;
    if (next.y < next[axis]) axis = 1;
    if (next.z < next[axis]) axis = 2;
    if (!(next[axis] < 1)) break;
    const int step = way[axis] > 0 ? 1 : -1;
    if (closed(end.cell, axis, step, when)) {
      end.x[axis] = plane(axis);
      next[axis] = never;
    } else {
      end.cell[axis] += step;
      if (outside(end.cell)) break;
      next[axis] = share(axis);
    }
  }
  for (int axis = 0; axis < 3; ++axis)
    end.x[axis] = std::min(std::max(end.x[axis], double(end.cell[axis])), double(end.cell[axis] + 1));
  return end;
}

// Which cells of a block of at most 2 x 2 x 2 are joined to one of them inside the block: bit x + 2 y + 4 z.
template <class Around>
unsigned SheetPaths<Around>::joined(Vec3i low, Vec3i size, Vec3i from, When when) const {
  const auto bit = [](Vec3i d) { return 1u << (d.x + 2 * d.y + 4 * d.z); };
  unsigned reached = bit(from - low), before = 0;
  while (reached != before) {
    before = reached;
    for (int k = 0; k < 8; ++k) {
      const Vec3i d{k & 1, k >> 1 & 1, k >> 2};
      if ((reached & bit(d)) == 0 || outside(low + d)) continue;
      for (int axis = 0; axis < 3; ++axis) {
        if (size[axis] < 2) continue;
        Vec3i other = d;
        other[axis] = 1 - d[axis];
        if ((reached & bit(other)) == 0 && !closed(low + d, axis, d[axis] == 0 ? 1 : -1, when)) reached |= bit(other);
      }
    }
  }
  return reached;
}

// Along the axis between the two faces of a cell; across between the cells around that are joined to it.
template <class Around>
void SheetPaths<Around>::add_faces(const Place& end, int axis, SheetSample& sample) const {
  Vec3i low = end.cell, size{2, 2, 2};
  Vec3d t;
  for (int a = 0; a < 3; ++a) {
    const double x = a == axis ? end.x[a] - end.cell[a] : end.x[a] - 0.5;
    if (a != axis) low[a] = static_cast<int>(std::floor(x));
    t[a] = a == axis ? x : x - low[a];
  }
  size[axis] = 1;
  const unsigned side = joined(low, size, end.cell, When::now);
  for (int k = 0; k < 8; ++k) {
    const Vec3i d{k & 1, k >> 1 & 1, k >> 2};
    if ((side >> k & 1) == 0) continue;
    double w = 1;
    for (int a = 0; a < 3; ++a)
      if (a != axis) w *= d[a] == 0 ? 1 - t[a] : t[a];
    const Vec3i lower = low + d;
    Vec3i upper = lower;
    ++upper[axis];
    const bool lower_closed = (around_.sheets(lower) & sheet::closes(axis, When::now)) != 0;
    const bool upper_closed = (around_.sheets(upper) & sheet::closes(axis, When::now)) != 0;
    const double to_upper = lower_closed == upper_closed ? t[axis] : lower_closed ? 1 : 0;
    sample.add(lower, w * (1 - to_upper));
    sample.add(upper, w * to_upper);
  }
  sample.normalise();
}

template <class Around>
void SheetPaths<Around>::add_cells(const Place& end, SheetSample& sample) const {
  Vec3i low;
  Vec3d t;
  for (int a = 0; a < 3; ++a) {
    low[a] = static_cast<int>(std::floor(end.x[a] - 0.5));
    t[a] = end.x[a] - 0.5 - low[a];
  }
  const unsigned side = joined(low, {2, 2, 2}, end.cell, When::before);
  for (int k = 0; k < 8; ++k)
    if ((side >> k & 1) != 0)
      sample.add(low + Vec3i{k & 1, k >> 1 & 1, k >> 2},
                 ((k & 1) != 0 ? t.x : 1 - t.x) * ((k & 2) != 0 ? t.y : 1 - t.y) * ((k & 4) != 0 ? t.z : 1 - t.z));
  sample.normalise();
}

template <class Around>
Vec3d SheetPaths<Around>::velocity(const Place& place) const {
  Vec3d u;
  for (int axis = 0; axis < 3; ++axis) {
    SheetSample sample;
    add_faces(place, axis, sample);
    double sum = 0;
    for (std::size_t k = 0; k < sample.count; ++k)
      sum += static_cast<double>(sample.weight[k] * around_.velocity(axis, sample.at[k]));
    u[axis] = sum;
  }
  return u;
}

// The nearest cell on the same side that no sheet has passed, within two voxels; the cell itself if there is none.
template <class Around>
typename SheetPaths<Around>::Place SheetPaths<Around>::beside(const Place& place) const {
  constexpr int reach = 2, width = 2 * reach + 1;
  std::array<Vec3i, width * width * width> queue;
  std::array<bool, width * width * width> seen{};
  const auto index = [&](Vec3i v) {
    const Vec3i d = v - place.cell + Vec3i{reach, reach, reach};
    return static_cast<std::size_t>((d.z * width + d.y) * width + d.x);
  };
  std::size_t count = 0;
  queue[count++] = place.cell;
  seen[index(place.cell)] = true;
  for (std::size_t k = 0; k < count; ++k) {
    const Vec3i v = queue[k];
    if ((around_.sheets(v) & sheet::passed) == 0) return {Vec3d(v) + Vec3d{0.5, 0.5, 0.5}, v};
    for (int axis = 0; axis < 3; ++axis)
      for (const int step : {-1, 1}) {
        Vec3i next = v;
        next[axis] += step;
        if (std::abs(next[axis] - place.cell[axis]) > reach || seen[index(next)]) continue;
        if (closed(v, axis, step, When::now)) continue;
        seen[index(next)] = true;
        queue[count++] = next;
      }
  }
  return place;
}

template <class Around>
SheetSample SheetPaths<Around>::sample(Lattice lattice, Vec3i voxel) const {
  const bool cells = lattice == Lattice::cells;
  const int axis = static_cast<int>(lattice);
  SheetSample sample;
  Place start{Vec3d(voxel) + Vec3d{0.5, 0.5, 0.5}, voxel};
  if (!cells) {
    if ((around_.sheets(voxel) & sheet::closes(axis, When::now)) != 0) return sample;
    start.x[axis] = voxel[axis];
    if (around_.kind(voxel) != static_cast<int>(CellKind::fluid)) --start.cell[axis];
  }
  const Place middle = walk(start, start.x - velocity(start) * (0.5 * dt_), When::now);
  const Vec3d to = start.x - velocity(middle) * dt_;
  if (!cells) {
    add_faces(walk(start, to, When::now), axis, sample);
    return sample;
  }
  const Place origin = (around_.sheets(voxel) & sheet::passed) != 0 ? beside(start) : start;
  if ((around_.sheets(origin.cell) & sheet::passed) == 0) add_cells(walk(origin, to, When::before), sample);
  return sample;
}

}  // namespace ymir
