// Storage of an Eulerian gas: velocity on faces, everything else in cell centres, on sparse tiles of 8^3 voxels.
// [Lesser2022, 6.1, Volume Object; method notes C, 1]
//
// Tiles that hold gas have `life` > 0. Each of them has its three + neighbours, as a rim without gas where there would
// be none, so that every face of a gas cell is stored; and all its neighbours behind walls, so that advection finds a
// wall there. Beyond other gas cells is ambient air at pressure 0.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "ymir/data/volume_accessor.h"
#include "ymir/math/box.h"

namespace ymir {

enum class CellKind : std::uint8_t { outside, fluid, solid };

// What sheets do to a cell: they close lower faces of it at the end of the substep (now) or did at its beginning
// (before); or one has passed its centre in between, so that the cell has changed sides.
namespace sheet {
enum class When : int { now = 0, before = 3 };
constexpr std::uint8_t closes(int axis, When when) {
  return static_cast<std::uint8_t>(1 << (axis + static_cast<int>(when)));
}
constexpr std::uint8_t passed = 64;
}  // namespace sheet

class GasGrid {
 public:
  static constexpr int side = 8;      // voxels along a tile's edge
  static constexpr int voxels = 512;  // of a tile
  // Substeps that a tile is kept after it was last wanted, plus one; one more in its first.
  static constexpr int longest_life = 6, newborn = longest_life + 1;

  GasGrid(double voxel, Communicator& communicator);

  double voxel() const { return voxel_; }
  GridDomain& domain() { return domain_; }
  const GridDomain& domain() const { return domain_; }
  DiscreteVolume& volume() { return *volume_; }
  const DiscreteVolume& volume() const { return *volume_; }

  ChannelId<float> velocity;        // faces [m/s]
  ChannelId<float> open;            // faces: area fraction outside solids
  ChannelId<float> solid_velocity;  // faces: normal velocity of solids where they cut a face [m/s]
  ChannelId<std::uint8_t> cell;     // CellKind
  ChannelId<std::uint8_t> life;     // resolution 4; the same in all of a tile
  // In cells cut by a wall that deforms: what the velocity of that wall, continued into the solid, diverges there by
  // share of the cell [1/s]. No gas comes out of it. Invalid: no wall deforms.
  ChannelId<float> wall_growth;
  ChannelId<std::uint8_t> non_stick;  // 1 in cells at a wall that gas may leave; invalid: there are no such walls
  ChannelId<std::uint8_t> sheets;     // bits of sheet; invalid: there are no sheets

  bool holds_gas(int tile) const { return volume_->tiles(life)[tile * life_values] > 0; }
  std::int64_t gas_tiles() const;  // on this rank

  // Tiles with gas from now on, those that are not wanted for the longest_life-th time excepted. Collective; keys may
  // be named on any rank. New tiles continue the velocity of the gas beside them. True: tiles changed.
  // `behind_wall`: tiles that no gas can be in.
  bool set_wanted(const std::vector<BucketKey>& keys, const std::function<bool(BucketCoord)>& behind_wall = {});
  // Keys of this rank's tiles with gas.
  std::vector<BucketKey> gas_keys() const;

  Vec3d face_position(int tile, Vec3i voxel, int axis) const;
  Vec3d cell_position(int tile, Vec3i voxel) const;

 private:
  static constexpr int life_values = 64;
  using Lives = std::vector<std::pair<BucketKey, std::uint8_t>>;  // sorted
  void continue_velocity(const Lives& lives);

  double voxel_;
  GridDomain domain_;
  std::unique_ptr<DiscreteVolume> volume_;
};

// Tiles within `layers` tiles of the given ones (26-neighbourhood), sorted, each once.
std::vector<BucketKey> dilated(std::vector<BucketKey> keys, int layers);
// Tiles that touch a box.
std::vector<BucketKey> tiles_in(const GridDomain& domain, const Box& box);

}  // namespace ymir
