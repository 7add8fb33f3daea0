#include "ymir/fluid/advection_tile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/fluid/sheet_paths.h"

namespace ymir {
namespace {

constexpr int voxels = GasGrid::voxels;
constexpr std::uint8_t only_gas = TileSummary::bit(CellKind::fluid);
constexpr float solid_number = static_cast<float>(SampleKind::solid);
constexpr float solid_beside = 1.5f;  // only the cubic meets a solid; worse than air

bool backward(AdvectionStep step) { return step != AdvectionStep::correct && step != AdvectionStep::compensate; }

// Interpolates at the ends of all paths of a tile.
template <Interpolation interpolation, bool bounds, class Taps>
void sample_rows(const Taps& taps, const TileTrace& trace, const RowBits& rows, TileValues& value, TileValues* low,
                 TileValues* high) {
  for (int r = 0; r < 64; ++r) {
    if (rows.bits[static_cast<std::size_t>(r)] == 0) continue;
    RowBounds around{};
    value.set(r, sample<interpolation>(taps, trace.row(r), bounds ? &around : nullptr));
    if constexpr (bounds) low->set(r, around.low), high->set(r, around.high);
  }
}

template <class Taps>
void sample_tile(const Taps& taps, Interpolation interpolation, const TileTrace& trace, const RowBits& rows,
                 TileValues& value, TileValues* low = nullptr, TileValues* high = nullptr) {
  const bool cubic = interpolation == Interpolation::cubic;
  if (low == nullptr && !cubic) return sample_rows<Interpolation::linear, false>(taps, trace, rows, value, low, high);
  if (low == nullptr) return sample_rows<Interpolation::cubic, false>(taps, trace, rows, value, low, high);
  if (!cubic) return sample_rows<Interpolation::linear, true>(taps, trace, rows, value, low, high);
  sample_rows<Interpolation::cubic, true>(taps, trace, rows, value, low, high);
}

// Largest of the 4^3 kinds around points.
template <class Kinds>
Row widest_kind(const Kinds& kinds, const RowPoints& p) {
  const auto place = kinds.locate(floor(p.x), floor(p.y), floor(p.z));
  Row largest = Row::all(0);
  for (int dz = -1; dz < 3; ++dz)
    for (int dy = -1; dy < 3; ++dy) {
      Row run[4];
      kinds.quad(place, dy, dz, run);
      largest = max(largest, max(max(run[0], run[1]), max(run[2], run[3])));
    }
  return largest;
}

// Trilinear value of the samples that are not solid; `own` when there is none. Clamped to them, because the division
// rounds.
template <class Taps, class Kinds>
float renormalised(const Taps& taps, const Kinds& kinds, float x, float y, float z, float own) {
  const int i = static_cast<int>(std::floor(x)), j = static_cast<int>(std::floor(y)),
            k = static_cast<int>(std::floor(z));
  const float tx = x - static_cast<float>(i), ty = y - static_cast<float>(j), tz = z - static_cast<float>(k);
  float sum = 0, weights = 0, low = std::numeric_limits<float>::infinity(), high = -low;
  for (int corner = 0; corner < 8; ++corner) {
    const int dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2 & 1;
    if (kinds.value(i + dx, j + dy, k + dz) == solid_number) continue;
    const float weight = (dx ? tx : 1 - tx) * (dy ? ty : 1 - ty) * (dz ? tz : 1 - tz);
    const float value = taps.value(i + dx, j + dy, k + dz);
    sum += weight * value;
    weights += weight;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return weights > 0 ? std::min(std::max(sum / weights, low), high) : own;
}

}  // namespace

// Samples at the ends of paths in boxes around the tile.
class TileAdvection::NearSamples {
 public:
  NearSamples(TileAdvection& work, const AdvectionPass& pass, const std::array<int, 27>& neighbours,
              const GatherRegion& region, bool mixed)
      : work_(work), pass_(pass), neighbours_(neighbours), region_(region), mixed_(mixed) {}

