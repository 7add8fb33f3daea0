#include "ymir/actions/coupled_drag.h"

#include <algorithm>
#include <cmath>

#include "ymir/actions/drag_force.h"
#include "ymir/actions/gas_cloud.h"
#include "ymir/physics/particles/drag.h"

namespace ymir {
namespace {

constexpr int n = GasGrid::side;

class DragCoupling final : public GasCoupling {
 public:
  DragCoupling(VolumeObject& gas, const std::vector<ForceTarget*>& targets, std::string owner,
               const CoupledDragParams& params)
      : gas_(&gas),
        owner_(std::move(owner)),
        params_(params),
        law_{gas.description().density, params.viscosity},
        plate_{.density = gas.description().density},
        cloud_(gas, targets) {
    const ChannelOptions<double> faces{n, Sampling::face, 0.0, 3, true};
    DiscreteVolume& volume = gas.grid().volume();
    const std::string prefix = "drag" + std::to_string(volume.channel_count());
    force_ = volume.add_channel<double>(prefix + "_force", faces);
    stiffness_ = volume.add_channel<double>(prefix + "_stiffness", faces);
    impulse_ = volume.add_channel<double>(prefix + "_impulse", faces);
    for (ForceTarget* target : targets) {
      strength_.push_back(target->scalar_field("drag_strength"));
      shape_.push_back(target->drag_coefficients(plate_.pressure));
    }
    for (std::size_t t = 0; params.on_objects && t < targets.size(); ++t) {
      if (passes() > 1) targets[t]->solve_every_iteration();
      targets[t]->add_force(point_force(t));
    }
  }

  const std::string& owner() const override { return owner_; }
  std::string what() const override { return "coupled drag"; }
  int passes() const override { return params_.on_gas && params_.on_objects ? std::max(2, params_.passes) : 1; }

  void begin() override {
    memory_.assign(cloud_.targets().size(), -1);
    for (std::size_t t = 0; params_.on_gas && t < memory_.size(); ++t)
      if (gas_->dressing(cloud_.targets()[t]) != nullptr) memory_[t] = cloud_.targets()[t]->add_memory("wake");
  }

  void prepare(const Step& step) override {
    if (step.iteration == 0) {
      cloud_.collect();
      air_.assign(cloud_.size(), {0, 0, 0});
      felt_.assign(cloud_.size(), {0, 0, 0});
      met_.assign(cloud_.size(), {});
      take_shapes();
      take_dressing();
      bool any = false;
      for (std::size_t i = 0; i < cloud_.size(); ++i) any = any || follows_law(i);
      any_follows_law_ = gas_->grid().domain().communicator().any(any);
    }
    // A gas that feels nothing has no last word: the law holds in every pass.
    last_ = params_.on_gas && step.iteration > 0 && !gas_->advancing(step);
    if (!last_) sample_air();
  }

  void react(const Step& step, ChannelId<float> velocity) override {
    if (!params_.on_gas) return;
    cloud_.collect_velocities();
    cloud_.collect_tangents();
    std::vector<Vec3d> give(cloud_.size());
    felt_.assign(cloud_.size(), {0, 0, 0});
    for (std::size_t i = 0; i < cloud_.size(); ++i) {
      if (!cloud_.takes_part(i)) continue;
      const FibreDrag d = drag(i, cloud_.tangent[i], cloud_.velocity[i]);
      felt_[i] = d.force;
      met_[i] = {cloud_.velocity[i], cloud_.velocity[i], d.force, d.derivative};
      const auto schur = [&](double k) {
        const double m = cloud_.mass[i] + added_[i];
        return !cloud_.loose(i) || follows_law(i) || !params_.on_objects ? k : k * m / (m + step.dt * k);
      };
      give[i] = {schur(d.derivative.xx), schur(d.derivative.yy), schur(d.derivative.zz)};
    }
    for (const auto id : {force_, stiffness_}) clear(id);
    if (step.iteration == 0) clear(impulse_);
    cloud_.points.splat(felt_, force_);
    cloud_.points.splat(give, stiffness_);
    push_gas(step.dt, velocity);
    // force_ holds the change of I now: what points feel follows the gas.
    std::vector<Vec3d> change(cloud_.size());
    cloud_.points.sample(force_, change);
    for (std::size_t i = 0; i < cloud_.size(); ++i)
      for (int k = 0; k < 3; ++k) felt_[i][k] += give[i][k] * change[i][k];
    leave_wake(step.dt);
  }

