#include "ymir/solids/cluster_member.h"

#include <algorithm>
#include <map>
#include <set>

namespace ymir {

int LocalMember::add_port(int place, const MaterialPoint& at) {
  ports_.push_back({place, at});
  return static_cast<int>(ports_.size()) - 1;
}

void LocalMember::begin(const Step& step) {
  block_->begin(step);
  side_.resize(block_->size());
  matrix_.emplace(*block_, port_rows());
}

std::vector<CondensedBlock::Ports> LocalMember::port_rows() const {
  std::map<std::int64_t, std::set<std::size_t>> rows;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    auto& own = rows[ports_[p].at.piece];
    const int dofs = point(static_cast<int>(p)).dofs;
    for (int local = 0; local < dofs; ++local)
      if (const auto at = row(static_cast<int>(p), local); at >= 0) own.insert(static_cast<std::size_t>(at));
  }
  std::vector<CondensedBlock::Ports> pieces;
  for (const auto& [piece, own] : rows) pieces.push_back({piece, {own.begin(), own.end()}});
  return pieces;
}

Embedding LocalMember::point(int port) const {
  const Port& p = ports_[static_cast<std::size_t>(port)];
  return block_->embedded(p.place, p.at);
}

std::ptrdiff_t LocalMember::row(int port, int local) const {
  const Port& p = ports_[static_cast<std::size_t>(port)];
  return block_->row(p.place, p.at, local);
}

void LocalMember::add_force(int port, int local, double force, double stiffness) {
  block_->add_force(static_cast<std::size_t>(row(port, local)), force, stiffness);
}

void LocalMember::add_lever(int port, Vec3d pull) {
  const Port& p = ports_[static_cast<std::size_t>(port)];
  block_->add_lever(p.place, p.at, pull);
}

bool LocalMember::prepare(bool definite) {
  if (matrix_->condensed() ? !matrix_->condense(definite) : definite && !block_->make_definite()) return false;
  set_side();
  return true;
}

void LocalMember::set_side() {
  block_->right_side(side_.data());
  matrix_->set_side(side_.data());
}

void LocalMember::set_step() {
  matrix_->expand();
  block_->set_step(matrix_->whole().data());
}

}  // namespace ymir