  BoxTaps values(int source) const {
    const TileSource<float>& from = pass_.sources[static_cast<std::size_t>(source)];
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (from.tiles == pass_.sources[axis].tiles) return BoxTaps(work_.velocity_[axis]);
    work_.field_.gather(from.tiles, neighbours_, region_);
    if (mixed_) replace_air(work_.field_, work_.cells_, from.lattice, from.background);
    return BoxTaps(work_.field_);
  }
  BoxTaps kinds(Lattice lattice) const {
    sample_kinds(work_.kind_numbers_, work_.cells_, lattice, region_);
    return BoxTaps(work_.kind_numbers_);
  }

 private:
  TileAdvection& work_;
  const AdvectionPass& pass_;
  const std::array<int, 27>& neighbours_;
  GatherRegion region_;
  bool mixed_;
};

// In a box somewhere else.
class TileAdvection::FarSamples {
 public:
  FarSamples(TileAdvection& work, const AdvectionPass& pass, TileFinder& finder, const GatherRegion& region)
      : work_(work), pass_(pass), finder_(finder), region_(region) {
    gather(work_.far_cells_, pass_.cells, region_.with_below());
  }
  BoxTaps values(int source) const { return values(source, work_.field_); }
  BoxTaps values(int source, GatheredBox<float>& box) const {
    const TileSource<float>& from = pass_.sources[static_cast<std::size_t>(source)];
    gather(box, from, region_);
    replace_air(box, work_.far_cells_, from.lattice, from.background);
    return BoxTaps(box);
  }
  BoxTaps kinds(Lattice lattice) const {
    sample_kinds(work_.kind_numbers_, work_.far_cells_, lattice, region_);
    return BoxTaps(work_.kind_numbers_);
  }

 private:
  template <class T>
  void gather(GatheredBox<T>& box, const TileSource<T>& from, const GatherRegion& region) const {
    box.gather_far(region, [&](int x, int y, int z) { return finder_.values(from, finder_.tile(x, y, z)); });
  }

  TileAdvection& work_;
  const AdvectionPass& pass_;
  TileFinder& finder_;
  GatherRegion region_;
};

// One by one, from paths that spread too far for a box.
class TileAdvection::SparseSamples {
 public:
  SparseSamples(const AdvectionPass& pass, TileFinder& finder) : pass_(pass), finder_(finder) {}

  LookupTaps<LookUp::value> values(int source) const {
    return {finder_, pass_.sources[static_cast<std::size_t>(source)], pass_.cells};
  }
  LookupTaps<LookUp::kind> kinds(Lattice lattice) {
    lattice_.lattice = lattice;
    return {finder_, lattice_, pass_.cells};
  }

 private:
  const AdvectionPass& pass_;
  TileFinder& finder_;
  TileSource<float> lattice_;
};

// Sheets around the tile, for SheetPaths.
class TileAdvection::NearSheets {
 public:
  explicit NearSheets(const TileAdvection& work) : work_(work) {}
  std::uint8_t sheets(Vec3i v) const { return *work_.sheets_.at(v.x, v.y, v.z); }
  int kind(Vec3i v) const { return *work_.cells_.at(v.x, v.y, v.z); }
  float velocity(int axis, Vec3i v) const { return *work_.velocity_[static_cast<std::size_t>(axis)].at(v.x, v.y, v.z); }
  bool any_sheet(Vec3i low, Vec3i high) const { return work_.sheet_marks_.any(low, high); }

 private:
  const TileAdvection& work_;
};

class TileAdvection::FarSheets {
 public:
  FarSheets(const AdvectionPass& pass, TileFinder& finder)
      : pass_(pass), finder_(finder), velocity_{taps(0), taps(1), taps(2)} {}
  std::uint8_t sheets(Vec3i v) const { return look_up(pass_.sheets, v); }
  int kind(Vec3i v) const { return look_up(pass_.cells, v); }
  float velocity(int axis, Vec3i v) const { return velocity_[static_cast<std::size_t>(axis)].value(v.x, v.y, v.z); }
  bool any_sheet(Vec3i low, Vec3i high) const {
    for (int z = low.z; z <= high.z; ++z)
      for (int y = low.y; y <= high.y; ++y)
        for (int x = low.x; x <= high.x; ++x)
          if (sheets({x, y, z}) != 0) return true;
    return false;
  }

