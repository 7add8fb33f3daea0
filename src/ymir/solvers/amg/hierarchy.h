// Algebraic multigrid cycle as a preconditioner, for symmetric positive (semi)definite matrices: smoothed aggregation,
// or split aggregates on matrices of cells. In single precision, symmetric, the same bits for any number of threads.
// [Vanek1996; method notes C, 3 (7), 4]
#pragma once

#include <memory>
#include <span>

#include "ymir/math/vec3.h"
#include "ymir/solvers/amg/coarsest_ldl.h"
#include "ymir/solvers/amg/csr_matrix.h"
#include "ymir/solvers/amg/prolongation.h"

namespace ymir {

struct AmgOptions {
  double strength = 0.08;  // of entries that bind rows together; halved on every level
  bool wide = true;        // wide aggregates on the finest level: less memory, shorter setup, some more iterations
  int sweeps = 1;          // before and after the coarse correction
  bool w_cycle = false;    // coarser levels are visited twice
};

class AmgHierarchy {
 public:
  // The matrix must outlive this, its structure and place unchanged. Near null space: constants.
  void build(const CsrMatrix& matrix, const AmgOptions& options = {});
  // Near null vectors, `columns` values for every row; `unknowns_per_node` consecutive rows are kept together.
  void build(const CsrMatrix& matrix, int columns, std::vector<double> vectors, int unknowns_per_node,
             const AmgOptions& options = {});
  // Blocks of 2x2x2 cells, one coarse unknown per connected part of a block; `cells` are the places of the rows.
  void build_split(const CsrMatrix& matrix, std::vector<Vec3i> cells, const AmgOptions& options = {.sweeps = 2});
  // Other values in the same structure: aggregates and prolongation are kept.
  void update_values();

  // z = M r
  void apply(std::span<const double> r, std::span<double> z);

  int levels() const { return static_cast<int>(levels_.size()); }
  const amg::Level& level(int l) const { return *levels_[static_cast<std::size_t>(l)]; }
  double operator_complexity() const;                       // entries of all levels over those of the finest
  std::int32_t divided_blocks() const { return divided_; }  // blocks of cells with several parts, of all levels
  std::size_t bytes() const;                                // without the caller's matrix
  void set_cycle(bool w_cycle, int sweeps);

 private:
  enum class Kind { constants, vectors, split };
  void start(const CsrMatrix& matrix, const AmgOptions& options, Kind kind);
  void coarsen_all();
  bool coarsen(amg::Level& fine);
  void finish();
  void visit(std::size_t l, bool from_zero);
  void smooth_coarsest(amg::Level& level);

  const CsrMatrix* matrix_ = nullptr;
  AmgOptions options_;
  Kind kind_ = Kind::constants;
  std::vector<std::unique_ptr<amg::Level>> levels_;
  amg::CoarsestLdl coarsest_;
  amg::NearNullSpace vectors_;
  std::vector<std::int32_t> nodes_;
  std::vector<Vec3i> cells_;
  std::int32_t divided_ = 0;
};

}  // namespace ymir
