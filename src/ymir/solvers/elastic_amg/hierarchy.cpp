#include "ymir/solvers/elastic_amg/hierarchy.h"

#include <algorithm>
#include <cmath>

#include "ymir/parallel/bytes.h"
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

// Values of all ranks, in their order.
template <class T>
std::vector<std::remove_const_t<T>> gathered(const BlockLevel<modes>& level, std::span<T> here) {
  if (!level.ghosts) return {here.begin(), here.end()};
  std::vector<std::remove_const_t<T>> all;
  for (const Bytes& bytes : level.ghosts->communicator().all_gather(std::as_bytes(here))) {
    const auto part = from_bytes<std::remove_const_t<T>>(bytes);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}
template <class T>
std::vector<T> gathered(const BlockLevel<modes>& level, const std::vector<T>& here) {
  return gathered(level, std::span<const T>(here));
}

}  // namespace

void Hierarchy::analyze(const BlockMatrix& a) {
  rows_ = SymmetricRows(a);
  finest_.matrix.starts = rows_.starts();
  finest_.matrix.columns = rows_.columns();
  finest_.ghosts.reset();
  finest_.make_room();
  rigid_.resize(a.nodes());
  built_ = false;
}

void Hierarchy::analyze(const SharedRows& a) {
  finest_.matrix.starts = a.starts();
  finest_.matrix.columns = a.columns();
  finest_.ghosts = std::make_unique<GhostNodes>(a.communicator(), a.numbers(), 3);
  finest_.make_room();
  rigid_.resize(a.rows());
  built_ = false;
}

// link: size of one; block(entry, row): nine values, and whether they are by rows.
template <class Block>
void Hierarchy::take(double link, Block&& block) {
  // Links near 1, whatever the units: squares of them fit single precision.
  scale_ = link > 0 && std::isfinite(link) ? std::exp2(-std::ilogb(link)) : 1;
  each_row(finest_.rows(), [&](Index i) {
    for (Index k = finest_.matrix.starts[at(i)]; k < finest_.matrix.starts[at(i) + 1]; ++k) {
      const auto [from, by_rows] = block(k, i);
      float* to = finest_.matrix.block(k);
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          to[3 * c + r] = static_cast<float>((by_rows ? from[3 * r + c] : from[3 * c + r]) * scale_);
    }
  });
}

bool Hierarchy::refresh(const BlockMatrix& a, std::span<const Vec3d> positions) {
  double most = 0;
  for (Index i = 0; i < a.nodes(); ++i)
    if (const Index k = a.starts()[at(i)] + 1; k < a.starts()[at(i) + 1])
      for (int e = 0; e < 9; ++e) most = std::max(most, std::fabs(a.block(k)[e]));
  take(most, [&](Index k, Index i) { return std::pair(rows_.block(a, at(k)), finest_.matrix.columns[at(k)] <= i); });
  // After a failure nothing is known of the coarser levels.
  built_ = update(positions);
  return built_;
}

bool Hierarchy::refresh(const SharedRows& a, std::span<const Vec3d> positions) {
  double most = 0;
  for (Index i = 0; i < a.rows(); ++i)
    for (Index k = a.starts()[at(i)]; k < a.starts()[at(i) + 1]; ++k)
      for (int e = 0; e < 9 && a.columns()[at(k)] != i; ++e) most = std::max(most, std::fabs(a.block(k)[e]));
  take(a.communicator().max(most), [&](Index k, Index) { return std::pair(a.block(k), true); });
  built_ = update(positions);
  return built_;
}

bool Hierarchy::update(std::span<const Vec3d> positions) {
  if (!invert_diagonal(finest_) || !estimate_largest(finest_)) return false;
  set_rigid_modes(positions, finest_.ghosts ? &finest_.ghosts->communicator() : nullptr, rigid_);
  if (!built_) transfer_.resize(finest_, static_cast<Index>(positions.size()));
  const bool changed = transfer_.strength_changed(finest_) || !built_;
  if (changed) {
    if (coarse_.empty()) coarse_.push_back(std::make_unique<Coarse>());
    transfer_.build(finest_, coarse_[0]->level);
    coarse_[0]->rigid.resize(transfer_.coarse_rows());
  }
  if (transfer_.all_coarse_rows() == 0) return true;  // nothing holds anything: the smoother solves it
  transfer_.refresh(finest_, rigid_, coarse_[0]->rigid, coarse_[0]->level);
  return refresh_coarse(0, changed);
}

