#include "ymir/preview/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/base/error.h"
#include "ymir/preview/canvas.h"
#include "ymir/preview/channel_colors.h"
#include "ymir/preview/frame_channels.h"
#include "ymir/preview/palette.h"

namespace ymir {
namespace {

constexpr float none = std::numeric_limits<float>::quiet_NaN();
constexpr const char* axis_names[3] = {"x", "y", "z"};

Error refused(const Frame& frame, const std::string& what) {
  return Error(ExitCode::bad_input, fmt::format("frame {}: {}", frame.number, what));
}

const ObjectState& volume_of(const Frame& frame, const std::string& name) {
  const ObjectState* found = nullptr;
  std::string names;
  for (const ObjectState& object : frame.objects) {
    if (object.kind != "volume") continue;
    names += (names.empty() ? "" : ", ") + object.name;
    if (name.empty() && found != nullptr)
      throw refused(frame, fmt::format("several volumes ({}, ...); choose one with --object", names));
    if (name.empty() || object.name == name) found = &object;
  }
  if (found == nullptr)
    throw refused(frame, names.empty() ? "no volume to cut" : fmt::format("no volume {}; there are {}", name, names));
  return *found;
}

// Values of a channel of a volume by voxel.
struct Values {
  std::span<const float> scalars;
  std::span<const Vec3f> vectors;
  int component = -1;  // of vectors; -1: their length
  int resolution = 0;

  float operator()(std::size_t i) const {
    if (!scalars.empty()) return scalars[i];
    return component < 0 ? norm(vectors[i]) : vectors[i][component];
  }
};

Values values_of(const Frame& frame, const ObjectState& volume, const std::string& name, std::size_t buckets) {
  Values values;
  const auto [channel, component] = stored_channel(volume, name);
  values.component = component;
  const double resolution = number_of(volume, channel + ".resolution", 0);
  values.resolution = resolution >= 1 && resolution <= 1024 ? static_cast<int>(resolution) : 0;
  const auto n = static_cast<std::size_t>(values.resolution);
  values.scalars = channel_on<float>(volume, Place::voxel, channel, buckets * n * n * n);
  values.vectors = channel_on<Vec3f>(volume, Place::voxel, channel, buckets * n * n * n);
  if (n == 0 || (values.scalars.empty() && values.vectors.empty())) {
    std::string names;
    for (const auto& [known, array] : volume.channels)
      if (array.place == Place::voxel) names += (names.empty() ? "" : ", ") + known;
    throw refused(frame, fmt::format("{} has no channel {}; it has {}", volume.name, name, names));
  }
  return values;
}

// Layers of voxel centres below and above the plane, and the share of the upper one.
struct Layers {
  int low = 0, high = 0;
  float share = 0;
};

Layers layers_at(double at, double voxel, int least, int most) {
  const double place = at / voxel - 0.5;
  Layers layers;
  layers.low = std::clamp(static_cast<int>(std::floor(place)), least, most);
  layers.high = std::min(layers.low + 1, most);
  layers.share = static_cast<float>(std::clamp(place - layers.low, 0.0, 1.0));
  return layers;
}

// Adds a layer of voxels to the values of a slice; the first one is empty and takes it whole.
void add_layer(Slice& slice, std::span<const Vec3i> buckets, const Values& values, int layer, float share,
               const Vec3i& low) {
  const int n = values.resolution;
  const auto area = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const Vec3i& bucket = buckets[b];
    const int inside = layer - bucket[slice.axis] * n;
    if (!BlockIndex::in_range(bucket) || inside < 0 || inside >= n) continue;
    const Vec3i place{bucket[slice.across] - low[slice.across] / n, bucket[slice.up] - low[slice.up] / n, 0};
    const std::size_t square = slice.squares.add(place);
    if (square == slice.places.size()) {
      slice.places.push_back(place);
      slice.values.resize(slice.values.size() + area, none);
    }
    for (int v = 0; v < n; ++v)
      for (int u = 0; u < n; ++u) {
        Vec3i voxel;
        voxel[slice.axis] = inside;
        voxel[slice.across] = u;
        voxel[slice.up] = v;
        const auto in_bucket = static_cast<std::size_t>((voxel.z * n + voxel.y) * n + voxel.x);
        const float value = values(b * static_cast<std::size_t>(n) * area + in_bucket);
        float& to = slice.values[square * area + static_cast<std::size_t>(v * n + u)];
        to = std::isnan(to) ? value : to + share * (value - to);
      }
  }
}

// The middle of the buckets' extent, or of the layer of buckets nearest to it.
double middle(std::span<const Vec3i> buckets, int axis, double bucket_size, double bottom, double top) {
  const double wanted = 0.5 * (bottom + top);
  double best = 0, distance = std::numeric_limits<double>::infinity();
  for (const Vec3i& b : buckets) {
    const double low = b[axis] * bucket_size, high = low + bucket_size;
    if (wanted >= low && wanted <= high) return wanted;
    const double off = std::max(low - wanted, wanted - high);
    if (off < distance) {
      distance = off;
      best = 0.5 * (low + high);
    }
  }
  return best;
}

// Pixels of the plane: the voxel lattice, the upper side up.
struct PlaneOnPicture {
  const Slice& slice;
  double pixels;  // per voxel
  int width, height;

