#include "ymir/solvers/amg/galerkin.h"

namespace ymir::amg {
namespace {

constexpr Index coarse_block = 512;

// Adds up one coarse row at a time.
class RowSum {
 public:
  explicit RowSum(Index count) : place_(static_cast<std::size_t>(count), -1) {}

  void add(Index column, double value) {
    Index& place = place_[static_cast<std::size_t>(column)];
    if (place < 0) {
      place = static_cast<Index>(columns.size());
      columns.push_back(column);
      values.push_back(value);
    } else {
      values[static_cast<std::size_t>(place)] += value;
    }
  }
  void clear() {
    for (const Index column : columns) place_[static_cast<std::size_t>(column)] = -1;
    columns.clear();
    values.clear();
  }
  std::vector<Index> columns;
  std::vector<double> values;

 private:
  std::vector<Index> place_;
};

template <class F>
void for_each_entry(const Entries& p, Index i, F&& body) {
  if (p.starts.empty()) {
    if (const Index column = p.columns[static_cast<std::size_t>(i)]; column >= 0) body(column, 1.0);
    return;
  }
  const auto end = static_cast<std::size_t>(p.starts[static_cast<std::size_t>(i) + 1]);
  for (auto k = static_cast<std::size_t>(p.starts[static_cast<std::size_t>(i)]); k < end; ++k)
    body(p.columns[k], static_cast<double>(p.values[k]));
}

struct Part {
  std::vector<Index> counts, columns;
  std::vector<float> values;
};

}  // namespace

void set_galerkin(const Level& fine, double factor, bool constants, Level& coarse) {
  const Entries& r = fine.restrict_;
  coarse.rows = static_cast<Index>(r.starts.size()) - 1;
  coarse.row_sums.resize(static_cast<std::size_t>(coarse.rows));
  std::vector<Part> parts(static_cast<std::size_t>((coarse.rows + coarse_block - 1) / coarse_block));
  std::vector<std::unique_ptr<RowSum>> sums(static_cast<std::size_t>(threads()));
  parallel_blocks(coarse.rows, coarse_block, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::unique_ptr<RowSum>& mine = sums[static_cast<std::size_t>(thread_index())];
    if (!mine) mine = std::make_unique<RowSum>(coarse.rows);
    RowSum& row = *mine;
    Part& part = parts[static_cast<std::size_t>(begin / coarse_block)];
    for (auto c = static_cast<Index>(begin); c < static_cast<Index>(end); ++c) {
      double kept = 0;
      const auto last = static_cast<std::size_t>(r.starts[static_cast<std::size_t>(c) + 1]);
      for (auto m = static_cast<std::size_t>(r.starts[static_cast<std::size_t>(c)]); m < last; ++m) {
        const Index i = r.columns[m];
        const double weight = factor * (r.values.empty() ? 1.0 : static_cast<double>(r.values[m]));
        const auto sum = static_cast<double>(fine.row_sums[static_cast<std::size_t>(i)]);
        double diagonal = sum;
        for (Index k = fine.starts[i]; k < fine.starts[i + 1]; ++k) {
          const auto value = static_cast<double>(fine.values[k]);
          diagonal -= value;
          for_each_entry(fine.prolong, fine.columns[k], [&](Index to, double p) { row.add(to, weight * value * p); });
        }
        for_each_entry(fine.prolong, i, [&](Index to, double p) { row.add(to, weight * diagonal * p); });
        kept += weight * sum;
      }
      Index count = 0;
      double total = 0;
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        total += row.values[k];
        const auto value = static_cast<float>(row.values[k]);
        if (row.columns[k] == c || value == 0) continue;
        part.columns.push_back(row.columns[k]);
        part.values.push_back(value);
        ++count;
      }
      part.counts.push_back(count);
      coarse.row_sums[static_cast<std::size_t>(c)] = static_cast<float>(constants ? kept : total);
      row.clear();
    }
  });
  Entries& own = coarse.own;
  own.starts.assign(1, 0);
  own.starts.reserve(static_cast<std::size_t>(coarse.rows) + 1);
  std::vector<std::size_t> first;
  for (const Part& part : parts) {
    first.push_back(static_cast<std::size_t>(own.starts.back()));
    for (const Index count : part.counts) own.starts.push_back(own.starts.back() + count);
  }
  own.columns.resize(static_cast<std::size_t>(own.starts.back()));
  own.values.resize(own.columns.size());
  parallel_for(static_cast<std::ptrdiff_t>(parts.size()), [&](std::ptrdiff_t n) {
    Part& part = parts[static_cast<std::size_t>(n)];
    std::copy(part.columns.begin(), part.columns.end(), own.columns.begin() + static_cast<std::ptrdiff_t>(first[static_cast<std::size_t>(n)]));
    std::copy(part.values.begin(), part.values.end(), own.values.begin() + static_cast<std::ptrdiff_t>(first[static_cast<std::size_t>(n)]));
    part = {};
  });
  coarse.bind();
}

}  // namespace ymir::amg
