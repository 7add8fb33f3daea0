// Which neighbours of a node hold it strongly: |A_ij|^2 > limit s_i s_j, with the norm of a block and s_i the largest
// of the blocks of row i beside its diagonal. What the diagonal alone has (mass, springs to the ground, contact) does
// not show in it, nor does the scale of the matrix: it changes where stiffness does.
#pragma once

#include <vector>

#include "ymir/solvers/amg/aggregation.h"
#include "ymir/solvers/elastic_amg/block_level.h"

namespace ymir::elastic_amg {

class Strength {
 public:
  // Nodes from `linked` on hold no one: they are no places in space.
  template <int N>
  void resize(const BlockLevel<N>& level, Index linked);
  // Whether any link became strong or weak since the last time, on any rank.
  template <int N>
  bool update(BlockLevel<N>& level);
  // Of the rows of this rank.
  amg::Aggregates aggregates() const;
  std::size_t bytes() const { return norms_.size() * 5 + largest_.size() * 4; }

 private:
  Index linked_ = 0;
  const std::vector<Index>*starts_ = nullptr, *columns_ = nullptr;  // of the level
  Index rows_ = 0;
  std::vector<float> norms_, largest_;  // of entries, of columns
  std::vector<std::uint8_t> strong_;
};

}  // namespace ymir::elastic_amg
