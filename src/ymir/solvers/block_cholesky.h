// Sparse Cholesky factorisation A = L L' of symmetric positive definite matrices of 3x3 blocks: multifrontal [Duff,
// Reid 1983; Liu 1992].
//
// Ordering, elimination tree and supernodes are found on the graph of nodes, a ninth of the work for scalars. Each
// supernode gathers its entries of A and the update matrices of its children into a front (dense_cholesky.h), factors
// its columns and passes the rest on. Subtrees are tasks, so are the supernodes above them and the blocks of rows of
// their fronts; what is added where and in which order is fixed at analyze(), so results do not depend on the number of
// threads.
//
// Not for use by several threads at once, solve() included.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ymir/solvers/block_matrix.h"
#include "ymir/solvers/dense_cholesky.h"
#include "ymir/solvers/supernodes.h"

namespace ymir {

class BlockCholesky {
 public:
  // Order and pattern of the factor, and its memory, kept for every matrix with the pattern of `a`.
  void analyze(const BlockMatrix& a);
  // False when a pivot is not positive or not finite. `a` has the pattern that was analysed.
  bool factor(const BlockMatrix& a);
  // Node of the first such pivot in the order of elimination; -1 after success.
  std::int32_t bad_node() const { return bad_node_; }
  // A x = b for `count` right sides end to end; b and x may be the same. Needs a factor() that succeeded.
  void solve(const double* b, double* x, int count = 1) const;

  std::int64_t factor_entries() const { return factor_entries_; }  // of L in scalars, zeros of joined columns included
  double flops() const { return flops_; }                          // of factor(), additions and multiplications

 private:
  struct Release {
    void operator()(double* memory) const;
  };
  using Memory = std::unique_ptr<double[], Release>;
  static Memory allocate(std::size_t count);

  struct Supernode {
    std::int32_t pivots, others;         // scalars
    std::size_t corner, below, update;   // into factor_, factor_, updates_
    std::size_t pivot_tile, other_tile;  // of vectors in a solve
    std::int32_t first_child, end_child;
    std::size_t first_block, end_block;  // into blocks_
  };
  // Where a block of A goes.
  struct Block {
    std::int32_t slot;
    bool transposed;
    std::size_t place;  // into factor_
  };
  // Supernodes [first, end): one and all below it.
  struct Subtree {
    std::int32_t first, end;
  };

  void place_blocks(const BlockMatrix& a);
  void choose_subtrees();
  void place_updates();
  Front front(std::int32_t s) const;
  // Supernode s, above the subtrees or the root of one, and all below it.
  void factor_task(std::int32_t s, const BlockMatrix& a);
  // Scalar index of the first pivot that fails, in the order of elimination; -1: none.
  std::int64_t factor_supernode(std::int32_t s, const BlockMatrix& a, bool parallel);
  void add_update(std::int32_t child, std::int32_t parent, bool parallel);
  void solve_few(const double* b, double* x, int count) const;
  void forward(std::int32_t s, const double* b, int count) const;
  void backward(std::int32_t s, double* x, int count) const;
  template <class F>
  void from_leaves(F&& body) const;
  template <class F>
  void from_roots(F&& body) const;

  Supernodes tree_;
  std::vector<Supernode> supernodes_;
  std::vector<std::int32_t> children_;
  std::vector<std::int32_t> relative_;  // of each row of each supernode: its place in the front of the parent, in nodes
  std::vector<Block> blocks_;
  std::vector<Subtree> subtrees_;
  std::vector<std::int32_t> top_;         // supernodes above the subtrees
  std::vector<std::int32_t> subtree_of_;  // by supernode: the subtree it is the root of, or -1
  std::vector<std::int64_t> bad_;         // by supernode: the first pivot that failed there or below, or -1
  Memory factor_, updates_;
  Memory pivot_vectors_, other_vectors_;
  std::size_t block_count_ = 0;
  std::int64_t factor_entries_ = 0;
  double flops_ = 0;
  std::int32_t bad_node_ = -1;
  bool factored_ = false;
};

}  // namespace ymir
