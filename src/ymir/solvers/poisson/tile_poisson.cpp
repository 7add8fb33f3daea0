#include "ymir/solvers/poisson/tile_poisson.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/base/hash.h"
#include "ymir/parallel/bytes.h"
#include "ymir/solvers/poisson/assembly.h"
#include "ymir/solvers/poisson/cg_passes.h"
#include "ymir/solvers/poisson/components.h"
#include "ymir/solvers/poisson/multigrid.h"

namespace ymir {

using namespace poisson;

namespace {

constexpr int window = 4;        // iterations over which convergence is judged
constexpr int long_window = 12;  // the same, before another method is asked for
constexpr double slow = 0.5;     // reduction per iteration that calls for the W cycle
// Predicted iterations that cost as much as to assemble and solve by rows, where all cells of the tiles are unknowns:
// tiles pay for the others too (`ymir bench poisson` measures both).
constexpr double algebraic_beyond = 70;
constexpr int refresh_every = 20;  // iterations between residuals computed from x

// A power of two that brings values of root mean square sqrt(sum / count) to about 1: scaling by it is exact.
double unit_scale(double sum, std::int64_t count) {
  const double exponent = -std::round(0.5 * std::log2(sum / static_cast<double>(std::max<std::int64_t>(count, 1))));
  return std::exp2(std::clamp(exponent, -1000.0, 1000.0));
}

double* tile_of(double* values, int t) { return values + static_cast<std::ptrdiff_t>(t) * tile_cells; }
const double* tile_of(const double* values, int t) { return values + static_cast<std::ptrdiff_t>(t) * tile_cells; }

}  // namespace

struct TilePoisson::Impl {
  explicit Impl(DiscreteVolume& volume_) : volume(volume_) {}

  DiscreteVolume& volume;
  std::unique_ptr<PoissonLevel> fine;
  std::vector<BucketKey> splitters;  // that `fine` was built with
  ChannelId<float> coefficient;
  ChannelId<float> p;   // direction, scaled like b of the cycle
  ChannelId<double> r;  // b - A x
  Survey survey;
  Components components;
  Multigrid multigrid;
  std::vector<double> sums, norms, part_sums;
  double filled = 1;  // share of the cells of tiles that are unknowns

  // The solve in progress.
  PoissonReport report;
  Cycle cycle = Cycle::v;
  bool broke_down = false;
  std::vector<double> b_means;