  void finish(const Step& step, ChannelId<float> velocity) override {
    if (!last_ || !any_follows_law_) return;
    std::vector<Vec3d> more(cloud_.size(), {0, 0, 0});
    for (std::size_t i = 0; i < cloud_.size(); ++i) {
      if (!cloud_.takes_part(i) || !follows_law(i)) continue;
      more[i] = met_[i].force - felt_[i];
      felt_[i] = met_[i].force;
      met_[i].velocity = met_[i].last;
    }
    clear(force_);
    cloud_.points.splat(more, force_);
    change_faces(velocity, [&](double& given, double, double& sum, double mass) {
      given *= -step.dt / mass;
      sum += given;
      return given;
    });
  }

  std::optional<double> mismatch() override {
    if (passes() == 1) return std::nullopt;
    cloud_.collect_velocities();
    cloud_.collect_tangents();
    sample_air();
    double sums[2] = {0, 0};
    for (std::size_t i = 0; i < cloud_.size(); ++i) {
      if (!cloud_.takes_part(i)) continue;
      const Vec3d off = drag(i, cloud_.tangent[i], cloud_.velocity[i]).force - felt_[i];
      sums[0] += dot(off, off);
      sums[1] += dot(felt_[i], felt_[i]);
    }
    gas_->grid().domain().communicator().ordered_sum(sums);
    return sums[1] > 0 ? std::sqrt(sums[0] / sums[1]) : 0.0;
  }

 private:
  // Without what points themselves have left in it.
  void sample_air() {
    cloud_.points.sample(gas_->air(), air_);
    for (std::size_t i = 0; i < wake_.size(); ++i) air_[i] -= wake_[i];
  }

  // Panels and parts of plants are light for their area, and held by their neighbours.
  bool follows_law(std::size_t i) const { return cloud_.on_surface(i) || coefficient_[i] > 0; }

  void take_shapes() {
    coefficient_.assign(cloud_.size(), 0);
    for (std::size_t t = 0; t < shape_.size(); ++t) copy_field(shape_[t], t, coefficient_);
  }

  void copy_field(const PointField<double>& field, std::size_t target, std::vector<double>& to) const {
    if (field)
      cloud_.targets()[target]->visit_points([&](const PointBlock& block) {
        std::copy_n(field(block), block.count, to.begin() + static_cast<std::ptrdiff_t>(cloud_.first(target, block)));
      });
  }

  // What coupled buoyancy says about points, and what they remember.
  void take_dressing() {
    factor_.assign(cloud_.size(), params_.strength);
    for (std::size_t t = 0; t < strength_.size(); ++t) copy_field(strength_[t], t, factor_);
    added_.assign(cloud_.size(), 0);
    wake_.clear();
    for (std::size_t t = 0; t < cloud_.targets().size(); ++t) {
      const std::size_t first = t > 0 ? cloud_.end(t - 1) : 0;
      if (memory_[t] >= 0) cloud_.targets()[t]->recall(memory_[t], wake_);
      wake_.resize(cloud_.end(t), {0, 0, 0});
      const Dressing* dressing = gas_->dressing(cloud_.targets()[t]);
      for (std::size_t i = first; dressing != nullptr && i < cloud_.end(t); ++i) {
        if (!cloud_.takes_part(i) || !cloud_.dressed(i)) continue;
        const Vec3d a = dressing->virtual_mass[i - first];
        const double mean = (a.x + a.y + a.z) / 3;
        factor_[i] *= cloud_.on_strand(i) ? (1 + mean) / 2 : 2 * (1 + mean) / 3;
        const Vec3d gas = dressing->added[i - first];
        added_[i] = (gas.x + gas.y + gas.z) / 3;
      }
    }
  }

