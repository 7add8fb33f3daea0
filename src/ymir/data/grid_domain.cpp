#include "ymir/data/grid_domain.h"

#include <algorithm>
#include <cmath>

#include "ymir/base/check.h"
#include "ymir/data/bucket_set.h"
#include "ymir/parallel/bytes.h"

namespace ymir {
namespace {

constexpr BucketKey last_key = ~BucketKey{0};

template <class T>
std::vector<T> gather_values(Communicator& communicator, std::span<const T> local) {
  std::vector<T> all;
  for (const Bytes& part : communicator.all_gather(std::as_bytes(local))) {
    const std::vector<T> values = from_bytes<T>(part);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace

GridDomain::GridDomain(double bucket_size, int levels, Communicator& communicator)
    : levels_(levels), communicator_(&communicator) {
  set_bucket_size(bucket_size);
  YMIR_CHECK(levels >= 1 && levels < max_bucket_levels);
}

void GridDomain::set_bucket_size(double bucket_size) {
  YMIR_CHECK(bucket_size > 0 && std::isfinite(bucket_size));
  size_ = bucket_size;
  inverse_size_ = 1 / bucket_size;
  // Rank 0 owns all space until the next rebalance: weights of the new buckets are not known yet.
  splitters_.assign(static_cast<std::size_t>(communicator_->size() - 1), last_key);
}

BucketCoord GridDomain::bucket_of(Vec3d p, int level) const {
  constexpr double reach = bucket_reach;
  const auto axis = [&](double v) {
    const double cell = std::floor(v * inverse_size_);
    const double clamped = !(cell >= -reach) ? -reach : cell > reach - 1 ? reach - 1 : cell;  // NaN: the first bucket
    return static_cast<std::int32_t>(clamped) >> level;
  };
  return {axis(p.x), axis(p.y), axis(p.z), level};
}

int GridDomain::place_whole(double weight) {
  whole_weight_.resize(static_cast<std::size_t>(communicator_->size()), 0);
  const auto least = std::min_element(whole_weight_.begin(), whole_weight_.end());
  *least += weight;
  return static_cast<int>(least - whole_weight_.begin());
}

int GridDomain::owner(BucketKey key) const {
  // The coarsest bucket decides, also for the very last key, which equals the "nothing here" splitter.
  const BucketKey space = key >> coarse_bits() << coarse_bits();
  return static_cast<int>(std::upper_bound(splitters_.begin(), splitters_.end(), space) - splitters_.begin());
}

void GridDomain::set_splitters(std::vector<BucketKey> splitters) {
  YMIR_CHECK(splitters.size() == static_cast<std::size_t>(communicator_->size() - 1));
  YMIR_CHECK(std::is_sorted(splitters.begin(), splitters.end()));
  splitters_ = std::move(splitters);
}

void GridDomain::rebalance(std::span<const BucketKey> keys, std::span<const double> weights) {
  YMIR_CHECK(keys.size() == weights.size());
  const int ranks = communicator_->size();
  if (ranks == 1) return;
  const std::vector<BucketKey> all_keys = gather_values(*communicator_, keys);
  const std::vector<double> all_weights = gather_values(*communicator_, weights);
  std::vector<std::size_t> order(all_keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return all_keys[a] != all_keys[b] ? all_keys[a] < all_keys[b] : all_weights[a] < all_weights[b];
  });

  double total = 0;
  for (const std::size_t i : order) total += all_weights[i];
  splitters_.assign(static_cast<std::size_t>(ranks - 1), last_key);
  double before = 0;
  int next = 1;
  for (const std::size_t i : order) {
    // Bucket i opens rank `next` when the weight before it reaches that rank's share.
    while (next < ranks && total > 0 && before + 0.5 * all_weights[i] >= total * next / ranks)
      // Aligned down to a bucket of the coarsest level, so that space is never cut inside one.
      splitters_[static_cast<std::size_t>(next++ - 1)] = all_keys[i] >> coarse_bits() << coarse_bits();
    before += all_weights[i];
  }
}

double GridDomain::imbalance(double local_weight) const {
  const std::vector<double> all = gather_values(*communicator_, std::span<const double>(&local_weight, 1));
  double total = 0, largest = 0;
  for (const double w : all) {
    total += w;
    largest = std::max(largest, w);
  }
  return total > 0 ? largest * static_cast<double>(all.size()) / total : 1;
}

std::vector<BucketKey> graded(const GridDomain& domain, std::vector<BucketKey> keys) {
  Communicator& communicator = domain.communicator();
  while (true) {
    // Every bucket asks that whatever covers its 26 neighbours be at most one level coarser; the owner of that space
    // splits.
    BucketSet set(domain);
    set.assign(std::move(keys));
    std::vector<std::vector<BucketKey>> wanted(static_cast<std::size_t>(communicator.size()));
    for (int i = 0; i < set.local_count(); ++i) {
      const BucketCoord c = set.coord(i);
      if (c.level + 2 >= domain.levels()) continue;
      for (int dir = 0; dir < 27; ++dir) {
        const Vec3i d = offset_of(dir);
        const BucketCoord n = offset(c, d.x, d.y, d.z);
        if (dir == here || !addressable(n)) continue;
        const BucketKey space = key_of(parent(n));
        wanted[static_cast<std::size_t>(domain.owner(space))].push_back(space);
      }
    }
    std::vector<bool> split(static_cast<std::size_t>(set.local_count()), false);
    bool changed = false;
    for (const Bytes& message : communicator.all_to_all(sorted_messages(wanted))) {
      for (const BucketKey space : from_bytes<BucketKey>(message))
        for (BucketCoord c = coord_of(space); c.level + 1 < domain.levels();) {
          c = parent(c);
          const int covering = set.find(key_of(c));
          if (covering >= 0) split[static_cast<std::size_t>(covering)] = changed = true;
        }
    }
    keys.clear();
    for (int i = 0; i < set.local_count(); ++i) {
      if (!split[static_cast<std::size_t>(i)]) {
        keys.push_back(set.key(i));
        continue;
      }
      for (int octant = 0; octant < 8; ++octant) keys.push_back(key_of(child(set.coord(i), octant)));
    }
    std::sort(keys.begin(), keys.end());
    if (!communicator.any(changed)) return keys;
  }
}

}  // namespace ymir
