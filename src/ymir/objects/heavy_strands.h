// A group of strands with masses added at its vertices: the matrix that the splitting of contacts solves with, where
// the strands are coupled to others.
#pragma once

#include <vector>

#include "ymir/objects/strand_band.h"
#include "ymir/solids/condensable.h"
#include "ymir/solvers/nodal_contact/edge_arms.h"

namespace ymir {

class HeavyStrands final : public MatrixPart, public Condensable {
 public:
  // matrix: columns as in band_ldl.h. d: masses of nodes, lane after lane: of vertices, then of what is beside their
  // axis (nullptr: nothing is); per_dt2 times that is added.
  void set(const StrandReal* matrix, int vertices, bool multipliers, std::span<const double> d, double per_dt2,
           const EdgeArms* arms);

  std::size_t size() const override { return band().size(); }
  std::int32_t nodes() const override { return band().nodes(); }
  std::int32_t slot(std::size_t row) const override { return band().slot(row); }
  void visit_blocks(const BlockVisitor& visit) const override { band().visit_blocks(visit); }
  bool indefinite() const override { return multipliers_; }
  Condensable* condensable() override { return this; }

  bool factor() override { return factor_without({}); }
  bool factor_without(std::span<const std::size_t> rows) override;
  void solve(const double* r, double* z) const override;
  void product(const double* x, double* y) const override { band().product(x, y); }

 private:
  template <class Layout>
  bool factor_as();
  int block() const { return multipliers_ ? MultiplierLayout::block : PlainLayout::block; }
  StrandBand band() const { return {matrix_.data(), block() * vertices_, multipliers_}; }

  int vertices_ = 0;
  bool multipliers_ = false;
  std::vector<StrandReal> matrix_, factor_;
  mutable std::vector<StrandReal> padded_;
};

}  // namespace ymir
