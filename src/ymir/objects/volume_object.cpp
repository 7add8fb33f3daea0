#include "ymir/objects/volume_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ymir/base/error.h"
#include "ymir/base/log.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;
// Ranks are balanced again when the busiest has this much more than the mean.
constexpr double tolerated_imbalance = 1.15;
// Bytes of the pressure solver per voxel, besides the channels of the volume: vectors and coarser levels.
constexpr double solver_bytes = 60;
// Gas is simulated at most so many voxels ahead of material that moves, or `padding` where that is more.
constexpr int most_reach = 64;
// Forces between gas and objects that are farther from their law than this, relative, count as not converged.
constexpr double tolerated_mismatch = 0.5;
// A closed room whose contents would have to shrink or grow faster than this is worth a word [1/s].
constexpr double tolerated_squeeze = 0.01;

template <class T>
void fill_faces(DiscreteVolume& volume, ChannelId<T> id, T value) {
  auto out = write(volume, id);
  for_each_bucket(volume.buckets(), out, [&](int t) {
    for (int c = 0; c < 3; ++c) std::fill_n(out.tile(t, c), GasGrid::voxels, value);
  });
}

}  // namespace

VolumeObject::VolumeObject(std::string path, int group, const Description& description, Communicator& communicator)
    : Object(std::move(path), group),
      description_(description),
      grid_(description.voxel, communicator),
      projection_(grid_),
      advection_(grid_.volume(), grid_.cell),
      extrapolation_(grid_.volume(), grid_.open, grid_.cell) {
  const ChannelOptions<float> faces{n, Sampling::face, 0.0f, 3, true};
  next_velocity_ = grid_.volume().add_channel<float>("next_velocity", faces);
  acceleration_ = grid_.volume().add_channel<float>("acceleration", faces);
  if (description.reflection) reflected_ = grid_.volume().add_channel<float>("reflected", faces);
  if (description.box) boundary_.set_box(*description.box);
}

ChannelId<float> VolumeObject::material(const std::string& name) { return material(name, true); }

std::vector<std::string> VolumeObject::made_materials() const {
  std::vector<std::string> names{"density", "temperature"};
  for (const Material& m : materials_)
    if (m.made && std::find(names.begin(), names.end(), m.name) == names.end()) names.push_back(m.name);
  return names;
}

ChannelId<float> VolumeObject::damped_energy() {
  if (!damped_) damped_ = std::make_unique<DampedEnergy>(grid_);
  return damped_->damped();
}

ChannelId<float> VolumeObject::material(const std::string& name, bool made) {
  for (Material& m : materials_)
    if (m.name == name) {
      m.made = m.made || made;
      return m.value;
    }
  const auto value = static_cast<float>(ambient(name));
  materials_.push_back({name, grid_.volume().add_channel<float>(name, {n, Sampling::cell, value}),
                        grid_.volume().add_channel<float>("next_" + name, {n, Sampling::cell, value, 1, true}),
                        ambient(name), made});
  return materials_.back().value;
}

ChannelId<float> VolumeObject::volume_source() {
  if (!source_.valid()) {
    source_ = grid_.volume().add_channel<float>("source", {n, Sampling::cell, 0.0f, 1, true});
    projection_.set_source(source_);
  }
  return source_;
}

void VolumeObject::add_coupling(std::unique_ptr<GasCoupling> coupling) {
  if (!start_.valid()) start_ = grid_.volume().add_channel<float>("start", {n, Sampling::face, 0.0f, 3, true});
  couplings_.push_back(std::move(coupling));
}

void VolumeObject::set_viscosity(double mu, const DiffusionOptions& options) {
  if (!viscosity_.solver) viscosity_.solver = std::make_unique<Viscosity>(grid_);
  viscosity_.mu = mu;
  viscosity_.options = options;
}

const Porous& VolumeObject::porous() {
  if (!porous_) {
    const auto faces = [&](const char* name, float outside) {
      return grid_.volume().add_channel<float>(name, {n, Sampling::face, outside, 3, true});
    };
    porous_ = Porous{faces("pores", 1), faces("object_flow", 0), faces("object_mobility", 0),
                     [this](ChannelId<double> slope, ChannelId<double> flow) {
                       for (const auto& coupling : couplings_) coupling->give_way(slope, flow);
                     }};
    projection_.set_porous(*porous_);
    room_ = grid_.volume().add_channel<double>("object_share", {n, Sampling::face, 0.0, 3, true});
    air_ = grid_.volume().add_channel<float>("air", {n, Sampling::face, 0.0f, 3, true});
  }
  return *porous_;
}

