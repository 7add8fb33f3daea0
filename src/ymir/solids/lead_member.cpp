#include "ymir/solids/lead_member.h"

#include <algorithm>

namespace ymir {

Correspondent& LeadMember::add_share() { return *shares_.emplace_back(std::make_unique<Share>(*this)); }

LeadMember::PortForces& LeadMember::forces(int port) {
  forces_.resize(ports());
  PortForces& own = forces_[static_cast<std::size_t>(port)];
  own.rows.resize(2 * static_cast<std::size_t>(point(port).dofs));
  return own;
}

void LeadMember::forget_forces() { forces_.clear(); }

void LeadMember::add_force(int port, int local, double force, double stiffness) {
  LocalMember::add_force(port, local, force, stiffness);
  double* row = forces(port).rows.data() + 2 * static_cast<std::size_t>(local);
  row[0] += force;
  row[1] += stiffness;
}

void LeadMember::add_lever(int port, Vec3d pull) {
  LocalMember::add_lever(port, pull);
  forces(port).pull += pull;
}

double LeadMember::residual(double violation) {
  double worst = LocalMember::residual(violation);
  for (const auto& share : shares_) worst = worse(worst, share->residual);
  return worst;
}

double LeadMember::reach() const {
  double least = LocalMember::reach();
  for (const auto& share : shares_) least = std::min(least, share->reach);
  return least;
}

void LeadMember::Share::read_step(MessageReader& in) {
  in.get<double>();  // its size is known here
  reach = in.get<double>();
}

void LeadMember::Share::write_forces(MessageWriter& out) const {
  for (const PortForces& port : lead_->forces_) out.put(std::span<const double>(port.rows));
  for (const PortForces& port : lead_->forces_) out.put(port.pull);
}

void LeadMember::Share::write_solution(MessageWriter& out) const { out.put(lead_->solution()); }

}  // namespace ymir
