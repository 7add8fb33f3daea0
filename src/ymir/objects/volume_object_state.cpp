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

template <class T>
T value_of(ChannelId<T>);

template <class T>
bool set_tiles(DiscreteVolume& volume, ChannelId<T> id, int component, const Array& from) {
  const std::size_t values = volume.channel(id.index).tile_values();
  if (from.count() != values * static_cast<std::size_t>(volume.buckets().local_count())) return false;
  auto out = read_write(volume, id);
  for_each_bucket(volume.buckets(), out, [&](int t) {
    std::copy_n(from.as<T>().data() + static_cast<std::size_t>(t) * values, values, out.tile(t, component));
  });
  return true;
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

std::vector<int> VolumeObject::shown_tiles() const {
  std::vector<int> tiles;
  for (int t = 0; t < grid_.volume().buckets().local_count(); ++t)
    if (grid_.holds_gas(t) && (materials_.empty() || !material_in(t).empty())) tiles.push_back(t);
  return tiles;
}

Array VolumeObject::centred_velocity(const std::vector<int>& tiles) const {
  const DiscreteVolume& volume = grid_.volume();
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
  return Array::of(velocity);
}

std::vector<Channel> VolumeObject::list(VolumeObject* gas) {
  using enum Place;
  std::vector<Channel> all;
  // Tiles that are shown, found when the first channel is read.
  const auto found = std::make_shared<std::optional<std::vector<int>>>();
  const auto tiles = [=]() -> const std::vector<int>& {
    if (!*found) *found = gas->shown_tiles();
    return **found;
  };
  const auto add = [&](ChannelInfo info, std::function<Array()> read) {
    all.push_back({std::move(info), std::move(read), {}, {}});
  };
  add(described<Vec3i>("bucket", tile, "", "Coordinates of the cube of voxels.", Use::shown), [=] {
    std::vector<Vec3i> buckets;
    for (const int t : tiles()) {
      const BucketCoord b = gas->grid_.volume().buckets().coord(t);
      buckets.emplace_back(b.x, b.y, b.z);
    }
    return Array::of(buckets);
  });
  add(described<Vec3f>("velocity", voxel, "m/s", "At the centre.", Use::shown), [=] {
    // Upper faces of a tile are lower ones of the next, which another rank may own: all ranks read this together.
    DiscreteVolume& volume = gas->grid_.volume();
    volume.begin_exchange(gas->shown_velocity().index, Stencil::faces);
    volume.end_exchange(gas->shown_velocity().index);
    return gas->centred_velocity(tiles());
  });

  // `get` finds the channel of the grid.
  const auto keep = [&]<class Get>(const std::string& name, Place place, const char* unit, const char* doc, Get get,
                                   int component = 0) {
    using T = decltype(value_of(get()));
    all.push_back({described<T>(name, place, unit, doc, Use::kept),
                   [=] { return all_tiles(gas->grid_.volume(), get(), component); },
                   [=](const Array& from) { return set_tiles(gas->grid_.volume(), get(), component, from); },
                   {}});
  };
  add(described<std::uint64_t>("key", tile, "", "Where the cube of voxels is, on the Morton curve.", Use::kept), [=] {
    const auto keys = gas->grid_.volume().buckets().local_keys();
    return Array::of(std::vector<std::uint64_t>(keys.begin(), keys.end()));
  });
  keep("life", tile, "", "Substeps that it is kept for, 64 times.", [=] { return gas->grid_.life; });
  keep("potential", voxel, "m^2/s", "Guess for the next pressure.", [=] { return gas->projection_.potential(); });
  for (int c = 0; c < 3; ++c)
    keep(
        "velocity." + std::to_string(c), voxel_face, "m/s", "Component along that axis.",
        [=] { return gas->grid_.velocity; }, c);
  const auto add_material = [&](const std::string& name, const char* unit, const char* doc, auto get) {
    add(described<float>(name, voxel, unit, doc, Use::shown),
        [=] { return gathered(gas->grid_.volume(), tiles(), get(), 0); });
    keep("material." + name, voxel, unit, doc, get);
  };
  std::vector<std::string> materials{"density", "temperature", "<name>"};
  if (gas != nullptr) {
    materials.clear();
    for (const Material& m : gas->materials_) materials.push_back(m.name);
  }
  for (std::size_t k = 0; k < materials.size(); ++k) {
    const bool heat = materials[k] == "temperature";
    const char* doc = heat                        ? "Where something heats or cools the gas."
                      : materials[k] == "density" ? "Smoke, as a share of 1, where something makes it."
                                                  : "What an emitter makes under that name.";
    add_material(materials[k], heat ? "K" : "", doc, [=] { return gas->materials_[k].value; });
  }
  if (gas == nullptr || gas->damped_)
    keep("damped_energy", voxel, "m^2/s^2", "That the last advection smoothed away, where someone asks for it.",
         [=] { return gas->damped_->damped(); });
  return all;
}

ObjectState VolumeObject::frame_state() const {
  ObjectState state = Object::frame_state();
  state.attributes["bucket_size"] = grid_.domain().bucket_size();
  for (const auto& [name, values] : state.channels)
    if (values.place == Place::voxel) state.attributes[name + ".resolution"] = std::int64_t{n};
  return state;
}

ObjectState VolumeObject::checkpoint() const {
  ObjectState state = Object::checkpoint();
  // Keys are in voxels: a changed setup must not take them for others.
  state.attributes["layout"] = static_cast<std::int64_t>(hash_bits(grid_.voxel()));
  return state;
}

void VolumeObject::restore(const ObjectState* whole) {
  DiscreteVolume& volume = grid_.volume();
  if (whole != nullptr) expect_kept(*whole);
  const auto values = [&](const std::string& name) {
    Bytes bytes;
    if (whole != nullptr) bytes = whole->channels.find(name)->second.bytes();
    grid_.domain().communicator().broadcast(bytes);
    return bytes;
  };
  const std::vector<BucketKey> keys = from_bytes<BucketKey>(values("key"));
  volume.set_buckets(keys);
  KeyIndex index;
  index.assign(keys);
  for (const Channel& channel : channels()) {
    if (!channel.kept || channel.name == "key") continue;
    const Bytes bytes = values(channel.name);
    const std::size_t tile = keys.empty() ? 0 : bytes.size() / keys.size();
    Array own(channel.type, channel.components, 0);
    for (int t = 0; t < volume.buckets().local_count(); ++t) {
      const auto from = bytes.begin() + index.find(volume.buckets().key(t)) * static_cast<std::ptrdiff_t>(tile);
      own.bytes().insert(own.bytes().end(), from, from + static_cast<std::ptrdiff_t>(tile));
    }
    if (bytes.size() != keys.size() * tile || !channel.write(own))
      throw Error(ExitCode::bad_input,
                  "the checkpoint of " + path() + " does not fit this setup; start again in another folder");
  }
  boundary_stale_ = true;
}

}  // namespace ymir
