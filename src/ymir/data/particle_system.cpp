#include "ymir/data/particle_system.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "ymir/base/check.h"
#include "ymir/base/hash.h"
#include "ymir/parallel/bytes.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

// Copies one scalar of 1, 4 or 8 bytes; the switch is hoisted out of loops over particles.
template <class F>
void with_scalar(std::size_t bytes, F&& body) {
  if (bytes == 8)
    body(std::uint64_t{});
  else if (bytes == 4)
    body(std::uint32_t{});
  else
    body(std::uint8_t{});
}

}  // namespace

ParticleSystem::ParticleSystem(GridDomain& domain) : domain_(&domain), state_{BucketSet(domain), {}, {}} {
  add_channel("position", ScalarType::f64, 3);
}

int ParticleSystem::add_channel(std::string name, ScalarType type, int components) {
  YMIR_CHECK(state_.buckets.local_count() == 0);  // channels are declared before particles arrive
  YMIR_CHECK(!find_channel(name));
  channels_.push_back({std::move(name), type, components});
  record_bytes_ += channels_.back().stride();
  state_.chunks.emplace_back();
  neighbouring_.channels.emplace_back();
  return channel_count() - 1;
}

std::optional<int> ParticleSystem::find_channel(std::string_view name) const {
  for (int c = 0; c < channel_count(); ++c)
    if (channel_name(c) == name) return c;
  return std::nullopt;
}

std::int64_t ParticleSystem::local_count() const {
  std::int64_t total = 0;
  for (const int n : state_.counts) total += n;
  return total;
}

std::int64_t ParticleSystem::total_count() const { return domain_->communicator().sum(local_count()); }

ParticleBatch ParticleSystem::make_batch(std::size_t count) const {
  ParticleBatch batch;
  for (const Channel& channel : channels_) batch.emplace_back(channel.type, channel.components, count);
  return batch;
}

void ParticleSystem::append(const ParticleBatch& batch) {
  YMIR_CHECK(batch.size() == channels_.size());
  const auto positions = batch[0].as<Vec3d>();
  Records records;
  records.keys.resize(positions.size());
  records.data.resize(positions.size() * record_bytes_);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    records.keys[i] = key_of(domain_->bucket_of(positions[i]));
    std::byte* at = records.data.data() + i * record_bytes_;
    for (const Array& array : batch) {
      std::memcpy(at, array.bytes().data() + i * array.stride(), array.stride());
      at += array.stride();
    }
  }
  route({&records, 1});
}

void ParticleSystem::clear() {
  state_ = {BucketSet(*domain_), {}, std::vector<std::vector<Chunk>>(channels_.size())};
  neighbouring_.current = false;
}

void ParticleSystem::restore(const State& state) {
  state_ = state;
  neighbouring_.current = false;
}

ParticleBatch ParticleSystem::export_local() const {
  ParticleBatch batch;
  for (int c = 0; c < channel_count(); ++c) batch.push_back(export_local(c));
  return batch;
}

Array ParticleSystem::export_local(int channel) const {
  const Channel& info = channels_[static_cast<std::size_t>(channel)];
  const std::vector<Chunk>& chunks = state_.chunks[static_cast<std::size_t>(channel)];
  const int buckets = state_.buckets.local_count();
  std::vector<std::int64_t> first(static_cast<std::size_t>(buckets) + 1, 0);
  for (int b = 0; b < buckets; ++b)
    first[static_cast<std::size_t>(b) + 1] = first[static_cast<std::size_t>(b)] + count(b);
  Array values(info.type, info.components, static_cast<std::size_t>(first.back()));
  parallel_for(buckets, [&](std::ptrdiff_t b) {
    const auto bucket = static_cast<std::size_t>(b);
    with_scalar(info.scalar_bytes(), [&](auto scalar) {
      using S = decltype(scalar);
      const Chunk& chunk = chunks[bucket];
      S* out = reinterpret_cast<S*>(values.bytes().data()) + first[bucket] * info.components;
      const S* in = reinterpret_cast<const S*>(chunk.read());
      for (int i = 0; i < state_.counts[bucket]; ++i)
        for (int k = 0; k < info.components; ++k) out[i * info.components + k] = in[k * chunk.capacity() + i];
    });
  });
  return values;
}