  // Own disturbance of the gas at loose points: grows with what they give to it, and is left behind or spreads.
  void leave_wake(double dt) {
    for (std::size_t t = 0; t < memory_.size(); ++t) {
      if (memory_[t] < 0) continue;
      const std::size_t first = t > 0 ? cloud_.end(t - 1) : 0;
      std::vector<Vec3d> wake(cloud_.end(t) - first, {0, 0, 0});
      for (std::size_t i = first; i < cloud_.end(t); ++i) {
        if (!cloud_.takes_part(i) || !cloud_.dressed(i)) continue;
        const double r = cloud_.spread(i), away = norm(air_[i] - cloud_.velocity[i]) / r;
        const double spreads = 2.5 * gas_->kinematic_viscosity() / (r * r);
        wake[i - first] =
            (wake_[i] - felt_[i] * (dt / (2 * M_PI * law_.density * r * r * r))) / (1 + dt * (away + spreads));
      }
      cloud_.targets()[t]->remember(memory_[t], wake);
    }
  }

  FibreDrag drag(std::size_t i, Vec3d tangent, Vec3d velocity) const {
    const Vec3d w = air_[i] - velocity;
    FibreDrag d = coefficient_[i] > 0    ? FibreDrag{area_drag(i, w), {}}
                  : cloud_.on_surface(i) ? FibreDrag{plate_drag(plate_, cloud_.area[i], tangent, w), {}}
                  : cloud_.on_strand(i)  ? fibre_drag(law_, cloud_.diameter[i], cloud_.length[i], tangent, w)
                                         : FibreDrag{sphere_drag(law_, cloud_.diameter[i], w), {}};
    scale(d, factor_[i]);
    return d;
  }

  // The law of `drag`.
  GasDrag area_drag(std::size_t i, Vec3d w) const {
    const Drag<double> d =
        ymir::drag({law_.viscosity, law_.density, coefficient_[i]}, 0.5 * cloud_.diameter[i], Vec3d{0, 0, 0} - w);
    const Symmetric3<double>& j = d.derivative;
    return {d.force, {-j.xx, -j.yy, -j.zz, -j.xy, -j.xz, -j.yz}};
  }

  // What the gas has felt, less the law's answer to what the panel moves on.
  GasDrag last_drag(std::size_t i, Vec3d velocity) {
    Met& met = met_[i];
    const Symmetric3<double>& j = met.derivative;
    const Vec3d d = velocity - met.velocity;
    met.force = felt_[i] - Vec3d{j.xx * d.x + j.xy * d.y + j.xz * d.z, j.xy * d.x + j.yy * d.y + j.yz * d.z,
                                 j.xz * d.x + j.yz * d.y + j.zz * d.z};
    met.last = velocity;
    return {met.force, j};
  }

  // I <- I - (M I + dt F)/(M + dt K) on every face, u += I; leaves the change of I in force_.
  void push_gas(double dt, ChannelId<float> velocity) {
    change_faces(velocity, [dt](double& given, double k, double& sum, double mass) {
      given = -(mass * sum + dt * given) / (mass + dt * k);
      sum += given;
      return sum;
    });
  }

