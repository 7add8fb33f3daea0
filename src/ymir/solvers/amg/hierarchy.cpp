#include "ymir/solvers/amg/hierarchy.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "ymir/solvers/amg/foreign_rows.h"
#include "ymir/solvers/amg/galerkin.h"
#include "ymir/solvers/amg/root_rows.h"

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
double unit_scale(std::span<const double> v, const Halo* halo) {
  constexpr std::ptrdiff_t block = 65536;
  const auto count = static_cast<std::ptrdiff_t>(v.size());
  double largest = ordered_reduce((count + block - 1) / block, 0.0,
                                  [&](std::ptrdiff_t n) {
                                    double most = 0;
                                    for (std::ptrdiff_t i = n * block; i < std::min(count, (n + 1) * block); ++i)
                                      most = std::max(most, std::abs(v[static_cast<std::size_t>(i)]));
                                    return most;
                                  },
                                  [](double a, double b) { return std::max(a, b); });
  if (halo != nullptr) largest = halo->communicator().max(largest);
  if (!(largest > 0) || !std::isfinite(largest)) return 1;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, std::clamp(-exponent, -1000, 1000));
}

}  // namespace

// What follows the last level shared by the ranks.
struct AmgHierarchy::OnRoot {
  explicit OnRoot(const Halo& halo) : rows(halo.communicator(), halo.first_rows()) {}
  RootRows<float> rows;
  CsrMatrix matrix;  // the last level of all ranks
  AmgHierarchy hierarchy;
};

AmgHierarchy::AmgHierarchy() = default;
AmgHierarchy::~AmgHierarchy() = default;
AmgHierarchy::AmgHierarchy(AmgHierarchy&&) noexcept = default;
AmgHierarchy& AmgHierarchy::operator=(AmgHierarchy&&) noexcept = default;

void AmgHierarchy::start(const CsrMatrix& matrix, const AmgOptions& options, Kind kind, Halo* halo) {
  matrix_ = &matrix;
  options_ = options;
  kind_ = kind;
  divided_here_ = 0;
  gathered_levels_ = 0;
  root_.reset();
  levels_.clear();
  levels_.push_back(std::make_unique<Level>());
  levels_.front()->halo = halo;
}

void AmgHierarchy::build(const CsrMatrix& matrix, const AmgOptions& options, Halo* halo) {
  start(matrix, options, Kind::constants, halo);
  coarsen_all();
}

void AmgHierarchy::build(const CsrMatrix& matrix, int columns, std::vector<double> vectors, int unknowns_per_node,
                         const AmgOptions& options) {
  YMIR_CHECK(columns > 0 &&
             vectors.size() == static_cast<std::size_t>(matrix.rows()) * static_cast<std::size_t>(columns));
  YMIR_CHECK(unknowns_per_node > 0 && matrix.rows() % unknowns_per_node == 0);
  start(matrix, options, Kind::vectors, nullptr);
  vectors_ = {columns, std::move(vectors)};
  nodes_.clear();
  if (unknowns_per_node > 1)
    for (Index i = 0; i <= matrix.rows(); i += unknowns_per_node) nodes_.push_back(i);
  coarsen_all();
  vectors_ = {};
  nodes_ = {};
}

