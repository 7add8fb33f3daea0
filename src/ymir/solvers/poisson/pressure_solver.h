// The pressure equation by whatever method suits the geometry. [method notes C, 3 (policy)]
//
// Multigrid on tiles (tile_poisson.h) suits nearly all, and an iteration of it costs a fifth of one by rows. Many walls
// thinner than a coarse cell make it slow; when it says so, the matrix is assembled and solved with split aggregates in
// W cycles, and with smoothed aggregation where these are slow too (`ymir bench poisson` compares them). What was built
// is kept while the topology stays, the choice for some matrices longer. Should all that fail, a direct solver takes
// over where the size allows. Solutions by rows depend on the number of ranks, within the tolerance.
#pragma once

#include "ymir/solvers/amg/algebraic_solver.h"
#include "ymir/solvers/poisson/tile_poisson.h"

namespace ymir {

enum class PressureMethod { automatic, multigrid, split, amg, direct };

class PressureSolver {
 public:
  explicit PressureSolver(DiscreteVolume& volume, PressureMethod method = PressureMethod::automatic);

  void set_method(PressureMethod method) { method_ = method; }
  PressureMethod method() const { return method_; }

  // As in TilePoisson. All are collective.
  void set_matrix(ChannelId<float> coefficient, ChannelId<std::uint8_t> cell);
  PoissonReport solve(ChannelId<double> b, ChannelId<double> x, const PoissonOptions& options = {});
  void apply(ChannelId<double> x, ChannelId<double> y) { tiles_.apply(x, y); }
  double make_solvable(ChannelId<double> b) { return tiles_.make_solvable(b); }
  std::size_t bytes() const { return tiles_.bytes() + algebraic_.bytes(); }
  const AlgebraicSolver& algebraic() const { return algebraic_; }

 private:
  PoissonReport solve_by_rows(PressureMethod method, ChannelId<double> b, ChannelId<double> x,
                              const PoissonOptions& options);
  void bring_system_up_to_date();
  std::uint64_t shares() const;

  DiscreteVolume* volume_;
  TilePoisson tiles_;
  AlgebraicSolver algebraic_;
  PressureMethod method_;
  PressureMethod settled_ = PressureMethod::multigrid;  // what automatic starts with
  int kept_ = 0;                                        // matrices since it was settled
  std::uint64_t topology_ = 0, shares_ = 0;             // of the assembled system
  bool stale_ = true;                                   // the assembled system is not the matrix
  std::vector<double> rows_b_, rows_x_;
};

}  // namespace ymir
