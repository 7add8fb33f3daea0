#include "ymir/actions/coupled_drag.h"

#include <algorithm>

#include "ymir/fluid/gas_points.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;

// The points of one target, block after block, as they were when the substep began.
struct Cloud {
  ForceTarget* target = nullptr;
  std::vector<std::size_t> first;  // of each block
  std::vector<Vec3d> position, velocity, tangent, air, force;
  std::vector<double> mass, diameter, length;
};

class DragCoupling final : public GasCoupling {
 public:
  DragCoupling(VolumeObject& gas, const std::vector<ForceTarget*>& targets, std::string owner,
               const CoupledDragParams& params)
      : gas_(&gas),
        owner_(std::move(owner)),
        params_(params),
        law_{gas.description().density, params.viscosity},
        points_(gas.grid()) {
    const ChannelOptions<double> faces{n, Sampling::face, 0.0, 3, true};
    DiscreteVolume& volume = gas.grid().volume();
    const std::string prefix = "drag" + std::to_string(volume.channel_count());
    force_ = volume.add_channel<double>(prefix + "_force", faces);
    stiffness_ = volume.add_channel<double>(prefix + "_stiffness", faces);
    impulse_ = volume.add_channel<double>(prefix + "_impulse", faces);
    for (std::size_t c = 0; c < targets.size(); ++c) {
      clouds_.emplace_back().target = targets[c];
      if (!params.on_objects) continue;
      if (passes() > 1) targets[c]->solve_every_iteration();
      targets[c]->add_force(point_force(c));
    }
  }

  const std::string& owner() const override { return owner_; }
  std::string what() const override { return "coupled drag"; }
  int passes() const override { return params_.on_gas && params_.on_objects ? std::max(2, params_.passes) : 1; }

  void prepare(const Step& step) override {
    if (step.iteration == 0) {
      collect();
      points_.locate(all_positions());
    }
    last_ = step.iteration > 0 && step.iteration + 1 >= passes();
    if (last_) return;  // `force` holds what the gas has felt
    points_.sample(gas_->grid().velocity, air_);
    scatter(air_, &Cloud::air);
  }

  void react(const Step& step, ChannelId<float> velocity) override {
    if (!params_.on_gas) return;
    collect_velocities();
    const std::size_t count = points_.size();
    std::vector<Vec3d> pull(count), give(count);
    std::size_t at = 0;
    for (const Cloud& cloud : clouds_)
      for (std::size_t i = 0; i < cloud.mass.size(); ++i, ++at) {
        if (!takes_part(cloud, i, at)) continue;
        const GasDrag d = drag(cloud, i, cloud.air[i] - cloud.velocity[i]);
        pull[at] = d.force;
        const auto schur = [&](double k) {
          return cloud.length[i] > 0 || !params_.on_objects ? k : k * cloud.mass[i] / (cloud.mass[i] + step.dt * k);
        };
        give[at] = {schur(d.derivative.xx), schur(d.derivative.yy), schur(d.derivative.zz)};
      }
    for (const auto id : {force_, stiffness_}) clear(id);
    if (step.iteration == 0) clear(impulse_);
    points_.splat(pull, force_);
    points_.splat(give, stiffness_);
    push_gas(step.dt, velocity);
    // force_ holds the change of I now: what points feel follows the gas.
    std::vector<Vec3d> change(count);
    points_.sample(force_, change);
    for (std::size_t i = 0; i < count; ++i)
      for (int k = 0; k < 3; ++k) pull[i][k] += give[i][k] * change[i][k];
    scatter(pull, &Cloud::force);
  }

 private:
  bool takes_part(const Cloud& cloud, std::size_t i, std::size_t at) const {
    return cloud.mass[i] > 0 && points_.in_gas(at);
  }
  GasDrag drag(const Cloud& cloud, std::size_t i, Vec3d w) const {
    GasDrag d = cloud.length[i] > 0 ? fibre_drag(law_, cloud.diameter[i], cloud.length[i], cloud.tangent[i], w)
                                    : sphere_drag(law_, cloud.diameter[i], w);
    d.force *= params_.strength;
    for (double* k : {&d.derivative.xx, &d.derivative.yy, &d.derivative.zz, &d.derivative.xy, &d.derivative.xz,
                      &d.derivative.yz})
      *k *= params_.strength;
    return d;
  }

