#include "ymir/fluid/extrapolation.h"

#include <algorithm>
#include <cstring>

#include "ymir/fluid/tile_gather.h"

namespace ymir {
namespace {

// State of a face in the layer channel: known since layer n, or one of these.
constexpr std::uint8_t unknown = 255, left_alone = 254;
constexpr GatherRegion around{{-1, -1, -1}, {8, 8, 8}};

struct Found {
  std::uint16_t voxel;
  std::uint8_t axis;
  float value;
};

// Whether one of eight faces in a row is not known but a neighbour of it is: only layers have the highest bit clear.
bool any_beside_known(const std::uint8_t* row, const std::array<int, 6>& to) {
  const auto eight = [&](int step) {
    std::uint64_t bytes;
    std::memcpy(&bytes, row + step, sizeof(bytes));
    return bytes;
  };
  std::uint64_t none_known = ~std::uint64_t{0};
  for (const int step : to) none_known &= eight(step);
  return (eight(0) & ~none_known & 0x8080808080808080) != 0;
}

// Whether a sheet lies between a face and the next one; k as in face_directions.
bool behind_sheet(const GatheredBox<std::uint8_t>& sheets, int v, int axis, int k) {
  const int across = k / 2;
  if (across == axis) return false;
  Vec3i upper{v % 8, v / 8 % 8, v / 64};
  upper[across] += k % 2;
  const Vec3i other = upper + below(face_lattice(axis));
  const int marks = *sheets.at(upper.x, upper.y, upper.z) | *sheets.at(other.x, other.y, other.z);
  return (marks & sheet::closes(across, sheet::When::now)) != 0;
}

}  // namespace

struct Extrapolation::Work {
  struct Thread {
    GatheredBox<std::uint8_t> cells, layers, sheets;
    GatheredBox<float> values;
  };
  std::vector<std::unique_ptr<Thread>> threads;
  std::vector<int> unknown_faces;         // per tile
  std::vector<std::vector<Found>> found;  // per tile, in the current layer

  Thread& thread() { return *threads[static_cast<std::size_t>(thread_index())]; }
};

Extrapolation::Extrapolation(DiscreteVolume& volume, ChannelId<float> open, ChannelId<std::uint8_t> cell)
    : volume_(&volume), open_(open), cell_(cell), work_(std::make_unique<Work>()) {
  const char* name = "extrapolation layer";
  layer_ = volume.find_channel<std::uint8_t>(name);
  if (!layer_.valid())
    layer_ =
        volume.add_channel<std::uint8_t>(name, {.sampling = Sampling::face, .background = left_alone, .scratch = true});
}
Extrapolation::~Extrapolation() = default;

void Extrapolation::extend(ChannelId<float> velocity, const ExtrapolationOptions& options) {
  while (static_cast<int>(work_->threads.size()) < threads())
    work_->threads.push_back(std::make_unique<Work::Thread>());
  const auto tiles = static_cast<std::size_t>(volume_->buckets().local_count());
  work_->unknown_faces.assign(tiles, 0);
  work_->found.resize(tiles);
  extended_ = 0;
  classify(options);
  const bool any_left =
      std::any_of(work_->unknown_faces.begin(), work_->unknown_faces.end(), [](int n) { return n > 0; });
  if (!volume_->domain().communicator().any(any_left)) return;
  for (int layer = 1; layer <= options.layers; ++layer) {
    find_layer(velocity, layer);
    set_layer(velocity, layer);
  }
}

void Extrapolation::classify(const ExtrapolationOptions& options) {
  auto cells = read(*volume_, cell_, Stencil::faces);
  auto open = read(*volume_, open_);
  auto sheets = read(*volume_, sheets_.valid() ? sheets_ : cell_);
  auto layer = write(*volume_, layer_);
  const BucketSet& buckets = volume_->buckets();
  for_each_bucket(buckets, cells, open, sheets, layer, [&](int tile) {
    GatheredBox<std::uint8_t>& box = work_->thread().cells;
    box.gather(cells.tile(0), buckets.neighbours(tile), around);
    int unknown_faces = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const Vec3i d = below(face_lattice(axis));
      const float* w = open.tile(tile, axis);
      std::uint8_t* out = layer.tile(tile, axis);
      for (int v = 0; v < GasGrid::voxels; ++v) {
        const int x = v % 8, y = v / 8 % 8, z = v / 64;
        const int kinds = *box.at(x, y, z) | *box.at(x + d.x, y + d.y, z + d.z);
        const bool gas = (kinds & static_cast<int>(CellKind::fluid)) != 0;
        if (gas && w[v] > options.least_open)
          out[v] = 0;
        else
          out[v] = is_air(kinds) || (options.keep_closed && w[v] == 0) ? left_alone : unknown;
        unknown_faces += out[v] == unknown ? 1 : 0;
      }
      for (int v = 0; sheets_.valid() && v < GasGrid::voxels; ++v) {
        if (out[v] != unknown || (sheets.tile(tile)[v] & sheet::closes(axis, sheet::When::now)) == 0) continue;
        out[v] = left_alone;
        --unknown_faces;
      }
    }
    work_->unknown_faces[static_cast<std::size_t>(tile)] = unknown_faces;
  });
}

