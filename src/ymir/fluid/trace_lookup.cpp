#include "ymir/fluid/trace_lookup.h"

#include <algorithm>
#include <limits>

#include "ymir/parallel/bytes.h"

namespace ymir {

TileSummary summary_of(const std::array<const float*, 3>& velocity, const std::uint8_t* cells,
                       const std::uint8_t* sheets) {
  TileSummary summary;
  for (int axis = 0; axis < 3; ++axis) {
    const float* u = velocity[static_cast<std::size_t>(axis)];
    Row low = Row::load(u), high = low;
    Row::Mask finite = abs(low) <= std::numeric_limits<float>::max();
    for (int r = 1; r < 64; ++r) {
      const Row row = Row::load(u + 8 * r);
      low = min(low, row);
      high = max(high, row);
      finite = finite & (abs(row) <= std::numeric_limits<float>::max());
    }
    for (int lane = 1; lane < 8; ++lane) {
      low.set(0, std::min(low[0], low[lane]));
      high.set(0, std::max(high[0], high[lane]));
    }
    const float infinity = std::numeric_limits<float>::infinity();
    summary.velocity.low[axis] = any(!finite) ? -infinity : low[0];
    summary.velocity.high[axis] = any(!finite) ? infinity : high[0];
  }
  // Cells are 0, 1 or 2: which of them occur follows from three sums that vectorise.
  unsigned outside = 0, fluid = 0, solid = 0;
  for (int v = 0; v < GasGrid::voxels; ++v) {
    outside |= static_cast<unsigned>(cells[v] == static_cast<std::uint8_t>(CellKind::outside));
    fluid |= static_cast<unsigned>(cells[v] == static_cast<std::uint8_t>(CellKind::fluid));
    solid |= static_cast<unsigned>(cells[v] == static_cast<std::uint8_t>(CellKind::solid));
  }
  summary.kinds = static_cast<std::uint8_t>(outside | fluid << 1 | solid << 2);
  for (int v = 0; sheets != nullptr && v < GasGrid::voxels; ++v)
    summary.sheets = static_cast<std::uint8_t>(summary.sheets | sheets[v]);
  return summary;
}

int FetchedTiles::find(BucketCoord tile) const {
  if (!addressable(tile)) return buckets_->missing();
  const BucketKey key = key_of(tile);
  if (const int stored = buckets_->find(key); stored >= 0) return stored;
  if (buckets_->domain().local(key)) return buckets_->missing();
  const int answered = keys_.empty() ? -1 : index_.find(key);
  return answered < 0 ? unknown : place_[static_cast<std::size_t>(answered)];
}

bool FetchedTiles::fetch(std::vector<BucketKey> wanted, std::span<TileSource<float>> sources,
                         TileSource<std::uint8_t>& cells, TileSource<std::uint8_t>& sheets) {
  Communicator& ranks = buckets_->domain().communicator();
  if (ranks.size() == 1 || !ranks.any(!wanted.empty())) return false;
  constexpr std::size_t voxels = GasGrid::voxels;
  std::vector<std::vector<BucketKey>> lists(static_cast<std::size_t>(ranks.size()));
  for (const BucketKey key : wanted) lists[static_cast<std::size_t>(buckets_->domain().owner(key))].push_back(key);
  std::vector<Bytes> answers;
  for (const Bytes& request : ranks.all_to_all(sorted_messages(lists))) {
    Bytes& answer = answers.emplace_back();
    const auto add = [&](const auto* tile) {
      const auto bytes = std::as_bytes(std::span(tile, voxels));
      answer.insert(answer.end(), bytes.begin(), bytes.end());
    };
    for (const BucketKey key : from_bytes<BucketKey>(request)) {
      const int tile = buckets_->find(key);
      answer.push_back(std::byte{tile >= 0});
      if (tile < 0) continue;
      add(this->tile(cells, tile));
      if (sheets.tiles != nullptr) add(this->tile(sheets, tile));
      for (const TileSource<float>& source : sources) add(this->tile(source, tile));
    }
  }
  const std::vector<Bytes> received = ranks.all_to_all(std::move(answers));
  values_.resize(sources.size());
  for (std::size_t rank = 0; rank < received.size(); ++rank) {
    std::span<const std::byte> left = received[rank];
    const auto take = [&](auto& values) {
      using T = typename std::decay_t<decltype(values)>::value_type;
      values.resize(values.size() + voxels);
      std::memcpy(values.data() + values.size() - voxels, left.data(), voxels * sizeof(T));
      left = left.subspan(voxels * sizeof(T));
    };
    for (const BucketKey key : lists[rank]) {
      const bool there = left.front() != std::byte{0};
      left = left.subspan(1);
      keys_.push_back(key);
      place_.push_back(there ? buckets_->missing() + 1 + count_++ : buckets_->missing());
      if (!there) continue;
      take(cells_);
      if (sheets.tiles != nullptr) take(sheets_);
      for (std::vector<float>& values : values_) take(values);
    }
  }
  index_.assign(keys_);
  cells.fetched = cells_.data();
  sheets.fetched = sheets_.data();
  for (std::size_t s = 0; s < sources.size(); ++s) sources[s].fetched = values_[s].data();
  return true;
}

void TileFinder::look_up(int x, int y, int z) {
  last_ = {x, y, z, tiles_->find({x, y, z, 0}), false};
  const int missing = static_cast<int>(summaries_.size()) - 1;
  if (last_.index == FetchedTiles::unknown) {
    wanted_->push_back(key_of({x, y, z, 0}));
    complete_ = false;
    last_.index = missing;
  }
  if (last_.index <= missing) last_.only_gas = summaries_[static_cast<std::size_t>(last_.index)].only_gas();
}

}  // namespace ymir
