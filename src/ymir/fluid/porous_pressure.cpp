#include "ymir/fluid/porous_pressure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/fluid/face_rows.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;
constexpr auto fluid = static_cast<std::uint8_t>(CellKind::fluid);
// m/e up to which a solve of the lumped matrix comes first: it leaves about this share of the residual.
constexpr double heavy = 0.1;
// Of solves of the lumped matrix as a preconditioner: mostly one cycle, and more of them do not spare iterations.
constexpr double inner_tolerance = 0.1;

struct Pair {
  double first = 0, second = 0;
  Pair& operator+=(const Pair& other) {
    first += other.first;
    second += other.second;
    return *this;
  }
};

const double* tile_of(const DiscreteVolume& volume, ChannelId<double> id, int t) {
  return volume.tiles(id) + std::ptrdiff_t{t} * GasGrid::voxels;
}

double product_of(const double* a, const double* b) {
  double sum[n] = {};
  for (int i = 0; i < GasGrid::voxels; i += n)
    for (int lane = 0; lane < n; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

double dot(const DiscreteVolume& volume, ChannelId<double> a, ChannelId<double> b) {
  return sum_over_buckets<double>(volume.buckets(),
                                  [&](int t) { return product_of(tile_of(volume, a, t), tile_of(volume, b, t)); });
}

// to += factor x
void add(DiscreteVolume& volume, ChannelId<double> to, double factor, ChannelId<double> x) {
  auto out = read_write(volume, to);
  auto in = read(volume, x);
  for_each_bucket(volume.buckets(), out, in, [&](int t) {
    for (int i = 0; i < GasGrid::voxels; ++i) out.tile(t)[i] += factor * in.tile(t)[i];
  });
}

// to = x + factor to
void turn(DiscreteVolume& volume, ChannelId<double> to, double factor, ChannelId<double> x) {
  auto out = read_write(volume, to);
  auto in = read(volume, x);
  for_each_bucket(volume.buckets(), out, in, [&](int t) {
    for (int i = 0; i < GasGrid::voxels; ++i)
      out.tile(t)[i] = factor == 0 ? in.tile(t)[i] : in.tile(t)[i] + factor * out.tile(t)[i];
  });
}

void clear(DiscreteVolume& volume, ChannelId<double> id) {
  auto out = write(volume, id);
  const int components = volume.channel(id.index).components;
  for_each_bucket(volume.buckets(), out, [&](int t) {
    for (int c = 0; c < components; ++c) std::fill_n(out.tile(t, c), GasGrid::voxels, 0.0);
  });
}

}  // namespace

PorousPressure::PorousPressure(GasGrid& grid, PressureSolver& solver, Porous porous)
    : grid_(&grid), solver_(&solver), porous_(std::move(porous)) {
  DiscreteVolume& volume = grid.volume();
  coefficient_ = volume.add_channel<float>("coefficient", {n, Sampling::face, 0.0f, 3, true});
  slope_ = volume.add_channel<double>("slope", {n, Sampling::face, 0.0, 3, true});
  if (!porous_.give_way) return;
  loss_ = volume.add_channel<double>("loss", {n, Sampling::face, 0.0, 3, true});
  const ChannelOptions<double> cells{n, Sampling::cell, 0.0, 1, true};
  residual_ = volume.add_channel<double>("porous_residual", cells);
  z_ = volume.add_channel<double>("porous_step", cells);
  direction_ = volume.add_channel<double>("porous_direction", cells);
  product_ = volume.add_channel<double>("porous_product", cells);
}

ChannelId<float> PorousPressure::make_coefficient() {
  DiscreteVolume& volume = grid_->volume();
  const auto tiles = static_cast<std::size_t>(volume.buckets().local_count());
  mobility_in_.assign(tiles, 0);
  lightness_in_.assign(tiles, 0);
  auto open = read(volume, grid_->open);
  auto pores = read(volume, porous_.pores);
  auto mobility = read(volume, porous_.mobility);
  auto out = write(volume, coefficient_);
  for_each_bucket(volume.buckets(), open, pores, mobility, out, [&](int t) {
    float most = 0, lightest = 0;
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < GasGrid::voxels; ++i) {
        const float w = open.tile(t, c)[i], e = pores.tile(t, c)[i], m = mobility.tile(t, c)[i];
        out.tile(t, c)[i] = w * (e + m);
        most = std::max(most, w * m);
        lightest = std::max(lightest, w > 0 ? m / e : 0);
      }
    mobility_in_[static_cast<std::size_t>(t)] = static_cast<double>(most);
    lightness_in_[static_cast<std::size_t>(t)] = static_cast<double>(lightest);
  });
  const auto largest = [&](const std::vector<double>& values) {
    return grid_->domain().communicator().max(values.empty() ? 0 : *std::max_element(values.begin(), values.end()));
  };
  mobility_ = largest(mobility_in_);
  lightness_ = largest(lightness_in_);
  return coefficient_;
}

