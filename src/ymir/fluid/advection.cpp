#include "ymir/fluid/advection.h"

#include <fmt/format.h>

#include <numeric>

#include "ymir/fluid/advection_tile.h"

namespace ymir {

struct Advection::Workspace {
  std::vector<TileSummary> summaries;  // local, neighbouring, missing
  std::vector<std::unique_ptr<TileAdvection>> threads;
  AdvectionPass pass;
  std::vector<int> tiles;
  std::vector<std::uint8_t> waiting;  // per entry of tiles: paths reach tiles of other ranks

  void prepare_threads() {
    while (static_cast<int>(threads.size()) < ymir::threads()) threads.push_back(std::make_unique<TileAdvection>());
    for (auto& thread : threads) thread->frozen = thread->far = 0, thread->wanted.clear();
  }
};

Advection::Advection(DiscreteVolume& volume, ChannelId<std::uint8_t> cell)
    : volume_(&volume), cell_(cell), work_(std::make_unique<Workspace>()) {
  YMIR_CHECK(volume.domain().levels() == 1 && volume.channel(cell.index).resolution == GasGrid::side);
}
Advection::~Advection() = default;

const Advection::Scratch& Advection::scratch(Sampling sampling, std::size_t n) {
  std::vector<Scratch>& all = sampling == Sampling::face ? face_scratch_ : cell_scratch_;
  while (all.size() <= n) {
    const auto channel = [&](const char* what) {
      const std::string name =
          fmt::format("advection {} {} {}", sampling == Sampling::face ? "face" : "cell", what, all.size());
      const auto found = volume_->find_channel<float>(name);
      return found.valid() ? found : volume_->add_channel<float>(name, {.sampling = sampling, .scratch = true});
    };
    all.push_back({channel("predicted"), channel("low"), channel("high")});
  }
  return all[n];
}

const std::uint8_t* Advection::exchanged(ChannelId<std::uint8_t> id) {
  if (!id.valid()) return nullptr;
  auto reader = read(*volume_, id, Stencil::box);
  reader.begin_exchange();
  reader.end_exchange();
  return reader.tile(0);
}

void Advection::summarise(ChannelId<float> along) {
  const BucketSet& buckets = volume_->buckets();
  auto velocity = read(*volume_, along, Stencil::box);
  velocity.begin_exchange();
  velocity.end_exchange();
  const std::uint8_t *cells = exchanged(cell_), *sheets = exchanged(sheets_);
  work_->summaries.resize(static_cast<std::size_t>(buckets.count()) + 1);
  for_each_in_order(buckets.count() + 1, [&](int tile) {
    work_->summaries[static_cast<std::size_t>(tile)] =
        summary_of({velocity.tile(tile, 0), velocity.tile(tile, 1), velocity.tile(tile, 2)}, tile_of(cells, tile),
                   tile_of(sheets, tile));
  });
}

void Advection::advect(ChannelId<float> along, std::span<const Transported> fields, double dt,
                       const AdvectionOptions& options) {
  YMIR_CHECK(volume_->channel(along.index).sampling == Sampling::face);
  for (const Transported& field : fields) {
    const VolumeChannel &from = volume_->channel(field.source.index), &to = volume_->channel(field.destination.index);
    YMIR_CHECK(field.destination.index != along.index);
    for (const Transported& other : fields) YMIR_CHECK(field.destination.index != other.source.index);
    YMIR_CHECK(from.sampling == to.sampling && from.components == to.components && from.resolution == GasGrid::side &&
               to.resolution == GasGrid::side);
  }
  using Step = AdvectionStep;
  summarise(along);
  work_->prepare_threads();
  fetched_ = 0;
  switch (options.scheme) {
    case AdvectionScheme::semi_lagrangian: pass(Step::carry, along, fields, dt, options); break;
    case AdvectionScheme::mac_cormack:
      pass(Step::predict, along, fields, dt, options);
      pass(Step::correct, along, fields, -dt, options);
      break;
    case AdvectionScheme::bfecc:
      pass(Step::carry, along, fields, dt, options);
      pass(Step::compensate, along, fields, -dt, options);
      pass(Step::carry_compensated, along, fields, dt, options);
      break;
  }
  std::int64_t frozen = 0;
  far_ = 0;
  for (const auto& thread : work_->threads) frozen += thread->frozen, far_ += thread->far;
  frozen_ = volume_->domain().communicator().sum(frozen);
}

void Advection::pass(AdvectionStep step, ChannelId<float> along, std::span<const Transported> fields, double dt,
                     const AdvectionOptions& options) {
  AdvectionPass& pass = work_->pass;
  pass.step = step;
  pass.dt_over_h = static_cast<float>(dt / volume_->voxel_size(along.index));
  pass.options = options;
  pass.sources.clear();
  pass.parts.clear();
  add_sources(along);
  pass.cells = {exchanged(cell_)};
  pass.sheets = {exchanged(sheets_)};
  std::size_t cell_fields = 0, face_fields = 0;
  for (const Transported& field : fields) {
    const Sampling sampling = volume_->channel(field.source.index).sampling;
    Scratch scratch;
    if (options.scheme != AdvectionScheme::semi_lagrangian)
      scratch = this->scratch(sampling, sampling == Sampling::face ? face_fields++ : cell_fields++);
    add_parts(field, scratch);
  }
  run_pass();
}

int Advection::add_sources(ChannelId<float> id) {
  auto reader = read(*volume_, id, Stencil::box);
  reader.begin_exchange();
  reader.end_exchange();
  const VolumeChannel& channel = volume_->channel(id.index);
  std::vector<TileSource<float>>& sources = work_->pass.sources;
  const int first = static_cast<int>(sources.size());
  for (int c = 0; c < channel.components; ++c)
    sources.push_back({reader.tile(0, c), nullptr, static_cast<float>(channel.background[static_cast<std::size_t>(c)]),
                       channel.sampling == Sampling::face ? face_lattice(c) : Lattice::cells});
  return first;
}

void Advection::add_parts(const Transported& field, const Scratch& scratch) {
  using Step = AdvectionStep;
  AdvectionPass& pass = work_->pass;
  const Step step = pass.step;
  const ChannelId<float> compensated = scratch.low;  // BFECC keeps no bounds
  const bool backward = step != Step::correct && step != Step::compensate;
  const int sampled = add_sources(backward ? field.source : scratch.predicted);
  const int second = step == Step::carry_compensated ? add_sources(compensated) : -1;
  const auto own = [&](ChannelId<float> id, int c) {
    auto reader = read(*volume_, id);
    reader.begin_exchange();
    return reader.tile(0, c);
  };
  const auto out = [&](ChannelId<float> id, int c) { return volume_->write_tiles(id, c, true); };
  const bool predicts = step == Step::predict || (step == Step::carry && scratch.predicted.valid());
  const ChannelId<float> result = predicts                   ? scratch.predicted
                                  : step == Step::compensate ? compensated
                                                             : field.destination;
  const VolumeChannel& channel = volume_->channel(field.source.index);
  for (int c = 0; c < channel.components; ++c) {
    AdvectedPart part;
    part.lattice = channel.sampling == Sampling::face ? face_lattice(c) : Lattice::cells;
    part.sampled = sampled + c;
    part.compensated = second < 0 ? -1 : second + c;
    part.field = own(field.source, c);
    if (step == Step::correct) {
      part.predicted = own(scratch.predicted, c);
      part.low = own(scratch.low, c);
      part.high = own(scratch.high, c);
    }
    part.out = out(result, c);
    if (step == Step::predict) {
      part.out_low = out(scratch.low, c);
      part.out_high = out(scratch.high, c);
    }
    pass.parts.push_back(part);
  }
}

void Advection::run_pass() {
  const BucketSet& buckets = volume_->buckets();
  AdvectionPass& pass = work_->pass;
  FetchedTiles fetched(buckets);
  std::vector<int>& tiles = work_->tiles;
  tiles.resize(static_cast<std::size_t>(buckets.local_count()));
  std::iota(tiles.begin(), tiles.end(), 0);
  for (auto& thread : work_->threads) thread->begin_pass(buckets.count() + 1);
  for (;;) {
    std::vector<std::uint8_t>& waiting = work_->waiting;
    waiting.assign(tiles.size(), 0);
    for_each_in_order<true>(static_cast<std::ptrdiff_t>(tiles.size()), [&](int n) {
      TileAdvection& thread = *work_->threads[static_cast<std::size_t>(thread_index())];
      const auto at = static_cast<std::size_t>(n);
      if (at + 1 < tiles.size()) thread.prefetch(tiles[at + 1], pass, buckets);
      waiting[at] = thread.advect(tiles[at], pass, work_->summaries, buckets, fetched) ? 0 : 1;
    });
    std::vector<BucketKey> wanted;
    for (const auto& thread : work_->threads) {
      wanted.insert(wanted.end(), thread->wanted.begin(), thread->wanted.end());
      thread->wanted.clear();
    }
    const int before = fetched.count();
    if (!fetched.fetch(std::move(wanted), pass.sources, pass.cells, pass.sheets)) return;
    fetched_ += fetched.count() - before;
    std::size_t left = 0;
    for (std::size_t n = 0; n < tiles.size(); ++n)
      if (waiting[n] != 0) tiles[left++] = tiles[n];
    tiles.resize(left);
  }
}

}  // namespace ymir
