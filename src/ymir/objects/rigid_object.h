// Rigid Object: bodies that do not deform. [Lesser2022, 6.1]
//
// Each closed part of the surface is a body, with the mass and inertia of what it encloses. Degrees of freedom are the
// centre of mass and the rotation of the principal axes; momenta are kept, so that free flight is exact in them. A body
// is a block of the solid system; Forces act on six points of a sixth of its mass each, which have its inertia.
#pragma once

#include <memory>
#include <vector>

#include "ymir/data/grid_domain.h"
#include "ymir/data/meshes.h"
#include "ymir/objects/constraint_state.h"
#include "ymir/objects/force_target.h"
#include "ymir/objects/rigid_step.h"
#include "ymir/pipeline/object.h"
#include "ymir/solids/solid_object.h"

namespace ymir {

struct RigidBody {
  double mass;                                         // [kg]
  double size;                                         // half the longest diagonal of its box [m]
  Vec3d spread, moments;                               // covariance and inertia along the principal axes [kg m^2]
  std::vector<std::int32_t> vertices;                  // of the surface
  std::vector<Vec3d> points;                           // the same in the axes of the body [m]
  std::vector<std::array<std::int32_t, 3>> triangles;  // over points
};

struct RigidPose {
  Vec3d position;       // of the centre of mass [m]
  Quaternion rotation;  // of the principal axes
  Vec3d velocity{0, 0, 0};
  Vec3d momentum{0, 0, 0};  // angular, about the centre, in the world [kg m^2/s]
};

class RigidObject final : public Object, public ForceTarget, public SolidObject {
 public:
  struct Description {
    double density = 1000;  // [kg/m^3]
    Vec3d velocity{0, 0, 0};
    Vec3d spin{0, 0, 0};  // [rad/s]
    NewtonSettings newton{1e-9, 50};
  };
  static constexpr int mass_points = 6;

  // Throws Error where a part of the surface encloses nothing.
  RigidObject(std::string path, int group, GridDomain& domain, const Description& description, Surface surface);

  // All before ingest.
  void add_force(PointForce force) override { forces_.push_back(std::move(force)); }
  void add_constraint(std::unique_ptr<RigidConstraint> constraint) { constraints_.push_back(std::move(constraint)); }
  void solve_every_iteration() override { every_iteration_ = true; }
  void visit_points(const std::function<void(const PointBlock&)>& visit) const override;
  PointField<Vec3d> vector_field(std::string_view) const override { return {}; }
  PointField<double> scalar_field(std::string_view) override { return {}; }

  const Description& description() const { return description_; }
  const std::vector<RigidBody>& bodies() const { return bodies_; }
  const Surface& surface() const { return surface_; }  // at rest
  // Where the bodies begin, and where they are; empty on ranks that do not have them.
  const std::vector<RigidPose>& rest_poses() const { return rest_; }
  const std::vector<RigidPose>& poses() const { return poses_; }
  std::vector<RigidPose>& poses() { return poses_; }
  const std::vector<PointForce>& forces() const { return forces_; }
  const std::vector<std::unique_ptr<RigidConstraint>>& constraints() const { return constraints_; }
  // The point of a body that is at x when everything begins.
  MaterialPoint point_at(std::size_t body, Vec3d x);
  Embedding at_rest(const MaterialPoint& at) const;  // a point then
  Vec3d angular_velocity(std::size_t body) const;    // [rad/s]

  std::vector<Seat> seat(std::span<const std::int64_t> pieces) override;
  std::unique_ptr<SolidBlock> make_block(int block) override;
  int owner() const override { return owner_; }
  bool keep_on(int rank) override {
    owner_ = rank;
    here_ = communicator_->rank() == rank;
    return true;
  }
  void show_boundary(Boundary& boundary, std::int32_t object, double thickness, const PieceTraits& traits) override;
  std::uint64_t boundary_version() const override { return 1; }
  void move_boundary(int block, int place, double dt, std::span<BoundaryVertex> vertices) const override;
  std::vector<int> lone_blocks() const override;
  bool pieces_leave() const override { return false; }
  bool every_iteration() const override { return every_iteration_; }
  std::string name() const override { return path(); }
  std::vector<PieceShape> input_shapes() override;
  std::vector<PieceShape> present_shapes() override;
  Embedding point_of(const PieceShape& shape, const MaterialPoint& at) const override;
  MaterialPoint on_skin(std::int64_t piece, std::int32_t triangle, Vec3d barycentric) override;

  void schedule(Timeline& timeline) override;
  // Vertices of all bodies, on the rank that has them [m].
  std::vector<Vec3d> surface_now() const;
  std::int64_t element_count() const override { return static_cast<std::int64_t>(poses_.size()); }
  double step_limit() const override;  // no body goes farther than its size
  ObjectReport report() const override;
  void save() override;
  void rollback() override;
  std::optional<std::string> non_finite() const override;
  std::vector<Channel> channels() override { return list(this); }
  std::string_view frame_kind() const override { return "surface"; }
  void restore(const ObjectState* whole) override;
  std::uint64_t hash() const override;
  // The channels of rigid bodies, for documentation where there are none (nullptr).
  static std::vector<Channel> list(RigidObject* bodies);
  void weigh(std::vector<BucketKey>&, std::vector<double>&) const override {}
  void migrate() override {}
  Box extent() const override;

  void ingest();
  void begin_substep(const Step& step);
  void restart() override { kept().set(begin_values_); }
  const RigidPose& begin_pose(std::size_t body) const { return begin_[body]; }
  void take(std::size_t body, const RigidPose& pose) { poses_[body] = pose; }

 private:
  ConstraintState kept() const { return {constraints_, here_}; }
  std::vector<Vec3d> surface_velocities() const;
  std::vector<PieceShape> shapes_at(const std::vector<RigidPose>& poses);

  Description description_;
  Surface surface_;
  Communicator* communicator_;
  int owner_;  // the rank that has it all
  bool here_;  // all bodies live on one rank
  std::vector<RigidBody> bodies_;
  std::vector<RigidPose> rest_, poses_, begin_;
  std::vector<PointForce> forces_;
  std::vector<std::unique_ptr<RigidConstraint>> constraints_;
  bool every_iteration_ = false;
  std::vector<double> begin_values_;  // of constraints
  double last_dt_ = 0;                // [s]
  struct Saved {
    std::vector<RigidPose> poses;
    std::vector<double> state;
  } saved_;
};

}  // namespace ymir