// Channel by channel: all values of a plane lie in few pages, and their loads do not wait for each other.
void ParticleSystem::pack(int bucket, std::span<const int> particles, std::vector<std::byte>& records) const {
  records.resize(particles.size() * record_bytes_);
  std::size_t at = 0;
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const Chunk& chunk = state_.chunks[c][static_cast<std::size_t>(bucket)];
    with_scalar(channels_[c].scalar_bytes(), [&](auto scalar) {
      using S = decltype(scalar);
      const S* values = reinterpret_cast<const S*>(chunk.read());
      for (int k = 0; k < channels_[c].components; ++k, values += chunk.capacity(), at += sizeof(S))
        for (std::size_t i = 0; i < particles.size(); ++i)
          std::memcpy(records.data() + i * record_bytes_ + at, &values[particles[i]], sizeof(S));
    });
  }
}

// Particles from the end of the bucket take the places of removed ones (ascending both), so few values move.
void ParticleSystem::fill_holes(int bucket, std::span<const int> removed) {
  int& n = state_.counts[static_cast<std::size_t>(bucket)];
  const int left = n - static_cast<int>(removed.size());
  thread_local std::vector<std::pair<int, int>> moves;  // (hole, survivor)
  moves.clear();
  auto gone = std::lower_bound(removed.begin(), removed.end(), left);
  int survivor = left;
  for (const int hole : removed) {
    if (hole >= left) break;
    for (; gone != removed.end() && *gone == survivor; ++gone) ++survivor;
    moves.emplace_back(hole, survivor++);
  }
  n = left;
  if (moves.empty()) return;
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    Chunk& chunk = state_.chunks[c][static_cast<std::size_t>(bucket)];
    with_scalar(channels_[c].scalar_bytes(), [&](auto scalar) {
      using S = decltype(scalar);
      S* values = reinterpret_cast<S*>(chunk.modify(channels_[c].stride()));
      for (int k = 0; k < channels_[c].components; ++k, values += chunk.capacity())
        for (const auto& [hole, from] : moves) values[hole] = values[from];
    });
  }
}

void ParticleSystem::remove(const Mark& mark) {
  neighbouring_.current = false;
  parallel_for(state_.buckets.local_count(), [&](std::ptrdiff_t b) {
    const int bucket = static_cast<int>(b);
    thread_local std::vector<std::uint8_t> dead;
    thread_local std::vector<int> removed;
    dead.assign(static_cast<std::size_t>(count(bucket)), 0);
    removed.clear();
    mark(bucket, dead);
    for (std::size_t i = 0; i < dead.size(); ++i)
      if (dead[i] != 0) removed.push_back(static_cast<int>(i));
    if (!removed.empty()) fill_holes(bucket, removed);
  });
}

void ParticleSystem::find_movers(int bucket, Records& out) {
  const auto x = read(position, bucket);
  const int n = count(bucket);
  const BucketCoord c = state_.buckets.coord(bucket);
  thread_local std::vector<int> movers;
  movers.clear();
  // The same rounding as bucket_of, so that "inside" means exactly that; outermost buckets take the clamped branch
  // there.
  const double inverse = 1 / domain_->bucket_size();
  const double cx = c.x, cy = c.y, cz = c.z;
  thread_local std::vector<std::uint8_t> outside;
  outside.resize(static_cast<std::size_t>(n));
  std::uint8_t* flag = outside.data();
#pragma omp simd
  for (int i = 0; i < n; ++i)
    flag[i] = static_cast<std::uint8_t>((std::floor(x.x[i] * inverse) != cx) | (std::floor(x.y[i] * inverse) != cy) |
                                        (std::floor(x.z[i] * inverse) != cz));
  for (int i = 0; i < n; ++i) {
    if (flag[i] == 0) continue;
    const BucketKey key = key_of(domain_->bucket_of(x[i]));
    if (key == state_.buckets.key(bucket)) continue;
    movers.push_back(i);
    out.keys.push_back(key);
  }
  if (movers.empty()) return;
  pack(bucket, movers, out.data);
  fill_holes(bucket, movers);
}

