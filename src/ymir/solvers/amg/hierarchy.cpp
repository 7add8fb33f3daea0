#include "ymir/solvers/amg/hierarchy.h"

#include <cmath>

#include "ymir/solvers/amg/galerkin.h"

namespace ymir {

using namespace amg;

namespace {

constexpr Index dense_rows = 500;        // solved directly
constexpr Index dense_rows_split = 64;   // W cycles come here often
constexpr Index largest_dense = 1500;    // where coarsening stalls; beyond, smoothing has to do
constexpr double least_reduction = 0.8;  // of rows per level
constexpr int coarsest_sweeps = 20;
constexpr int most_split_levels = 24;
constexpr int finest_entries = 5, coarse_entries = 16;  // of a row of P; the finest level holds most of the memory
constexpr double split_factor = 0.5;                    // twice the distance between unknowns of blocks twice as wide

// A power of two that brings values to about 1: scaling by it is exact.
double unit_scale(std::span<const double> v) {
  constexpr std::ptrdiff_t block = 65536;
  const auto count = static_cast<std::ptrdiff_t>(v.size());
  const double largest = ordered_reduce((count + block - 1) / block, 0.0,
                                        [&](std::ptrdiff_t n) {
                                          double most = 0;
                                          for (std::ptrdiff_t i = n * block; i < std::min(count, (n + 1) * block); ++i)
                                            most = std::max(most, std::abs(v[static_cast<std::size_t>(i)]));
                                          return most;
                                        },
                                        [](double a, double b) { return std::max(a, b); });
  if (!(largest > 0) || !std::isfinite(largest)) return 1;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
}

}  // namespace

void AmgHierarchy::start(const CsrMatrix& matrix, const AmgOptions& options, Kind kind) {
  matrix_ = &matrix;
  options_ = options;
  kind_ = kind;
  divided_ = 0;
  levels_.clear();
  levels_.push_back(std::make_unique<Level>());
}

void AmgHierarchy::build(const CsrMatrix& matrix, const AmgOptions& options) {
  start(matrix, options, Kind::constants);
  coarsen_all();
}

void AmgHierarchy::build(const CsrMatrix& matrix, int columns, std::vector<double> vectors, int unknowns_per_node,
                         const AmgOptions& options) {
  YMIR_CHECK(columns > 0 &&
             vectors.size() == static_cast<std::size_t>(matrix.rows()) * static_cast<std::size_t>(columns));
  YMIR_CHECK(unknowns_per_node > 0 && matrix.rows() % unknowns_per_node == 0);
  start(matrix, options, Kind::vectors);
  vectors_ = {columns, std::move(vectors)};
  nodes_.clear();
  if (unknowns_per_node > 1)
    for (Index i = 0; i <= matrix.rows(); i += unknowns_per_node) nodes_.push_back(i);
  coarsen_all();
  vectors_ = {};
  nodes_ = {};
}

void AmgHierarchy::build_split(const CsrMatrix& matrix, std::vector<Vec3i> cells, const AmgOptions& options) {
  YMIR_CHECK(cells.size() == matrix.row_sums.size());
  start(matrix, options, Kind::split);
  cells_ = std::move(cells);
  coarsen_all();
  cells_ = {};
}

// Takes the finest matrix as it is now.
void take_finest(const CsrMatrix& matrix, Level& level) {
  level.rows = matrix.rows();
  level.block = block_rows(level.rows);
  level.starts = matrix.starts.data();
  level.columns = matrix.columns.data();
  level.values = matrix.values.data();
  level.exact_sums = matrix.row_sums.data();
}

void AmgHierarchy::coarsen_all() {
  take_finest(*matrix_, *levels_.front());
  const Index small = kind_ == Kind::split ? dense_rows_split : dense_rows;
  while (levels_.back()->rows > small) {
    Level& fine = *levels_.back();
    if (!coarsen(fine)) break;
    levels_.push_back(std::make_unique<Level>());
    set_galerkin(fine, kind_ == Kind::split ? split_factor : 1, kind_ != Kind::vectors, *levels_.back());
  }
  for (const auto& level : levels_) level->prepare(true);
  finish();
}

bool AmgHierarchy::coarsen(Level& fine) {
  std::vector<float> diagonal(static_cast<std::size_t>(fine.rows));
  parallel_blocks(fine.rows, 65536, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i)
      diagonal[static_cast<std::size_t>(i)] = fine.diagonal(i);
  });
  const bool finest = &fine == levels_.front().get();
  const double threshold = options_.strength * std::ldexp(1.0, 1 - levels()), limit = threshold * threshold;
  const Graph graph{fine.rows, fine.starts, fine.columns, fine.values, diagonal.data(), limit};
  Aggregates aggregates;
  if (kind_ == Kind::split)
    aggregates = split_aggregates(graph, cells_, divided_);
  else if (kind_ == Kind::vectors && !nodes_.empty())
    aggregates = smoothed_aggregates(condensed(graph, nodes_).view(limit), false);
  else
    aggregates = smoothed_aggregates(graph, finest && options_.wide);
  if (aggregates.count == 0) return false;
  // Cells of different blocks meet in the next one or a later one.
  const bool stalls = aggregates.count > least_reduction * static_cast<double>(aggregates.of.size());
  if (kind_ == Kind::split ? levels() >= most_split_levels : stalls) return false;
  Entries p;
  switch (kind_) {
    case Kind::split: p.columns = std::move(aggregates.of); break;
    case Kind::constants: p = smoothed_constants(graph, aggregates, finest ? finest_entries : coarse_entries); break;
    case Kind::vectors: {
      p = smoothed_vectors(graph, aggregates, vectors_, nodes_);
      // Nodes are other blocks than rows: any share will do.
      const Index block = block_rows(fine.rows), blocks = (fine.rows + block - 1) / block;
      aggregates.first.assign(1, 0);
      for (std::int64_t b = 1; b <= blocks; ++b)
        aggregates.first.push_back(static_cast<Index>(nodes_.back() * b / blocks));
      break;
    }
  }
  fine.prolong = Prolongation(std::move(p), fine.rows, std::move(aggregates.first));
  return true;
}