// Level l has its matrix and rigid modes; `changed`: they have another structure.
bool Hierarchy::refresh_coarse(std::size_t l, bool changed) {
  Coarse& c = *coarse_[l];
  const Index all = c.level.all_rows();
  const bool last = all <= few_rows || l + 1 == most_levels;
  if (!last) {
    if (!invert_diagonal(c.level) || !estimate_largest(c.level)) return false;
    if (changed) c.transfer.resize(c.level, c.level.rows());
    if (c.transfer.strength_changed(c.level) || changed) {
      changed = true;
      if (coarse_.size() == l + 1) coarse_.push_back(std::make_unique<Coarse>());
      c.transfer.build(c.level, coarse_[l + 1]->level);
      coarse_[l + 1]->rigid.resize(c.transfer.coarse_rows());
    }
    // Hardly any links are strong: no coarser level would help.
    if (2 * c.transfer.all_coarse_rows() <= all) {
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

// Entries of the lower triangle of all ranks, in their order.
void Hierarchy::build_coarsest(const BlockLevel<modes>& level) {
  std::vector<Entry> here;
  const Index first = level.ghosts ? level.ghosts->first() : 0;
  for (Index i = 0; i < level.rows(); ++i)
    for (Index k = level.matrix.starts[at(i)]; k < level.matrix.starts[at(i) + 1]; ++k) {
      const Index j = level.matrix.columns[at(k)];
      here.push_back({first + i, j < level.rows() ? first + j : level.ghosts->nodes().ghosts()[at(j - level.rows())]});
    }
  coarsest_entries_ = gathered(level, here);
  std::vector<std::int32_t> pairs;
  for (const auto& [i, j] : coarsest_entries_)
    for (Index half = 0; half < 4 && j <= i; ++half)
      if (i != j || half < 2) pairs.insert(pairs.end(), {2 * i + half / 2, 2 * j + half % 2});
  const BlockMatrix::Elements list[] = {{pairs, 2}};
  coarsest_ = BlockMatrix(2 * level.all_rows(), list);
  factor_.analyze(coarsest_);
  solution_.assign(static_cast<std::size_t>(modes) * at(level.all_rows()), 0);
}

bool Hierarchy::factor_coarsest(const BlockLevel<modes>& level) {
  constexpr std::size_t size = modes * modes;
  const std::vector<float> all =
      level.ghosts ? gathered(level, std::span(level.matrix.values).first(size * level.matrix.columns.size()))
                   : std::vector<float>();
  const float* values = level.ghosts ? all.data() : level.matrix.values.data();
  for (std::size_t k = 0; k < coarsest_entries_.size(); ++k) {
    const auto [row, column] = coarsest_entries_[k];
    const float* block = values + size * k;
    if (column > row) continue;
    for (Index i = 2 * row; i < 2 * row + 2; ++i)
      for (Index j = 2 * column; j < 2 * column + 2 && j <= i; ++j) {
        const auto value = [&](int r, int c) {
          return static_cast<double>(block[modes * (3 * (j % 2) + c) + 3 * (i % 2) + r]);
        };
        double* to = coarsest_.block(coarsest_.slot(i, j));
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 3; ++c) to[3 * r + c] = i == j ? (value(r, c) + value(c, r)) / 2 : value(r, c);
      }
  }
  return factor_.factor(coarsest_);
}

void Hierarchy::solve_coarsest(BlockLevel<modes>& level) {
  const std::size_t own = level.width * at(level.rows());
  const std::size_t first = level.ghosts ? level.width * at(level.ghosts->first()) : 0;
  if (level.ghosts) {
    const std::vector<float> all = gathered(level, std::span(level.b).first(own));
    std::copy(all.begin(), all.end(), solution_.begin());
  } else {
    std::copy_n(level.b.begin(), own, solution_.begin());
  }
  factor_.solve(solution_.data(), solution_.data());
  for (std::size_t i = 0; i < own; ++i) level.x[i] = static_cast<float>(solution_[first + i]);
}

void Hierarchy::cycle(std::size_t l) {
  BlockLevel<modes>& level = coarse_[l]->level;
  if (l + 1 == coarse_.size()) return solve_coarsest(level);
  level.smooth(true);
  level.residual();
  coarse_[l]->transfer.restrict_residual(level, coarse_[l + 1]->level);
  cycle(l + 1);
  coarse_[l]->transfer.add_correction(coarse_[l + 1]->level, level);
  level.smooth(false);
}

void Hierarchy::apply(std::span<const double> r, std::span<double> z) {
  // Residuals may be far from 1, where single precision ends.
  double most = largest(r);
  if (finest_.ghosts) most = finest_.ghosts->communicator().max(most);
  const double scale = most > 0 ? 1 / most : 1;
  each_row(finest_.rows(), [&](Index i) {
    for (std::size_t k = 3 * at(i); k < 3 * at(i) + 3; ++k) finest_.b[k] = static_cast<float>(r[k] * scale);
  });
  finest_.smooth(true);
  if (transfer_.all_coarse_rows() > 0) {
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
