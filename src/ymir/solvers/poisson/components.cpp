#include "ymir/solvers/poisson/components.h"

#include <algorithm>
#include <map>

#include "ymir/parallel/bytes.h"

namespace ymir::poisson {
namespace {

using namespace tile_bits;

// The component of the first cell of `cells`, within the tile.
TileBits flooded(const TileBits& cells, const TileSurvey& survey) {
  TileBits lit{};
  for (std::size_t k = 0; k < 8; ++k)
    if (cells[k] != 0) {
      lit[k] = cells[k] & (~cells[k] + 1);
      break;
    }
  const auto spread = [&](std::size_t k) {
    // Lower faces of the first column and row lead out of the tile.
    const std::uint64_t x = survey.link[0][k] & ~first_column, y = survey.link[1][k] & ~0xffull;
    std::uint64_t now = lit[k];
    if (k > 0) now |= lit[k - 1] & survey.link[2][k];
    if (k < 7) now |= lit[k + 1] & survey.link[2][k + 1];
    for (std::uint64_t before = 0; before != now;) {
      before = now;
      now |= (now << 1 & x) | (now & x) >> 1 | (now << 8 & y) | (now & y) >> 8;
    }
    const bool changed = now != lit[k];
    lit[k] = now;
    return changed;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t k = 0; k < 8; ++k) changed |= spread(k);
    for (std::size_t k = 8; k-- > 0;) changed |= spread(k);
  }
  return lit;
}

// What ranks tell each other: a component as one of them sees it.
struct Summary {
  std::int64_t id, cells;
  std::int64_t open;
};

template <class T>
std::vector<T> gathered(Communicator& communicator, const std::vector<T>& local) {
  std::vector<T> all;
  for (const Bytes& part : communicator.all_gather(std::as_bytes(std::span<const T>(local)))) {
    const std::vector<T> values = from_bytes<T>(part);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

}  // namespace

int Components::root(int id) {
  while (parent_[static_cast<std::size_t>(id)] != id) {
    int& up = parent_[static_cast<std::size_t>(id)];
    up = parent_[static_cast<std::size_t>(up)];
    id = up;
  }
  return id;
}

// The root is the first piece of a component in the order of tiles.
void Components::join(int a, int b) {
  a = root(a);
  b = root(b);
  if (a > b) std::swap(a, b);
  parent_[static_cast<std::size_t>(b)] = a;
}

void Components::find(const PoissonLevel& fine, const Survey& survey) {
  find_in_tiles(fine, survey);
  join_tiles(fine, survey);
  join_ranks(fine, survey);
  collect_parts(fine);
}

void Components::find_in_tiles(const PoissonLevel& fine, const Survey& survey) {
  first_.clear();
  pieces_.clear();
  open_.clear();
  std::int64_t isolated = 0;
  for (int t = 0; t < fine.count(); ++t) {
    const TileSurvey& tile = survey.tile(t);
    TileBits rest = fine.cells[static_cast<std::size_t>(t)];
    isolated += tile_bits::count(tile.unknown & ~rest);
    first_.push_back(static_cast<int>(pieces_.size()));
    while (any(rest)) {
      const TileBits piece = fine.tiles[static_cast<std::size_t>(t)].uniform > 0 ? rest : flooded(rest, tile);
      rest = rest & ~piece;
      pieces_.push_back(piece);
      open_.push_back(any(piece & tile.open));
    }
  }
  first_.push_back(static_cast<int>(pieces_.size()));
  isolated_ = fine.volume.domain().communicator().sum(isolated);
  parent_.resize(pieces_.size());
  for (std::size_t p = 0; p < parent_.size(); ++p) parent_[p] = static_cast<int>(p);
}

void Components::join_tiles(const PoissonLevel& fine, const Survey& survey) {
  for (int t = 0; t < fine.count(); ++t)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int n = fine.tiles[static_cast<std::size_t>(t)].near[2 * axis], across = static_cast<int>(axis);
      if (n >= fine.count()) continue;
      const std::uint64_t links = plane(survey.tile(t).link[axis], across, 0);
      if (links == 0) continue;
      const auto begin = [&](int tile) { return first_[static_cast<std::size_t>(tile)]; };
      for (int p = begin(t); p < begin(t + 1); ++p) {
        const std::uint64_t mine = plane(pieces_[static_cast<std::size_t>(p)], across, 0) & links;
        if (mine == 0) continue;
        for (int q = begin(n); q < begin(n + 1); ++q)
          if ((plane(pieces_[static_cast<std::size_t>(q)], across, 1) & mine) != 0) join(p, q);
      }
    }
}

std::vector<Components::Contact> Components::contacts_with_ranks(const PoissonLevel& fine, const Survey& survey,
                                                                 std::int64_t offset) {
  if (fine.volume.domain().communicator().size() == 1) return {};
  const auto keys = fine.volume.buckets().local_keys();
  DiscreteVolume volume(fine.volume.domain());
  const auto ids = volume.add_channel<std::int32_t>("component");
  volume.set_buckets({keys.begin(), keys.end()});
  std::int32_t* id = volume.write_tiles(ids);
  for (int t = 0; t < fine.count(); ++t)
    for (int p = first_[static_cast<std::size_t>(t)]; p < first_[static_cast<std::size_t>(t) + 1]; ++p)
      for (int i = 0; i < tile_cells; ++i)
        if (pieces_[static_cast<std::size_t>(p)][static_cast<std::size_t>(i / 64)] >> i % 64 & 1)
          id[std::ptrdiff_t{t} * tile_cells + i] = static_cast<std::int32_t>(offset + root(p));
  volume.begin_exchange(ids.index, Stencil::faces);
  volume.end_exchange(ids.index);

  std::vector<Contact> contacts;
  for (int t = 0; t < fine.count(); ++t)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const int n = fine.tiles[static_cast<std::size_t>(t)].near[2 * axis];
      if (n < fine.count() || n == fine.volume.buckets().missing()) continue;
      constexpr int strides[3] = {1, 8, 64};
      const int along = strides[axis == 0 ? 1 : 0], across = strides[axis == 2 ? 1 : 2];
      std::uint64_t links = plane(survey.tile(t).link[axis], static_cast<int>(axis), 0);
      for (; links != 0; links &= links - 1) {
        const int bit = std::countr_zero(links), at = bit % 8 * along + bit / 8 * across;
        const Contact contact{id[std::ptrdiff_t{t} * tile_cells + at],
                              id[std::ptrdiff_t{n} * tile_cells + at + 7 * strides[axis]]};
        if (contacts.empty() || contacts.back().a != contact.a || contacts.back().b != contact.b)
          contacts.push_back(contact);
      }
    }
  return contacts;
}

