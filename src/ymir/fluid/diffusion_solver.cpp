#include "ymir/fluid/diffusion_solver.h"

#include <algorithm>
#include <cmath>

#include "ymir/solvers/poisson/cg_passes.h"

namespace ymir {
namespace {

using poisson::for_each_half;
using poisson::Half;
using poisson::HalfCross;
using poisson::load_half;

constexpr int voxels = GasGrid::voxels;

double sum_of(const Half& a) { return (a[0] + a[1]) + (a[2] + a[3]); }

template <class T>
ChannelId<T> shared_channel(DiscreteVolume& volume, const char* name, Sampling sampling = Sampling::cell) {
  const auto found = volume.find_channel<T>(name);
  return found.valid() ? found : volume.add_channel<T>(name, {GasGrid::side, sampling, T{0}, 1, true});
}

// The matrix around the samples of a tile.
struct Matrix {
  TileRows<float, 8> link[3];
  const float* own;
  Half k;

  [[gnu::always_inline]] Half links(int j, int kk, int half, int at) const {
    const Half x = load_half(link[0].centre + at);
    return ((x + HalfCross<float>::high_x(link[0], x, half, at)) +
            (load_half(link[1].centre + at) + HalfCross<float>::high_y(link[1], j, at))) +
           (load_half(link[2].centre + at) + HalfCross<float>::high_z(link[2], kk, at));
  }
  // In difference form: what is constant stays so to the last bit.
  [[gnu::always_inline]] Half product(const HalfCross<double>& v, int j, int kk, int half, int at) const {
    const Half x = load_half(link[0].centre + at);
    const Half out = v.outflow(x, HalfCross<float>::high_x(link[0], x, half, at), load_half(link[1].centre + at),
                               HalfCross<float>::high_y(link[1], j, at), load_half(link[2].centre + at),
                               HalfCross<float>::high_z(link[2], kk, at));
    return mul_add(k, out, load_half(own + at) * v.centre);
  }
};

template <class Links, class Own>
Matrix matrix_of(const Links& links, const Own& own, int t, double k) {
  return {{links.template rows<8>(t, 0), links.template rows<8>(t, 1), links.template rows<8>(t, 2)},
          own.tile(t),
          Half::all(k)};
}

}  // namespace

void DiffusionStencils::resize(int tiles) {
  of_tile_.assign(static_cast<std::size_t>(tiles), idle);
  used_ = 0;
}

void DiffusionStencils::add_cut(int tile) {
  of_tile_[static_cast<std::size_t>(tile)] = static_cast<int>(used_);
  if (used_ == cut_.size()) cut_.emplace_back();
  cut_[used_++] = {};
}

DiffusionSolver::DiffusionSolver(DiscreteVolume& volume)
    : volume_(&volume),
      link_(shared_channel<float>(volume, "diffusion link", Sampling::face)),
      own_(shared_channel<float>(volume, "diffusion own")),
      inverse_(shared_channel<float>(volume, "diffusion inverse")),
      x_(shared_channel<double>(volume, "diffusion x")),
      r_(shared_channel<double>(volume, "diffusion r")),
      p_(shared_channel<double>(volume, "diffusion p")),
      q_(shared_channel<double>(volume, "diffusion q")) {}

// In the order of the tiles of all ranks.
template <class T>
T DiffusionSolver::total(const std::vector<T>& partial) const {
  if (volume_->domain().communicator().size() > 1)
    return sum_over_buckets<T>(volume_->buckets(), [&](int t) { return partial[static_cast<std::size_t>(t)]; });
  T sum{};
  for (const T& part : partial) sum += part;
  return sum;
}

DiffusionReport DiffusionSolver::solve(const DiffusionStencils& stencils, double k, ChannelId<float> values,
                                       int component, const DiffusionOptions& options) {
  DiffusionReport report;
  if (k == 0) return report;
  const auto tiles = static_cast<std::size_t>(volume_->buckets().local_count());
  sums_.assign(tiles, {});
  products_.assign(tiles, 0);
  assemble(stencils, k, values, component);
  Sums sums = start(stencils, k);
  const double target = options.tolerance * options.tolerance * sums.b;
  const double b = sums.b;
  while (sums.r > target) {
    const double curvature = multiply(stencils, k);
    if (report.iterations >= options.max_iterations || !(curvature > 0) || !std::isfinite(curvature)) break;
    const double before = sums.z;
    sums = advance(stencils, before / curvature);
    turn(stencils, sums.z / before);
    ++report.iterations;
  }
  report.converged = sums.r <= target;  // false when not finite
  report.residual = b > 0 ? std::sqrt(sums.r / b) : 0;

  auto own = read(*volume_, own_);
  auto x = read(*volume_, x_);
  auto out = read_write(*volume_, values);
  for_each_bucket(volume_->buckets(), own, x, out, [&](int t) {
    if (stencils.is_idle(t)) return;
    float* to = out.tile(t, component);
    for (int i = 0; i < voxels; ++i)
      if (own.tile(t)[i] > 0) to[i] = static_cast<float>(x.tile(t)[i]);
  });
  return report;
}

void DiffusionSolver::assemble(const DiffusionStencils& stencils, double k, ChannelId<float> values, int component) {
  auto start = read(*volume_, values);
  auto link = write(*volume_, link_);
  auto own = write(*volume_, own_);
  auto x = write(*volume_, x_);
  auto b = write(*volume_, r_);
  for_each_bucket(volume_->buckets(), start, link, own, x, b, [&](int t) {
    const float* from = start.tile(t, component);
    const DiffusionTile* cut = stencils.cut(t);
    float* e = own.tile(t);
    double *to = x.tile(t), *right = b.tile(t);
    if (cut == nullptr) {
      const bool idle = stencils.is_idle(t);
      for (int axis = 0; axis < 3; ++axis) std::fill_n(link.tile(t, axis), voxels, idle ? 0.0f : 1.0f);
      std::fill_n(e, voxels, idle ? 0.0f : 1.0f);
      for (int i = 0; i < voxels; ++i) to[i] = right[i] = idle ? 0 : static_cast<double>(from[i]);
      return;
    }
    for (int axis = 0; axis < 3; ++axis) std::copy_n(cut->link[axis], voxels, link.tile(t, axis));
    for (int i = 0; i < voxels; ++i) {
      const auto m = static_cast<double>(cut->mass[i]), d = static_cast<double>(cut->wall[i]);
      e[i] = static_cast<float>(m + k * d);
      const auto old = static_cast<double>(from[i]);
      // With d as e rounds it: what has the walls' value keeps it.
      const double wall = d > 0 ? (static_cast<double>(e[i]) - m) * (static_cast<double>(cut->pull[i]) / d) : 0;
      to[i] = m > 0 ? old : d > 0 ? static_cast<double>(cut->pull[i]) / d : 0;
      right[i] = m * old + wall;
    }
  });
}

DiffusionSolver::Sums DiffusionSolver::start(const DiffusionStencils& stencils, double k) {
  auto link = read(*volume_, link_, Stencil::faces);
  auto x = read(*volume_, x_, Stencil::faces);
  auto own = read(*volume_, own_);
  auto inverse = write(*volume_, inverse_);
  auto r = read_write(*volume_, r_);
  auto p = write(*volume_, p_);
  for_each_bucket(volume_->buckets(), link, x, own, inverse, r, p, [&](int t) {
    double *rs = r.tile(t), *ps = p.tile(t);
    if (stencils.is_idle(t)) {
      std::fill_n(ps, voxels, 0.0);
      return;
    }
    float* inv = inverse.tile(t);
    const Matrix a = matrix_of(link, own, t, k);
    const TileRows<double, 8> xs = x.template rows<8>(t);
    Half bb = Half::all(0), rr = bb, rz = bb;
    for_each_half([&](int j, int kk, int half, int at) {
      const Half e = load_half(a.own + at), sum = mul_add(a.k, a.links(j, kk, half, at), e);
      for (int i = 0; i < 4; ++i) inv[at + i] = e[i] > 0 ? static_cast<float>(1 / sum[i]) : 0.0f;
      const Half b = Half::load(rs + at);
      const Half left = b - a.product(HalfCross<double>(xs, j, kk, half), j, kk, half, at);
      const Half z = left * load_half(inv + at);
      left.store(rs + at);
      z.store(ps + at);
      bb = mul_add(b, b, bb);
      rr = mul_add(left, left, rr);
      rz = mul_add(left, z, rz);
    });
    sums_[static_cast<std::size_t>(t)] = {sum_of(bb), sum_of(rr), sum_of(rz)};
  });
  return total(sums_);
}

// q = A p; p q.
double DiffusionSolver::multiply(const DiffusionStencils& stencils, double k) {
  auto link = read(*volume_, link_, Stencil::faces);
  auto p = read(*volume_, p_, Stencil::faces);
  auto own = read(*volume_, own_);
  auto q = write(*volume_, q_);
  for_each_bucket(volume_->buckets(), link, p, own, q, [&](int t) {
    if (stencils.is_idle(t)) return;
    const Matrix a = matrix_of(link, own, t, k);
    const TileRows<double, 8> ps = p.template rows<8>(t);
    double* out = q.tile(t);
    Half pq = Half::all(0);
    for_each_half([&](int j, int kk, int half, int at) {
      const HalfCross<double> cross(ps, j, kk, half);
      const Half product = a.product(cross, j, kk, half, at);
      product.store(out + at);
      pq = mul_add(cross.centre, product, pq);
    });
    products_[static_cast<std::size_t>(t)] = sum_of(pq);
  });
  return total(products_);
}

// x += alpha p, r -= alpha q.
DiffusionSolver::Sums DiffusionSolver::advance(const DiffusionStencils& stencils, double alpha) {
  auto p = read(*volume_, p_);
  auto q = read(*volume_, q_);
  auto inverse = read(*volume_, inverse_);
  auto x = read_write(*volume_, x_);
  auto r = read_write(*volume_, r_);
  const Half step = Half::all(alpha), back = Half::all(-alpha);
  for_each_bucket(volume_->buckets(), p, q, inverse, x, r, [&](int t) {
    if (stencils.is_idle(t)) return;
    double *xs = x.tile(t), *rs = r.tile(t);
    const double *ps = p.tile(t), *qs = q.tile(t);
    const float* inv = inverse.tile(t);
    Half rr = Half::all(0), rz = rr;
    for (int at = 0; at < voxels; at += 4) {
      mul_add(step, Half::load(ps + at), Half::load(xs + at)).store(xs + at);
      const Half left = mul_add(back, Half::load(qs + at), Half::load(rs + at));
      left.store(rs + at);
      rr = mul_add(left, left, rr);
      rz = mul_add(left, left * load_half(inv + at), rz);
    }
    sums_[static_cast<std::size_t>(t)] = {0, sum_of(rr), sum_of(rz)};
  });
  return total(sums_);
}

// p = r / diagonal + beta p.
void DiffusionSolver::turn(const DiffusionStencils& stencils, double beta) {
  auto r = read(*volume_, r_);
  auto inverse = read(*volume_, inverse_);
  auto p = read_write(*volume_, p_);
  const Half scale = Half::all(beta);
  for_each_bucket(volume_->buckets(), r, inverse, p, [&](int t) {
    if (stencils.is_idle(t)) return;
    double* ps = p.tile(t);
    for (int at = 0; at < voxels; at += 4)
      mul_add(scale, Half::load(ps + at), Half::load(r.tile(t) + at) * load_half(inverse.tile(t) + at)).store(ps + at);
  });
}

}  // namespace ymir
