#include "ymir/data/discrete_volume.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>

#include "ymir/base/hash.h"
#include "ymir/data/tile_rows.h"
#include "ymir/data/volume_view.h"
#include "ymir/parallel/bytes.h"

namespace ymir {
namespace {

// How much of the neighbouring tiles is up to date.
enum class Fresh : std::uint8_t { none, face_layers, all };

// Debug builds make values nobody wrote visible: all bits set is a NaN.
void poison([[maybe_unused]] ScalarType type, [[maybe_unused]] std::byte* to, [[maybe_unused]] std::size_t bytes) {
#ifndef NDEBUG
  if ((type == ScalarType::f32 || type == ScalarType::f64) && bytes > 0) std::memset(to, 0xff, bytes);
#endif
}

// body(T{}) with the C++ type of a channel.
template <class F>
void with_type(ScalarType type, F&& body) {
  switch (type) {
    case ScalarType::f32: return body(float{});
    case ScalarType::f64: return body(double{});
    case ScalarType::i32: return body(std::int32_t{});
    case ScalarType::u8: return body(std::uint8_t{});
    default: check_failed("a channel holds float, double, int32 or uint8", __FILE__, __LINE__);
  }
}

void fill_background(const VolumeChannel& channel, int component, std::byte* tile) {
  with_type(channel.type, [&](auto zero) {
    using T = decltype(zero);
    const auto value = static_cast<T>(channel.background[static_cast<std::size_t>(component)]);
    std::fill_n(reinterpret_cast<T*>(tile), channel.tile_values(), value);
  });
}

// Copies the layer of a tile on one face between the tile and packed bytes.
void copy_layer(const VolumeChannel& channel, int face, std::byte* tile, std::byte* packed, bool pack) {
  const auto r = static_cast<std::size_t>(channel.resolution);
  const std::size_t size = size_of(channel.type);
  const std::size_t strides[3] = {1, r, r * r};
  const auto axis = static_cast<std::size_t>(face / 2);
  const std::size_t along = strides[axis == 0 ? 1 : 0], across = strides[axis == 2 ? 1 : 2];
  const std::size_t start = face % 2 == 1 ? strides[axis] * (r - 1) : 0;
  const std::size_t run = along == 1 ? r : 1;  // consecutive values
  for (std::size_t b = 0; b < r; ++b)
    for (std::size_t a = 0; a < r; a += run, packed += run * size) {
      std::byte* values = tile + (start + a * along + b * across) * size;
      std::memcpy(pack ? packed : values, pack ? values : packed, run * size);
    }
}

// Last key that can lie inside the space of a bucket.
BucketKey last_inside(BucketKey key) {
  const int bits = 3 * level_of(key) + bucket_level_bits;
  return key | ((BucketKey{1} << bits) - 1);
}

// True when a bucket of `sorted` holds some of the space of `key`.
bool space_taken(const std::vector<BucketKey>& sorted, BucketKey key, int levels) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), key);
  if (at != sorted.end() && *at <= last_inside(key)) return true;
  for (BucketCoord c = coord_of(key); c.level + 1 < levels;) {
    c = parent(c);
    if (std::binary_search(sorted.begin(), sorted.end(), key_of(c))) return true;
  }
  return false;
}

}  // namespace

struct DiscreteVolume::Storage {
  VolumeChannel channel;
  std::vector<std::shared_ptr<TileBuffer>> components;
  Fresh fresh = Fresh::none;

  std::unique_ptr<Communicator::Exchange> exchange;  // in flight
  Fresh incoming = Fresh::none;
  std::vector<Bytes> sent, received;  // one per link; kept, so that their memory is reused

  std::size_t size_for(const BucketSet& buckets) const {
    return channel.tile_bytes() * (static_cast<std::size_t>(buckets.count()) + 1);
  }
};

struct DiscreteVolume::Snapshot {
  std::shared_ptr<BucketSet> buckets;
  std::vector<std::vector<std::shared_ptr<TileBuffer>>> components;
  std::vector<Fresh> fresh;
};

