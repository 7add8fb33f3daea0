#include "ymir/fluid/gas_sheets.h"

#include <algorithm>
#include <cmath>

namespace ymir {
namespace {

constexpr int n = GasGrid::side;

class Triangle {
 public:
  Triangle(Vec3d a, Vec3d b, Vec3d c) : origin_(a), e1_(b - a), e2_(c - a), normal_(cross(e1_, e2_)) {
    for (const Vec3d corner : {a, b, c}) box_.include(corner);
    area_ = dot(normal_, normal_);
  }
  bool flat() const { return !(area_ > 0); }  // has no inside
  const Box& box() const { return box_; }
  double height(Vec3d x) const { return dot(normal_, x - origin_); }  // of one sign on either side
  double distance(Vec3d x) const { return std::abs(height(x)) / std::sqrt(area_); }
  // Whether the segment meets the triangle, given the heights of its ends.
  bool meets(Vec3d p, Vec3d q, double height_p, double height_q) const {
    if ((height_p >= 0) == (height_q >= 0)) return false;
    const Vec3d x = p + (q - p) * (height_p / (height_p - height_q)) - origin_;
    const double u = dot(cross(x, e2_), normal_) / area_, v = dot(cross(e1_, x), normal_) / area_;
    // Neighbouring triangles share their edges, so that nothing passes between them.
    constexpr double slack = 1e-9;
    return u >= -slack && v >= -slack && u + v <= 1 + slack;
  }