// --- the operator

void PorousPressure::take_slope(ChannelId<double> x) {
  DiscreteVolume& volume = grid_->volume();
  const double inverse = 1 / grid_->voxel();
  auto q = read(volume, x, Stencil::faces);
  auto w = read(volume, grid_->open);
  auto out = write(volume, slope_);
  for_each_bucket(volume.buckets(), q, w, out, [&](int t) {
    const FaceRows<double> rows{q.template rows<n>(t)};
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j) {
          const int at = FaceRows<double>::at(j, k);
          double low[n];
          rows.copy_low(axis, j, k, low);
          const double* at_cell = rows.row(j, k);
          const float* open = w.tile(t, axis) + at;
          double* to = out.tile(t, axis) + at;
          for (int i = 0; i < n; ++i) to[i] = static_cast<double>(open[i]) * ((at_cell[i] - low[i]) * inverse);
        }
  });
  lumped_ = true;
}

void PorousPressure::apply(ChannelId<double> x, ChannelId<double> y) {
  DiscreteVolume& volume = grid_->volume();
  take_slope(x);
  clear(volume, loss_);
  porous_.give_way(slope_, loss_);
  lumped_ = false;
  const double h = grid_->voxel();
  auto slope = read(volume, slope_, Stencil::faces);
  auto loss = read(volume, loss_, Stencil::faces);
  auto open = read(volume, grid_->open, Stencil::faces);
  auto pores = read(volume, porous_.pores, Stencil::faces);
  auto cell = read(volume, grid_->cell);
  auto out = write(volume, y);
  for_each_bucket(volume.buckets(), slope, loss, open, pores, cell, out, [&](int t) {
    double* to = out.tile(t);
    if (!grid_->holds_gas(t)) {
      std::fill_n(to, GasGrid::voxels, 0.0);
      return;
    }
    const FaceTile<double> s(slope, t), c(loss, t);
    const FaceTile<float> w(open, t), e(pores, t);
    const auto flux = [&](int axis, auto&& at) {
      return static_cast<double>(at(e.axis[axis])) * at(s.axis[axis]) +
             static_cast<double>(at(w.axis[axis])) * at(c.axis[axis]);
    };
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) {
        const int at = FaceRows<double>::at(j, k);
        double net[n];
        net_outflow(j, k, flux, net);
        for (int i = 0; i < n; ++i) to[at + i] = cell.tile(t)[at + i] == fluid ? -h * net[i] : 0;
      }
  });
}

// Of |A q - A_lumped q|. What differs on faces is diag(w m) - w C w, which is between 0 and diag(w m) and so makes at
// most sqrt(max(w m) sum w m g^2) of g; a cell has six faces, and a face two cells.
double PorousPressure::most_left_by_lumping() {
  const DiscreteVolume& volume = grid_->volume();
  const double sum = sum_over_buckets<double>(volume.buckets(), [&](int t) {
    double in_tile = 0;
    if (mobility_in_[static_cast<std::size_t>(t)] == 0) return in_tile;
    for (int c = 0; c < 3; ++c) {
      const std::ptrdiff_t first = std::ptrdiff_t{t} * GasGrid::voxels;
      const double* slope = volume.tiles(slope_, c) + first;
      const float *open = volume.tiles(grid_->open, c) + first, *mobility = volume.tiles(porous_.mobility, c) + first;
      for (int i = 0; i < GasGrid::voxels; ++i)
        if (open[i] > 0) in_tile += static_cast<double>(mobility[i] / open[i]) * slope[i] * slope[i];
    }
    return in_tile;
  });
  return grid_->voxel() * std::sqrt(12 * mobility_ * sum);
}

// --- the solution

void PorousPressure::clear_outside(ChannelId<double> q) {
  DiscreteVolume& volume = grid_->volume();
  auto cell = read(volume, grid_->cell);
  auto out = read_write(volume, q);
  for_each_bucket(volume.buckets(), cell, out, [&](int t) {
    for (int i = 0; i < GasGrid::voxels; ++i)
      if (cell.tile(t)[i] != fluid) out.tile(t)[i] = 0;
  });
}