void ParticleSystem::rebucket() {
  const int buckets = state_.buckets.local_count();
  transit_.outbox.resize(static_cast<std::size_t>(buckets));
  parallel_for(buckets, [&](std::ptrdiff_t b) {
    Records& out = transit_.outbox[static_cast<std::size_t>(b)];
    out.clear();
    find_movers(static_cast<int>(b), out);
  });
  last_moved_ = 0;
  for (const Records& out : transit_.outbox) last_moved_ += static_cast<std::int64_t>(out.keys.size());
  route(transit_.outbox);
}

void ParticleSystem::migrate() {
  const int buckets = state_.buckets.local_count();
  transit_.outbox.resize(static_cast<std::size_t>(buckets));
  parallel_for(buckets, [&](std::ptrdiff_t b) {
    const int bucket = static_cast<int>(b);
    Records& out = transit_.outbox[static_cast<std::size_t>(b)];
    out.clear();
    if (domain_->local(state_.buckets.key(bucket))) return;
    const int n = count(bucket);
    out.keys.assign(static_cast<std::size_t>(n), state_.buckets.key(bucket));
    thread_local std::vector<int> all;
    all.resize(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    pack(bucket, all, out.data);
    state_.counts[static_cast<std::size_t>(bucket)] = 0;
  });
  route(transit_.outbox);
}

// Sends records to the owners of their buckets. Arrivals are taken in rank order with this rank's own in its place,
// which is the Morton order of their sources.
void ParticleSystem::route(std::span<Records> outgoing) {
  Communicator& communicator = domain_->communicator();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const auto me = static_cast<std::size_t>(communicator.rank());
  std::vector<std::size_t>& first = transit_.outbox_first;
  first.assign(outgoing.size() + 1, 0);
  for (std::size_t b = 0; b < outgoing.size(); ++b) first[b + 1] = first[b] + outgoing[b].keys.size();
  std::vector<Arrival>& arrivals = transit_.arrivals;
  arrivals.resize(first.back());
  parallel_for(static_cast<std::ptrdiff_t>(outgoing.size()), [&](std::ptrdiff_t b) {
    const Records& records = outgoing[static_cast<std::size_t>(b)];
    for (std::size_t i = 0; i < records.keys.size(); ++i)
      arrivals[first[static_cast<std::size_t>(b)] + i] = {records.keys[i], records.data.data() + i * record_bytes_};
  });
  if (ranks == 1) return settle(arrivals);

  const std::size_t entry = sizeof(BucketKey) + record_bytes_;
  std::vector<Bytes> messages(ranks);
  std::vector<Arrival> own;
  for (const Arrival& arrival : arrivals) {
    const auto owner = static_cast<std::size_t>(domain_->owner(arrival.key));
    if (owner == me) {
      own.push_back(arrival);
      continue;
    }
    Bytes& message = messages[owner];
    const std::size_t at = message.size();
    message.resize(at + entry);
    std::memcpy(message.data() + at, &arrival.key, sizeof(BucketKey));
    std::memcpy(message.data() + at + sizeof(BucketKey), arrival.record, record_bytes_);
  }
  const std::vector<Bytes> incoming = communicator.all_to_all(std::move(messages));
  arrivals.clear();
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r == me) arrivals.insert(arrivals.end(), own.begin(), own.end());
    for (std::size_t at = 0; r != me && at + entry <= incoming[r].size(); at += entry) {
      Arrival& arrival = arrivals.emplace_back();
      std::memcpy(&arrival.key, incoming[r].data() + at, sizeof(BucketKey));
      arrival.record = incoming[r].data() + at + sizeof(BucketKey);
    }
  }
  settle(arrivals);
}

