#include "ymir/preview/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "ymir/base/error.h"
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
  std::string channel = name == "speed" && !volume.channels.contains(name) ? "velocity" : name;
  for (int axis = 0; axis < 3; ++axis)
    if (channel.size() > 2 && channel.ends_with(fmt::format(".{}", axis_names[axis]))) {
      values.component = axis;
      channel.resize(channel.size() - 2);
      break;
    }
  const double resolution = number_of(volume, channel + ".resolution", 0);
  values.resolution = resolution >= 1 && resolution <= 1024 ? static_cast<int>(resolution) : 0;
  const auto n = static_cast<std::size_t>(values.resolution);
  values.scalars = channel_of<float>(volume, channel, buckets * n * n * n);
  values.vectors = channel_of<Vec3f>(volume, channel, buckets * n * n * n);
  if (n == 0 || (values.scalars.empty() && values.vectors.empty())) {
    std::string names;
    for (const auto& [known, array] : volume.channels)
      if (known != "bucket") names += (names.empty() ? "" : ", ") + known;
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
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    const Vec3i& bucket = buckets[b];
    const int inside = layer - bucket[slice.axis] * n;
    if (inside < 0 || inside >= n) continue;
    for (int v = 0; v < n; ++v)
      for (int u = 0; u < n; ++u) {
        Vec3i voxel;
        voxel[slice.axis] = inside;
        voxel[slice.across] = u;
        voxel[slice.up] = v;
        const auto in_bucket = static_cast<std::size_t>((voxel.z * n + voxel.y) * n + voxel.x);
        const float value = values(b * static_cast<std::size_t>(n) * static_cast<std::size_t>(n * n) + in_bucket);
        const int column = bucket[slice.across] * n + u - low[slice.across];
        const int row = bucket[slice.up] * n + v - low[slice.up];
        float& to = slice.values[static_cast<std::size_t>(row) * static_cast<std::size_t>(slice.columns) +
                                 static_cast<std::size_t>(column)];
        to = std::isnan(to) ? value : to + share * (value - to);
      }
  }
}

// --- drawing

// 3 x 5 pixels, rows from the top, the highest bit to the left.
const std::map<char, std::array<int, 5>>& glyphs() {
  static const std::map<char, std::array<int, 5>> all{
      {'0', {7, 5, 5, 5, 7}}, {'1', {2, 6, 2, 2, 7}}, {'2', {7, 1, 7, 4, 7}}, {'3', {7, 1, 7, 1, 7}},
      {'4', {5, 5, 7, 1, 1}}, {'5', {7, 4, 7, 1, 7}}, {'6', {7, 4, 7, 5, 7}}, {'7', {7, 1, 1, 1, 1}},
      {'8', {7, 5, 7, 5, 7}}, {'9', {7, 5, 7, 1, 7}}, {'.', {0, 0, 0, 0, 2}}, {'-', {0, 0, 7, 0, 0}},
      {'+', {0, 2, 7, 2, 0}}, {'e', {0, 7, 7, 4, 7}}};
  return all;
}

class Canvas {
 public:
  Canvas(int width, int height) : image_{width, height, {}} {
    image_.rgb.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3, 246);
  }
  void put(int x, int y, Vec3f linear) { blend(x, y, linear, 1); }
  void blend(int x, int y, Vec3f linear, float opacity) {
    if (x < 0 || y < 0 || x >= image_.width || y >= image_.height) return;
    std::uint8_t* pixel =
        image_.rgb.data() +
        3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.width) + static_cast<std::size_t>(x));
    for (int c = 0; c < 3; ++c) {
      const float encoded = 255 * linear_to_srgb(linear[c]);
      pixel[c] = static_cast<std::uint8_t>(static_cast<float>(pixel[c]) * (1 - opacity) + encoded * opacity + 0.5f);
    }
  }
  void line(double x0, double y0, double x1, double y1, Vec3f color, float opacity) {
    const int steps = 1 + static_cast<int>(std::ceil(std::max(std::abs(x1 - x0), std::abs(y1 - y0))));
    for (int i = 0; i <= steps; ++i) {
      const double t = static_cast<double>(i) / steps;
      blend(static_cast<int>(std::lround(x0 + t * (x1 - x0))), static_cast<int>(std::lround(y0 + t * (y1 - y0))), color,
            opacity);
    }
  }
  void text(int x, int y, const std::string& text, int size) {
    for (const char letter : text) {
      const auto found = glyphs().find(letter);
      for (int j = 0; found != glyphs().end() && j < 5 * size; ++j)
        for (int i = 0; i < 3 * size; ++i)
          if ((found->second[static_cast<std::size_t>(j / size)] >> (2 - i / size) & 1) != 0)
            put(x + i, y + j, {0.02f, 0.02f, 0.02f});
      x += 4 * size;
    }
  }
  Image take() { return std::move(image_); }

 private:
  Image image_;
};

