// Particle Object: points that move on their own under forces and contact, integrated by a damped implicit midpoint of
// second order (physics/particles/point_midpoint.h): free fall is exact, tracers stay on their streamlines. What
// exchanges momentum with a gas is integrated by backward Euler, by which that exchange is counted. [Lesser2022, 6.1]
//
//   m (v - v_n) / dt = f(x_n, v),   x = x_n + dt v
//
// Forces depend on a point alone, so the system is 3x3 blocks; every bucket is solved to convergence by Newton's method
// in cache, and the outer Newton loop of the pipeline sees a converged object. Points that constraints attach to
// something, or that touch others exactly, get their velocity from the solid system instead (particle_block.h).
// Contacts with colliders respond to all but the latter.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ymir/data/particle_system.h"
#include "ymir/objects/force_target.h"
#include "ymir/objects/point_source.h"
#include "ymir/pipeline/object.h"
#include "ymir/solids/solid_object.h"

namespace ymir {

class ParticleObject final : public Object, public ForceTarget, public SolidObject {
 public:
  struct Description {
    double radius = 1e-3;         // [m]
    double radius_variation = 0;  // radii lie within this fraction of the radius, evenly
    double density = 1000;        // [kg/m^3]
    double courant_number = 1;    // longest move per adaptive substep, in buckets
  };

  ParticleObject(std::string path, int group, GridDomain& domain, const Description& description);

  // All before ingest. Points of a file keep their channels: velocity, radius and density as such, any other
  // real-valued one as an override of a parameter of the same name.
  void add_points(const Points& points);
  void add_source(PointSource source) { sources_.push_back(std::move(source)); }
  void add_force(PointForce force) override { forces_.push_back(std::move(force)); }
  PointField<Vec3d> vector_field(std::string_view name) const override;
  PointField<double> scalar_field(std::string_view name) override;
  void solve_every_iteration() override { coupled_to_gas_ = true; }  // solved in each one anyway
  void visit_points(const std::function<void(const PointBlock&)>& visit) const override;
  int add_memory(const std::string& name) override;
  void recall(int memory, std::vector<Vec3d>& values) const override;
  void remember(int memory, std::span<const Vec3d> values) override;
  void add_contact(PointContact contact) { contacts_.push_back(std::move(contact)); }
  void add_removal(PointRemoval removal) { removals_.push_back(std::move(removal)); }
  bool removes_points() const { return !removals_.empty(); }
  // Channel of this name given with the points, if any: it overrides a behavior's parameter per point.
  template <class T>
  std::optional<ParticleChannel<T>> override_channel(std::string_view name) const {
    const std::optional<int> found = particles_.find_channel(name);
    if (!found || !particles_.holds<T>(*found)) return std::nullopt;
    return ParticleChannel<T>{*found};
  }

  const ParticleSystem& particles() const { return particles_; }
  ParticleChannel<Vec3d> velocity() const { return velocity_; }
  ParticleChannel<std::uint64_t> id() const { return id_; }
  const std::vector<PointForce>& forces() const { return forces_; }
  // Points of the file, until ingest, on every rank; their ids are 0, 1, ...
  std::span<const Vec3d> input_positions() const;
  // A channel of these points, until ingest; nullptr: they have none of that name.
  const Array* input_channel(std::string_view name) const;
  double largest_radius() const;  // of points of the file and of sources, before ingest [m]

  // Pieces are points, by id. Each is a block of its own, numbered by buckets, until contacts join several.
  std::vector<PieceShape> input_shapes() override;
  std::vector<PieceShape> present_shapes() override;
  Embedding point_of(const PieceShape& shape, const MaterialPoint& at) const override;
  std::vector<Seat> seat(std::span<const std::int64_t> pieces) override;
  std::unique_ptr<SolidBlock> make_block(int block) override;
  bool pieces_leave() const override { return true; }
  bool loose() const override { return true; }
  std::vector<Seat> gather(std::span<const int> blocks, std::span<const std::int32_t> islands) override;
  void release(const Seat& seat) override;
  void show_boundary(Boundary& boundary, std::int32_t object, double thickness, const PieceTraits& traits) override;
  bool brings(std::string_view parameter) override { return override_channel<double>(parameter).has_value(); }
  std::vector<double> painted_boundary(std::string_view parameter) const override;
  std::uint64_t boundary_version() const override { return version_; }
  void move_boundary(int block, int place, double dt, std::span<BoundaryVertex> vertices) const override;
  bool every_iteration() const override { return true; }
  std::string name() const override { return path(); }
  // A point of this rank alone, at the beginning of the substep; and the velocity that the solid system found for its
  // end.
  PointBlock point_at(const Step& step, int number) const;
  void take(int number, Vec3d velocity) { taken_[static_cast<std::size_t>(number)] = {true, velocity}; }

