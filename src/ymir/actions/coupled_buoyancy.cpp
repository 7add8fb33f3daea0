#include "ymir/actions/coupled_buoyancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ymir/actions/gas_cloud.h"
#include "ymir/base/log.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;
constexpr double least_pores = 0.05;  // gas is left in every face, whatever fills it

class BuoyancyCoupling final : public GasCoupling {
 public:
  BuoyancyCoupling(VolumeObject& gas, const std::vector<ForceTarget*>& targets, std::string owner,
                   const CoupledBuoyancyParams& params)
      : gas_(&gas), owner_(std::move(owner)), params_(params), cloud_(gas, targets) {
    gas.porous();
    DiscreteVolume& volume = gas.grid().volume();
    const std::string prefix = "buoyancy" + std::to_string(volume.channel_count());
    const ChannelOptions<double> faces{n, Sampling::face, 0.0, 3, true};
    room_ = volume.add_channel<double>(prefix + "_room", faces);
    flow_ = volume.add_channel<double>(prefix + "_flow", faces);
    mobility_ = volume.add_channel<double>(prefix + "_mobility", faces);
    for (std::size_t t = 0; params.on_objects && t < targets.size(); ++t) {
      targets[t]->solve_every_iteration();
      PointForce force;
      force.owner = owner_;
      force.what = "coupled buoyancy";
      force.on_velocity = Dependence::linear;  // changes between passes, but not with the velocity
      force.accumulate = [this, t](const PointBlock& block, Planes<const Vec3d>::Type, const ForceBlock& out) {
        add_forces(cloud_, t, force_, block, out);
      };
      targets[t]->add_force(std::move(force));
    }
  }

  const std::string& owner() const override { return owner_; }
  std::string what() const override { return "coupled buoyancy"; }
  int passes() const override { return params_.on_objects ? 2 : 1; }

  void prepare(const Step& step) override {
    if (step.iteration > 0) return;
    cloud_.collect();
    lift();
  }

  void occupy(const Step&) override {
    cloud_.collect_velocities();
    const double h = gas_->grid().voxel(), cell = h * h * h, density = gas_->description().density;
    compliance_.assign(cloud_.size(), 0);
    const auto splat = [&](ChannelId<double> to, auto&& value_of) {
      at_points_.assign(cloud_.size(), {0, 0, 0});
      for (std::size_t i = 0; i < cloud_.size(); ++i)
        if (cloud_.takes_part(i)) at_points_[i] = value_of(i, cloud_.volume(i) / cell);
      clear(to);
      cloud_.points.splat(at_points_, to);
    };
    splat(room_, [&](std::size_t, double share) { return Vec3d{1, 1, 1} * share; });
    splat(flow_, [&](std::size_t i, double share) { return cloud_.velocity[i] * share; });
    splat(mobility_, [&](std::size_t i, double share) {
      if (params_.inertia) compliance_[i] = share * density * cloud_.volume(i) / cloud_.mass[i];  // times rho/rho_p
      return Vec3d{1, 1, 1} * compliance_[i];
    });
    fill_faces();
  }

  void react(const Step&, ChannelId<float>) override {}

