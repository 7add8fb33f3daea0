#include "ymir/fluid/gas_points.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "ymir/parallel/bytes.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;

// Eight faces around a point on the lattice of one component, relative to a tile: voxels -1 to 8.
struct Taps {
  Vec3i low;
  double weight[8];

  Vec3i voxel(int k) const { return low + Vec3i{k & 1, k >> 1 & 1, k >> 2}; }
};

Taps taps_of(Vec3d x, int axis, BucketCoord tile, double h) {
  Taps taps;
  Vec3d t;
  const int origin[3] = {tile.x * n, tile.y * n, tile.z * n};
  for (int a = 0; a < 3; ++a) {
    const double g = x[a] / h - (a == axis ? 0.0 : 0.5);
    const double base = std::floor(g);
    taps.low[a] = std::clamp(static_cast<int>(base) - origin[a], -1, n - 1);
    t[a] = std::clamp(g - base, 0.0, 1.0);
  }
  for (int k = 0; k < 8; ++k)
    taps.weight[k] = (k & 1 ? t.x : 1 - t.x) * (k & 2 ? t.y : 1 - t.y) * (k & 4 ? t.z : 1 - t.z);
  return taps;
}

int side_of(int v) { return v < 0 ? -1 : v >= n ? 1 : 0; }

int direction_of(Vec3i v) { return direction(side_of(v.x), side_of(v.y), side_of(v.z)); }

int offset_in(Vec3i v) { return ((v.z & (n - 1)) * n + (v.y & (n - 1))) * n + (v.x & (n - 1)); }

// False: no face around the point, of any component, is in the tile beside its own that lies towards `shift`.
bool may_reach(Vec3d x, BucketCoord tile, Vec3i shift, double h) {
  constexpr double rounding = 1e-6;  // [voxels]
  const int origin[3] = {tile.x * n, tile.y * n, tile.z * n};
  for (int a = 0; a < 3; ++a) {
    const double place = x[a] / h - origin[a];
    if (shift[a] < 0 && place > 0.5 + rounding) return false;
    if (shift[a] > 0 && place < n - 1 - rounding) return false;
  }
  return true;
}

// Weights of faces in solids go to the others.
void leave_out_solids(Taps& taps, const float* open, const int* tiles) {
  double sum = 0;
  for (int k = 0; k < 8; ++k) {
    const Vec3i v = taps.voxel(k);
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(tiles[direction_of(v)]) * GasGrid::voxels + offset_in(v);
    if (!(open[at] > 0)) taps.weight[k] = 0;
    sum += taps.weight[k];
  }
  if (sum > 0)
    for (double& w : taps.weight) w /= sum;
}

}  // namespace

void GasPoints::locate(std::span<const Vec3d> positions, std::span<const double> radii) {
  count_ = positions.size();
  balls_.locate(positions, radii);
  const GridDomain& domain = grid_->domain();
  const BucketSet& buckets = grid_->volume().buckets();
  Communicator& communicator = domain.communicator();
  const auto ranks = static_cast<std::size_t>(communicator.size());
  const double h = grid_->voxel();
  sent_to_.assign(ranks, {});
  asked_.assign(ranks, {});
  std::vector<std::vector<Vec3d>> out(ranks);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Vec3d x = positions[i];
    const int owner = ranks == 1 ? 0 : domain.owner(key_of(domain.bucket_of(x)));
    int told[8], count = 0;
    const auto tell = [&](int rank) {
      if (std::find(told, told + count, rank) != told + count) return;
      told[count++] = rank;
      const auto r = static_cast<std::size_t>(rank);
      sent_to_[r].push_back(static_cast<int>(i));
      asked_[r].push_back(rank == owner ? 1 : 0);
      out[r].push_back(x);
    };
    tell(owner);
    // Ranks with faces that the point gives to.
    for (int corner = 0; ranks > 1 && corner < 8; ++corner) {
      const Vec3d d{corner & 1 ? h : -h, corner & 2 ? h : -h, corner & 4 ? h : -h};
      tell(domain.owner(key_of(domain.bucket_of(x + d))));
    }
  }
  located_.clear();
  received_.assign(ranks, 0);
  const auto place = [&](int sender, std::span<const Vec3d> points, std::span<const std::uint8_t> asked) {
    received_[static_cast<std::size_t>(sender)] = static_cast<int>(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const int tile = buckets.find(key_of(domain.bucket_of(points[i])));
      located_.push_back({points[i], tile < 0 ? buckets.missing() : tile, sender, static_cast<int>(i), asked[i] != 0});
    }
  };
  if (ranks == 1) {
    place(0, positions, asked_[0]);
  } else {
    std::vector<Bytes> points, questions;
    for (std::size_t r = 0; r < ranks; ++r) {
      points.push_back(to_bytes(out[r]));
      questions.push_back(to_bytes(asked_[r]));
    }
    const std::vector<Bytes> arrived = communicator.all_to_all(std::move(points));
    const std::vector<Bytes> asked = communicator.all_to_all(std::move(questions));
    for (std::size_t r = 0; r < ranks; ++r)
      place(static_cast<int>(r), from_bytes<Vec3d>(arrived[r]), from_bytes<std::uint8_t>(asked[r]));
  }
  // By place: the order of sums must not depend on where points came from.
  std::stable_sort(located_.begin(), located_.end(), [](const Located& a, const Located& b) {
    return std::tie(a.tile, a.x.z, a.x.y, a.x.x) < std::tie(b.tile, b.x.z, b.x.y, b.x.x);
  });
  first_.assign(static_cast<std::size_t>(buckets.count()) + 2, 0);
  for (const Located& p : located_) ++first_[static_cast<std::size_t>(p.tile) + 1];
  for (std::size_t t = 1; t < first_.size(); ++t) first_[t] += first_[t - 1];
  std::vector<std::uint8_t> held;
  for (const Located& p : located_) held.push_back(p.tile < buckets.local_count() && grid_->holds_gas(p.tile) ? 1 : 0);
  in_gas_.assign(count_, 0);
  answer<std::uint8_t>(held, in_gas_);
}