const Dressing* VolumeObject::dressing(const ForceTarget* target) const {
  const auto found =
      std::find_if(dressings_.begin(), dressings_.end(), [&](const auto& d) { return d.first == target; });
  return found != dressings_.end() ? found->second : nullptr;
}

int VolumeObject::passes() const {
  int most = 1;
  for (const auto& coupling : couplings_) most = std::max(most, coupling->passes());
  return most;
}

bool VolumeObject::has_material(const std::string& name) const {
  return std::any_of(materials_.begin(), materials_.end(), [&](const Material& m) { return m.name == name; });
}

double VolumeObject::bytes_per_voxel() const {
  return static_cast<double>(grid_.volume().bytes_for(1) - grid_.volume().bytes_for(0)) / GasGrid::voxels +
         solver_bytes;
}

void VolumeObject::schedule(Timeline& timeline) {
  const auto own = [&](Stage stage, std::string what, std::vector<std::string> reads, std::vector<std::string> writes,
                       std::function<void(const Step&)> run) {
    timeline.add(
        {stage, group(), Role::object, path(), std::move(what), std::move(reads), std::move(writes), std::move(run)});
  };
  const auto action = [&](Stage stage, const std::string& owner, const std::string& what,
                          std::vector<std::string> writes) {
    timeline.add({stage, group(), Role::action, owner, what + " on " + path(), {}, std::move(writes), {}});
  };
  own(Stage::ingest, "tiles, solids and material at the beginning", {}, {"*"}, [this](const Step& step) {
    fit_tiles(step);
    balance();
    fit_boundary(step);
    blow(step);
    emit(step);
  });
  own(Stage::substep_begin, "tiles where gas is needed", {"*"}, {"*"}, [this](const Step& step) { fit_tiles(step); });
  own(Stage::boundary_motion, "solids on the grid", {}, {"open", "solid_velocity", "cell"},
      [this](const Step& step) { fit_boundary(step); });
  if (source_.valid()) own(Stage::boundary_motion, "inflow", {}, {"source"}, [this](const Step& step) { feed(step); });
  if (!winds_.empty())
    own(Stage::boundary_motion, "wind at the rim", {}, {"velocity"}, [this](const Step& step) { blow(step); });
  for (const GasWind& wind : winds_) action(Stage::boundary_motion, wind.owner, wind.what, {"velocity"});
  for (const auto& coupling : couplings_) coupling->begin();
  if (porous_)
    own(Stage::detection, "room that objects take", {}, {"pores", "object_mobility"},
        [this](const Step& step) { make_room(step); });
  for (const auto& coupling : couplings_)
    timeline.add({Stage::solid_forces,
                  group(),
                  Role::action,
                  coupling->owner(),
                  coupling->what() + " from " + path(),
                  {"velocity"},
                  {"force"},
                  [&c = *coupling](const Step& step) { c.prepare(step); }});
  for (const auto& coupling : couplings_)
    action(Stage::fluid_forces, coupling->owner(), coupling->what(), {"velocity"});
  for (const GasForce& force : forces_) action(Stage::fluid_forces, force.owner, force.what, {"acceleration"});
  own(Stage::fluid_forces, "accelerate the gas", {"velocity", "acceleration"}, {"velocity"},
      [this](const Step& step) { apply_forces(step); });
  if (viscosity_.solver)
    own(Stage::viscosity, "implicit viscosity", {"velocity", "open", "solid_velocity", "cell"}, {"velocity"},
        [this](const Step& step) { apply_viscosity(step); });
  if (pressure_.enabled)
    own(Stage::pressure, "projection, multigrid", {"velocity", "open", "solid_velocity"}, {"velocity", "potential"},
        [this](const Step& step) { project(step); });
  own(Stage::advection, description_.reflection ? "advection-reflection" : "advection", {"velocity"}, {"*"},
      [this](const Step& step) { advect(step); });
  for (const GasOperator& op : operators_) action(Stage::emission, op.owner, op.what, {});
  for (const GasSource& source : sources_) action(Stage::emission, source.owner, source.what, {});
  if (!operators_.empty() || !sources_.empty())
    own(Stage::emission, "what changes and enters", {}, {"*"}, [this](const Step& step) { emit(step); });
  // Not between the last substep and the frame, which shows a velocity that is no state and does not move along.
  own(Stage::frame_begin, "tiles are shared among ranks", {}, {"*"}, [this](const Step&) { balance(); });
  own(Stage::frame_end, "velocity of neighbouring tiles for the frame", {"velocity"}, {}, [this](const Step&) {
    grid_.volume().begin_exchange(shown_velocity().index, Stencil::faces);
    grid_.volume().end_exchange(shown_velocity().index);
  });
}

