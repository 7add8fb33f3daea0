// The neighbouring subset of a Particle System: copies of other ranks' chunks.
#include <cstring>

#include "ymir/base/check.h"
#include "ymir/data/particle_system.h"

namespace ymir {

void ParticleSystem::connect() {
  // Ranks change their buckets independently; all connect when any must.
  if (domain_->communicator().any(!state_.buckets.connected())) state_.buckets.connect();
}

void ParticleSystem::mark_written(int channel) {
  neighbouring_.channels[static_cast<std::size_t>(channel)].fresh = false;
}

bool ParticleSystem::exchanging(int channel) const {
  return neighbouring_.channels[static_cast<std::size_t>(channel)].exchange != nullptr;
}

void ParticleSystem::exchange_counts() {
  connect();
  const BucketSet& set = state_.buckets;
  neighbouring_.counts.assign(static_cast<std::size_t>(set.neighbouring_count()), 0);
  std::vector<std::vector<int>> outgoing, incoming;
  for (const BucketSet::Link& link : set.links()) {
    std::vector<int>& out = outgoing.emplace_back();
    for (const int b : link.send) out.push_back(state_.counts[static_cast<std::size_t>(b)]);
    incoming.emplace_back(link.receive.size());
  }
  std::vector<Communicator::Message> sends, receives;
  for (std::size_t l = 0; l < outgoing.size(); ++l) {
    sends.push_back({set.links()[l].rank, std::as_writable_bytes(std::span(outgoing[l]))});
    receives.push_back({set.links()[l].rank, std::as_writable_bytes(std::span(incoming[l]))});
  }
  domain_->communicator().start_exchange(sends, receives)->finish();
  for (std::size_t l = 0; l < incoming.size(); ++l)
    for (std::size_t i = 0; i < incoming[l].size(); ++i)
      neighbouring_.counts[static_cast<std::size_t>(set.links()[l].receive[i] - set.local_count())] = incoming[l][i];
  for (Neighbouring::Channel& channel : neighbouring_.channels) channel.fresh = false;
  neighbouring_.current = true;
}

void ParticleSystem::begin_exchange(int channel) {
  if (!neighbouring_.current) exchange_counts();
  Neighbouring::Channel& to = neighbouring_.channels[static_cast<std::size_t>(channel)];
  if (to.fresh || to.exchange) return;
  const Channel& layout = channels_[static_cast<std::size_t>(channel)];
  const BucketSet& set = state_.buckets;
  // Planes without their spare capacity, bucket after bucket.
  to.outgoing.assign(set.links().size(), {});
  to.incoming.assign(set.links().size(), {});
  std::vector<Communicator::Message> sends, receives;
  for (std::size_t l = 0; l < set.links().size(); ++l) {
    const BucketSet::Link& link = set.links()[l];
    for (const int b : link.send) {
      const Chunk& chunk = state_.chunks[static_cast<std::size_t>(channel)][static_cast<std::size_t>(b)];
      for (int k = 0; k < layout.components; ++k) {
        const std::byte* plane = chunk.read() + static_cast<std::size_t>(k * chunk.capacity()) * layout.scalar_bytes();
        to.outgoing[l].insert(to.outgoing[l].end(), plane,
                              plane + static_cast<std::size_t>(count(b)) * layout.scalar_bytes());
      }
    }
    std::size_t bytes = 0;
    for (const int b : link.receive) bytes += static_cast<std::size_t>(count(b)) * layout.stride();
    to.incoming[l].resize(bytes);
    sends.push_back({link.rank, to.outgoing[l]});
    receives.push_back({link.rank, to.incoming[l]});
  }
  to.exchange = domain_->communicator().start_exchange(sends, receives);
}

void ParticleSystem::end_exchange(int channel) {
  Neighbouring::Channel& to = neighbouring_.channels[static_cast<std::size_t>(channel)];
  if (!to.exchange) return;
  to.exchange->finish();
  to.exchange.reset();
  const Channel& layout = channels_[static_cast<std::size_t>(channel)];
  const BucketSet& set = state_.buckets;
  to.chunks.assign(static_cast<std::size_t>(set.neighbouring_count()), {});
  for (std::size_t l = 0; l < set.links().size(); ++l) {
    const std::byte* from = to.incoming[l].data();
    for (const int b : set.links()[l].receive) {
      Chunk& chunk = to.chunks[static_cast<std::size_t>(b - set.local_count())];
      chunk.reserve(count(b), layout.scalar_bytes(), layout.components, 0);
      const std::size_t plane = static_cast<std::size_t>(count(b)) * layout.scalar_bytes();
      for (int k = 0; k < layout.components; ++k, from += plane)
        std::memcpy(
            chunk.modify(layout.stride()) + static_cast<std::size_t>(k * chunk.capacity()) * layout.scalar_bytes(),
            from, plane);
    }
  }
  to.outgoing.clear();
  to.incoming.clear();
  to.fresh = true;
}

}  // namespace ymir