 private:
  LookupTaps<LookUp::value> taps(std::size_t axis) const { return {finder_, pass_.sources[axis], pass_.cells}; }
  std::uint8_t look_up(const TileSource<std::uint8_t>& source, Vec3i v) const {
    const TileFinder::Voxel at = finder_.voxel(v.x, v.y, v.z);
    return finder_.values(source, at.tile)[at.in_tile];
  }

  const AdvectionPass& pass_;
  TileFinder& finder_;
  std::array<LookupTaps<LookUp::value>, 3> velocity_;
};

void TileAdvection::prefetch(int tile, const AdvectionPass& pass, const BucketSet& buckets) {
  for (const int neighbour : buckets.neighbours(tile)) {
    std::uint8_t& done = fetched_to_cache_[static_cast<std::size_t>(neighbour)];
    if (done != 0) continue;
    done = 1;
    const auto whole_tile = [&](const auto* tiles) {
      const auto* bytes = reinterpret_cast<const std::byte*>(tile_of(tiles, neighbour));
      for (std::size_t line = 0; line < voxels * sizeof(*tiles); line += 64) __builtin_prefetch(bytes + line, 0, 2);
    };
    for (const TileSource<float>& source : pass.sources) whole_tile(source.tiles);
    whole_tile(pass.cells.tiles);
  }
}

bool TileAdvection::advect(int tile, const AdvectionPass& pass, std::span<const TileSummary> summaries,
                           const BucketSet& buckets, const FetchedTiles& fetched) {
  const std::array<int, 27>& neighbours = buckets.neighbours(tile);
  VelocityBounds bounds;
  for (int axis = 0; axis < 3; ++axis)
    bounds.low[axis] = bounds.high[axis] = pass.sources[static_cast<std::size_t>(axis)].background;
  std::uint8_t kinds = 0, sheets = 0;
  for (const int neighbour : neighbours) {
    const TileSummary& summary = summaries[static_cast<std::size_t>(neighbour)];
    kinds |= summary.kinds;
    sheets |= summary.sheets;
    bounds.low = cwise_min(bounds.low, summary.velocity.low);
    bounds.high = cwise_max(bounds.high, summary.velocity.high);
  }
  GatherRegion region = region_of_paths(bounds, pass.dt_over_h, pass.options.interpolation);
  if ((sheets & sheet::passed) != 0) region = {region.low - Vec3i{2, 2, 2}, region.high + Vec3i{2, 2, 2}};
  const bool near = region.near() && !pass.options.look_up;
  const GatherRegion around = near ? region : GatherRegion{{-1, -1, -1}, {8, 8, 8}};
  const bool beside_sheets = near ? sheets != 0 : pass.sheets.tiles != nullptr;
  const bool mixed = kinds != only_gas || beside_sheets;
  if (mixed) cells_.gather(pass.cells.tiles, neighbours, around.with_below());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    velocity_[axis].gather(pass.sources[axis].tiles, neighbours, around);
    if (mixed)
      replace_air(velocity_[axis], cells_, face_lattice(static_cast<int>(axis)), pass.sources[axis].background);
  }
  if (beside_sheets && near) {
    sheets_.gather(pass.sheets.tiles, neighbours, around.with_below());
    sheet_marks_.build(sheets_, around);
  }
  // Far paths may meet anything.
  all_gas_ = near && !mixed;
  near_solids_ = !near || (kinds & TileSummary::bit(CellKind::solid)) != 0;

