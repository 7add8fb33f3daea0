// Accessors of Particle System channels for for_each_bucket. A reader sees the current bucket and, with Stencil::box,
// its neighbours on any rank; a writer sees the current bucket only. [Lesser2022, 5.4]
#pragma once

#include <algorithm>

#include "ymir/data/for_each_bucket.h"
#include "ymir/data/particle_system.h"

namespace ymir {

template <class T>
class ParticleReader {
 public:
  static constexpr bool uneven = true;

  ParticleReader(ParticleSystem& particles, ParticleChannel<T> channel, Stencil stencil)
      : particles_(&particles), channel_(channel), stencil_(stencil) {}

  Access access() const { return {particles_->identity(channel_.index), stencil_, false}; }
  void begin_exchange() {
    if (stencil_ != Stencil::own) particles_->begin_exchange(channel_.index);
  }
  bool in_flight() const { return stencil_ != Stencil::own && particles_->exchanging(channel_.index); }
  bool waits(BucketKey key) const {
    if (!in_flight()) return false;
    const BucketSet& set = particles_->buckets();
    const int i = set.find(key);
    return i < 0 || std::binary_search(set.boundary().begin(), set.boundary().end(), i);
  }
  void end_exchange() {
    if (stencil_ != Stencil::own) particles_->end_exchange(channel_.index);
  }

  // Of a local bucket or, with Stencil::box, of a neighbouring one.
  int count(int bucket) const { return particles_->count(bucket); }
  typename Planes<const T>::Type operator()(int bucket) const { return particles_->read(channel_, bucket); }

 private:
  ParticleSystem* particles_;
  ParticleChannel<T> channel_;
  Stencil stencil_;
};

template <class T>
class ParticleWriter {
 public:
  static constexpr bool uneven = true;

  ParticleWriter(ParticleSystem& particles, ParticleChannel<T> channel, bool discard)
      : particles_(&particles), channel_(channel), discard_(discard) {}

  Access access() const { return {particles_->identity(channel_.index), Stencil::own, true}; }
  void begin_exchange() { particles_->mark_written(channel_.index); }
  bool in_flight() const { return false; }
  bool waits(BucketKey) const { return false; }
  void end_exchange() {}

  typename Planes<T>::Type operator()(int bucket) const {
    return discard_ ? particles_->overwrite(channel_, bucket) : particles_->modify(channel_, bucket);
  }

 private:
  ParticleSystem* particles_;
  ParticleChannel<T> channel_;
  bool discard_;
};

template <class T>
ParticleReader<T> read(ParticleSystem& particles, ParticleChannel<T> channel, Stencil stencil = Stencil::own) {
  return {particles, channel, stencil};
}
// The body writes every value of the bucket; old values are not there to be read.
template <class T>
ParticleWriter<T> write(ParticleSystem& particles, ParticleChannel<T> channel) {
  return {particles, channel, true};
}
// The body reads and writes the current bucket.
template <class T>
ParticleWriter<T> read_write(ParticleSystem& particles, ParticleChannel<T> channel) {
  return {particles, channel, false};
}

}  // namespace ymir
