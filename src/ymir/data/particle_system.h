// Particle System: Lagrangian points with named channels, stored in chunks per bucket. [Lesser2022, 5.3]
//
// The order of particles inside a bucket is a function of the simulation alone: particles that leave are replaced by
// the last ones of their bucket, arrivals are appended in the order of the buckets they came from. Since ranks own
// intervals of that order, it is the same for any number of threads and ranks, and so is every sum over it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/data/bucket_set.h"
#include "ymir/data/chunk.h"

namespace ymir {

template <class T>
struct ParticleChannel {
  int index = -1;
};

// Values of all channels for particles that are not bucketed yet, or no longer: one Array per channel, in channel
// order.
using ParticleBatch = std::vector<Array>;

class ParticleSystem {
 public:
  // Channel 0 is always the position [m].
  static constexpr ParticleChannel<Vec3d> position{0};

  explicit ParticleSystem(GridDomain& domain);

  // Copies of this rank's state share chunks with it until either is written.
  struct State {
    BucketSet buckets;
    std::vector<int> counts;                 // particles per local bucket
    std::vector<std::vector<Chunk>> chunks;  // [channel][bucket]
  };

  template <class T>
  ParticleChannel<T> add_channel(std::string name) {
    return {add_channel(std::move(name), ElementOf<T>::type, ElementOf<T>::components)};
  }
  int channel_count() const { return static_cast<int>(channels_.size()); }
  const std::string& channel_name(int channel) const { return channels_[static_cast<std::size_t>(channel)].name; }
  std::optional<int> find_channel(std::string_view name) const;
  template <class T>
  bool holds(int channel) const {
    const Channel& c = channels_[static_cast<std::size_t>(channel)];
    return c.type == ElementOf<T>::type && c.components == ElementOf<T>::components;
  }

  GridDomain& domain() const { return *domain_; }
  const BucketSet& buckets() const { return state_.buckets; }
  int count(int bucket) const {
    const auto local = static_cast<std::size_t>(state_.buckets.local_count()), b = static_cast<std::size_t>(bucket);
    return b < local ? state_.counts[b] : neighbouring_.counts[b - local];
  }
  std::int64_t local_count() const;
  std::int64_t total_count() const;  // collective

  // Planes of one channel of one bucket. modify keeps the values, overwrite does not.
  template <class T>
  typename Planes<const T>::Type read(ParticleChannel<T> channel, int bucket) const {
    if (bucket < state_.buckets.local_count()) return read(state_, channel, bucket);
    const Chunk& chunk = neighbouring_.channels[static_cast<std::size_t>(channel.index)]
                             .chunks[static_cast<std::size_t>(bucket - state_.buckets.local_count())];
    return planes<const T>(chunk.read(), chunk.capacity());
  }
  template <class T>
  typename Planes<T>::Type modify(ParticleChannel<T> channel, int bucket) {
    Chunk& chunk = state_.chunks[static_cast<std::size_t>(channel.index)][static_cast<std::size_t>(bucket)];
    return planes<T>(chunk.modify(sizeof(T)), chunk.capacity());
  }
  template <class T>
  typename Planes<T>::Type overwrite(ParticleChannel<T> channel, int bucket) {
    Chunk& chunk = state_.chunks[static_cast<std::size_t>(channel.index)][static_cast<std::size_t>(bucket)];
    return planes<T>(chunk.overwrite(sizeof(T)), chunk.capacity());
  }

  // Empty batch with one array per channel, `count` long.
  ParticleBatch make_batch(std::size_t count) const;
  // Adds particles; they go to the buckets and ranks of their positions, after those already there. Collective.
  void append(const ParticleBatch& batch);
  void clear();
  // All local particles in bucket order; and one channel of them.
  ParticleBatch export_local() const;
  Array export_local(int channel) const;

  // Removes particles that mark(bucket, dead) flags; called once per bucket, in parallel.
  using Mark = std::function<void(int bucket, std::span<std::uint8_t> dead)>;
  void remove(const Mark& mark);

