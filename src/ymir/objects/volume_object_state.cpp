// State of a Volume Object: what is saved, shown in frames, stored in checkpoints and restored.
#include <algorithm>

#include "ymir/base/error.h"
#include "ymir/base/hash.h"
#include "ymir/objects/volume_object.h"
#include "ymir/parallel/bytes.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;

// All values of a tile of a channel as an array of the state.
Array gathered(const DiscreteVolume& volume, const std::vector<int>& tiles, ChannelId<float> id, int component) {
  std::vector<float> values;
  values.reserve(tiles.size() * GasGrid::voxels);
  for (const int t : tiles) {
    const float* from = volume.tiles(id, component) + static_cast<std::ptrdiff_t>(t) * GasGrid::voxels;
    values.insert(values.end(), from, from + GasGrid::voxels);
  }
  return Array::of(values);
}

template <class T>
Array all_tiles(const DiscreteVolume& volume, ChannelId<T> id, int component = 0) {
  const std::size_t values = volume.channel(id.index).tile_values();
  const auto count = static_cast<std::size_t>(volume.buckets().local_count());
  return Array::of(std::span<const T>(volume.tiles(id, component), values * count));
}

}  // namespace

void VolumeObject::save() { saved_ = grid_.volume().snapshot(); }

void VolumeObject::rollback() {
  grid_.volume().restore(*saved_);
  boundary_stale_ = true;
  projected_shown_ = false;
}

std::optional<std::string> VolumeObject::non_finite() const {
  const DiscreteVolume& volume = grid_.volume();
  const auto finite = [&](ChannelId<float> id) {
    return ordered_reduce(
        volume.buckets().local_count(), true,
        [&](std::ptrdiff_t t) {
          float sum = 0;  // zero times a number is zero, times anything else it is NaN
          for (int c = 0; c < volume.channel(id.index).components; ++c) {
            const float* values = volume.tiles(id, c) + t * GasGrid::voxels;
            for (int i = 0; i < GasGrid::voxels; ++i) sum += 0 * values[i];
          }
          return sum == 0;
        },
        [](bool a, bool b) { return a && b; });
  };
  if (!finite(grid_.velocity)) return "velocity";
  for (const Material& m : materials_)
    if (!finite(m.value)) return m.name;
  return std::nullopt;
}

ObjectState VolumeObject::frame_state() const {
  const DiscreteVolume& volume = grid_.volume();
  std::vector<int> tiles;
  // Where there is something to see; all of a gas without material.
  for (int t = 0; t < volume.buckets().local_count(); ++t)
    if (grid_.holds_gas(t) && (materials_.empty() || !material_in(t).empty())) tiles.push_back(t);
  std::vector<Vec3i> buckets;
  for (const int t : tiles) {
    const BucketCoord b = volume.buckets().coord(t);
    buckets.emplace_back(b.x, b.y, b.z);
  }
  ObjectState state{path(), "volume", {}, {}};
  state.attributes["bucket_size"] = grid_.domain().bucket_size();
  state.channels["bucket"] = Array::of(buckets);
  for (const Material& m : materials_) {
    state.channels[m.name] = gathered(volume, tiles, m.value, 0);
    state.attributes[m.name + ".resolution"] = std::int64_t{n};
  }
  // At cell centres.
  std::vector<Vec3f> velocity(tiles.size() * GasGrid::voxels);
  parallel_for(static_cast<std::ptrdiff_t>(tiles.size()), [&](std::ptrdiff_t k) {
    const int t = tiles[static_cast<std::size_t>(k)];
    Vec3f* to = velocity.data() + k * GasGrid::voxels;
    constexpr int stride[3] = {1, n, n * n};
    for (int c = 0; c < 3; ++c) {
      const float* own = volume.tiles(shown_velocity(), c) + static_cast<std::ptrdiff_t>(t) * GasGrid::voxels;
      const int above = volume.buckets().neighbours(
          t)[static_cast<std::size_t>(face_directions[static_cast<std::size_t>(2 * c + 1)])];
      const float* next = volume.tiles(shown_velocity(), c) + static_cast<std::ptrdiff_t>(above) * GasGrid::voxels;
      for (int i = 0; i < GasGrid::voxels; ++i) {
        const bool last = i / stride[c] % n == n - 1;
        to[i][c] = 0.5f * (own[i] + (last ? next[i - (n - 1) * stride[c]] : own[i + stride[c]]));
      }
    }
  });
  state.channels["velocity"] = Array::of(velocity);
  state.attributes["velocity.resolution"] = std::int64_t{n};
  return state;
}

ObjectState VolumeObject::checkpoint() const {
  const DiscreteVolume& volume = grid_.volume();
  ObjectState state{path(), "state", {}, {}};
  const auto keys = volume.buckets().local_keys();
  state.channels["key"] = Array::of(std::vector<std::uint64_t>(keys.begin(), keys.end()));
  state.channels["life"] = all_tiles(volume, grid_.life);
  state.channels["potential"] = all_tiles(volume, projection_.potential());
  for (int c = 0; c < 3; ++c) state.channels["velocity." + std::to_string(c)] = all_tiles(volume, grid_.velocity, c);
  for (const Material& m : materials_) state.channels["material." + m.name] = all_tiles(volume, m.value);
  if (damped_) state.channels["damped_energy"] = all_tiles(volume, damped_->damped());
  // Keys are in voxels: a changed setup must not take them for others.
  state.attributes["layout"] = static_cast<std::int64_t>(hash_bits(grid_.voxel()));
  return state;
}

void VolumeObject::restore(const ObjectState* whole) {
  DiscreteVolume& volume = grid_.volume();
  Communicator& communicator = grid_.domain().communicator();
  const auto bad = [&] {
    return Error(ExitCode::bad_input,
                 "the checkpoint of " + path() + " does not fit this setup; start again in another folder");
  };
  const auto values = [&](const std::string& name) {
    Bytes bytes;
    if (whole != nullptr) {
      const auto found = whole->channels.find(name);
      if (found == whole->channels.end()) throw bad();
      bytes = found->second.bytes();
    }
    communicator.broadcast(bytes);
    return bytes;
  };
  const std::vector<BucketKey> keys = from_bytes<BucketKey>(values("key"));
  volume.set_buckets(keys);
  KeyIndex index;
  index.assign(keys);
  const auto fill = [&](auto id, int component, const std::string& name) {
    const Bytes bytes = values(name);
    const std::size_t tile = volume.channel(id.index).tile_bytes();
    if (bytes.size() != keys.size() * tile) throw bad();
    auto out = read_write(volume, id);
    for_each_bucket(volume.buckets(), out, [&](int t) {
      const auto from = static_cast<std::size_t>(index.find(volume.buckets().key(t)));
      std::copy_n(bytes.data() + from * tile, tile, reinterpret_cast<std::byte*>(out.tile(t, component)));
    });
  };
  fill(grid_.life, 0, "life");
  fill(projection_.potential(), 0, "potential");
  for (int c = 0; c < 3; ++c) fill(grid_.velocity, c, "velocity." + std::to_string(c));
  for (const Material& m : materials_) fill(m.value, 0, "material." + m.name);
  if (damped_) fill(damped_->damped(), 0, "damped_energy");
  boundary_stale_ = true;
}

}  // namespace ymir