 private:
  Vec3d origin_, e1_, e2_, normal_;
  double area_;  // twice the area, squared
  Box box_;
};

struct Placed {
  Triangle now, before, in_body;
  std::size_t sheet;
  bool moves;
};

Vec3d centre(Vec3i voxel, double h) {
  return Vec3d{voxel.x + 0.5 + 1.1e-6, voxel.y + 0.5 + 2.3e-6, voxel.z + 0.5 + 3.7e-6} * h;
}

std::vector<Placed> placed(std::span<const GasSheet> sheets, std::span<const MovingSolid> motions) {
  std::vector<Placed> result;
  for (std::size_t s = 0; s < sheets.size(); ++s)
    for (const auto& t : sheets[s].surface.triangles) {
      const auto corners = [&](const RigidTransform& pose) {
        const auto at = [&](std::size_t k) {
          return pose.to_world(sheets[s].surface.positions[static_cast<std::size_t>(t[k])]);
        };
        return Triangle(at(0), at(1), at(2));
      };
      const MovingSolid& m = motions[s];
      const Placed triangle{corners(m.end), corners(m.start), corners({}), s, !(m.start == m.end)};
      if (!triangle.in_body.flat()) result.push_back(triangle);
    }
  return result;
}

// Triangles that may matter to each local tile.
std::vector<std::vector<int>> by_tile(const GasGrid& grid, const std::vector<Placed>& triangles) {
  const BucketSet& buckets = grid.volume().buckets();
  const GridDomain& domain = grid.domain();
  const double h = grid.voxel(), edge = domain.bucket_size();
  std::vector<std::vector<int>> lists(static_cast<std::size_t>(buckets.local_count()));
  for (std::size_t k = 0; k < triangles.size(); ++k) {
    Box box = triangles[k].now.box();
    box.include(triangles[k].before.box());
    const Box around{box.low - Vec3d{h, h, h} * 2, box.high + Vec3d{h, h, h} * 2};
    const auto add = [&](int tile) {
      const Vec3d low = domain.low_corner(buckets.coord(tile)), middle = low + Vec3d{edge, edge, edge} * 0.5;
      for (int axis = 0; axis < 3; ++axis)
        if (low[axis] > around.high[axis] || low[axis] + edge < around.low[axis]) return;
      const double reach = 0.5 * std::sqrt(3.0) * (edge + 2 * h);
      if (triangles[k].moves || triangles[k].now.distance(middle) <= reach)
        lists[static_cast<std::size_t>(tile)].push_back(static_cast<int>(k));
    };
    const Vec3d size = around.size() / edge + Vec3d{1, 1, 1};
    if (size.x * size.y * size.z < static_cast<double>(buckets.local_count())) {
      for (const BucketKey key : tiles_in(domain, around))
        if (const int tile = buckets.find(key); tile >= 0 && tile < buckets.local_count()) add(tile);
    } else {
      for (int tile = 0; tile < buckets.local_count(); ++tile) add(tile);
    }
  }
  return lists;
}

// body(voxel of the tile, axis) for the lower faces that a triangle crosses.
template <class F>
void for_crossed_faces(const Triangle& triangle, Vec3i first, double h, F&& body) {
  Vec3i from, to;
  for (int axis = 0; axis < 3; ++axis) {
    const auto index = [&](double x) { return std::floor(x / h) - first[axis]; };
    from[axis] = static_cast<int>(std::clamp(index(triangle.box().low[axis]) - 1, 0.0, double(n)));
    to[axis] = static_cast<int>(std::clamp(index(triangle.box().high[axis]) + 2, -1.0, double(n - 1)));
    if (from[axis] > to[axis]) return;
  }
  double heights[n + 1][n + 1][n + 1];  // of centres, from the voxel below
  for (int z = from.z - 1; z <= to.z; ++z)
    for (int y = from.y - 1; y <= to.y; ++y)
      for (int x = from.x - 1; x <= to.x; ++x)
        heights[z + 1][y + 1][x + 1] = triangle.height(centre(first + Vec3i{x, y, z}, h));
  for (int z = from.z; z <= to.z; ++z)
    for (int y = from.y; y <= to.y; ++y)
      for (int x = from.x; x <= to.x; ++x)
        for (int axis = 0; axis < 3; ++axis) {
          const Vec3i v{x, y, z};
          Vec3i low = v;
          --low[axis];
          const double here = heights[z + 1][y + 1][x + 1], below = heights[low.z + 1][low.y + 1][low.x + 1];
          if ((here >= 0) != (below >= 0) && triangle.meets(centre(first + low, h), centre(first + v, h), below, here))
            body(v, axis);
        }
}

}  // namespace

void close_sheets(GasGrid& grid, std::span<const GasSheet> sheets, std::span<const MovingSolid> motions) {
  using sheet::When;
  DiscreteVolume& volume = grid.volume();
  if (!grid.sheets.valid())
    grid.sheets = volume.add_channel<std::uint8_t>("sheets", {.resolution = n, .scratch = true});
  const std::vector<Placed> triangles = placed(sheets, motions);
  const std::vector<std::vector<int>> lists = by_tile(grid, triangles);
  const double h = grid.voxel();
  auto open = read_write(volume, grid.open);
  auto solid_velocity = read_write(volume, grid.solid_velocity);
  auto bits = write(volume, grid.sheets);
  for_each_bucket(volume.buckets(), open, solid_velocity, bits, [&](int t) {
    std::uint8_t* marks = bits.tile(t);
    std::fill_n(marks, GasGrid::voxels, std::uint8_t{0});
    const BucketCoord b = volume.buckets().coord(t);
    const Vec3i first{b.x * n, b.y * n, b.z * n};
    const auto at = [](Vec3i v) { return (v.z * n + v.y) * n + v.x; };
    const auto mark = [&](Vec3i v, int bit) { marks[at(v)] = static_cast<std::uint8_t>(marks[at(v)] | bit); };
    for (const int k : lists[static_cast<std::size_t>(t)]) {
      const Placed& triangle = triangles[static_cast<std::size_t>(k)];
      const MovingSolid& motion = motions[triangle.sheet];
      for_crossed_faces(triangle.now, first, h, [&](Vec3i v, int axis) {
        open.tile(t, axis)[at(v)] = 0;
        const Vec3d p = grid.face_position(t, v, axis);
        solid_velocity.tile(t, axis)[at(v)] = static_cast<float>(motion.velocity(motion.to_body_at_end(p))[axis]);
        mark(v, sheet::closes(axis, When::now));
        if (!triangle.moves) mark(v, sheet::closes(axis, When::before));
      });
      if (!triangle.moves) continue;
      for_crossed_faces(triangle.before, first, h,
                        [&](Vec3i v, int axis) { mark(v, sheet::closes(axis, When::before)); });
      for (int i = 0; i < GasGrid::voxels; ++i) {
        const Vec3i v{i % n, i / n % n, i / (n * n)};
        const Vec3d p = motion.to_body_at_start(centre(first + v, h)), q = motion.to_body_at_end(centre(first + v, h));
        if (triangle.in_body.meets(p, q, triangle.in_body.height(p), triangle.in_body.height(q)))
          mark(v, sheet::passed);
      }
    }
  });
}

}  // namespace ymir