void AmgHierarchy::finish() {
  if (levels_.back()->rows <= largest_dense)
    coarsest_.factor(*levels_.back());
  else
    coarsest_.clear();
}

void AmgHierarchy::update_values() {
  YMIR_CHECK(!levels_.empty());
  take_finest(*matrix_, *levels_.front());
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l)
    set_galerkin(*levels_[l], kind_ == Kind::split ? split_factor : 1, kind_ != Kind::vectors, *levels_[l + 1]);
  for (const auto& level : levels_) level->prepare(false);
  finish();
}

void AmgHierarchy::set_cycle(bool w_cycle, int sweeps) {
  options_.w_cycle = w_cycle;
  options_.sweeps = sweeps;
}

void AmgHierarchy::smooth_coarsest(Level& level) {
  level.sweep_from_zero();
  for (int n = 1; n < coarsest_sweeps; ++n) level.sweep(true);
  for (int n = 0; n < coarsest_sweeps; ++n) level.sweep(false);
}

void AmgHierarchy::visit(std::size_t l, bool from_zero) {
  Level& level = *levels_[l];
  if (l + 1 == levels_.size()) {
    coarsest_.empty() ? smooth_coarsest(level) : coarsest_.solve(level);
    return;
  }
  Level& coarse = *levels_[l + 1];
  if (from_zero) level.sweep_from_zero();
  for (int n = from_zero ? 1 : 0; n < options_.sweeps; ++n) level.sweep(true);
  level.residual();
  level.prolong.transpose(level.r, coarse.b);
  visit(l + 1, true);
  // Twice only where rows became fewer: the cost stays that of a few sweeps per level.
  if (options_.w_cycle && l + 2 < levels_.size() && 2 * coarse.rows <= level.rows) visit(l + 1, false);
  level.prolong.add(coarse.x, level.x);
  for (int n = 0; n < options_.sweeps; ++n) level.sweep(false);
}

void AmgHierarchy::apply(std::span<const double> r, std::span<double> z) {
  Level& finest = *levels_.front();
  const double scale = unit_scale(r), back = 1 / scale;
  finest.for_each_block([&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      finest.b[i] = static_cast<float>(r[i] * scale);
  });
  visit(0, true);
  finest.for_each_block([&](Index begin, Index end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      z[i] = static_cast<double>(finest.x[i]) * back;
  });
}

double AmgHierarchy::operator_complexity() const {
  double all = 0;
  for (const auto& level : levels_) all += level->starts[level->rows] + level->rows;
  return all / (levels_.front()->starts[levels_.front()->rows] + levels_.front()->rows);
}

std::size_t AmgHierarchy::bytes() const {
  std::size_t sum = coarsest_.bytes();
  for (const auto& level : levels_) sum += level->bytes();
  return sum;
}

}  // namespace ymir
