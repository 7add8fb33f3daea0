#include "ymir/data/strand_system.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

#include "ymir/base/check.h"
#include "ymir/base/hash.h"
#include "ymir/parallel/bytes.h"
#include "ymir/parallel/threads.h"

namespace ymir {

int StrandSystem::add_channel(std::string name, Kind kind) {
  YMIR_CHECK(groups_.empty());
  channels_.push_back({std::move(name), kind, kind == Kind::state ? state_channels_++ : -1});
  return channel_count() - 1;
}

int StrandSystem::add_vector(const std::string& name, Kind kind) {
  const int first = add_channel(name, kind);
  add_channel(name + ".y", kind);
  add_channel(name + ".z", kind);
  return first;
}

int StrandSystem::find(std::string_view name) const {
  for (int c = 0; c < channel_count(); ++c)
    if (channel_name(c) == name) return c;
  return -1;
}

Strand StrandSystem::make_strand(std::int64_t id, int vertices) const {
  return {id, vertices, {}, -1, std::vector<double>(static_cast<std::size_t>(vertices * channel_count()))};
}

void StrandSystem::assign(std::vector<Strand> strands) {
  std::sort(strands.begin(), strands.end(), [](const Strand& a, const Strand& b) {
    return std::tuple(a.tie, -a.vertices, a.id) < std::tuple(b.tie, -b.vertices, b.id);
  });
  ++arrangement_;
  groups_.clear();
  std::vector<std::size_t> firsts;  // strand each group begins with
  for (std::size_t k = 0; k < strands.size(); ++k)
    if (firsts.empty() || k - firsts.back() == lanes || strands[k].tie != strands[k - 1].tie) firsts.push_back(k);
  groups_.resize(firsts.size());
  firsts.push_back(strands.size());
  parallel_for(group_count(), [&](std::ptrdiff_t g) {
    Group& group = groups_[static_cast<std::size_t>(g)];
    const std::size_t first = firsts[static_cast<std::size_t>(g)], end = firsts[static_cast<std::size_t>(g) + 1];
    group.vertices = strands[first].vertices;
    group.tie = strands[first].tie;
    group.id.fill(-1);
    group.values.assign(static_cast<std::size_t>(group.vertices * channel_count()), Real{});
    for (std::size_t lane = 0; first + lane < end; ++lane) {
      const Strand& strand = strands[first + lane];
      group.id[lane] = strand.id;
      group.count[lane] = strand.vertices;
      group.home[lane] = strand.home;
      for (int c = 0; c < channel_count(); ++c) {
        const auto from = strand.channel(c);
        double* to = reinterpret_cast<double*>(plane(static_cast<int>(g), c));
        for (std::size_t k = 0; k < from.size(); ++k) to[k * lanes + lane] = from[k];
      }
    }
  });
  count();
}

void StrandSystem::count() {
  strands_ = vertices_ = 0;
  for (const Group& group : groups_)
    for (int lane = 0; lane < lanes; ++lane) {
      strands_ += group.id[static_cast<std::size_t>(lane)] >= 0 ? 1 : 0;
      vertices_ += group.count[static_cast<std::size_t>(lane)];
    }
}

Strand StrandSystem::strand(int g, int lane) const {
  const Group& group = this->group(g);
  const auto l = static_cast<std::size_t>(lane);
  Strand strand = make_strand(group.id[l], group.count[l]);
  strand.home = group.home[l];
  strand.tie = group.tie;
  for (int c = 0; c < channel_count(); ++c) {
    const double* from = reinterpret_cast<const double*>(plane(g, c));
    const auto to = strand.channel(c);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i * lanes + l];
  }
  return strand;
}

std::vector<StrandSystem::Seat> StrandSystem::seats() const {
  std::vector<Seat> all;
  all.reserve(static_cast<std::size_t>(strands_));
  const auto id = [this](const Seat& seat) { return group(seat.group).id[static_cast<std::size_t>(seat.lane)]; };
  for (int g = 0; g < group_count(); ++g)
    for (int lane = 0; lane < lanes; ++lane)
      if (id({g, lane}) >= 0) all.push_back({g, lane});
  std::sort(all.begin(), all.end(), [&](const Seat& a, const Seat& b) { return id(a) < id(b); });
  return all;
}

std::vector<Strand> StrandSystem::copy_all() const {
  std::vector<Strand> all;
  all.reserve(static_cast<std::size_t>(strands_));
  for (const Seat& seat : seats()) all.push_back(strand(seat.group, seat.lane));
  return all;
}

std::vector<Strand> StrandSystem::take_all() {
  std::vector<Strand> all = copy_all();
  groups_.clear();
  count();
  return all;
}

const StrandSystem::Real* StrandSystem::saved(int g, int channel) const {
  const Group& group = this->group(g);
  const int index = channels_[static_cast<std::size_t>(channel)].saved;
  YMIR_CHECK(index >= 0 && !group.saved.empty());
  return group.saved.data() + static_cast<std::size_t>(index) * static_cast<std::size_t>(group.vertices);
}

void StrandSystem::save() {
  parallel_for(group_count(), [&](std::ptrdiff_t g) { save(static_cast<int>(g)); });
}

