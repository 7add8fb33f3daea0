#include "ymir/actions/gas_emission.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "ymir/parallel/bytes.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;

bool emits(const GasEmission& e, double time) { return time >= e.start && time <= e.stop; }

// What the path of a shape is looked at in, within a substep.
constexpr int path_parts = 16;

// body(time, box) at the ends of those parts, from `begin` to `end`.
template <class F>
void along_path(const GasEmission& e, double begin, double end, F&& body) {
  for (int k = 0; k <= path_parts; ++k) {
    const double time = k < path_parts ? begin + (end - begin) * k / path_parts : end;
    body(time, e.shape.bounds(time));
  }
}

// A substep stamps once, at its end; a shape that moves farther than a voxel several times, so that it goes at most a
// voxel from one stamp to the next. Each stands for its part of the substep.
struct Stamp {
  double time, dt;  // [s]
};
std::vector<Stamp> stamps_in(const GasEmission& e, const Step& step, double voxel) {
  constexpr double most = 256;  // in a part
  std::vector<int> counts;
  double path = 0;
  Box last;
  along_path(e, step.time, step.time + step.dt, [&](double time, const Box& box) {
    const bool moves = !last.empty() && !box.empty();
    const double way = moves ? std::max(norm(box.low - last.low), norm(box.high - last.high)) : 0;
    if (time > step.time) counts.push_back(std::max(1, static_cast<int>(std::min(most, std::ceil(way / voxel)))));
    path += way;
    last = box;
  });
  std::vector<Stamp> stamps;
  const double end = step.time + step.dt, part = step.dt / path_parts;
  if (path > voxel * (1 + 1e-9))
    for (std::size_t p = 0; p < counts.size(); ++p)
      for (int k = 1; k <= counts[p]; ++k)
        stamps.push_back({step.time + part * (static_cast<double>(p) + static_cast<double>(k) / counts[p]),
                          part / counts[p]});
  else
    stamps.push_back({end, step.dt});
  stamps.back().time = end;
  std::erase_if(stamps, [&](const Stamp& stamp) { return !emits(e, stamp.time); });
  return stamps;
}

// body(tile) for tiles with gas that a box touches.
template <class F>
void for_tiles_in(GasGrid& grid, const Box& box, F&& body) {
  DiscreteVolume& volume = grid.volume();
  const double edge = grid.domain().bucket_size();
  parallel_for(volume.buckets().local_count(), [&](std::ptrdiff_t i) {
    const int t = static_cast<int>(i);
    if (!grid.holds_gas(t)) return;
    const Vec3d low = grid.domain().low_corner(volume.buckets().coord(t));
    for (int axis = 0; axis < 3; ++axis)
      if (low[axis] > box.high[axis] || low[axis] + edge < box.low[axis]) return;
    body(t);
  });
}

Vec3i voxel_of(int i) { return {i % n, i / n % n, i / (n * n)}; }

Box widened(Box box, double by) {
  if (box.empty()) return box;
  return {box.low - Vec3d{by, by, by}, box.high + Vec3d{by, by, by}};
}

// The voxel of this rank that x is in, -1: none with gas.
std::ptrdiff_t voxel_at(const GasGrid& grid, Vec3d x) {
  const DiscreteVolume& volume = grid.volume();
  const int t = volume.buckets().find(key_of(grid.domain().bucket_of(x)));
  if (t < 0 || t >= volume.buckets().local_count() || !grid.holds_gas(t)) return -1;
  const Vec3d low = grid.domain().low_corner(volume.buckets().coord(t));
  Vec3i v;
  for (int axis = 0; axis < 3; ++axis)
    v[axis] = std::clamp(static_cast<int>((x[axis] - low[axis]) / grid.voxel()), 0, n - 1);
  return static_cast<std::ptrdiff_t>(t) * GasGrid::voxels + (v.z * n + v.y) * n + v.x;
}

struct Filled {
  std::ptrdiff_t at;
  double part;   // of the shape
  double share;  // of the voxel
};