DiscreteVolume::DiscreteVolume(const GridDomain& domain)
    : domain_(&domain), buckets_(std::make_shared<BucketSet>(domain)) {
  buckets_->connect();
}
DiscreteVolume::~DiscreteVolume() = default;

const VolumeChannel& DiscreteVolume::channel(int index) const { return storage(index).channel; }

int DiscreteVolume::add(VolumeChannel channel) {
  YMIR_CHECK(channel.resolution == 4 || channel.resolution == 8 || channel.resolution == 16);
  YMIR_CHECK(channel.components == 1 || channel.components == 3);
  for (const auto& other : channels_) YMIR_CHECK(other->channel.name != channel.name);
  auto added = std::make_unique<Storage>();
  added->channel = std::move(channel);
  int stagger = 0;
  for (const auto& other : channels_) stagger += other->channel.components;
  for (int c = 0; c < added->channel.components; ++c) {
    auto tiles = std::make_shared<TileBuffer>(added->size_for(*buckets_), stagger + c);
    for_each_in_order(buckets_->count() + 1, [&](int i) {
      fill_background(added->channel, c, tiles->data() + static_cast<std::size_t>(i) * added->channel.tile_bytes());
    });
    added->components.push_back(std::move(tiles));
  }
  added->fresh = Fresh::all;
  channels_.push_back(std::move(added));
  return channel_count() - 1;
}

int DiscreteVolume::find(std::string_view name, ScalarType type) const {
  for (int i = 0; i < channel_count(); ++i)
    if (channel(i).name == name && channel(i).type == type) return i;
  return -1;
}

// --- topology

std::vector<BucketKey> DiscreteVolume::routed(const std::vector<BucketKey>& keys) const {
  Communicator& communicator = domain_->communicator();
  std::vector<std::vector<BucketKey>> lists(static_cast<std::size_t>(communicator.size()));
  for (const BucketKey key : keys) lists[static_cast<std::size_t>(domain_->owner(key))].push_back(key);
  std::vector<BucketKey> mine;
  for (const Bytes& message : communicator.all_to_all(sorted_messages(lists))) {
    const std::vector<BucketKey> part = from_bytes<BucketKey>(message);
    mine.insert(mine.end(), part.begin(), part.end());
  }
  std::sort(mine.begin(), mine.end());
  mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
  return mine;
}

void DiscreteVolume::set_buckets(const std::vector<BucketKey>& keys) { rebuild(routed(keys)); }

void DiscreteVolume::activate(const std::vector<BucketKey>& keys) {
  const std::vector<BucketKey> added = routed(keys);
  const auto old = buckets_->local_keys();
  std::vector<BucketKey> all;
  std::set_union(old.begin(), old.end(), added.begin(), added.end(), std::back_inserter(all));
  rebuild(std::move(all));
}

void DiscreteVolume::deactivate(const std::vector<BucketKey>& keys) {
  const std::vector<BucketKey> removed = routed(keys);
  const auto old = buckets_->local_keys();
  std::vector<BucketKey> rest;
  std::set_difference(old.begin(), old.end(), removed.begin(), removed.end(), std::back_inserter(rest));
  rebuild(std::move(rest));
}

void DiscreteVolume::pad(int layers) {
  std::vector<BucketKey> keys(buckets_->local_keys().begin(), buckets_->local_keys().end());
  for (int layer = 0; layer < layers; ++layer) {
    std::vector<BucketKey> around;
    for (const BucketKey key : keys)
      for (int dir = 0; dir < 27; ++dir) {
        const Vec3i d = offset_of(dir);
        const BucketCoord n = offset(coord_of(key), d.x, d.y, d.z);
        if (dir != here && addressable(n)) around.push_back(key_of(n));
      }
    std::vector<BucketKey> added;
    for (const BucketKey key : routed(around)) {
      // A coarse bucket sorts directly before those inside it, so overlaps among the new ones are with the last.
      if (!added.empty() && key <= last_inside(added.back())) continue;
      if (!space_taken(keys, key, domain_->levels())) added.push_back(key);
    }
    const auto middle = static_cast<std::ptrdiff_t>(keys.size());
    keys.insert(keys.end(), added.begin(), added.end());
    std::inplace_merge(keys.begin(), keys.begin() + middle, keys.end());
  }
  rebuild(std::move(keys));
}