  // u += change(F, K, I, M) on every face with any of them; F and I are changed in place.
  template <class Change>
  void change_faces(ChannelId<float> velocity, Change&& change) {
    GasGrid& grid = gas_->grid();
    DiscreteVolume& volume = grid.volume();
    const double full = law_.density * grid.voxel() * grid.voxel() * grid.voxel();
    auto f = read_write(volume, force_);
    auto stiff = read(volume, stiffness_);
    auto impulse = read_write(volume, impulse_);
    auto pores = read(volume, gas_->is_porous() ? gas_->porous().pores : grid.open);
    auto to = read_write(volume, velocity);
    for_each_bucket(volume.buckets(), f, stiff, impulse, pores, to, [&](int t) {
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < GasGrid::voxels; ++i) {
          double& given = f.tile(t, c)[i];
          double& sum = impulse.tile(t, c)[i];
          const double k = stiff.tile(t, c)[i];
          if (given == 0 && k == 0 && sum == 0) continue;
          const double mass = gas_->is_porous() ? full * static_cast<double>(pores.tile(t, c)[i]) : full;
          to.tile(t, c)[i] += static_cast<float>(change(given, k, sum, mass));
        }
    });
  }

  void clear(ChannelId<double> id) {
    auto zero = write(gas_->grid().volume(), id);
    for_each_bucket(gas_->grid().volume().buckets(), zero, [&](int t) {
      for (int c = 0; c < 3; ++c) std::fill_n(zero.tile(t, c), GasGrid::voxels, 0.0);
    });
  }

  PointForce point_force(std::size_t target) {
    PointForce force;
    force.owner = owner_;
    force.what = "coupled drag";
    force.on_velocity = Dependence::nonlinear;
    force.on_tangent = [this] { return !last_; };
    force.accumulate = [this, target](const PointBlock& block, Planes<const Vec3d>::Type, const ForceBlock& out) {
      const std::size_t first = cloud_.first(target, block);
      if (last_ && (block.area != nullptr || shape_[target])) {
        for (int i = 0; i < block.count; ++i)
          if (const std::size_t at = first + static_cast<std::size_t>(i); cloud_.takes_part(at))
            add_gas_drag(last_drag(at, block.velocity[i]), i, out);
        return;
      }
      if (last_) {
        add_forces(cloud_, target, felt_, block, out);
        return;
      }
      for (int i = 0; i < block.count; ++i) {
        const std::size_t at = first + static_cast<std::size_t>(i);
        if (!cloud_.takes_part(at)) continue;
        const Vec3d tangent = block.length != nullptr ? Vec3d(block.tangent[i]) : cloud_.tangent[at];
        add_fibre_drag(drag(at, tangent, block.velocity[i]), i, block.count, out);
      }
    };
    return force;
  }

  VolumeObject* gas_;
  std::string owner_;
  CoupledDragParams params_;
  Gas law_;
  PlateLaw plate_;
  GasCloud cloud_;
  ChannelId<double> force_, stiffness_, impulse_;
  std::vector<PointField<double>> strength_;  // per target; empty: the one of params_
  std::vector<PointField<double>> shape_;     // per target; empty: no wires and sheets
  std::vector<int> memory_;                   // per target: where it keeps its wake; -1: nowhere
  std::vector<double> coefficient_;           // of wires and sheets, for the area of their ball; 0: others
  std::vector<double> factor_, added_;        // of the law; mass of the gas that points carry [kg]
  std::vector<Vec3d> wake_;                   // when the substep began [m/s]
  std::vector<Vec3d> air_;                    // velocity of the gas at points, without their own wake [m/s]
  std::vector<Vec3d> felt_;                   // force on points that the gas has felt [N]
  struct Met {
    Vec3d velocity, last;           // of the point when the gas felt it, and in the last pass [m/s]
    Vec3d force;                    // in the last pass [N]
    Symmetric3<double> derivative;  // of the law [N s/m]
  };
  std::vector<Met> met_;
  bool any_follows_law_ = false;  // of any rank
  bool last_ = false;
};

}  // namespace

void couple_drag(VolumeObject& gas, const std::vector<ForceTarget*>& targets, const std::string& owner,
                 const CoupledDragParams& params) {
  gas.add_coupling(std::make_unique<DragCoupling>(gas, targets, owner, params));
}

}  // namespace ymir