// Voxels of this rank that parts of a shape lie in, in the order of their numbers; those of faces for shifted parts.
std::vector<Filled> filled(const GasGrid& grid, const GasShape& shape, double time, Vec3d shift = {0, 0, 0}) {
  const std::vector<Vec3d> parts = shape.parts(time);
  const double h = grid.voxel(), each = 1 / static_cast<double>(parts.size());
  std::vector<Filled> found;
  for (const Vec3d& x : parts)
    if (const std::ptrdiff_t at = voxel_at(grid, x + shift); at >= 0) found.push_back({at, each, 0});
  std::stable_sort(found.begin(), found.end(), [](const Filled& a, const Filled& b) { return a.at < b.at; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < found.size(); ++i) {
    if (found[i].at == found[last].at)
      found[last].part += found[i].part;
    else
      found[++last] = found[i];
  }
  if (!found.empty()) found.resize(last + 1);
  for (Filled& f : found) f.share = std::min(1.0, f.part * shape.volume / (h * h * h));
  return found;
}

void blend(float& f, double share, double value) {
  f = static_cast<float>((1 - share) * static_cast<double>(f) + share * value);
}

// A material in a voxel of which the shape covers a part. In still gas that part stays as it is: what the rim has
// already got is not blended in again with every substep, or the shape would grow by half a voxel. Gas that enters with
// a flow brings its material along and pushes the rest away: there it is blended.
void fill(const GasEmission& e, float& f, double share, double covered, double value, double ambient) {
  const double now = static_cast<double>(f), goal = ambient + covered * (value - ambient);
  const double missing = (goal - now) * (value - ambient), beyond = (now - value) * (value - ambient);
  if (e.flow != 0 || covered >= 1 || value == ambient || beyond > 0)
    blend(f, share * covered, value);
  else if (missing > 0)
    f = static_cast<float>(now + share * (goal - now));
}

// What `stamp` does, for a shape given by parts. A flow brings along more than the shape holds: all that enters.
void stamp_parts(VolumeObject& gas, const GasEmission& e, double now, double dt, double share) {
  GasGrid& grid = gas.grid();
  DiscreteVolume& volume = grid.volume();
  const std::uint8_t* kinds = volume.tiles(grid.cell);
  const Box box = e.shape.bounds(now);
  const Vec3d middle = (box.low + box.high) * 0.5;
  const std::vector<Filled> cells = filled(grid, e.shape, now);
  const double h = grid.voxel();
  for (const GasEmission::Value& m : e.materials) {
    float* f = volume.write_tiles(m.channel);
    for (const Filled& cell : cells)
      if (kinds[cell.at] == static_cast<std::uint8_t>(CellKind::fluid)) {
        const double entered = 1 - std::exp(-e.flow * dt * cell.part / (h * h * h));
        fill(e, f[cell.at], share, std::max(cell.share, entered), m.value(middle, now),
             volume.channel(m.channel.index).background[0]);
      }
  }
  for (int c = 0; e.velocity && c < 3; ++c) {
    float* u = volume.write_tiles(grid.velocity, c);
    Vec3d half{0, 0, 0};  // to the voxel whose lower face is the nearest one
    half[c] = 0.5 * grid.voxel();
    for (const Filled& face : filled(grid, e.shape, now, half))
      blend(u[face.at], share * face.share, e.velocity(middle, now)[c]);
  }
}

// As the shape stands at the time `now`, for a while dt.
void stamp(VolumeObject& gas, const GasEmission& e, double now, double dt) {
  const double share = e.rate ? 1 - std::exp(-*e.rate * dt) : 1;
  if (e.shape.parts) return stamp_parts(gas, e, now, dt, share);
  GasGrid& grid = gas.grid();
  DiscreteVolume& volume = grid.volume();
  const Box box = widened(e.shape.bounds(now), grid.voxel());
  std::vector<float*> values;
  std::vector<double> ambient;
  for (const GasEmission::Value& m : e.materials) {
    values.push_back(volume.write_tiles(m.channel));
    ambient.push_back(volume.channel(m.channel.index).background[0]);
  }
  float* u[3] = {};
  if (e.velocity)
    for (int c = 0; c < 3; ++c) u[c] = volume.write_tiles(grid.velocity, c);
  const std::uint8_t* kinds = volume.tiles(grid.cell);
  for_tiles_in(grid, box, [&](int t) {
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(t) * GasGrid::voxels;
    for (int i = 0; i < GasGrid::voxels; ++i) {
      const Vec3i v = voxel_of(i);
      if (kinds[first + i] == static_cast<std::uint8_t>(CellKind::fluid) && !e.materials.empty()) {
        const Vec3d x = grid.cell_position(t, v);
        const double a = e.shape.mask(x, now, grid.voxel());
        for (std::size_t m = 0; a > 0 && m < values.size(); ++m)
          fill(e, values[m][first + i], share, a, e.materials[m].value(x, now), ambient[m]);
      }
      for (int c = 0; e.velocity && c < 3; ++c) {
        const Vec3d x = grid.face_position(t, v, c);
        const double a = share * e.shape.mask(x, now, grid.voxel());
        if (a > 0) blend(u[c][first + i], a, e.velocity(x, now)[c]);
      }
    }
  });
}

// `flow` [m^3/s] enters where the shape stands at the time `now`.
void feed(VolumeObject& gas, const GasEmission& e, double now, double flow) {
  GasGrid& grid = gas.grid();
  DiscreteVolume& volume = grid.volume();
  const double h = grid.voxel();
  const Box box = widened(e.shape.bounds(now), h);
  float* source = volume.write_tiles(gas.volume_source());
  const std::uint8_t* kinds = volume.tiles(grid.cell);
  std::vector<double> sums(static_cast<std::size_t>(volume.buckets().local_count()), 0);
  const std::vector<Filled> cells_of_parts = e.shape.parts ? filled(grid, e.shape, now) : std::vector<Filled>{};
  const auto each = [&](auto&& body) {
    for (const Filled& cell : cells_of_parts)
      if (kinds[cell.at] == static_cast<std::uint8_t>(CellKind::fluid))
        body(static_cast<int>(cell.at / GasGrid::voxels), cell.at, cell.part);
    if (e.shape.parts) return;
    for_tiles_in(grid, box, [&](int t) {
      for (int i = 0; i < GasGrid::voxels; ++i) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(t) * GasGrid::voxels + i;
        if (kinds[at] != static_cast<std::uint8_t>(CellKind::fluid)) continue;
        body(t, at, e.shape.mask(grid.cell_position(t, voxel_of(i)), now, h));
      }
    });
  };
  each([&](int t, std::ptrdiff_t, double a) { sums[static_cast<std::size_t>(t)] += a; });
  const double cells =
      sum_over_buckets<double>(volume.buckets(), [&](int t) { return sums[static_cast<std::size_t>(t)]; });
  if (!(cells > 0)) return;
  const double per_cell = flow / (cells * h * h * h);
  each([&](int, std::ptrdiff_t at, double a) { source[at] += static_cast<float>(per_cell * a); });
}

}  // namespace