void DiscreteVolume::migrate() {
  Communicator& communicator = domain_->communicator();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  Moves moves{std::vector<std::vector<int>>(ranks), {}};
  std::vector<std::vector<BucketKey>> leaving_keys(ranks);
  std::vector<BucketKey> local;
  for (int i = 0; i < buckets_->local_count(); ++i) {
    const BucketKey key = buckets_->key(i);
    const int owner = domain_->owner(key);
    if (owner == communicator.rank()) {
      local.push_back(key);
    } else {
      moves.leaving[static_cast<std::size_t>(owner)].push_back(i);
      leaving_keys[static_cast<std::size_t>(owner)].push_back(key);
    }
  }
  for (const Bytes& message : communicator.all_to_all(sorted_messages(leaving_keys))) {
    moves.arrived.push_back(from_bytes<BucketKey>(message));
    local.insert(local.end(), moves.arrived.back().begin(), moves.arrived.back().end());
  }
  std::sort(local.begin(), local.end());
  rebuild(std::move(local), &moves);
}

void DiscreteVolume::rebuild(std::vector<BucketKey> local, const Moves* moves) {
  const auto now = buckets_->local_keys();
  if (!domain_->communicator().any(!std::equal(now.begin(), now.end(), local.begin(), local.end()))) return;
  // After a rebalance only migrate() may come: any other change would lose the tiles that moved away.
  if (moves == nullptr && !now.empty()) YMIR_CHECK(domain_->local(now.front()) && domain_->local(now.back()));
  for (int i = 0; i < channel_count(); ++i) {
    YMIR_CHECK(!storage(i).exchange);
    // Faces between levels are interpolated with values of other ranks.
    if (domain_->levels() > 1 && moves == nullptr && channel(i).sampling == Sampling::face) {
      begin_exchange(i, Stencil::box);
      end_exchange(i);
    }
  }
  const std::shared_ptr<BucketSet> old = std::move(buckets_);
  buckets_ = std::make_shared<BucketSet>(*domain_);
  buckets_->assign(std::move(local));
  buckets_->connect();
  face_plans_.clear();
  int stagger = 0;
  for (int i = 0; i < channel_count(); ++i) {
    Storage& s = storage(i);
    for (int c = 0; c < s.channel.components; ++c) {
      if (s.channel.scratch) {
        s.components[static_cast<std::size_t>(c)].reset();
        s.components[static_cast<std::size_t>(c)] = undefined_tiles(i, c, stagger++);
        continue;
      }
      auto tiles = std::make_shared<TileBuffer>(s.size_for(*buckets_), stagger++);
      std::shared_ptr<TileBuffer>& component = s.components[static_cast<std::size_t>(c)];
      carry_over(*old, i, c, *component, *tiles);
      if (moves != nullptr) receive_moved(*moves, s.channel.tile_bytes(), *component, *tiles);
      component = std::move(tiles);  // before the next is allocated: at most one component exists twice
    }
    s.fresh = Fresh::none;
  }
}

std::shared_ptr<TileBuffer> DiscreteVolume::undefined_tiles(int channel, int component, int stagger) const {
  const Storage& s = storage(channel);
  auto tiles = std::make_shared<TileBuffer>(s.size_for(*buckets_), stagger);
  const std::size_t size = s.channel.tile_bytes();
  poison(s.channel.type, tiles->data(), static_cast<std::size_t>(buckets_->count()) * size);
  fill_background(s.channel, component, tiles->data() + static_cast<std::size_t>(buckets_->missing()) * size);
  return tiles;
}

