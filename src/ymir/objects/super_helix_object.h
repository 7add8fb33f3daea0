// Super-Helix Object: strands in reduced coordinates. [Bertails2006; Daviet2011]
//
// Degrees of freedom of a strand are the curvatures of its helical elements (physics/rods/super_helix.h); it cannot
// stretch, and elasticity is diagonal and linear. Mass, forces and contact are at points of integration. A strand is a
// block of the solid system with a dense factor; strands that nothing is coupled to advance alone, on all threads.
// Stored as a Strand System whose "vertices" are elements.
#pragma once

#include <memory>
#include <vector>

#include "ymir/data/strand_system.h"
#include "ymir/grooms/helix_fit.h"
#include "ymir/objects/force_target.h"
#include "ymir/objects/rooted_strands.h"
#include "ymir/objects/super_helix_step.h"
#include "ymir/physics/rods/gauss_points.h"
#include "ymir/pipeline/object.h"
#include "ymir/solids/solid_object.h"

namespace ymir {

class SuperHelixBlock;

struct SuperHelixChannels {
  int curvature, origin, tangent, m1;  // vectors, state; of the frame an element begins with
  int velocity;                        // vectors, state: of the points of an element, one after the other
  int rest;                            // vector: natural curvature [1/m]
  int stiffness;                       // three: EI2, EI1, GJ [N m^2]
  int length, line_density, radius;    // of an element [m], [kg/m], [m]
};

class SuperHelixObject final : public Object, public ForceTarget, public SolidObject, public RootedStrands {
 public:
  static constexpr int most_points = 64;  // per element

  struct Description {
    int elements = 5;
    int points = 0;         // of integration per element; 0: as many as the curliest strand needs
    int vertices = 32;      // that frames show
    double density = 1300;  // [kg/m^3]
    double radius = 40e-6;  // semi-axis along m1 [m]
    double flattening = 1;  // semi-axis along m2 by that along m1
    double youngs_modulus = 3.5e9, shear_modulus = 1.3e9;  // [Pa]
    double relaxation_time = 0;                            // tau of Rayleigh damping on curvature [s]
    bool clamped = true;                                   // roots are held, in position and orientation
    NewtonSettings newton{1e-8, 60};
  };

  SuperHelixObject(std::string path, int group, GridDomain& domain, const Description& description);
  ~SuperHelixObject() override;

  // All before ingest. Throws Error naming strand and vertex of what is no strand.
  void set_curves(const Curves& curves);
  double fit_error() const;  // largest, by the length of the strand
  void add_force(PointForce force) override { forces_.push_back(std::move(force)); }
  void add_constraint(std::unique_ptr<HelixConstraint> constraint) { constraints_.push_back(std::move(constraint)); }
  // Called for every strand when it enters, its shape being known: fills a constraint's channels.
  using Emission = std::function<void(Strand&, const SuperHelix&)>;
  void add_emission(Emission emission) { emissions_.push_back(std::move(emission)); }
  void solve_every_iteration() override { every_iteration_ = true; }
  void visit_points(const std::function<void(const PointBlock&)>& visit) const override;
  PointField<Vec3d> vector_field(std::string_view) const override { return {}; }
  PointField<double> scalar_field(std::string_view) override { return {}; }

  std::size_t input_strands() const override { return fits_.size(); }
  RootFrame root_frame(std::int64_t strand) const override;
  void set_root_motion(RootMotion motion) override { root_motion_ = std::move(motion); }
  void release_roots() override;
  bool clamped() const override { return description_.clamped; }
  bool moving_roots() const { return static_cast<bool>(root_motion_.pose); }
  RootFrame root_pose(std::int64_t strand, double time) const { return root_motion_.pose(strand, time); }