GasShape shape_of(std::function<double(Vec3d, double)> distance, std::function<Box(double)> bounds) {
  return {std::move(bounds),
          [distance = std::move(distance)](Vec3d x, double time, double voxel) {
            return std::clamp(0.5 - distance(x, time) / voxel, 0.0, 1.0);
          },
          {},
          0};
}

void add_emission(VolumeObject& gas, const std::string& owner, GasEmission emission) {
  const auto e = std::make_shared<const GasEmission>(std::move(emission));
  GasSource source{owner, e->flow > 0 ? "inflow" : "stamp", {}, {}, {}};
  source.bounds = [e](double begin, double end) {
    Box swept;
    along_path(*e, begin, end, [&](double time, const Box& box) {
      if (emits(*e, time)) swept.include(box);
    });
    return swept;
  };
  source.emit = [&gas, e](const Step& step) {
    for (const auto& [now, dt] : stamps_in(*e, step, gas.grid().voxel())) stamp(gas, *e, now, dt);
  };
  if (e->flow > 0) {
    gas.volume_source();  // made now: channels are not added during a run
    source.feed = [&gas, e](const Step& step) {
      for (const auto& [now, dt] : stamps_in(*e, step, gas.grid().voxel()))
        feed(gas, *e, now, e->flow * (dt / step.dt));
    };
  }
  gas.add_source(std::move(source));
}

void add_point_emission(VolumeObject& gas, const std::string& owner, GasEmission emission,
                        std::vector<const ForceTarget*> points) {
  const auto e = std::make_shared<const GasEmission>(std::move(emission));
  for (const ForceTarget* target : points) gas.stay_around(target);
  GasSource source{owner, "stamp of points", [](double, double) { return Box{}; }, {}, {}};
  source.emit = [&gas, e, points = std::move(points)](const Step& step) {
    if (!emits(*e, step.time + step.dt)) return;
    GasGrid& grid = gas.grid();
    DiscreteVolume& volume = grid.volume();
    const double share = e->rate ? 1 - std::exp(-*e->rate * step.dt) : 1;
    std::vector<Vec3d> mine;
    for (const ForceTarget* target : points)
      target->visit_points([&](const PointBlock& block) {
        for (int i = 0; i < block.count; ++i)
          if (block.mass[i] > 0) mine.push_back(block.position[i]);
      });
    // Points and tiles may be on different ranks.
    std::vector<std::ptrdiff_t> cells;
    for (const Bytes& part : grid.domain().communicator().all_gather(std::as_bytes(std::span<const Vec3d>(mine))))
      for (const Vec3d& x : from_bytes<Vec3d>(part))
        if (const std::ptrdiff_t at = voxel_at(grid, x); at >= 0) cells.push_back(at);
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
    const std::uint8_t* kinds = volume.tiles(grid.cell);
    for (const GasEmission::Value& m : e->materials) {
      float* f = volume.write_tiles(m.channel);
      for (const std::ptrdiff_t at : cells)
        if (kinds[at] == static_cast<std::uint8_t>(CellKind::fluid))
          f[at] = static_cast<float>((1 - share) * static_cast<double>(f[at]) +
                                     share * m.value({0, 0, 0}, step.time + step.dt));
    }
  };
  gas.add_source(std::move(source));
}

}  // namespace ymir