// Back to where the points came from.
template <class V>
void GasPoints::answer(const std::vector<V>& values, std::span<V> out) const {
  Communicator& communicator = grid_->domain().communicator();
  std::vector<std::vector<V>> answers(sent_to_.size());
  for (std::size_t r = 0; r < answers.size(); ++r) answers[r].resize(static_cast<std::size_t>(received_[r]));
  for (std::size_t i = 0; i < located_.size(); ++i)
    answers[static_cast<std::size_t>(located_[i].sender)][static_cast<std::size_t>(located_[i].index)] = values[i];
  if (communicator.size() > 1) {
    std::vector<Bytes> packed;
    for (const auto& a : answers) packed.push_back(to_bytes(a));
    const std::vector<Bytes> arrived = communicator.all_to_all(std::move(packed));
    for (std::size_t r = 0; r < answers.size(); ++r) answers[r] = from_bytes<V>(arrived[r]);
  }
  for (std::size_t r = 0; r < answers.size(); ++r)
    for (std::size_t i = 0; i < answers[r].size(); ++i)
      if (asked_[r][i] != 0) out[static_cast<std::size_t>(sent_to_[r][i])] = answers[r][i];
}

template <class T>
void GasPoints::sample_as(ChannelId<T> faces, std::span<Vec3d> out) {
  DiscreteVolume& volume = grid_->volume();
  const BucketSet& buckets = volume.buckets();
  const double h = grid_->voxel();
  std::vector<Vec3d> values(located_.size());
  const auto& background = volume.channel(faces.index).background;
  auto u = read(volume, faces, Stencil::box);
  auto open = read(volume, grid_->open, Stencil::box);
  for_each_bucket(buckets, u, open, [&](int t) {
    for (int i = first_[static_cast<std::size_t>(t)]; i < first_[static_cast<std::size_t>(t) + 1]; ++i) {
      const Located& p = located_[static_cast<std::size_t>(i)];
      for (int c = 0; c < 3; ++c) {
        Taps taps = taps_of(p.x, c, buckets.coord(t), h);
        const int* tiles = buckets.neighbours(t).data();
        leave_out_solids(taps, open.tile(0, c), tiles);
        double sum = 0;
        for (int k = 0; k < 8; ++k) {
          const Vec3i v = taps.voxel(k);
          sum += taps.weight[k] * static_cast<double>(u.tile(tiles[direction_of(v)], c)[offset_in(v)]);
        }
        values[static_cast<std::size_t>(i)][c] = sum;
      }
    }
  });
  const Vec3d ambient{background[0], background[1], background[2]};
  for (std::size_t i = static_cast<std::size_t>(first_[static_cast<std::size_t>(buckets.missing())]);
       i < located_.size(); ++i)
    values[i] = ambient;
  answer<Vec3d>(values, out);
  balls_.sample(faces, out);
}

void GasPoints::squares(std::span<Vec3d> out) {
  DiscreteVolume& volume = grid_->volume();
  const BucketSet& buckets = volume.buckets();
  std::vector<Vec3d> values(located_.size(), {0, 0, 0});
  auto open = read(volume, grid_->open, Stencil::box);
  for_each_bucket(buckets, open, [&](int t) {
    for (int i = first_[static_cast<std::size_t>(t)]; i < first_[static_cast<std::size_t>(t) + 1]; ++i)
      for (int c = 0; c < 3; ++c) {
        Taps taps = taps_of(located_[static_cast<std::size_t>(i)].x, c, buckets.coord(t), grid_->voxel());
        leave_out_solids(taps, open.tile(0, c), buckets.neighbours(t).data());
        for (const double w : taps.weight) values[static_cast<std::size_t>(i)][c] += w * w;
      }
  });
  answer<Vec3d>(values, out);
  for (std::size_t i = 0; i < count_; ++i)
    if (balls_.is_ball(i)) out[i] = balls_.squares(i);
}

