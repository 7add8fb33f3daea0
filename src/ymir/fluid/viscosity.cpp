#include "ymir/fluid/viscosity.h"

#include <algorithm>
#include <limits>

#include "ymir/fluid/padded_tile.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;
constexpr auto fluid = static_cast<std::uint8_t>(CellKind::fluid);
constexpr double nearest = 1e-3;       // voxels; a wall nearer to a face's centre counts as that near
constexpr double on_wall = 1e-6;       // voxels
constexpr double near_no_slip = 1.75;  // voxels; links so near are whole: the wall is in the distances, not the areas

// Faces: none of the gas, moved by it, or inside a no_slip wall.
enum FaceKind : std::uint8_t { other = 0, moved = 1, held = 2 };

Vec3i voxel_of(int i) { return {i % n, i / n % n, i / (n * n)}; }
Vec3i along(int axis) { return {axis == 0 ? 1 : 0, axis == 1 ? 1 : 0, axis == 2 ? 1 : 0}; }

// Distances of the faces of one component in a tile to the no_slip sides of the domain, in voxels.
struct Sides {
  double to[6][n + 2];  // by side and place along its axis, from -1

  Sides(const GasBoundary& boundary, const GasGrid& grid, int tile, int axis) {
    for (int s = 0; s < 6; ++s) {
      const int b = s / 2;
      const auto at = static_cast<std::size_t>(s);
      const bool sticks = boundary.box() && boundary.box()->closed[at] && boundary.box()->wall[at] == Wall::no_slip;
      for (int i = -1; i <= n; ++i) {
        to[s][i + 1] = std::numeric_limits<double>::infinity();
        if (!sticks) continue;
        const double x = grid.face_position(tile, along(b) * i, axis)[b];
        const Box& box = boundary.box()->box;
        to[s][i + 1] = (s % 2 == 0 ? x - box.low[b] : box.high[b] - x) / grid.voxel();
      }
    }
  }
  double distance(Vec3i v, int side) const { return to[side][v[side / 2] + 1]; }
  double least(Vec3i v) const {
    double d = std::numeric_limits<double>::infinity();
    for (int s = 0; s < 6; ++s) d = std::min(d, distance(v, s));
    return d;
  }
};

// A no_slip wall between a face and the next.
struct Hit {
  double distance = 0;  // voxels; 0: none
  double velocity = 0;  // [m/s]
};

}  // namespace

// What surrounds the faces of one component in a tile.
struct Viscosity::TileWalls {
  int axis;
  Sides sides;
  const GasBox* box;
  const PaddedTile<float>* open;  // three
  PaddedTile<std::uint8_t> kind;
  PaddedTile<float> wall_velocity, wall_distance;
  bool solids;  // wall_distance is known

  double distance(Vec3i v) const {
    return solids ? static_cast<double>(wall_distance(v.x, v.y, v.z)) : std::numeric_limits<double>::infinity();
  }
  double velocity(Vec3i v) const { return static_cast<double>(wall_velocity(v.x, v.y, v.z)); }
  double share(int b, Vec3i v) const { return static_cast<double>(open[b](v.x, v.y, v.z)); }
  FaceKind face(Vec3i v) const { return static_cast<FaceKind>(kind(v.x, v.y, v.z)); }
  bool beside_no_slip(Vec3i v) const { return distance(v) < near_no_slip || sides.least(v) < 1; }

  // From a face moved by gas towards a neighbour, numbered as face_directions.
  Hit hit(Vec3i v, int f) const {
    const double to_side = sides.distance(v, f);
    if (to_side < 1 + on_wall)
      return {std::max(to_side, nearest), f / 2 == axis ? 0 : box->velocity[static_cast<std::size_t>(f)][axis]};
    if (!solids) return {};
    const Vec3i g = f % 2 == 0 ? v - along(f / 2) : v + along(f / 2);
    const double from = distance(v), to = distance(g);
    if (to > 0) return {};
    const double theta = std::clamp(from / (from - to), nearest, 1.0);
    return {theta, velocity(v) + theta * (velocity(g) - velocity(v))};
  }
  // Of the no_slip wall that a face lies in.
  double held_velocity(Vec3i v) const {
    for (int s = 0; s < 6; ++s)
      if (sides.distance(v, s) < on_wall) return s / 2 == axis ? 0 : box->velocity[static_cast<std::size_t>(s)][axis];
    return velocity(v);
  }
  // Share of the area between a face and the one below it along b.
  double link(Vec3i v, int b) const {
    const Vec3i low = v - along(b);
    const double area = 0.5 * (share(b, v) + share(b, b == axis ? low : v - along(axis)));
    return area > 0 && (beside_no_slip(v) || beside_no_slip(low)) ? 1 : area;
  }
};

