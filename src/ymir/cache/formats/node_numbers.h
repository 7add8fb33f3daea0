// Where in a list a number is that a file gave to a node or a cell: they may have gaps and any order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace ymir {

class NodeNumbers {
 public:
  void add(std::int64_t number) { entries_.push_back({number, static_cast<std::int32_t>(entries_.size())}); }
  std::size_t size() const { return entries_.size(); }

  // To be called before find(); a number that occurs twice, if any.
  std::optional<std::int64_t> sort() {
    std::sort(entries_.begin(), entries_.end());
    const auto same = std::adjacent_find(entries_.begin(), entries_.end(),
                                         [](const Entry& a, const Entry& b) { return a.number == b.number; });
    return same == entries_.end() ? std::nullopt : std::optional(same->number);
  }
  // Position in the order of add(); below 0: none has this number.
  std::int32_t find(std::int64_t number) const {
    if (entries_.empty() || number < entries_.front().number || number > entries_.back().number) return -1;
    // Almost all files count without gaps.
    const std::uint64_t guess =
        static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(entries_.front().number);
    if (guess < entries_.size() && entries_[static_cast<std::size_t>(guess)].number == number)
      return entries_[static_cast<std::size_t>(guess)].position;
    const auto it = std::lower_bound(entries_.begin(), entries_.end(), Entry{number, 0});
    return it != entries_.end() && it->number == number ? it->position : -1;
  }

 private:
  struct Entry {
    std::int64_t number;
    std::int32_t position;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries_;
};

}  // namespace ymir