void GasPoints::sample(ChannelId<float> faces, std::span<Vec3d> out) { sample_as(faces, out); }
void GasPoints::sample(ChannelId<double> faces, std::span<Vec3d> out) { sample_as(faces, out); }

std::vector<Vec3d> GasPoints::to_located(std::span<const Vec3d> values) const {
  std::vector<std::vector<Vec3d>> by_rank(sent_to_.size());
  for (std::size_t r = 0; r < by_rank.size(); ++r)
    for (const int i : sent_to_[r]) by_rank[r].push_back(values[static_cast<std::size_t>(i)]);
  Communicator& communicator = grid_->domain().communicator();
  if (communicator.size() > 1) {
    std::vector<Bytes> packed;
    for (const auto& v : by_rank) packed.push_back(to_bytes(v));
    const std::vector<Bytes> arrived = communicator.all_to_all(std::move(packed));
    for (std::size_t r = 0; r < by_rank.size(); ++r) by_rank[r] = from_bytes<Vec3d>(arrived[r]);
  }
  std::vector<Vec3d> result(located_.size());
  for (std::size_t i = 0; i < located_.size(); ++i)
    result[i] = by_rank[static_cast<std::size_t>(located_[i].sender)][static_cast<std::size_t>(located_[i].index)];
  return result;
}

void GasPoints::splat(std::span<const Vec3d> values, ChannelId<double> faces) {
  if (!balls_.any()) {
    splat_trilinear(values, faces);
    return;
  }
  std::vector<Vec3d> small(values.begin(), values.end());
  for (std::size_t i = 0; i < count_; ++i)
    if (balls_.is_ball(i)) small[i] = {0, 0, 0};
  splat_trilinear(small, faces);
  balls_.splat(values, faces);
}

void GasPoints::splat_trilinear(std::span<const Vec3d> values, ChannelId<double> faces) {
  DiscreteVolume& volume = grid_->volume();
  const BucketSet& buckets = volume.buckets();
  const double h = grid_->voxel();
  const std::vector<Vec3d> given = to_located(values);
  auto open = read(volume, grid_->open, Stencil::box);
  auto out = read_write(volume, faces);
  for_each_bucket(buckets, open, out, [&](int t) {
    // From the points in this tile and those beside it, in one order of tiles on every rank.
    const auto& around = buckets.neighbours(t);
    for (int dir = 0; dir < 27; ++dir) {
      const int from = around[static_cast<std::size_t>(dir)];
      if (from == buckets.missing()) continue;
      const int begin = first_[static_cast<std::size_t>(from)], end = first_[static_cast<std::size_t>(from) + 1];
      if (begin == end) continue;
      // The tile as seen from the point's.
      const Vec3i shift = offset_of(dir) * -1;
      for (int i = begin; i < end; ++i) {
        const Located& p = located_[static_cast<std::size_t>(i)];
        if (!may_reach(p.x, buckets.coord(from), shift, h)) continue;
        for (int c = 0; c < 3; ++c) {
          Taps taps = taps_of(p.x, c, buckets.coord(from), h);
          bool here_too = true;
          for (int a = 0; a < 3; ++a)
            here_too = here_too && side_of(taps.low[a]) <= shift[a] && side_of(taps.low[a] + 1) >= shift[a];
          if (!here_too) continue;
          double sum = 0;
          for (int k = 0; k < 8; ++k) {
            // The neighbours of the point's tile as this one sees them; beyond its own neighbours nothing is known,
            // but no such face is beside both.
            const Vec3i v = taps.voxel(k) - shift * n;
            const int tile = around[static_cast<std::size_t>(direction_of(v))];
            if (!(open.tile(tile, c)[offset_in(v)] > 0)) taps.weight[k] = 0;
            sum += taps.weight[k];
          }
          if (!(sum > 0)) continue;
          for (int k = 0; k < 8; ++k) {
            const Vec3i v = taps.voxel(k) - shift * n;
            if (side_of(v.x) == 0 && side_of(v.y) == 0 && side_of(v.z) == 0)
              out.tile(t, c)[offset_in(v)] += taps.weight[k] / sum * given[static_cast<std::size_t>(i)][c];
          }
        }
      }
    }
  });
}

}  // namespace ymir
