#include "ymir/fluid/projection.h"

#include <algorithm>
#include <cmath>

#include "ymir/fluid/face_rows.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;
constexpr auto fluid = static_cast<std::uint8_t>(CellKind::fluid);

// Volume that flows through faces per area and time [m/s].
struct Flux {
  FaceTile<float> u, w, us, pores, flow;
  bool porous;

  template <class At>
  double operator()(int axis, At&& at) const {
    const auto value = [&](const FaceTile<float>& tile) { return static_cast<double>(at(tile.axis[axis])); };
    const double open = value(w), gas = value(u);
    const double through = porous ? value(pores) * gas + value(flow) : gas;
    return open * through + (1 - open) * value(us);
  }
};

}  // namespace

Projection::Projection(GasGrid& grid) : grid_(&grid), solver_(grid.volume()) {
  potential_ = grid.volume().add_channel<double>("potential", {n});
  rhs_ = grid.volume().add_channel<double>("divergence", {n, Sampling::cell, 0.0, 1, true});
}

void Projection::set_porous(const Porous& porous) {
  objects_ = porous;
  porous_ = std::make_unique<PorousPressure>(*grid_, solver_, porous);
}

ProjectionReport Projection::project(ChannelId<float> velocity, double dt, const PoissonOptions& options) {
  const ChannelId<float> c = porous_ ? porous_->make_coefficient() : grid_->open;
  const bool may_leave = grid_->non_stick.valid();
  if (!may_leave && (stale_ || porous_)) {
    solver_.set_matrix(c, grid_->cell);
    stale_ = false;
  }
  make_rhs(velocity);
  ProjectionReport report;
  if (may_leave) {
    if (!lcp_) lcp_ = std::make_unique<PcLcp>(grid_->volume(), solver_);
    report.solve = lcp_->solve(c, grid_->cell, grid_->non_stick, rhs_, potential_, options).solve;
    if (porous_) porous_->take_lumped(potential_);
  } else if (porous_) {
    report.solve = porous_->solve(rhs_, potential_, options);
    report.compliant = porous_->iterations();
  } else {
    report.solve = solver_.solve(rhs_, potential_, options);
  }
  correct(velocity);
  if (porous_) porous_->correct_flow();
  report.divergence = largest_divergence(velocity) * dt;
  return report;
}

// body(tile, net) for every tile: what leaves each cell of gas beyond what its source gives [m/s], 0 in other cells;
// nullptr for tiles without gas.
template <class F>
void Projection::for_net_outflow(ChannelId<float> velocity, F&& body) {
  DiscreteVolume& volume = grid_->volume();
  const double h = grid_->voxel();
  auto u = read(volume, velocity, Stencil::faces);
  auto w = read(volume, grid_->open, Stencil::faces);
  auto us = read(volume, grid_->solid_velocity, Stencil::faces);
  auto cell = read(volume, grid_->cell);
  auto s = read(volume, source_.valid() ? source_ : velocity);
  auto growth = read(volume, grid_->wall_growth.valid() ? grid_->wall_growth : velocity);
  auto pores = read(volume, porous_ ? objects_.pores : velocity, Stencil::faces);
  auto flow = read(volume, porous_ ? objects_.flow : velocity, Stencil::faces);
  for_each_bucket(volume.buckets(), u, w, us, cell, s, growth, pores, flow, [&](int t) {
    if (!grid_->holds_gas(t)) {
      body(t, nullptr);
      return;
    }
    const Flux flux{{u, t}, {w, t}, {us, t}, {pores, t}, {flow, t}, porous_ != nullptr};
    double net[GasGrid::voxels];
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) {
        const int at = FaceRows<float>::at(j, k);
        net_outflow(j, k, flux, net + at);
        const std::uint8_t* kind = cell.tile(t) + at;
        for (int i = 0; i < n; ++i) {
          double source = source_.valid() ? h * static_cast<double>(s.tile(t)[at + i]) : 0;
          if (grid_->wall_growth.valid()) source += h * static_cast<double>(growth.tile(t)[at + i]);
          net[at + i] = kind[i] == fluid ? net[at + i] - source : 0;
        }
      }
    body(t, net);
  });
}

void Projection::make_rhs(ChannelId<float> velocity) {
  const double h = grid_->voxel();
  double* b = grid_->volume().write_tiles(rhs_, 0, true);
  for_net_outflow(velocity, [&](int t, const double* net) {
    double* to = b + std::ptrdiff_t{t} * GasGrid::voxels;
    for (int i = 0; i < GasGrid::voxels; ++i) to[i] = net != nullptr ? -h * net[i] : 0;
  });
}

void Projection::correct(ChannelId<float> velocity) {
  DiscreteVolume& volume = grid_->volume();
  const double inverse = 1 / grid_->voxel();
  const auto& background = volume.channel(velocity.index).background;
  auto q = read(volume, potential_, Stencil::faces);
  auto cell = read(volume, grid_->cell, Stencil::faces);
  auto w = read(volume, grid_->open);
  auto us = read(volume, grid_->solid_velocity);
  auto u = read_write(volume, velocity);
  for_each_bucket(volume.buckets(), q, cell, w, us, u, [&](int t) {
    const FaceRows<double> qs{q.template rows<n>(t)};
    const FaceRows<std::uint8_t> kinds{cell.template rows<n>(t)};
    for (int axis = 0; axis < 3; ++axis) {
      float* to = u.tile(t, axis);
      const float *open = w.tile(t, axis), *solid = us.tile(t, axis);
      const auto ambient = static_cast<float>(background[static_cast<std::size_t>(axis)]);
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j) {
          const int at = FaceRows<float>::at(j, k);
          const double* at_cell = qs.row(j, k);
          const std::uint8_t* kind = kinds.row(j, k);
          double low[n];
          std::uint8_t low_kind[n];
          qs.copy_low(axis, j, k, low);
          kinds.copy_low(axis, j, k, low_kind);
          for (int i = 0; i < n; ++i) {
            const double slope = (at_cell[i] - low[i]) * inverse;
            const auto moved = static_cast<float>(static_cast<double>(to[at + i]) - slope);
            const bool beside = kind[i] == fluid || low_kind[i] == fluid;
            to[at + i] = open[at + i] > 0 ? (beside ? moved : ambient) : solid[at + i];
          }
        }
    }
  });
}

double Projection::largest_divergence(ChannelId<float> velocity) {
  const DiscreteVolume& volume = grid_->volume();
  std::vector<double> largest(static_cast<std::size_t>(volume.buckets().local_count()), 0);
  const bool may_leave = grid_->non_stick.valid();
  const std::uint8_t* bounded = may_leave ? volume.tiles(grid_->non_stick) : nullptr;
  for_net_outflow(velocity, [&](int t, const double* net) {
    double most = 0;
    for (int i = 0; net != nullptr && i < GasGrid::voxels; ++i) {
      const bool gap = may_leave && bounded[std::ptrdiff_t{t} * GasGrid::voxels + i] != 0 && net[i] > 0;
      if (!gap) most = std::max(most, std::abs(net[i]));
    }
    largest[static_cast<std::size_t>(t)] = most;
  });
  const double local = largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end());
  return grid_->domain().communicator().max(local) / grid_->voxel();
}

}  // namespace ymir
