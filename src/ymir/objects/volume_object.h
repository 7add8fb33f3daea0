// Volume Object: an incompressible gas on a sparse grid, by operator splitting. [Lesser2022, 6.1 and 7.4]
//
//   substep:  tiles, solids | forces, viscosity, pressure (repeated with what it is coupled to) | advection, emission
//
// With advection-reflection [Narain2019] the velocity is advected in two halves with a projection and a reflection
// about it in between, which makes the splitting second order in time. [method notes C, 6]
#pragma once

#include <memory>
#include <optional>

#include "ymir/fluid/advection.h"
#include "ymir/fluid/damped_energy.h"
#include "ymir/fluid/extrapolation.h"
#include "ymir/fluid/gas_boundary.h"
#include "ymir/fluid/projection.h"
#include "ymir/fluid/viscosity.h"
#include "ymir/objects/force_target.h"
#include "ymir/objects/gas_actions.h"
#include "ymir/pipeline/object.h"

namespace ymir {

class VolumeObject final : public Object {
 public:
  struct Description {
    double voxel = 0.02;          // [m]
    double density = 1.2;         // of the gas [kg/m^3]
    double temperature = 293.15;  // of the air around it [K]
    std::optional<GasBox> box;
    bool everywhere = false;  // all of the box is simulated, not only where something is
    double padding = 3;       // tiles of gas around what there is, counted in voxels
    double threshold = 1e-3;  // material below it counts as none
    AdvectionOptions advection;
    bool reflection = false;
    double courant_number = 4;  // longest move per adaptive substep, in voxels
    double most_memory = 0;     // [bytes]; 0: no limit
  };
  struct Pressure {
    bool enabled = false;
    PressureMethod method = PressureMethod::automatic;
    PoissonOptions options;
  };

  VolumeObject(std::string path, int group, const Description& description, Communicator& communicator);

  // All before ingest. A material channel is made when first asked for. Outside, `temperature` is that of the air
  // around, all others are 0.
  ChannelId<float> material(const std::string& name);
  // The same for what changes a channel by the name that a user gave: something else has to make it.
  ChannelId<float> named_material(const std::string& name) { return material(name, false); }
  // Names of all that something makes; `density` and `temperature` are always there.
  std::vector<std::string> made_materials() const;
  double ambient(std::string_view material) const { return material == "temperature" ? description_.temperature : 0; }
  bool has_material(const std::string& name) const;
  // Gas that enters per volume and time [1/s]; made when first asked for.
  ChannelId<float> volume_source();
  // Kinetic energy per mass that the last advection smoothed away in each cell [m^2/s^2]; made when first asked for.
  ChannelId<float> damped_energy();
  void add_force(GasForce force) { forces_.push_back(std::move(force)); }
  void add_source(GasSource source) { sources_.push_back(std::move(source)); }
  void add_operator(GasOperator op) { operators_.push_back(std::move(op)); }
  void add_wind(GasWind wind) { winds_.push_back(std::move(wind)); }
  void add_coupling(std::unique_ptr<GasCoupling> coupling);
  // Objects take room in the gas; made when first asked for. All couplings add to the same channels, cleared before.
  const Porous& porous();
  bool is_porous() const { return porous_.has_value(); }
  // Objects whose points carry gas along; the dressing is that of the current substep.
  void add_dressing(const ForceTarget* target, const Dressing* dressing) { dressings_.emplace_back(target, dressing); }
  const Dressing* dressing(const ForceTarget* target) const;  // nullptr: none
  // What the gas between objects moves at [m/s]: the velocity of the grid where nothing is carried along. Collective.
  ChannelId<float> air();
  // By how much the wind changes all air in this substep [m/s].
  Vec3d gust(const Step& step) const { return mean_wind(step.time + step.dt) - mean_wind(step.time); }
  // Of gas, by its forces, in this substep [m/s^2]; invalid: there are none.
  ChannelId<float> acceleration() const { return forces_.empty() ? ChannelId<float>{} : acceleration_; }
  int passes() const;  // over solids per substep, of all couplings
  int least_iterations() const override { return passes(); }
  // In the last pass solids take what the gas has left for them; it is not solved again.
  bool advancing(const Step& step) const { return step.iteration == 0 || step.iteration + 1 < passes(); }
  void add_solid(GasSolid solid) { boundary_.add(std::move(solid)); }
  void add_sheet(GasSheet sheet) { boundary_.add(std::move(sheet)); }
  void set_pressure(const Pressure& pressure) {
    pressure_ = pressure;
    projection_.set_method(pressure.method);
  }
  // mu [Pa s], constant.
  void set_viscosity(double mu, const DiffusionOptions& options = {});
  // That the grid resolves [m^2/s].
  double kinematic_viscosity() const { return viscosity_.solver ? viscosity_.mu / description_.density : 0; }
  // Simulated where these objects are.
  void stay_around(const ForceTarget* target) { around_.push_back(target); }