  Communicator& communicator() const { return volume.domain().communicator(); }
  int home(int t) const { return fine->tiles[static_cast<std::size_t>(t)].home; }
  bool whole(int t) const { return fine->tiles[static_cast<std::size_t>(t)].uniform > 0; }
  TileRows<double, 8> around(const double* values, int t) const;
  bool take_tiles(ChannelId<std::uint8_t> cell);
  void bind();
  double total_of(const std::vector<double>& values) const;
  template <class T>
  std::span<const double> means_of(const T* values, bool at_home);
  void clear_outside(double* x);
  double residual(ChannelId<double> b, ChannelId<double> x, double* b_norm);
  void scale_residual(double scale);
  void locate_not_finite(ChannelId<double> b);
  bool iterate(ChannelId<double> b, ChannelId<double> x, double rr, double target, const PoissonOptions& options);
  void turn(double beta);
  double curvature_of_direction();
  double step(ChannelId<double> x, double length, double scale);
  void judge(std::vector<double>& history, double target, bool& restart);
};

// --- the matrix

TileRows<double, 8> TilePoisson::Impl::around(const double* values, int t) const {
  TileRows<double, 8> rows{tile_of(values, home(t)), {}};
  const auto& near = volume.buckets().neighbours(home(t));
  for (std::size_t f = 0; f < 6; ++f)
    rows.face[f] = tile_of(values, near[static_cast<std::size_t>(face_directions[f])]);
  return rows;
}

// Makes `fine` hold the tiles with unknowns. True when they changed. Collective.
bool TilePoisson::Impl::take_tiles(ChannelId<std::uint8_t> cell) {
  const BucketSet& set = volume.buckets();
  const std::uint8_t* cells = volume.tiles(cell);
  std::vector<char> wanted(static_cast<std::size_t>(set.local_count()));
  for_each_tile(set.local_count(), [&](int t) {
    const std::uint8_t* tile = cells + std::ptrdiff_t{t} * tile_cells;
    unsigned any = 0;
    for (int i = 0; i < tile_cells; ++i) any |= tile[i] == 1 ? 1u : 0u;
    wanted[static_cast<std::size_t>(t)] = any != 0;
  });
  std::vector<BucketKey> keys;
  for (int t = 0; t < set.local_count(); ++t)
    if (wanted[static_cast<std::size_t>(t)]) keys.push_back(set.key(t));

  bool same = fine != nullptr && splitters == volume.domain().splitters();
  if (same) {
    const auto now = fine->volume.buckets().local_keys();
    same = std::equal(keys.begin(), keys.end(), now.begin(), now.end());
  }
  if (communicator().all(same)) return false;
  fine = std::make_unique<PoissonLevel>(volume.domain());
  fine->volume.set_buckets(keys);
  p = fine->volume.add_channel<float>("p");
  r = fine->volume.add_channel<double>("r");
  splitters = volume.domain().splitters();
  return true;
}

// Channels of the caller's volume may have moved since.
void TilePoisson::Impl::bind() {
  fine->bind();
  for (int axis = 0; axis < 3; ++axis) fine->arrays.c[static_cast<std::size_t>(axis)] = volume.tiles(coefficient, axis);
}

// --- sums, in the order of the tiles of all ranks

double TilePoisson::Impl::total_of(const std::vector<double>& values) const {
  double sum = 0;
  if (communicator().size() == 1) {
    for (const double value : values) sum += value;
    return sum;
  }
  for (const Bytes& part : communicator().all_gather(std::as_bytes(std::span<const double>(values))))
    for (const double value : from_bytes<double>(part)) sum += value;
  return sum;
}

// Mean over every closed component of values in tiles of `fine`, or of the caller's volume (at_home).
template <class T>
std::span<const double> TilePoisson::Impl::means_of(const T* values, bool at_home) {
  const auto parts = components.parts();
  part_sums.resize(parts.size());
  for_each_tile(static_cast<int>(parts.size()), [&](int n) {
    const Components::Part& part = parts[static_cast<std::size_t>(n)];
    const int t = at_home ? home(part.tile) : part.tile;
    part_sums[static_cast<std::size_t>(n)] =
        sum_over(values + static_cast<std::ptrdiff_t>(t) * tile_cells, components.cells_of(part, *fine));
  });
  return components.means(communicator(), part_sums);
}

// --- passes

// x = 0 wherever there is no unknown: A x reads it there.
void TilePoisson::Impl::clear_outside(double* x) {
  std::vector<char> held(static_cast<std::size_t>(volume.buckets().local_count()), 0);
  for (int t = 0; t < fine->count(); ++t) held[static_cast<std::size_t>(home(t))] = 1;
  for_each_tile(volume.buckets().local_count(), [&](int t) {
    if (!held[static_cast<std::size_t>(t)]) std::fill_n(tile_of(x, t), tile_cells, 0.0);
  });
  for_each_tile(fine->count(), [&](int t) {
    if (whole(t)) return;
    copy_cells(tile_of(x, home(t)), fine->cells[static_cast<std::size_t>(t)], tile_of(x, home(t)));
  });
}

// r = b - means - A x. Returns r'r, and |b - means| on request.
double TilePoisson::Impl::residual(ChannelId<double> b, ChannelId<double> x, double* b_norm) {
  volume.begin_exchange(x.index, Stencil::faces);
  volume.end_exchange(x.index);
  const double *rhs = volume.tiles(b), *now = volume.tiles(x);
  double* residuals = fine->volume.write_tiles(r);
  const LevelArrays& a = fine->arrays;
  for_each_tile(fine->count(), [&](int t) {
    double* to = tile_of(residuals, t);
    copy_cells(tile_of(rhs, home(t)), a.cells[t], to);
    for (const Components::Part& part : components.parts_of(t))
      subtract(to, components.cells_of(part, *fine), b_means[static_cast<std::size_t>(part.component)]);
    const auto [norm, sum] = subtract_product(a, t, around(now, t), to);
    norms[static_cast<std::size_t>(t)] = norm;
    sums[static_cast<std::size_t>(t)] = sum;
  });
  if (b_norm != nullptr) *b_norm = std::sqrt(total_of(norms));
  return total_of(sums);
}

void TilePoisson::Impl::scale_residual(double scale) {
  const double* residuals = fine->volume.tiles(r);
  for_each_tile(fine->count(), [&](int t) {
    const double* from = tile_of(residuals, t);
    float* to = LevelArrays::tile(fine->arrays.b, t);
    for (int i = 0; i < tile_cells; i += 4) store_half(Half::load(from + i) * Half::all(scale), to + i);
  });
}

// p = z + beta p, z without its means over closed components. beta = 0 forgets p.
void TilePoisson::Impl::turn(double beta) {
  const bool closed = components.closed() > 0;
  std::span<const double> means;
  if (closed) means = means_of(fine->arrays.x, false);
  float* direction = fine->volume.write_tiles(p);
  const Row weight = Row::all(static_cast<float>(beta));
  for_each_tile(fine->count(), [&](int t) {
    float *z = LevelArrays::tile(fine->arrays.x, t), *to = LevelArrays::tile(direction, t);
    for (const Components::Part& part : components.parts_of(t))
      subtract(z, components.cells_of(part, *fine), means[static_cast<std::size_t>(part.component)]);
    if (beta == 0)
      std::copy_n(z, tile_cells, to);
    else
      for (int i = 0; i < tile_cells; i += 8) mul_add(weight, Row::load(to + i), Row::load(z + i)).store(to + i);
  });
  fine->volume.begin_exchange(p.index, Stencil::faces);
  fine->volume.end_exchange(p.index);
}

double TilePoisson::Impl::curvature_of_direction() {
  const float* direction = fine->volume.tiles(p);
  for_each_tile(fine->count(),
                [&](int t) { sums[static_cast<std::size_t>(t)] = curvature(fine->arrays, t, direction); });
  return total_of(sums);
}

double TilePoisson::Impl::step(ChannelId<double> x, double length, double scale) {
  const float* direction = fine->volume.tiles(p);
  double *residuals = fine->volume.write_tiles(r), *values = volume.write_tiles(x);
  for_each_tile(fine->count(), [&](int t) {
    sums[static_cast<std::size_t>(t)] = take_step(fine->arrays, t, direction, length, tile_of(values, home(t)),
                                                  tile_of(residuals, t), LevelArrays::tile(fine->arrays.b, t), scale);
  });
  return total_of(sums);
}

// --- the iteration

// Too slow over the last iterations: W cycle, from a restart; far too slow: another method is wanted.
void TilePoisson::Impl::judge(std::vector<double>& history, double target, bool& restart) {
  if (history.size() <= window) return;
  const double now = history.back(), rate = std::pow(now / history[history.size() - 1 - window], 0.5 / window);
  if (!(now > target * target)) return;
  if (cycle == Cycle::w && history.size() > long_window) {  // conjugate gradients are slow at first
    const double mean = std::pow(now / history.front(), 0.5 / static_cast<double>(history.size() - 1));
    const double left = mean < 1 ? std::log(target / std::sqrt(now)) / std::log(mean) : 1e9;
    if (report.iterations + left > algebraic_beyond * filled) report.wants_algebraic = true;
  }
  if (rate <= slow || cycle == Cycle::w) return;
  cycle = Cycle::w;
  restart = true;
  history = {now};
}

// From r = b - A x with r'r = rr until the recurrence's |r| is at most `target`. False: no use to go on.
bool TilePoisson::Impl::iterate(ChannelId<double> b, ChannelId<double> x, double rr, double target,
                                const PoissonOptions& options) {
  double scale = unit_scale(rr, fine->unknowns), last_scale = scale, last_gamma = 0;
  bool restart = true, jacobi = false;
  std::vector<double> history{rr};
  scale_residual(scale);
  const auto breaks_down = [&] {
    restart = jacobi = true;
    return std::exchange(broke_down, true);
  };
  const auto give_up = [&] { return options.stop_when_slow && report.wants_algebraic; };
  while (rr > target * target && report.iterations < options.max_iterations && !give_up()) {
    jacobi ? multigrid.apply_jacobi() : multigrid.apply(cycle);
    const double gamma = total_of(multigrid.products());  // of scaled vectors
    if (!(gamma > 0) || !std::isfinite(gamma)) {
      if (breaks_down()) return false;
      continue;
    }
    turn(restart ? 0 : gamma / last_gamma * (last_scale / scale));
    const double curvature = curvature_of_direction();
    const double alpha = gamma / curvature;
    if (!(curvature > 0) || !std::isfinite(alpha)) {
      if (breaks_down()) return false;
      continue;
    }
    last_gamma = gamma;
    last_scale = scale;
    restart = jacobi = false;
    const double next_scale = unit_scale(rr, fine->unknowns);
    rr = step(x, alpha / scale, next_scale);
    scale = next_scale;
    ++report.iterations;
    if (!std::isfinite(rr)) return false;
    if (report.iterations % refresh_every == 0) {
      rr = residual(b, x, nullptr);
      scale_residual(scale);
    }
    history.push_back(rr);
    judge(history, target, restart);
  }
  return !give_up();
}

void TilePoisson::Impl::locate_not_finite(ChannelId<double> b) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t first = none;
  const double* rhs = volume.tiles(b);
  for (int t = 0; t < fine->count() && first == none; ++t)
    for (int i = 0; i < tile_cells; ++i)
      if (fine->cells[static_cast<std::size_t>(t)][static_cast<std::size_t>(i / 64)] >> i % 64 & 1 &&
          !std::isfinite(tile_of(rhs, home(t))[i]))
        first = static_cast<std::int64_t>(fine->volume.buckets().key(t) >> 1);  // of 64 bits, all ranks' smallest
  first = communicator().min(first);
  if (first != none) report.not_finite = coord_of(static_cast<BucketKey>(first) << 1 | 1);
}