void DiscreteVolume::carry_over(const BucketSet& from, int channel, int component, const TileBuffer& old,
                                TileBuffer& tiles) const {
  const VolumeChannel& c = storage(channel).channel;
  const std::size_t size = c.tile_bytes();
  const auto tile = [&](int i) { return tiles.data() + static_cast<std::size_t>(i) * size; };
  for_each_in_order(buckets_->local_count(), [&](int i) {
    const BucketKey key = buckets_->key(i);
    const int before = from.find(key);
    if (before >= 0 && before < from.local_count()) {
      std::memcpy(tile(i), old.data() + static_cast<std::size_t>(before) * size, size);
      return;
    }
    fill_background(c, component, tile(i));
    if (domain_->levels() == 1) return;
    const BucketCoord b = coord_of(key);
    with_type(c.type, [&](auto zero) {
      using T = decltype(zero);
      const VolumeView<T> view(from, c, component, reinterpret_cast<const T*>(old.data()));
      T* to = reinterpret_cast<T*>(tile(i));
      const int r = c.resolution;
      for (int z = 0; z < r; ++z)
        for (int y = 0; y < r; ++y)
          for (int x = 0; x < r; ++x) *to++ = view.value(b.level, {b.x * r + x, b.y * r + y, b.z * r + z});
    });
  });
  for (int i = buckets_->local_count(); i < buckets_->count(); ++i) poison(c.type, tile(i), size);
  fill_background(c, component, tile(buckets_->missing()));
}

void DiscreteVolume::receive_moved(const Moves& moves, std::size_t tile_bytes, const TileBuffer& old,
                                   TileBuffer& tiles) const {
  std::vector<Bytes> outgoing(moves.leaving.size());
  for (std::size_t r = 0; r < outgoing.size(); ++r) {
    outgoing[r].resize(moves.leaving[r].size() * tile_bytes);
    for (std::size_t n = 0; n < moves.leaving[r].size(); ++n)
      std::memcpy(outgoing[r].data() + n * tile_bytes,
                  old.data() + static_cast<std::size_t>(moves.leaving[r][n]) * tile_bytes, tile_bytes);
  }
  const std::vector<Bytes> incoming = domain_->communicator().all_to_all(std::move(outgoing));
  for (std::size_t r = 0; r < incoming.size(); ++r)
    for (std::size_t n = 0; n < moves.arrived[r].size(); ++n)
      std::memcpy(tiles.data() + static_cast<std::size_t>(buckets_->find(moves.arrived[r][n])) * tile_bytes,
                  incoming[r].data() + n * tile_bytes, tile_bytes);
}

// --- size and place

std::size_t DiscreteVolume::bytes_for(std::int64_t buckets) const {
  std::size_t per_bucket = 0;
  for (const auto& s : channels_)
    per_bucket += s->channel.tile_bytes() * static_cast<std::size_t>(s->channel.components);
  return per_bucket * (static_cast<std::size_t>(buckets) + 1);
}

double DiscreteVolume::voxel_size(int channel, int level) const {
  return domain_->bucket_size(level) / storage(channel).channel.resolution;
}

Vec3d DiscreteVolume::position(int channel, int level, Vec3i voxel, int component) const {
  const double h = voxel_size(channel, level);
  Vec3d p{voxel.x + 0.5, voxel.y + 0.5, voxel.z + 0.5};
  if (storage(channel).channel.sampling == Sampling::face) p[component] -= 0.5;
  return p * h;
}

// --- state

std::shared_ptr<const DiscreteVolume::Snapshot> DiscreteVolume::snapshot() const {
  auto taken = std::make_shared<Snapshot>();
  taken->buckets = buckets_;
  for (const auto& s : channels_) {
    YMIR_CHECK(!s->exchange);
    if (s->channel.scratch)
      taken->components.emplace_back();
    else
      taken->components.push_back(s->components);
    taken->fresh.push_back(s->fresh);
  }
  return taken;
}

void DiscreteVolume::restore(const Snapshot& snapshot) {
  YMIR_CHECK(snapshot.components.size() <= channels_.size());
  const bool other_tiles = buckets_ != snapshot.buckets;
  buckets_ = snapshot.buckets;
  face_plans_.clear();
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i]->channel.scratch) {
      const int channel = static_cast<int>(i);
      for (std::size_t c = 0; other_tiles && c < channels_[i]->components.size(); ++c)
        channels_[i]->components[c] = undefined_tiles(channel, static_cast<int>(c), channel * 3 + static_cast<int>(c));
      channels_[i]->fresh = Fresh::none;
      continue;
    }
    YMIR_CHECK(i < snapshot.components.size());  // added since: scratch only
    channels_[i]->components = snapshot.components[i];
    channels_[i]->fresh = snapshot.fresh[i];
    fill_missing(static_cast<int>(i));
  }
}

