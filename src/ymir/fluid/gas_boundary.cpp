#include "ymir/fluid/gas_boundary.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/data/deforming_surface.h"
#include "ymir/physics/fluid/face_fraction.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;
constexpr double smallest_fraction = 1e-6;  // below it a face is closed: single precision could not resolve its flow
constexpr double infinity = std::numeric_limits<double>::infinity();

// Of one tile: distances at the corners of its voxels.
struct Nodes {
  double d[n + 1][n + 1][n + 1];  // [z][y][x]
  double at(Vec3i v) const { return d[v.z][v.y][v.x]; }
  // Open share of the lower face along `axis` of a voxel; v may lie one beyond the tile along that axis.
  double fraction(Vec3i v, int axis) const {
    Vec3i a{0, 0, 0}, b{0, 0, 0};
    a[(axis + 1) % 3] = 1;
    b[(axis + 2) % 3] = 1;
    const double w = open_fraction(at(v), at(v + a), at(v + b), at(v + a + b));
    return w < smallest_fraction ? 0 : w;
  }
};

// A wall that lies along faces but for rounding lies on them.
double snapped(double distance, double h) { return std::abs(distance) < 1e-6 * h ? 0 : distance; }

Vec3i voxel_of(int i) { return {i % n, i / n % n, i / (n * n)}; }

}  // namespace

struct GasBoundary::Poses {
  std::vector<MovingSolid> solids, sheets;
  std::vector<std::shared_ptr<const MovingSurface>> surfaces;  // of solids that deform, else nullptr
  double time;                                                 // the end of the substep [s]

  Poses(const GasBoundary& boundary, double end_time, double dt) : time(end_time) {
    const auto motion = [&](const auto& solid) {
      if (!solid.pose) return MovingSolid{{}, {}, {}, 1};
      const double step = dt > 0 ? dt : 1;
      const RigidTransform end = solid.pose(time), start = dt > 0 ? solid.pose(time - dt) : end;
      return MovingSolid{start, start, end, step};
    };
    for (const GasSolid& solid : boundary.solids_) {
      solids.push_back(motion(solid));
      surfaces.push_back(solid.deforming ? solid.deforming->during(time - dt, time) : nullptr);
    }
    for (const GasSheet& sheet : boundary.sheets_) sheets.push_back(motion(sheet));
  }
};

// Distances at the end of the substep from one place after another. Those of deforming surfaces are searched within
// what the place before allows.
class GasBoundary::Probe {
 public:
  Probe(const GasBoundary& boundary, const Poses& poses)
      : boundary_(&boundary), poses_(&poses), last_(poses.surfaces.size()) {}

  double distance(std::size_t solid, Vec3d x) {
    if (!poses_->surfaces[solid])
      return boundary_->solids_[solid].distance(poses_->solids[solid].to_body_at_end(x)).distance;
    return sample(solid, x).distance;
  }
  SurfaceSample sample(std::size_t solid, Vec3d x) {
    const MovingSurface& surface = *poses_->surfaces[solid];
    Last& last = last_[solid];
    SurfaceSample found = surface.sample(x, poses_->time, last.distance + norm(x - last.x) * (1 + 1e-9) + 1e-12);
    if (found.triangle < 0) found = surface.sample(x, poses_->time);
    last = {x, std::abs(found.distance)};
    return found;
  }
  // Of the nearest solid; which: -1 without any.
  double nearest(Vec3d x, int* which = nullptr) {
    double least = infinity;
    if (which != nullptr) *which = -1;
    for (std::size_t k = 0; k < boundary_->solids_.size(); ++k) {
      const double d = distance(k, x);
      if (!(d < least)) continue;
      least = d;
      if (which != nullptr) *which = static_cast<int>(k);
    }
    return least;
  }

 private:
  struct Last {
    Vec3d x;
    double distance = infinity;
  };
  const GasBoundary* boundary_;
  const Poses* poses_;
  std::vector<Last> last_;
};

