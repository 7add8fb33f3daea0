#include "ymir/objects/strand_block.h"

#include <algorithm>
#include <cmath>

#include "ymir/objects/curves_object.h"

namespace ymir {
namespace {

using Real = StrandReal;
constexpr int lanes = StrandSystem::lanes;
// Of strands in contact, in a substep: what has not converged by then buckles, and wants a definite matrix.
constexpr int exact_assemblies = 6;

// y = A x; the vectors of doubles need not be aligned as lanes are.
template <class Layout>
void band_product(const Real* matrix, const double* x, double* y, int rows) {
  constexpr int column = Layout::half_bandwidth + 1;
  std::fill_n(y, rows * lanes, 0.0);
  for (int c = 0; c < rows; ++c) {
    const Real* a = matrix + static_cast<std::ptrdiff_t>(c) * column;
    const Real xc = Real::load(x + c * lanes);
    Real sum = Real::load(y + c * lanes) + a[0] * xc;
    for (int k = 1; k < column && c + k < rows; ++k) {
      sum = mul_add(a[k], Real::load(x + (c + k) * lanes), sum);
      mul_add(a[k], xc, Real::load(y + (c + k) * lanes)).store(y + (c + k) * lanes);
    }
    sum.store(y + c * lanes);
  }
}

}  // namespace

StrandBlock::StrandBlock(CurvesObject& object, int group)
    : object_(&object), group_(group), newton_(object.strands(), object.rod_channels()) {}

const NewtonSettings& StrandBlock::settings() const { return object_->description().newton; }

int StrandBlock::pieces() const {
  const auto& id = object_->strands().group(group_).id;
  return static_cast<int>(std::count_if(id.begin(), id.end(), [](std::int64_t i) { return i >= 0; }));
}

void StrandBlock::begin(const Step& step) {
  if (step.iteration > 0) object_->strands().rollback(group_);  // solved again, under other forces
  if (object_->moving_roots()) pose_ = object_->root_pose(group_, step.time + step.dt);
  assemblies_ = 0;
  newton_.step().active = Real::all(1);
  newton_.begin(group_, step.time + step.dt, step.dt, nullptr, object_->forces(), object_->constraints());
}

void StrandBlock::place() {
  if (object_->moving_roots()) newton_.place_roots(pose_);
  newton_.carry_loose();
}

std::size_t StrandBlock::size() const { return static_cast<std::size_t>(newton_.rows()) * lanes; }

Embedding StrandBlock::embedded(int place, const MaterialPoint& at) const {
  return newton_.step().embedded(place, at.cell, at.weights.x);
}

std::ptrdiff_t StrandBlock::row(int place, const MaterialPoint& at, int local) const {
  if (!newton_.is_free(at.cell + local / 4, local % 4, place)) return -1;
  return static_cast<std::ptrdiff_t>(newton_.row(at.cell, local)) * lanes + place;
}

void StrandBlock::assemble() {
  newton_.step().beta = Real::all(1);
  // Contacts push: strands are compressed, and without that part of their stiffness Newton's method creeps.
  newton_.step().curvature = contacts_ && ++assemblies_ <= exact_assemblies ? StrandStep::Curvature::compressed
                                                                            : StrandStep::Curvature::newton;
  factored_ = false;
  newton_.assemble(object_->forces(), object_->constraints());
}

void StrandBlock::add_force(std::size_t row, double force, double stiffness) {
  reinterpret_cast<double*>(newton_.step().residual)[row] += force;
  reinterpret_cast<double*>(newton_.step().scale)[row] += stiffness;
}

double StrandBlock::residual(double violation) const {
  const Real left = newton_.residual();
  double worst = 0;
  for (int lane = 0; lane < lanes; ++lane)
    if (object_->strands().group(group_).id[static_cast<std::size_t>(lane)] >= 0)
      worst = worse(worse(worst, left[lane]), violation / newton_.step().mean_length[lane]);
  return worst;
}

int StrandBlock::half_bandwidth() const {
  return newton_.step().multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth;
}

// Row and column of the matrix become those of the identity.
void StrandBlock::hold(std::size_t row) {
  const int half = half_bandwidth(), r = static_cast<int>(row) / lanes, lane = static_cast<int>(row) % lanes;
  auto* matrix = reinterpret_cast<double*>(newton_.step().matrix);
  const auto at = [&](int c, int k) -> double& { return matrix[(c * (half + 1) + k) * lanes + lane]; };
  for (int k = 1; k <= half; ++k) at(r, k) = 0;
  for (int c = std::max(0, r - half); c < r; ++c) at(c, r - c) = 0;
  at(r, 0) = 1;
}

// A multiplier whose edge is held at both ends has nothing left to act on. It gives way, to a stiffness that is far
// above that of its vertices: Newton's method still ends where the edge has its length.
void StrandBlock::yield_between(std::span<const std::size_t> held) {
  constexpr double firmness = 1e6;
  const int half = half_bandwidth();
  auto* matrix = reinterpret_cast<double*>(newton_.step().matrix);
  const auto* before = reinterpret_cast<const double*>(matrix_.data());
  const auto place = [&](int r, int c, int lane) {
    return static_cast<std::size_t>((std::min(r, c) * (half + 1) + std::abs(r - c)) * lanes + lane);
  };
  for (const std::size_t row : held) {
    const int r = static_cast<int>(row) / lanes, lane = static_cast<int>(row) % lanes;
    for (int m = std::max(0, r - half); m <= std::min(newton_.rows() - 1, r + half); ++m) {
      if (m == r || before[place(m, m, lane)] != 0 || matrix[place(m, m, lane)] != 0) continue;
      double acts = 0, stiffness = 0, slope = 0;
      for (int c = std::max(0, m - half); c <= std::min(newton_.rows() - 1, m + half); ++c) {
        if (c == m) continue;
        acts += std::fabs(matrix[place(m, c, lane)]);
        if (const double j = before[place(m, c, lane)]; j != 0) {
          slope += j * j;
          stiffness = std::max(stiffness, std::fabs(before[place(c, c, lane)]));
        }
      }
      if (acts == 0 && slope > 0) matrix[place(m, m, lane)] = -slope / (firmness * stiffness);
    }
  }
}

bool StrandBlock::factor(std::span<const std::size_t> without) {
  StrandStep& s = newton_.step();
  const int spare = half_bandwidth();
  const auto entries = static_cast<std::size_t>((newton_.rows() + spare) * (spare + 1));
  padded_.resize(static_cast<std::size_t>(newton_.rows() + spare));
  if (factored_)
    std::copy(matrix_.begin(), matrix_.end(), s.matrix);
  else
    matrix_.assign(s.matrix, s.matrix + entries);
  factored_ = true;
  for (;;) {
    for (const std::size_t row : without) hold(row);
    if (s.multipliers) yield_between(without);
    if (newton_.factor()) return true;
    for (int lane = 0; lane < lanes; ++lane)
      if (s.beta[lane] < 0) return false;
    const std::vector<Real> residual(s.residual, s.residual + newton_.rows());
    newton_.assemble(object_->forces(), object_->constraints());
    std::copy(residual.begin(), residual.end(), s.residual);
    matrix_.assign(s.matrix, s.matrix + entries);
  }
}

bool StrandBlock::factor() { return factor({}); }

bool StrandBlock::factor_without(std::span<const std::size_t> rows) { return factor(rows); }

void StrandBlock::right_side(double* b) const {
  const auto* residual = reinterpret_cast<const double*>(newton_.step().residual);
  const auto* condensed = reinterpret_cast<const double*>(newton_.step().condensed);
  for (std::size_t i = 0; i < size(); ++i) b[i] = -(residual[i] + condensed[i]);
}

void StrandBlock::solve(const double* r, double* z) const {
  std::fill(padded_.begin(), padded_.end(), Real::all(0));
  std::copy_n(r, size(), reinterpret_cast<double*>(padded_.data()));
  newton_.solve(padded_.data());
  std::copy_n(reinterpret_cast<const double*>(padded_.data()), size(), z);
}

void StrandBlock::product(const double* x, double* y) const {
  if (newton_.step().multipliers)
    band_product<MultiplierLayout>(matrix_.data(), x, y, newton_.rows());
  else
    band_product<PlainLayout>(matrix_.data(), x, y, newton_.rows());
}

std::int32_t StrandBlock::slot(std::size_t row) const {
  const auto lane = static_cast<std::int32_t>(row % lanes);
  return 3 * lane * lane_nodes() + static_cast<std::int32_t>(row / lanes);
}

void StrandBlock::visit_blocks(const BlockVisitor& visit) const {
  const int half = half_bandwidth(), rows = newton_.rows(), n = lane_nodes();
  const Real* matrix = kept();
  for (int lane = 0; lane < lanes; ++lane)
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n && 3 * i <= 3 * j + 2 + half; ++i) {
        double values[9] = {};
        for (int k = 0; k < 9; ++k) {
          const int r = std::max(3 * i + k / 3, 3 * j + k % 3), c = std::min(3 * i + k / 3, 3 * j + k % 3);
          if (r < rows && r - c <= half) values[k] = matrix[c * (half + 1) + r - c][lane];
        }
        visit(lane * n + i, lane * n + j, values);
      }
}

void StrandBlock::set_step(const double* step) {
  std::copy_n(step, size(), reinterpret_cast<double*>(newton_.step().step));
}

double StrandBlock::step_size() const {
  const Real sizes = newton_.step_size();
  double largest = 0;
  for (int lane = 0; lane < lanes; ++lane) largest = std::max(largest, sizes[lane]);
  return largest;
}

double StrandBlock::reach() const {
  const Real shares = newton_.reach();
  double share = 1;
  for (int lane = 0; lane < lanes; ++lane) share = std::min(share, shares[lane]);
  return share;
}

void StrandBlock::move(double share) { newton_.move(Real::all(share), Real::all(0), object_->constraints()); }

void StrandBlock::end() { newton_.end(object_->constraints()); }

ContactBlock* StrandBlock::contacts() {
  if (!contacts_) contacts_ = std::make_unique<StrandContacts>(*this);
  return contacts_.get();
}

}  // namespace ymir