void DiscreteVolume::set_background(int index, const std::array<double, 3>& values) {
  Storage& s = storage(index);
  YMIR_CHECK(!s.exchange);
  if (s.channel.background == values) return;
  s.channel.background = values;
  fill_missing(index);
}

void DiscreteVolume::fill_missing(int channel) {
  const Storage& s = storage(channel);
  for (std::size_t c = 0; c < s.components.size(); ++c)
    fill_background(s.channel, static_cast<int>(c),
                    s.components[c]->data() + static_cast<std::size_t>(buckets_->missing()) * s.channel.tile_bytes());
}

std::uint64_t DiscreteVolume::hash() const {
  std::vector<std::uint64_t> partial(static_cast<std::size_t>(buckets_->local_count()));
  for_each_in_order(buckets_->local_count(), [&](int i) {
    std::uint64_t h = mix64(buckets_->key(i));
    for (const auto& s : channels_)
      for (const auto& component : s->components) {
        if (s->channel.scratch) continue;
        const std::size_t size = s->channel.tile_bytes();
        h = hash_bytes({component->data() + static_cast<std::size_t>(i) * size, size}, h);
      }
    partial[static_cast<std::size_t>(i)] = h;
  });
  std::uint64_t sum = 0;
  for (const std::uint64_t h : partial) sum += h;
  return domain_->communicator().wrapping_sum(sum);
}

const std::byte* DiscreteVolume::bytes(int channel, int component) const {
  return storage(channel).components[static_cast<std::size_t>(component)]->data();
}

std::byte* DiscreteVolume::write_bytes(int channel, int component, bool discard) {
  Storage& s = storage(channel);
  YMIR_CHECK(!s.exchange);
  s.fresh = Fresh::none;
  std::shared_ptr<TileBuffer>& tiles = s.components[static_cast<std::size_t>(component)];
  const std::size_t size = s.channel.tile_bytes();
  if (tiles.use_count() > 1) {  // a snapshot keeps the old values
    auto own = std::make_shared<TileBuffer>(tiles->size(), channel * 3 + component);
    if (!discard)
      for_each_in_order(buckets_->local_count(), [&](int i) {
        std::memcpy(own->data() + static_cast<std::size_t>(i) * size,
                    tiles->data() + static_cast<std::size_t>(i) * size, size);
      });
    fill_background(s.channel, component, own->data() + static_cast<std::size_t>(buckets_->missing()) * size);
    tiles = std::move(own);
  }
  if (discard) poison(s.channel.type, tiles->data(), static_cast<std::size_t>(buckets_->local_count()) * size);
  return tiles->data();
}

void DiscreteVolume::swap_values(int a, int b) {
  Storage &first = storage(a), &second = storage(b);
  YMIR_CHECK(!first.exchange && !second.exchange && first.channel.type == second.channel.type &&
             first.channel.resolution == second.channel.resolution &&
             first.channel.sampling == second.channel.sampling &&
             first.channel.background == second.channel.background);
  std::swap(first.components, second.components);
  std::swap(first.fresh, second.fresh);
}

// --- exchange

const std::vector<DiscreteVolume::FacePlan>& DiscreteVolume::face_plans() {
  if (!face_plans_.empty()) return face_plans_;
  const BucketSet& set = *buckets_;
  // Both sides walk the shared buckets in key order and the six faces in one order, so no list is sent.
  const auto neighbour = [&](int tile, int face) {
    const Vec3i d = offset_of(face_directions[static_cast<std::size_t>(face)]);
    const BucketCoord n = offset(set.coord(tile), d.x, d.y, d.z);
    return addressable(n) ? set.find(key_of(n)) : -1;
  };
  for (const BucketSet::Link& link : set.links()) {
    FacePlan& plan = face_plans_.emplace_back();
    for (const int tile : link.send)
      for (int face = 0; face < 6; ++face) {
        const int n = neighbour(tile, face);
        if (n >= set.local_count() && domain_->owner(set.key(n)) == link.rank) plan.send.push_back({tile, face});
      }
    for (const int tile : link.receive)
      for (int face = 0; face < 6; ++face) {
        const int n = neighbour(tile, face);
        if (n >= 0 && n < set.local_count()) plan.receive.push_back({tile, face});
      }
  }
  return face_plans_;
}

