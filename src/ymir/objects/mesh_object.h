// Mesh Object: a solid cut into cells whose nodes move. [Lesser2022, 6.1 and 7.3]
//
// Degrees of freedom are the positions of the nodes. What holds the cells together are Constraints (actions); what
// frames show is the skin, embedded in the cells. The whole mesh is one piece and one block of the solid system. It
// lives on one rank, or, where it is large, ranks share the work on it (mesh_share.h).
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "ymir/data/embed_skin.h"
#include "ymir/data/grid_domain.h"
#include "ymir/data/solid_mesh.h"
#include "ymir/objects/constraint_state.h"
#include "ymir/objects/force_target.h"
#include "ymir/objects/mesh_share.h"
#include "ymir/objects/mesh_solver.h"
#include "ymir/objects/mesh_step.h"
#include "ymir/pipeline/object.h"
#include "ymir/solids/solid_object.h"

namespace ymir {

class MeshObject final : public Object, public ForceTarget, public SolidObject {
 public:
  struct Description {
    double density = 1000;  // where the mesh has no channel `density` [kg/m^3]
    NewtonSettings newton{1e-5, 50};
    std::vector<Vec3d> start;  // nodes when the simulation begins [m]; empty: the rest shape
    Vec3d velocity{0, 0, 0};   // of the whole body then [m/s]
    Vec3d spin{0, 0, 0};       // about its centre of mass [rad/s]
    LinearSolver solver = LinearSolver::automatic;
    MeshRanks ranks = MeshRanks::automatic;
  };

  MeshObject(std::string path, int group, GridDomain& domain, const Description& description, SolidMesh mesh);

  // All before ingest.
  void add_force(PointForce force) override { forces_.push_back(std::move(force)); }
  void add_constraint(std::unique_ptr<MeshConstraint> constraint) { constraints_.push_back(std::move(constraint)); }
  void solve_every_iteration() override { every_iteration_ = true; }
  void visit_points(const std::function<void(const PointBlock&)>& visit) const override;
  PointField<Vec3d> vector_field(std::string_view) const override { return {}; }
  PointField<double> scalar_field(std::string_view) override { return {}; }
  // Nodes that are where something else says: at rest in their first place, unless a motion says where at a time [s].
  struct NodeMotion {
    std::string owner;
    std::vector<std::int32_t> nodes;
    // Once per substep, on one thread, before `place` at any time within it; may be empty.
    std::function<void(double begin, double end)> prepare;
    std::function<Vec3d(std::size_t k, double time)> place;  // of nodes[k] [m]
  };
  void hold(NodeMotion motion);
  // Unknowns that are no place in space, such as turns of mid-edges: without mass, unmoved by forces and contact. They
  // are packed three to a node after those of the mesh, as lengths [m], and start a substep from their last value, at
  // first 0. Returns the first of their nodes.
  std::int32_t add_inner(std::size_t scalars);

  const Description& description() const { return description_; }
  const SolidMesh& mesh() const { return mesh_; }
  // Nodes when the simulation begins [m].
  const std::vector<Vec3d>& start() const { return description_.start.empty() ? mesh_.positions : description_.start; }
  double mean_edge() const { return mean_edge_; }  // [m]
  const std::vector<double>& mass() const { return mass_; }
  const std::vector<double>& volume() const { return volume_; }  // that each node stands for [m^3]
  const std::vector<double>& radius() const { return radius_; }
  const std::vector<std::uint8_t>& held() const { return held_; }
  const std::vector<Vec3d>& positions() const { return position_; }
  const std::vector<Vec3d>& inner() const { return inner_; }  // of inner unknowns [m]
  bool cloth() const { return mesh_.shape == CellShape::triangle; }
  const std::vector<Vec3d>& velocities() const { return velocity_; }
  std::vector<Vec3d>& velocities() { return velocity_; }
  const std::vector<NodeMotion>& motions() const { return motions_; }
  const std::vector<PointForce>& forces() const { return forces_; }
  const std::vector<std::unique_ptr<MeshConstraint>>& constraints() const { return constraints_; }
  // Vertices of the skin for nodes at `nodes`.
  std::vector<Vec3d> skin(const std::vector<Vec3d>& nodes) const;