// --- interface

TilePoisson::TilePoisson(DiscreteVolume& volume) : impl_(std::make_unique<Impl>(volume)) {}
TilePoisson::~TilePoisson() = default;

void TilePoisson::set_matrix(ChannelId<float> coefficient, ChannelId<std::uint8_t> cell) {
  Impl& s = *impl_;
  const VolumeChannel &faces = s.volume.channel(coefficient.index), &cells = s.volume.channel(cell.index);
  YMIR_CHECK(faces.sampling == Sampling::face && faces.resolution == 8 && cells.resolution == 8);
  YMIR_CHECK(cells.background[0] == 0);
  const bool new_tiles = s.take_tiles(cell);
  s.coefficient = coefficient;
  s.survey.run(*s.fine, s.volume, coefficient, cell);
  s.components.find(*s.fine, s.survey);
  s.multigrid.build(*s.fine, s.survey, new_tiles);
  const std::int64_t tiles = s.communicator().sum(std::int64_t{s.fine->count()});
  s.filled = static_cast<double>(s.fine->unknowns) / static_cast<double>(std::max<std::int64_t>(1, tiles * tile_cells));
  s.sums.resize(static_cast<std::size_t>(s.fine->count()));
  s.norms.resize(s.sums.size());
}

PoissonReport TilePoisson::solve(ChannelId<double> b, ChannelId<double> x, const PoissonOptions& options) {
  Impl& s = *impl_;
  YMIR_CHECK(s.fine != nullptr);
  for (const int channel : {b.index, x.index}) {
    const VolumeChannel& c = s.volume.channel(channel);
    YMIR_CHECK(c.sampling == Sampling::cell && c.resolution == 8);
  }
  YMIR_CHECK(s.volume.channel(x.index).background[0] == 0);
  s.bind();
  s.report = {};
  s.report.unknowns = s.fine->unknowns;
  s.report.components = s.components.count();
  s.report.closed_components = s.components.closed();
  s.cycle = Cycle::v;
  s.broke_down = false;
  const auto means = s.means_of(s.volume.tiles(b), true);
  s.b_means.assign(means.begin(), means.end());
  for (const double mean : s.b_means) s.report.removed = std::max(s.report.removed, std::abs(mean));

  const auto clear = [&] {
    double* values = s.volume.write_tiles(x, 0, true);
    for_each_tile(s.volume.buckets().local_count(), [&](int t) { std::fill_n(tile_of(values, t), tile_cells, 0.0); });
  };
  s.clear_outside(s.volume.write_tiles(x));
  double norm = 0, rr = s.residual(b, x, &norm);
  if (norm == 0 || !std::isfinite(norm)) {
    clear();
    s.report.finite = std::isfinite(norm);
    s.report.converged = norm == 0;
    if (!s.report.finite) s.locate_not_finite(b);
    return s.report;
  }
  if (!std::isfinite(rr)) {  // a guess of no use
    clear();
    rr = s.residual(b, x, nullptr);
  }
  const double target = options.tolerance * norm;
  bool going = true;
  for (double before = std::numeric_limits<double>::infinity(); going && std::sqrt(rr) > target &&
                                                                s.report.iterations < options.max_iterations &&
                                                                std::sqrt(rr) <= before / 2;) {
    before = std::sqrt(rr);
    going = s.iterate(b, x, rr, target, options);
    rr = s.residual(b, x, nullptr);
  }
  if (!going) s.report.wants_algebraic = true;
  if (!std::isfinite(rr)) {
    clear();
    rr = norm * norm;
  }
  s.report.residual = std::sqrt(rr) / norm;
  s.report.converged = std::sqrt(rr) <= target;
  s.report.solver = s.cycle == Cycle::v ? "V(2,2)" : "W(2,2)";

  if (s.components.closed() > 0) {
    double* values = s.volume.write_tiles(x);
    const auto shifts = s.means_of(values, true);
    for (const Components::Part& part : s.components.parts())
      subtract(tile_of(values, s.home(part.tile)), s.components.cells_of(part, *s.fine),
               shifts[static_cast<std::size_t>(part.component)]);
  }
  return s.report;
}

