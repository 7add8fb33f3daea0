#include "ymir/solvers/poisson/multigrid.h"

#include <algorithm>
#include <cmath>

#include "ymir/solvers/poisson/coarsening.h"
#include "ymir/solvers/poisson/sweeps.h"

namespace ymir::poisson {
namespace {

constexpr std::int64_t coarsest_unknowns = 64;  // 4^3
constexpr int tiles_per_rank = 8;               // with fewer, messages cost more than the work: rank 0 takes all
constexpr int tiles_ahead = 4;                  // prefetched

}  // namespace

void Multigrid::build(PoissonLevel& fine, const Survey& survey, bool new_tiles) {
  fine_ = &fine;
  Communicator& communicator = fine.volume.domain().communicator();
  if (new_tiles) coarser_.clear();
  products_.resize(static_cast<std::size_t>(fine.count()));
  int l = 0;
  for (; l == 0 || level(l).unknowns > coarsest_unknowns; ++l) {
    PoissonLevel& finer = level(l);
    if (l == static_cast<int>(coarser_.size())) {
      std::int64_t unknowns = 0;
      std::vector<BucketKey> parents;
      for (const TileBits& bits : finer.cells) unknowns += std::popcount(coarse_cells(bits));
      for (const BucketKey key : finer.volume.buckets().local_keys())
        if (parents.empty() || parents.back() != parent_key(key)) parents.push_back(parent_key(key));
      const std::int64_t tiles = communicator.sum(static_cast<std::int64_t>(parents.size()));
      const bool on_root =
          communicator.sum(unknowns) <= coarsest_unknowns || tiles < std::int64_t{tiles_per_rank} * communicator.size();
      coarser_.push_back(std::make_unique<PoissonLevel>(finer, on_root));
    }
    // x = 0 lies half a finest cell beyond an open face, so edge / 2 + 1/2 from the centre of a cell.
    const double edge = std::exp2(l);
    const auto open_factor = static_cast<float>((edge + 1) / (2 * edge + 1));
    coarsen_matrix(finer, l == 0 ? &survey : nullptr, open_factor, *coarser_[static_cast<std::size_t>(l)]);
  }
  coarser_.resize(static_cast<std::size_t>(l));
  // Unknowns vanished from tiles that stayed, and a level that was shared became the coarsest.
  if (!coarser_.back()->on_root) return build(fine, survey, true);
  coarsest_.factor(*coarser_.back());
}

std::size_t Multigrid::bytes() const {
  std::size_t sum = 0;
  for (const auto& coarser : coarser_) sum += coarser->bytes();
  return sum;
}

void Multigrid::smooth_and_restrict(PoissonLevel& fine, PoissonLevel& coarse, bool from_zero) {
  const LevelArrays& a = fine.arrays;
  TileTransfer& transfer = *fine.coarsen;
  fine.run_stages(!from_zero, [&](int stage, int t, int ahead) {
    if (stage == 0 && from_zero)
      divide_by_diagonal(a, t, false, ahead);
    else if (stage < 4)
      half_sweep(a, t, stage % 2, ahead);
    else
      restrict_residual(a, t, transfer.block(t, coarse.arrays.b), ahead);
  });
  transfer.send_up();
  transfer.put_guests(coarse.arrays.b);
}

void Multigrid::prolong_and_smooth(PoissonLevel& fine, PoissonLevel& coarse) {
  const LevelArrays& a = fine.arrays;
  TileTransfer& transfer = *fine.coarsen;
  transfer.fetch_guests(coarse.arrays.x);
  transfer.send_down();
  fine.run_stages(false, [&](int stage, int t, int ahead) {
    if (stage == 0)
      prolong(a, t, transfer.block(t, coarse.arrays.x), ahead);
    else
      half_sweep(a, t, stage % 2, ahead);
    if (stage == 4 && &fine == fine_) products_[static_cast<std::size_t>(t)] = product(a, t);
  });
}

void Multigrid::visit(int l, Cycle cycle, bool from_zero) {
  if (l + 1 == levels()) {
    coarsest_.solve(level(l));
    return;
  }
  smooth_and_restrict(level(l), level(l + 1), from_zero);
  visit(l + 1, cycle, true);
  if (cycle == Cycle::w && l + 2 < levels()) visit(l + 1, cycle, false);
  prolong_and_smooth(level(l), level(l + 1));
}

void Multigrid::apply(Cycle cycle) { visit(0, cycle, true); }

void Multigrid::apply_jacobi() {
  const int count = fine_->count();
  for_each_tile(count, [&](int t) {
    divide_by_diagonal(fine_->arrays, t, true, std::min(t + tiles_ahead, count - 1));
    products_[static_cast<std::size_t>(t)] = product(fine_->arrays, t);
  });
}

}  // namespace ymir::poisson