  GasGrid& grid() { return grid_; }
  const GasGrid& grid() const { return grid_; }
  const GasBoundary& boundary() const { return boundary_; }
  const Description& description() const { return description_; }
  Projection& projection() { return projection_; }
  const ProjectionReport& projection_report() const { return projected_; }
  const DiffusionReport& viscosity_report() const { return viscosity_.report; }
  // A linear solve of this substep, counted in report().
  void note_solve(std::string_view what, int iterations, bool converged, double residual);
  // The user has been told that new gas enters a room which none can leave.
  void sealed_source_is_known() { said_sealed_ = true; }
  // Grows whenever tiles or walls change.
  std::int64_t boundary_version() const { return boundary_version_; }
  // Bytes per voxel of simulated gas, all channels and the solver.
  double bytes_per_voxel() const;

  void schedule(Timeline& timeline) override;
  std::int64_t element_count() const override { return grid_.gas_tiles() * GasGrid::voxels; }
  double step_limit() const override;
  SolveReport solve_report() const override { return report_; }
  ObjectReport report() const override;
  void save() override;
  void rollback() override;
  void accept() override { saved_.reset(); }
  std::optional<std::string> non_finite() const override;
  std::vector<Channel> channels() override { return list(this); }
  std::string_view frame_kind() const override { return "volume"; }
  ObjectState frame_state() const override;
  ObjectState checkpoint() const override;
  void restore(const ObjectState* whole) override;
  std::uint64_t hash() const override { return grid_.volume().hash(); }
  // The channels of a gas, for documentation where there is none (nullptr).
  static std::vector<Channel> list(VolumeObject* gas);
  void weigh(std::vector<BucketKey>&, std::vector<double>&) const override {}
  void migrate() override {}

  // The steps of the timeline, public for tests and benchmarks that time them apart.
  void fit_tiles(const Step& step);
  void fit_boundary(const Step& step);
  void feed(const Step& step);
  void make_room(const Step& step);
  void blow(const Step& step);
  void apply_forces(const Step& step);
  void apply_viscosity(const Step& step);
  void project(const Step& step);
  void advect(const Step& step);
  void emit(const Step& step);
  void balance();

 private:
  struct Material {
    std::string name;
    ChannelId<float> value, next;
    double ambient;
    bool made;  // by something else than a name in the setup
  };
  ChannelId<float> material(const std::string& name, bool made);
  std::vector<BucketKey> wanted_tiles(const Step& step) const;
  double largest_speed() const;
  struct Reach {
    Vec3i low, high;   // voxels of gas that are needed below and above material
    double speed = 0;  // largest [m/s]
  };
  Reach reach_of_material(const Step& step) const;
  void warn_of_short_padding(const Step& step, double speed) const;
  Vec3d mean_wind(double time) const;
  void set_air_around(const Step& step);
  struct Extent {  // voxels of a tile, both included
    Vec3i low{GasGrid::side, GasGrid::side, GasGrid::side}, high{-1, -1, -1};
    bool empty() const { return high.x < 0; }
  };
  Extent material_in(int tile) const;
  void refuse_too_much(double tiles) const;  // of all ranks
  void add_scaled(ChannelId<float> to, ChannelId<float> what, double factor);
  void extend(ChannelId<float> velocity);
  std::vector<Transported> cell_fields() const;
  void reflect(const Step& step);
  ProjectionReport projected(ChannelId<float> velocity, double dt, std::string_view what);
  // What a frame shows: free of divergence, as the last projection left it.
  ChannelId<float> shown_velocity() const { return projected_shown_ ? next_velocity_ : grid_.velocity; }
  // Tiles that a frame shows: those with something to see; all of a gas without material.
  std::vector<int> shown_tiles() const;
  Array centred_velocity(const std::vector<int>& tiles) const;  // of cells
  void copy_faces(ChannelId<float> from, ChannelId<float> to);

  Description description_;
  GasGrid grid_;
  GasBoundary boundary_;
  ChannelId<float> next_velocity_, acceleration_, reflected_, source_, start_;
  Projection projection_;
  Advection advection_;
  Extrapolation extrapolation_;
  std::unique_ptr<DampedEnergy> damped_;  // null: nobody asks
  std::vector<Material> materials_;
  std::vector<GasForce> forces_;
  std::vector<GasSource> sources_;
  std::vector<GasOperator> operators_;
  std::vector<GasWind> winds_;
  std::vector<std::unique_ptr<GasCoupling>> couplings_;
  std::optional<Porous> porous_;
  std::vector<std::pair<const ForceTarget*, const Dressing*>> dressings_;
  ChannelId<double> room_;  // share of faces that objects take; then of the gas they carry
  ChannelId<float> air_;
  bool carried_ = false;  // objects carry gas along in this substep
  std::vector<const ForceTarget*> around_;
  Pressure pressure_;
  struct {
    std::unique_ptr<Viscosity> solver;  // null: no viscosity
    double mu = 0;
    DiffusionOptions options;
    DiffusionReport report;
  } viscosity_;
  bool boundary_stale_ = true;
  bool projected_shown_ = false;  // next_velocity_ holds the velocity that carried the gas in the last substep
  mutable bool said_padding_ = false, said_sealed_ = false;
  std::int64_t boundary_version_ = 0;
  ProjectionReport projected_;
  SolveReport report_;
  ObjectReport substep_;
  double dt_ = 0;  // of the last substep [s]
  std::shared_ptr<const DiscreteVolume::Snapshot> saved_;
};

}  // namespace ymir