  void schedule(Timeline& timeline) override;
  std::int64_t element_count() const override { return particles_.local_count(); }
  double step_limit() const override;
  SolveReport solve_report() const override { return report_; }
  ObjectReport report() const override;
  void save() override;
  void rollback() override;
  void accept() override;
  std::optional<std::string> non_finite() const override { return particles_.non_finite_channel(); }
  std::vector<Channel> channels() override { return list(this); }
  std::string_view frame_kind() const override { return "points"; }
  void restore(const ObjectState* whole) override;
  std::uint64_t hash() const override;
  // The channels of points, for documentation where there are none (nullptr).
  static std::vector<Channel> list(ParticleObject* points);
  void weigh(std::vector<BucketKey>& keys, std::vector<double>& weights) const override;
  Box extent() const override;
  void migrate() override { particles_.migrate(); }
  void unload_buckets() override;
  void reload_buckets() override;

  // The steps of the timeline, public for tests and benchmarks that time them apart.
  void begin_substep();
  void advance(const Step& step);  // forces, solve, motion and contact
  void grow_older(const Step& step);
  void emit(const Step& step);
  void remove(const Step& step);
  void rebucket() { particles_.rebucket(); }

 private:
  struct Scratch;
  PointBlock block_at(const Step& step, int bucket, Planes<const Vec3d>::Type velocity, const double* mass) const;
  // m (v - start) / dt = f at the block's place, time and dt; v holds a guess. Returns what is left: 0, 1 or NaN.
  double solve_bucket(const PointBlock& block, Planes<const Vec3d>::Type start, Planes<Vec3d>::Type v,
                      Scratch& scratch) const;
  // From a block at the beginning of its step: velocities in its middle and at its end.
  double solve_middle(const PointBlock& from, Planes<Vec3d>::Type v, Planes<Vec3d>::Type middle,
                      Scratch& scratch) const;
  // Where points of the solid system are in the end.
  void take_velocities(int bucket, Planes<Vec3d>::Type v) const;
  void take_positions(const PointBlock& from, Planes<Vec3d>::Type x, Planes<Vec3d>::Type v) const;
  // By the mean velocity of the substep; contacts correct the velocity at its end.
  void move(const PointBlock& from, Planes<const Vec3d>::Type mean, Planes<Vec3d>::Type x, Planes<Vec3d>::Type v) const;
  void fly_newborn(double now);
  double mass_of(double radius, double density) const;
  double largest_speed() const;  // on this rank [m/s]
  void ingest();

  Description description_;
  ParticleSystem particles_;
  ParticleChannel<Vec3d> velocity_;
  ParticleChannel<std::uint64_t> id_;
  ParticleChannel<double> age_;                         // [s]
  ParticleChannel<double> radius_;                      // [m]
  ParticleChannel<double> mass_;                        // [kg]
  std::vector<std::pair<std::string, Array>> initial_;  // channels of points given by a file, until ingest
  std::vector<PointSource> sources_;
  std::vector<PointForce> forces_;
  std::vector<PointContact> contacts_;
  std::vector<PointRemoval> removals_;
  std::vector<std::int64_t> born_;  // per source

  std::optional<ParticleSystem::State> begin_;  // positions and velocities the substep starts from
  struct Saved {
    ParticleSystem::State particles;
    std::vector<std::int64_t> born;
  };
  std::optional<Saved> saved_;
  struct Spot {
    int bucket, index;
  };
  Spot place_of(int number) const;
  void number_points();
  std::vector<int> first_number_;         // of the points of each bucket, and of the one after the last
  std::vector<std::vector<int>> groups_;  // blocks of points joined by contacts, in this substep
  struct Taken {
    bool is = false;
    Vec3d velocity{0, 0, 0};  // [m/s]
  };
  std::vector<Taken> taken_;   // by the solid system, in this substep; empty: none
  std::uint64_t version_ = 0;  // of who is there
  bool touches_ = false;       // others, exactly
  double last_dt_ = 0;         // of the last substep [s]
  SolveReport report_;
  ParticleBatch unloaded_;
  bool coupled_to_gas_ = false;
};

}  // namespace ymir