bool GasSolid::moves() const { return deforming ? deforming->surface().moving() : static_cast<bool>(pose); }

bool GasBoundary::moving() const {
  return std::any_of(solids_.begin(), solids_.end(), [](const GasSolid& solid) { return solid.moves(); }) ||
         std::any_of(sheets_.begin(), sheets_.end(),
                     [](const GasSheet& sheet) { return static_cast<bool>(sheet.pose); });
}

bool GasBoundary::empty() const {
  const bool sides = box_ && std::any_of(box_->closed.begin(), box_->closed.end(), [](bool c) { return c; });
  return solids_.empty() && sheets_.empty() && !sides;
}

bool GasBoundary::has(Wall wall) const {
  for (std::size_t s = 0; box_ && s < 6; ++s)
    if (box_->closed[s] && box_->wall[s] == wall) return true;
  return std::any_of(solids_.begin(), solids_.end(), [&](const GasSolid& solid) { return solid.wall == wall; });
}

bool GasBoundary::behind_wall(const GridDomain& domain, BucketCoord tile) const {
  if (!box_) return false;
  const double edge = domain.bucket_size();
  const Vec3d low = domain.low_corner(tile);
  for (int a = 0; a < 3; ++a) {
    if (box_->closed[static_cast<std::size_t>(2 * a)] && low[a] + edge <= box_->box.low[a] + 1e-6 * edge) return true;
    if (box_->closed[static_cast<std::size_t>(2 * a + 1)] && low[a] >= box_->box.high[a] - 1e-6 * edge) return true;
  }
  return false;
}

DistanceSample GasBoundary::distance(Vec3d x, double time, int* nearest) const {
  int which = -1;
  DistanceSample result{infinity, {0, 1, 0}};
  for (std::size_t k = 0; k < solids_.size(); ++k) {
    DistanceSample sample;
    if (solids_[k].deforming) {
      const SurfaceSample seen = solids_[k].deforming->during(time, time)->sample(x, time);
      sample = {seen.distance, seen.normal};
    } else {
      const RigidTransform pose = solids_[k].pose ? solids_[k].pose(time) : RigidTransform{};
      sample = solids_[k].distance(pose.to_body(x));
      sample.normal = pose.direction_to_world(sample.normal);
    }
    if (!(sample.distance < result.distance)) continue;
    which = static_cast<int>(k);
    result = sample;
  }
  if (box_)
    for (int s = 0; s < 6; ++s) {
      if (!box_->closed[static_cast<std::size_t>(s)]) continue;
      const double d = s % 2 == 0 ? x[s / 2] - box_->box.low[s / 2] : box_->box.high[s / 2] - x[s / 2];
      if (!(d < result.distance)) continue;
      which = -1;
      result = {d, {0, 0, 0}};
      result.normal[s / 2] = s % 2 == 0 ? 1 : -1;
    }
  if (nearest != nullptr) *nearest = which;
  return result;
}

// Share of a face that the closed sides leave open: exact, also where two of them meet. Walls of the domain are not
// joined with solids at the corners of faces: along the edge between both that would lose half a cell.
double GasBoundary::between_sides(Vec3d face, int axis, double h) const {
  double share = 1;
  for (int a = 0; a < 3; ++a) {
    double low = box_->closed[static_cast<std::size_t>(2 * a)] ? box_->box.low[a] : -infinity;
    double high = box_->closed[static_cast<std::size_t>(2 * a + 1)] ? box_->box.high[a] : infinity;
    if (a == axis) {
      share *= face[a] > low + 1e-6 * h && face[a] < high - 1e-6 * h ? 1 : 0;
    } else {
      low = std::max(low, face[a] - 0.5 * h);
      high = std::min(high, face[a] + 0.5 * h);
      const double part = std::clamp((high - low) / h, 0.0, 1.0);
      share *= part > 1 - 1e-6 ? 1 : part;
    }
  }
  return share < smallest_fraction ? 0 : share;
}