void StrandSystem::rollback() {
  parallel_for(group_count(), [&](std::ptrdiff_t g) { rollback(static_cast<int>(g)); });
}

void StrandSystem::save(int g) {
  Group& group = this->group(g);
  const auto n = static_cast<std::size_t>(group.vertices);
  group.saved.resize(static_cast<std::size_t>(state_channels_) * n);
  for (int c = 0; c < channel_count(); ++c)
    if (const int s = channels_[static_cast<std::size_t>(c)].saved; s >= 0)
      std::copy_n(plane(g, c), n, group.saved.data() + static_cast<std::size_t>(s) * n);
}

void StrandSystem::rollback(int g) {
  for (int c = 0; c < channel_count(); ++c)
    if (channels_[static_cast<std::size_t>(c)].saved >= 0) std::copy_n(saved(g, c), group(g).vertices, plane(g, c));
}

void StrandSystem::rollback(int g, int lane) {
  for (int c = 0; c < channel_count(); ++c)
    if (channels_[static_cast<std::size_t>(c)].saved >= 0)
      for (int i = 0; i < group(g).vertices; ++i) plane(g, c)[i].set(lane, saved(g, c)[i][lane]);
}

BucketKey StrandSystem::bucket_of(int g, int lane) const {
  return key_of(domain_->bucket_of(group(g).home[static_cast<std::size_t>(lane)]));
}

bool StrandSystem::local(Vec3d home) const {
  return keeper_ >= 0 ? keeper_ == domain_->communicator().rank() : domain_->local(key_of(domain_->bucket_of(home)));
}

void StrandSystem::migrate() {
  Communicator& communicator = domain_->communicator();
  std::vector<Bytes> outgoing(static_cast<std::size_t>(communicator.size()));
  std::vector<Strand> staying;
  for (int g = 0; g < group_count(); ++g)
    for (int lane = 0; lane < lanes; ++lane) {
      if (group(g).id[static_cast<std::size_t>(lane)] < 0) continue;
      const int owner = keeper_ >= 0 ? keeper_ : domain_->owner(bucket_of(g, lane));
      Strand moving = strand(g, lane);
      if (owner == communicator.rank()) {
        staying.push_back(std::move(moving));
        continue;
      }
      Bytes& to = outgoing[static_cast<std::size_t>(owner)];
      const std::int64_t header[3] = {moving.id, moving.vertices, moving.tie};
      const auto* head = reinterpret_cast<const std::byte*>(header);
      to.insert(to.end(), head, head + sizeof(header));
      const auto* home = reinterpret_cast<const std::byte*>(&moving.home);
      to.insert(to.end(), home, home + sizeof(Vec3d));
      const auto values = std::as_bytes(std::span(moving.values));
      to.insert(to.end(), values.begin(), values.end());
    }
  for (const Bytes& incoming : communicator.all_to_all(std::move(outgoing)))
    for (std::size_t at = 0; at < incoming.size();) {
      std::int64_t header[3];
      std::memcpy(header, incoming.data() + at, sizeof(header));
      at += sizeof(header);
      Strand arrived = make_strand(header[0], static_cast<int>(header[1]));
      arrived.tie = header[2];
      std::memcpy(&arrived.home, incoming.data() + at, sizeof(Vec3d));
      at += sizeof(Vec3d);
      std::memcpy(arrived.values.data(), incoming.data() + at, arrived.values.size() * sizeof(double));
      at += arrived.values.size() * sizeof(double);
      staying.push_back(std::move(arrived));
    }
  assign(std::move(staying));
}

std::uint64_t StrandSystem::hash() const {
  std::uint64_t sum = 0;
  for (int g = 0; g < group_count(); ++g)
    for (int lane = 0; lane < lanes; ++lane) {
      if (group(g).id[static_cast<std::size_t>(lane)] < 0) continue;
      const Strand one = strand(g, lane);
      std::uint64_t h = mix64(static_cast<std::uint64_t>(one.id));
      for (int c = 0; c < channel_count(); ++c)
        if (channels_[static_cast<std::size_t>(c)].saved >= 0)
          h = hash_combine(h, hash_bytes(std::as_bytes(one.channel(c))));
      sum += mix64(h);
    }
  return domain_->communicator().wrapping_sum(sum);
}

const std::string* StrandSystem::non_finite_channel() const {
  for (int g = 0; g < group_count(); ++g)
    for (int c = 0; c < channel_count(); ++c) {
      if (channels_[static_cast<std::size_t>(c)].saved < 0) continue;
      const double* values = reinterpret_cast<const double*>(plane(g, c));
      double sum = 0;  // 0 * x is NaN for infinite and NaN x
      for (int i = 0; i < group(g).vertices * lanes; ++i) sum += values[i] * 0.0;
      if (!(sum == 0)) return &channels_[static_cast<std::size_t>(c)].name;
    }
  return nullptr;
}

std::size_t StrandSystem::memory() const {
  std::size_t reals = 0;
  for (const Group& group : groups_) reals += group.values.capacity() + group.saved.capacity();
  return reals * sizeof(Real);
}

}  // namespace ymir
