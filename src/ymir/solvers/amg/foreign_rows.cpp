#include "ymir/solvers/amg/foreign_rows.h"

#include <algorithm>

#include "ymir/base/check.h"
#include "ymir/parallel/bytes.h"

namespace ymir::amg {

void append_ghosts(Halo& fine, Aggregates& aggregates, GhostNumbers& coarse) {
  std::vector<Index> own(aggregates.of), ghosts(static_cast<std::size_t>(fine.count()));
  for (Index& of : own)
    if (of >= 0) of = coarse.global(of);
  fine.fetch(own.data(), ghosts.data());
  for (const Index of : ghosts) aggregates.of.push_back(of >= 0 ? coarse.local(of) : of);
}

namespace {

struct PackedEntry {
  Index column;  // or, first of a row, the number of its entries
  float value;
};

}  // namespace

void append_ghosts(Halo& fine, Entries& p, GhostNumbers& coarse) {
  std::vector<Bytes> outgoing(static_cast<std::size_t>(fine.communicator().size()));
  for (const Halo::Neighbour& n : fine.neighbours()) {
    std::vector<PackedEntry> rows;
    for (const Index row : n.sent) {
      const auto first = static_cast<std::size_t>(p.starts[static_cast<std::size_t>(row)]),
                 last = static_cast<std::size_t>(p.starts[static_cast<std::size_t>(row) + 1]);
      rows.push_back({static_cast<Index>(last - first), 0});
      for (std::size_t k = first; k < last; ++k) rows.push_back({coarse.global(p.columns[k]), p.values[k]});
    }
    outgoing[static_cast<std::size_t>(n.rank)] = to_bytes(rows);
  }
  const std::vector<Bytes> incoming = fine.communicator().all_to_all(std::move(outgoing));
  struct Row {
    std::size_t first, count;
  };
  std::vector<PackedEntry> entries;
  std::vector<Row> rows(static_cast<std::size_t>(fine.count()));
  for (const Halo::Neighbour& n : fine.neighbours()) {
    std::size_t at = entries.size();
    const std::vector<PackedEntry> received = from_bytes<PackedEntry>(incoming[static_cast<std::size_t>(n.rank)]);
    entries.insert(entries.end(), received.begin(), received.end());
    for (const Index place : n.received) {
      YMIR_CHECK(at < entries.size());
      const Row row{at + 1, static_cast<std::size_t>(entries[at].column)};
      rows[static_cast<std::size_t>(place)] = row;
      at = row.first + row.count;
    }
  }
  for (const Row& row : rows) {
    for (std::size_t k = row.first; k < row.first + row.count; ++k) {
      p.columns.push_back(coarse.local(entries[k].column));
      p.values.push_back(entries[k].value);
    }
    p.starts.push_back(static_cast<Index>(p.columns.size()));
  }
}

std::vector<CoarseEntry> exchanged(Communicator& communicator, const std::vector<std::vector<CoarseEntry>>& made,
                                   GhostNumbers& numbers) {
  std::vector<std::vector<CoarseEntry>> lists(static_cast<std::size_t>(communicator.size()));
  for (const std::vector<CoarseEntry>& part : made)
    for (const CoarseEntry& e : part) {
      const Index row = numbers.global(e.row);
      lists[static_cast<std::size_t>(owner_of(numbers.first_rows(), row))].push_back(
          {row, e.column == CoarseEntry::row_sum ? e.column : numbers.global(e.column), e.value});
    }
  std::vector<Bytes> outgoing;
  for (const std::vector<CoarseEntry>& list : lists) outgoing.push_back(to_bytes(list));
  lists.clear();
  std::vector<CoarseEntry> taken;
  for (const Bytes& part : communicator.all_to_all(std::move(outgoing)))
    for (const CoarseEntry& e : from_bytes<CoarseEntry>(part))
      taken.push_back(
          {numbers.local(e.row), e.column == CoarseEntry::row_sum ? e.column : numbers.local(e.column), e.value});
  std::stable_sort(taken.begin(), taken.end(),
                   [](const CoarseEntry& a, const CoarseEntry& b) { return a.row < b.row; });
  return taken;
}

}  // namespace ymir::amg