// r = b - A q; returns r'r.
double PorousPressure::take_residual(ChannelId<double> b, ChannelId<double> q) {
  DiscreteVolume& volume = grid_->volume();
  apply(q, residual_);
  turn(volume, residual_, -1, b);
  solver_->make_solvable(residual_);
  return dot(volume, residual_, residual_);
}

// From r = b - A q with r'r = rr until that of the recurrence is at most target^2. False: no use to go on.
bool PorousPressure::iterate(ChannelId<double> q, double rr, double target, const PoissonOptions& options,
                             PoissonReport& report) {
  DiscreteVolume& volume = grid_->volume();
  double alpha = 0, last_rz = 0;
  for (bool first = true; rr > target * target && report.iterations < options.max_iterations; first = false) {
    clear(volume, z_);
    const int spent = report.iterations;
    report = solver_->solve(residual_, z_, {inner_tolerance, options.max_iterations - spent});
    report.iterations += spent;
    // Polak and Ribiere: the residual changed by -alpha A p.
    const Pair products = sum_over_buckets<Pair>(volume.buckets(), [&](int t) {
      const double* z = tile_of(volume, z_, t);
      return Pair{product_of(z, tile_of(volume, residual_, t)),
                  first ? 0 : product_of(z, tile_of(volume, product_, t))};
    });
    const double rz = products.first;
    if (!(rz > 0) || !std::isfinite(rz)) return false;
    turn(volume, direction_, first ? 0 : -alpha * products.second / last_rz, z_);
    apply(direction_, product_);
    const double curvature = dot(volume, direction_, product_);
    alpha = rz / curvature;
    if (!(curvature > 0) || !std::isfinite(alpha)) return false;
    last_rz = rz;
    add(volume, q, alpha, direction_);
    add(volume, residual_, -alpha, product_);
    rr = dot(volume, residual_, residual_);
    ++iterations_;
    if (!std::isfinite(rr)) return false;
  }
  return true;
}

PoissonReport PorousPressure::solve(ChannelId<double> b, ChannelId<double> q, const PoissonOptions& options) {
  DiscreteVolume& volume = grid_->volume();
  iterations_ = 0;
  const double removed = solver_->make_solvable(b);
  const double norm = std::sqrt(dot(volume, b, b)), target = options.tolerance * norm;
  PoissonReport report;
  if (!porous_.give_way || lightness_ <= heavy || !(norm > 0) || !std::isfinite(norm)) {
    report = solver_->solve(b, q, options);
    report.removed = removed;
    take_slope(q);
    if (!porous_.give_way || !report.converged || norm == 0) return report;
    if (report.residual * norm + most_left_by_lumping() <= target) return report;
  } else {
    report.solver = "guess";
    clear_outside(q);
  }
  double rr = take_residual(b, q);
  if (!std::isfinite(rr)) {  // a guess of no use
    clear(volume, q);
    rr = take_residual(b, q);
  }
  bool going = true;
  for (double before = std::numeric_limits<double>::infinity();
       going && std::sqrt(rr) > target && report.iterations < options.max_iterations && std::sqrt(rr) <= before / 2;) {
    before = std::sqrt(rr);
    going = iterate(q, rr, target, options, report);
    rr = take_residual(b, q);
  }
  if (!std::isfinite(rr)) {
    clear(volume, q);
    rr = take_residual(b, q);
  }
  report.removed = removed;
  report.residual = std::sqrt(rr) / norm;
  report.converged = std::sqrt(rr) <= target;
  return report;
}

void PorousPressure::take_lumped(ChannelId<double> q) {
  iterations_ = 0;
  take_slope(q);
}

void PorousPressure::correct_flow() {
  DiscreteVolume& volume = grid_->volume();
  auto slope = read(volume, slope_);
  auto loss = read(volume, lumped_ ? slope_ : loss_);
  auto open = read(volume, grid_->open);
  auto mobility = read(volume, porous_.mobility);
  auto flow = read_write(volume, porous_.flow);
  for_each_bucket(volume.buckets(), slope, loss, open, mobility, flow, [&](int t) {
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < GasGrid::voxels; ++i) {
        const float w = open.tile(t, c)[i], m = mobility.tile(t, c)[i];
        if (m == 0 || w == 0) continue;
        const double lost = lumped_ ? static_cast<double>(m / w) * slope.tile(t, c)[i] : loss.tile(t, c)[i];
        flow.tile(t, c)[i] -= static_cast<float>(lost);
      }
  });
}

}  // namespace ymir