// --- tiles

double VolumeObject::largest_speed() const {
  const DiscreteVolume& volume = grid_.volume();
  const double local = ordered_reduce(
      volume.buckets().local_count(), 0.0,
      [&](std::ptrdiff_t t) {
        float most[n] = {};  // in lanes
        for (int c = 0; c < 3; ++c) {
          const float* u = volume.tiles(grid_.velocity, c) + t * GasGrid::voxels;
          for (int i = 0; i < GasGrid::voxels; ++i) most[i % n] = std::max(most[i % n], std::abs(u[i]));
        }
        return static_cast<double>(*std::max_element(most, most + n));
      },
      [](double a, double b) { return std::max(a, b); });
  return grid_.domain().communicator().max(local);
}

// Gas reaches as far as it moves in a substep, and interpolation a voxel or two farther.
VolumeObject::Reach VolumeObject::reach_of_material(const Step& step) const {
  const DiscreteVolume& volume = grid_.volume();
  Communicator& communicator = grid_.domain().communicator();
  const Vec3d gust = mean_wind(step.time + step.dt) - mean_wind(step.time);
  const int most = std::max(most_reach, static_cast<int>(std::lround(description_.padding * n)));
  const auto voxels = [&](double speed) {
    const double moves = std::max(speed, 0.0) * step.dt / description_.voxel;
    return moves < most ? std::min(static_cast<int>(std::ceil(moves)) + 2, most) : most;
  };
  Reach reach{};
  for (int c = 0; c < 3; ++c) {
    struct Range {
      float low, high;
    };
    const Range local = ordered_reduce(
        volume.buckets().local_count(), Range{0, 0},
        [&](std::ptrdiff_t t) {
          const float* u = volume.tiles(grid_.velocity, c) + t * GasGrid::voxels;
          float low[n] = {}, high[n] = {};  // in lanes
          for (int i = 0; i < GasGrid::voxels; ++i) {
            low[i % n] = std::min(low[i % n], u[i]);
            high[i % n] = std::max(high[i % n], u[i]);
          }
          return Range{*std::min_element(low, low + n), *std::max_element(high, high + n)};
        },
        [](Range a, Range b) {
          return Range{std::min(a.low, b.low), std::max(a.high, b.high)};
        });
    const double down = communicator.max(-static_cast<double>(local.low)) + std::max(-gust[c], 0.0);
    const double up = communicator.max(static_cast<double>(local.high)) + std::max(gust[c], 0.0);
    reach.low[c] = voxels(down);
    reach.high[c] = voxels(up);
    reach.speed = std::max({reach.speed, down, up});
  }
  return reach;
}

void VolumeObject::warn_of_short_padding(const Step& step, double speed) const {
  if (said_padding_) return;
  const double voxels = speed * step.dt / description_.voxel;
  const int padding = static_cast<int>(std::lround(description_.padding * n));
  const bool outruns = !materials_.empty() && voxels > std::max(most_reach, padding);
  const bool passes = !around_.empty() && voxels > padding;
  if (!outruns && !passes) return;
  said_padding_ = true;
  if (!grid_.domain().communicator().root()) return;
  log::warn(fmt::format(
      "{}: gas at {:.3g} m/s crosses {:.0f} voxels in a substep, more than the {} simulated around {}; {}; use more "
      "substeps, larger voxels or more `padding:`",
      path(), speed, voxels, outruns ? std::max(most_reach, padding) : padding,
      outruns ? "what it carries" : "the objects of `around:`",
      outruns ? "material that goes farther is lost" : "beyond it, gas forgets what they did to it"));
}

double VolumeObject::step_limit() const {
  const double speed = largest_speed();
  return speed > 0 ? description_.courant_number * description_.voxel / speed : std::numeric_limits<double>::infinity();
}

