// Elaston Object: plants whose branches are lines, leaves sheets and trunks solids, in one field. [Martin2010;
// Lesser2022, 7.2]
//
// Degrees of freedom are places and gradients of nodes, from which generalised moving least squares make the field;
// energy, mass, forces and contact are those of elastons, points of integration between the nodes. Plants that do not
// hang together are pieces, each a block of the solid system. Roots are held by their field: the nodes there are not
// where the field is.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "ymir/data/elaston_cloud.h"
#include "ymir/data/grid_domain.h"
#include "ymir/objects/constraint_state.h"
#include "ymir/objects/elaston_contacts.h"
#include "ymir/objects/elaston_elements.h"
#include "ymir/objects/elaston_step.h"
#include "ymir/objects/force_target.h"
#include "ymir/pipeline/object.h"
#include "ymir/solids/solid_object.h"
#include "ymir/solvers/block_cholesky.h"

namespace ymir {

struct ElastonMaterial {
  double youngs_modulus = 1e8;  // [Pa]
  double poisson_ratio = 0.3;
  double density = 700;        // [kg/m^3]
  double relaxation_time = 0;  // tau of Rayleigh damping on strain and its gradient [s]
};

// A plant: rest data and what a block works with, kept from substep to substep.
struct ElastonPiece {
  std::size_t first_node = 0, first_elaston = 0, first_held = 0;
  std::size_t nodes = 0, elastons = 0, held = 0;
  std::size_t first_part = 0, parts = 0;
  ElastonElements elements;  // elastons, then held points
  BlockMatrix matrix;
  BlockCholesky solver;
  std::vector<Vec3d> position, begin, begin_velocity, residual, step;  // of slots, four to a node
  std::vector<Vec3d> centre, begin_centre, gradient;                   // of elastons
  std::vector<Mat3d> stiffness;
  std::vector<double> planes;  // of forces
  // Gravity compensation: constant stress of the rows of each elaston [J, J m], and forces on x and F of each held
  // point [N, N m]; empty: none.
  std::vector<std::array<double, 24>> borne;
  std::vector<std::array<double, 12>> reaction;
  // Of what touches others.
  std::optional<ElastonBoundary> boundary;
  std::optional<ElastonMetric> metric;
};

class ElastonObject final : public Object, public ForceTarget, public SolidObject {
 public:
  struct Description {
    ElastonMaterial material;
    NewtonSettings newton{1e-8, 50};
    Vec3d velocity{0, 0, 0};  // with which everything begins [m/s]
  };

  ElastonObject(std::string path, int group, GridDomain& domain, const Description& description, ElastonCloud cloud);

  // All before ingest.
  void add_force(PointForce force) override { forces_.push_back(std::move(force)); }
  void add_constraint(std::unique_ptr<ElastonConstraint> constraint) { constraints_.push_back(std::move(constraint)); }
  // Lets stresses, and forces of what holds the roots, bear `share` of the constant forces where the plants begin, as
  // far as roots hold them. When all forces have been added. Returns how much stiffer the wood would have to be to
  // stand so, in steps of 1.25; 1: it stands.
  double bear_load(double share);
  void solve_every_iteration() override { every_iteration_ = true; }
  void visit_points(const std::function<void(const PointBlock&)>& visit) const override;
  PointField<Vec3d> vector_field(std::string_view) const override { return {}; }
  PointField<double> scalar_field(std::string_view) override { return {}; }
  // Drag coefficients for which the balls that Forces see feel what lines and sheets with this coefficient would.
  PointField<double> drag_coefficients(double coefficient) override;

  const Description& description() const { return description_; }
  const ElastonCloud& cloud() const { return cloud_; }
  double unit() const { return cloud_.spacing; }  // by which F is a length [m]
  std::vector<ElastonPiece>& pieces() { return pieces_; }
  const std::vector<double>& mass() const { return mass_; }      // of elastons [kg]
  const std::vector<double>& radius() const { return radius_; }  // of balls with their volume [m]
  const std::vector<PointForce>& forces() const { return forces_; }
  const std::vector<std::unique_ptr<ElastonConstraint>>& constraints() const { return constraints_; }
  // Slots of the nodes: place, and the columns of F times unit().
  const std::vector<Vec3d>& slots() const { return position_; }
  const std::vector<Vec3d>& slot_velocities() const { return velocity_; }
  std::vector<Vec3d>& slots() { return position_; }
  std::vector<Vec3d>& slot_velocities() { return velocity_; }
  // Value and gradient (columns) of a field given at the slots, where x was at rest near a node.
  struct FieldValue {
    Vec3d value{0, 0, 0};
    Mat3d gradient;
  };
  FieldValue field_at(const std::vector<Vec3d>& slots, Vec3d x, std::int32_t near) const;
  // Where the centres of elastons are.
  std::vector<Vec3d> centres(const std::vector<Vec3d>& slots) const;

