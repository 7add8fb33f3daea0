#include "ymir/fluid/ball_taps.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "ymir/parallel/bytes.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/fluid/added_mass.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;

// Voxels that may hold a face of a ball, of any component.
struct Reach {
  Vec3i low, high;
};

Reach reach_of(Vec3d x, double radius, double h) {
  Reach reach;
  for (int a = 0; a < 3; ++a) {
    reach.low[a] = static_cast<int>(std::floor(x[a] / h - radius - 1.5));
    reach.high[a] = static_cast<int>(std::floor(x[a] / h + radius + 1));
  }
  return reach;
}

int tile_of(int voxel) { return static_cast<int>(std::floor(static_cast<double>(voxel) / n)); }

}  // namespace

void BallTaps::locate(std::span<const Vec3d> positions, std::span<const double> radii) {
  ball_.assign(positions.size(), 0);
  bool mine = false;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    ball_[i] = radii[i] > 0 ? 1 : 0;
    mine = mine || radii[i] > 0;
  }
  any_ = grid_->domain().communicator().any(mine);
  fragments_.clear();
  if (!any_) return;
  cut(positions, radii);
  make_taps();
  scale_to_one();
}

// Fragments to the ranks of their tiles.
void BallTaps::cut(std::span<const Vec3d> positions, std::span<const double> radii) {
  const GridDomain& domain = grid_->domain();
  const BucketSet& buckets = grid_->volume().buckets();
  Communicator& communicator = domain.communicator();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  sent_to_.assign(ranks, {});
  order_.clear();
  std::vector<std::vector<Asked>> out(ranks);
  for (std::size_t i = 0; i < radii.size(); ++i) {
    if (ball_[i] == 0) continue;
    const Reach reach = reach_of(positions[i], radii[i], grid_->voxel());
    for (int z = tile_of(reach.low.z); z <= tile_of(reach.high.z); ++z)
      for (int y = tile_of(reach.low.y); y <= tile_of(reach.high.y); ++y)
        for (int x = tile_of(reach.low.x); x <= tile_of(reach.high.x); ++x) {
          const BucketCoord tile{x, y, z, 0};
          if (!addressable(tile)) continue;
          const BucketKey key = key_of(tile);
          const auto rank = static_cast<std::size_t>(ranks == 1 ? 0 : domain.owner(key));
          order_.emplace_back(static_cast<int>(rank), static_cast<int>(sent_to_[rank].size()));
          sent_to_[rank].push_back(static_cast<int>(i));
          out[rank].push_back({positions[i], radii[i], key});
        }
  }
  received_.assign(ranks, 0);
  const auto take = [&](int sender, std::span<const Asked> asked) {
    received_[static_cast<std::size_t>(sender)] = static_cast<int>(asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const int tile = buckets.find(asked[i].tile);
      if (tile < 0 || tile >= buckets.local_count()) continue;  // no gas there
      fragments_.push_back({asked[i].x, asked[i].radius, tile, sender, static_cast<int>(i), {}});
    }
  };
  if (ranks == 1) {
    take(0, out[0]);
  } else {
    std::vector<Bytes> packed;
    for (const auto& list : out) packed.push_back(to_bytes(list));
    const std::vector<Bytes> arrived = communicator.all_to_all(std::move(packed));
    for (std::size_t r = 0; r < ranks; ++r) take(static_cast<int>(r), from_bytes<Asked>(arrived[r]));
  }
  std::stable_sort(fragments_.begin(), fragments_.end(), [](const Fragment& a, const Fragment& b) {
    return std::tie(a.tile, a.x.z, a.x.y, a.x.x, a.radius) < std::tie(b.tile, b.x.z, b.x.y, b.x.x, b.radius);
  });
  first_.assign(static_cast<std::size_t>(buckets.local_count()) + 1, 0);
  for (const Fragment& f : fragments_) ++first_[static_cast<std::size_t>(f.tile) + 1];
  for (std::size_t t = 1; t < first_.size(); ++t) first_[t] += first_[t - 1];
}