void AmgHierarchy::build_split(const CsrMatrix& matrix, std::vector<Vec3i> cells, const AmgOptions& options,
                               Halo* halo) {
  YMIR_CHECK(cells.size() == matrix.row_sums.size());
  start(matrix, options, Kind::split, halo);
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

bool AmgHierarchy::becomes_gathered(const Level& level) const {
  return level.halo != nullptr &&
         level.all_rows() <= std::max<std::int64_t>(options_.gathered_rows, std::int64_t{options_.gathered_rows} / 5 *
                                                                                level.halo->communicator().size());
}

void AmgHierarchy::coarsen_all() {
  take_finest(*matrix_, *levels_.front());
  const Index small = kind_ == Kind::split ? dense_rows_split : dense_rows;
  while (levels_.back()->halo != nullptr ? !becomes_gathered(*levels_.back()) : levels_.back()->rows > small) {
    std::unique_ptr<Level> coarse = coarsened(*levels_.back());
    if (!coarse) break;
    levels_.push_back(std::move(coarse));
  }
  for (const auto& level : levels_) level->prepare(true);
  finish();
  count();
}

// False: they would not make it much smaller.
bool AmgHierarchy::aggregate(const Level& fine, const Graph& graph, int level, Aggregates& aggregates) {
  if (kind_ == Kind::split)
    aggregates = split_aggregates(graph, cells_, divided_here_);
  else if (kind_ == Kind::vectors && !nodes_.empty())
    aggregates = smoothed_aggregates(condensed(graph, nodes_).view(graph.limit), false);
  else
    aggregates = smoothed_aggregates(graph, level == 0 && options_.wide);

  std::int64_t count = aggregates.count, members = static_cast<std::int64_t>(aggregates.of.size());
  if (fine.halo != nullptr) {
    count = fine.halo->communicator().sum(count);
    members = fine.all_rows();
  }
  // Cells of different blocks meet in the next one or a later one.
  const bool stalls = static_cast<double>(count) > least_reduction * static_cast<double>(members);
  return count > 0 && !(kind_ == Kind::split ? level + 1 >= most_split_levels : stalls);
}

std::unique_ptr<Level> AmgHierarchy::coarsened(Level& fine) {
  std::vector<float> diagonal(static_cast<std::size_t>(fine.columns_here()));
  parallel_blocks(fine.rows, 65536, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i)
      diagonal[static_cast<std::size_t>(i)] = fine.diagonal(i);
  });
  if (fine.halo != nullptr) fine.halo->fetch(diagonal.data(), diagonal.data() + fine.rows);
  const int level = depth_ + static_cast<int>(levels_.size()) - 1;
  const double threshold = options_.strength * std::ldexp(1.0, -level), limit = threshold * threshold;
  const Graph graph{fine.rows, fine.starts, fine.columns, fine.values, diagonal.data(), limit};
  Aggregates aggregates;
  if (!aggregate(fine, graph, level, aggregates)) return nullptr;

  std::optional<GhostNumbers> numbers;
  if (fine.halo != nullptr) {
    Communicator& communicator = fine.halo->communicator();
    numbers.emplace(first_rows_of(communicator, aggregates.count), communicator.rank());
    append_ghosts(*fine.halo, aggregates, *numbers);
  }
  Entries p;
  switch (kind_) {
    case Kind::split: p.columns = std::move(aggregates.of); break;
    case Kind::constants:
      p = smoothed_constants(graph, aggregates, level == 0 ? finest_entries : coarse_entries);
      if (numbers) append_ghosts(*fine.halo, p, *numbers);
      break;
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
  auto coarse = std::make_unique<Level>();
  set_galerkin(fine, kind_ == Kind::split ? split_factor : 1, kind_ != Kind::vectors, numbers ? &*numbers : nullptr,
               *coarse);
  if (numbers) {
    coarse->own_halo = std::make_unique<Halo>(fine.halo->communicator(), *numbers);
    coarse->halo = coarse->own_halo.get();
  }
  return coarse;
}

// Rank 0 takes the last level over.
void AmgHierarchy::gather() {
  const Level& level = *levels_.back();
  const bool first = root_ == nullptr;
  if (first) root_ = std::make_unique<OnRoot>(*level.halo);
  CsrMatrix here;
  here.starts.assign(level.starts, level.starts + level.rows + 1);
  here.columns.assign(level.columns, level.columns + here.starts.back());
  here.values.assign(level.values, level.values + here.starts.back());
  for (Index i = 0; i < level.rows; ++i) here.row_sums.push_back(static_cast<double>(level.row_sum(i)));
  root_->matrix = gathered(here, *level.halo);
  Communicator& communicator = level.halo->communicator();
  std::vector<Vec3i> cells;
  if (first && kind_ == Kind::split) cells = gathered(communicator, std::span<const Vec3i>(cells_));
  if (!communicator.root()) return;
  AmgHierarchy& next = root_->hierarchy;
  next.depth_ = static_cast<int>(levels_.size()) - 1;
  if (!first)
    next.update_values();
  else if (kind_ == Kind::split)
    next.build_split(root_->matrix, std::move(cells), options_);
  else
    next.build(root_->matrix, options_);
}

void AmgHierarchy::finish() {
  const Level& last = *levels_.back();
  coarsest_.clear();
  if (becomes_gathered(last))
    gather();
  else if (last.halo == nullptr && last.rows <= largest_dense)
    coarsest_.factor(last);
}

