// Solids and the sides of the domain as a gas sees them: how much of each face is open, how fast the rest moves, and
// which cells hold gas. [method notes C, 2]
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include "ymir/fluid/gas_sheets.h"
#include "ymir/physics/contact/shapes.h"

namespace ymir {

class DeformingSurface;

// How gas meets a wall. free_slip: it slides; no_slip: it moves with the wall; non_stick: it may leave the wall.
enum class Wall : std::uint8_t { free_slip, no_slip, non_stick };

struct GasSolid {
  std::function<DistanceSample(Vec3d)> distance;      // signed, in the solid's frame [m]
  double lipschitz = 1;                               // bound of its gradient
  std::function<RigidTransform(double time)> pose{};  // empty: still
  Wall wall = Wall::free_slip;
  // Instead of distance and pose: a surface that may deform, in the world's frame.
  std::shared_ptr<const DeformingSurface> deforming{};
  bool moves() const;
};

// Sides in the order -x, +x, -y, +y, -z, +z; an infinite one is none. Closed ones may move along themselves [m/s]: gas
// feels that where they are no_slip.
struct GasBox {
  Box box;
  std::array<bool, 6> closed{};
  std::array<Wall, 6> wall{};
  std::array<Vec3d, 6> velocity{};
};

class GasBoundary {
 public:
  void add(GasSolid solid) { solids_.push_back(std::move(solid)); }
  void add(GasSheet sheet) { sheets_.push_back(std::move(sheet)); }
  void set_box(const GasBox& box) { box_ = box; }
  const std::optional<GasBox>& box() const { return box_; }
  const std::vector<GasSolid>& solids() const { return solids_; }
  bool moving() const;
  bool empty() const;  // no walls at all
  bool has(Wall wall) const;
  // Wholly beyond a closed side of the domain.
  bool behind_wall(const GridDomain& domain, BucketCoord tile) const;

  // open, solid_velocity, cell and, with such walls, wall_growth, non_stick and sheets at the end of a substep.
  void update(GasGrid& grid, double time, double dt) const;
  // Distance of face centres to the nearest no_slip solid [voxels], cut off at no_slip_reach, after update();
  // solid_velocity then holds also on wholly open faces near one.
  void measure_no_slip(GasGrid& grid, ChannelId<float> distance, double time, double dt) const;
  static constexpr float no_slip_reach = 4;
  // Distance to the nearest solid or closed side at a time [m], and which solid that is; -1: a side or none.
  DistanceSample distance(Vec3d x, double time, int* nearest = nullptr) const;

 private:
  struct Poses;
  class Probe;
  double between_sides(Vec3d face, int axis, double h) const;
  Vec3d velocity_of_solids(const Poses& poses, Probe& probe, Vec3d x) const;
  double wall_growth(const Poses& poses, Probe& probe, const GasGrid& grid, int tile, Vec3i voxel,
                     const double (&open)[3][2]) const;
  float velocity_behind_sides(Vec3d face, int axis) const;
  void mark_non_stick(GasGrid& grid, const Poses& poses) const;

  std::vector<GasSolid> solids_;
  std::vector<GasSheet> sheets_;
  std::optional<GasBox> box_;
};

}  // namespace ymir