void GasBoundary::update(GasGrid& grid, double time, double dt) const {
  const Poses poses(*this, time, dt);
  DiscreteVolume& volume = grid.volume();
  const double h = grid.voxel();
  double lipschitz = 1;
  for (const GasSolid& solid : solids_) lipschitz = std::max(lipschitz, solid.lipschitz);
  const double reach = (0.5 * std::sqrt(3.0) * n + 1) * h * lipschitz;  // from a tile's centre to all its corners
  const bool deforms =
      std::any_of(solids_.begin(), solids_.end(), [](const GasSolid& s) { return s.deforming && s.moves(); });
  if (deforms && !grid.wall_growth.valid())
    grid.wall_growth = volume.add_channel<float>("wall_growth", {.resolution = n, .scratch = true});
  auto life = read(volume, grid.life);
  auto open = write(volume, grid.open);
  auto solid_velocity = write(volume, grid.solid_velocity);
  auto cell = write(volume, grid.cell);
  float* growth = deforms ? volume.write_tiles(grid.wall_growth, 0, true) : nullptr;
  for_each_bucket(volume.buckets(), life, open, solid_velocity, cell, [&](int t) {
    Probe probe(*this, poses);
    const Vec3d low = grid.domain().low_corner(volume.buckets().coord(t));
    const double d = probe.nearest(low + Vec3d{0.5, 0.5, 0.5} * (n * h));
    float* grows = growth != nullptr ? growth + std::ptrdiff_t{t} * GasGrid::voxels : nullptr;
    if (grows != nullptr) std::fill_n(grows, GasGrid::voxels, 0.0f);
    const auto free_kind = life.tile(t)[0] > 0 ? CellKind::fluid : CellKind::outside;
    for (int axis = 0; axis < 3; ++axis) {
      std::fill_n(open.tile(t, axis), GasGrid::voxels, d > 0 ? 1.0f : 0.0f);
      std::fill_n(solid_velocity.tile(t, axis), GasGrid::voxels, 0.0f);
    }
    std::fill_n(cell.tile(t), GasGrid::voxels, static_cast<std::uint8_t>(d > 0 ? free_kind : CellKind::solid));
    const bool cut = std::abs(d) <= reach;
    // One voxel more: a tile's upper faces are its neighbours'.
    const bool at_side =
        box_ && !(box_->box.contains(low - Vec3d{h, h, h}) && box_->box.contains(low + Vec3d{1, 1, 1} * ((n + 1) * h)));
    if (!cut && (!at_side || d <= 0)) return;
    Nodes nodes;
    if (cut) {
      const BucketCoord b = volume.buckets().coord(t);
      for (int z = 0; z <= n; ++z)
        for (int y = 0; y <= n; ++y)
          for (int x = 0; x <= n; ++x)
            nodes.d[z][y][x] =
                snapped(probe.nearest(Vec3d((b.x * n + x) * h, (b.y * n + y) * h, (b.z * n + z) * h)), h);
    }
    const auto fraction = [&](Vec3i v, int axis) {
      const double w = cut ? nodes.fraction(v, axis) : 1;
      return w > 0 && at_side ? w * between_sides(grid.face_position(t, v, axis), axis, h) : w;
    };
    for (int i = 0; i < GasGrid::voxels; ++i) {
      const Vec3i v = voxel_of(i);
      double all = 0, shares[3][2];
      for (int axis = 0; axis < 3; ++axis) {
        Vec3i above = v;
        ++above[axis];
        const double w = shares[axis][0] = fraction(v, axis);
        shares[axis][1] = fraction(above, axis);
        all += w + shares[axis][1];
        open.tile(t, axis)[i] = static_cast<float>(w);
        if (w < 1 && cut)
          solid_velocity.tile(t, axis)[i] =
              static_cast<float>(velocity_of_solids(poses, probe, grid.face_position(t, v, axis))[axis]);
        if (w == 0 && at_side && !cut)
          solid_velocity.tile(t, axis)[i] = velocity_behind_sides(grid.face_position(t, v, axis), axis);
      }
      if (grows != nullptr && cut && all > 0 && all < 6)
        grows[i] = static_cast<float>(wall_growth(poses, probe, grid, t, v, shares));
      std::uint8_t& kind = cell.tile(t)[i];
      kind = static_cast<std::uint8_t>(all > 0 ? free_kind : CellKind::solid);
      if (all == 0 || !at_side) continue;
      const Vec3d p = grid.cell_position(t, v);
      for (int s = 0; s < 6; ++s)
        if (!box_->closed[static_cast<std::size_t>(s)] &&
            (s % 2 == 0 ? p[s / 2] < box_->box.low[s / 2] : p[s / 2] > box_->box.high[s / 2]))
          kind = static_cast<std::uint8_t>(CellKind::outside);
    }
  });
  if (!sheets_.empty()) close_sheets(grid, sheets_, poses.sheets);
  if (has(Wall::non_stick)) mark_non_stick(grid, poses);
}

