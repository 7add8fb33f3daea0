// Grid Domain: maps space into buckets at several levels and buckets to ranks. [Lesser2022, 5.3]
//
// Ranks own intervals of the space-filling curve, so the owner of any bucket, stored or not, follows from ranks - 1
// splitters and no rank keeps a list of remote buckets. Splitters lie on boundaries of the coarsest level, so a bucket
// and all the finer buckets in its space have one owner.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/data/bucket.h"
#include "ymir/parallel/communicator.h"

namespace ymir {

class GridDomain {
 public:
  // bucket_size: edge of a level-0 bucket [m].
  GridDomain(double bucket_size, int levels, Communicator& communicator);

  double bucket_size(int level = 0) const { return size_ * static_cast<double>(std::int64_t{1} << level); }
  // While no data object holds buckets.
  void set_bucket_size(double bucket_size);
  int levels() const { return levels_; }
  Communicator& communicator() const { return *communicator_; }

  // Bucket that holds p; points beyond the addressable space belong to its outermost buckets.
  BucketCoord bucket_of(Vec3d p, int level = 0) const;
  Vec3d low_corner(BucketCoord c) const {
    const double edge = bucket_size(c.level);
    return {c.x * edge, c.y * edge, c.z * edge};
  }

  int owner(BucketKey key) const;
  bool local(BucketKey key) const { return owner(key) == communicator_->rank(); }

  // Rank for something that stays whole on one, such as a mesh: the one with the least weight of such things so far.
  // All ranks ask in the same order.
  int place_whole(double weight);

  // Moves the splitters so that every rank holds about the same weight. Collective. `keys` are this rank's buckets,
  // `weights` their work (particles, voxels). Data objects must then migrate(). The result depends on the
  // buckets and weights of all ranks together, not on how they were distributed.
  void rebalance(std::span<const BucketKey> keys, std::span<const double> weights);
  // Largest weight of a rank divided by the mean. Collective.
  double imbalance(double local_weight) const;

  const std::vector<BucketKey>& splitters() const { return splitters_; }
  void set_splitters(std::vector<BucketKey> splitters);

 private:
  int coarse_bits() const { return 3 * (levels_ - 1) + bucket_level_bits; }  // of a key, inside one coarsest bucket

  double size_;
  double inverse_size_;
  int levels_;
  Communicator* communicator_;
  std::vector<double> whole_weight_;  // by rank
  std::vector<BucketKey> splitters_;  // rank r owns keys in [splitters_[r-1], splitters_[r])
};

// Splits coarse buckets until buckets that touch (also at corners) differ by at most one level. Collective. `keys` are
// the non-overlapping leaf buckets of this rank; the answer is sorted.
std::vector<BucketKey> graded(const GridDomain& domain, std::vector<BucketKey> keys);

}  // namespace ymir