// Pixels of the plane: the voxel lattice, the upper side up.
struct PlaneOnPicture {
  const Slice& slice;
  double pixels;  // per voxel
  int height;

  double x(double across) const { return (across - slice.low[0]) / slice.voxel * pixels; }
  double y(double up) const { return height - (up - slice.low[1]) / slice.voxel * pixels; }
  double x(Vec3f p) const { return x(static_cast<double>(p[slice.across])); }
  double y(Vec3f p) const { return y(static_cast<double>(p[slice.up])); }
};

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

Slice cut(const Frame& frame, const SliceOptions& options) {
  const ObjectState& volume = volume_of(frame, options.object);
  const auto buckets = channel_of<Vec3i>(volume, "bucket");
  const double size = number_of(volume, "bucket_size", 0);
  if (buckets.empty() || !(size > 0)) throw refused(frame, volume.name + " is empty");
  Slice slice;
  slice.channel = options.channel.empty() ? "speed" : options.channel;
  const Values values = values_of(frame, volume, slice.channel, buckets.size());
  const int n = values.resolution;
  slice.axis = options.axis;
  slice.across = options.axis == 0 ? 2 : 0;
  slice.up = options.axis == 1 ? 2 : 1;
  slice.voxel = size / n;
  Vec3i low = buckets[0], high = buckets[0];
  for (const Vec3i& b : buckets) {
    low = cwise_min(low, b);
    high = cwise_max(high, b);
  }
  low = low * n;
  high = (high + Vec3i{1, 1, 1}) * n;
  const double bottom = low[slice.axis] * slice.voxel, top = high[slice.axis] * slice.voxel;
  slice.at = options.at.value_or(0.5 * (bottom + top));
  if (!(slice.at >= bottom && slice.at <= top))
    throw refused(frame, fmt::format("{} reaches from {} = {:g} to {:g} m; --at {:g} misses it", volume.name,
                                     axis_names[slice.axis], bottom, top, slice.at));
  slice.low[0] = low[slice.across] * slice.voxel;
  slice.low[1] = low[slice.up] * slice.voxel;
  slice.columns = high[slice.across] - low[slice.across];
  slice.rows = high[slice.up] - low[slice.up];
  slice.values.assign(static_cast<std::size_t>(slice.columns) * static_cast<std::size_t>(slice.rows), none);
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
  constexpr int margin = 12, bar = 18, letter = 2, numbers = 7 * 4 * letter;
  const int width = std::max(options.width - 3 * margin - bar - numbers, 16);
  const double pixels = static_cast<double>(width) / slice.columns;  // per voxel
  const int height = std::max(static_cast<int>(std::lround(pixels * slice.rows)), 16);
  auto [low, high] = options.range.value_or(std::pair(slice.least, slice.most));
  if (!(high > low)) high = low + 1;  // the same value everywhere
  const auto color = [&](double value) { return scale_color(static_cast<float>((value - low) / (high - low))); };
  Canvas canvas(width + 3 * margin + bar + numbers, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      // Between the four voxel centres around, of those that hold gas; if the nearest does.
      const double u = (x + 0.5) / pixels - 0.5, v = (height - y - 0.5) / pixels - 0.5;
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
      if (weights > 0) canvas.put(x, y, color(sum / weights));
    }
  draw_objects(canvas, frame, {slice, pixels, height});
  constexpr int ticks = 4;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < bar; ++x)
      canvas.put(width + margin + x, y, color(low + (high - low) * (height - 1 - y) / (height - 1)));
  for (int tick = 0; tick <= ticks; ++tick) {
    const int y = (height - 5 * letter) * (ticks - tick) / ticks;
    canvas.text(width + 2 * margin + bar, y, fmt::format("{:.3g}", low + (high - low) * tick / ticks), letter);
  }
  return canvas.take();
}

}  // namespace ymir
