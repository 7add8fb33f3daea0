#include "ymir/solids/cluster_member.h"

#include <algorithm>
#include <map>
#include <set>

#include "ymir/base/check.h"

namespace ymir {

int LocalMember::add_port(int place, const MaterialPoint& at) {
  ports_.push_back({place, at});
  return static_cast<int>(ports_.size()) - 1;
}

void LocalMember::begin(const Step& step) {
  block_->begin(step);
  choose_ports();
}

// A block that couplings touch in few places is condensed to them.
void LocalMember::choose_ports() {
  condensed_.reset();
  whole_.resize(block_->size());
  if (!block_->condensable() || ports_.empty()) return;
  std::map<std::int64_t, std::set<std::size_t>> rows;
  for (std::size_t p = 0; p < ports_.size(); ++p) {
    auto& own = rows[ports_[p].at.piece];
    const int dofs = point(static_cast<int>(p)).dofs;
    for (int local = 0; local < dofs; ++local)
      if (const auto at = row(static_cast<int>(p), local); at >= 0) own.insert(static_cast<std::size_t>(at));
  }
  std::vector<CondensedBlock::Ports> pieces;
  std::size_t total = 0;
  for (const auto& [piece, own] : rows) {
    if (own.size() > (block_->indefinite() ? CondensedBlock::most_ports_with_multipliers : CondensedBlock::most_ports))
      return;
    pieces.push_back({piece, {own.begin(), own.end()}});
    total += own.size();
  }
  if (2 * total > block_->size() && !block_->indefinite()) return;  // not worth it
  at_ports_.resize(total);
  condensed_.emplace(*block_, std::move(pieces));
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
  if (condensed_) return condensed_->condense(definite);
  if (definite && !block_->make_definite()) return false;
  block_->right_side(whole_.data());
  return true;
}

const MatrixPart& LocalMember::part(std::size_t part) const {
  return condensed_ ? static_cast<const MatrixPart&>(condensed_->matrix(part)) : *block_;
}

std::int64_t LocalMember::piece_of(std::size_t part) const {
  if (condensed_) return condensed_->pieces()[part].piece;
  std::int64_t first = ports_.empty() ? 0 : ports_[0].at.piece;
  for (const Port& port : ports_) first = std::min(first, port.at.piece);
  return first;
}

ClusterMember::Place LocalMember::place_of(std::size_t row) const {
  if (!condensed_) return {0, block_->slot(row)};
  const auto& pieces = condensed_->pieces();
  for (std::size_t part = 0; part < pieces.size(); ++part) {
    const auto& rows = pieces[part].rows;
    const auto found = std::lower_bound(rows.begin(), rows.end(), row);
    if (found != rows.end() && *found == row) return {part, static_cast<std::int32_t>(found - rows.begin())};
  }
  YMIR_CHECK(false);
  return {};
}

std::size_t LocalMember::first_port(std::size_t part) const {
  std::size_t first = 0;
  for (std::size_t p = 0; p < part; ++p) first += condensed_->pieces()[p].rows.size();
  return first;
}

void LocalMember::right_side(std::size_t part, double* b) {
  if (condensed_) {
    std::copy(condensed_->right_side(part).begin(), condensed_->right_side(part).end(), b);
    return;
  }
  for (std::size_t row = 0; row < whole_.size(); ++row) b[block_->slot(row)] = whole_[row];
}

void LocalMember::take(std::size_t part, const double* x) {
  if (condensed_) {
    std::copy_n(x, condensed_->pieces()[part].rows.size(), at_ports_.data() + first_port(part));
    return;
  }
  for (std::size_t row = 0; row < whole_.size(); ++row) whole_[row] = x[block_->slot(row)];
}

void LocalMember::set_step() {
  if (condensed_) condensed_->expand(at_ports_, whole_.data());
  block_->set_step(whole_.data());
}

}  // namespace ymir
