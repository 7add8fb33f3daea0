// Smoothed aggregation for matrices of elastic bodies: what conjugate gradients on a large body are preconditioned
// with. [Vanek1996]
//
// One cycle is a fixed symmetric operator, in single precision; it is the same bits for any number of threads. It
// follows from the matrix and the positions alone, whatever was there before.
//
// Rows may be shared by ranks: aggregates then stay within a rank, and every rank factors the whole coarsest matrix.
//
// Not for use by several threads at once, apply() included.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ymir/solvers/block_cholesky.h"
#include "ymir/solvers/elastic_amg/shared_rows.h"
#include "ymir/solvers/elastic_amg/symmetric_rows.h"
#include "ymir/solvers/elastic_amg/transfer.h"

namespace ymir::elastic_amg {

class Hierarchy {
 public:
  // Kept for every matrix with the pattern of `a`.
  void analyze(const BlockMatrix& a);
  void analyze(const SharedRows& a);  // collective, as is all that follows
  // False when a diagonal block or the coarsest matrix is not positive definite: `a` is not, or almost not.
  // positions: where the nodes are [m]; nodes beyond them are no places in space.
  bool refresh(const BlockMatrix& a, std::span<const Vec3d> positions);
  bool refresh(const SharedRows& a, std::span<const Vec3d> positions);
  // z = one cycle on r from 0. Needs a refresh() that succeeded.
  void apply(std::span<const double> r, std::span<double> z);
  const SymmetricRows& rows() const { return rows_; }

  int levels() const { return 1 + static_cast<int>(coarse_.size()); }
  double complexity() const;  // entries of all matrices / those of the first
  std::size_t bytes() const;

 private:
  // A level below the first, and how it goes on from there.
  struct Coarse {
    BlockLevel<modes> level;
    RigidModes<modes> rigid;
    Transfer<modes> transfer;
  };
  template <class Block>
  void take(double link, Block&& block);
  bool update(std::span<const Vec3d> positions);
  bool refresh_coarse(std::size_t l, bool changed);
  void build_coarsest(const BlockLevel<modes>& level);
  bool factor_coarsest(const BlockLevel<modes>& level);
  void solve_coarsest(BlockLevel<modes>& level);
  void cycle(std::size_t l);

  SymmetricRows rows_;
  BlockLevel<3> finest_;
  RigidModes<3> rigid_;
  Transfer<3> transfer_;
  std::vector<std::unique_ptr<Coarse>> coarse_;
  bool built_ = false;
  double scale_ = 1;  // of the matrix here
  // Of all ranks; nodes of six unknowns are two nodes there.
  struct Entry {
    Index row, column;
  };
  std::vector<Entry> coarsest_entries_;
  BlockMatrix coarsest_;
  BlockCholesky factor_;
  std::vector<double> solution_;
};

}  // namespace ymir::elastic_amg
