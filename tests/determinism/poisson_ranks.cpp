// Prints a hash of solutions of the pressure equation by multigrid on tiles. The line must be the same for any number
// of ranks and threads (same_output.cmake compares them).
#include <fmt/format.h>

#include <cstdio>

#include "poisson_case.h"
#include "ymir/base/hash.h"
#include "ymir/solvers/poisson/tile_poisson.h"

namespace ymir::bench {
namespace {

std::uint64_t run(PoissonGeometry geometry, int n, double tolerance) {
  PoissonCase problem(geometry, n);
  TilePoisson solver(problem.volume);
  solver.set_matrix(problem.coefficient, problem.cell);
  std::uint64_t hash = 0;
  // The second time after moving tiles between ranks, by a weight that grows along one axis.
  for (int pass = 0; pass < 2; ++pass) {
    problem.clear_solution();
    const PoissonReport report = solver.solve(problem.b, problem.x, {.tolerance = tolerance});
    YMIR_CHECK(report.converged);
    hash = hash_combine(hash, problem.volume.hash());
    hash = hash_combine(hash, static_cast<std::uint64_t>(report.iterations));
    hash = hash_combine(hash, hash_bits(report.residual));
    hash = hash_combine(hash, hash_bits(report.removed));
    hash = hash_combine(hash, static_cast<std::uint64_t>(report.components * 1000 + report.closed_components));
    const auto keys = problem.volume.buckets().local_keys();
    std::vector<double> weights;
    for (const BucketKey key : keys) weights.push_back(1 + coord_of(key).x);
    problem.domain.rebalance(keys, weights);
    problem.volume.migrate();
    solver.set_matrix(problem.coefficient, problem.cell);
  }
  return hash;
}

}  // namespace
}  // namespace ymir::bench

int main() {
  using ymir::bench::PoissonGeometry;
  ymir::Communicator& communicator = ymir::Communicator::world();
  try {
    const std::uint64_t closed = ymir::bench::run(PoissonGeometry::closed_box, 32, 1e-9);
    const std::uint64_t pockets = ymir::bench::run(PoissonGeometry::pockets, 64, 1e-6);
    const std::uint64_t balls = ymir::bench::run(PoissonGeometry::balls, 64, 1e-6);
    const std::uint64_t blob = ymir::bench::run(PoissonGeometry::blob, 96, 1e-6);
    const std::uint64_t comb = ymir::bench::run(PoissonGeometry::comb, 32, 1e-4);
    if (communicator.root())
      fmt::print("closed {:016x} pockets {:016x} balls {:016x} blob {:016x} comb {:016x}\n", closed, pockets, balls,
                 blob, comb);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank {}: {}\n", communicator.rank(), error.what());
    std::fflush(stderr);
    communicator.abort(1);
  }
  return 0;
}