VolumeObject::Extent VolumeObject::material_in(int tile) const {
  std::uint8_t with_material[GasGrid::voxels] = {};
  for (const Material& m : materials_) {
    const float* values = grid_.volume().tiles(m.value) + static_cast<std::ptrdiff_t>(tile) * GasGrid::voxels;
    const auto ambient = static_cast<float>(m.ambient);
    const auto threshold = static_cast<float>(description_.threshold * std::max(1.0, std::abs(m.ambient)));
    for (int i = 0; i < GasGrid::voxels; ++i)
      with_material[i] = static_cast<std::uint8_t>(with_material[i] | (std::abs(values[i] - ambient) > threshold));
  }
  Extent extent;
  for (int i = 0; i < GasGrid::voxels; ++i)
    if (with_material[i] != 0) {
      const Vec3i v{i % n, i / n % n, i / (n * n)};
      extent.low = cwise_min(extent.low, v);
      extent.high = cwise_max(extent.high, v);
    }
  return extent;
}

std::vector<BucketKey> VolumeObject::wanted_tiles(const Step& step) const {
  const GridDomain& domain = grid_.domain();
  const double h = description_.voxel;
  // A tile that the box only touches is not in it.
  Box limits{Vec3d{1, 1, 1} * -1e300, Vec3d{1, 1, 1} * 1e300};
  if (description_.box) limits = description_.box->box;
  limits.low += Vec3d{1, 1, 1} * (1e-6 * h);
  limits.high -= Vec3d{1, 1, 1} * (1e-6 * h);
  if (description_.everywhere) return tiles_in(domain, limits);

  // Whole tiles of padding are added to tiles at the end, the rest to what there is.
  const int padding = static_cast<int>(std::lround(description_.padding * n));
  const int layers = padding / n, voxels = padding % n;
  std::vector<BucketKey> keys;
  const auto add = [&](const BucketCoord& at, Vec3i low, Vec3i high) {
    const auto tile = [](int voxel) { return voxel >= 0 ? voxel / n : -((n - 1 - voxel) / n); };
    for (int z = tile(low.z); z <= tile(high.z); ++z)
      for (int y = tile(low.y); y <= tile(high.y); ++y)
        for (int x = tile(low.x); x <= tile(high.x); ++x) {
          const BucketCoord beside = offset(at, x, y, z);
          if (addressable(beside)) keys.push_back(key_of(beside));
        }
  };
  const int count = grid_.volume().buckets().local_count();
  std::vector<Extent> extents(static_cast<std::size_t>(count));
  parallel_for(count, [&](std::ptrdiff_t t) {
    if (grid_.holds_gas(static_cast<int>(t))) extents[static_cast<std::size_t>(t)] = material_in(static_cast<int>(t));
  });
  // Ahead of moving material there is gas as far as it goes, where that is farther.
  const Reach reach = reach_of_material(step);
  warn_of_short_padding(step, reach.speed);
  const Vec3i whole = Vec3i{1, 1, 1} * (layers * n), part = Vec3i{1, 1, 1} * voxels;
  const Vec3i below = cwise_max(part, reach.low - whole), above = cwise_max(part, reach.high - whole);
  for (int t = 0; t < count; ++t)
    if (const Extent& extent = extents[static_cast<std::size_t>(t)]; !extent.empty())
      add(grid_.volume().buckets().coord(t), extent.low - below, extent.high + above);
  for (const GasSource& source : sources_) {
    Box box = source.bounds(step.time, step.time + step.dt);
    if (box.empty()) continue;
    const Vec3d margin = Vec3d{1, 1, 1} * (voxels * h);
    box = {cwise_max(box.low - margin, limits.low), cwise_min(box.high + margin, limits.high)};
    if (box.empty()) continue;
    const double farthest = bucket_reach * domain.bucket_size();
    for (int axis = 0; axis < 3; ++axis)
      if (!(box.low[axis] > -farthest && box.high[axis] < farthest))
        throw Error(
            ExitCode::bad_input,
            fmt::format("{}: lies farther from the origin than the {:.3g} m that voxels of {:g} m allow; use larger "
                        "voxels (`voxel:`), or move it nearer",
                        source.owner, farthest, h));
    const BucketCoord first = domain.bucket_of(box.low), last = domain.bucket_of(box.high);
    refuse_too_much((last.x - first.x + 1.0) * (last.y - first.y + 1.0) * (last.z - first.z + 1.0));
    if (!domain.communicator().root()) continue;  // one rank names them for all
    for (const BucketKey key : tiles_in(domain, box)) keys.push_back(key);
  }
  for (const ForceTarget* target : around_)
    target->visit_points([&](const PointBlock& block) {
      for (int i = 0; i < block.count; ++i) {
        if (!(block.mass[i] > 0)) continue;
        const BucketCoord tile = domain.bucket_of(block.position[i]);
        const Vec3d place = (block.position[i] - domain.low_corner(tile)) / h;
        Vec3i voxel;
        for (int axis = 0; axis < 3; ++axis) voxel[axis] = std::clamp(static_cast<int>(place[axis]), 0, n - 1);
        add(tile, voxel - part, voxel + part);
      }
    });
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  keys = dilated(std::move(keys), layers);
  std::erase_if(keys, [&](BucketKey key) {
    const Vec3d low = domain.low_corner(coord_of(key)), high = low + Vec3d{1, 1, 1} * domain.bucket_size();
    for (int axis = 0; axis < 3; ++axis)
      if (high[axis] < limits.low[axis] || low[axis] > limits.high[axis]) return true;
    return false;
  });
  return keys;
}