// Creates buckets that arrivals need, drops those left empty, and tells where every arrival goes.
void ParticleSystem::adopt_buckets(std::span<const Arrival> arrivals) {
  std::vector<int>& destination = transit_.destination;
  const BucketSet& old = state_.buckets;
  const auto locate = [&](const BucketSet& set) {
    parallel_blocks(static_cast<std::ptrdiff_t>(arrivals.size()), 4096, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      int index = -1;
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        const bool as_before = i > static_cast<std::size_t>(begin) && arrivals[i].key == arrivals[i - 1].key;
        if (!as_before) index = set.find(arrivals[i].key);
        destination[i] = index;
      }
    });
  };
  destination.resize(arrivals.size());
  locate(old);

  std::vector<std::uint8_t> used(static_cast<std::size_t>(old.local_count()), 0);
  for (int b = 0; b < old.local_count(); ++b) used[static_cast<std::size_t>(b)] = count(b) > 0;
  std::vector<BucketKey> keys;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    if (destination[i] >= 0)
      used[static_cast<std::size_t>(destination[i])] = 1;
    else
      keys.push_back(arrivals[i].key);
  }
  const bool unchanged = keys.empty() && std::all_of(used.begin(), used.end(), [](auto u) { return u != 0; });
  if (!domain_->communicator().any(!unchanged)) return;

  for (int b = 0; b < old.local_count(); ++b)
    if (used[static_cast<std::size_t>(b)] != 0) keys.push_back(old.key(b));
  State next{BucketSet(*domain_), {}, {}};
  next.buckets.assign(std::move(keys));
  const auto buckets = static_cast<std::size_t>(next.buckets.local_count());
  next.counts.assign(buckets, 0);
  next.chunks.assign(channels_.size(), std::vector<Chunk>(buckets));
  for (int b = 0; b < old.local_count(); ++b) {
    const int to = next.buckets.find(old.key(b));
    if (to < 0) continue;
    next.counts[static_cast<std::size_t>(to)] = count(b);
    for (std::size_t c = 0; c < channels_.size(); ++c)
      next.chunks[c][static_cast<std::size_t>(to)] = std::move(state_.chunks[c][static_cast<std::size_t>(b)]);
  }
  state_ = std::move(next);
  locate(state_.buckets);
}