// Figures of all ranks.
void AmgHierarchy::count() {
  std::int64_t first = levels_.front()->starts[levels_.front()->rows] + levels_.front()->rows;
  entries_ = 0;
  for (const auto& level : levels_) entries_ += level->starts[level->rows] + level->rows;
  divided_ = divided_here_;
  if (const Halo* halo = levels_.front()->halo; halo != nullptr) {
    Communicator& communicator = halo->communicator();
    if (root_ && communicator.root()) {
      // The last level here is the first there.
      const Level& same = root_->hierarchy.level(0);
      entries_ += root_->hierarchy.entries_ - same.starts[same.rows] - same.rows;
      divided_ += root_->hierarchy.divided_;
      gathered_levels_ = root_->hierarchy.levels();
    }
    first = communicator.sum(first);
    entries_ = communicator.sum(entries_);
    divided_ = communicator.sum(divided_);
    gathered_levels_ = static_cast<int>(communicator.max(std::int64_t{gathered_levels_}));
  }
  complexity_ = static_cast<double>(entries_) / static_cast<double>(first);
}

void AmgHierarchy::update_values() {
  YMIR_CHECK(!levels_.empty());
  take_finest(*matrix_, *levels_.front());
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    Level& coarse = *levels_[l + 1];
    std::optional<GhostNumbers> numbers;
    if (coarse.halo != nullptr) numbers = coarse.halo->numbers();
    set_galerkin(*levels_[l], kind_ == Kind::split ? split_factor : 1, kind_ != Kind::vectors,
                 numbers ? &*numbers : nullptr, coarse);
    YMIR_CHECK(!numbers || numbers->ghosts().size() == coarse.halo->ghosts().size());
  }
  for (const auto& level : levels_) level->prepare(false);
  finish();
}

void AmgHierarchy::set_cycle(bool w_cycle, int sweeps) {
  options_.w_cycle = w_cycle;
  options_.sweeps = sweeps;
  if (root_) root_->hierarchy.set_cycle(w_cycle, sweeps);
}

void AmgHierarchy::smooth_coarsest(Level& level) {
  level.sweep_from_zero();
  for (int n = 1; n < coarsest_sweeps; ++n) level.sweep(true);
  for (int n = 0; n < coarsest_sweeps; ++n) level.sweep(false);
}

void AmgHierarchy::visit(std::size_t l, bool from_zero) {
  Level& level = *levels_[l];
  if (l + 1 == levels_.size()) {
    if (root_)
      visit_root(level, from_zero);
    else
      coarsest_.empty() ? smooth_coarsest(level) : coarsest_.solve(level);
    return;
  }
  Level& coarse = *levels_[l + 1];
  if (from_zero) level.sweep_from_zero();
  for (int n = from_zero ? 1 : 0; n < options_.sweeps; ++n) level.sweep(true);
  level.residual();
  level.prolong.transpose(level.r, coarse.b);
  if (coarse.halo != nullptr) coarse.halo->add_back(coarse.b.data() + coarse.rows, coarse.b.data());
  visit(l + 1, true);
  // Twice only where rows became fewer: the cost stays that of a few sweeps per level.
  const bool coarsest = l + 2 == levels_.size() && gathered_levels_ <= 1;
  if (options_.w_cycle && !coarsest && 2 * std::int64_t{coarse.all_rows()} <= level.all_rows()) visit(l + 1, false);
  coarse.fetch_x();
  level.prolong.add(coarse.x, level.x);
  for (int n = 0; n < options_.sweeps; ++n) level.sweep(false);
}

// The last level that ranks share, by rank 0; a second visit goes on from what the first one left there.
void AmgHierarchy::visit_root(Level& level, bool from_zero) {
  if (from_zero) root_->rows.gather(level.b);
  if (!root_->rows.all().empty()) {
    Level& there = *root_->hierarchy.levels_.front();
    if (from_zero) std::copy_n(root_->rows.all().begin(), there.rows, there.b.begin());
    root_->hierarchy.visit(0, from_zero);
    std::copy_n(there.x.begin(), there.rows, root_->rows.all().begin());
  }
  root_->rows.scatter(level.x);
}

void AmgHierarchy::apply(std::span<const double> r, std::span<double> z) {
  Level& finest = *levels_.front();
  const double scale = unit_scale(r, finest.halo), back = 1 / scale;
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

std::size_t AmgHierarchy::bytes() const {
  std::size_t sum = coarsest_.bytes();
  for (const auto& level : levels_) sum += level->bytes();
  if (root_) sum += root_->rows.bytes() + root_->matrix.bytes() + root_->hierarchy.bytes();
  return sum;
}

}  // namespace ymir
