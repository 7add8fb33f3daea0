#include "ymir/preview/strand_layers.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ymir {
namespace {

constexpr int cell = StrandPieces::cell;
constexpr float opaque = 0.004f;  // what shines through less cannot be seen

// Integral from -infinity of the tent of height 1 and half width 1.
float tent_sum(float x) {
  if (x <= -1) return 0;
  if (x <= 0) return 0.5f * (1 + x) * (1 + x);
  if (x < 1) return 1 - 0.5f * (1 - x) * (1 - x);
  return 1;
}

}  // namespace

StrandLayers::StrandLayers(const StrandPieces& pieces, int column, int row) : x0_(column * cell), y0_(row * cell) {
  const auto here = pieces.in_cell(column, row);
  if (here.empty()) return;
  last_.assign(cell * cell, 0);
  for (const std::uint32_t piece : here) collect(pieces, piece);
  compose();
}

// Pieces of one strand that share a pixel add up, so that joints are neither gaps nor doubled. Both tents lie along the
// axes of the picture, where their sums over pixels are exact: the pixels of each column a piece crosses (of each row,
// if it is steep) hide its width there, and all together its width times its length, in any direction.
void StrandLayers::collect(const StrandPieces& pieces, std::uint32_t piece) {
  const StrandPieces::Point &a = pieces.point(piece), &b = pieces.point(piece + 1);
  const bool steep = std::abs(b.y - a.y) > std::abs(b.x - a.x);
  const float from = steep ? a.y : a.x, to = steep ? b.y : b.x, length = std::abs(to - from);
  if (!(length > 1e-6f)) return;
  const float slope = steep ? (b.x - a.x) / (b.y - a.y) : (b.y - a.y) / (b.x - a.x);
  const float stretch = std::sqrt(1 + slope * slope), room = std::max(a.half_width, b.half_width) * stretch + 1;
  const int origin = steep ? y0_ : x0_, side_origin = steep ? x0_ : y0_;
  const auto inside = [](float at, int low) {
    return static_cast<int>(std::clamp(std::floor(at) - static_cast<float>(low), -1.0f, static_cast<float>(cell)));
  };
  const int first = std::max(inside(std::min(from, to) - 1, origin), 0);
  const int last = std::min(inside(std::max(from, to) + 1, origin), cell - 1);
  for (int i = first; i <= last; ++i) {
    const float place = static_cast<float>(origin + i) + 0.5f, along = (place - from) * (to > from ? 1.0f : -1.0f);
    const float share = tent_sum(along) - tent_sum(along - length);
    if (!(share > 0)) continue;
    const float middle = (steep ? a.x : a.y) + (place - from) * slope;
    const float u = std::clamp(along / length, 0.0f, 1.0f);
    const float half = (a.half_width * (1 - u) + b.half_width * u) * stretch;
    const float distance = a.distance * (1 - u) + b.distance * u;
    const Vec3f radiance = a.radiance * (1 - u) + b.radiance * u;
    const int end = std::min(inside(middle + room, side_origin), cell - 1);
    for (int j = std::max(inside(middle - room, side_origin), 0); j <= end; ++j) {
      const float off = static_cast<float>(side_origin + j) + 0.5f - middle;
      const float covered = (tent_sum(off + half) - tent_sum(off - half)) * share;
      if (!(covered > 0)) continue;
      const auto pixel = static_cast<std::uint32_t>(steep ? i * cell + j : j * cell + i);
      const std::uint32_t latest = last_[pixel];
      const bool joins = latest > 0 && piece - fragments_[latest - 1].piece <= 1 &&
                         pieces.point(fragments_[latest - 1].piece).strand == a.strand;
      if (!joins) {
        fragments_.push_back({0, 0, {}, pixel, piece});
        last_[pixel] = static_cast<std::uint32_t>(fragments_.size());
      }
      Fragment& f = fragments_[last_[pixel] - 1];
      f.piece = piece;
      f.opacity += covered;
      f.distance += covered * distance;
      f.radiance += radiance * covered;
    }
  }
}

void StrandLayers::compose() {
  start_.assign(cell * cell + 1, 0);
  for (const Fragment& f : fragments_) ++start_[f.pixel + 1];
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  std::vector<std::uint32_t> order(fragments_.size()), next(start_.begin(), start_.end() - 1);
  for (std::uint32_t i = 0; i < fragments_.size(); ++i) {
    Fragment& f = fragments_[i];
    f.distance /= f.opacity;
    f.radiance = f.radiance / f.opacity;
    f.opacity = std::min(f.opacity, 1.0f);
    order[next[f.pixel]++] = i;
  }
  layers_.reserve(fragments_.size());
  std::uint32_t kept = 0;
  for (std::size_t pixel = 0; pixel < cell * cell; ++pixel) {
    const auto begin = order.begin() + start_[pixel], end = order.begin() + start_[pixel + 1];
    std::sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
      return fragments_[a].distance < fragments_[b].distance ||
             (fragments_[a].distance == fragments_[b].distance && a < b);
    });
    start_[pixel] = kept;
    Layer sum;
    for (auto at = begin; at != end && sum.through > opaque; ++at) {
      const Fragment& f = fragments_[*at];
      const float seen = sum.through * f.opacity;
      sum.distance = f.distance;
      sum.radiance += f.radiance * seen;
      sum.reach += f.distance * seen;
      sum.through *= 1 - f.opacity;
      layers_.push_back(sum);
      ++kept;
    }
  }
  start_[cell * cell] = kept;
  layers_.shrink_to_fit();
  fragments_ = {};
  last_ = {};
}

StrandLayers::Passed StrandLayers::between(int x, int y, float from, float to) const {
  if (layers_.empty()) return {};
  const auto pixel = static_cast<std::size_t>((y - y0_) * cell + x - x0_);
  const auto begin = layers_.begin() + start_[pixel], end = layers_.begin() + start_[pixel + 1];
  const auto nearer = [](const Layer& layer, float distance) { return layer.distance < distance; };
  const auto first = from > 0 ? std::lower_bound(begin, end, from, nearer) : begin;
  const auto last = std::lower_bound(first, end, to, nearer);
  if (first == last) return {};
  const Layer before = first == begin ? Layer{} : *(first - 1);
  const Layer& after = *(last - 1);
  if (!(before.through > opaque)) return {{}, 0, from};
  const float hidden = before.through - after.through;
  if (!(hidden > 0)) return {};
  return {(after.radiance - before.radiance) / before.through, after.through / before.through,
          (after.reach - before.reach) / hidden};
}

}  // namespace ymir