void Extrapolation::find_layer(ChannelId<float> velocity, int layer) {
  auto known = read(*volume_, layer_, Stencil::faces);
  auto values = read(*volume_, velocity, Stencil::faces);
  auto marks = read(*volume_, sheets_.valid() ? sheets_ : cell_, Stencil::box);
  const BucketSet& buckets = volume_->buckets();
  for_each_bucket(buckets, known, values, marks, [&](int tile) {
    std::vector<Found>& found = work_->found[static_cast<std::size_t>(tile)];
    found.clear();
    if (work_->unknown_faces[static_cast<std::size_t>(tile)] == 0) return;
    auto& [cells, layers, sheets, u] = work_->thread();
    const bool with_sheets = sheets_.valid();
    if (with_sheets) sheets.gather(marks.tile(0), buckets.neighbours(tile), around);
    for (int axis = 0; axis < 3; ++axis) {
      layers.gather(known.tile(0, axis), buckets.neighbours(tile), around);
      u.gather(values.tile(0, axis), buckets.neighbours(tile), around);
      const std::array<int, 6> to{-1, 1, -layers.row(), layers.row(), -layers.layer(), layers.layer()};
      for (int v = 0; v < GasGrid::voxels; ++v) {
        const std::uint8_t* l = layers.at(v % 8, v / 8 % 8, v / 64);
        if (v % 8 == 0 && !any_beside_known(l, to)) {
          v += 7;
          continue;
        }
        if (*l != unknown) continue;
        const float* at = u.at(v % 8, v / 8 % 8, v / 64);
        float sum = 0;
        int count = 0;
        for (const int step : to)
          if (l[step] < layer) sum += at[step], ++count;
        if (count > 0 && with_sheets) {
          sum = 0;
          count = 0;
          for (int k = 0; k < 6; ++k)
            if (const int step = to[static_cast<std::size_t>(k)]; l[step] < layer && !behind_sheet(sheets, v, axis, k))
              sum += at[step], ++count;
        }
        if (count > 0)
          found.push_back(
              {static_cast<std::uint16_t>(v), static_cast<std::uint8_t>(axis), sum / static_cast<float>(count)});
      }
    }
  });
}

void Extrapolation::set_layer(ChannelId<float> velocity, int layer) {
  auto known = read_write(*volume_, layer_);
  auto values = read_write(*volume_, velocity);
  for_each_bucket(volume_->buckets(), known, values, [&](int tile) {
    const std::vector<Found>& found = work_->found[static_cast<std::size_t>(tile)];
    for (const Found& face : found) {
      known.tile(tile, face.axis)[face.voxel] = static_cast<std::uint8_t>(layer);
      values.tile(tile, face.axis)[face.voxel] = face.value;
    }
    work_->unknown_faces[static_cast<std::size_t>(tile)] -= static_cast<int>(found.size());
  });
  for (const std::vector<Found>& found : work_->found) extended_ += static_cast<std::int64_t>(found.size());
}

}  // namespace ymir
