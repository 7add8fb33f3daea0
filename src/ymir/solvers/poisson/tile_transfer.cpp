#include "ymir/solvers/poisson/tile_transfer.h"

#include <algorithm>
#include <cstring>

#include "ymir/base/check.h"
#include "ymir/parallel/bytes.h"

namespace ymir::poisson {
namespace {

int octant_of(BucketKey key) {
  const BucketCoord c = coord_of(key);
  return (c.x & 1) | (c.y & 1) << 1 | (c.z & 1) << 2;
}

}  // namespace

TileTransfer::TileTransfer(const BucketSet& fine, const BucketSet& coarse)
    : communicator_(&fine.domain().communicator()) {
  const auto ranks = static_cast<std::size_t>(communicator_->size());
  std::vector<std::vector<int>> away(ranks);
  std::vector<std::vector<BucketKey>> keys(ranks);
  places_.resize(static_cast<std::size_t>(fine.local_count()));
  for (int t = 0; t < fine.local_count(); ++t) {
    const BucketKey key = fine.key(t), parent = parent_key(key);
    const int owner = coarse.domain().owner(parent);
    Place& place = places_[static_cast<std::size_t>(t)];
    place = {coarse.find(parent), octant_of(key)};
    if (owner == communicator_->rank()) {
      YMIR_CHECK(place.tile >= 0 && place.tile < coarse.local_count());
      continue;
    }
    away[static_cast<std::size_t>(owner)].push_back(t);
    keys[static_cast<std::size_t>(owner)].push_back(key);
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    if (away[r].empty()) continue;
    const std::size_t begin = away_;
    for (const int t : away[r]) places_[static_cast<std::size_t>(t)].tile = ~static_cast<int>(away_++);
    parents_.push_back({static_cast<int>(r), begin, away_});
  }
  if (ranks == 1) return;
  // Tiles are in the order of their keys on both sides, so blocks need no labels later.
  std::vector<Bytes> outgoing;
  for (const auto& list : keys) outgoing.push_back(to_bytes(list));
  const std::vector<Bytes> incoming = communicator_->all_to_all(std::move(outgoing));
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::size_t begin = guests_.size();
    for (const BucketKey key : from_bytes<BucketKey>(incoming[r])) {
      guests_.push_back({coarse.find(parent_key(key)), octant_of(key)});
      YMIR_CHECK(guests_.back().tile >= 0 && guests_.back().tile < coarse.local_count());
    }
    if (guests_.size() > begin) children_.push_back({static_cast<int>(r), begin, guests_.size()});
  }
}

void TileTransfer::set_block_size(int values) {
  size_ = static_cast<std::size_t>(values);
  if (out_.size() < away_ * size_) out_.resize(away_ * size_);
  if (in_.size() < guests_.size() * size_) in_.resize(guests_.size() * size_);
}

void TileTransfer::exchange(std::vector<float>& from, const std::vector<Peer>& senders, std::vector<float>& to,
                            const std::vector<Peer>& receivers) {
  if (senders.empty() && receivers.empty()) return;
  const auto messages = [&](std::vector<float>& values, const std::vector<Peer>& peers) {
    std::vector<Communicator::Message> list;
    for (const Peer& peer : peers)
      list.push_back({peer.rank, std::as_writable_bytes(
                                     std::span(values).subspan(peer.begin * size_, (peer.end - peer.begin) * size_))});
    return list;
  };
  communicator_->start_exchange(messages(from, senders), messages(to, receivers))->finish();
}

void TileTransfer::send_up() { exchange(out_, parents_, in_, children_); }
void TileTransfer::send_down() { exchange(in_, children_, out_, parents_); }

void TileTransfer::put_guests(float* coarse_values) {
  for (std::size_t n = 0; n < guests_.size(); ++n) {
    float* to = coarse_values + 512 * std::ptrdiff_t{guests_[n].tile} + octant_offset(guests_[n].octant);
    const float* from = guest(n).data();
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < 4; ++j, from += 4) std::memcpy(to + 64 * k + 8 * j, from, 4 * sizeof(float));
  }
}

void TileTransfer::fetch_guests(const float* coarse_values) {
  for (std::size_t n = 0; n < guests_.size(); ++n) {
    const float* from = coarse_values + 512 * std::ptrdiff_t{guests_[n].tile} + octant_offset(guests_[n].octant);
    float* to = guest(n).data();
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < 4; ++j, to += 4) std::memcpy(to, from + 64 * k + 8 * j, 4 * sizeof(float));
  }
}

}  // namespace ymir::poisson
