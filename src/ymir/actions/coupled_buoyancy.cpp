#include "ymir/actions/coupled_buoyancy.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ymir/actions/dressed_points.h"
#include "ymir/base/error.h"
#include "ymir/base/log.h"
#include "ymir/objects/curves_object.h"
#include "ymir/objects/particle_object.h"
#include "ymir/physics/fluid/added_mass.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;
constexpr double least_pores = 0.05;  // gas is left in every face, whatever fills it

class BuoyancyCoupling final : public GasCoupling {
 public:
  BuoyancyCoupling(VolumeObject& gas, const std::vector<ForceTarget*>& targets, std::string owner,
                   const CoupledBuoyancyParams& params)
      : gas_(&gas),
        owner_(std::move(owner)),
        params_(params),
        cloud_(gas, targets),
        dressed_(cloud_, gas.grid().voxel(), gas.description().density),
        dressings_(targets.size()) {
    for (const ForceTarget* target : targets)
      loose_ = loose_ || dynamic_cast<const ParticleObject*>(target) != nullptr ||
               dynamic_cast<const CurvesObject*>(target) != nullptr;
    gas.porous();
    DiscreteVolume& volume = gas.grid().volume();
    const std::string prefix = "buoyancy" + std::to_string(volume.channel_count());
    const ChannelOptions<double> faces{n, Sampling::face, 0.0, 3, true};
    fits_ = volume.add_channel<double>(prefix + "_fits", faces);
    flow_ = volume.add_channel<double>(prefix + "_flow", faces);
    for (std::size_t t = 0; params.added_mass && t < targets.size(); ++t) gas.add_dressing(targets[t], &dressings_[t]);
    for (std::size_t t = 0; params.on_objects && t < targets.size(); ++t) {
      targets[t]->solve_every_iteration();
      PointForce force;
      force.owner = owner_;
      force.what = "coupled buoyancy";
      force.on_velocity = Dependence::linear;
      force.accumulate = [this, t](const PointBlock& block, Planes<const Vec3d>::Type, const ForceBlock& out) {
        add_forces(cloud_, t, force_, block, out);
        if (carries_) resist(t, block, out);
      };
      targets[t]->add_force(std::move(force));
    }
  }

  const std::string& owner() const override { return owner_; }
  std::string what() const override { return "coupled buoyancy"; }
  int passes() const override { return params_.on_objects ? 2 : 1; }

  bool collect(const Step& step) override {
    cloud_.collect();
    dt_ = step.dt;
    start_ = cloud_.velocity;
    dressed_.reset(params_.inertia);
    bool carries = false, along = false;
    double largest = 0;
    for (std::size_t i = 0; i < cloud_.size(); ++i) {
      if (!cloud_.takes_part(i) || !cloud_.dressed(i)) continue;
      carries = true;
      along = along || cloud_.on_strand(i);
      largest = std::max(largest, cloud_.diameter[i] / (2 * gas_->grid().voxel()));
    }
    Communicator& communicator = gas_->grid().domain().communicator();
    carries_ = params_.added_mass && communicator.any(carries);
    passes_along_ = carries_ && communicator.any(along);
    refuse_too_large(communicator.max(largest));
    return carries_;
  }

  void take_room(ChannelId<double> room) override {
    set_at_points([&](std::size_t i) { return Vec3d{1, 1, 1} * dressed_.share(i); });
    cloud_.points.splat(at_points_, room);
  }

  void dress(ChannelId<double> room) override {
    if (carries_) {
      std::vector<Vec3d> around(cloud_.size()), squares(cloud_.size());
      cloud_.points.sample(room, around);
      cloud_.points.squares(squares);
      dressed_.take_virtual_mass(around, squares);
    }
    fill_pores();
    if (crowded_) {
      at_points_.resize(cloud_.size());
      cloud_.points.sample(fits_, at_points_);
      dressed_.set_fit(at_points_);
    }
    add_to(gas_->porous().mobility, [&](std::size_t i) { return dressed_.mobility(i); });
    std::size_t at = 0;
    for (std::size_t t = 0; t < dressings_.size(); ++t) {
      dressings_[t].virtual_mass.clear();
      dressings_[t].added.clear();
      for (; at < cloud_.end(t); ++at) {
        dressings_[t].virtual_mass.push_back(dressed_.virtual_mass(at));
        dressings_[t].added.push_back(dressed_.added(at));
      }
    }
    pushed_.assign(cloud_.size(), {0, 0, 0});
    driven_.assign(cloud_.size(), {0, 0, 0});
  }

  void take_carried_room(ChannelId<double> room) override {
    if (!carries_) return;
    splat([&](std::size_t i) { return dressed_.virtual_mass(i) * dressed_.share(i); }, room);
  }