  std::vector<Seat> seat(std::span<const std::int64_t> pieces) override;
  std::unique_ptr<SolidBlock> make_block(int block) override;
  int owner() const override { return owner_; }
  bool keep_on(int rank) override {
    owner_ = rank;
    here_ = communicator_->rank() == rank;
    return true;
  }
  std::vector<int> lone_blocks() const override;
  bool pieces_leave() const override { return false; }
  bool every_iteration() const override { return every_iteration_; }
  std::string name() const override { return path(); }
  // The skin is what others are held to. A point of it follows the few nodes nearest to it (embedded_at): it depends on
  // more of them than couplings take.
  std::vector<PieceShape> input_shapes() override;
  std::vector<PieceShape> present_shapes() override;
  Embedding point_of(const PieceShape& shape, const MaterialPoint& at) const override;
  MaterialPoint on_skin(std::int64_t piece, std::int32_t triangle, Vec3d barycentric) override;
  // The point that was at at.weights at rest, by the nodes nearest to it around the node at.cell; `slots` begin with
  // those of `first_node`.
  Embedding embedded_at(const MaterialPoint& at, std::span<const Vec3d> slots, std::size_t first_node) const;
  const ElastonReach& reach() const { return *reach_; }
  // Branches are lines of balls; leaves and trunks have their skins. Parts of a plant do not touch each other.
  void show_boundary(Boundary& boundary, std::int32_t object, double thickness, const PieceTraits& traits) override;
  void move_boundary(int block, int place, double dt, std::span<BoundaryVertex> vertices) const override;

  void schedule(Timeline& timeline) override;
  // Vertices that are shown, on the rank that has them [m].
  std::vector<Vec3d> skin_now() const;
  std::int64_t element_count() const override { return static_cast<std::int64_t>(position_.size() / 4); }
  ObjectReport report() const override;
  void save() override;
  void rollback() override;
  void restart() override { kept().set(saved_.state); }  // constraints as they were when the substep was saved
  std::optional<std::string> non_finite() const override;
  std::vector<Channel> channels() override { return list(this); }
  std::string_view frame_kind() const override { return "surface"; }
  void restore(const ObjectState* whole) override;
  std::uint64_t hash() const override;
  // The channels of plants, for documentation where there are none (nullptr).
  static std::vector<Channel> list(ElastonObject* plants);
  void weigh(std::vector<BucketKey>&, std::vector<double>&) const override {}
  void migrate() override {}
  Box extent() const override;

  void ingest();
  void begin_substep(const Step& step);
  void take(const ElastonPiece& piece, double dt);

 private:
  ConstraintState kept() const { return {constraints_, here_}; }
  std::vector<Vec3d> rest_slots() const;
  std::vector<PieceShape> shapes_at(const std::vector<Vec3d>& skin);

  // Values of the field at a point, as weights of slots.
  struct Weights {
    std::vector<std::size_t> first{0};
    std::vector<std::int32_t> nodes;
    std::vector<std::array<double, 4>> of_slots;

    void add(const ElastonPoint& point, double unit);
    Vec3d at(std::size_t k, const std::vector<Vec3d>& slots) const;
  };

  Description description_;
  ElastonCloud cloud_;
  Communicator* communicator_;
  int owner_;  // the rank that has it all
  bool here_;  // all plants live on one rank
  std::optional<ElastonReach> reach_;
  std::vector<ElastonPiece> pieces_;
  std::vector<std::vector<std::int32_t>> skin_pieces_;  // triangles of the skin of each plant, on all ranks
  Weights centre_weights_, skin_weights_;
  std::vector<double> mass_, radius_;
  std::vector<Vec3d> position_, velocity_;
  std::vector<PointForce> forces_;
  std::vector<std::unique_ptr<ElastonConstraint>> constraints_;
  bool every_iteration_ = false;
  double last_dt_ = 0;  // [s]
  struct Saved {
    std::vector<Vec3d> position, velocity;
    std::vector<double> state;
  } saved_;
};

}  // namespace ymir
