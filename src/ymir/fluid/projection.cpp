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

// Volume that flows through a face per area and time.
inline double flux(float w, float u, float us) {
  const auto open = static_cast<double>(w);
  return open * static_cast<double>(u) + (1 - open) * static_cast<double>(us);
}

// Net outflow of the cells of a row [m/s].
struct Outflow {
  Rows<float> u[3], w[3], us[3];

  template <class Reader>
  static Outflow of(const Reader& velocity, const Reader& open, const Reader& solid, int t) {
    Outflow o;
    for (int c = 0; c < 3; ++c) {
      o.u[c] = {velocity.template rows<n>(t, c)};
      o.w[c] = {open.template rows<n>(t, c)};
      o.us[c] = {solid.template rows<n>(t, c)};
    }
    return o;
  }
  void row(int j, int k, double* out) const {
    const float *ux = u[0].row(j, k), *wx = w[0].row(j, k), *sx = us[0].row(j, k);
    double x[n + 1];
    for (int i = 0; i < n; ++i) x[i] = flux(wx[i], ux[i], sx[i]);
    x[n] = flux(w[0].after(j, k), u[0].after(j, k), us[0].after(j, k));
    for (int i = 0; i < n; ++i) out[i] = x[i + 1] - x[i];
    for (int axis = 1; axis < 3; ++axis) {
      const float *u0 = u[axis].row(j, k), *w0 = w[axis].row(j, k), *s0 = us[axis].row(j, k);
      const float *u1 = u[axis].high(axis, j, k), *w1 = w[axis].high(axis, j, k), *s1 = us[axis].high(axis, j, k);
      for (int i = 0; i < n; ++i) out[i] += flux(w1[i], u1[i], s1[i]) - flux(w0[i], u0[i], s0[i]);
    }
  }
};

}  // namespace

Projection::Projection(GasGrid& grid) : grid_(&grid), solver_(grid.volume()) {
  potential_ = grid.volume().add_channel<double>("potential", {n});
  rhs_ = grid.volume().add_channel<double>("divergence", {n, Sampling::cell, 0.0, 1, true});
}

ProjectionReport Projection::project(ChannelId<float> velocity, double dt, const PoissonOptions& options) {
  if (stale_) {
    solver_.set_matrix(coefficient_.valid() ? coefficient_ : grid_->open, grid_->cell);
    stale_ = false;
  }
  make_rhs(velocity);
  ProjectionReport report;
  report.solve = solver_.solve(rhs_, potential_, options);
  correct(velocity);
  report.divergence = largest_divergence(velocity) * dt;
  return report;
}

void Projection::make_rhs(ChannelId<float> velocity) {
  DiscreteVolume& volume = grid_->volume();
  const double h = grid_->voxel();
  auto u = read(volume, velocity, Stencil::faces);
  auto w = read(volume, grid_->open, Stencil::faces);
  auto us = read(volume, grid_->solid_velocity, Stencil::faces);
  auto cell = read(volume, grid_->cell);
  auto s = read(volume, source_.valid() ? source_ : velocity);
  auto b = write(volume, rhs_);
  for_each_bucket(volume.buckets(), u, w, us, cell, s, b, [&](int t) {
    if (!grid_->holds_gas(t)) {
      std::fill_n(b.tile(t), GasGrid::voxels, 0.0);
      return;
    }
    const Outflow outflow = Outflow::of(u, w, us, t);
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) {
        const int at = TileRows<float, n>::at(j, k);
        double out[n];
        outflow.row(j, k, out);
        const std::uint8_t* kind = cell.tile(t) + at;
        for (int i = 0; i < n; ++i) {
          const double source = source_.valid() ? h * h * static_cast<double>(s.tile(t)[at + i]) : 0;
          b.tile(t)[at + i] = kind[i] == fluid ? source - h * out[i] : 0;
        }
      }
  });
}

void Projection::correct(ChannelId<float> velocity) {
  DiscreteVolume& volume = grid_->volume();
  const double inverse = 1 / grid_->voxel();
  const auto& background = volume.channel(velocity.index).background;
  auto q = read(volume, potential_, Stencil::faces);
  auto cell = read(volume, grid_->cell, Stencil::faces);
  auto w = read(volume, grid_->open);
  auto c = read(volume, coefficient_.valid() ? coefficient_ : grid_->open);
  auto us = read(volume, grid_->solid_velocity);
  auto u = read_write(volume, velocity);
  for_each_bucket(volume.buckets(), q, cell, w, c, us, u, [&](int t) {
    const Rows<double> qs{q.template rows<n>(t)};
    const Rows<std::uint8_t> kinds{cell.template rows<n>(t)};
    for (int axis = 0; axis < 3; ++axis) {
      float* to = u.tile(t, axis);
      const float *open = w.tile(t, axis), *solid = us.tile(t, axis), *share = c.tile(t, axis);
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
            // The coefficient is w beta; beta alone moves the gas.
            const auto beta = static_cast<double>(open[at + i] > 0 ? share[at + i] / open[at + i] : 0.0f);
            const auto moved =
                static_cast<float>(static_cast<double>(to[at + i]) - beta * (at_cell[i] - low[i]) * inverse);
            const bool beside = kind[i] == fluid || low_kind[i] == fluid;
            to[at + i] = open[at + i] > 0 ? (beside ? moved : ambient) : solid[at + i];
          }
        }
    }
  });
}

double Projection::largest_divergence(ChannelId<float> velocity) {
  DiscreteVolume& volume = grid_->volume();
  auto u = read(volume, velocity, Stencil::faces);
  auto w = read(volume, grid_->open, Stencil::faces);
  auto us = read(volume, grid_->solid_velocity, Stencil::faces);
  auto cell = read(volume, grid_->cell);
  auto s = read(volume, source_.valid() ? source_ : velocity);
  std::vector<double> largest(static_cast<std::size_t>(volume.buckets().local_count()), 0);
  const double h = grid_->voxel();
  for_each_bucket(volume.buckets(), u, w, us, cell, s, [&](int t) {
    if (!grid_->holds_gas(t)) return;
    const Outflow outflow = Outflow::of(u, w, us, t);
    double most = 0;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) {
        const int at = TileRows<float, n>::at(j, k);
        double out[n];
        outflow.row(j, k, out);
        const std::uint8_t* kind = cell.tile(t) + at;
        for (int i = 0; i < n; ++i) {
          const double source = source_.valid() ? h * static_cast<double>(s.tile(t)[at + i]) : 0;
          if (kind[i] == fluid) most = std::max(most, std::abs(out[i] - source));
        }
      }
    largest[static_cast<std::size_t>(t)] = most;
  });
  const double local = largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end());
  return grid_->domain().communicator().max(local) / h;
}

}  // namespace ymir
