// Algebraic multigrid cycle as a preconditioner, for symmetric positive (semi)definite matrices: smoothed aggregation,
// or split aggregates on matrices of cells. In single precision, symmetric, the same bits for any number of threads.
// [Vanek1996; method notes C, 3 (7), 4]
//
// Rows may be shared by ranks: aggregates stay within them, everything else goes across. Levels that have become small
// continue on rank 0 alone.
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
  // Rows of levels that rank 0 takes over, at most: so many, or a fifth of it per rank.
  std::int32_t gathered_rows = 10000;
};

class AmgHierarchy {
 public:
  AmgHierarchy();
  ~AmgHierarchy();
  AmgHierarchy(AmgHierarchy&&) noexcept;
  AmgHierarchy& operator=(AmgHierarchy&&) noexcept;

  // The matrix must outlive this, its structure and place unchanged. Near null space: constants. With a halo, of its
  // ghosts, these are the rows of one rank, and all functions that are not const are collective.
  void build(const CsrMatrix& matrix, const AmgOptions& options = {}, amg::Halo* halo = nullptr);
  // Near null vectors, `columns` values for every row; `unknowns_per_node` consecutive rows are kept together. One rank
  // has all rows.
  void build(const CsrMatrix& matrix, int columns, std::vector<double> vectors, int unknowns_per_node,
             const AmgOptions& options = {});
  // Blocks of 2x2x2 cells, one coarse unknown per connected part of a block; `cells` are the places of the rows.
  void build_split(const CsrMatrix& matrix, std::vector<Vec3i> cells, const AmgOptions& options = {.sweeps = 2},
                   amg::Halo* halo = nullptr);
  // Other values in the same structure: aggregates and prolongation are kept.
  void update_values();

  // z = M r
  void apply(std::span<const double> r, std::span<double> z);

  int levels() const { return static_cast<int>(levels_.size()) + (gathered_levels_ > 0 ? gathered_levels_ - 1 : 0); }
  const amg::Level& level(int l) const { return *levels_[static_cast<std::size_t>(l)]; }  // not of those on rank 0
  double operator_complexity() const { return complexity_; }  // entries of all levels over those of the finest
  std::int64_t divided_blocks() const { return divided_; }    // blocks of cells with several parts, of all levels
  std::size_t bytes() const;                                  // on this rank, without the caller's matrix
  void set_cycle(bool w_cycle, int sweeps);

 private:
  enum class Kind { constants, vectors, split };
  struct OnRoot;
  void start(const CsrMatrix& matrix, const AmgOptions& options, Kind kind, amg::Halo* halo);
  void coarsen_all();
  bool aggregate(const amg::Level& fine, const amg::Graph& graph, int level, amg::Aggregates& aggregates);
  std::unique_ptr<amg::Level> coarsened(amg::Level& fine);
  bool becomes_gathered(const amg::Level& level) const;
  void gather();
  void finish();
  void count();
  void visit(std::size_t l, bool from_zero);
  void visit_root(amg::Level& level, bool from_zero);
  void smooth_coarsest(amg::Level& level);

  const CsrMatrix* matrix_ = nullptr;
  AmgOptions options_;
  Kind kind_ = Kind::constants;
  std::vector<std::unique_ptr<amg::Level>> levels_;
  amg::CoarsestLdl coarsest_;
  amg::NearNullSpace vectors_;
  std::vector<std::int32_t> nodes_;
  std::vector<Vec3i> cells_;
  std::int32_t divided_here_ = 0;
  std::int64_t divided_ = 0;
  double complexity_ = 0;
  std::int64_t entries_ = 0;  // of all levels
  int depth_ = 0;             // levels above the first, of the hierarchy that this one continues
  int gathered_levels_ = 0;   // on rank 0, with the last one here, which is the first there
  std::unique_ptr<OnRoot> root_;
};

}  // namespace ymir