  double x(double across) const { return (across - slice.low[0]) / slice.voxel * pixels; }
  double y(double up) const { return height - (up - slice.low[1]) / slice.voxel * pixels; }
  double x(Vec3f p) const { return x(static_cast<double>(p[slice.across])); }
  double y(Vec3f p) const { return y(static_cast<double>(p[slice.up])); }
};

Vec3f color_of(double value, double low, double high) {
  return scale_color(static_cast<float>((value - low) / (high - low)));
}

// Between the four voxel centres around, of those that hold gas; if the nearest does.
void draw_values(Canvas& canvas, const PlaneOnPicture& plane, double low, double high) {
  const Slice& slice = plane.slice;
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x) {
      const double u = (x + 0.5) / plane.pixels - 0.5, v = (plane.height - y - 0.5) / plane.pixels - 0.5;
      const auto column = [&](double at) { return std::clamp(static_cast<int>(at), 0, slice.columns - 1); };
      const auto row = [&](double at) { return std::clamp(static_cast<int>(at), 0, slice.rows - 1); };
      if (!std::isfinite(slice.value(column(u + 0.5), row(v + 0.5)))) continue;
      double sum = 0, weights = 0;
      for (int k = 0; k < 4; ++k) {
        const double i = std::floor(u) + k % 2, j = std::floor(v) + k / 2;
        const float value = slice.value(column(std::max(i, 0.0)), row(std::max(j, 0.0)));
        const double weight = (1 - std::abs(u - i)) * (1 - std::abs(v - j));
        if (!std::isfinite(value)) continue;
        sum += weight * static_cast<double>(value);
        weights += weight;
      }
      if (weights > 0) canvas.put(x, y, color_of(sum / weights, low, high));
    }
}

void draw_means(Canvas& canvas, const PlaneOnPicture& plane, double low, double high) {
  const Slice& slice = plane.slice;
  struct Mean {
    double sum = 0;
    std::size_t count = 0;
  };
  std::vector<Mean> means(static_cast<std::size_t>(plane.width) * static_cast<std::size_t>(plane.height));
  const int n = slice.side;
  for (std::size_t i = 0; i < slice.values.size(); ++i) {
    if (!std::isfinite(slice.values[i])) continue;
    const Vec3i& place = slice.places[i / static_cast<std::size_t>(n * n)];
    const int in_square = static_cast<int>(i % static_cast<std::size_t>(n * n));
    const double u = (place.x * n + in_square % n + 0.5) * plane.pixels;
    const double v = plane.height - (place.y * n + in_square / n + 0.5) * plane.pixels;
    const auto x = static_cast<std::size_t>(std::clamp(static_cast<int>(u), 0, plane.width - 1));
    const auto y = static_cast<std::size_t>(std::clamp(static_cast<int>(v), 0, plane.height - 1));
    Mean& mean = means[y * static_cast<std::size_t>(plane.width) + x];
    mean.sum += static_cast<double>(slice.values[i]);
    ++mean.count;
  }
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x) {
      const Mean& mean =
          means[static_cast<std::size_t>(y) * static_cast<std::size_t>(plane.width) + static_cast<std::size_t>(x)];
      if (mean.count > 0) canvas.put(x, y, color_of(mean.sum / static_cast<double>(mean.count), low, high));
    }
}

void draw_objects(Canvas& canvas, const Frame& frame, const PlaneOnPicture& plane) {
  const Slice& slice = plane.slice;
  constexpr Vec3f ink{0.01f, 0.01f, 0.015f};
  const auto height = [&](Vec3f p) { return static_cast<double>(p[slice.axis]) - slice.at; };
  const auto near = [&](Vec3f p) { return std::abs(height(p)) <= slice.voxel; };
  for (const ObjectState& object : frame.objects) {
    const auto position = channel_of<Vec3f>(object, "position");
    if (object.kind == "points")
      for (const Vec3f& p : position)
        if (near(p)) canvas.line(plane.x(p), plane.y(p), plane.x(p), plane.y(p), ink, 0.8f);
    const auto first = channel_of<std::int64_t>(object, "first");
    for (std::size_t s = 0; object.kind == "curves" && s + 1 < first.size(); ++s)
      for (std::int64_t v = std::max<std::int64_t>(first[s], 0);
           v + 1 < std::min(first[s + 1], static_cast<std::int64_t>(position.size())); ++v) {
        const Vec3f &a = position[static_cast<std::size_t>(v)], &b = position[static_cast<std::size_t>(v) + 1];
        if (near(a) && near(b)) canvas.line(plane.x(a), plane.y(a), plane.x(b), plane.y(b), ink, 0.35f);
      }
    for (const Vec3i& t : channel_of<Vec3i>(object, "triangles")) {
      Vec3f ends[3];
      int count = 0;
      for (int k = 0; k < 3; ++k) {
        const int i = t[k], j = t[(k + 1) % 3];
        if (std::min(i, j) < 0 || static_cast<std::size_t>(std::max(i, j)) >= position.size()) break;
        const Vec3f &a = position[static_cast<std::size_t>(i)], &b = position[static_cast<std::size_t>(j)];
        if ((height(a) < 0) != (height(b) < 0))
          ends[count++] = a + (b - a) * static_cast<float>(height(a) / (height(a) - height(b)));
      }
      if (count == 2) canvas.line(plane.x(ends[0]), plane.y(ends[0]), plane.x(ends[1]), plane.y(ends[1]), ink, 1);
    }
  }
}

}  // namespace

