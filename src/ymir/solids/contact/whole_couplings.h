// Couplings of clusters in the matrix of all their blocks (whole_contacts.h). Soft rows add to it. Hard ones are held
// as contacts are, by the method of multipliers,
//
//   A x + J'(l - l0) = b,   l = Pi(l0 + d + R (J x + C)),   d <- l - l0        Pi: low <= l <= high, where it has
//   bounds
//
// l0 being multipliers of the iterate, which b has, and C the gap. Rows that yield have R/(1 + R yield) in place of R.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ymir/solids/coupled_rows.h"
#include "ymir/solvers/block_matrix.h"

namespace ymir {

class WholeCouplings {
 public:
  void clear() { elements_.clear(); }
  void add(std::span<CoupledRows> coupled);
  bool empty() const { return elements_.empty(); }
  bool hard() const { return !rows_.empty(); }  // after start()

  // Nodes of each element, one list after the other; then where its values are in a matrix with that pattern.
  void nodes(std::vector<std::vector<std::int32_t>>& lists) const;
  void find_places(const BlockMatrix& matrix);

  void add_soft(BlockMatrix& matrix);
  void start(const BlockMatrix& matrix);  // soft rows are in it
  void add_hard(BlockMatrix& augmented);
  // Which bounded rows are held at this x. True: others than before.
  bool hold(std::span<const double> x);
  void resist(std::span<const double> x, std::span<double> side) const;  // side -= J'(l - l0)
  // dE/ds along x + s step, of hard rows.
  void set_line(std::span<const double> x, std::span<const double> step);
  double slope(double share) const;
  void advance(std::span<const double> x);  // d
  void keep();                              // d as it is, which give() goes back to
  void give() const;                        // to the elements: changes of multipliers, what is left of rows

 private:
  struct Row {
    std::size_t element;
    int row;
    double gap, force, low, high, yield, penalty;
    double change = 0, at = 0, way = 0;  // d; J x, J step of the line
    double open = 0, kept = 0;
    bool held = true;
  };
  static double response(const Row& row, double moved);  // l - l0
  void scatter(std::size_t element, BlockMatrix& to);
  void add_outer(const CoupledRows& c, int row, double weight);

  std::vector<CoupledRows*> elements_;
  std::vector<std::vector<std::int32_t>> places_;  // of each pair of slots of an element, -1: above the diagonal
  std::vector<double> dense_;
  std::vector<Row> rows_;
};

}  // namespace ymir