  void give_way(ChannelId<double> slope, ChannelId<double> flow) override {
    if (!params_.inertia) return;
    sample(slope);
    for (std::size_t i = 0; i < cloud_.size(); ++i) at_points_[i] *= compliance_[i];
    if (!crowded_) {
      cloud_.points.splat(at_points_, flow);
      return;
    }
    clear(flow_);
    cloud_.points.splat(at_points_, flow_);
    DiscreteVolume& volume = gas_->grid().volume();
    auto fits = read(volume, room_);
    auto in = read(volume, flow_);
    auto out = read_write(volume, flow);
    for_each_bucket(volume.buckets(), fits, in, out, [&](int t) {
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < GasGrid::voxels; ++i) out.tile(t, c)[i] += fits.tile(t, c)[i] * in.tile(t, c)[i];
    });
  }

  // -V grad p = -V rho/dt grad q.
  void feel_pressure(const Step& step, ChannelId<double> slope) override {
    sample(slope);
    lift();
    const double per = gas_->description().density / step.dt;
    for (std::size_t i = 0; i < cloud_.size(); ++i)
      if (cloud_.takes_part(i)) force_[i] -= at_points_[i] * (cloud_.volume(i) * per);
  }

 private:
  // The weight of what points displace.
  void lift() {
    force_.assign(cloud_.size(), {0, 0, 0});
    for (std::size_t i = 0; i < cloud_.size(); ++i)
      if (cloud_.takes_part(i)) force_[i] = params_.gravity * (-gas_->description().density * cloud_.volume(i));
  }

  // Slopes at the points, of the part of them that fits into faces: what takes room with a weight is pushed with it.
  void sample(ChannelId<double> slope) {
    at_points_.resize(cloud_.size());
    if (!crowded_) {
      cloud_.points.sample(slope, at_points_);
      return;
    }
    DiscreteVolume& volume = gas_->grid().volume();
    {
      auto fits = read(volume, room_);
      auto in = read(volume, slope);
      auto out = write(volume, flow_);
      for_each_bucket(volume.buckets(), fits, in, out, [&](int t) {
        for (int c = 0; c < 3; ++c)
          for (int i = 0; i < GasGrid::voxels; ++i) out.tile(t, c)[i] = fits.tile(t, c)[i] * in.tile(t, c)[i];
      });
    }
    cloud_.points.sample(flow_, at_points_);
  }

  void clear(ChannelId<double> id) {
    auto zero = write(gas_->grid().volume(), id);
    for_each_bucket(gas_->grid().volume().buckets(), zero, [&](int t) {
      for (int c = 0; c < 3; ++c) std::fill_n(zero.tile(t, c), GasGrid::voxels, 0.0);
    });
  }

  // Adds to what the gas has of pores, flow and mobility; room_ then holds the part of points that fits into faces.
  void fill_faces() {
    DiscreteVolume& volume = gas_->grid().volume();
    const Porous& porous = gas_->porous();
    auto room = read_write(volume, room_);
    auto moves = read(volume, flow_);
    auto gives = read(volume, mobility_);
    auto pores = read_write(volume, porous.pores);
    auto flow = read_write(volume, porous.flow);
    auto mobility = read_write(volume, porous.mobility);
    std::vector<std::uint8_t> full(static_cast<std::size_t>(volume.buckets().local_count()), 0);
    for_each_bucket(volume.buckets(), room, moves, gives, pores, flow, mobility, [&](int t) {
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < GasGrid::voxels; ++i) {
          const double taken = std::exchange(room.tile(t, c)[i], 1.0);
          if (taken == 0) continue;
          double left = static_cast<double>(pores.tile(t, c)[i]) - taken, scale = 1;
          if (left < least_pores) {
            scale = (static_cast<double>(pores.tile(t, c)[i]) - least_pores) / taken;
            left = least_pores;
            room.tile(t, c)[i] = scale;
            full[static_cast<std::size_t>(t)] = 1;
          }
          pores.tile(t, c)[i] = static_cast<float>(left);
          flow.tile(t, c)[i] += static_cast<float>(scale * moves.tile(t, c)[i]);
          mobility.tile(t, c)[i] += static_cast<float>(scale * gives.tile(t, c)[i]);
        }
    });
    const auto count = gas_->grid().domain().communicator().sum(std::count(full.begin(), full.end(), 1));
    crowded_ = count > 0;
    if (crowded_ && !warned_) {
      log::warn(
          fmt::format("{}: objects fill more than {:.0f} % of the voxels in {} tiles; use larger voxels, or expect "
                      "less room to be taken than there is",
                      owner_, 100 * (1 - least_pores), count));
      warned_ = true;
    }
  }

  VolumeObject* gas_;
  std::string owner_;
  CoupledBuoyancyParams params_;
  GasCloud cloud_;
  ChannelId<double> room_, flow_, mobility_;  // shares of faces; the last two are free after occupy()
  std::vector<double> compliance_;            // V/h^3 rho/rho_p
  std::vector<Vec3d> at_points_, force_;      // the latter [N]
  bool crowded_ = false;                      // faces hold less of the points than there is
  bool warned_ = false;
};

}  // namespace

void couple_buoyancy(VolumeObject& gas, const std::vector<ForceTarget*>& targets, const std::string& owner,
                     const CoupledBuoyancyParams& params) {
  gas.add_coupling(std::make_unique<BuoyancyCoupling>(gas, targets, owner, params));
}

}  // namespace ymir
