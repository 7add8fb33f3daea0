#include "ymir/solvers/elastic_amg/strength.h"

#include <algorithm>
#include <cmath>

namespace ymir::elastic_amg {
namespace {

// Of |A_ij|^2: links between materials that differ in stiffness by more than 1 / limit are weak.
constexpr float limit = 4e-4f;

}  // namespace

template <int N>
void Strength::resize(const BlockLevel<N>& level, Index linked) {
  linked_ = linked;
  rows_ = level.rows();
  starts_ = &level.matrix.starts;
  columns_ = &level.matrix.columns;
  norms_.assign(columns_->size(), 0);
  strong_.assign(columns_->size(), 0);
  largest_.assign(at(level.columns_here()), 0);
}

template <int N>
bool Strength::update(BlockLevel<N>& level) {
  each_row(level.rows(), [&](Index i) {
    float most = 0;
    for (Index k = (*starts_)[at(i)]; k < (*starts_)[at(i) + 1]; ++k) {
      const Index j = (*columns_)[at(k)];
      float sum = 0;
      if (j != i && i < linked_ && (j < linked_ || j >= rows_)) {
        const float* block = level.matrix.block(k);
        for (int e = 0; e < N * N; ++e) sum += block[e] * block[e];
      }
      norms_[at(k)] = std::sqrt(sum);
      most = std::max(most, norms_[at(k)]);
    }
    largest_[at(i)] = most;
  });
  if (level.ghosts) level.ghosts->nodes().fetch(largest_.data(), largest_.data() + rows_);
  const bool changed_here = ordered_reduce(
      (level.rows() + chunk_rows - 1) / chunk_rows, false,
      [&](std::ptrdiff_t c) {
        bool changed = false;
        const Index end = std::min(level.rows(), static_cast<Index>((c + 1) * chunk_rows));
        for (auto i = static_cast<Index>(c * chunk_rows); i < end; ++i)
          for (Index k = (*starts_)[at(i)]; k < (*starts_)[at(i) + 1]; ++k) {
            const float norm = norms_[at(k)], other = largest_[at((*columns_)[at(k)])];
            // A ghost that holds no one is no place in space.
            const std::uint8_t now = norm > 0 && other > 0 && norm * norm > limit * largest_[at(i)] * other ? 1 : 0;
            changed = changed || now != strong_[at(k)];
            strong_[at(k)] = now;
          }
        return changed;
      },
      [](bool a, bool b) { return a || b; });
  return !level.all(!changed_here);
}

amg::Aggregates Strength::aggregates() const {
  std::vector<Index> starts{0}, columns;
  std::vector<float> values;
  for (Index i = 0; i < rows_; ++i) {
    for (Index k = (*starts_)[at(i)]; k < (*starts_)[at(i) + 1]; ++k)
      if (strong_[at(k)] && (*columns_)[at(k)] < rows_) {
        columns.push_back((*columns_)[at(k)]);
        values.push_back(1);
      }
    starts.push_back(static_cast<Index>(columns.size()));
  }
  // All of them are strong.
  const std::vector<float> scale(at(rows_), 1);
  return amg::smoothed_aggregates({rows_, starts.data(), columns.data(), values.data(), scale.data(), 0}, false);
}

template void Strength::resize(const BlockLevel<3>&, Index);
template void Strength::resize(const BlockLevel<6>&, Index);
template bool Strength::update(BlockLevel<3>&);
template bool Strength::update(BlockLevel<6>&);

}  // namespace ymir::elastic_amg
