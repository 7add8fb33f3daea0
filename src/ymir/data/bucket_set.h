// The buckets one data object occupies, as one rank sees them: the local subset in Morton order, then the neighbouring
// subset (other ranks' buckets that touch a local one). Remote buckets are not stored.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ymir/data/grid_domain.h"

namespace ymir {

// Open-addressing map from bucket key to index.
class KeyIndex {
 public:
  void assign(std::span<const BucketKey> keys);  // key i -> i
  int find(BucketKey key) const;                 // -1: absent

 private:
  struct Slot {
    BucketKey key;
    int index;
  };
  std::vector<Slot> slots_;  // index < 0: empty
  std::uint64_t mask_ = 0;
};

// One message per rank: its list of keys, sorted, without duplicates.
std::vector<Bytes> sorted_messages(std::vector<std::vector<BucketKey>>& lists);

class BucketSet {
 public:
  explicit BucketSet(const GridDomain& domain) : domain_(&domain) {}

  const GridDomain& domain() const { return *domain_; }

  // Replaces the local subset (any order, duplicates allowed; every key owned by this rank) and forgets the
  // neighbouring one.
  void assign(std::vector<BucketKey> local);
  // Finds the neighbouring subset and the exchange plan. Collective.
  void connect();
  bool connected() const { return connected_; }

  int local_count() const { return local_; }
  int neighbouring_count() const { return count() - local_; }
  int count() const { return static_cast<int>(keys_.size()); }
  // Index that stands for "no such bucket": one past the last, where data objects keep a constant tile.
  int missing() const { return count(); }

  BucketKey key(int i) const { return keys_[static_cast<std::size_t>(i)]; }
  BucketCoord coord(int i) const { return coord_of(key(i)); }
  std::span<const BucketKey> local_keys() const { return {keys_.data(), static_cast<std::size_t>(local_)}; }
  int find(BucketKey key) const { return index_.find(key); }

  // Same-level neighbours of local bucket i in all 27 directions (bucket.h); missing() where there is none.
  const std::array<int, 27>& neighbours(int i) const { return neighbours_[static_cast<std::size_t>(i)]; }
  // Neighbour in a direction at any level: the bucket itself or the coarser one that covers that space; -1 if none.
  int neighbour_or_coarser(int i, int dir) const;

  // Local buckets that read no neighbouring bucket, and those that do.
  std::span<const int> interior() const { return interior_; }
  std::span<const int> boundary() const { return boundary_; }

  // What to exchange with each rank that shares a border: my buckets it reads, and its buckets I read (same order
  // there).
  struct Link {
    int rank;
    std::vector<int> send;
    std::vector<int> receive;
  };
  std::span<const Link> links() const { return links_; }

 private:
  void find_neighbouring_subset();
  void build_neighbours();

  const GridDomain* domain_;
  std::vector<BucketKey> keys_;
  int local_ = 0;
  bool connected_ = false;
  KeyIndex index_;
  std::vector<std::array<int, 27>> neighbours_;
  std::vector<int> interior_, boundary_;
  std::vector<Link> links_;
};

}  // namespace ymir