  // All nodes are points that may be held; the skin is what others are held to.
  std::vector<PieceShape> input_shapes() override;
  std::vector<PieceShape> present_shapes() override;
  Embedding point_of(const PieceShape& shape, const MaterialPoint& at) const override;
  // What meets others: the skin, with points between its vertices where those are farther apart than nodes.
  struct Touching {
    std::vector<std::array<std::int32_t, 3>> triangles;
    std::vector<CellPoint> points;
  };
  const Touching& touching() const;
  CellPoint skin_point(std::int32_t triangle, Vec3d barycentric) const { return locator_.point(triangle, barycentric); }
  MaterialPoint on_skin(std::int64_t piece, std::int32_t triangle, Vec3d barycentric) override;

  std::vector<Seat> seat(std::span<const std::int64_t> pieces) override;
  std::unique_ptr<SolidBlock> make_block(int block) override;
  int owner() const override { return owner_; }
  bool keep_on(int rank) override;
  bool thin() const override { return cloth(); }
  void show_boundary(Boundary& boundary, std::int32_t object, double thickness, const PieceTraits& traits) override;
  bool brings(std::string_view parameter) override;
  std::vector<double> painted_boundary(std::string_view parameter) const override;
  std::uint64_t boundary_version() const override { return 1; }
  void move_boundary(int block, int place, double dt, std::span<BoundaryVertex> vertices) const override;
  std::vector<int> lone_blocks() const override;
  int lead() const override { return share_ ? owner_ : -1; }
  void share_outcome() override;
  std::size_t bulk() const override { return 3 * mesh_.positions.size(); }
  bool pieces_leave() const override { return false; }
  bool every_iteration() const override { return every_iteration_; }
  std::string name() const override { return path(); }

  void schedule(Timeline& timeline) override;
  std::int64_t element_count() const override { return here_ ? static_cast<std::int64_t>(position_.size()) : 0; }
  double step_limit() const override;  // no node goes farther than the body is large, of cloth than four edges
  ObjectReport report() const override;
  void save() override;
  void rollback() override;
  std::optional<std::string> non_finite() const override;
  std::vector<Channel> channels() override { return list(this); }
  std::string_view frame_kind() const override { return "surface"; }
  void restore(const ObjectState* whole) override;
  std::uint64_t hash() const override;
  // The channels of a mesh, for documentation where there is none (nullptr).
  static std::vector<Channel> list(MeshObject* mesh);
  void weigh(std::vector<BucketKey>&, std::vector<double>&) const override {}
  void migrate() override {}
  Box extent() const override { return bounds(position_); }

  void ingest();
  void begin_substep();
  void restart() override { kept().set(begin_state_); }
  // What a block works with, kept from substep to substep: the pattern of the matrix and what its solver made of it.
  struct Workspace {
    MeshStep step;
    std::vector<Vec3d> begin_velocity;
    std::vector<double> planes;      // of forces
    std::vector<double> right_side;  // that conjugate gradients solved for
    MeshSolver solver;
    // With what contacts add to it.
    BlockMatrix metric_matrix;
    BlockCholesky metric_factor;
    bool metric_analysed = false;
  };
  Workspace& workspace() { return work_; }
  // Of this rank in the work on it; nullptr: it is all one rank's.
  const MeshShare* share() const { return share_.get(); }
  void take(const MeshStep& step);
  bool here() const { return here_; }  // this rank has it, or leads those that share it

 private:
  bool works() const { return here_ || share_ != nullptr; }
  std::string why_whole() const;
  void divide();
  ConstraintState kept() const { return {constraints_, works()}; }
  std::vector<PieceShape> shape_at(const std::vector<Vec3d>& nodes);

  Description description_;
  SolidMesh mesh_;
  mutable SkinLocator locator_{mesh_};
  mutable std::once_flag touching_made_;
  mutable Touching touching_;
  Communicator* communicator_;
  int owner_;  // the rank that has it all, or speaks for those that share it
  bool here_;
  bool kept_ = false;  // ranks do not share it
  std::unique_ptr<const MeshShare> share_;
  double mean_edge_ = 0;
  std::vector<Vec3d> position_, velocity_;
  std::vector<Vec3d> inner_;  // three unknowns each
  std::vector<double> mass_, volume_, radius_;
  std::vector<std::uint8_t> held_;  // of all nodes of the matrix
  std::vector<NodeMotion> motions_;
  std::vector<PointForce> forces_;
  std::vector<std::unique_ptr<MeshConstraint>> constraints_;
  bool every_iteration_ = false;
  std::vector<double> begin_state_;  // of constraints
  double last_dt_ = 0;               // [s]
  Workspace work_;
  struct Saved {
    std::vector<Vec3d> position, velocity, inner;
    std::vector<double> state;
  } saved_;
};

}  // namespace ymir