void ParticleSystem::settle(std::span<const Arrival> arrivals) {
  neighbouring_.current = false;
  adopt_buckets(arrivals);
  const std::vector<int>& destination = transit_.destination;
  // Counting sort by destination. Every part of the buckets scans all destinations, so that the order of arrivals in a
  // bucket does not depend on the number of parts.
  const int buckets = state_.buckets.local_count();
  std::vector<std::size_t>& first = transit_.first;
  first.assign(static_cast<std::size_t>(buckets) + 1, 0);
  std::vector<const std::byte*>& sorted = transit_.sorted;
  sorted.resize(arrivals.size());
  const int parts = std::min(threads(), std::max(1, buckets));
  const auto part_begin = [&](std::ptrdiff_t p) { return static_cast<int>(std::int64_t{buckets} * p / parts); };
  parallel_for(parts, [&](std::ptrdiff_t p) {
    const int low = part_begin(p), high = part_begin(p + 1);
    for (const int d : destination)
      if (d >= low && d < high) ++first[static_cast<std::size_t>(d) + 1];
  });
  for (int b = 0; b < buckets; ++b) first[static_cast<std::size_t>(b) + 1] += first[static_cast<std::size_t>(b)];
  std::vector<std::size_t>& next = transit_.next;
  next.assign(first.begin(), first.end() - 1);
  parallel_for(parts, [&](std::ptrdiff_t p) {
    const int low = part_begin(p), high = part_begin(p + 1);
    for (std::size_t i = 0; i < destination.size(); ++i)
      if (const int d = destination[i]; d >= low && d < high)
        sorted[next[static_cast<std::size_t>(d)]++] = arrivals[i].record;
  });

  parallel_for(buckets, [&](std::ptrdiff_t b) {
    const auto bucket = static_cast<std::size_t>(b);
    const std::span<const std::byte* const> records(sorted.data() + first[bucket], first[bucket + 1] - first[bucket]);
    if (records.empty()) return;
    const int before = state_.counts[bucket];
    const int after = before + static_cast<int>(records.size());
    std::size_t at = 0;
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      const Channel& channel = channels_[c];
      Chunk& chunk = state_.chunks[c][bucket];
      chunk.reserve(after, channel.scalar_bytes(), channel.components, before);
      with_scalar(channel.scalar_bytes(), [&](auto scalar) {
        using S = decltype(scalar);
        S* values = reinterpret_cast<S*>(chunk.modify(channel.stride()));
        for (int k = 0; k < channel.components; ++k, values += chunk.capacity(), at += sizeof(S))
          for (std::size_t i = 0; i < records.size(); ++i)
            std::memcpy(&values[static_cast<std::size_t>(before) + i], records[i] + at, sizeof(S));
      });
    }
    state_.counts[bucket] = after;
  });
}

std::optional<std::string> ParticleSystem::non_finite_channel() const {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    const Channel& channel = channels_[c];
    if (channel.type != ScalarType::f64 && channel.type != ScalarType::f32) continue;
    const auto finite = [&](auto scalar, int bucket) {
      using S = decltype(scalar);
      const Chunk& chunk = state_.chunks[c][static_cast<std::size_t>(bucket)];
      S acc = 0;  // x * 0 is NaN exactly when x is not finite
      for (int k = 0; k < channel.components; ++k) {
        const S* v = reinterpret_cast<const S*>(chunk.read()) + k * chunk.capacity();
        const int n = count(bucket);
#pragma omp simd reduction(+ : acc)
        for (int i = 0; i < n; ++i) acc += v[i] * S(0);
      }
      return acc == 0;
    };
    const bool good = ordered_reduce(
        state_.buckets.local_count(), true,
        [&](std::ptrdiff_t b) {
          return channel.type == ScalarType::f64 ? finite(double{}, static_cast<int>(b))
                                                 : finite(float{}, static_cast<int>(b));
        },
        [](bool a, bool b) { return a && b; });
    if (!good) return channel.name;
  }
  return std::nullopt;
}

std::uint64_t ParticleSystem::hash(ParticleChannel<std::uint64_t> id) const {
  const std::uint64_t local = ordered_reduce(
      state_.buckets.local_count(), std::uint64_t{0},
      [&](std::ptrdiff_t b) {
        const int bucket = static_cast<int>(b);
        const std::uint64_t* ids = read(id, bucket);
        std::uint64_t sum = 0;
        for (int i = 0; i < count(bucket); ++i) {
          std::uint64_t h = mix64(ids[i]);
          for (std::size_t c = 0; c < channels_.size(); ++c) {
            const Chunk& chunk = state_.chunks[c][static_cast<std::size_t>(bucket)];
            with_scalar(channels_[c].scalar_bytes(), [&](auto scalar) {
              using S = decltype(scalar);
              const S* values = reinterpret_cast<const S*>(chunk.read());
              for (int k = 0; k < channels_[c].components; ++k) h = hash_combine(h, values[k * chunk.capacity() + i]);
            });
          }
          sum += h;
        }
        return sum;
      },
      [](std::uint64_t a, std::uint64_t b) { return a + b; });
  return domain_->communicator().wrapping_sum(local);
}

}  // namespace ymir