double TilePoisson::make_solvable(ChannelId<double> b) {
  Impl& s = *impl_;
  YMIR_CHECK(s.fine != nullptr);
  double largest = 0;
  if (s.components.closed() == 0) return largest;
  double* values = s.volume.write_tiles(b);
  s.clear_outside(values);
  const auto means = s.means_of(values, true);
  for (const double mean : means) largest = std::max(largest, std::abs(mean));
  for_each_tile(s.fine->count(), [&](int t) {
    for (const Components::Part& part : s.components.parts_of(t))
      if (const double mean = means[static_cast<std::size_t>(part.component)]; std::isfinite(mean))
        subtract(tile_of(values, s.home(t)), s.components.cells_of(part, *s.fine), mean);
  });
  return largest;
}

void TilePoisson::apply(ChannelId<double> x, ChannelId<double> y) {
  Impl& s = *impl_;
  YMIR_CHECK(s.fine != nullptr);
  s.bind();
  s.volume.begin_exchange(x.index, Stencil::faces);
  s.volume.end_exchange(x.index);
  const double* from = s.volume.tiles(x);
  double* to = s.volume.write_tiles(y);
  for_each_tile(s.volume.buckets().local_count(), [&](int t) { std::fill_n(tile_of(to, t), tile_cells, 0.0); });
  for_each_tile(s.fine->count(), [&](int t) {
    double* tile = tile_of(to, s.home(t));
    for_each_product(s.fine->arrays, t, s.around(from, t),
                     [&](int, int at, const Half&, const Half& product) { product.store(tile + at); });
  });
}