  // Moves particles to the buckets of their positions, across ranks. Collective.
  void rebucket();
  // Particles of this rank that the last rebucket() moved.
  std::int64_t last_moved() const { return last_moved_; }
  // Moves whole buckets to their owners after GridDomain::rebalance. Collective.
  void migrate();
  // Brings a channel of the neighbouring buckets from their owners, unless it is there and fresh. Collective; computing
  // may go on between begin and end. Used through accessors (particle_accessor.h).
  void begin_exchange(int channel);
  bool exchanging(int channel) const;
  void end_exchange(int channel);
  void mark_written(int channel);  // values of the neighbouring buckets are out of date from now on
  const void* identity(int channel) const { return &channels_[static_cast<std::size_t>(channel)]; }

  const State& state() const { return state_; }
  template <class T>
  static typename Planes<const T>::Type read(const State& state, ParticleChannel<T> channel, int bucket) {
    const Chunk& chunk = state.chunks[static_cast<std::size_t>(channel.index)][static_cast<std::size_t>(bucket)];
    return planes<const T>(chunk.read(), chunk.capacity());
  }
  void restore(const State& state);

  // Name of a floating-point channel that holds a NaN or an infinity on this rank, if any.
  std::optional<std::string> non_finite_channel() const;
  // Order-independent hash of all channels of all particles of all ranks, keyed by the u64 channel `id`. Collective.
  std::uint64_t hash(ParticleChannel<std::uint64_t> id) const;

 private:
  struct Channel {
    std::string name;
    ScalarType type;
    int components;
    std::size_t scalar_bytes() const { return size_of(type); }
    std::size_t stride() const { return scalar_bytes() * static_cast<std::size_t>(components); }
  };
  // Particles in transit: packed values of all channels, one record after the other, and where they belong.
  struct Records {
    std::vector<BucketKey> keys;
    std::vector<std::byte> data;
    void clear() { keys.clear(), data.clear(); }
  };
  // Copies of the neighbouring buckets, as far as they were asked for.
  struct Neighbouring {
    struct Channel {
      std::vector<Chunk> chunks;
      bool fresh = false;
      std::vector<Bytes> outgoing, incoming;  // per link, while in flight
      std::unique_ptr<Communicator::Exchange> exchange;
    };
    bool current = false;  // false: buckets or counts changed since
    std::vector<int> counts;
    std::vector<Channel> channels;
  };
  struct Arrival {
    BucketKey key;
    const std::byte* record;
  };

  int add_channel(std::string name, ScalarType type, int components);
  template <class T>
  static typename Planes<T>::Type planes(auto* block, int capacity) {
    if constexpr (requires { typename T::Scalar; }) {
      using S = std::conditional_t<std::is_const_v<T>, const typename T::Scalar, typename T::Scalar>;
      S* first = reinterpret_cast<S*>(block);
      return {first, first + capacity, first + 2 * capacity};
    } else {
      return reinterpret_cast<T*>(block);
    }
  }
  void pack(int bucket, std::span<const int> particles, std::vector<std::byte>& records) const;
  void fill_holes(int bucket, std::span<const int> removed);
  void find_movers(int bucket, Records& out);
  void route(std::span<Records> outgoing);
  void settle(std::span<const Arrival> arrivals);
  void connect();
  void exchange_counts();
  void adopt_buckets(std::span<const Arrival> arrivals);

  GridDomain* domain_;
  std::vector<Channel> channels_;
  std::size_t record_bytes_ = 0;
  State state_;
  Neighbouring neighbouring_;
  std::int64_t last_moved_ = 0;
  // Work space of rebucketing, kept to reuse its memory.
  struct Transit {
    std::vector<Records> outbox;  // per local bucket
    std::vector<std::size_t> outbox_first;
    std::vector<Arrival> arrivals;
    std::vector<int> destination;          // local bucket per arrival
    std::vector<std::size_t> first, next;  // per local bucket, into sorted
    std::vector<const std::byte*> sorted;  // records by destination
  };
  Transit transit_;
};

}  // namespace ymir