void VolumeObject::refuse_too_much(double tiles) const {
  if (description_.most_memory <= 0) return;
  const double bytes = tiles * GasGrid::voxels * bytes_per_voxel();
  if (bytes > description_.most_memory)
    throw Error(
        ExitCode::bad_input,
        fmt::format("{}: {:.1f} million voxels need about {:.1f} GB, more than the {:.1f} GB allowed; use larger "
                    "voxels (`voxel:`), a smaller `domain:`, less `padding:`, or raise `memory:`",
                    path(), bytes / bytes_per_voxel() * 1e-6, bytes * 1e-9, description_.most_memory * 1e-9));
}

void VolumeObject::fit_tiles(const Step& step) {
  substep_ = {};
  dt_ = step.dt;
  projected_shown_ = false;
  set_air_around(step);
  const std::vector<BucketKey> wanted = wanted_tiles(step);
  const auto mine = static_cast<std::int64_t>(wanted.size());  // each rank names all of a filled box, or what it has
  refuse_too_much(static_cast<double>(description_.everywhere ? mine : grid_.domain().communicator().sum(mine)));
  const auto behind_wall = [&](BucketCoord tile) { return boundary_.behind_wall(grid_.domain(), tile); };
  if (grid_.set_wanted(wanted, behind_wall)) boundary_stale_ = true;
}

void VolumeObject::fit_boundary(const Step& step) {
  if (!boundary_stale_ && !boundary_.moving()) return;
  boundary_.update(grid_, step.time + step.dt, step.dt);
  advection_.set_sheets(grid_.sheets);
  extrapolation_.set_sheets(grid_.sheets);
  projection_.boundary_changed();
  if (viscosity_.solver) viscosity_.solver->boundary_changed(boundary_, step.time + step.dt, step.dt);
  ++boundary_version_;
  boundary_stale_ = false;
}

void VolumeObject::feed(const Step& step) {
  auto zero = write(grid_.volume(), source_);
  for_each_bucket(grid_.volume().buckets(), zero, [&](int t) { std::fill_n(zero.tile(t), GasGrid::voxels, 0.0f); });
  for (const GasSource& source : sources_)
    if (source.feed) source.feed(step);
}

// --- objects in it

void VolumeObject::make_room(const Step& step) {
  DiscreteVolume& volume = grid_.volume();
  carried_ = false;
  for (const auto& coupling : couplings_) carried_ = coupling->collect(step) || carried_;
  if (carried_) {
    fill_faces(volume, room_, 0.0);
    for (const auto& coupling : couplings_) coupling->take_room(room_);
  }
  fill_faces(volume, porous_->pores, 1.0f);
  fill_faces(volume, porous_->mobility, 0.0f);
  for (const auto& coupling : couplings_) coupling->dress(carried_ ? room_ : ChannelId<double>{});
  if (!carried_) return;
  fill_faces(volume, room_, 0.0);
  for (const auto& coupling : couplings_) coupling->take_carried_room(room_);
}

