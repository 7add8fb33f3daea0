// From a level of an elastic hierarchy to the next coarser one: aggregates, the smoothed prolongation
// P = (I - w D^-1 A) Q, w = 4 / (3 largest eigenvalue), and the Galerkin product P'AP. [Vanek1996]
//
// Structure (aggregates and patterns) follows from the links that are strong; a matrix with the same ones needs new
// values only, which allocates nothing.
//
// Aggregates do not leave their rank, and rows that touch another rank are not smoothed: P is then a rank's own, and of
// the rows of others one block each is known.
#pragma once

#include "ymir/solvers/elastic_amg/block_level.h"
#include "ymir/solvers/elastic_amg/rigid_modes.h"
#include "ymir/solvers/elastic_amg/strength.h"

namespace ymir::elastic_amg {

template <int N>
class Transfer {
 public:
  void resize(const BlockLevel<N>& fine, Index linked);
  bool strength_changed(BlockLevel<N>& fine) { return strength_.update(fine); }
  // Aggregates and patterns, and that of the coarse matrix.
  void build(BlockLevel<N>& fine, BlockLevel<modes>& coarse);
  // Values, from the fine matrix and its rigid modes, which it spoils.
  void refresh(BlockLevel<N>& fine, RigidModes<N>& rigid, RigidModes<modes>& coarse_rigid, BlockLevel<modes>& coarse);

  void restrict_residual(const BlockLevel<N>& fine, BlockLevel<modes>& coarse) const;  // coarse.b = P' fine.r
  void add_correction(const BlockLevel<modes>& coarse, BlockLevel<N>& fine) const;     // fine.x += P coarse.x
  Index coarse_rows() const { return members_.count(); }
  Index all_coarse_rows() const { return all_coarse_; }
  std::size_t bytes() const;

 private:
  struct Scratch {
    std::vector<Index> place;  // by coarse node: its block in the row at hand
    std::vector<float> sums;   // blocks of 8 wide rows
  };
  Scratch& scratch();

  void number_coarse(BlockLevel<N>& fine, BlockLevel<modes>& coarse);
  void fetch_ghosts(BlockLevel<N>& fine, const RigidModes<N>& rigid);
  void smooth_modes(const BlockLevel<N>& fine, const RigidModes<N>& rigid);
  void multiply(const BlockLevel<N>& fine);
  void galerkin(BlockLevel<modes>& coarse, const RigidModes<modes>& coarse_rigid);

  Strength strength_;
  std::vector<Index> of_;  // aggregate of a node, or -1; of ghosts too
  std::vector<float> sent_, received_;
  Index all_coarse_ = 0;
  Members members_;
  BlockRows<N, modes> prolong_, product_;  // P, A P
  // Rows of P by coarse node, and their entries there.
  std::vector<Index> coarse_starts_, coarse_fine_, coarse_entry_;
  std::vector<Scratch> scratch_;  // of threads
  std::size_t most_blocks_ = 0;   // in a row of a product
};

}  // namespace ymir::elastic_amg