  const Description& description() const { return description_; }
  StrandSystem& strands() { return strands_; }
  const StrandSystem& strands() const { return strands_; }
  const SuperHelixChannels& helix_channels() const { return channels_; }
  const GaussPoints<most_points>& gauss() const { return gauss_; }
  const std::vector<PointForce>& forces() const { return forces_; }
  const std::vector<std::unique_ptr<HelixConstraint>>& constraints() const { return constraints_; }
  SuperHelix helix(int group, int lane) const;  // as it is now, updated

  // Pieces are strands; a cell is an edge of what is shown, from 1 on.
  struct Place {
    int element;
    double s;  // [m]
  };
  Place place_of(const SuperHelix& helix, const MaterialPoint& at) const;
  std::vector<PieceShape> input_shapes() override;
  std::vector<PieceShape> present_shapes() override;
  Embedding point_of(const PieceShape& shape, const MaterialPoint& at) const override;
  std::vector<Seat> seat(std::span<const std::int64_t> pieces) override;
  std::unique_ptr<SolidBlock> make_block(int block) override;
  std::int64_t order_of(int block) const override;
  bool keep_on(int rank) override {
    strands_.keep_on(rank);
    return true;
  }
  void show_boundary(Boundary& boundary, std::int32_t object, double thickness, const PieceTraits& traits) override;
  std::uint64_t boundary_version() const override { return strands_.arrangement(); }
  void move_boundary(int block, int place, double dt, std::span<BoundaryVertex> vertices) const override;
  bool pieces_leave() const override { return false; }
  bool every_iteration() const override { return every_iteration_; }
  std::string name() const override { return path(); }

  void schedule(Timeline& timeline) override;
  std::int64_t element_count() const override { return strands_.vertex_count(); }
  SolveReport solve_report() const override { return report_; }
  ObjectReport report() const override;
  void save() override { strands_.save(); }
  void rollback() override { strands_.rollback(); }
  std::optional<std::string> non_finite() const override;
  std::vector<Channel> channels() override { return list(this); }
  std::string_view frame_kind() const override { return "curves"; }
  ObjectState checkpoint() const override;
  void restore(const ObjectState* whole) override;
  std::uint64_t hash() const override { return strands_.hash(); }
  // The channels of super-helices, for documentation where there are none (nullptr).
  static std::vector<Channel> list(SuperHelixObject* strands);
  void weigh(std::vector<BucketKey>& keys, std::vector<double>& weights) const override;
  Box extent() const override;
  void migrate() override { strands_.migrate(); }

  // The steps of the timeline, public for tests and benchmarks.
  void ingest();
  void prepare(const Step& step);
  void advance(const Step& step);
  std::int64_t newton_iterations() const { return newton_iterations_; }  // since the beginning, over all strands

 private:
  // Of each element, at its middle.
  struct Section {
    double radius, density, flattening;
  };
  void refuse_bad_strands(const Curves& curves) const;
  void choose_points(const Curves& curves);
  void read_sections(const Curves& curves);
  Strand make_strand(std::int64_t id) const;
  PieceShape shape_of(std::int64_t strand, const SuperHelix& helix);
  // Values at the vertices that are shown, strand by strand: at(helix, group, lane, vertex).
  template <class Get>
  Array of_vertices(Get at) const;
  Vec3d velocity_at(int group, int lane, double s) const;

  Description description_;
  StrandSystem strands_;
  SuperHelixChannels channels_{};
  GaussPoints<most_points> gauss_{1};
  std::vector<HelixFit> fits_;     // of all strands of the input
  std::vector<Section> sections_;  // the same, element by element
  std::vector<PointForce> forces_;
  std::vector<std::unique_ptr<HelixConstraint>> constraints_;
  std::vector<Emission> emissions_;
  RootMotion root_motion_;
  std::vector<std::unique_ptr<SuperHelixBlock>> solvers_;  // one per thread
  bool every_iteration_ = false;
  SolveReport report_;
  ObjectReport solves_;  // of the substep at hand
  double last_dt_ = 0;   // [s]
  std::int64_t newton_iterations_ = 0;
};

}  // namespace ymir
