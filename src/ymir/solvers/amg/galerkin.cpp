#include "ymir/solvers/amg/galerkin.h"

#include <memory>

namespace ymir::amg {
namespace {

// Adds up rows one after another; the last one is open.
class RowSums {
 public:
  explicit RowSums(Index all_columns) : place_(static_cast<std::size_t>(all_columns), -1) {}

  void clear() {
    for (Index k = 0; k < count; ++k) place_[static_cast<std::size_t>(columns[static_cast<std::size_t>(k)])] = -1;
    count = 0;
    starts.assign(1, 0);
  }
  void close_row() { starts.push_back(count); }

  // Plain pointers, so that nothing is loaded again after a store. Room for `more` new entries.
  struct Cursor {
    Index* __restrict columns, * __restrict place;
    double* __restrict values;
    Index row, count;
    [[gnu::always_inline]] void add(Index column, double value) {
      const Index at = place[column];
      if (at >= row) {
        values[at] += value;
      } else {  // not in this row yet
        place[column] = count;
        columns[count] = column;
        values[count++] = value;
      }
    }
  };
  Cursor open(Index more) {
    const auto needed = static_cast<std::size_t>(count + more);
    if (columns.size() < needed) {
      columns.resize(2 * needed);
      values.resize(2 * needed);
    }
    return {columns.data(), place_.data(), values.data(), starts.back(), count};
  }

  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
  Index count = 0;  // entries

 private:
  std::vector<Index> place_;
};

struct Workspace {
  explicit Workspace(Index coarse_rows) : products(coarse_rows), coarse(coarse_rows) {}
  RowSums products, coarse;            // A P of the block's rows; P' A P
  std::vector<Index> starts, members;  // of coarse rows: their fine rows in the block
  std::vector<float> weights;
};

struct Part {
  std::vector<Index> counts, columns;
  std::vector<float> values;
};

class Product {
 public:
  Product(const Level& fine, double factor, bool constants, Level& coarse)
      : fine_(fine), factor_(factor), constants_(constants), coarse_(coarse) {}

  // Coarse rows that a block owns.
  void run(Index block, Workspace& work, Part& part) {
    const Index begin = block * fine_.block, end = std::min(fine_.rows, begin + fine_.block);
    work.products.clear();
    for (Index i = begin; i < end; ++i) {
      multiply(i, work.products);
      work.products.close_row();
    }
    transpose(block, begin, end, work);
    work.coarse.clear();
    auto guest = fine_.prolong.guests(block);
    const Index first = fine_.prolong.first(block), last = fine_.prolong.first(block + 1);
    for (Index c = first; c < last; ++c) {
      double sum = 0;
      for (auto m = static_cast<std::size_t>(work.starts[static_cast<std::size_t>(c - first)]);
           m < static_cast<std::size_t>(work.starts[static_cast<std::size_t>(c - first) + 1]); ++m) {
        const auto row = static_cast<std::size_t>(work.members[m] - begin);
        const double weight = factor_ * static_cast<double>(work.weights[m]);
        const Index from = work.products.starts[row], to = work.products.starts[row + 1];
        const Index* columns = work.products.columns.data();
        const double* values = work.products.values.data();
        RowSums::Cursor row_of_c = work.coarse.open(to - from);
        for (Index k = from; k < to; ++k) row_of_c.add(columns[k], weight * values[k]);
        work.coarse.count = row_of_c.count;
        sum += weight * row_sum(work.members[m]);
      }
      for (; !guest.empty() && guest.front().column == c; guest = guest.subspan(1)) {
        const double weight = factor_ * static_cast<double>(guest.front().value);
        multiply(guest.front().row, work.coarse, weight);
        sum += weight * row_sum(guest.front().row);
      }
      keep(c, sum, work.coarse, part);
      work.coarse.close_row();
    }
  }

