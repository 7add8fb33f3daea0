// Particles in the solid system: those that couplings hold, and those that touch others exactly.
//
// Points are numbered bucket by bucket. Contacts know them by their ids, whatever buckets they are in.
#include <algorithm>

#include "ymir/data/particle_accessor.h"
#include "ymir/objects/particle_block.h"
#include "ymir/objects/particle_object.h"
#include "ymir/parallel/threads.h"
#include "ymir/solids/detection/boundary.h"

namespace ymir {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace

void ParticleObject::number_points() {
  first_number_.assign(1, 0);
  for (int b = 0; b < particles_.buckets().local_count(); ++b)
    first_number_.push_back(first_number_.back() + particles_.count(b));
}

ParticleObject::Spot ParticleObject::place_of(int number) const {
  const auto next = std::upper_bound(first_number_.begin(), first_number_.end(), number);
  const auto bucket = static_cast<int>(next - first_number_.begin()) - 1;
  return {bucket, number - first_number_[at(bucket)]};
}

std::vector<SolidObject::Seat> ParticleObject::seat(std::span<const std::int64_t> pieces) {
  number_points();
  std::vector<Seat> seats(pieces.size());
  if (pieces.empty()) return seats;
  parallel_for(particles_.buckets().local_count(), [&](std::ptrdiff_t bucket) {
    const auto b = static_cast<int>(bucket);
    const std::uint64_t* ids = particles_.read(id_, b);
    for (int i = 0; i < particles_.count(b); ++i) {
      const auto id = static_cast<std::int64_t>(ids[i]);
      const auto found = std::lower_bound(pieces.begin(), pieces.end(), id);
      if (found != pieces.end() && *found == id)
        seats[static_cast<std::size_t>(found - pieces.begin())] = {first_number_[at(b)] + i, 0};
    }
  });
  return seats;
}

// Blocks of several points are numbered after all points.
std::vector<SolidObject::Seat> ParticleObject::gather(std::span<const int> blocks,
                                                      std::span<const std::int32_t> islands) {
  std::vector<Seat> seats;
  std::vector<int> group_of;  // by island
  groups_.clear();
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const std::size_t island = at(islands[k]);
    if (group_of.size() <= island) group_of.resize(island + 1, -1);
    if (group_of[island] < 0) {
      group_of[island] = static_cast<int>(groups_.size());
      groups_.emplace_back();
    }
    std::vector<int>& group = groups_[at(group_of[island])];
    seats.push_back({first_number_.back() + group_of[island], static_cast<int>(group.size())});
    group.push_back(blocks[k]);
  }
  return seats;
}

std::unique_ptr<SolidBlock> ParticleObject::make_block(int block) {
  taken_.resize(at(first_number_.back()));
  const int group = block - first_number_.back();
  return std::make_unique<ParticleBlock>(*this, group < 0 ? std::vector<int>{block} : groups_[at(group)]);
}

void ParticleObject::release(const Seat& seat) {
  taken_[at(groups_[at(seat.block - first_number_.back())][at(seat.place)])].is = false;
}

PointBlock ParticleObject::point_at(const Step& step, int number) const {
  const auto [bucket, i] = place_of(number);
  const auto only = [i = i](Planes<const Vec3d>::Type p) {
    return Planes<const Vec3d>::Type{p.x + i, p.y + i, p.z + i};
  };
  PointBlock block = block_at(step, bucket, only(ParticleSystem::read(*begin_, velocity_, bucket)),
                              particles_.read(mass_, bucket) + i);
  block.position = only(block.position);
  block.radius += i;
  block.count = 1;
  block.first = i;
  return block;
}

// These points are solved along with the others: leaving them out would cost more than it saves.
void ParticleObject::take_velocities(int bucket, Planes<Vec3d>::Type v) const {
  if (taken_.empty()) return;
  const Taken* taken = taken_.data() + first_number_[at(bucket)];
  for (int i = 0; i < particles_.count(bucket); ++i)
    if (taken[i].is) v.set(i, taken[i].velocity);
}

// What touches others exactly does so with colliders.
void ParticleObject::take_positions(const PointBlock& from, Planes<Vec3d>::Type x, Planes<Vec3d>::Type v) const {
  if (taken_.empty() || !touches_) return;
  const Taken* taken = taken_.data() + first_number_[at(from.bucket)];
  for (int i = 0; i < from.count; ++i) {
    if (!taken[i].is) continue;
    x.set(i, from.position[i] + taken[i].velocity * from.dt);
    v.set(i, taken[i].velocity);
  }
}

void ParticleObject::show_boundary(Boundary& boundary, std::int32_t object, double thickness,
                                   const PieceTraits& traits) {
  touches_ = true;
  number_points();
  struct Shown {
    std::int64_t id;
    int bucket, index;
  };
  std::vector<Shown> shown;
  for (int b = 0; b < particles_.buckets().local_count(); ++b)
    for (int i = 0; i < particles_.count(b); ++i)
      shown.push_back({static_cast<std::int64_t>(particles_.read(id_, b)[i]), b, i});
  std::sort(shown.begin(), shown.end(), [](const Shown& a, const Shown& b) { return a.id < b.id; });
  PieceTraits own = traits;
  if (!traits.self_contact) own.whole = 0;
  for (const Shown& p : shown) {
    const std::int64_t ids[] = {p.id};
    const Vec3d positions[] = {particles_.read(ParticleSystem::position, p.bucket)[p.index]};
    const double radii[] = {particles_.read(radius_, p.bucket)[p.index] + thickness / 2};
    boundary.add_points(object, ids, positions, radii, own);
  }
}

std::vector<double> ParticleObject::painted_boundary(std::string_view parameter) const {
  const auto channel = override_channel<double>(parameter);
  std::vector<std::pair<std::uint64_t, double>> values;
  for (int b = 0; b < particles_.buckets().local_count() && channel; ++b)
    for (int i = 0; i < particles_.count(b); ++i)
      values.emplace_back(particles_.read(id_, b)[i], particles_.read(*channel, b)[i]);
  std::sort(values.begin(), values.end());
  std::vector<double> by_id;
  for (const auto& [id, value] : values) by_id.push_back(value);
  return by_id;
}

void ParticleObject::move_boundary(int block, int, double dt, std::span<BoundaryVertex> vertices) const {
  const auto [bucket, i] = place_of(block);
  vertices[0].x = particles_.read(ParticleSystem::position, bucket)[i];
  vertices[0].way = particles_.read(velocity_, bucket)[i] * dt;
}

}  // namespace ymir
