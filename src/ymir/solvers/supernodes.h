// Symbolic Cholesky factorisation: the elimination tree of a graph, gathered into supernodes.
//
// Tree by path compression [Liu 1986], column counts in almost linear time [Gilbert, Ng, Peyton 1994], columns of the
// same pattern joined, then small supernodes joined to their parents where the zeros that adds are few [Ashcraft,
// Grimes 1989]. Supernodes are numbered in a postorder of their tree that keeps the stack of update matrices small [Liu
// 1986].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/solvers/nested_dissection.h"

namespace ymir {

struct Supernodes {
  std::vector<std::int32_t> order;       // order[k]: node eliminated k-th; the columns of a supernode are consecutive
  std::vector<std::int32_t> first;       // first column of each, and the count of columns
  std::vector<std::int32_t> parent;      // -1: a root
  std::vector<std::int64_t> row_starts;  // into rows
  std::vector<std::int32_t> rows;        // places in the order, below the columns of the supernode, ascending

  std::int32_t count() const { return static_cast<std::int32_t>(parent.size()); }
  std::int32_t columns(std::int32_t s) const {
    return first[static_cast<std::size_t>(s) + 1] - first[static_cast<std::size_t>(s)];
  }
  std::span<const std::int32_t> rows_of(std::int32_t s) const {
    const auto i = static_cast<std::size_t>(s);
    return {rows.data() + row_starts[i], rows.data() + row_starts[i + 1]};
  }
};

Supernodes find_supernodes(const Graph& graph, std::span<const std::int32_t> order);

// Nodes in each column of the factor, diagonal included, in the given order.
std::vector<std::int32_t> column_counts(const Graph& graph, std::span<const std::int32_t> order);

}  // namespace ymir
