#include "ymir/solvers/poisson/poisson_level.h"

#include "ymir/base/check.h"
#include "ymir/solvers/poisson/sweeps.h"

namespace ymir::poisson {
namespace {

std::unique_ptr<GridDomain> coarser_domain(const GridDomain& finer, bool on_root) {
  auto domain = std::make_unique<GridDomain>(2 * finer.bucket_size(), 1, finer.communicator());
  if (on_root) return domain;  // where a new domain keeps everything
  std::vector<BucketKey> splitters;
  constexpr BucketKey last = ~BucketKey{0}, space = max_bucket_levels - 1;
  for (const BucketKey key : finer.splitters())
    splitters.push_back(key == last ? last : parent_key(key | space) & ~space);
  domain->set_splitters(std::move(splitters));
  return domain;
}

}  // namespace

PoissonLevel::PoissonLevel(const GridDomain& domain) : volume(domain) {
  YMIR_CHECK(domain.levels() == 1);
  x = volume.add_channel<float>("x");
  b = volume.add_channel<float>("b");
}

PoissonLevel::PoissonLevel(PoissonLevel& finer, bool all_on_root)
    : on_root(all_on_root || finer.volume.domain().communicator().size() == 1),
      own_domain(coarser_domain(finer.volume.domain(), all_on_root)),
      volume(*own_domain) {
  std::vector<BucketKey> keys;
  for (const BucketKey key : finer.volume.buckets().local_keys()) keys.push_back(parent_key(key));
  volume.set_buckets(keys);
  x = volume.add_channel<float>("x");
  b = volume.add_channel<float>("b");
  c = volume.add_channel<float>("c", {.sampling = Sampling::face});
  d = volume.add_channel<float>("d");
  finer.coarsen = std::make_unique<TileTransfer>(finer.volume.buckets(), volume.buckets());
  const auto local = static_cast<std::size_t>(count());
  tiles.resize(local);
  cells.resize(local);
  set_neighbours();
  for (int t = 0; t < count(); ++t) {
    TileShape& shape = tiles[static_cast<std::size_t>(t)];
    shape.home = t;
    shape.high = {shape.near[1], shape.near[3], shape.near[5]};
  }
}

void PoissonLevel::set_neighbours() {
  for (int t = 0; t < count(); ++t)
    for (std::size_t f = 0; f < 6; ++f)
      tiles[static_cast<std::size_t>(t)].near[f] =
          volume.buckets().neighbours(t)[static_cast<std::size_t>(face_directions[f])];
}

void PoissonLevel::invert_diagonals() {
  int general = 0;
  for (TileShape& shape : tiles) shape.general = shape.uniform > 0 ? -1 : general++;
  inverse.resize(static_cast<std::size_t>(general) * tile_cells);
  arrays.inverse = inverse.data();
  for_each_tile(count(), [&](int t) {
    if (const int at = tiles[static_cast<std::size_t>(t)].general; at >= 0)
      invert_diagonal(arrays, t, inverse.data() + std::ptrdiff_t{at} * tile_cells);
  });
}

void PoissonLevel::exchange_x() {
  if (volume.buckets().links().empty()) return;
  volume.write_tiles(x);  // kernels wrote through the pointer they hold: the copies of other ranks' tiles are stale
  volume.begin_exchange(x.index, Stencil::faces);
  volume.end_exchange(x.index);
}

void PoissonLevel::order_stages(int parts) {
  std::vector<std::array<int, 6>> near(static_cast<std::size_t>(count()));
  for (int t = 0; t < count(); ++t)
    for (std::size_t f = 0; f < 6; ++f)
      near[static_cast<std::size_t>(t)][f] =
          volume.buckets().neighbours(t)[static_cast<std::size_t>(face_directions[f])];
  order_.build(near, half_cycle_stages, parts);
}

void PoissonLevel::bind() {
  arrays.tiles = tiles.data();
  arrays.cells = cells.data();
  arrays.x = volume.write_tiles(x);
  arrays.b = volume.write_tiles(b);
  if (!c.valid()) return;
  for (int axis = 0; axis < 3; ++axis) arrays.c[static_cast<std::size_t>(axis)] = volume.tiles(c, axis);
  arrays.d = volume.tiles(d);
}

}  // namespace ymir::poisson
