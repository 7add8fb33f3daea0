// Weights of points that are as large as voxels or larger: smooth balls on the faces of each component. [method notes
// C, light bodies, 3]
//
//   W_pf ~ ball_weight(|x_f - x_p|) on faces that are open, sum_f W_pf = 1 per component   (physics/fluid/added_mass.h)
//
// A ball is cut into fragments, one per tile that it reaches: whoever owns the tile has the weights of the faces in it,
// and no ball is too large. They are made once per substep. Sums over a ball are taken in the order of its fragments,
// sums on a face in the order of places, whatever the number of threads and ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/fluid/gas_grid.h"

namespace ymir {

class BallTaps {
 public:
  explicit BallTaps(GasGrid& grid) : grid_(&grid) {}

  // Balls of these radii [voxels] around this rank's points; 0: the point is none. Valid until tiles or walls change.
  // All that follows is collective.
  void locate(std::span<const Vec3d> positions, std::span<const double> radii);
  bool any() const { return any_; }  // on any rank
  bool is_ball(std::size_t i) const { return any_ && ball_[i] != 0; }
  Vec3d squares(std::size_t i) const { return squares_[i]; }  // sum_f W^2

  // Values of a face channel at the balls; those of other points stay as they are.
  void sample(ChannelId<float> faces, std::span<Vec3d> out) { sample_as(faces, out); }
  void sample(ChannelId<double> faces, std::span<Vec3d> out) { sample_as(faces, out); }
  // faces += W' values
  void splat(std::span<const Vec3d> values, ChannelId<double> faces);

 private:
  struct Fragment {
    Vec3d x;
    double radius;
    int tile;      // of this rank
    int sender;    // rank it came from
    int index;     // among those that came from there, in order
    int first[4];  // of its taps among those of the tile, per component
  };
  struct Asked {
    Vec3d x;
    double radius;
    BucketKey tile;
  };
  void cut(std::span<const Vec3d> positions, std::span<const double> radii);
  void make_taps();
  void scale_to_one();
  template <class T>
  void sample_as(ChannelId<T> faces, std::span<Vec3d> out);
  // out of each ball = sum over its fragments.
  void gather(const std::vector<Vec3d>& of_fragments, std::span<Vec3d> out) const;
  std::vector<Vec3d> scatter(std::span<const Vec3d> values) const;

  GasGrid* grid_;
  bool any_ = false;
  std::vector<std::uint8_t> ball_;
  std::vector<Vec3d> squares_;
  std::vector<Fragment> fragments_;  // of this rank's tiles; by tile, then place
  std::vector<int> first_;           // of each local tile
  struct Taps {
    std::vector<std::uint16_t> voxel;
    std::vector<double> weight;
  };
  std::vector<Taps> taps_;                  // per local tile
  std::vector<std::vector<int>> sent_to_;   // per rank: ball of each fragment that went there
  std::vector<std::pair<int, int>> order_;  // of fragments as they were cut: rank, index there
  std::vector<int> received_;               // per rank: fragments that came from there
};

}  // namespace ymir