  void carry(ChannelId<float> velocity, ChannelId<double> flow) override {
    if (!carries_) return;
    cloud_.collect_velocities();
    std::vector<Vec3d> air(cloud_.size(), {0, 0, 0});
    if (passes_along_) cloud_.points.sample(velocity, air);
    splat(
        [&](std::size_t i) {
          return (dressed_.carried(i, cloud_.velocity[i]) + dressed_.passing(i, air[i])) * dressed_.share(i);
        },
        flow);
  }

  void prepare(const Step& step) override {
    if (step.iteration > 0) return;
    gust_ = gas_->gust(step) / step.dt;
    lift();
  }

  // What the pressure of the last pass did to the velocity is not part of what it is solved for again.
  void occupy(const Step& step) override {
    cloud_.collect_velocities();
    if (step.iteration == 0) drive();
    add_to(gas_->porous().flow, [&](std::size_t i) { return dressed_.flow(i, cloud_.velocity[i] + pushed_[i]); });
    if (step.iteration == 0) pushed_.assign(cloud_.size(), {0, 0, 0});
  }

  void react(const Step&, ChannelId<float>) override {}

  void let_through(ChannelId<float> velocity) override {
    if (!passes_along_) return;
    std::vector<Vec3d> air(cloud_.size());
    cloud_.points.sample(velocity, air);
    add_to(gas_->porous().flow, [&](std::size_t i) { return dressed_.passing(i, air[i]) * dressed_.share(i); });
  }

  void give_way(ChannelId<double> slope, ChannelId<double> flow) override {
    if (!params_.inertia && !carries_) return;
    sample(slope);
    for (std::size_t i = 0; i < cloud_.size(); ++i)
      at_points_[i] = cloud_.takes_part(i) ? dressed_.flow_lost(i, at_points_[i]) : Vec3d{0, 0, 0};
    splat_fitting(flow);
  }

  // -V B grad p = -V B rho/dt grad q.
  void feel_pressure(const Step& step, ChannelId<double> slope) override {
    sample(slope);
    lift();
    const double per = gas_->description().density / step.dt;
    for (std::size_t i = 0; i < cloud_.size(); ++i) {
      if (!cloud_.takes_part(i)) continue;
      force_[i] += driven_[i] - dressed_.dressed(i, at_points_[i]) * (cloud_.volume(i) * per);
      pushed_[i] = dressed_.velocity_lost(i, at_points_[i]);
    }
  }

 private:
  void refuse_too_large(double radius) const {
    if (radius <= added_mass::largest_radius) return;
    throw Error(
        ExitCode::bad_input,
        fmt::format("{}: a point of radius {:.3g} m is {:.3g} voxels large in {}, at most {:.0f} can be coupled; "
                    "use a collider for bodies of that size, or a larger voxel",
                    owner_, radius * gas_->grid().voxel(), radius, gas_->path(), added_mass::largest_radius));
  }

  // The weight of what points displace, and the pressure that accelerates the air around the gas.
  void lift() {
    const double density = gas_->description().density;
    force_.assign(cloud_.size(), {0, 0, 0});
    for (std::size_t i = 0; i < cloud_.size(); ++i)
      if (cloud_.takes_part(i))
        force_[i] = (dressed_.dressed(i, gust_) - params_.gravity) * (density * cloud_.volume(i));
  }

  // Forces on the gas act on what is carried too. The solids that were solved do not know them yet.
  void drive() {
    const ChannelId<float> acceleration = gas_->acceleration();
    if (!carries_ || !acceleration.valid()) return;
    at_points_.resize(cloud_.size());
    cloud_.points.sample(acceleration, at_points_);
    const double part = gas_->description().reflection ? 0.5 : 1;  // as the gas, before its pressure
    for (std::size_t i = 0; i < cloud_.size(); ++i) {
      if (!cloud_.takes_part(i)) continue;
      driven_[i] = dressed_.added_inertia(i) * at_points_[i] * part;
      pushed_[i] = dressed_.accelerated(i, driven_[i]) * dt_;
    }
  }

  // Inertia of the gas that is carried: -(M - m)(v - v_n)/dt.
  void resist(std::size_t target, const PointBlock& block, const ForceBlock& out) const {
    const std::size_t first = cloud_.first(target, block);
    for (int i = 0; i < block.count; ++i) {
      const std::size_t at = first + static_cast<std::size_t>(i);
      if (!cloud_.takes_part(at) || !cloud_.dressed(at)) continue;
      Symmetric3<double> m = dressed_.added_inertia(at);
      for (double* part : {&m.xx, &m.yy, &m.zz, &m.xy, &m.xz, &m.yz}) *part /= dt_;
      const Vec3d f = m * (Vec3d(block.velocity[i]) - start_[at]);
      out.force.x[i] -= f.x, out.force.y[i] -= f.y, out.force.z[i] -= f.z;
      out.derivative.xx[i] -= m.xx, out.derivative.yy[i] -= m.yy, out.derivative.zz[i] -= m.zz;
      out.derivative.xy[i] -= m.xy, out.derivative.xz[i] -= m.xz, out.derivative.yz[i] -= m.yz;
    }
  }

