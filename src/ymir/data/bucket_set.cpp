#include "ymir/data/bucket_set.h"

#include <algorithm>
#include <bit>

#include "ymir/base/check.h"
#include "ymir/base/hash.h"
#include "ymir/parallel/bytes.h"

namespace ymir {

void KeyIndex::assign(std::span<const BucketKey> keys) {
  const std::size_t capacity = std::bit_ceil(keys.size() * 2 + 8);
  mask_ = capacity - 1;
  slots_.assign(capacity, {0, -1});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::uint64_t at = mix64(keys[i]) & mask_;
    while (slots_[at].index >= 0) at = (at + 1) & mask_;
    slots_[at] = {keys[i], static_cast<int>(i)};
  }
}

int KeyIndex::find(BucketKey key) const {
  if (slots_.empty()) return -1;
  for (std::uint64_t at = mix64(key) & mask_;; at = (at + 1) & mask_) {
    const Slot& slot = slots_[at];
    if (slot.index < 0) return -1;
    if (slot.key == key) return slot.index;
  }
}

std::vector<Bytes> sorted_messages(std::vector<std::vector<BucketKey>>& lists) {
  std::vector<Bytes> messages;
  for (auto& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    messages.push_back(to_bytes(list));
  }
  return messages;
}

void BucketSet::assign(std::vector<BucketKey> local) {
  std::sort(local.begin(), local.end());
  local.erase(std::unique(local.begin(), local.end()), local.end());
  keys_ = std::move(local);
  local_ = static_cast<int>(keys_.size());
  index_.assign(keys_);
  neighbours_.clear();
  interior_.clear();
  boundary_.clear();
  links_.clear();
  connected_ = false;
}

void BucketSet::connect() {
  keys_.resize(static_cast<std::size_t>(local_));
  links_.clear();
  if (domain_->communicator().size() > 1) find_neighbouring_subset();
  index_.assign(keys_);
  build_neighbours();
  connected_ = true;
}

void BucketSet::find_neighbouring_subset() {
  Communicator& communicator = domain_->communicator();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  // Ask the owner of every foreign bucket that might touch a local one whether it stores it.
  std::vector<std::vector<BucketKey>> asked(ranks);
  const auto ask = [&](BucketCoord c) {
    const BucketKey key = key_of(c);
    const int owner = domain_->owner(key);
    if (owner != communicator.rank()) asked[static_cast<std::size_t>(owner)].push_back(key);
  };
  for (int i = 0; i < local_; ++i) {
    const BucketCoord c = coord(i);
    for (int dir = 0; dir < 27; ++dir) {
      const Vec3i d = offset_of(dir);
      const BucketCoord n = offset(c, d.x, d.y, d.z);
      if (dir == here || !addressable(n)) continue;
      ask(n);
      if (c.level + 1 < domain_->levels()) ask(parent(n));
      if (c.level > 0)
        for (int octant = 0; octant < 8; ++octant) ask(child(n, octant));
    }
  }
  const std::vector<Bytes> questions = communicator.all_to_all(sorted_messages(asked));
  std::vector<std::vector<BucketKey>> present(ranks);
  std::vector<Link> links(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    for (const BucketKey key : from_bytes<BucketKey>(questions[r]))
      if (const int i = index_.find(key); i >= 0) {
        present[r].push_back(key);
        links[r].send.push_back(i);
      }
  const std::vector<Bytes> answers = communicator.all_to_all(sorted_messages(present));
  for (std::size_t r = 0; r < ranks; ++r) {
    for (const BucketKey key : from_bytes<BucketKey>(answers[r])) {
      links[r].receive.push_back(static_cast<int>(keys_.size()));
      keys_.push_back(key);
    }
    links[r].rank = static_cast<int>(r);
    if (!links[r].send.empty() || !links[r].receive.empty()) links_.push_back(std::move(links[r]));
  }
}

void BucketSet::build_neighbours() {
  neighbours_.resize(static_cast<std::size_t>(local_));
  interior_.clear();
  boundary_.clear();
  for (int i = 0; i < local_; ++i) {
    const BucketCoord c = coord(i);
    bool reads_foreign = false;
    for (int dir = 0; dir < 27; ++dir) {
      const Vec3i d = offset_of(dir);
      const BucketCoord n = offset(c, d.x, d.y, d.z);
      const int found = addressable(n) ? index_.find(key_of(n)) : -1;
      neighbours_[static_cast<std::size_t>(i)][static_cast<std::size_t>(dir)] = found < 0 ? missing() : found;
      reads_foreign |= found >= local_;
      if (domain_->levels() > 1 && found < 0) reads_foreign |= neighbour_or_coarser(i, dir) >= local_;
    }
    // Finer foreign neighbours are seen through their own link only; with several levels every bucket beside a link
    // waits.
    if (domain_->levels() > 1 && c.level > 0 && !links_.empty()) reads_foreign = true;
    (reads_foreign ? boundary_ : interior_).push_back(i);
  }
}

int BucketSet::neighbour_or_coarser(int i, int dir) const {
  const Vec3i d = offset_of(dir);
  BucketCoord n = offset(coord(i), d.x, d.y, d.z);
  if (!addressable(n)) return -1;
  for (;; n = parent(n)) {
    if (const int found = index_.find(key_of(n)); found >= 0) return found;
    if (n.level + 1 >= domain_->levels()) return -1;
  }
}

}  // namespace ymir
