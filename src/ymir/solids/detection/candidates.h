// Pairs (a, b) of elements that may touch, collected by threads in any order and handed out in order of their numbers.
//
// Elements a are divided into ranges that hold whole owners (fibres, vertices): a range is sorted and looked at by one
// thread, and what belongs to one owner is together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/parallel/threads.h"

namespace ymir {

constexpr std::uint64_t pair_key(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
}
constexpr std::int32_t first_of(std::uint64_t pair) { return static_cast<std::int32_t>(pair >> 32); }
constexpr std::int32_t second_of(std::uint64_t pair) { return static_cast<std::int32_t>(pair & 0xffffffffu); }

class Candidates {
 public:
  static constexpr std::int32_t range_size = 2048;

  // Elements a in [0, count); a range ends only between elements of different owners.
  template <class Owner>
  void set_ranges(std::int32_t count, const Owner& owner) {
    range_of_.resize(static_cast<std::size_t>(count));
    first_element_.assign(1, 0);
    for (std::int32_t i = 0; i < count; ++i) {
      if (i - first_element_.back() >= range_size && owner(i) != owner(i - 1)) first_element_.push_back(i);
      range_of_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(first_element_.size()) - 1;
    }
    first_element_.push_back(count);
  }
  std::int32_t ranges() const { return static_cast<std::int32_t>(first_element_.size()) - 1; }

  void clear();
  // Where the calling thread puts what it finds.
  std::vector<std::uint64_t>& found() { return lists_[static_cast<std::size_t>(thread_index())].pairs; }
  // Divides what was found among the ranges.
  void divide();
  // Pairs of a range, ascending. Sorts them: once after divide(), from any thread.
  std::span<const std::uint64_t> sorted(std::int32_t range);
  std::size_t size() const { return pairs_.size(); }

 private:
  struct alignas(64) List {
    std::vector<std::uint64_t> pairs;
    std::vector<std::size_t> next;  // place of the next pair of each range
  };
  struct alignas(64) Scratch {
    std::vector<std::uint64_t> pairs;
    std::vector<std::uint32_t> first;
  };
  std::vector<std::int32_t> range_of_, first_element_{0};
  std::vector<List> lists_;
  std::vector<Scratch> scratch_;
  std::vector<std::uint64_t> pairs_;
  std::vector<std::size_t> first_pair_;
};

}  // namespace ymir