AlgebraicSystem TilePoisson::assemble() {
  YMIR_CHECK(impl_->fine != nullptr);
  impl_->bind();
  return poisson::assemble(*impl_->fine, impl_->components);
}

void TilePoisson::take_rows(ChannelId<double> from, std::vector<double>& rows) const {
  std::size_t count = 0;
  for (const TileBits& bits : impl_->fine->cells) count += static_cast<std::size_t>(tile_bits::count(bits));
  rows.resize(count);
  poisson::take_rows(*impl_->fine, impl_->volume.tiles(from), rows);
}

void TilePoisson::put_rows(const std::vector<double>& rows, ChannelId<double> to) {
  poisson::put_rows(*impl_->fine, rows, impl_->volume.write_tiles(to));
}

std::uint64_t TilePoisson::topology() const {
  const PoissonLevel& fine = *impl_->fine;
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(fine.count()));
  for_each_tile(fine.count(), [&](int t) {
    std::uint64_t h = mix64(fine.volume.buckets().key(t));
    const TileSurvey& tile = impl_->survey.tile(t);
    for (std::size_t k = 0; k < 8; ++k) {
      h = hash_combine(h, fine.cells[static_cast<std::size_t>(t)][k]);
      for (const TileBits& link : tile.link) h = hash_combine(h, link[k]);
    }
    hashes[static_cast<std::size_t>(t)] = h;
  });
  std::uint64_t sum = 0;
  for (const std::uint64_t h : hashes) sum += h;
  return impl_->communicator().wrapping_sum(sum);
}

std::size_t TilePoisson::bytes() const {
  const Impl& s = *impl_;
  if (s.fine == nullptr) return 0;
  return s.fine->bytes() + s.multigrid.bytes();
}

}  // namespace ymir
