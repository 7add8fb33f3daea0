#include "ymir/actions/coupled_buoyancy.h"

#include <fmt/format.h>

#include <algorithm>

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
    std::vector<Vec3d> room(cloud_.size()), flow(cloud_.size()), mobility(cloud_.size());
    for (std::size_t i = 0; i < cloud_.size(); ++i) {
      if (!cloud_.takes_part(i)) continue;
      const double share = cloud_.volume(i) / cell;
      const double light = params_.inertia ? density * cloud_.volume(i) / cloud_.mass[i] : 0;  // rho/rho_p
      room[i] = Vec3d{1, 1, 1} * share;
      flow[i] = cloud_.velocity[i] * share;
      mobility[i] = Vec3d{1, 1, 1} * (share * light);
    }
    const auto splat = [&](const std::vector<Vec3d>& values, ChannelId<double> to) {
      auto zero = write(gas_->grid().volume(), to);
      for_each_bucket(gas_->grid().volume().buckets(), zero, [&](int t) {
        for (int c = 0; c < 3; ++c) std::fill_n(zero.tile(t, c), GasGrid::voxels, 0.0);
      });
      cloud_.points.splat(values, to);
    };
    splat(room, room_);
    splat(flow, flow_);
    splat(mobility, mobility_);
    fill_faces();
  }

  void react(const Step&, ChannelId<float>) override {}

  // -V grad p = -V rho/dt grad q.
  void feel_pressure(const Step& step, ChannelId<double> potential) override {
    DiscreteVolume& volume = gas_->grid().volume();
    const double scale = 1 / gas_->grid().voxel();
    constexpr int stride[3] = {1, n, n * n};
    {
      auto q = read(volume, potential, Stencil::faces);
      auto open = read(volume, gas_->grid().open);
      auto slope = write(volume, room_);  // its values have been used
      for_each_bucket(volume.buckets(), q, open, slope, [&](int t) {
        for (int axis = 0; axis < 3; ++axis) {
          const int below = volume.buckets().neighbours(
              t)[static_cast<std::size_t>(face_directions[static_cast<std::size_t>(2 * axis)])];
          const double *own = q.tile(t), *lower = q.tile(below) + (n - 1) * stride[axis];
          for (int i = 0; i < GasGrid::voxels; ++i) {
            const double low = i / stride[axis] % n > 0 ? own[i - stride[axis]] : lower[i];
            slope.tile(t, axis)[i] = open.tile(t, axis)[i] > 0 ? (own[i] - low) * scale : 0;
          }
        }
      });
    }
    std::vector<Vec3d> slopes(cloud_.size());
    cloud_.points.sample(room_, slopes);
    lift();
    const double per = gas_->description().density / step.dt;
    for (std::size_t i = 0; i < cloud_.size(); ++i)
      if (cloud_.takes_part(i)) force_[i] -= slopes[i] * (cloud_.volume(i) * per);
  }

 private:
  // The weight of what points displace.
  void lift() {
    force_.assign(cloud_.size(), {0, 0, 0});
    for (std::size_t i = 0; i < cloud_.size(); ++i)
      if (cloud_.takes_part(i)) force_[i] = params_.gravity * (-gas_->description().density * cloud_.volume(i));
  }

  void fill_faces() {
    DiscreteVolume& volume = gas_->grid().volume();
    const Projection::Porous& porous = gas_->porous();
    auto room = read(volume, room_);
    auto moves = read(volume, flow_);
    auto gives = read(volume, mobility_);
    auto pores = read_write(volume, porous.pores);
    auto flow = read_write(volume, porous.flow);
    auto mobility = read_write(volume, porous.mobility);
    std::vector<std::uint8_t> full(static_cast<std::size_t>(volume.buckets().local_count()), 0);
    for_each_bucket(volume.buckets(), room, moves, gives, pores, flow, mobility, [&](int t) {
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < GasGrid::voxels; ++i) {
          const double taken = room.tile(t, c)[i];
          if (taken == 0) continue;
          double left = static_cast<double>(pores.tile(t, c)[i]) - taken, scale = 1;
          if (left < least_pores) {
            scale = (static_cast<double>(pores.tile(t, c)[i]) - least_pores) / taken;
            left = least_pores;
            full[static_cast<std::size_t>(t)] = 1;
          }
          pores.tile(t, c)[i] = static_cast<float>(left);
          flow.tile(t, c)[i] += static_cast<float>(scale * moves.tile(t, c)[i]);
          mobility.tile(t, c)[i] += static_cast<float>(scale * gives.tile(t, c)[i]);
        }
    });
    const auto count = gas_->grid().domain().communicator().sum(std::count(full.begin(), full.end(), 1));
    if (count > 0 && !warned_) {
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
  ChannelId<double> room_, flow_, mobility_;
  std::vector<Vec3d> force_;  // [N]
  bool warned_ = false;
};

}  // namespace

void couple_buoyancy(VolumeObject& gas, const std::vector<ForceTarget*>& targets, const std::string& owner,
                     const CoupledBuoyancyParams& params) {
  gas.add_coupling(std::make_unique<BuoyancyCoupling>(gas, targets, owner, params));
}

}  // namespace ymir