void DiscreteVolume::begin_exchange(int channel, Stencil stencil) {
  if (stencil == Stencil::own) return;
  Storage& s = storage(channel);
  // Across levels a neighbour is read deeper than its outermost layer.
  const Fresh wanted = stencil == Stencil::faces && domain_->levels() == 1 ? Fresh::face_layers : Fresh::all;
  if (s.exchange && s.incoming < wanted) end_exchange(channel);
  if (s.exchange || s.fresh >= wanted) return;
  const auto links = buckets_->links();
  if (links.empty()) {
    s.fresh = wanted;
    return;
  }
  const VolumeChannel& c = s.channel;
  const std::size_t size = c.tile_bytes();
  const std::size_t layer = size / static_cast<std::size_t>(c.resolution);
  const auto components = static_cast<std::size_t>(c.components);
  const bool layers = wanted == Fresh::face_layers;
  if (layers) face_plans();
  s.sent.resize(links.size());
  s.received.resize(links.size());
  std::vector<Communicator::Message> sends, receives;
  for (std::size_t l = 0; l < links.size(); ++l) {
    const std::size_t item = layers ? layer : size;
    const std::size_t out = layers ? face_plans_[l].send.size() : links[l].send.size();
    const std::size_t in = layers ? face_plans_[l].receive.size() : links[l].receive.size();
    s.sent[l].resize(out * item * components);
    s.received[l].resize(in * item * components);
    for (std::size_t k = 0; k < components; ++k) {
      std::byte* tiles = s.components[k]->data();
      for_each_in_order(static_cast<std::ptrdiff_t>(out), [&](int n) {
        const auto at = static_cast<std::size_t>(n);
        std::byte* to = s.sent[l].data() + (k * out + at) * item;
        if (layers) {
          const FaceLayer face = face_plans_[l].send[at];
          copy_layer(c, face.face, tiles + static_cast<std::size_t>(face.tile) * size, to, true);
        } else {
          std::memcpy(to, tiles + static_cast<std::size_t>(links[l].send[at]) * size, size);
        }
      });
    }
    if (!s.sent[l].empty()) sends.push_back({links[l].rank, s.sent[l]});
    if (!s.received[l].empty()) receives.push_back({links[l].rank, s.received[l]});
  }
  s.incoming = wanted;
  s.exchange = domain_->communicator().start_exchange(sends, receives);
}

bool DiscreteVolume::exchanging(int channel) const { return storage(channel).exchange != nullptr; }

void DiscreteVolume::end_exchange(int channel) {
  Storage& s = storage(channel);
  if (!s.exchange) return;
  s.exchange->finish();
  s.exchange.reset();
  const VolumeChannel& c = s.channel;
  const std::size_t size = c.tile_bytes();
  const bool layers = s.incoming == Fresh::face_layers;
  const std::size_t item = layers ? size / static_cast<std::size_t>(c.resolution) : size;
  const auto links = buckets_->links();
  for (std::size_t l = 0; l < links.size(); ++l) {
    const std::size_t in = layers ? face_plans_[l].receive.size() : links[l].receive.size();
    for (std::size_t k = 0; k < s.components.size(); ++k) {
      std::byte* tiles = s.components[k]->data();
      for (std::size_t n = 0; n < in; ++n) {
        std::byte* from = s.received[l].data() + (k * in + n) * item;
        if (layers) {
          const FaceLayer face = face_plans_[l].receive[n];
          copy_layer(c, face.face, tiles + static_cast<std::size_t>(face.tile) * size, from, false);
        } else {
          std::memcpy(tiles + static_cast<std::size_t>(links[l].receive[n]) * size, from, size);
        }
      }
    }
  }
  s.fresh = s.incoming;
}

}  // namespace ymir
