// The pressure equation on 8^3 tiles,
//   sum over the faces f of cell i of c_f (x_i - x_f) = b_i
// for all cells of a Discrete Volume marked as unknowns (1). x_f is 0 in cells without unknown: a face with c > 0
// towards one is an open side, a wall has c = 0. Conjugate gradients in double precision, preconditioned by a multigrid
// cycle in single precision; nothing but c is stored of the matrix. [method notes C, 2, 3]
//
// Components without an open side are singular: the mean of b over each is removed and x gets mean 0. Results are the
// same bits for any number of threads and ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "ymir/data/discrete_volume.h"
#include "ymir/solvers/amg/algebraic_solver.h"

namespace ymir {

struct PoissonOptions {
  double tolerance = 1e-6;      // on |b - A x| / |b|, both without the removed means
  int max_iterations = 200;     // of conjugate gradients
  bool stop_when_slow = false;  // return as soon as another method is wanted
};

struct PoissonReport {
  bool converged = false;
  bool finite = true;  // false: b is not, in this bucket; x is then 0
  BucketCoord not_finite{};
  int iterations = 0;
  double residual = 0;  // |b - A x| / |b| of the x returned, in double precision
  std::int64_t unknowns = 0;
  std::int64_t components = 0, closed_components = 0;
  double removed = 0;            // largest mean removed from b, in absolute value
  bool wants_algebraic = false;  // geometry that this hierarchy suits badly: too many iterations, or it broke down
  std::string solver;            // cycle used at the end
};

class TilePoisson {
 public:
  // Works on channels of `volume`: one level of buckets, resolution 8. The volume must outlive this.
  explicit TilePoisson(DiscreteVolume& volume);
  ~TilePoisson();
  TilePoisson(const TilePoisson&) = delete;
  TilePoisson& operator=(const TilePoisson&) = delete;

  // Takes c (face channel, finite, >= 0) and the unknowns (cell channel, 1) as they are now; call it again after
  // any change of either, of the buckets or of their ranks. The channel of c must stay as it is until the last solve.
  // The neighbours of tiles with unknowns on their + sides must be there, where c > 0 on the faces between. Collective.
  void set_matrix(ChannelId<float> coefficient, ChannelId<std::uint8_t> cell);

  // x: the first guess on entry, the solution on return, 0 where there is no unknown. b is only read. Collective.
  PoissonReport solve(ChannelId<double> b, ChannelId<double> x, const PoissonOptions& options = {});

  // b as solve() takes it: without its mean over each closed component, 0 in cells without a link. Returns the largest
  // mean. Collective.
  double make_solvable(ChannelId<double> b);

  // y = A x, 0 where there is no unknown; x must be 0 there. Collective.
  void apply(ChannelId<double> x, ChannelId<double> y);

  // The matrix by rows: one per unknown with a face c > 0, in the order of the tiles. Collective.
  AlgebraicSystem assemble();
  // Values at those rows, and back; cells without a row are left as they are.
  void take_rows(ChannelId<double> from, std::vector<double>& rows) const;
  void put_rows(const std::vector<double>& rows, ChannelId<double> to);
  // Changes with the tiles, the unknowns and the faces with c > 0, here or on other ranks. Collective.
  std::uint64_t topology() const;

  // Memory of the hierarchy and vectors on this rank [bytes].
  std::size_t bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ymir
