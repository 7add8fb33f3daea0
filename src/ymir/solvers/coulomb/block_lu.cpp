#include "ymir/solvers/coulomb/block_lu.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

namespace ymir::coulomb {
namespace {

// to -= l u
inline void subtract_product(Block& to, const Block& minus_l, const Block& u) {
  for (int j = 0; j < 3; ++j) to.column[j] = multiply_add(minus_l, u.column[j], to.column[j]);
}

// False where the block is singular.
bool invert(const Block& block_, Block& inverse) {
  const Mat3d m = mat3(block_), c = cofactor(m);
  const double det = ymir::dot(m.column[0], c.column[0]), size = std::sqrt(ymir::dot(m, m));
  if (!(std::fabs(det) > 1e-60 * size * size * size) || !std::isfinite(det)) return false;
  inverse = block(transposed(c) * (1 / det));
  return true;
}

bool is_zero(const Block& a) {
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      if (a.column[j][i] != 0) return false;
  return true;
}

}  // namespace

BlockLu::BlockLu(const System& system) : system_(&system) {
  order();
  find_pattern();
}

// Values are allocated when they are first needed: the pattern alone may say that they had better not.
void BlockLu::allocate() {
  const auto n = static_cast<std::size_t>(system_->contacts);
  lower_.resize(lower_columns_.size());
  upper_.resize(upper_columns_.size());
  inverse_.resize(n);
  alone_.assign(n, 0);
  work_.resize(n);
  y_.resize(n);
}

void BlockLu::order() {
  const std::int32_t n = system_->contacts;
  std::vector<Eigen::Triplet<float, int>> entries;
  entries.reserve(2 * system_->columns.size());
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int64_t k = system_->starts[i]; k < system_->starts[i + 1]; ++k) {
      entries.emplace_back(i, system_->columns[k], 1.0F);
      if (system_->columns[k] != i) entries.emplace_back(system_->columns[k], i, 1.0F);
    }
  Eigen::SparseMatrix<float, Eigen::ColMajor, int> pattern(n, n);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> permutation;
  Eigen::AMDOrdering<int>()(pattern, permutation);
  natural_.assign(permutation.indices().data(), permutation.indices().data() + n);
  place_.resize(static_cast<std::size_t>(n));
  for (std::int32_t p = 0; p < n; ++p) place_[natural_[p]] = p;
}

// The pattern is that of W + W', so the rows of L and the columns of U have the same: row i of L has every place on the
// ways from its entries to i in the elimination tree.
void BlockLu::find_pattern() {
  const std::int32_t n = system_->contacts;
  std::vector<std::vector<std::int32_t>> below(static_cast<std::size_t>(n));  // entries k < i of W + W', by i
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int64_t k = system_->starts[i]; k < system_->starts[i + 1]; ++k) {
      const std::int32_t a = place_[i], b = place_[system_->columns[k]];
      if (a != b) below[std::max(a, b)].push_back(std::min(a, b));
    }
  std::vector<std::int32_t> parent(static_cast<std::size_t>(n), -1), mark(static_cast<std::size_t>(n), -1);
  std::vector<std::int64_t> count(static_cast<std::size_t>(n), 0);
  lower_starts_.assign(1, 0);
  for (std::int32_t i = 0; i < n; ++i) {
    mark[i] = i;
    const auto begin = static_cast<std::ptrdiff_t>(lower_columns_.size());
    for (std::int32_t k : below[i])
      for (; mark[k] != i; k = parent[k]) {
        mark[k] = i;
        lower_columns_.push_back(k);
        ++count[k];
        if (parent[k] < 0) parent[k] = i;
      }
    std::sort(lower_columns_.begin() + begin, lower_columns_.end());
    lower_starts_.push_back(static_cast<std::int64_t>(lower_columns_.size()));
  }
  upper_starts_.assign(static_cast<std::size_t>(n) + 1, 0);
  for (std::int32_t k = 0; k < n; ++k) upper_starts_[k + 1] = upper_starts_[k] + count[k];
  upper_columns_.resize(lower_columns_.size());
  std::vector<std::int64_t> next(upper_starts_.begin(), upper_starts_.end() - 1);
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int64_t k = lower_starts_[i]; k < lower_starts_[i + 1]; ++k)
      upper_columns_[next[lower_columns_[k]]++] = i;
}

double BlockLu::work() const {
  double products = 0;
  for (std::size_t k = 0; k + 1 < upper_starts_.size(); ++k) {
    const auto below = static_cast<double>(upper_starts_[k + 1] - upper_starts_[k]);
    products += below * (below + 1);
  }
  return products;
}

// Row of B W + A + shift B into the dense row.
void BlockLu::scatter(std::int32_t row, const Block& b, const Block& a, double shift) {
  const std::int32_t i = place_[row];
  for (std::int64_t k = lower_starts_[i]; k < lower_starts_[i + 1]; ++k) work_[lower_columns_[k]] = zero_block();
  for (std::int64_t k = upper_starts_[i]; k < upper_starts_[i + 1]; ++k) work_[upper_columns_[k]] = zero_block();
  for (std::int64_t k = system_->starts[row]; k < system_->starts[row + 1]; ++k)
    work_[place_[system_->columns[k]]] = b * system_->blocks[k];
  for (int j = 0; j < 3; ++j) work_[i].column[j] += a.column[j] + b.column[j] * Lane::all(shift);
}

bool BlockLu::factor(const std::vector<Block>& b, const std::vector<Block>& a, double shift) {
  const std::int32_t n = system_->contacts;
  if (inverse_.empty()) allocate();
  for (std::int32_t i = 0; i < n; ++i) {
    const std::int32_t row = natural_[i];
    alone_[i] = is_zero(b[row]) ? 1 : 0;
    if (alone_[i] != 0) {
      if (!invert(a[row], inverse_[i])) return false;
      continue;
    }
    scatter(row, b[row], a[row], shift);
    for (std::int64_t k = lower_starts_[i]; k < lower_starts_[i + 1]; ++k) {
      const std::int32_t before = lower_columns_[k];
      const Block l = work_[before] * inverse_[before];
      lower_[k] = l;
      if (alone_[before] != 0) continue;
      const Block minus = -l;
      for (std::int64_t j = upper_starts_[before]; j < upper_starts_[before + 1]; ++j)
        subtract_product(work_[upper_columns_[j]], minus, upper_[j]);
    }
    for (std::int64_t k = upper_starts_[i]; k < upper_starts_[i + 1]; ++k) upper_[k] = work_[upper_columns_[k]];
    if (!invert(work_[i], inverse_[i])) return false;
  }
  return true;
}

void BlockLu::solve(const Vector& rhs, Vector& x) {
  const std::int32_t n = system_->contacts;
  for (std::int32_t i = 0; i < n; ++i) {
    Lane s = Lane::all(0);
    if (alone_[i] == 0)
      for (std::int64_t k = lower_starts_[i]; k < lower_starts_[i + 1]; ++k)
        s = multiply_add(lower_[k], y_[lower_columns_[k]], s);
    y_[i] = rhs[natural_[i]] - s;
  }
  for (std::int32_t i = n - 1; i >= 0; --i) {
    Lane s = Lane::all(0);
    if (alone_[i] == 0)
      for (std::int64_t k = upper_starts_[i]; k < upper_starts_[i + 1]; ++k)
        s = multiply_add(upper_[k], y_[upper_columns_[k]], s);
    y_[i] = multiply_add(inverse_[i], y_[i] - s, Lane::all(0));
  }
  for (std::int32_t i = 0; i < n; ++i) x[natural_[i]] = y_[i];
}

}  // namespace ymir::coulomb
