// An order for several stages of work on tiles, where a stage on a tile needs the stage before it on the tile and on
// its six neighbours: half sweeps, then a residual. Stage after stage would stream all tiles through the caches each
// time. Here a tile goes on to its next stage as soon as its neighbours allow, while they are still in the cache;
// results are the same bits, because every stage reads the same values in any such order.
//
// Each part of the tiles, contiguous along the curve, is worked on by one thread. What needs tiles of another part
// comes afterwards, stage by stage.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ymir::poisson {

class StageOrder {
 public:
  // near: the tiles around each tile; indices that are not below the number of tiles stand for none.
  void build(std::span<const std::array<int, 6>> near, int stages, int parts);
  int parts() const { return static_cast<int>(own_.size()); }

  // kernel(stage, tile, tile to come a little later)
  template <class Kernel>
  void run(Kernel&& kernel) const {
    const int count = parts();
#pragma omp parallel num_threads(count) if (count > 1)
    {
#pragma omp for schedule(static, 1)
      for (int part = 0; part < count; ++part) run_list(own_[static_cast<std::size_t>(part)], kernel);
      for (const std::vector<Work>& stage : shared_) {
#pragma omp for schedule(static)
        for (std::ptrdiff_t n = 0; n < static_cast<std::ptrdiff_t>(stage.size()); ++n) {
          const auto at = static_cast<std::size_t>(n);
          kernel(stage[at].stage, stage[at].tile, stage[std::min(at + lookahead, stage.size() - 1)].tile);
        }
      }
    }
  }

 private:
  struct Work {
    int tile, stage;
  };
  static constexpr std::size_t lookahead = 4;

  template <class Kernel>
  static void run_list(const std::vector<Work>& list, Kernel& kernel) {
    for (std::size_t n = 0; n < list.size(); ++n)
      kernel(list[n].stage, list[n].tile, list[std::min(n + lookahead, list.size() - 1)].tile);
  }

  std::vector<std::vector<Work>> own_;     // per part
  std::vector<std::vector<Work>> shared_;  // per stage
};

}  // namespace ymir::poisson