// e u = kappa A + the flow of what is carried, e = kappa + its share.
ChannelId<float> VolumeObject::air() {
  if (!carried_) return grid_.velocity;
  DiscreteVolume& volume = grid_.volume();
  const ChannelId<double> carried = projection_.porous()->slope();  // free until the pressure is solved
  fill_faces(volume, carried, 0.0);
  for (const auto& coupling : couplings_) coupling->carry(grid_.velocity, carried);
  auto moves = read(volume, carried);
  auto room = read(volume, room_);
  auto pores = read(volume, porous_->pores);
  auto u = read(volume, grid_.velocity);
  auto out = write(volume, air_);
  for_each_bucket(volume.buckets(), moves, room, pores, u, out, [&](int t) {
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < GasGrid::voxels; ++i) {
        const auto kappa = static_cast<double>(pores.tile(t, c)[i]), a = static_cast<double>(u.tile(t, c)[i]);
        out.tile(t, c)[i] = static_cast<float>((kappa * a + moves.tile(t, c)[i]) / (kappa + room.tile(t, c)[i]));
      }
  });
  volume.set_background(air_.index, volume.channel(grid_.velocity.index).background);
  return air_;
}

void VolumeObject::balance() {
  GridDomain& domain = grid_.domain();
  if (domain.communicator().size() == 1) return;
  const std::vector<BucketKey> keys = grid_.gas_keys();
  if (domain.imbalance(static_cast<double>(keys.size())) <= tolerated_imbalance) return;
  domain.rebalance(keys, std::vector<double>(keys.size(), 1.0));
  grid_.volume().migrate();
  boundary_stale_ = true;
}

// --- motion

Vec3d VolumeObject::mean_wind(double time) const {
  Vec3d mean{0, 0, 0};
  for (const GasWind& wind : winds_) mean += wind.mean(time);
  return mean;
}

void VolumeObject::set_air_around(const Step& step) {
  const Vec3d mean = mean_wind(step.time + step.dt);
  for (const ChannelId<float> velocity : {grid_.velocity, next_velocity_, reflected_})
    if (velocity.valid()) grid_.volume().set_background(velocity.index, {mean.x, mean.y, mean.z});
  if (damped_) damped_->set_air_around(0.5 * dot(mean, mean));
}

void VolumeObject::blow(const Step& step) {
  if (winds_.empty()) return;
  DiscreteVolume& volume = grid_.volume();
  // A gust accelerates all air, by a pressure that falls over lengths far beyond this gas.
  const Vec3d change = gust(step);
  auto life = read(volume, grid_.life, Stencil::box);
  auto u = read_write(volume, grid_.velocity);
  for_each_bucket(volume.buckets(), life, u, [&](int t) {
    if (life.tile(t)[0] == 0) return;
    // The outermost layer of tiles follows the wind, and so do new ones; not those that only meet a wall.
    bool rim = life.tile(t)[0] == GasGrid::newborn;
    for (int dir = 0; dir < 27 && !rim; ++dir) {
      const Vec3i d = offset_of(dir);
      const int beside = volume.buckets().neighbours(t)[static_cast<std::size_t>(dir)];
      rim = life.tile(beside)[0] == 0 &&
            !boundary_.behind_wall(grid_.domain(), offset(volume.buckets().coord(t), d.x, d.y, d.z));
    }
    if (!rim) {
      for (int axis = 0; axis < 3; ++axis)
        for (int i = 0; i < GasGrid::voxels; ++i) u.tile(t, axis)[i] += static_cast<float>(change[axis]);
      return;
    }
    double x[3][GasGrid::voxels], out[3][GasGrid::voxels], sum[GasGrid::voxels];
    for (int axis = 0; axis < 3; ++axis) {
      for (int i = 0; i < GasGrid::voxels; ++i) {
        const Vec3d p = grid_.face_position(t, {i % n, i / n % n, i / (n * n)}, axis);
        for (int k = 0; k < 3; ++k) x[k][i] = p[k];
      }
      std::fill_n(sum, GasGrid::voxels, 0.0);
      for (const GasWind& wind : winds_) {
        wind.sample(GasGrid::voxels, {x[0], x[1], x[2]}, step.time + step.dt, {out[0], out[1], out[2]});
        for (int i = 0; i < GasGrid::voxels; ++i) sum[i] += out[axis][i];
      }
      for (int i = 0; i < GasGrid::voxels; ++i) u.tile(t, axis)[i] = static_cast<float>(sum[i]);
    }
  });
}

void VolumeObject::add_scaled(ChannelId<float> to, ChannelId<float> what, double factor) {
  DiscreteVolume& volume = grid_.volume();
  const auto scale = static_cast<float>(factor);
  auto out = read_write(volume, to);
  auto in = read(volume, what);
  for_each_bucket(volume.buckets(), out, in, [&](int t) {
    for (int c = 0; c < 3; ++c) {
      float* u = out.tile(t, c);
      const float* a = in.tile(t, c);
      for (int i = 0; i < GasGrid::voxels; ++i) u[i] += scale * a[i];
    }
  });
}

