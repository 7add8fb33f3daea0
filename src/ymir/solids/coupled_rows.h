// What an element adds to the matrix of a cluster: its rows over slots, of which the hard ones have multipliers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ymir {

// Rows over `slots`, row-major, hard ones first; and a symmetric matrix over them, or nothing. The slots of a node
// follow each other.
struct CoupledRows {
  std::vector<std::int32_t> slots;
  int rows = 0, hard = 0;
  int bounded = 0;  // the last of the hard rows: their multipliers stay within [low, high]
  std::vector<double> j, stiffness, gap, curvature;
  std::vector<double> low, high;  // of the bounded rows
  std::vector<double> change;     // of the multipliers of hard rows, after solve()
  std::vector<double> open;       // what the solution leaves of hard rows, after solve() [m or 1]
  bool yields = false;            // hard rows give a little: C = yield lambda
  std::vector<double> force;      // lambda of hard rows
  std::vector<double> yield;      // after solve() [m/N], 0 of rows that do not

  double along(int row, std::span<const double> values) const {
    double sum = 0;
    const double* own = j.data() + static_cast<std::size_t>(row) * slots.size();
    for (std::size_t p = 0; p < slots.size(); ++p) sum += own[p] * values[static_cast<std::size_t>(slots[p])];
    return sum;
  }
  void spread(int row, double value, std::span<double> values) const {
    const double* own = j.data() + static_cast<std::size_t>(row) * slots.size();
    for (std::size_t p = 0; p < slots.size(); ++p) values[static_cast<std::size_t>(slots[p])] += value * own[p];
  }
};

// f(number of the hard row, element, row in it).
template <class Elements, class F>
void for_each_hard_row(Elements&& elements, F&& f) {
  std::size_t k = 0;
  for (auto& c : elements)
    for (int r = 0; r < c.hard; ++r, ++k) f(k, c, r);
}

}  // namespace ymir
