// One pass of advection over one tile. [method notes C, 6]
#pragma once

#include <span>
#include <vector>

#include "ymir/fluid/advection.h"
#include "ymir/fluid/trace.h"
#include "ymir/fluid/trace_sheets.h"

namespace ymir {

// f the field, a and b as in advection.h, g = f + (f - b)/2.
enum class AdvectionStep : std::uint8_t {
  carry,              // f -> S f
  predict,            // f -> a and its bounds
  correct,            // a -> f'
  compensate,         // a -> g
  carry_compensated,  // f, g -> f'
};

// One component of one field in a pass. Pointers are to the first tile; null what the step does not need.
struct AdvectedPart {
  Lattice lattice = Lattice::cells;
  int sampled = -1, compensated = -1;  // sources read along paths
  const float *field = nullptr, *predicted = nullptr, *low = nullptr, *high = nullptr;
  float *out = nullptr, *out_low = nullptr, *out_high = nullptr;
};

template <class T>
T* tile_of(T* tiles, int tile) {
  return tiles == nullptr ? nullptr : tiles + static_cast<std::size_t>(tile) * GasGrid::voxels;
}

struct AdvectionPass {
  AdvectionStep step = AdvectionStep::carry;
  float dt_over_h = 0;  // negative: forward
  AdvectionOptions options;
  std::vector<TileSource<float>> sources;  // the first three: the velocity
  TileSource<std::uint8_t> cells, sheets;  // without sheets the latter has no tiles
  std::vector<AdvectedPart> parts;
};

// Work space of a thread.
class TileAdvection {
 public:
  // False: paths reach tiles of other ranks; their keys were added to wanted.
  bool advect(int tile, const AdvectionPass& pass, std::span<const TileSummary> summaries, const BucketSet& buckets,
              const FetchedTiles& fetched);

  // Before each pass.
  void begin_pass(int tiles) { fetched_to_cache_.assign(static_cast<std::size_t>(tiles), 0); }
  // Asks the cache for what advect() of this tile will be the first to read. Neighbours lie far apart in memory, where
  // the processor does not foresee them.
  void prefetch(int tile, const AdvectionPass& pass, const BucketSet& buckets);

  std::vector<BucketKey> wanted;
  std::int64_t frozen = 0, far = 0;

 private:
  class NearSamples;
  class FarSamples;
  class SparseSamples;
  class NearSheets;
  class FarSheets;
  int trace_far(Lattice lattice, const AdvectionPass& pass, TileFinder& finder);  // the number of frozen paths
  // `beside_sheets`: reads where paths beside sheets lead.
  template <class Samples, class SheetSamples>
  void advect_parts(Samples&& samples, const SheetSamples& beside_sheets, Lattice lattice, int tile,
                    const AdvectionPass& pass);
  template <class Samples, class SheetSamples>
  void advect_part(Samples& samples, const SheetSamples& beside_sheets, int tile, const AdvectionPass& pass,
                   const AdvectedPart& part);
  template <class Kinds>
  void classify(const Kinds& kinds, bool wide);
  template <class Taps, class Kinds>
  void mend_near_solids(const Taps& taps, const Kinds& kinds, Interpolation interpolation, const float* own);
  void combine(int tile, const AdvectionPass& pass, const AdvectedPart& part);

  std::array<GatheredBox<float>, 3> velocity_, far_velocity_;
  GatheredBox<float> field_, kind_numbers_;
  GatheredBox<std::uint8_t> cells_, far_cells_, sheets_;
  MarkSums sheet_marks_;
  // Of the lattice at hand.
  RowBits rows_;
  TileTrace middle_, trace_;
  TileValues kind_;  // worst SampleKind that the interpolation at the end of a path meets
  bool all_gas_ = true, near_solids_ = false;
  std::vector<SheetSample> sheet_samples_;
  // Of the part at hand.
  TileValues value_, low_, high_, compensated_;
  std::vector<std::uint8_t> fetched_to_cache_;  // per tile
};

}  // namespace ymir