void VolumeObject::copy_faces(ChannelId<float> from, ChannelId<float> to) {
  auto in = read(grid_.volume(), from);
  auto out = write(grid_.volume(), to);
  for_each_bucket(grid_.volume().buckets(), in, out, [&](int t) {
    for (int c = 0; c < 3; ++c) std::copy_n(in.tile(t, c), GasGrid::voxels, out.tile(t, c));
  });
}

void VolumeObject::apply_forces(const Step& step) {
  // Solids have to see what they did to the gas.
  if (step.iteration == 0 || report_.status != SolveReport::Status::failed)
    report_.status = step.iteration + 1 < passes() ? SolveReport::Status::iterating : SolveReport::Status::converged;
  if (step.iteration == 0 && !forces_.empty()) {
    fill_faces(grid_.volume(), acceleration_, 0.0f);
    for (const GasForce& force : forces_) force.accumulate(step, acceleration_);
    add_scaled(grid_.velocity, acceleration_, description_.reflection ? 0.5 * step.dt : step.dt);
  }
  if (!advancing(step))
    for (const auto& coupling : couplings_) coupling->finish(step, grid_.velocity);
  if (couplings_.empty() || !advancing(step)) return;
  if (step.iteration == 0)
    copy_faces(grid_.velocity, start_);
  else
    copy_faces(start_, grid_.velocity);
  if (porous_) fill_faces(grid_.volume(), porous_->flow, 0.0f);
  for (const auto& coupling : couplings_) coupling->occupy(step);
  for (const auto& coupling : couplings_) coupling->react(step, grid_.velocity);
}

void VolumeObject::apply_viscosity(const Step& step) {
  if (!advancing(step)) return;
  DiffusionReport& report = viscosity_.report;
  report = viscosity_.solver->apply(grid_.velocity, viscosity_.mu / description_.density * step.dt, viscosity_.options);
  note_solve("viscosity", report.iterations, report.converged, report.residual);
  log::debug(
      fmt::format("{}: viscosity after {} iterations, residual {:.2g}", path(), report.iterations, report.residual));
  if (report.converged) return;
  report_.status = SolveReport::Status::failed;
  report_.iterations = report.iterations;
  report_.residual = report.residual;
  report_.worst_object = path() + ", viscosity";
}

void VolumeObject::note_solve(std::string_view what, int iterations, bool converged, double residual) {
  if (!grid_.domain().communicator().root()) return;  // solves are of all ranks
  ++substep_.solves;
  substep_.iterations += iterations;
  if (!converged) {
    ++substep_.unconverged;
    if (substep_.worst.empty() || residual > substep_.residual) substep_.worst = what;
  }
  substep_.residual = std::max(substep_.residual, residual);
}

ObjectReport VolumeObject::report() const {
  ObjectReport report = substep_;
  report.speed = largest_speed();
  report.courant = report.speed * dt_ / description_.voxel;
  return report;
}

ProjectionReport VolumeObject::projected(ChannelId<float> velocity, double dt, std::string_view what) {
  const ProjectionReport report = projection_.project(velocity, dt, pressure_.options);
  log::debug(fmt::format("{}: {} after {} iterations{}, residual {:.2g}, volume error {:.2g}", path(),
                         report.solve.solver, report.solve.iterations,
                         report.compliant > 0 ? fmt::format(" in {} with light objects", report.compliant) : "",
                         report.solve.residual, report.divergence));
  note_solve(what, report.solve.iterations, report.solve.converged, report.solve.residual);
  // Share of its volume that a closed room would have to take in or give away per time [1/s].
  const double squeeze = report.solve.removed / (description_.voxel * description_.voxel);
  if (squeeze > tolerated_squeeze) {
    note_solve("gas that cannot leave a closed room", 0, false, squeeze * dt);
    if (!said_sealed_ && grid_.domain().communicator().root())
      log::warn(fmt::format(
          "{}: {} a closed room by {:.3g} % of its volume per second, which nothing can leave; the rest of the room "
          "takes it: open a side (`domain:`), or {}",
          path(), source_.valid() ? "emitters fill" : "moving walls squeeze or widen", 100 * squeeze,
          source_.valid() ? "leave out `flow:`" : "let the walls keep the room's volume"));
    said_sealed_ = true;
  }
  return report;
}

