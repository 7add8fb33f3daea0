// Liquid that may leave walls, on ranks: prints a hash of the solutions with multigrid on tiles, which must be the same
// for any number of ranks and threads (same_output.cmake compares them). With algebraic multigrid, which depends on the
// ranks within its tolerance, the solution must agree with that one and hold the conditions cell by cell.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "lcp_tank.h"
#include "ymir/base/hash.h"
#include "ymir/parallel/bytes.h"

namespace ymir::lcp {
namespace {

constexpr int n = 64;
constexpr double tolerance = 1e-12, most_error = 1e-10;

// Puts the solution of all ranks into a tank of one, on rank 0.
void collect(const Tank& shared, Tank& whole) {
  struct TileValues {
    BucketKey key;
    double x[512];
  };
  Communicator& world = shared.domain.communicator();
  const BucketSet& set = shared.volume.buckets();
  const double* from = shared.volume.tiles(shared.x);
  std::vector<TileValues> tiles(static_cast<std::size_t>(set.local_count()));
  for (int t = 0; t < set.local_count(); ++t) {
    tiles[static_cast<std::size_t>(t)].key = set.key(t);
    std::memcpy(tiles[static_cast<std::size_t>(t)].x, from + 512 * std::ptrdiff_t{t}, 512 * sizeof(double));
  }
  for (const Bytes& part : world.gather(std::as_bytes(std::span(tiles))))
    for (const TileValues& tile : from_bytes<TileValues>(part)) {
      const int t = whole.volume.buckets().find(tile.key);
      YMIR_CHECK(t >= 0);
      std::memcpy(whole.volume.write_tiles(whole.x) + 512 * std::ptrdiff_t{t}, tile.x, sizeof tile.x);
    }
}

double distance(const Tank& a, const Tank& b) {
  double most = 0, largest = 0;
  const VolumeView<double> u(a.volume, a.x), v(b.volume, b.x);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      most = std::max(most, std::abs(u.value(0, {i, j, 0}) - v.value(0, {i, j, 0})));
      largest = std::max(largest, std::abs(v.value(0, {i, j, 0})));
    }
  return most / largest;
}

std::uint64_t run(Case which) {
  Communicator& world = Communicator::world();
  Communicator alone;
  Tank single(which, n, alone), collected(which, n, alone);
  const LcpReport expected = single.solve(tolerance);
  std::uint64_t hash = 0;
  for (const PressureMethod method : {PressureMethod::automatic, PressureMethod::amg, PressureMethod::split}) {
    Tank tank(which, n, world);
    const LcpReport report = tank.solve(tolerance, method);
    YMIR_CHECK(report.solve.converged && report.complementarity <= most_error);
    YMIR_CHECK(report.held == expected.held && report.sweeps == 0);
    collect(tank, collected);
    if (world.root()) {
      YMIR_CHECK(collected.worst_error() <= most_error);
      YMIR_CHECK(distance(collected, single) <= (method == PressureMethod::automatic ? 0 : 1e-9));
    }
    if (method != PressureMethod::automatic) continue;
    hash = hash_combine(tank.volume.hash(), static_cast<std::uint64_t>(report.solves * 1000 + report.held));
    hash = hash_combine(hash, hash_bits(report.complementarity));
  }
  return hash;
}

// Too few iterations to converge: the sweeps over coloured cells go on.
std::uint64_t run_sweeps() {
  Tank tank(Case::slosh, n);
  const LcpReport report = tank.solve(tolerance, PressureMethod::multigrid, 1);
  YMIR_CHECK(report.sweeps > 0);
  return hash_combine(tank.volume.hash(), static_cast<std::uint64_t>(report.sweeps));
}

}  // namespace
}  // namespace ymir::lcp

int main() {
  using namespace ymir::lcp;
  ymir::Communicator& communicator = ymir::Communicator::world();
  try {
    const std::uint64_t still = run(Case::still), slosh = run(Case::slosh), ceiling = run(Case::ceiling);
    const std::uint64_t sweeps = run_sweeps();
    if (communicator.root())
      fmt::print("still {:016x} slosh {:016x} ceiling {:016x} sweeps {:016x}\n", still, slosh, ceiling, sweeps);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rank {}: {}\n", communicator.rank(), error.what());
    std::fflush(stderr);
    communicator.abort(1);
  }
  return 0;
}
