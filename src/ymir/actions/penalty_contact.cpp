#include "ymir/actions/penalty_contact.h"

namespace ymir {
namespace {

constexpr double stick = 0.1;  // stiffness of sticking by that of the contact

// Gradient, and the matrix stiffness n n' + hold (I - n n').
void add_to(StrandStep& s, int i, int lane, Vec3d n, Vec3d gradient, double stiffness, double hold) {
  const int column = (s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth) + 1;
  const int row = s.multipliers ? MultiplierLayout::row(i, 0) : PlainLayout::row(i, 0);
  const auto at = [lane](StrandReal* values, int k) -> double& {
    return reinterpret_cast<double*>(values)[k * StrandSystem::lanes + lane];
  };
  for (int a = 0; a < 3; ++a) {
    at(s.residual, row + a) += gradient[a];
    for (int b = 0; b <= a; ++b) {
      const double value = (stiffness - hold) * n[a] * n[b] + (a == b ? hold : 0);
      at(s.matrix, (row + b) * column + a - b) += value;
      if (a == b) at(s.scale, row + a) += value;
    }
  }
}

}  // namespace

PenaltyChannels PenaltyChannels::of(CurvesObject& curves) {
  return {curves.rod_channels().mass, curves.painted_channel("strand_stiffness"), curves.painted_channel("friction"),
          curves.painted_channel("strand_thickness")};
}

PenaltyContact::PenaltyContact(const StrandSystem& strands, int group, const PenaltyChannels& channels,
                               const PenaltyParams& params)
    : params_(params) {
  const auto plane = [&](int channel) { return channel >= 0 ? strands.plane(group, channel) : nullptr; };
  mass_ = plane(channels.mass);
  stiffness_ = plane(channels.stiffness);
  friction_ = plane(channels.friction);
  thickness_ = plane(channels.thickness);
}

void PenaltyContact::add(StrandStep& s, int i, int lane, double depth, Vec3d normal, Vec3d moved) const {
  const auto value = [&](const StrandReal* painted, double plain) {
    return painted != nullptr ? painted[i][lane] : plain;
  };
  const double k = value(stiffness_, params_.stiffness) * mass_[i][lane] / (s.dt * s.dt);
  const double h = value(thickness_, params_.thickness);
  const bool grazing = depth < h;
  const double force = grazing ? k * depth * depth / (2 * h) : k * (depth - h / 2);
  // Sticking is a spring, softer than the contact; sliding pulls with mu N against the slip.
  const Vec3d slip = moved - normal * dot(moved, normal);
  const double length = norm(slip), spring = stick * k, limit = value(friction_, params_.friction) * force;
  const double hold = length * spring > limit ? limit / length : spring;
  add_to(s, i, lane, normal, normal * -force + slip * hold, grazing ? k * depth / h : k, hold);
}

}  // namespace ymir