void GasBoundary::mark_non_stick(GasGrid& grid, const Poses& poses) const {
  DiscreteVolume& volume = grid.volume();
  if (!grid.non_stick.valid())
    grid.non_stick = volume.add_channel<std::uint8_t>("non_stick", {.resolution = n, .scratch = true});
  auto open = read(volume, grid.open, Stencil::faces);
  auto cell = read(volume, grid.cell);
  auto marked = write(volume, grid.non_stick);
  for_each_bucket(volume.buckets(), open, cell, marked, [&](int t) {
    Probe probe(*this, poses);
    for (int i = 0; i < GasGrid::voxels; ++i) {
      marked.tile(t)[i] = 0;
      if (cell.tile(t)[i] != static_cast<std::uint8_t>(CellKind::fluid)) continue;
      const Vec3i v = voxel_of(i);
      bool cut = false;
      for (int axis = 0; axis < 3 && !cut; ++axis) {
        Vec3i above = v;
        ++above[axis];
        cut = open.value(t, v, axis) < 1 || open.value(t, above, axis) < 1;
      }
      if (!cut) continue;
      const Vec3d p = grid.cell_position(t, v);
      int nearest = -1;
      const double d = probe.nearest(p, &nearest);
      // A solid that cuts a face of the cell is within its diagonal; farther ones leave it to a side of the domain.
      bool leaves = nearest >= 0 && std::abs(d) < std::sqrt(3.0) * grid.voxel() &&
                    solids_[static_cast<std::size_t>(nearest)].wall == Wall::non_stick;
      for (int s = 0; box_ && s < 6; ++s)
        leaves |= box_->closed[static_cast<std::size_t>(s)] &&
                  box_->wall[static_cast<std::size_t>(s)] == Wall::non_stick &&
                  std::abs(p[s / 2] - (s % 2 == 0 ? box_->box.low : box_->box.high)[s / 2]) < grid.voxel();
      marked.tile(t)[i] = leaves;
    }
  });
}

Vec3d GasBoundary::velocity_of_solids(const Poses& poses, Probe& probe, Vec3d x) const {
  int nearest = -1;
  probe.nearest(x, &nearest);
  const auto k = static_cast<std::size_t>(nearest);
  if (nearest < 0 || !solids_[k].moves()) return {0, 0, 0};
  if (poses.surfaces[k]) return poses.surfaces[k]->velocity(probe.sample(k, x));
  return poses.solids[k].velocity(poses.solids[k].to_body_at_end(x));
}

