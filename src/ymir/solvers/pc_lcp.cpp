#include "ymir/solvers/pc_lcp.h"

#include <algorithm>
#include <cmath>

#include "ymir/data/volume_accessor.h"

namespace ymir {
namespace {

constexpr int most_solves = 10;
constexpr int most_sweeps = 400, sweeps_at_once = 10;
constexpr int tile = 512;
constexpr std::uint8_t unknown = 1;

// Rows of A at the cells of one tile.
struct Stencil7 {
  TileRows<float, 8> c[3];
  TileRows<double, 8> x;

  template <class C, class X>
  Stencil7(const C& coefficient, const X& values, int t)
      : c{coefficient.template rows<8>(t, 0), coefficient.template rows<8>(t, 1), coefficient.template rows<8>(t, 2)},
        x(values.template rows<8>(t)) {}

  // a_ii, and the sum of c x over the neighbours.
  void row(int i, double& diagonal, double& beside) const {
    diagonal = beside = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int stride = 1 << 3 * axis, at = i / stride % 8;
      const auto low = static_cast<std::size_t>(2 * axis), high = low + 1;
      const auto c_low = static_cast<double>(c[axis].centre[i]);
      const auto c_high = static_cast<double>(at < 7 ? c[axis].centre[i + stride] : c[axis].face[high][i - 7 * stride]);
      diagonal += c_low + c_high;
      beside += c_low * (at > 0 ? x.centre[i - stride] : x.face[low][i + 7 * stride]);
      beside += c_high * (at < 7 ? x.centre[i + stride] : x.face[high][i - 7 * stride]);
    }
  }
};

}  // namespace

PcLcp::PcLcp(DiscreteVolume& volume, PressureSolver& solver) : volume_(&volume), solver_(&solver) {
  free_ = volume.add_channel<std::uint8_t>("lcp_free", {.scratch = true});
}

// Measures x; with `change`, holds bounded cells by the sign of x - w / a_ii.
PcLcp::Errors PcLcp::examine(const Problem& p, bool change) {
  DiscreteVolume& volume = *volume_;
  auto c = read(volume, p.coefficient, Stencil::faces);
  auto x = read(volume, p.x, Stencil::faces);
  auto b = read(volume, p.b);
  auto cell = read(volume, p.cell);
  auto bounded = read(volume, p.bounded);
  auto open = read_write(volume, free_);
  std::vector<Errors> tiles(static_cast<std::size_t>(volume.buckets().local_count()));
  for_each_bucket(volume.buckets(), c, x, b, cell, bounded, open, [&](int t) {
    const Stencil7 stencil(c, x, t);
    Errors& e = tiles[static_cast<std::size_t>(t)];
    for (int i = 0; i < tile; ++i) {
      if (cell.tile(t)[i] != unknown) continue;
      double diagonal = 0, beside = 0;
      stencil.row(i, diagonal, beside);
      if (!(diagonal > 0)) continue;
      const double value = x.tile(t)[i], w = diagonal * value - beside - b.tile(t)[i];
      const bool bound = bounded.tile(t)[i] != 0;
      std::uint8_t& is_free = open.tile(t)[i];
      if (bound) {
        e.bounded = std::max(e.bounded, std::abs(std::min(value, w / diagonal)));
        const std::uint8_t now = value - w / diagonal < 0 ? 0 : unknown;
        if (change && now != is_free) {
          ++e.changed;
          is_free = now;
        }
        e.held += value == 0 && w > 0 ? 1 : 0;
      }
      e.largest = std::max(e.largest, std::abs(value));
      e.b2 += b.tile(t)[i] * b.tile(t)[i];
      if (!bound || value > 0) e.free2 += w * w;
    }
  });
  Errors all;
  all.b2 = sum_over_buckets<double>(volume.buckets(), [&](int t) { return tiles[static_cast<std::size_t>(t)].b2; });
  all.free2 =
      sum_over_buckets<double>(volume.buckets(), [&](int t) { return tiles[static_cast<std::size_t>(t)].free2; });
  for (const Errors& e : tiles) {
    all.bounded = std::max(all.bounded, e.bounded);
    all.largest = std::max(all.largest, e.largest);
    all.changed += e.changed;
    all.held += e.held;
  }
  Communicator& communicator = volume.domain().communicator();
  all.bounded = communicator.max(all.bounded);
  all.largest = communicator.max(all.largest);
  all.changed = communicator.sum(all.changed);
  all.held = communicator.sum(all.held);
  return all;
}

// One colour of projected Gauss-Seidel; cells of one colour are not neighbours.
void PcLcp::sweep(const Problem& p, int colour) {
  DiscreteVolume& volume = *volume_;
  if (!next_.valid()) next_ = volume.add_channel<double>("lcp_next", {.scratch = true});
  auto c = read(volume, p.coefficient, Stencil::faces);
  auto x = read(volume, p.x, Stencil::faces);
  auto b = read(volume, p.b);
  auto cell = read(volume, p.cell);
  auto bounded = read(volume, p.bounded);
  auto out = write(volume, next_);
  for_each_bucket(volume.buckets(), c, x, b, cell, bounded, out, [&](int t) {
    const Stencil7 stencil(c, x, t);
    for (int i = 0; i < tile; ++i) {
      const double value = x.tile(t)[i];
      out.tile(t)[i] = value;
      if (cell.tile(t)[i] != unknown || (i + i / 8 + i / 64) % 2 != colour) continue;
      double diagonal = 0, beside = 0;
      stencil.row(i, diagonal, beside);
      if (!(diagonal > 0)) continue;
      const double solved = (b.tile(t)[i] + beside) / diagonal;
      out.tile(t)[i] = bounded.tile(t)[i] != 0 ? std::max(0.0, solved) : solved;
    }
  });
  volume.swap_values(next_, p.x);
}

LcpReport PcLcp::solve(ChannelId<float> coefficient, ChannelId<std::uint8_t> cell, ChannelId<std::uint8_t> bounded,
                       ChannelId<double> b, ChannelId<double> x, const PoissonOptions& options) {
  const Problem problem{coefficient, cell, bounded, b, x};
  LcpReport report;
  {
    auto from = read(*volume_, cell);
    auto to = write(*volume_, free_);
    for_each_bucket(volume_->buckets(), from, to, [&](int t) { std::copy_n(from.tile(t), tile, to.tile(t)); });
  }
  Errors errors;
  const auto accepted = [&] {
    report.complementarity = errors.largest > 0 ? errors.bounded / errors.largest : 0;
    report.held = errors.held;
    const bool balanced =
        report.sweeps == 0 ? report.solve.converged : errors.free2 <= options.tolerance * options.tolerance * errors.b2;
    return balanced && report.complementarity <= options.tolerance;
  };
  for (bool settled = false; !settled && report.solves < most_solves;) {
    solver_->set_matrix(coefficient, free_);
    report.solve = solver_->solve(b, x, options);
    ++report.solves;
    if (!report.solve.finite) return report;
    errors = examine(problem, true);
    // Cells where both x and w vanish may change sides for ever.
    settled = errors.changed == 0 || accepted();
  }
  while (!accepted() && report.sweeps < most_sweeps) {
    for (int n = 0; n < sweeps_at_once; ++n, ++report.sweeps)
      for (int colour = 0; colour < 2; ++colour) sweep(problem, colour);
    errors = examine(problem, false);
  }
  report.solve.converged = accepted();
  return report;
}

}  // namespace ymir