Viscosity::Viscosity(GasGrid& grid) : grid_(&grid), tiles_(grid), solver_(grid.volume()) {
  kind_ = grid.volume().add_channel<std::uint8_t>("viscous faces", {n, Sampling::face, other, 3, true});
}

void Viscosity::boundary_changed(const GasBoundary& boundary, double time, double dt) {
  const auto& solids = boundary.solids();
  if (std::any_of(solids.begin(), solids.end(), [](const GasSolid& s) { return s.wall == Wall::no_slip; })) {
    if (!wall_distance_.valid())
      wall_distance_ =
          grid_->volume().add_channel<float>("wall_distance", {n, Sampling::face, GasBoundary::no_slip_reach, 3, true});
    boundary.measure_no_slip(*grid_, wall_distance_, time, dt);
  }
  tiles_.update();
  classify(boundary);
  build(boundary);
}

void Viscosity::classify(const GasBoundary& boundary) {
  DiscreteVolume& volume = grid_->volume();
  auto cell = read(volume, grid_->cell, Stencil::faces);
  auto open = read(volume, grid_->open);
  auto distance = read(volume, wall_distance_.valid() ? wall_distance_ : grid_->open);
  auto kind = write(volume, kind_);
  for_each_bucket(volume.buckets(), cell, open, distance, kind, [&](int t) {
    for (int axis = 0; axis < 3; ++axis) {
      std::uint8_t* to = kind.tile(t, axis);
      std::fill_n(to, GasGrid::voxels, tiles_.plain(t) ? moved : other);
      if (tiles_.plain(t) || tiles_.idle(t)) continue;
      const Sides sides(boundary, *grid_, t, axis);
      for (int i = 0; i < GasGrid::voxels; ++i) {
        const Vec3i v = voxel_of(i);
        if (open.tile(t, axis)[i] == 0) continue;
        if (cell.tile(t)[i] != fluid && cell.value(t, v - along(axis)) != fluid) continue;
        const bool inside = sides.least(v) < on_wall || (wall_distance_.valid() && distance.tile(t, axis)[i] <= 0);
        to[i] = inside ? held : moved;
      }
    }
  });
}

void Viscosity::build(const GasBoundary& boundary) {
  DiscreteVolume& volume = grid_->volume();
  const int tiles = volume.buckets().local_count();
  ghosts_.resize(static_cast<std::size_t>(tiles));
  ghost_values_.resize(static_cast<std::size_t>(tiles));
  for (DiffusionStencils& stencils : stencils_) {
    stencils.resize(tiles);
    for (int t = 0; t < tiles; ++t) {
      if (tiles_.plain(t))
        stencils.set_plain(t);
      else if (!tiles_.idle(t))
        stencils.add_cut(t);
    }
  }
  auto open = read(volume, grid_->open, Stencil::box);
  auto kind = read(volume, kind_, Stencil::box);
  auto velocity = read(volume, grid_->solid_velocity, Stencil::box);
  auto distance = read(volume, wall_distance_.valid() ? wall_distance_ : grid_->open, Stencil::box);
  for_each_bucket(volume.buckets(), open, kind, velocity, distance, [&](int t) {
    ghosts_[static_cast<std::size_t>(t)].clear();
    if (tiles_.plain(t) || tiles_.idle(t)) return;
    const auto& neighbours = volume.buckets().neighbours(t);
    PaddedTile<float> shares[3];
    for (int b = 0; b < 3; ++b) shares[b].load(open, neighbours, b);
    for (int axis = 0; axis < 3; ++axis) {
      TileWalls walls{axis, {boundary, *grid_, t, axis}, boundary.box() ? &*boundary.box() : nullptr, shares, {}, {},
                      {},   wall_distance_.valid()};
      walls.kind.load(kind, neighbours, axis);
      walls.wall_velocity.load(velocity, neighbours, axis);
      if (walls.solids) walls.wall_distance.load(distance, neighbours, axis);
      fill(walls, t, axis);
      find_ghosts(walls, t, axis);
    }
  });
}