  template <class F>
  void set_at_points(F&& value_of) {
    at_points_.assign(cloud_.size(), {0, 0, 0});
    for (std::size_t i = 0; i < cloud_.size(); ++i)
      if (cloud_.takes_part(i)) at_points_[i] = value_of(i);
  }

  // to += s W' value
  template <class F>
  void splat(F&& value_of, ChannelId<double> to) {
    set_at_points(value_of);
    splat_fitting(to);
  }

  void splat_fitting(ChannelId<double> to) {
    if (!crowded_) {
      cloud_.points.splat(at_points_, to);
      return;
    }
    clear(flow_);
    cloud_.points.splat(at_points_, flow_);
    DiscreteVolume& volume = gas_->grid().volume();
    auto fits = read(volume, fits_);
    auto in = read(volume, flow_);
    auto out = read_write(volume, to);
    for_each_bucket(volume.buckets(), fits, in, out, [&](int t) {
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < GasGrid::voxels; ++i) out.tile(t, c)[i] += fits.tile(t, c)[i] * in.tile(t, c)[i];
    });
  }

  // The same for channels of single precision, which other couplings add to.
  template <class F>
  void add_to(ChannelId<float> channel, F&& value_of) {
    set_at_points(value_of);
    clear(flow_);
    cloud_.points.splat(at_points_, flow_);
    DiscreteVolume& volume = gas_->grid().volume();
    auto fits = read(volume, fits_);
    auto in = read(volume, flow_);
    auto out = read_write(volume, channel);
    for_each_bucket(volume.buckets(), fits, in, out, [&](int t) {
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < GasGrid::voxels; ++i)
          out.tile(t, c)[i] += static_cast<float>(fits.tile(t, c)[i] * in.tile(t, c)[i]);
    });
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
      auto fits = read(volume, fits_);
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

  // Takes what there is of points from the pores; fits_ then holds the part of them that has room in faces.
  void fill_pores() {
    DiscreteVolume& volume = gas_->grid().volume();
    set_at_points([&](std::size_t i) { return dressed_.room(i); });
    clear(flow_);
    cloud_.points.splat(at_points_, flow_);
    auto taken_by_points = read(volume, flow_);
    auto fits = write(volume, fits_);
    auto pores = read_write(volume, gas_->porous().pores);
    std::vector<std::uint8_t> full(static_cast<std::size_t>(volume.buckets().local_count()), 0);
    for_each_bucket(volume.buckets(), taken_by_points, fits, pores, [&](int t) {
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < GasGrid::voxels; ++i) {
          fits.tile(t, c)[i] = 1;
          const double taken = taken_by_points.tile(t, c)[i];
          if (taken == 0) continue;
          double left = static_cast<double>(pores.tile(t, c)[i]) - taken;
          if (left < least_pores) {
            fits.tile(t, c)[i] = (static_cast<double>(pores.tile(t, c)[i]) - least_pores) / taken;
            left = least_pores;
            full[static_cast<std::size_t>(t)] = 1;
          }
          pores.tile(t, c)[i] = static_cast<float>(left);
        }
    });
    const auto count = gas_->grid().domain().communicator().sum(std::count(full.begin(), full.end(), 1));
    crowded_ = count > 0;
    // The inside of a body is full, and rightly so.
    if (crowded_ && loose_ && !warned_) {
      log::warn(fmt::format(
          "{}: particles or strands fill more than {:.0f} % of the voxels in {} tiles; use larger voxels, or expect "
          "less room to be taken than there is",
          owner_, 100 * (1 - least_pores), count));
      warned_ = true;
    }
  }

  VolumeObject* gas_;
  std::string owner_;
  CoupledBuoyancyParams params_;
  GasCloud cloud_;
  DressedPoints dressed_;
  std::vector<Dressing> dressings_;  // per target, for others
  double dt_ = 0;
  Vec3d gust_{0, 0, 0};                   // acceleration of all air [m/s^2]
  ChannelId<double> fits_, flow_;         // parts of points that have room in faces; work space
  std::vector<Vec3d> at_points_, force_;  // the latter [N]
  std::vector<Vec3d> start_;              // velocity when the substep began [m/s]
  std::vector<Vec3d> driven_;             // force of the gas's own forces on what is carried [N]
  std::vector<Vec3d> pushed_;             // what the velocity is short of that of the flow to be solved for [m/s]
  bool carries_ = false;                  // some points carry gas along
  bool passes_along_ = false;             // and some of these are on strands
  bool crowded_ = false;                  // faces hold less of the points than there is
  bool loose_ = false;                    // some points are particles, or of strands
  bool warned_ = false;
};

}  // namespace

void couple_buoyancy(VolumeObject& gas, const std::vector<ForceTarget*>& targets, const std::string& owner,
                     const CoupledBuoyancyParams& params) {
  gas.add_coupling(std::make_unique<BuoyancyCoupling>(gas, targets, owner, params));
}

}  // namespace ymir