  TileFinder finder(fetched, summaries, wanted);
  finder.start(buckets.coord(tile));
  std::int64_t frozen_here = 0;
  sheet_samples_.clear();
  const auto find_sheets = [&](const auto& around_tile, Lattice lattice) {
    if (!beside_sheets) return;
    sheet_samples_.clear();
    // The way back is only there to correct, which is not done beside sheets.
    SheetPaths(around_tile, pass.dt_over_h)
        .find(lattice, trace_, rows_, pass.options.interpolation == Interpolation::cubic, backward(pass.step),
              sheet_samples_);
  };
  for (const Lattice lattice : {Lattice::x_faces, Lattice::y_faces, Lattice::z_faces, Lattice::cells}) {
    const auto on_lattice = [&](const AdvectedPart& part) { return part.lattice == lattice; };
    if (std::none_of(pass.parts.begin(), pass.parts.end(), on_lattice)) continue;
    const Vec3i d = below(lattice);
    const int tile_below = neighbours[static_cast<std::size_t>(direction(d.x, d.y, d.z))];
    const auto kinds_of = [&](int t) { return summaries[static_cast<std::size_t>(t)].kinds; };
    rows_ = (kinds_of(tile) | kinds_of(tile_below)) == only_gas ? RowBits::full() : RowBits::with_gas(cells_, lattice);
    if (near) {
      with_lattice(lattice, [&](auto constant) { trace_near<constant>(velocity_, pass.dt_over_h, rows_, trace_); });
      find_sheets(NearSheets(*this), lattice);
      const NearSamples samples(*this, pass, neighbours, region, mixed);
      advect_parts(samples, samples, lattice, tile, pass);
      continue;
    }
    frozen_here += trace_far(lattice, pass, finder);
    find_sheets(FarSheets(pass, finder), lattice);
    const SparseSamples anywhere(pass, finder);
    const GatherRegion ends = region_around(trace_, rows_, false, pass.options.interpolation);
    if (!rows_.empty() && ends.compact() && !pass.options.look_up)
      advect_parts(FarSamples(*this, pass, finder, ends), anywhere, lattice, tile, pass);
    else
      advect_parts(SparseSamples(pass, finder), anywhere, lattice, tile, pass);
  }
  if (!finder.complete()) return false;
  frozen += frozen_here;
  far += near ? 0 : 1;
  return true;
}

int TileAdvection::trace_far(Lattice lattice, const AdvectionPass& pass, TileFinder& finder) {
  if (rows_.empty()) return 0;
  RowBits stuck{};
  with_lattice(lattice,
               [&](auto constant) { trace_to_midpoints<constant>(velocity_, pass.dt_over_h, rows_, middle_, stuck); });
  const GatherRegion middles = region_around(middle_, rows_, true, Interpolation::linear);
  if (middles.compact() && !pass.options.look_up) {
    const FarSamples samples(*this, pass, finder, middles);
    const std::array<BoxTaps, 3> velocity{samples.values(0, far_velocity_[0]), samples.values(1, far_velocity_[1]),
                                          samples.values(2, far_velocity_[2])};
    trace_to_ends(velocity, middle_, pass.dt_over_h, rows_, stuck, trace_);
  } else {
    const SparseSamples samples(pass, finder);
    trace_to_ends(std::array{samples.values(0), samples.values(1), samples.values(2)}, middle_, pass.dt_over_h, rows_,
                  stuck, trace_);
  }
  return stuck.count_in(rows_);
}

template <class Samples, class SheetSamples>
void TileAdvection::advect_parts(Samples&& samples, const SheetSamples& beside_sheets, Lattice lattice, int tile,
                                 const AdvectionPass& pass) {
  const bool cells = lattice == Lattice::cells;
  const bool kinds_matter = !all_gas_ && (pass.step != AdvectionStep::carry || (cells && near_solids_));
  if (kinds_matter && !rows_.empty())
    classify(samples.kinds(lattice), cells && near_solids_ && pass.options.interpolation == Interpolation::cubic);
  for (const SheetSample& sample : sheet_samples_)
    kind_.at[sample.voxel] = static_cast<float>(SampleKind::air);  // takes no correction
  for (const AdvectedPart& part : pass.parts)
    if (part.lattice == lattice) advect_part(samples, beside_sheets, tile, pass, part);
}

template <class Kinds>
void TileAdvection::classify(const Kinds& kinds, bool wide) {
  for (int r = 0; r < 64; ++r) {
    if (rows_.bits[static_cast<std::size_t>(r)] == 0) continue;
    const RowPoints p = trace_.row(r);
    RowBounds worst;
    // Gas is 0: where the mean is too, no other kind has a weight, as along walls that paths run beside.
    const Row mean = sample<Interpolation::linear>(kinds, p, &worst);
    worst.high = select(mean > negligible_weight, worst.high, Row::all(0));
    if (wide) worst.high = max(worst.high, select(widest_kind(kinds, p) >= solid_number, Row::all(solid_beside), 0.0f));
    kind_.set(r, worst.high);
  }
}

template <class Taps, class Kinds>
void TileAdvection::mend_near_solids(const Taps& taps, const Kinds& kinds, Interpolation interpolation,
                                     const float* own) {
  for (int r = 0; r < 64; ++r) {
    if (rows_.bits[static_cast<std::size_t>(r)] == 0) continue;
    const Row kind = kind_.row(r);
    if (!any(kind >= solid_beside)) continue;
    const RowPoints p = trace_.row(r);
    Row value = value_.row(r);
    if (interpolation == Interpolation::cubic)
      value = select(kind >= solid_beside, sample<Interpolation::linear>(taps, p), value);
    for (int lane = 0; lane < 8; ++lane)
      if (kind[lane] == solid_number)
        value.set(lane, renormalised(taps, kinds, p.x[lane], p.y[lane], p.z[lane], own[8 * r + lane]));
    value_.set(r, value);
  }
}

template <class Samples, class SheetSamples>
void TileAdvection::advect_part(Samples& samples, const SheetSamples& beside_sheets, int tile,
                                const AdvectionPass& pass, const AdvectedPart& part) {
  const Interpolation interpolation = pass.options.interpolation;
  const bool bounds = pass.step == AdvectionStep::predict || pass.step == AdvectionStep::carry_compensated;
  if (!rows_.empty()) {
    if (part.compensated >= 0)
      sample_tile(samples.values(part.compensated), interpolation, trace_, rows_, compensated_);
    const auto taps = samples.values(part.sampled);
    sample_tile(taps, interpolation, trace_, rows_, value_, bounds ? &low_ : nullptr, bounds ? &high_ : nullptr);
    if (backward(pass.step) && near_solids_ && part.lattice == Lattice::cells)
      mend_near_solids(taps, samples.kinds(part.lattice), interpolation, tile_of(part.field, tile));
  }
  if (!sheet_samples_.empty()) {
    const auto taps = beside_sheets.values(part.sampled);
    for (const SheetSample& sample : sheet_samples_)
      value_.at[sample.voxel] = sample.count > 0 ? sample.value(taps) : tile_of(part.field, tile)[sample.voxel];
  }
  combine(tile, pass, part);
}

void TileAdvection::combine(int tile, const AdvectionPass& pass, const AdvectedPart& part) {
  const float *field = tile_of(part.field, tile), *predicted = tile_of(part.predicted, tile);
  const float *low = tile_of(part.low, tile), *high = tile_of(part.high, tile);
  float *out = tile_of(part.out, tile), *out_low = tile_of(part.out_low, tile),
        *out_high = tile_of(part.out_high, tile);
  const Row infinity = Row::all(std::numeric_limits<float>::infinity());
  const bool limit = pass.options.limit;
  const auto clamped = [](const Row& v, const Row& from, const Row& to) { return min(max(v, from), to); };
  for (int r = 0; r < 64; ++r) {
    const Row f = Row::load(field + 8 * r);
    if (rows_.bits[static_cast<std::size_t>(r)] == 0) {
      f.store(out + 8 * r);
      continue;
    }
    const Row value = value_.row(r);
    const Row::Mask revert = all_gas_ ? value < value : kind_.row(r) > 0.0f;
    Row result = value;
    switch (pass.step) {
      case AdvectionStep::carry: break;
      case AdvectionStep::predict: {
        const Row from = limit ? low_.row(r) : -infinity, to = limit ? high_.row(r) : infinity;
        select(revert, value, from).store(out_low + 8 * r);
        select(revert, value, to).store(out_high + 8 * r);
        break;
      }
      case AdvectionStep::correct: {
        const Row a = Row::load(predicted + 8 * r);
        result = mul_add(Row::all(0.5f), f - value, a);
        result = select(revert, a, clamped(result, Row::load(low + 8 * r), Row::load(high + 8 * r)));
        break;
      }
      case AdvectionStep::compensate: result = select(revert, f, mul_add(Row::all(0.5f), f - value, f)); break;
      case AdvectionStep::carry_compensated: {
        const Row g = compensated_.row(r);
        result = select(revert, value, limit ? clamped(g, low_.row(r), high_.row(r)) : g);
        break;
      }
    }
    if (!rows_.all) result = select(rows_.mask(r), result, f);
    result.store(out + 8 * r);
  }
}

}  // namespace ymir
