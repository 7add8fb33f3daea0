#include "ymir/solvers/amg/algebraic_solver.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ymir/parallel/bytes.h"

namespace ymir {
namespace {

constexpr std::int32_t largest_direct = 300000;  // rows: fill of a cube of cells grows with the power 4/3
constexpr std::ptrdiff_t mean_block = 65536;

// All ranks' values in their order, on rank 0.
template <class T>
std::vector<T> gathered(Communicator& communicator, std::vector<T>&& local) {
  if (communicator.size() == 1) return std::move(local);
  std::vector<T> all;
  for (const Bytes& part : communicator.gather(std::as_bytes(std::span<const T>(local)))) {
    const std::vector<T> values = from_bytes<T>(part);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace

void AlgebraicSolver::clear() {
  empty_ = true;
  built_ = false;
  system_ = {};
  hierarchy_ = {};
  direct_.reset();
}

void AlgebraicSolver::set_system(AlgebraicSystem local, bool same_structure) {
  Communicator& c = *communicator_;
  YMIR_CHECK(!same_structure || !empty_);
  const auto rows = static_cast<std::int64_t>(local.matrix.rows());
  if (c.size() > 1) {
    std::vector<std::int32_t> counts;
    for (std::int64_t i = 0; i < rows; ++i)
      counts.push_back(local.matrix.starts[static_cast<std::size_t>(i) + 1] -
                       local.matrix.starts[static_cast<std::size_t>(i)]);
    counts = gathered(c, std::move(counts));
    local.matrix.starts.assign(1, 0);
    for (const std::int32_t count : counts) local.matrix.starts.push_back(local.matrix.starts.back() + count);
  }
  first_rows_ = gathered(c, std::vector<std::int64_t>{rows});
  first_rows_.insert(first_rows_.begin(), 0);
  std::partial_sum(first_rows_.begin(), first_rows_.end(), first_rows_.begin());
  CsrMatrix& m = system_.matrix;
  m.values = gathered(c, std::move(local.matrix.values));
  m.exact = gathered(c, std::move(local.matrix.exact));
  m.row_sums = gathered(c, std::move(local.matrix.row_sums));
  if (same_structure) {
    YMIR_CHECK(m.values.size() == m.columns.size() || !c.root());
    if (built_ && c.root() && method_ != AlgebraicMethod::direct) hierarchy_.update_values();
    if (method_ == AlgebraicMethod::direct) built_ = false;
    return;
  }
  m.starts = std::move(local.matrix.starts);
  m.columns = gathered(c, std::move(local.matrix.columns));
  system_.closed = gathered(c, std::move(local.closed));
  system_.cells = gathered(c, std::move(local.cells));
  closed_rows_.clear();
  for (const std::int32_t component : system_.closed) {
    if (component < 0) continue;
    if (static_cast<std::size_t>(component) >= closed_rows_.size())
      closed_rows_.resize(static_cast<std::size_t>(component) + 1, 0);
    ++closed_rows_[static_cast<std::size_t>(component)];
  }
  means_.resize(closed_rows_.size());
  empty_ = built_ = false;
  hierarchy_ = {};
  direct_.reset();
}

void AlgebraicSolver::choose(AlgebraicMethod method, const AmgOptions& options) {
  if (method != method_) built_ = false;
  method_ = method;
  options_ = options;
  if (built_ && method_ != AlgebraicMethod::direct) hierarchy_.set_cycle(options.w_cycle, options.sweeps);
}

void AlgebraicSolver::build() {
  if (built_) return;
  built_ = true;
  if (!communicator_->root()) return;
  const CsrMatrix& m = system_.matrix;
  switch (method_) {
    case AlgebraicMethod::smoothed: hierarchy_.build(m, options_); break;
    case AlgebraicMethod::split: hierarchy_.build_split(m, system_.cells, options_); break;
    case AlgebraicMethod::direct: factor(); break;
  }
}

// The first row of every closed component is held at 0.
void AlgebraicSolver::factor() {
  const CsrMatrix& m = system_.matrix;
  direct_.reset();
  held_.assign(static_cast<std::size_t>(m.rows()), 0);
  if (m.rows() > largest_direct) return;
  std::vector<char> seen(closed_rows_.size(), 0);
  for (std::size_t i = 0; i < system_.closed.size(); ++i)
    if (const std::int32_t component = system_.closed[i]; component >= 0)
      held_[i] = std::exchange(seen[static_cast<std::size_t>(component)], 1) == 0;
  std::vector<Triplet> triplets;
  for (std::int32_t i = 0; i < m.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    const double diagonal = m.diagonal(i);
    triplets.push_back({i, i, held_[row] || !(diagonal > 0) ? 1 : diagonal});
    for (auto k = static_cast<std::size_t>(m.starts[row]); k < static_cast<std::size_t>(m.starts[row + 1]); ++k)
      if (m.columns[k] < i && !held_[row] && !held_[static_cast<std::size_t>(m.columns[k])])
        triplets.push_back({i, m.columns[k], m.exact.empty() ? static_cast<double>(m.values[k]) : m.exact[k]});
  }
  direct_matrix_ = SymmetricMatrix(m.rows(), triplets);
  direct_ = std::make_unique<DirectSolver>();
  direct_->analyze(direct_matrix_);
  if (!direct_->factor(direct_matrix_)) direct_.reset();
}

void AlgebraicSolver::remove_means(std::span<double> v) {
  if (closed_rows_.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(v.size()), parts = (count + mean_block - 1) / mean_block;
  const std::size_t components = closed_rows_.size();
  part_sums_.assign(static_cast<std::size_t>(parts) * components, 0);
  parallel_blocks(count, mean_block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    double* sums = part_sums_.data() + static_cast<std::size_t>(begin / mean_block) * components;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      if (system_.closed[i] >= 0) sums[system_.closed[i]] += v[i];
  });
  for (std::size_t c = 0; c < components; ++c) {
    double sum = 0;
    for (std::size_t p = 0; p < static_cast<std::size_t>(parts); ++p) sum += part_sums_[p * components + c];
    means_[c] = sum / static_cast<double>(std::max<std::int64_t>(closed_rows_[c], 1));
  }
  parallel_blocks(count, mean_block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      if (system_.closed[i] >= 0) v[i] -= means_[static_cast<std::size_t>(system_.closed[i])];
  });
}

CgReport AlgebraicSolver::solve_direct(std::span<const double> b, std::span<double> x, const CgOptions& options) {
  CgReport report;
  report.status = CgStatus::stagnated;
  if (!direct_) return report;
  const CsrMatrix& m = system_.matrix;
  std::vector<double> rhs(b.begin(), b.end()), correction(b.size());
  std::fill(x.begin(), x.end(), 0.0);
  workspace_.resize(b.size());
  const double target = std::max(options.relative * std::sqrt(InnerProduct{}(b, b)), options.absolute);
  for (int refinement = 0; refinement < 3; ++refinement) {
    for (std::size_t i = 0; i < rhs.size(); ++i)
      if (held_[i]) rhs[i] = 0;
    direct_->solve(rhs, correction);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += correction[i];
    m.multiply(x, workspace_.q);
    for (std::size_t i = 0; i < x.size(); ++i) rhs[i] = b[i] - workspace_.q[i];
    ++report.iterations;
    report.residual = std::sqrt(InnerProduct{}(rhs, rhs));
    report.converged = report.residual <= target;
    if (report.converged) break;
  }
  report.status = report.converged ? CgStatus::converged : CgStatus::stagnated;
  return report;
}

CgReport AlgebraicSolver::solve_here(std::span<const double> b, std::span<double> x, const CgOptions& options) {
  rhs_.assign(b.begin(), b.end());
  remove_means(rhs_);
  CgReport report;
  if (method_ == AlgebraicMethod::direct) {
    report = solve_direct(rhs_, x, options);
  } else {
    report = conjugate_gradient(
        [&](std::span<const double> v, std::span<double> product) { system_.matrix.multiply(v, product); },
        [&](std::span<const double> r, std::span<double> z) {
          hierarchy_.apply(r, z);
          remove_means(z);
        },
        rhs_, x, workspace_, options);
  }
  remove_means(x);
  return report;
}

CgReport AlgebraicSolver::solve(std::span<const double> b, std::span<double> x, const CgOptions& options) {
  YMIR_CHECK(!empty_ && b.size() == x.size());
  build();
  Communicator& c = *communicator_;
  if (c.size() == 1) return solve_here(b, x, options);
  const std::vector<double> all_b = gathered(c, std::vector<double>(b.begin(), b.end()));
  std::vector<double> all_x = gathered(c, std::vector<double>(x.begin(), x.end()));
  CgReport report;
  std::vector<Bytes> outgoing(static_cast<std::size_t>(c.size()));
  if (c.root()) {
    report = solve_here(all_b, all_x, options);
    for (std::size_t r = 0; r < outgoing.size(); ++r) {
      const auto part = std::span<const double>(all_x).subspan(
          static_cast<std::size_t>(first_rows_[r]), static_cast<std::size_t>(first_rows_[r + 1] - first_rows_[r]));
      outgoing[r].assign(std::as_bytes(part).begin(), std::as_bytes(part).end());
    }
  }
  const std::vector<double> mine = from_bytes<double>(c.all_to_all(std::move(outgoing)).front());
  std::copy(mine.begin(), mine.end(), x.begin());
  Bytes bytes = to_bytes(std::vector<CgReport>{report});
  c.broadcast(bytes);
  return from_bytes<CgReport>(bytes).front();
}

std::size_t AlgebraicSolver::bytes() const {
  std::size_t sum = system_.matrix.bytes() + hierarchy_.bytes();
  sum += sizeof(double) * (workspace_.r.size() * 4 + rhs_.size()) + 4 * system_.closed.size() +
         sizeof(Vec3i) * system_.cells.size();
  return sum;
}

}  // namespace ymir
