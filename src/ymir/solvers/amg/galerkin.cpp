#include "ymir/solvers/amg/galerkin.h"

#include <memory>

#include "ymir/solvers/amg/foreign_rows.h"

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
  explicit Workspace(Index coarse_columns) : products(coarse_columns), coarse(coarse_columns) {}
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
  Product(const Level& fine, double factor, bool constants, bool keep_zeros, Level& coarse)
      : fine_(fine), factor_(factor), constants_(constants), keep_zeros_(keep_zeros), coarse_(coarse) {}

  // Shares of other ranks in the coarse rows here, sorted by row.
  std::vector<CoarseEntry> shares;

  // Shares in coarse rows of other ranks that these guests make: the guests of several whole rows.
  void share(std::span<const Prolongation::Guest> guests, Workspace& work, std::vector<CoarseEntry>& out) {
    while (!guests.empty()) {
      const Index c = guests.front().column;
      work.coarse.clear();
      double sum = 0;
      for (; !guests.empty() && guests.front().column == c; guests = guests.subspan(1)) {
        const double weight = factor_ * static_cast<double>(guests.front().value);
        multiply(guests.front().row, work.coarse, weight);
        sum += weight * row_sum(guests.front().row);
      }
      out.push_back({c, CoarseEntry::row_sum, sum});
      for (auto k = std::size_t{0}; k < static_cast<std::size_t>(work.coarse.count); ++k)
        out.push_back({c, work.coarse.columns[k], work.coarse.values[k]});
    }
  }

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
    auto share = std::lower_bound(shares.begin(), shares.end(), first,
                                  [](const CoarseEntry& e, Index row) { return e.row < row; });
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
      for (; share != shares.end() && share->row == c; ++share) {
        if (share->column == CoarseEntry::row_sum) {
          sum += share->value;
          continue;
        }
        RowSums::Cursor row_of_c = work.coarse.open(1);
        row_of_c.add(share->column, share->value);
        work.coarse.count = row_of_c.count;
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
    const float* weights = p.values.data();
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
      for (Index k = starts[j]; k < starts[j + 1]; ++k) row.add(columns[k], value * static_cast<double>(weights[k]));
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
      if (row.columns[k] == c || (value == 0 && !keep_zeros_)) continue;
      part.columns.push_back(row.columns[k]);
      part.values.push_back(value);
      ++count;
    }
    part.counts.push_back(count);
    coarse_.row_sums[static_cast<std::size_t>(c)] = static_cast<float>(constants_ ? sum : total);
  }

  const Level& fine_;
  double factor_;
  bool constants_, keep_zeros_;
  Level& coarse_;
};

using Workspaces = std::vector<std::unique_ptr<Workspace>>;

Workspace& workspace_of_thread(Workspaces& all, Index coarse_columns) {
  std::unique_ptr<Workspace>& mine = all[static_cast<std::size_t>(thread_index())];
  if (!mine) mine = std::make_unique<Workspace>(coarse_columns);
  return *mine;
}

// Sends the shares of this rank's rows in coarse rows of others, and takes theirs.
void exchange_shares(const Level& fine, GhostNumbers& numbers, Product& product) {
  constexpr std::size_t at_once = 1024;  // guests
  const std::span<const Prolongation::Guest> guests = fine.prolong.guests_of_ghosts();
  std::vector<std::size_t> first{0};
  for (std::size_t g = 1; g <= guests.size(); ++g)
    if (g == guests.size() || (g - first.back() >= at_once && guests[g].column != guests[g - 1].column))
      first.push_back(g);
  std::vector<std::vector<CoarseEntry>> parts(first.size() - 1);
  Workspaces work(static_cast<std::size_t>(threads()));
  parallel_for(static_cast<std::ptrdiff_t>(parts.size()), [&](std::ptrdiff_t n) {
    const auto part = static_cast<std::size_t>(n);
    product.share(guests.subspan(first[part], first[part + 1] - first[part]),
                  workspace_of_thread(work, numbers.columns()), parts[part]);
  });
  product.shares = exchanged(fine.halo->communicator(), parts, numbers);
}

}  // namespace

void set_galerkin(const Level& fine, double factor, bool constants, GhostNumbers* numbers, Level& coarse) {
  coarse.rows = fine.prolong.coarse_rows();
  coarse.block = block_rows(coarse.rows);
  coarse.row_sums.resize(static_cast<std::size_t>(coarse.rows));
  const Index blocks = (fine.rows + fine.block - 1) / fine.block;
  std::vector<Part> parts(static_cast<std::size_t>(blocks));
  // Ghosts are those of the structure: other values must find theirs among them.
  Product product(fine, factor, constants, numbers != nullptr, coarse);
  if (numbers != nullptr) exchange_shares(fine, *numbers, product);
  const Index columns = numbers != nullptr ? numbers->columns() : coarse.rows;
  Workspaces work(static_cast<std::size_t>(threads()));
  parallel_for(blocks, [&](std::ptrdiff_t b) {
    product.run(static_cast<Index>(b), workspace_of_thread(work, columns), parts[static_cast<std::size_t>(b)]);
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
