// Aggregates: groups of rows that become one row, or a few, of the next coarser matrix. [method notes C, 3 (7), 4]
//
// Rows are taken in fixed blocks; an aggregate never leaves its block, let alone its rank. Blocks are worked on in
// parallel, each in the order of its rows, so the result does not depend on the thread count.
#pragma once

#include <cstdint>
#include <vector>

#include "ymir/math/vec3.h"

namespace ymir::amg {

using Index = std::int32_t;

// Rows of a block of a matrix with so many rows: few enough for many threads, and enough that little of a block is at
// its border, also where rows are ordered by layers.
constexpr Index block_rows(Index rows) { return rows / 32 > 16384 ? rows / 32 : 16384; }

// The graph of a matrix: entries of a row, and how strong they are. Columns from `rows` on belong to other ranks.
struct Graph {
  Index rows;
  const Index* starts;
  const Index* columns;
  const float* values;
  const float* diagonal;
  double limit;  // a_ij is strong when |a_ij|^2 > limit a_ii a_jj

  bool strong(Index i, Index k) const {
    const auto value = static_cast<double>(values[k]);
    return value * value > limit * static_cast<double>(diagonal[i]) * static_cast<double>(diagonal[columns[k]]);
  }
};

struct Aggregates {
  std::vector<Index> of;  // aggregate of each row; -1: a row without any link
  Index count = 0;
  std::vector<Index> first;  // aggregate of each block of rows, and their count
};

// A root with its strong neighbours, as long as all of them are free; then leftovers join the strongest neighbour. Wide
// ones take the neighbours' neighbours too.
Aggregates smoothed_aggregates(const Graph& graph, bool wide);

// Blocks of 2x2x2 cells, one aggregate per connected part within the block; `cells` are the places of the rows.
// Replaces cells by the places of the aggregates, in blocks. Adds to `divided` the number of blocks with several parts.
Aggregates split_aggregates(const Graph& graph, std::vector<Vec3i>& cells, Index& divided);

}  // namespace ymir::amg
