#include "ymir/solids/detection/candidates.h"

#include <algorithm>

namespace ymir {

void Candidates::clear() {
  const auto count = static_cast<std::size_t>(threads());
  if (lists_.size() < count) lists_.resize(count);
  if (scratch_.size() < count) scratch_.resize(count);
  for (List& list : lists_) list.pairs.clear();
}

void Candidates::divide() {
  const auto count = static_cast<std::size_t>(ranges());
  std::size_t all = 0;
  for (const List& list : lists_) all += list.pairs.size();
  pairs_.resize(all);
  if (all == 0) return;
  // Few are not worth waking threads for.
  const auto for_lists = [&](const auto& body) {
    if (all > 20'000) {
      parallel_for(static_cast<std::ptrdiff_t>(lists_.size()),
                   [&](std::ptrdiff_t l) { body(lists_[static_cast<std::size_t>(l)]); });
    } else {
      for (List& list : lists_) body(list);
    }
  };
  const auto range = [&](std::uint64_t pair) {
    return static_cast<std::size_t>(range_of_[static_cast<std::size_t>(first_of(pair))]);
  };
  for_lists([&](List& list) {
    list.next.assign(count, 0);
    for (const std::uint64_t pair : list.pairs) ++list.next[range(pair)];
  });
  std::size_t sum = 0;
  first_pair_.resize(count + 1);
  for (std::size_t r = 0; r < count; ++r) {
    first_pair_[r] = sum;
    for (List& list : lists_) {
      const std::size_t here = list.next[r];
      list.next[r] = sum;
      sum += here;
    }
  }
  first_pair_[count] = sum;
  for_lists([&](List& list) {
    for (const std::uint64_t pair : list.pairs) pairs_[list.next[range(pair)]++] = pair;
  });
}

std::span<const std::uint64_t> Candidates::sorted(std::int32_t range) {
  const auto r = static_cast<std::size_t>(range);
  const std::span<std::uint64_t> pairs(pairs_.data() + first_pair_[r], first_pair_[r + 1] - first_pair_[r]);
  // By a counting, then the few of each a by b.
  Scratch& scratch = scratch_[static_cast<std::size_t>(thread_index())];
  const std::int32_t begin = first_element_[r];
  scratch.first.assign(static_cast<std::size_t>(first_element_[r + 1] - begin) + 1, 0);
  for (const std::uint64_t pair : pairs) ++scratch.first[static_cast<std::size_t>(first_of(pair) - begin) + 1];
  for (std::size_t i = 1; i < scratch.first.size(); ++i) scratch.first[i] += scratch.first[i - 1];
  scratch.pairs.resize(pairs.size());
  for (const std::uint64_t pair : pairs)
    scratch.pairs[scratch.first[static_cast<std::size_t>(first_of(pair) - begin)]++] = pair;
  std::copy(scratch.pairs.begin(), scratch.pairs.end(), pairs.begin());
  for (auto first = pairs.begin(); first != pairs.end();) {
    auto last = first + 1;
    while (last != pairs.end() && first_of(*last) == first_of(*first)) ++last;
    std::sort(first, last);
    first = last;
  }
  return pairs;
}

}  // namespace ymir