// A wall sends (1 - w) us through the closed shares of the faces of a cut cell. For a rigid body that is what the wall
// displaces; where us diverges, it is more by that divergence times the solid share of the cell. What the wall
// displaces is its velocity times its area vector, and that is minus the sum of the open shares.
double GasBoundary::wall_growth(const Poses& poses, Probe& probe, const GasGrid& grid, int tile, Vec3i voxel,
                                const double (&open)[3][2]) const {
  int nearest = -1;
  const Vec3d middle = grid.cell_position(tile, voxel);
  probe.nearest(middle, &nearest);
  if (nearest < 0 || !poses.surfaces[static_cast<std::size_t>(nearest)]) return 0;
  const Vec3d wall = velocity_of_solids(poses, probe, middle);
  double surplus = 0;
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) {
      if (!(open[axis][side] < 1)) continue;
      Vec3i face = voxel;
      face[axis] += side;
      const double u = velocity_of_solids(poses, probe, grid.face_position(tile, face, axis))[axis];
      surplus += (side == 1 ? 1 : -1) * (1 - open[axis][side]) * (u - wall[axis]);
    }
  return surplus / grid.voxel();
}

// Only along a side: its normal faces stay closed.
float GasBoundary::velocity_behind_sides(Vec3d face, int axis) const {
  for (int s = 0; s < 6; ++s)
    if (box_->closed[static_cast<std::size_t>(s)] && s / 2 != axis &&
        (s % 2 == 0 ? face[s / 2] < box_->box.low[s / 2] : face[s / 2] > box_->box.high[s / 2]))
      return static_cast<float>(box_->velocity[static_cast<std::size_t>(s)][axis]);
  return 0;
}

void GasBoundary::measure_no_slip(GasGrid& grid, ChannelId<float> distance, double time, double dt) const {
  const Poses poses(*this, time, dt);
  DiscreteVolume& volume = grid.volume();
  const double h = grid.voxel();
  double lipschitz = 1;
  for (const GasSolid& solid : solids_) lipschitz = std::max(lipschitz, solid.lipschitz);
  const double reach = (0.5 * std::sqrt(3.0) * n + static_cast<double>(no_slip_reach)) * h * lipschitz;
  const auto nearest = [&](Probe& probe, Vec3d x) {
    std::pair<double, std::size_t> least{infinity, 0};
    for (std::size_t k = 0; k < solids_.size(); ++k)
      if (solids_[k].wall == Wall::no_slip) least = std::min(least, {probe.distance(k, x), k});
    return least;
  };
  auto open = read(volume, grid.open);
  auto out = write(volume, distance);
  auto solid_velocity = read_write(volume, grid.solid_velocity);
  for_each_bucket(volume.buckets(), open, out, solid_velocity, [&](int t) {
    const Vec3d low = grid.domain().low_corner(volume.buckets().coord(t));
    Probe probe(*this, poses);
    const double from_centre = nearest(probe, low + Vec3d{0.5, 0.5, 0.5} * (n * h)).first;
    for (int axis = 0; axis < 3; ++axis) {
      std::fill_n(out.tile(t, axis), GasGrid::voxels, from_centre > 0 ? no_slip_reach : -no_slip_reach);
      for (int i = 0; i < GasGrid::voxels && std::abs(from_centre) <= reach; ++i) {
        const Vec3d x = grid.face_position(t, voxel_of(i), axis);
        const auto [d, k] = nearest(probe, x);
        out.tile(t, axis)[i] = std::clamp(static_cast<float>(snapped(d, h) / h), -no_slip_reach, no_slip_reach);
        if (open.tile(t, axis)[i] < 1 || std::abs(d) > 2 * h || !solids_[k].moves()) continue;
        const MovingSolid& solid = poses.solids[k];
        const Vec3d u = poses.surfaces[k] ? poses.surfaces[k]->velocity(probe.sample(k, x))
                                          : solid.velocity(solid.to_body_at_end(x));
        solid_velocity.tile(t, axis)[i] = static_cast<float>(u[axis]);
      }
    }
  });
}

}  // namespace ymir
