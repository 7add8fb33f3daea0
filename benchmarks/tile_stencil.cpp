#include "stencil_case.h"
#include "ymir/data/tile_stencil7.h"

namespace ymir::bench {
namespace {

class TileStencil final : public StencilSolver {
 public:
  explicit TileStencil(const StencilCase& scene)
      : scene_(scene), domain_(1, 1, Communicator::world()), volume_(domain_) {
    std::vector<BucketKey> keys;
    if (Communicator::world().root())
      for (int z = 0; z < scene.buckets(); ++z)
        for (int y = 0; y < scene.buckets(); ++y)
          for (int x = 0; x < scene.buckets(); ++x)
            if (scene.present(x, y, z)) keys.push_back(key_of({x, y, z, 0}));
    domain_.rebalance(keys, std::vector<double>(keys.size(), 1.0));
    channels_ = {volume_.add_channel<float>("d"), volume_.add_channel<float>("c", {.sampling = Sampling::face}),
                 volume_.add_channel<float>("x"), volume_.add_channel<float>("y")};
    volume_.set_buckets(keys);
    fill(volume_, channels_.diagonal, [&](int, Vec3i v, int) { return scene_.diagonal(v); });
    fill(volume_, channels_.faces, [&](int, Vec3i v, int axis) { return scene_.face(v, axis); });
    fill(volume_, channels_.x, [&](int, Vec3i v, int) { return scene_.x(v); });
  }

  const char* name() const override { return "discrete_volume"; }
  void apply() override {
    // A solver changes x between applications, so its neighbouring tiles travel every time.
    if (domain_.communicator().size() > 1) volume_.write_tiles(channels_.x);
    apply_stencil7(volume_, channels_);
  }
  std::uint64_t hash() const override {
    const float* y = volume_.tiles(channels_.y);
    std::vector<std::uint64_t> partial(static_cast<std::size_t>(volume_.buckets().local_count()), 0);
    for_each_in_order(volume_.buckets().local_count(), [&](int b) {
      const BucketCoord c = volume_.buckets().coord(b);
      for (int i = 0; i < 512; ++i)
        partial[static_cast<std::size_t>(b)] += scene_.hash(
            {8 * c.x + (i & 7), 8 * c.y + (i >> 3 & 7), 8 * c.z + (i >> 6)}, y[512 * std::ptrdiff_t{b} + i]);
    });
    std::uint64_t sum = 0;
    for (const std::uint64_t p : partial) sum += p;
    return domain_.communicator().wrapping_sum(sum);
  }

 private:
  StencilCase scene_;
  GridDomain domain_;
  DiscreteVolume volume_;
  Stencil7Channels<float> channels_{};
};

}  // namespace

std::unique_ptr<StencilSolver> make_tile_stencil(const StencilCase& scene) {
  return std::make_unique<TileStencil>(scene);
}

}  // namespace ymir::bench
