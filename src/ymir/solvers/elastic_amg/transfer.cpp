#include "ymir/solvers/elastic_amg/transfer.h"

#include <algorithm>

namespace ymir::elastic_amg {
namespace {

using Wide = Lanes<float, 8>;  // a row of six, and two that no one reads
constexpr int stride = 8;
// What single precision may take from the stiffness against motions that hardly meet any: a stiff body that flies, or
// one in a soft one.
constexpr float rounding = 2e-6f;

// Pattern of a product: the columns of the rows `of(i)` of `right`, ascending.
template <class Rows, class Right>
void join_patterns(Index rows, Index columns, Rows&& of, const Right& right, std::vector<Index>& starts,
                   std::vector<Index>& out) {
  starts.assign(1, 0);
  out.clear();
  std::vector<Index> seen(at(columns), -1);
  for (Index i = 0; i < rows; ++i) {
    const std::size_t first = out.size();
    of(i, [&](Index k) {
      for (Index e = right.starts[at(k)]; e < right.starts[at(k) + 1]; ++e)
        if (const Index c = right.columns[at(e)]; seen[at(c)] != i) {
          seen[at(c)] = i;
          out.push_back(c);
        }
    });
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
    starts.push_back(static_cast<Index>(out.size()));
  }
}

// Columns ascend: ghosts come last.
template <class Matrix>
bool touches_others(const Matrix& a, Index i) {
  const Index end = a.starts[at(i) + 1];
  return end > a.starts[at(i)] && a.columns[at(end) - 1] >= a.rows();
}

}  // namespace

template <int N>
void Transfer<N>::resize(const BlockLevel<N>& fine, Index linked) {
  strength_.resize(fine, linked);
}

template <int N>
typename Transfer<N>::Scratch& Transfer<N>::scratch() {
  return scratch_[static_cast<std::size_t>(thread_index())];
}

// Coarse nodes of this rank, then those of others that its rows touch.
template <int N>
void Transfer<N>::number_coarse(BlockLevel<N>& fine, BlockLevel<modes>& coarse) {
  coarse.ghosts.reset();
  all_coarse_ = members_.count();
  if (!fine.ghosts) return;
  Communicator& communicator = fine.ghosts->communicator();
  std::vector<Index> first = amg::first_rows_of(communicator, members_.count());
  const Index begin = first[static_cast<std::size_t>(communicator.rank())];
  all_coarse_ = first.back();
  std::vector<Index> here(at(fine.rows())), there(at(fine.ghosts->count()));
  for (std::size_t i = 0; i < here.size(); ++i) here[i] = of_[i] < 0 ? -1 : begin + of_[i];
  fine.ghosts->nodes().fetch(here.data(), there.data());
  amg::GhostNumbers numbers(std::move(first), communicator.rank());
  for (const Index c : there) of_.push_back(c < 0 ? -1 : numbers.local(c));
  coarse.ghosts = std::make_unique<GhostNodes>(communicator, numbers, modes);
}

template <int N>
void Transfer<N>::build(BlockLevel<N>& fine, BlockLevel<modes>& coarse) {
  const amg::Aggregates aggregates = strength_.aggregates();
  of_ = aggregates.of;
  members_ = Members(aggregates);
  number_coarse(fine, coarse);
  const Index rows = fine.rows(), count = members_.count();
  const Index columns = count + (coarse.ghosts ? coarse.ghosts->count() : 0);
  const auto& a = fine.matrix;
  prolong_.starts.assign(1, 0);
  prolong_.columns.clear();
  for (Index i = 0; i < rows; ++i) {
    const auto first = static_cast<std::ptrdiff_t>(prolong_.columns.size());
    // What belongs to no aggregate is left to the smoother.
    if (of_[at(i)] >= 0 && touches_others(a, i))
      prolong_.columns.push_back(of_[at(i)]);
    else if (of_[at(i)] >= 0)
      for (Index k = a.starts[at(i)]; k < a.starts[at(i) + 1]; ++k)
        if (const Index c = of_[at(a.columns[at(k)])]; c >= 0) prolong_.columns.push_back(c);
    std::sort(prolong_.columns.begin() + first, prolong_.columns.end());
    prolong_.columns.erase(std::unique(prolong_.columns.begin() + first, prolong_.columns.end()),
                           prolong_.columns.end());
    prolong_.starts.push_back(static_cast<Index>(prolong_.columns.size()));
  }
  const auto own = static_cast<Index>(prolong_.columns.size());
  for (Index j = rows; j < fine.columns_here(); ++j) {
    if (of_[at(j)] >= 0) prolong_.columns.push_back(of_[at(j)]);
    prolong_.starts.push_back(static_cast<Index>(prolong_.columns.size()));
  }
  sent_.resize(at(rows));
  received_.resize(at(fine.columns_here() - rows));
  prolong_.make_room();
  const auto neighbours = [&](Index i, auto&& visit) {
    for (Index k = a.starts[at(i)]; k < a.starts[at(i) + 1]; ++k) visit(a.columns[at(k)]);
  };
  join_patterns(rows, columns, neighbours, prolong_, product_.starts, product_.columns);
  product_.make_room();

  coarse_starts_.assign(at(count) + 1, 0);
  for (Index k = 0; k < own; ++k) ++coarse_starts_[at(prolong_.columns[at(k)]) + 1];
  for (std::size_t c = 1; c < coarse_starts_.size(); ++c) coarse_starts_[c] += coarse_starts_[c - 1];
  coarse_fine_.resize(at(own));
  coarse_entry_.resize(at(own));
  std::vector<Index> next(coarse_starts_.begin(), coarse_starts_.end() - 1);
  for (Index i = 0; i < rows; ++i)
    for (Index k = prolong_.starts[at(i)]; k < prolong_.starts[at(i) + 1]; ++k) {
      const std::size_t to = at(next[at(prolong_.columns[at(k)])]++);
      coarse_fine_[to] = i;
      coarse_entry_[to] = k;
    }
  const auto touched = [&](Index c, auto&& visit) {
    for (Index k = coarse_starts_[at(c)]; k < coarse_starts_[at(c) + 1]; ++k) visit(coarse_fine_[at(k)]);
  };
  join_patterns(count, columns, touched, product_, coarse.matrix.starts, coarse.matrix.columns);
  coarse.make_room();

  most_blocks_ = 0;
  for (const auto* starts : {&product_.starts, &coarse.matrix.starts})
    for (std::size_t i = 1; i < starts->size(); ++i)
      most_blocks_ = std::max(most_blocks_, at((*starts)[i] - (*starts)[i - 1]));
  scratch_.clear();
}

template <int N>
void Transfer<N>::refresh(BlockLevel<N>& fine, RigidModes<N>& rigid, RigidModes<modes>& coarse_rigid,
                          BlockLevel<modes>& coarse) {
  if (scratch_.size() < static_cast<std::size_t>(threads())) {
    scratch_.resize(static_cast<std::size_t>(threads()));
    for (Scratch& s : scratch_) {
      s.place.resize(at(coarse.columns_here()));
      s.sums.resize(most_blocks_ * modes * stride);
    }
  }
  orthonormalize(members_, rigid, coarse_rigid);
  smooth_modes(fine, rigid);
  fetch_ghosts(fine, rigid);
  multiply(fine);
  galerkin(coarse, coarse_rigid);
}

// Rows of P of other ranks: Q.
template <int N>
void Transfer<N>::fetch_ghosts(BlockLevel<N>& fine, const RigidModes<N>& rigid) {
  if (!fine.ghosts) return;
  for (int e = 0; e < N * modes; ++e) {
    for (Index i = 0; i < fine.rows(); ++i) sent_[at(i)] = static_cast<float>(rigid.of(i)[e]);
    fine.ghosts->nodes().fetch(sent_.data(), received_.data());
    for (Index j = fine.rows(); j < fine.columns_here(); ++j)
      if (const Index k = prolong_.starts[at(j)]; k < prolong_.starts[at(j) + 1])
        prolong_.block(k)[e] = received_[at(j - fine.rows())];
  }
}

// P = Q - w D^-1 A Q
template <int N>
void Transfer<N>::smooth_modes(const BlockLevel<N>& fine, const RigidModes<N>& rigid) {
  const float w = 4 / (3 * fine.largest);
  each_row(fine.rows(), [&](Index i) {
    const Index first = prolong_.starts[at(i)], last = prolong_.starts[at(i) + 1];
    if (first == last) return;
    if (touches_others(fine.matrix, i)) {
      for (int e = 0; e < N * modes; ++e) prolong_.block(first)[e] = static_cast<float>(rigid.of(i)[e]);
      return;
    }
    Scratch& s = scratch();
    for (Index k = first; k < last; ++k) s.place[at(prolong_.columns[at(k)])] = k - first;
    std::fill_n(s.sums.begin(), (last - first) * N * stride, 0.0f);
    for (Index k = fine.matrix.starts[at(i)]; k < fine.matrix.starts[at(i) + 1]; ++k) {
      const Index j = fine.matrix.columns[at(k)];
      if (of_[at(j)] < 0) continue;
      float* sum = s.sums.data() + static_cast<std::size_t>(s.place[at(of_[at(j)])]) * (N * stride);
      const float* block = fine.matrix.block(k);  // by columns
      const double* q = rigid.of(j);
      for (int c = 0; c < N; ++c) {
        float row[stride] = {};
        for (int m = 0; m < modes; ++m) row[m] = static_cast<float>(q[modes * c + m]);
        for (int r = 0; r < N; ++r)
          (Wide::load(sum + stride * r) + Wide::load(row) * block[N * c + r]).store(sum + stride * r);
      }
    }
    const float* inverse = fine.inverse.data() + static_cast<std::size_t>(N * N) * at(i);
    for (Index k = first; k < last; ++k) {
      const float* sum = s.sums.data() + static_cast<std::size_t>(k - first) * (N * stride);
      float* to = prolong_.block(k);
      const bool own = prolong_.columns[at(k)] == of_[at(i)];
      for (int r = 0; r < N; ++r) {
        Wide row = Wide::all(0);
        for (int c = 0; c < N; ++c) row += Wide::load(sum + stride * c) * inverse[N * c + r];
        for (int m = 0; m < modes; ++m)
          to[modes * r + m] = (own ? static_cast<float>(rigid.of(i)[modes * r + m]) : 0) - w * row[m];
      }
    }
  });
}

template <int N>
void Transfer<N>::multiply(const BlockLevel<N>& fine) {
  each_row(fine.rows(), [&](Index i) {
    Scratch& s = scratch();
    const Index first = product_.starts[at(i)], last = product_.starts[at(i) + 1];
    for (Index k = first; k < last; ++k) s.place[at(product_.columns[at(k)])] = k - first;
    std::fill_n(s.sums.begin(), (last - first) * N * stride, 0.0f);
    for (Index k = fine.matrix.starts[at(i)]; k < fine.matrix.starts[at(i) + 1]; ++k) {
      const Index j = fine.matrix.columns[at(k)];
      const float* block = fine.matrix.block(k);
      for (Index e = prolong_.starts[at(j)]; e < prolong_.starts[at(j) + 1]; ++e) {
        float* sum = s.sums.data() + static_cast<std::size_t>(s.place[at(prolong_.columns[at(e)])]) * (N * stride);
        const float* p = prolong_.block(e);
        Wide rows[N];
        for (int r = 0; r < N; ++r) rows[r] = Wide::load(sum + stride * r);
        for (int c = 0; c < N; ++c) {
          const Wide row = Wide::load(p + modes * c);
          for (int r = 0; r < N; ++r) rows[r] = mul_add(row, Wide::all(block[N * c + r]), rows[r]);
        }
        for (int r = 0; r < N; ++r) rows[r].store(sum + stride * r);
      }
    }
    float* to = product_.block(first);
    for (Index row = 0; row < (last - first) * N; ++row)
      std::copy_n(s.sums.data() + stride * row, modes, to + modes * row);
  });
}

template <int N>
void Transfer<N>::galerkin(BlockLevel<modes>& coarse, const RigidModes<modes>& coarse_rigid) {
  each_row(members_.count(), [&](Index c) {
    Scratch& s = scratch();
    const Index first = coarse.matrix.starts[at(c)], last = coarse.matrix.starts[at(c) + 1];
    for (Index k = first; k < last; ++k) s.place[at(coarse.matrix.columns[at(k)])] = k - first;
    std::fill_n(s.sums.begin(), (last - first) * modes * stride, 0.0f);
    for (Index m = coarse_starts_[at(c)]; m < coarse_starts_[at(c) + 1]; ++m) {
      const Index i = coarse_fine_[at(m)];
      const float* p = prolong_.block(coarse_entry_[at(m)]);
      for (Index e = product_.starts[at(i)]; e < product_.starts[at(i) + 1]; ++e) {
        float* sum = s.sums.data() + static_cast<std::size_t>(s.place[at(product_.columns[at(e)])]) * (modes * stride);
        const float* ap = product_.block(e);
        Wide row[N];
        for (int r = 0; r < N; ++r) row[r] = Wide::load(ap + modes * r);
        for (int a = 0; a < modes; ++a) {
          Wide to = Wide::load(sum + stride * a);
          for (int r = 0; r < N; ++r) to = mul_add(row[r], Wide::all(p[modes * r + a]), to);
          to.store(sum + stride * a);
        }
      }
    }
    for (Index k = first; k < last; ++k) {
      const float* sum = s.sums.data() + static_cast<std::size_t>(k - first) * (modes * stride);
      float* to = coarse.matrix.block(k);
      for (int r = 0; r < modes; ++r)
        for (int q = 0; q < modes; ++q) to[modes * q + r] = sum[stride * r + q];
    }
    // Motions that the aggregate does not have.
    float* own = coarse.matrix.block(coarse.diagonal[at(c)]);
    for (int q = 0; q < modes; ++q)
      if (coarse_rigid.of(c)[modes * q + q] == 0)
        own[modes * q + q] = 1;
      else
        own[modes * q + q] *= 1 + rounding;
  });
}

template <int N>
void Transfer<N>::restrict_residual(const BlockLevel<N>& fine, BlockLevel<modes>& coarse) const {
  each_row(members_.count(), [&](Index c) {
    Wide sum = Wide::all(0);
    for (Index m = coarse_starts_[at(c)]; m < coarse_starts_[at(c) + 1]; ++m) {
      const float* p = prolong_.block(coarse_entry_[at(m)]);
      const float* r = fine.r.data() + static_cast<std::size_t>(N) * at(coarse_fine_[at(m)]);
      for (int k = 0; k < N; ++k) sum = mul_add(Wide::load(p + modes * k), Wide::all(r[k]), sum);
    }
    for (int q = 0; q < modes; ++q)
      coarse.b[static_cast<std::size_t>(modes) * at(c) + static_cast<std::size_t>(q)] = sum[q];
  });
}

template <int N>
void Transfer<N>::add_correction(const BlockLevel<modes>& coarse, BlockLevel<N>& fine) const {
  each_row(fine.rows(), [&](Index i) {
    float* x = fine.x.data() + static_cast<std::size_t>(N) * at(i);
    for (Index k = prolong_.starts[at(i)]; k < prolong_.starts[at(i) + 1]; ++k) {
      const float* p = prolong_.block(k);
      const float* from = coarse.x.data() + static_cast<std::size_t>(modes) * at(prolong_.columns[at(k)]);
      for (int r = 0; r < N; ++r) {
        float sum = 0;
        for (int q = 0; q < modes; ++q) sum += p[modes * r + q] * from[q];
        x[r] += sum;
      }
    }
  });
}

template <int N>
std::size_t Transfer<N>::bytes() const {
  return strength_.bytes() + prolong_.bytes() + product_.bytes() +
         4 * (of_.size() + members_.nodes.size() + coarse_starts_.size() + 2 * coarse_fine_.size());
}

template class Transfer<3>;
template class Transfer<modes>;

}  // namespace ymir::elastic_amg
