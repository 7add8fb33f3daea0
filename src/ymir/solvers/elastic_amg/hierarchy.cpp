#include "ymir/solvers/elastic_amg/hierarchy.h"

#include <algorithm>
#include <cmath>

#include "ymir/solvers/elastic_amg/diagonal_blocks.h"

namespace ymir::elastic_amg {
namespace {

constexpr Index few_rows = 100;  // factored
constexpr int most_levels = 12;

// Largest of a vector.
double largest(std::span<const double> r) {
  constexpr std::ptrdiff_t block = 65536;
  const auto n = static_cast<std::ptrdiff_t>(r.size());
  return ordered_reduce((n + block - 1) / block, 0.0,
                        [&](std::ptrdiff_t c) {
                          double most = 0;
                          for (std::ptrdiff_t i = c * block; i < std::min(n, (c + 1) * block); ++i)
                            most = std::max(most, std::fabs(r[static_cast<std::size_t>(i)]));
                          return most;
                        },
                        [](double a, double b) { return std::max(a, b); });
}

}  // namespace

void Hierarchy::analyze(const BlockMatrix& a) {
  rows_ = SymmetricRows(a);
  finest_.matrix.starts = rows_.starts();
  finest_.matrix.columns = rows_.columns();
  finest_.make_room();
  rigid_.resize(a.nodes());
  built_ = false;
}

void Hierarchy::take(const BlockMatrix& a) {
  // Links near 1, whatever the units: squares of them fit single precision.
  double most = 0;
  for (Index i = 0; i < a.nodes(); ++i)
    if (const Index k = a.starts()[at(i)] + 1; k < a.starts()[at(i) + 1])
      for (int e = 0; e < 9; ++e) most = std::max(most, std::fabs(a.block(k)[e]));
  scale_ = most > 0 && std::isfinite(most) ? std::exp2(-std::ilogb(most)) : 1;
  each_row(a.nodes(), [&](Index i) {
    for (Index k = finest_.matrix.starts[at(i)]; k < finest_.matrix.starts[at(i) + 1]; ++k) {
      const double* from = rows_.block(a, at(k));
      float* to = finest_.matrix.block(k);
      const bool by_rows = finest_.matrix.columns[at(k)] <= i;
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          to[3 * c + r] = static_cast<float>((by_rows ? from[3 * r + c] : from[3 * c + r]) * scale_);
    }
  });
}

bool Hierarchy::refresh(const BlockMatrix& a, std::span<const Vec3d> positions) {
  take(a);
  if (!invert_diagonal(finest_) || !estimate_largest(finest_)) return false;
  set_rigid_modes(positions, rigid_);
  if (!built_) transfer_.resize(finest_, static_cast<Index>(positions.size()));
  const bool changed = transfer_.strength_changed(finest_) || !built_;
  if (changed) {
    if (coarse_.empty()) coarse_.push_back(std::make_unique<Coarse>());
    transfer_.build(finest_, coarse_[0]->level);
    coarse_[0]->rigid.resize(transfer_.coarse_rows());
  }
  built_ = true;
  if (transfer_.coarse_rows() == 0) return true;  // nothing holds anything: the smoother solves it
  transfer_.refresh(finest_, rigid_, coarse_[0]->rigid, coarse_[0]->level);
  return refresh_coarse(0, changed);
}

// Level l has its matrix and rigid modes; `changed`: they have another structure.
bool Hierarchy::refresh_coarse(std::size_t l, bool changed) {
  Coarse& c = *coarse_[l];
  const Index rows = c.level.rows();
  const bool last = rows <= few_rows || l + 1 == most_levels;
  if (!last) {
    if (!invert_diagonal(c.level) || !estimate_largest(c.level)) return false;
    if (changed) c.transfer.resize(c.level, rows);
    if (c.transfer.strength_changed(c.level) || changed) {
      changed = true;
      if (coarse_.size() == l + 1) coarse_.push_back(std::make_unique<Coarse>());
      c.transfer.build(c.level, coarse_[l + 1]->level);
      coarse_[l + 1]->rigid.resize(c.transfer.coarse_rows());
    }
    // Hardly any links are strong: no coarser level would help.
    if (2 * c.transfer.coarse_rows() <= rows) {
      c.transfer.refresh(c.level, c.rigid, coarse_[l + 1]->rigid, coarse_[l + 1]->level);
      return refresh_coarse(l + 1, changed);
    }
  }
  if (changed) {
    coarse_.resize(l + 1);
    build_coarsest(c.level);
  }
  return factor_coarsest(c.level);
}

void Hierarchy::build_coarsest(const BlockLevel<modes>& level) {
  std::vector<std::int32_t> pairs;
  for (Index i = 0; i < level.rows(); ++i) {
    pairs.insert(pairs.end(), {2 * i, 2 * i + 1});
    for (Index k = level.matrix.starts[at(i)]; k < level.matrix.starts[at(i) + 1]; ++k)
      if (const Index j = level.matrix.columns[at(k)]; j < i)
        for (Index half = 0; half < 4; ++half) pairs.insert(pairs.end(), {2 * i + half / 2, 2 * j + half % 2});
  }
  const BlockMatrix::Elements list[] = {{pairs, 2}};
  coarsest_ = BlockMatrix(2 * level.rows(), list);
  factor_.analyze(coarsest_);
  solution_.assign(static_cast<std::size_t>(modes) * at(level.rows()), 0);
}

bool Hierarchy::factor_coarsest(const BlockLevel<modes>& level) {
  for (Index j = 0; j < coarsest_.nodes(); ++j)
    for (Index s = coarsest_.starts()[at(j)]; s < coarsest_.starts()[at(j) + 1]; ++s) {
      const Index i = coarsest_.rows()[at(s)];
      const auto first = level.matrix.columns.begin() + level.matrix.starts[at(i / 2)];
      const auto end = level.matrix.columns.begin() + level.matrix.starts[at(i / 2) + 1];
      const auto k = static_cast<Index>(std::lower_bound(first, end, j / 2) - level.matrix.columns.begin());
      const float* block = level.matrix.block(k);
      const auto value = [&](int r, int c) {
        return static_cast<double>(block[modes * (3 * (j % 2) + c) + 3 * (i % 2) + r]);
      };
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          coarsest_.block(s)[3 * r + c] = i == j ? (value(r, c) + value(c, r)) / 2 : value(r, c);
    }
  return factor_.factor(coarsest_);
}

void Hierarchy::cycle(std::size_t l) {
  BlockLevel<modes>& level = coarse_[l]->level;
  if (l + 1 == coarse_.size()) {
    for (std::size_t i = 0; i < solution_.size(); ++i) solution_[i] = static_cast<double>(level.b[i]);
    factor_.solve(solution_.data(), solution_.data());
    for (std::size_t i = 0; i < solution_.size(); ++i) level.x[i] = static_cast<float>(solution_[i]);
    return;
  }
  level.smooth(true);
  level.residual();
  coarse_[l]->transfer.restrict_residual(level, coarse_[l + 1]->level);
  cycle(l + 1);
  coarse_[l]->transfer.add_correction(coarse_[l + 1]->level, level);
  level.smooth(false);
}

void Hierarchy::apply(std::span<const double> r, std::span<double> z) {
  // Residuals may be far from 1, where single precision ends.
  const double most = largest(r), scale = most > 0 ? 1 / most : 1;
  each_row(finest_.rows(), [&](Index i) {
    for (std::size_t k = 3 * at(i); k < 3 * at(i) + 3; ++k) finest_.b[k] = static_cast<float>(r[k] * scale);
  });
  finest_.smooth(true);
  if (transfer_.coarse_rows() > 0) {
    finest_.residual();
    transfer_.restrict_residual(finest_, coarse_[0]->level);
    cycle(0);
    transfer_.add_correction(coarse_[0]->level, finest_);
  }
  finest_.smooth(false);
  each_row(finest_.rows(), [&](Index i) {
    for (std::size_t k = 3 * at(i); k < 3 * at(i) + 3; ++k) z[k] = static_cast<double>(finest_.x[k]) * (most * scale_);
  });
}

double Hierarchy::complexity() const {
  auto entries = static_cast<double>(finest_.matrix.values.size());
  for (const auto& c : coarse_) entries += static_cast<double>(c->level.matrix.values.size());
  return entries / static_cast<double>(finest_.matrix.values.size());
}

std::size_t Hierarchy::bytes() const {
  std::size_t sum = finest_.bytes() + transfer_.bytes() + 8 * rigid_.values.size();
  for (const auto& c : coarse_) sum += c->level.bytes() + c->transfer.bytes() + 8 * c->rigid.values.size();
  return sum;
}

}  // namespace ymir::elastic_amg
