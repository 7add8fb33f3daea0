#include "ymir/solvers/elastic_amg/symmetric_rows.h"

#include "ymir/parallel/threads.h"

namespace ymir::elastic_amg {
namespace {

constexpr std::ptrdiff_t chunk = 1024;  // rows

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace

SymmetricRows::SymmetricRows(const BlockMatrix& pattern) {
  const Index n = pattern.nodes();
  starts_.assign(at(n) + 1, 0);
  const auto each = [&](auto&& body) {
    for (Index j = 0; j < n; ++j)
      for (Index s = pattern.starts()[at(j)]; s < pattern.starts()[at(j) + 1]; ++s) body(pattern.rows()[at(s)], j, s);
  };
  each([&](Index i, Index j, Index) {
    ++starts_[at(i) + 1];
    if (i != j) ++starts_[at(j) + 1];
  });
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  columns_.resize(at(starts_.back()));
  slots_.resize(columns_.size());
  // By columns, a row gets its blocks left of the diagonal first and in order; those right of it are its own column.
  std::vector<Index> next(starts_.begin(), starts_.end() - 1);
  const auto put = [&](Index i, Index j, Index slot) {
    const std::size_t k = at(next[at(i)]++);
    columns_[k] = j;
    slots_[k] = slot;
  };
  each([&](Index i, Index j, Index s) {
    if (i != j) put(i, j, s);
  });
  each([&](Index i, Index j, Index s) { put(j, i, s); });
}

void SymmetricRows::multiply(const BlockMatrix& a, std::span<const double> x, std::span<double> y) const {
  const Index *columns = columns_.data(), *slots = slots_.data();
  parallel_blocks(rows(), chunk, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (auto i = static_cast<Index>(begin); i < static_cast<Index>(end); ++i) {
      double sum[3] = {0, 0, 0};
      Index k = starts_[at(i)];
      const Index last = starts_[at(i) + 1];
      for (; k < last && columns[k] <= i; ++k) {
        const double *b = a.block(slots[k]), *from = x.data() + 3 * at(columns[k]);
        for (int r = 0; r < 3; ++r) sum[r] += b[3 * r] * from[0] + b[3 * r + 1] * from[1] + b[3 * r + 2] * from[2];
      }
      for (; k < last; ++k) {
        const double *b = a.block(slots[k]), *from = x.data() + 3 * at(columns[k]);
        for (int r = 0; r < 3; ++r) sum[r] += b[r] * from[0] + b[3 + r] * from[1] + b[6 + r] * from[2];
      }
      for (std::size_t r = 0; r < 3; ++r) y[3 * at(i) + r] = sum[r];
    }
  });
}

}  // namespace ymir::elastic_amg
