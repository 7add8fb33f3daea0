#include "ymir/solids/lent_member.h"

namespace ymir {

void LentMember::write_structure(MessageWriter& out) const {
  if (share_) return;
  out.put(member_.settings());
  out.put(member_.pieces());
  out.put(member_.parts());
  for (std::size_t p = 0; p < member_.parts(); ++p) {
    const MatrixPart& part = member_.part(p);
    out.put(member_.piece_of(p));
    out.put(part.nodes());
    out.put(part.indefinite());
    std::vector<std::int32_t> used, pattern;
    for (std::size_t row = 0; row < part.size(); ++row) used.push_back(part.slot(row));
    part.visit_blocks([&](std::int32_t i, std::int32_t j, const double*) { pattern.insert(pattern.end(), {i, j}); });
    out.put_list(used);
    out.put_list(pattern);
  }
  for (int port = 0; port < static_cast<int>(member_.ports()); ++port) {
    const int dofs = member_.point(port).dofs;
    out.put(dofs);
    for (int local = 0; local < dofs; ++local) {
      const std::ptrdiff_t row = member_.row(port, local);
      const auto at = row < 0 ? ClusterMember::Place{} : member_.place_of(static_cast<std::size_t>(row));
      out.put(row < 0 ? std::int64_t{-1} : static_cast<std::int64_t>(at.part));
      out.put(at.slot);
    }
  }
}

void LentMember::write_points(MessageWriter& out) const {
  if (share_) return;
  for (int port = 0; port < static_cast<int>(member_.ports()); ++port) {
    const Embedding p = member_.point(port);
    out.put(p.position);
    out.put(std::span<const Vec3d>(p.frame));
    out.put(p.dofs);
    out.put(std::span<const Vec3d>(p.shift).first(static_cast<std::size_t>(p.dofs)));
    out.put(std::span<const Vec3d>(p.turn).first(static_cast<std::size_t>(p.dofs)));
  }
}

void LentMember::write_matrix(MessageWriter& out, bool prepared) {
  out.put(prepared);
  if (!prepared || share_) return;
  for (std::size_t p = 0; p < member_.parts(); ++p)
    member_.part(p).visit_blocks(
        [&](std::int32_t, std::int32_t, const double* values) { out.put(std::span<const double>(values, 9)); });
  for (std::size_t p = 0; p < member_.parts(); ++p) {
    slots_.assign(3 * static_cast<std::size_t>(member_.part(p).nodes()), 0);
    member_.right_side(p, slots_.data());
    out.put(std::span<const double>(slots_));
  }
}

void LentMember::write_step(MessageWriter& out) const {
  out.put(member_.step_size());
  out.put(member_.reach());
}

void LentMember::read_forces(MessageReader& in) {
  for (int port = 0; port < static_cast<int>(member_.ports()); ++port) {
    const int dofs = member_.point(port).dofs;
    for (int local = 0; local < dofs; ++local) {
      const auto force = in.get<double>(), stiffness = in.get<double>();
      if (member_.row(port, local) >= 0) member_.add_force(port, local, force, stiffness);
    }
  }
  for (int port = 0; port < static_cast<int>(member_.ports()); ++port) member_.add_lever(port, in.get<Vec3d>());
}

void LentMember::read_solution(MessageReader& in) {
  for (std::size_t p = 0; p < member_.parts(); ++p) {
    slots_.resize(3 * static_cast<std::size_t>(member_.part(p).nodes()));
    in.get(std::span<double>(slots_));
    member_.take(p, slots_.data());
  }
}

}  // namespace ymir