void BallTaps::make_taps() {
  const DiscreteVolume& volume = grid_->volume();
  const double h = grid_->voxel();
  taps_.resize(static_cast<std::size_t>(volume.buckets().local_count()));
  parallel_for(volume.buckets().local_count(), [&](std::ptrdiff_t t) {
    Taps& taps = taps_[static_cast<std::size_t>(t)];
    taps.voxel.clear();
    taps.weight.clear();
    const BucketCoord tile = volume.buckets().coord(static_cast<int>(t));
    const Vec3i origin{tile.x * n, tile.y * n, tile.z * n};
    for (int i = first_[static_cast<std::size_t>(t)]; i < first_[static_cast<std::size_t>(t) + 1]; ++i) {
      Fragment& f = fragments_[static_cast<std::size_t>(i)];
      Reach reach = reach_of(f.x, f.radius, h);
      for (int a = 0; a < 3; ++a) {
        reach.low[a] = std::max(reach.low[a] - origin[a], 0);
        reach.high[a] = std::min(reach.high[a] - origin[a], n - 1);
      }
      for (int c = 0; c < 3; ++c) {
        f.first[c] = static_cast<int>(taps.weight.size());
        const float* open = volume.tiles(grid_->open, c) + t * GasGrid::voxels;
        Vec3d from;  // the face of voxel 0 as seen from the point [voxels]
        for (int a = 0; a < 3; ++a) from[a] = origin[a] + (a == c ? 0.0 : 0.5) - f.x[a] / h;
        for (int z = reach.low.z; z <= reach.high.z; ++z)
          for (int y = reach.low.y; y <= reach.high.y; ++y)
            for (int x = reach.low.x; x <= reach.high.x; ++x) {
              const int at = (z * n + y) * n + x;
              const double w = added_mass::ball_weight(f.radius, norm(from + Vec3d(Vec3i{x, y, z})));
              if (!(w > 0) || !(open[at] > 0)) continue;
              taps.voxel.push_back(static_cast<std::uint16_t>(at));
              taps.weight.push_back(w);
            }
      }
      f.first[3] = static_cast<int>(taps.weight.size());
    }
  });
}

void BallTaps::scale_to_one() {
  const auto over_taps = [&](auto&& of_weight) {
    std::vector<Vec3d> sums(fragments_.size(), {0, 0, 0});
    parallel_for(static_cast<std::ptrdiff_t>(fragments_.size()), [&](std::ptrdiff_t i) {
      const Fragment& f = fragments_[static_cast<std::size_t>(i)];
      std::vector<double>& weight = taps_[static_cast<std::size_t>(f.tile)].weight;
      for (int c = 0; c < 3; ++c)
        for (int k = f.first[c]; k < f.first[c + 1]; ++k)
          sums[static_cast<std::size_t>(i)][c] += of_weight(i, c, weight[static_cast<std::size_t>(k)]);
    });
    return sums;
  };
  std::vector<Vec3d> scale(ball_.size());
  gather(over_taps([](std::ptrdiff_t, int, double w) { return w; }), scale);
  for (Vec3d& s : scale)
    for (int c = 0; c < 3; ++c) s[c] = s[c] > 0 ? 1 / s[c] : 0;
  const std::vector<Vec3d> given = scatter(scale);
  squares_.assign(ball_.size(), {0, 0, 0});
  gather(over_taps([&](std::ptrdiff_t i, int c, double& w) {
           w *= given[static_cast<std::size_t>(i)][c];
           return w * w;
         }),
         squares_);
}