  // I <- I - (M I + dt F)/(M + dt K) on every face, u += I; leaves the change of I in force_.
  void push_gas(double dt, ChannelId<float> velocity) {
    GasGrid& grid = gas_->grid();
    DiscreteVolume& volume = grid.volume();
    const double mass = law_.density * grid.voxel() * grid.voxel() * grid.voxel();
    auto f = read_write(volume, force_);
    auto stiff = read(volume, stiffness_);
    auto impulse = read_write(volume, impulse_);
    auto to = read_write(volume, velocity);
    for_each_bucket(volume.buckets(), f, stiff, impulse, to, [&](int t) {
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < GasGrid::voxels; ++i) {
          double& given = f.tile(t, c)[i];
          double& sum = impulse.tile(t, c)[i];
          const double k = stiff.tile(t, c)[i];
          if (given == 0 && k == 0 && sum == 0) continue;
          given = -(mass * sum + dt * given) / (mass + dt * k);
          sum += given;
          to.tile(t, c)[i] += static_cast<float>(sum);
        }
    });
  }

  void clear(ChannelId<double> id) {
    auto zero = write(gas_->grid().volume(), id);
    for_each_bucket(gas_->grid().volume().buckets(), zero, [&](int t) {
      for (int c = 0; c < 3; ++c) std::fill_n(zero.tile(t, c), GasGrid::voxels, 0.0);
    });
  }

  void collect() {
    for (Cloud& cloud : clouds_) {
      cloud.first.clear();
      for (auto* list : {&cloud.position, &cloud.velocity, &cloud.tangent, &cloud.air, &cloud.force}) list->clear();
      for (auto* list : {&cloud.mass, &cloud.diameter, &cloud.length}) list->clear();
      cloud.target->visit_points([&](const PointBlock& block) {
        cloud.first.resize(static_cast<std::size_t>(block.bucket) + 1, cloud.mass.size());
        for (int i = 0; i < block.count; ++i) {
          cloud.position.push_back(block.position[i]);
          cloud.velocity.push_back(block.velocity[i]);
          cloud.mass.push_back(block.mass[i]);
          cloud.diameter.push_back(2 * block.radius[i]);
          cloud.length.push_back(block.length != nullptr ? block.length[i] : 0);
          cloud.tangent.push_back(block.length != nullptr ? Vec3d(block.tangent[i]) : Vec3d{1, 0, 0});
        }
      });
      cloud.air.resize(cloud.mass.size());
      cloud.force.resize(cloud.mass.size());
    }
  }

  void collect_velocities() {
    for (Cloud& cloud : clouds_) {
      std::size_t at = 0;
      cloud.target->visit_points([&](const PointBlock& block) {
        for (int i = 0; i < block.count; ++i) cloud.velocity[at++] = block.velocity[i];
      });
    }
  }

  std::vector<Vec3d> all_positions() {
    std::vector<Vec3d> all;
    for (const Cloud& cloud : clouds_) all.insert(all.end(), cloud.position.begin(), cloud.position.end());
    air_.assign(all.size(), {0, 0, 0});
    return all;
  }

  void scatter(const std::vector<Vec3d>& values, std::vector<Vec3d> Cloud::*to) {
    std::size_t at = 0;
    for (Cloud& cloud : clouds_)
      for (Vec3d& value : cloud.*to) {
        value = points_.in_gas(at) ? values[at] : Vec3d{0, 0, 0};
        ++at;
      }
  }

  PointForce point_force(std::size_t c) {
    PointForce force;
    force.owner = owner_;
    force.what = "coupled drag";
    force.on_velocity = Dependence::nonlinear;
    force.accumulate = [this, c](const PointBlock& block, Planes<const Vec3d>::Type, const ForceBlock& out) {
      const Cloud& cloud = clouds_[c];
      const std::size_t first =
          cloud.first[static_cast<std::size_t>(block.bucket)] + static_cast<std::size_t>(block.first);
      std::size_t before = 0;
      for (std::size_t k = 0; k < c; ++k) before += clouds_[k].mass.size();
      for (int i = 0; i < block.count; ++i) {
        const std::size_t at = first + static_cast<std::size_t>(i);
        if (!takes_part(cloud, at, before + at)) continue;
        if (last_) {
          const Vec3d f = cloud.force[at];
          out.force.x[i] += f.x, out.force.y[i] += f.y, out.force.z[i] += f.z;
          continue;
        }
        const GasDrag d = drag(cloud, at, cloud.air[at] - Vec3d(block.velocity[i]));
        out.force.x[i] += d.force.x, out.force.y[i] += d.force.y, out.force.z[i] += d.force.z;
        out.derivative.xx[i] -= d.derivative.xx, out.derivative.yy[i] -= d.derivative.yy;
        out.derivative.zz[i] -= d.derivative.zz, out.derivative.xy[i] -= d.derivative.xy;
        out.derivative.xz[i] -= d.derivative.xz, out.derivative.yz[i] -= d.derivative.yz;
      }
    };
    return force;
  }

  VolumeObject* gas_;
  std::string owner_;
  CoupledDragParams params_;
  Gas law_;
  GasPoints points_;
  ChannelId<double> force_, stiffness_, impulse_;
  std::vector<Cloud> clouds_;
  std::vector<Vec3d> air_;
  bool last_ = false;
};

}  // namespace

void couple_drag(VolumeObject& gas, const std::vector<ForceTarget*>& targets, const std::string& owner,
                 const CoupledDragParams& params) {
  gas.add_coupling(std::make_unique<DragCoupling>(gas, targets, owner, params));
}

}  // namespace ymir