void VolumeObject::project(const Step& step) {
  if (!advancing(step)) return;
  for (const auto& coupling : couplings_) coupling->let_through(grid_.velocity);
  projected_ = projected(grid_.velocity, step.dt, "pressure");
  if (viscosity_.solver && !viscosity_.report.converged) return;  // reported already
  report_.iterations = projected_.solve.iterations;
  report_.residual = projected_.solve.residual;
  if (porous_)
    for (const auto& coupling : couplings_) coupling->feel_pressure(step, projection_.porous()->slope());
  if (!projected_.solve.converged) report_.status = SolveReport::Status::failed;
  report_.worst_object = path() + ", pressure";
  if (projected_.solve.finite) return;
  const Vec3d place = grid_.domain().low_corner(projected_.solve.not_finite);
  report_.residual = std::numeric_limits<double>::infinity();
  report_.worst_object +=
      fmt::format(" (the velocity near [{:.3g}, {:.3g}, {:.3g}] m is not finite)", place.x, place.y, place.z);
}

void VolumeObject::extend(ChannelId<float> velocity) {
  if (boundary_.empty()) return;
  const bool no_slip = boundary_.has(Wall::no_slip);
  extrapolation_.extend(velocity, {3, 0.1f, no_slip && !viscosity_.solver});
  if (no_slip && viscosity_.solver) viscosity_.solver->extend(velocity);
}

void VolumeObject::advect(const Step& step) {
  for (const auto& coupling : couplings_)
    if (const auto off = coupling->mismatch())
      note_solve(coupling->what(), coupling->passes(), *off <= tolerated_mismatch, *off);
  extend(grid_.velocity);
  if (damped_) damped_->begin(grid_.velocity);
  if (description_.reflection) {
    reflect(step);
  } else {
    std::vector<Transported> fields = cell_fields();
    fields.push_back({grid_.velocity, next_velocity_});
    advection_.advect(grid_.velocity, fields, step.dt, description_.advection);
    for (const Material& m : materials_) grid_.volume().swap_values(m.value, m.next);
  }
  grid_.volume().swap_values(grid_.velocity, next_velocity_);
  projected_shown_ = true;
  if (damped_) damped_->finish(grid_.velocity);
}

std::vector<Transported> VolumeObject::cell_fields() const {
  std::vector<Transported> fields;
  for (const Material& m : materials_) fields.push_back({m.value, m.next});
  if (damped_) fields.push_back(damped_->field());
  return fields;
}

// u is free of divergence here. ua = half a step from u; um its projection; then half a step of 2 um - ua along
// 2 um - u. [Narain2019; method notes C, 6]
void VolumeObject::reflect(const Step& step) {
  DiscreteVolume& volume = grid_.volume();
  const double half = 0.5 * step.dt;
  const Transported first[] = {{grid_.velocity, next_velocity_}};
  advection_.advect(grid_.velocity, first, half, description_.advection);
  if (!forces_.empty()) add_scaled(next_velocity_, acceleration_, half);
  copy_faces(next_velocity_, reflected_);
  if (pressure_.enabled) projected_ = projected(next_velocity_, step.dt, "second projection of reflection");
  extend(next_velocity_);
  const std::vector<Transported> fields = cell_fields();
  if (!fields.empty()) advection_.advect(next_velocity_, fields, step.dt, description_.advection);
  for (const Material& m : materials_) volume.swap_values(m.value, m.next);
  {
    auto middle = read(volume, next_velocity_);
    auto ur = read_write(volume, reflected_);
    auto along = read_write(volume, grid_.velocity);
    for_each_bucket(volume.buckets(), middle, ur, along, [&](int t) {
      for (int c = 0; c < 3; ++c) {
        const float* m = middle.tile(t, c);
        float *r = ur.tile(t, c), *a = along.tile(t, c);
        for (int i = 0; i < GasGrid::voxels; ++i) {
          r[i] = 2 * m[i] - r[i];
          a[i] = 2 * m[i] - a[i];
        }
      }
    });
  }
  const Transported second[] = {{reflected_, next_velocity_}};
  advection_.advect(grid_.velocity, second, half, description_.advection);
}

void VolumeObject::emit(const Step& step) {
  for (const GasOperator& op : operators_) op.apply(step);
  for (const GasSource& source : sources_) source.emit(step);
}

}  // namespace ymir