void BallTaps::gather(const std::vector<Vec3d>& of_fragments, std::span<Vec3d> out) const {
  Communicator& communicator = grid_->domain().communicator();
  std::vector<std::vector<Vec3d>> answers(sent_to_.size());
  for (std::size_t r = 0; r < answers.size(); ++r)
    answers[r].assign(static_cast<std::size_t>(received_[r]), Vec3d{0, 0, 0});
  for (std::size_t i = 0; i < fragments_.size(); ++i)
    answers[static_cast<std::size_t>(fragments_[i].sender)][static_cast<std::size_t>(fragments_[i].index)] =
        of_fragments[i];
  if (communicator.size() > 1) {
    std::vector<Bytes> packed;
    for (const auto& a : answers) packed.push_back(to_bytes(a));
    const std::vector<Bytes> arrived = communicator.all_to_all(std::move(packed));
    for (std::size_t r = 0; r < answers.size(); ++r) answers[r] = from_bytes<Vec3d>(arrived[r]);
  }
  for (std::size_t i = 0; i < ball_.size(); ++i)
    if (ball_[i] != 0) out[i] = {0, 0, 0};
  for (const auto& [rank, index] : order_) {
    const auto r = static_cast<std::size_t>(rank), k = static_cast<std::size_t>(index);
    out[static_cast<std::size_t>(sent_to_[r][k])] += answers[r][k];
  }
}

std::vector<Vec3d> BallTaps::scatter(std::span<const Vec3d> values) const {
  Communicator& communicator = grid_->domain().communicator();
  std::vector<std::vector<Vec3d>> by_rank(sent_to_.size());
  for (std::size_t r = 0; r < by_rank.size(); ++r)
    for (const int i : sent_to_[r]) by_rank[r].push_back(values[static_cast<std::size_t>(i)]);
  if (communicator.size() > 1) {
    std::vector<Bytes> packed;
    for (const auto& v : by_rank) packed.push_back(to_bytes(v));
    const std::vector<Bytes> arrived = communicator.all_to_all(std::move(packed));
    for (std::size_t r = 0; r < by_rank.size(); ++r) by_rank[r] = from_bytes<Vec3d>(arrived[r]);
  }
  std::vector<Vec3d> result(fragments_.size());
  for (std::size_t i = 0; i < fragments_.size(); ++i)
    result[i] = by_rank[static_cast<std::size_t>(fragments_[i].sender)][static_cast<std::size_t>(fragments_[i].index)];
  return result;
}

template <class T>
void BallTaps::sample_as(ChannelId<T> faces, std::span<Vec3d> out) {
  if (!any_) return;
  DiscreteVolume& volume = grid_->volume();
  std::vector<Vec3d> values(fragments_.size());
  auto u = read(volume, faces);
  for_each_bucket(volume.buckets(), u, [&](int t) {
    const Taps& taps = taps_[static_cast<std::size_t>(t)];
    for (int i = first_[static_cast<std::size_t>(t)]; i < first_[static_cast<std::size_t>(t) + 1]; ++i) {
      const Fragment& f = fragments_[static_cast<std::size_t>(i)];
      for (int c = 0; c < 3; ++c) {
        const T* in = u.tile(t, c);
        double sum = 0;
        for (int k = f.first[c]; k < f.first[c + 1]; ++k)
          sum += taps.weight[static_cast<std::size_t>(k)] *
                 static_cast<double>(in[taps.voxel[static_cast<std::size_t>(k)]]);
        values[static_cast<std::size_t>(i)][c] = sum;
      }
    }
  });
  gather(values, out);
}
template void BallTaps::sample_as(ChannelId<float>, std::span<Vec3d>);
template void BallTaps::sample_as(ChannelId<double>, std::span<Vec3d>);

void BallTaps::splat(std::span<const Vec3d> values, ChannelId<double> faces) {
  if (!any_) return;
  DiscreteVolume& volume = grid_->volume();
  const std::vector<Vec3d> given = scatter(values);
  auto out = read_write(volume, faces);
  for_each_bucket(volume.buckets(), out, [&](int t) {
    const Taps& taps = taps_[static_cast<std::size_t>(t)];
    for (int i = first_[static_cast<std::size_t>(t)]; i < first_[static_cast<std::size_t>(t) + 1]; ++i) {
      const Fragment& f = fragments_[static_cast<std::size_t>(i)];
      for (int c = 0; c < 3; ++c) {
        double* to = out.tile(t, c);
        for (int k = f.first[c]; k < f.first[c + 1]; ++k)
          to[taps.voxel[static_cast<std::size_t>(k)]] +=
              taps.weight[static_cast<std::size_t>(k)] * given[static_cast<std::size_t>(i)][c];
      }
    }
  });
}

}  // namespace ymir
