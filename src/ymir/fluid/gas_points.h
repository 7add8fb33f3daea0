// Points of other Objects in a gas: reads its velocity where they are, and gives back what they do to it with the same
// weights, so that nothing is lost on the way. [method notes C, 7]
//
//   (W u)_p = sum_f W_pf u_f,  sum_f W_pf = 1 per component, W trilinear on the lattice of each component; or a ball
//
// Faces inside solids take no part: the weights of the others are scaled up. Points live where their Object has them;
// the gas around them may be on other ranks.
#pragma once

#include <span>
#include <vector>

#include "ymir/fluid/ball_taps.h"

namespace ymir {

class GasPoints {
 public:
  explicit GasPoints(GasGrid& grid) : grid_(&grid), balls_(grid) {}

  // Finds the tiles of this rank's points; valid until tiles or walls change. Points with a radius [voxels] are balls
  // (ball_taps.h); none are without radii. Collective.
  void locate(std::span<const Vec3d> positions, std::span<const double> radii = {});
  std::size_t size() const { return count_; }
  bool in_gas(std::size_t i) const { return in_gas_[i] != 0; }

  // Values of a face channel at the points. Collective.
  void sample(ChannelId<float> faces, std::span<Vec3d> out);
  void sample(ChannelId<double> faces, std::span<Vec3d> out);
  // faces += W' values, in the order of places, whatever the number of threads and ranks. Collective.
  void splat(std::span<const Vec3d> values, ChannelId<double> faces);
  // sum_f W_pf^2 per component. Collective.
  void squares(std::span<Vec3d> out);

 private:
  struct Located {
    Vec3d x;
    int tile;      // that holds it; of this rank, or a neighbouring one
    int sender;    // rank it came from
    int index;     // among those that came from there, in order
    bool answers;  // this rank samples for it; others only receive from it
  };
  template <class T>
  void sample_as(ChannelId<T> faces, std::span<Vec3d> out);
  void splat_trilinear(std::span<const Vec3d> values, ChannelId<double> faces);
  template <class V>
  void answer(const std::vector<V>& values, std::span<V> out) const;  // located to mine
  std::vector<Vec3d> to_located(std::span<const Vec3d> values) const;

  GasGrid* grid_;
  BallTaps balls_;
  std::size_t count_ = 0;
  std::vector<std::uint8_t> in_gas_;
  std::vector<Located> located_;                  // sorted by tile, then place
  std::vector<int> first_;                        // of each tile, local and neighbouring, in located_
  std::vector<std::vector<int>> sent_to_;         // per rank: my points that went there, in order
  std::vector<std::vector<std::uint8_t>> asked_;  // per rank, for each of these: that rank answers
  std::vector<int> received_;                     // per rank: points that came from there
};

}  // namespace ymir