// Numbers the closed components of all ranks, in the order of their first tile.
void Components::join_ranks(const PoissonLevel& fine, const Survey& survey) {
  Communicator& communicator = fine.volume.domain().communicator();
  std::vector<std::int64_t> offsets{0};
  for (const std::int64_t pieces : gathered<std::int64_t>(communicator, {static_cast<std::int64_t>(pieces_.size())}))
    offsets.push_back(offsets.back() + pieces);
  const std::int64_t offset = offsets[static_cast<std::size_t>(communicator.rank())];

  std::map<int, Summary> seen;
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const int r = root(static_cast<int>(p));
    Summary& summary = seen.try_emplace(r, Summary{offset + r, 0, 0}).first->second;
    summary.cells += tile_bits::count(pieces_[p]);
    summary.open |= open_[p];
  }
  std::vector<Summary> summaries;
  for (const auto& [r, summary] : seen) summaries.push_back(summary);
  const std::vector<Contact> contacts = gathered(communicator, contacts_with_ranks(fine, survey, offset));
  summaries = gathered(communicator, summaries);  // sorted by id: ranks are in order

  // Union over the components that ranks see.
  const auto place = [&](std::int64_t id) {
    return std::lower_bound(summaries.begin(), summaries.end(), id,
                            [](const Summary& s, std::int64_t value) { return s.id < value; }) -
           summaries.begin();
  };
  std::vector<std::ptrdiff_t> up(summaries.size());
  for (std::size_t s = 0; s < up.size(); ++s) up[s] = static_cast<std::ptrdiff_t>(s);
  const auto top = [&](std::ptrdiff_t s) {
    while (up[static_cast<std::size_t>(s)] != s) s = up[static_cast<std::size_t>(s)];
    return s;
  };
  for (const Contact& contact : contacts) {
    const std::ptrdiff_t a = top(place(contact.a)), b = top(place(contact.b));
    up[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  }
  for (std::size_t s = summaries.size(); s-- > 0;) {
    const auto t = static_cast<std::size_t>(top(static_cast<std::ptrdiff_t>(s)));
    if (t == s) continue;
    summaries[t].cells += summaries[s].cells;
    summaries[t].open |= summaries[s].open;
  }
  count_ = isolated_;
  cells_.clear();
  std::vector<int> number(summaries.size(), -1);
  for (std::size_t s = 0; s < summaries.size(); ++s) {
    const auto t = static_cast<std::size_t>(top(static_cast<std::ptrdiff_t>(s)));
    if (t != s) {
      number[s] = number[t];
      continue;
    }
    ++count_;
    if (summaries[s].open != 0) continue;
    number[s] = static_cast<int>(cells_.size());
    cells_.push_back(summaries[s].cells);
  }
  closed_number_.resize(pieces_.size());
  for (std::size_t p = 0; p < pieces_.size(); ++p)
    closed_number_[p] = number[static_cast<std::size_t>(place(offset + root(static_cast<int>(p))))];
}

void Components::collect_parts(const PoissonLevel& fine) {
  parts_.clear();
  bits_.clear();
  first_part_.clear();
  for (int t = 0; t < fine.count(); ++t) {
    first_part_.push_back(parts_.size());
    const int begin = first_[static_cast<std::size_t>(t)], end = first_[static_cast<std::size_t>(t) + 1];
    for (int p = begin; p < end; ++p) {
      const int number = closed_number_[static_cast<std::size_t>(p)];
      if (number < 0) continue;
      const bool alone = end == begin + 1;
      parts_.push_back({t, number, alone ? -1 : static_cast<int>(bits_.size())});
      if (!alone) bits_.push_back(pieces_[static_cast<std::size_t>(p)]);
    }
  }
  first_part_.push_back(parts_.size());
  means_.resize(cells_.size());
}

std::span<const double> Components::means(Communicator& communicator, std::span<const double> sums) {
  struct Term {
    double sum;
    std::int64_t component;
  };
  std::fill(means_.begin(), means_.end(), 0.0);
  if (communicator.size() == 1) {
    for (std::size_t p = 0; p < parts_.size(); ++p) means_[static_cast<std::size_t>(parts_[p].component)] += sums[p];
  } else {
    std::vector<Term> terms;
    for (std::size_t p = 0; p < parts_.size(); ++p) terms.push_back({sums[p], parts_[p].component});
    for (const Term& term : gathered(communicator, terms)) means_[static_cast<std::size_t>(term.component)] += term.sum;
  }
  for (std::size_t c = 0; c < means_.size(); ++c) means_[c] /= static_cast<double>(cells_[c]);
  return means_;
}

}  // namespace ymir::poisson