float Slice::value(int column, int row) const {
  if (column < 0 || row < 0 || column >= columns || row >= rows) return none;
  const std::int64_t square = squares.find({column / side, row / side, 0});
  if (square < 0) return none;
  return values[(static_cast<std::size_t>(square) * static_cast<std::size_t>(side) +
                 static_cast<std::size_t>(row % side)) *
                    static_cast<std::size_t>(side) +
                static_cast<std::size_t>(column % side)];
}

Slice cut(const Frame& frame, const SliceOptions& options) {
  const ObjectState& volume = volume_of(frame, options.object);
  const auto buckets = channel_of<Vec3i>(volume, "bucket");
  const double size = number_of(volume, "bucket_size", 0);
  if (buckets.empty() || !(size > 0)) throw refused(frame, volume.name + " is empty");
  Slice slice;
  slice.channel = options.channel.empty() ? "speed" : options.channel;
  const Values values = values_of(frame, volume, slice.channel, buckets.size());
  const int n = slice.side = values.resolution;
  slice.axis = options.axis;
  slice.across = options.axis == 0 ? 2 : 0;
  slice.up = options.axis == 1 ? 2 : 1;
  slice.voxel = size / n;
  Vec3i low = buckets[0], high = buckets[0];
  for (const Vec3i& b : buckets) {
    low = cwise_min(low, b);
    high = cwise_max(high, b);
  }
  const Vec3d extent = (Vec3d(high) - Vec3d(low) + Vec3d{1, 1, 1}) * n;
  if (!BlockIndex::in_range(low) || !BlockIndex::in_range(high) || std::max({extent.x, extent.y, extent.z}) > 1e9)
    throw refused(frame, volume.name + " has buckets beyond what a gas can reach; the frame is damaged");
  low = low * n;
  high = (high + Vec3i{1, 1, 1}) * n;
  const double bottom = low[slice.axis] * slice.voxel, top = high[slice.axis] * slice.voxel;
  slice.at = options.at ? *options.at : middle(buckets, slice.axis, size, bottom, top);
  if (!(slice.at >= bottom && slice.at <= top))
    throw refused(frame, fmt::format("{} reaches from {} = {:g} to {:g} m; --at {:g} misses it", volume.name,
                                     axis_names[slice.axis], bottom, top, slice.at));
  slice.low[0] = low[slice.across] * slice.voxel;
  slice.low[1] = low[slice.up] * slice.voxel;
  slice.columns = high[slice.across] - low[slice.across];
  slice.rows = high[slice.up] - low[slice.up];
  const Layers layers = layers_at(slice.at, slice.voxel, low[slice.axis], high[slice.axis] - 1);
  add_layer(slice, buckets, values, layers.low, 1, low);
  if (layers.share > 0) add_layer(slice, buckets, values, layers.high, layers.share, low);
  slice.least = std::numeric_limits<double>::infinity();
  slice.most = -slice.least;
  for (const float v : slice.values)
    if (std::isfinite(v)) {
      slice.least = std::min(slice.least, static_cast<double>(v));
      slice.most = std::max(slice.most, static_cast<double>(v));
    }
  if (slice.least > slice.most)
    throw refused(frame, fmt::format("{} has no gas at {} = {:g} m; choose another --at", volume.name,
                                     axis_names[slice.axis], slice.at));
  return slice;
}

Image draw(const Slice& slice, const Frame& frame, const SliceOptions& options) {
  constexpr int margin = 12, letter = 2, numbers = 7 * 4 * letter;
  const int room = std::max(options.width - 3 * margin - Canvas::bar_width - numbers, 16);
  const double pixels = std::min(static_cast<double>(room) / slice.columns, 2.0 * room / slice.rows);  // per voxel
  const int width = std::clamp(static_cast<int>(std::lround(pixels * slice.columns)), 16, room);
  const int height = std::max(static_cast<int>(std::lround(pixels * slice.rows)), 16);
  auto [low, high] = options.range.value_or(std::pair(slice.least, slice.most));
  if (!(high > low)) high = low + 1;  // the same value everywhere
  Canvas canvas(options.width, height);
  const PlaneOnPicture plane{slice, pixels, width, height};
  if (pixels < 1)
    draw_means(canvas, plane, low, high);
  else
    draw_values(canvas, plane, low, high);
  draw_objects(canvas, frame, plane);
  canvas.scale(width + margin, 0, height, low, high, letter);
  return canvas.take();
}

}  // namespace ymir
