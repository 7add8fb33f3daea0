#include "ymir/solids/remote_member.h"

namespace ymir {

void RemoteMember::Part::visit_blocks(const BlockVisitor& visit) const {
  for (std::size_t k = 0; k < pattern.size() / 2; ++k) visit(pattern[2 * k], pattern[2 * k + 1], values.data() + 9 * k);
}

void RemoteMember::read_structure(MessageReader& in) {
  settings_ = in.get<NewtonSettings>();
  pieces_ = in.get<int>();
  parts_.resize(in.get<std::size_t>());
  std::size_t slots = 0;
  for (auto& part : parts_) {
    part = std::make_unique<Part>();
    part->piece = in.get<std::int64_t>();
    part->node_count = in.get<std::int32_t>();
    part->saddle = in.get<bool>();
    part->used = in.get_list<std::int32_t>();
    part->pattern = in.get_list<std::int32_t>();
    part->values.resize(9 * part->pattern.size() / 2);
    part->first = slots;
    slots += 3 * static_cast<std::size_t>(part->node_count);
  }
  side_.assign(slots, 0);
  solution_.assign(slots, 0);
  first_.assign(1, 0);
  rows_.clear();
  for (int port = 0; port < ports_; ++port) {
    for (auto dofs = in.get<int>(); dofs > 0; --dofs) {
      const auto part = in.get<std::int64_t>();
      const auto slot = in.get<std::int32_t>();
      rows_.push_back(part < 0 ? -1 : static_cast<std::int64_t>(parts_[static_cast<std::size_t>(part)]->first) + slot);
    }
    first_.push_back(rows_.size());
  }
  forces_.assign(rows_.size(), {});
  pulls_.assign(static_cast<std::size_t>(ports_), {0, 0, 0});
  points_.resize(static_cast<std::size_t>(ports_));
}

void RemoteMember::read_points(MessageReader& in) {
  for (Embedding& p : points_) {
    p.position = in.get<Vec3d>();
    in.get(std::span<Vec3d>(p.frame));
    p.dofs = in.get<int>();
    in.get(std::span<Vec3d>(p.shift).first(static_cast<std::size_t>(p.dofs)));
    in.get(std::span<Vec3d>(p.turn).first(static_cast<std::size_t>(p.dofs)));
  }
}

void RemoteMember::read_matrix(MessageReader& in) {
  prepared_ = in.get<bool>();
  if (!prepared_) return;
  for (auto& part : parts_) in.get(std::span<double>(part->values));
  in.get(std::span<double>(side_));
}

void RemoteMember::read_step(MessageReader& in) {
  step_size_ = in.get<double>();
  reach_ = in.get<double>();
}

void RemoteMember::write_forces(MessageWriter& out) const {
  out.put(std::span<const Force>(forces_));
  out.put(std::span<const Vec3d>(pulls_));
}

void RemoteMember::forget_forces() {
  forces_.assign(forces_.size(), {});
  pulls_.assign(pulls_.size(), {0, 0, 0});
}

std::ptrdiff_t RemoteMember::row(int port, int local) const {
  return rows_[first_[static_cast<std::size_t>(port)] + static_cast<std::size_t>(local)];
}

void RemoteMember::add_force(int port, int local, double force, double stiffness) {
  Force& sum = forces_[first_[static_cast<std::size_t>(port)] + static_cast<std::size_t>(local)];
  sum.force += force;
  sum.stiffness += stiffness;
}

ClusterMember::Place RemoteMember::place_of(std::size_t row) const {
  std::size_t part = parts_.size() - 1;
  while (parts_[part]->first > row) --part;
  return {part, static_cast<std::int32_t>(row - parts_[part]->first)};
}

void RemoteMember::right_side(std::size_t part, double* b) {
  std::copy_n(side_.data() + parts_[part]->first, 3 * static_cast<std::size_t>(parts_[part]->node_count), b);
}

void RemoteMember::take(std::size_t part, const double* x) {
  std::copy_n(x, 3 * static_cast<std::size_t>(parts_[part]->node_count), solution_.data() + parts_[part]->first);
}

}  // namespace ymir