void Viscosity::fill(const TileWalls& walls, int tile, int axis) {
  DiffusionTile& to = *stencils_[axis].cut(tile);
  bool any = false;
  for (int i = 0; i < GasGrid::voxels; ++i) {
    const Vec3i v = voxel_of(i);
    if (walls.face(v) == other) continue;
    any = true;
    if (walls.face(v) == held) {
      to.wall[i] = 1;
      to.pull[i] = static_cast<float>(walls.held_velocity(v));
      continue;
    }
    const double whole = walls.beside_no_slip(v) ? 1 : walls.share(axis, v);
    double wall = 0, pull = 0;
    for (int f = 0; f < 6; ++f) {
      const Vec3i g = f % 2 == 0 ? v - along(f / 2) : v + along(f / 2);
      const Hit hit = walls.hit(v, f);
      if (hit.distance > 0) {
        wall += 1 / hit.distance;
        pull += hit.velocity / hit.distance;
      } else if (walls.face(g) == moved) {
        if (f % 2 == 0) to.link[f / 2][i] = static_cast<float>(walls.link(v, f / 2));
      } else if (f / 2 == axis && walls.share(axis, g) == 0) {
        wall += whole;
        pull += whole * walls.velocity(g);
      }
    }
    to.mass[i] = static_cast<float>(whole);
    to.wall[i] = static_cast<float>(wall);
    to.pull[i] = static_cast<float>(pull);
  }
  if (!any) stencils_[axis].set_idle(tile);
}

void Viscosity::find_ghosts(const TileWalls& walls, int tile, int axis) {
  std::vector<Ghost>& ghosts = ghosts_[static_cast<std::size_t>(tile)];
  for (int i = 0; i < GasGrid::voxels; ++i) {
    const Vec3i g = voxel_of(i);
    if (walls.face(g) == moved) continue;
    const std::size_t first = ghosts.size();
    for (int f = 0; f < 6; ++f) {
      const Vec3i v = f % 2 == 0 ? g - along(f / 2) : g + along(f / 2);
      if (walls.face(v) != moved) continue;
      const Hit hit = walls.hit(v, f ^ 1);
      if (hit.distance == 0) continue;
      const double factor = std::min(1.0, (1 - hit.distance) / hit.distance);
      ghosts.push_back({static_cast<std::uint16_t>(i), static_cast<std::uint8_t>(axis), static_cast<std::uint8_t>(f),
                        static_cast<float>(hit.velocity), static_cast<float>(factor), 1});
    }
    for (std::size_t k = first; k < ghosts.size(); ++k) ghosts[k].share = 1 / static_cast<float>(ghosts.size() - first);
  }
}

DiffusionReport Viscosity::apply(ChannelId<float> velocity, double amount, const DiffusionOptions& options) {
  const double h = grid_->voxel();
  DiffusionReport report;
  for (int axis = 0; axis < 3; ++axis) {
    const DiffusionReport one = solver_.solve(stencils_[axis], amount / (h * h), velocity, axis, options);
    report.converged = report.converged && one.converged;
    report.iterations = std::max(report.iterations, one.iterations);
    report.residual = std::max(report.residual, one.residual);
  }
  return report;
}

void Viscosity::extend(ChannelId<float> velocity) {
  DiscreteVolume& volume = grid_->volume();
  {
    auto u = read(volume, velocity, Stencil::faces);
    for_each_bucket(volume.buckets(), u, [&](int t) {
      const std::vector<Ghost>& ghosts = ghosts_[static_cast<std::size_t>(t)];
      std::vector<float>& values = ghost_values_[static_cast<std::size_t>(t)];
      values.clear();
      for (const Ghost& ghost : ghosts) {
        const Vec3i g = voxel_of(ghost.voxel), step = along(ghost.beside / 2);
        const float beside = u.value(t, ghost.beside % 2 == 0 ? g - step : g + step, ghost.axis);
        values.push_back(ghost.share * (ghost.wall + ghost.factor * (ghost.wall - beside)));
      }
    });
  }
  auto out = read_write(volume, velocity);
  for_each_bucket(volume.buckets(), out, [&](int t) {
    const std::vector<Ghost>& ghosts = ghosts_[static_cast<std::size_t>(t)];
    const std::vector<float>& values = ghost_values_[static_cast<std::size_t>(t)];
    for (std::size_t k = 0; k < ghosts.size(); ++k) {
      float& to = out.tile(t, ghosts[k].axis)[ghosts[k].voxel];
      const bool first = k == 0 || ghosts[k - 1].voxel != ghosts[k].voxel || ghosts[k - 1].axis != ghosts[k].axis;
      to = (first ? 0.0f : to) + values[k];
    }
  });
}

}  // namespace ymir
