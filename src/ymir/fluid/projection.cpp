#include "ymir/fluid/projection.h"

#include <algorithm>
#include <cmath>

namespace ymir {
namespace {

constexpr int n = GasGrid::side;
constexpr auto fluid = static_cast<std::uint8_t>(CellKind::fluid);

// Rows of a tile and of its lower and upper neighbours along each axis, as plain pointers.
template <class T>
struct Rows {
  TileRows<T, n> tile;
  const T* row(int j, int k) const { return tile.centre + TileRows<T, n>::at(j, k); }
  const T* low(int axis, int j, int k) const {  // axis 1 or 2
    if (axis == 1) return j > 0 ? row(j - 1, k) : tile.face[2] + TileRows<T, n>::at(n - 1, k);
    return k > 0 ? row(j, k - 1) : tile.face[4] + TileRows<T, n>::at(j, n - 1);
  }
  const T* high(int axis, int j, int k) const {
    if (axis == 1) return j < n - 1 ? row(j + 1, k) : tile.face[3] + TileRows<T, n>::at(0, k);
    return k < n - 1 ? row(j, k + 1) : tile.face[5] + TileRows<T, n>::at(j, 0);
  }
  T before(int j, int k) const { return tile.face[0][TileRows<T, n>::at(j, k) + n - 1]; }
  T after(int j, int k) const { return tile.face[1][TileRows<T, n>::at(j, k)]; }
};

// Net outflow of the cells of a row [m/s].
struct Outflow {
  Rows<float> u[3], w[3], us[3], pores[3], flow[3];
  bool porous = false;

  template <class Reader>
  void set(Rows<float> (&to)[3], const Reader& reader, int t) {
    for (int c = 0; c < 3; ++c) to[c] = {reader.template rows<n>(t, c)};
  }
  // Volume that flows through a face per area and time; `at` picks a value of rows.
  template <class At>
  double flux(int axis, At&& at) const {
    const auto value = [&](const Rows<float>& rows) { return static_cast<double>(at(rows)); };
    const double open = value(w[axis]), gas = value(u[axis]);
    const double through = porous ? value(pores[axis]) * gas + value(flow[axis]) : gas;
    return open * through + (1 - open) * value(us[axis]);
  }
  void row(int j, int k, double* out) const {
    double x[n + 1];
    for (int i = 0; i < n; ++i) x[i] = flux(0, [&](const Rows<float>& r) { return r.row(j, k)[i]; });
    x[n] = flux(0, [&](const Rows<float>& r) { return r.after(j, k); });
    for (int i = 0; i < n; ++i) out[i] = x[i + 1] - x[i];
    for (int axis = 1; axis < 3; ++axis)
      for (int i = 0; i < n; ++i)
        out[i] += flux(axis, [&](const Rows<float>& r) { return r.high(axis, j, k)[i]; }) -
                  flux(axis, [&](const Rows<float>& r) { return r.row(j, k)[i]; });
  }
};

}  // namespace

Projection::Projection(GasGrid& grid) : grid_(&grid), solver_(grid.volume()) {
  potential_ = grid.volume().add_channel<double>("potential", {n});
  rhs_ = grid.volume().add_channel<double>("divergence", {n, Sampling::cell, 0.0, 1, true});
}

void Projection::set_porous(const Porous& porous) {
  porous_ = porous;
  coefficient_ = grid_->volume().add_channel<float>("coefficient", {n, Sampling::face, 0.0f, 3, true});
}

void Projection::make_coefficient() {
  DiscreteVolume& volume = grid_->volume();
  auto open = read(volume, grid_->open);
  auto pores = read(volume, porous_->pores);
  auto mobility = read(volume, porous_->mobility);
  auto out = write(volume, coefficient_);
  for_each_bucket(volume.buckets(), open, pores, mobility, out, [&](int t) {
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < GasGrid::voxels; ++i)
        out.tile(t, c)[i] = open.tile(t, c)[i] * (pores.tile(t, c)[i] + mobility.tile(t, c)[i]);
  });
}

ProjectionReport Projection::project(ChannelId<float> velocity, double dt, const PoissonOptions& options) {
  if (porous_) make_coefficient();
  const ChannelId<float> c = porous_ ? coefficient_ : grid_->open;
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
  } else {
    report.solve = solver_.solve(rhs_, potential_, options);
  }
  correct(velocity);
  if (porous_) correct_flow();
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
  auto pores = read(volume, porous_ ? porous_->pores : velocity, Stencil::faces);
  auto flow = read(volume, porous_ ? porous_->flow : velocity, Stencil::faces);
  for_each_bucket(volume.buckets(), u, w, us, cell, s, pores, flow, [&](int t) {
    if (!grid_->holds_gas(t)) {
      body(t, nullptr);
      return;
    }
    Outflow outflow;
    outflow.porous = porous_.has_value();
    outflow.set(outflow.u, u, t);
    outflow.set(outflow.w, w, t);
    outflow.set(outflow.us, us, t);
    outflow.set(outflow.pores, pores, t);
    outflow.set(outflow.flow, flow, t);
    double net[GasGrid::voxels];
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) {
        const int at = TileRows<float, n>::at(j, k);
        outflow.row(j, k, net + at);
        const std::uint8_t* kind = cell.tile(t) + at;
        for (int i = 0; i < n; ++i) {
          const double source = source_.valid() ? h * static_cast<double>(s.tile(t)[at + i]) : 0;
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
    const Rows<double> qs{q.template rows<n>(t)};
    const Rows<std::uint8_t> kinds{cell.template rows<n>(t)};
    for (int axis = 0; axis < 3; ++axis) {
      float* to = u.tile(t, axis);
      const float *open = w.tile(t, axis), *solid = us.tile(t, axis);
      const auto ambient = static_cast<float>(background[static_cast<std::size_t>(axis)]);
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j) {
          const int at = TileRows<float, n>::at(j, k);
          const double* at_cell = qs.row(j, k);
          const std::uint8_t* kind = kinds.row(j, k);
          double low[n];
          std::uint8_t low_kind[n];
          if (axis == 0) {
            low[0] = qs.before(j, k);
            low_kind[0] = kinds.before(j, k);
            std::copy_n(at_cell, n - 1, low + 1);
            std::copy_n(kind, n - 1, low_kind + 1);
          } else {
            std::copy_n(qs.low(axis, j, k), n, low);
            std::copy_n(kinds.low(axis, j, k), n, low_kind);
          }
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

// What moves with the objects gives way as they do.
void Projection::correct_flow() {
  DiscreteVolume& volume = grid_->volume();
  const double inverse = 1 / grid_->voxel();
  constexpr int stride[3] = {1, n, n * n};
  auto q = read(volume, potential_, Stencil::faces);
  auto mobility = read(volume, porous_->mobility);
  auto flow = read_write(volume, porous_->flow);
  for_each_bucket(volume.buckets(), q, mobility, flow, [&](int t) {
    const double* own = q.tile(t);
    for (int axis = 0; axis < 3; ++axis) {
      const int below =
          volume.buckets().neighbours(t)[static_cast<std::size_t>(face_directions[static_cast<std::size_t>(2 * axis)])];
      const double* lower = q.tile(below) + (n - 1) * stride[axis];
      for (int i = 0; i < GasGrid::voxels; ++i) {
        const float m = mobility.tile(t, axis)[i];
        if (m == 0) continue;
        const double low = i / stride[axis] % n > 0 ? own[i - stride[axis]] : lower[i];
        flow.tile(t, axis)[i] -= m * static_cast<float>((own[i] - low) * inverse);
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