 private:
  double row_sum(Index i) const { return static_cast<double>(fine_.row_sum(i)); }
  // Adds a row of A P.
  void multiply(Index i, RowSums& to, double weight = 1) const {
    const Entries& p = fine_.prolong.entries();
    const Index *columns = p.columns.data(), *starts = p.starts.data();
    const float* shares = p.values.data();
    const Index first = fine_.starts[i], last = fine_.starts[i + 1];
    Index most = last - first + 1;
    if (!p.starts.empty()) {
      most = starts[i + 1] - starts[i];
      for (Index k = first; k < last; ++k) most += starts[fine_.columns[k] + 1] - starts[fine_.columns[k]];
    }
    RowSums::Cursor row = to.open(most);
    const auto add = [&](Index j, double value) {
      if (p.starts.empty()) {
        if (columns[j] >= 0) row.add(columns[j], value);
        return;
      }
      for (Index k = starts[j]; k < starts[j + 1]; ++k) row.add(columns[k], value * static_cast<double>(shares[k]));
    };
    double diagonal = row_sum(i);
    for (Index k = first; k < last; ++k) {
      const auto value = static_cast<double>(fine_.values[k]);
      diagonal -= value;
      add(fine_.columns[k], weight * value);
    }
    add(i, weight * diagonal);
    to.count = row.count;
  }
  // Members of the block's coarse rows.
  void transpose(Index block, Index begin, Index end, Workspace& work) const {
    const Index first = fine_.prolong.first(block), count = fine_.prolong.first(block + 1) - first;
    work.starts.assign(static_cast<std::size_t>(count) + 2, 0);
    const auto each = [&](auto&& body) {
      for (Index i = begin; i < end; ++i)
        fine_.prolong.for_each(i, [&](Index c, float p) {
          if (c >= first && c - first < count) body(i, static_cast<std::size_t>(c - first), p);
        });
    };
    each([&](Index, std::size_t c, float) { ++work.starts[c + 2]; });
    for (std::size_t c = 2; c < work.starts.size(); ++c) work.starts[c] += work.starts[c - 1];
    work.members.resize(static_cast<std::size_t>(work.starts.back()));
    work.weights.resize(work.members.size());
    each([&](Index i, std::size_t c, float p) {
      const auto at = static_cast<std::size_t>(work.starts[c + 1]++);
      work.members[at] = i;
      work.weights[at] = p;
    });
  }
  // The open row, in single precision.
  void keep(Index c, double sum, const RowSums& row, Part& part) {
    Index count = 0;
    double total = 0;
    for (auto k = static_cast<std::size_t>(row.starts.back()); k < static_cast<std::size_t>(row.count); ++k) {
      total += row.values[k];
      const auto value = static_cast<float>(row.values[k]);
      if (row.columns[k] == c || value == 0) continue;
      part.columns.push_back(row.columns[k]);
      part.values.push_back(value);
      ++count;
    }
    part.counts.push_back(count);
    coarse_.row_sums[static_cast<std::size_t>(c)] = static_cast<float>(constants_ ? sum : total);
  }

  const Level& fine_;
  double factor_;
  bool constants_;
  Level& coarse_;
};

}  // namespace

void set_galerkin(const Level& fine, double factor, bool constants, Level& coarse) {
  coarse.rows = fine.prolong.coarse_rows();
  coarse.block = block_rows(coarse.rows);
  coarse.row_sums.resize(static_cast<std::size_t>(coarse.rows));
  const Index blocks = (fine.rows + fine.block - 1) / fine.block;
  std::vector<Part> parts(static_cast<std::size_t>(blocks));
  std::vector<std::unique_ptr<Workspace>> work(static_cast<std::size_t>(threads()));
  Product product(fine, factor, constants, coarse);
  parallel_for(blocks, [&](std::ptrdiff_t b) {
    std::unique_ptr<Workspace>& mine = work[static_cast<std::size_t>(thread_index())];
    if (!mine) mine = std::make_unique<Workspace>(coarse.rows);
    product.run(static_cast<Index>(b), *mine, parts[static_cast<std::size_t>(b)]);
  });
  Entries& own = coarse.own;
  own.starts.assign(1, 0);
  own.starts.reserve(static_cast<std::size_t>(coarse.rows) + 1);
  std::vector<std::ptrdiff_t> first;
  for (const Part& part : parts) {
    first.push_back(own.starts.back());
    for (const Index count : part.counts) own.starts.push_back(own.starts.back() + count);
  }
  own.columns.resize(static_cast<std::size_t>(own.starts.back()));
  own.values.resize(own.columns.size());
  parallel_for(blocks, [&](std::ptrdiff_t b) {
    Part& part = parts[static_cast<std::size_t>(b)];
    const std::ptrdiff_t at = first[static_cast<std::size_t>(b)];
    std::copy(part.columns.begin(), part.columns.end(), own.columns.begin() + at);
    std::copy(part.values.begin(), part.values.end(), own.values.begin() + at);
    part = {};
  });
  coarse.bind();
}

}  // namespace ymir::amg
