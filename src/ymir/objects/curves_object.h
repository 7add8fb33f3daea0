// Curves Object: strands as discrete elastic rods. [Lesser2022, 6.1; Bergou2008; Bergou2010]
//
// Degrees of freedom are vertex positions and the angle of each edge's material frame. Strands are owned whole by a
// rank and advanced in groups of lanes (strand_newton.h). A clamped strand has a ghost vertex before its root, so that
// root position and orientation are held to second order: x_-1 = x_0 - L_0 t.
#pragma once

#include <map>
#include <optional>

#include "ymir/objects/force_target.h"
#include "ymir/objects/rooted_strands.h"
#include "ymir/objects/strand_newton.h"
#include "ymir/pipeline/object.h"
#include "ymir/solids/solid_object.h"

namespace ymir {

class CurvesObject final : public Object, public ForceTarget, public SolidObject, public RootedStrands {
 public:
  struct Description {
    double density = 1300;  // [kg/m^3]
    double radius = 40e-6;  // semi-axis along m1 [m]
    double flattening = 1;  // semi-axis along m2 by that along m1
    bool clamped = true;    // roots are held, in position and orientation
    NewtonSettings newton;
    // Share of the constant forces that the rest shape is adapted to, 0 to 1; a channel of the curves overrides it.
    double gravity_compensation = 0;
  };

  CurvesObject(std::string path, int group, GridDomain& domain, const Description& description);

  // All before ingest.
  void set_curves(Curves curves);
  void add_force(PointForce force) override { forces_.push_back(std::move(force)); }
  PointField<Vec3d> vector_field(std::string_view name) const override;
  PointField<double> scalar_field(std::string_view name) override;
  void solve_every_iteration() override { every_iteration_ = true; }
  void visit_points(const std::function<void(const PointBlock&)>& visit) const override;
  void add_constraint(std::unique_ptr<StrandConstraint> constraint) { constraints_.push_back(std::move(constraint)); }
  void set_root_motion(RootMotion motion) override { root_motion_ = std::move(motion); }
  void release_roots() override { description_.clamped = false; }
  bool clamped() const override { return description_.clamped; }
  std::size_t input_strands() const override { return curves_.strand_count(); }
  // Puts a strand with others: strands with the same home are on the same rank, those with the same tie are solved
  // together. Its root and none, unless set here.
  void set_home(std::int64_t strand, Vec3d home, std::int64_t tie) { homes_[strand] = {home, tie}; }
  // Called for every strand when it enters, its rest shape being known: fills a constraint's channels.
  using Emission = std::function<void(Strand&)>;
  void add_emission(Emission emission) { emissions_.push_back(std::move(emission)); }
  // A real-valued channel of the curves (per vertex, else per strand) at a vertex of a strand; nothing when there is
  // none.
  std::optional<double> curve_value(std::string_view name, std::int64_t strand, int vertex) const {
    return ymir::curve_value(curves_, name, strand, vertex);
  }
  // Whether the curves bring values of that name, per vertex or per strand.
  bool painted(std::string_view name) const { return curves_.vertices.has(name) || curves_.strands.has(name); }
  // The strands' channel of these values, made where it is missing; -1: the curves bring none. Values below 0 are
  // refused. Emissions added later find it filled.
  int painted_channel(std::string_view name);
  // Rest pose of a strand's root; from the curves, also before ingest.
  RootFrame root_frame(std::int64_t strand) const override { return root_frame_of(curves_, strand); }
  const Curves& curves() const { return curves_; }
  const Description& description() const { return description_; }

  StrandSystem& strands() { return strands_; }
  const StrandSystem& strands() const { return strands_; }
  const RodChannels& rod_channels() const { return channels_; }

  // Pieces are strands; blocks are groups of them, places their lanes.
  std::vector<PieceShape> input_shapes() override;
  std::vector<PieceShape> present_shapes() override;
  Embedding point_of(const PieceShape& shape, const MaterialPoint& at) const override;
  std::vector<Seat> seat(std::span<const std::int64_t> pieces) override;
  std::unique_ptr<SolidBlock> make_block(int block) override;
  std::int64_t order_of(int block) const override;
  void keep_blocks() override;
  bool keep_on(int rank) override {
    strands_.keep_on(rank);
    return true;
  }
  void show_boundary(Boundary& boundary, std::int32_t object, double thickness, const PieceTraits& traits) override;
  // Whether a strand touches at its surface (SolidObject::rolls_from()).
  bool rolls(int group, int lane) const;
  bool rolls(int group) const;  // some strand of the group does
  bool brings(std::string_view parameter) override;
  std::vector<double> painted_boundary(std::string_view parameter) const override;
  std::uint64_t boundary_version() const override { return strands_.arrangement(); }
  void move_boundary(int block, int place, double dt, std::span<BoundaryVertex> vertices) const override;
  bool pieces_leave() const override { return false; }
  bool solves_contacts() const override { return true; }
  void take_contacts(std::span<LoneContact> contacts, double tolerance) override;
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
  // The channels of strands, for documentation where there are none (nullptr).
  static std::vector<Channel> list(CurvesObject* curves);
  void weigh(std::vector<BucketKey>& keys, std::vector<double>& weights) const override;
  Box extent() const override;
  void migrate() override { strands_.migrate(); }

  // The steps of the timeline, public for tests and benchmarks.
  void ingest();
  void place_roots(const Step& step);
  void prepare(const Step& step);
  void advance(const Step& step);
  // Where the roots of a group's strands are at a time within the substep.
  bool moving_roots() const { return static_cast<bool>(root_motion_.pose); }
  RootPose root_pose(int group, double time) const;
  StrandNewton::Forces forces() const { return forces_; }
  StrandNewton::Constraints constraints() const { return constraints_; }

  // Newton iterations since the beginning, summed over strands, and how many strand steps they took.
  std::int64_t newton_iterations() const { return newton_iterations_; }
  std::int64_t strand_steps() const { return strand_steps_; }
  int most_iterations() const { return most_iterations_; }
  std::int64_t weakened() const { return weakened_; }
  std::int64_t local_halvings() const { return local_halvings_; }
  std::int64_t unconverged() const { return unconverged_; }  // strand steps accepted above the tolerance

 private:
  double positive_value(const char* name, std::int64_t strand, int vertex, double otherwise) const;
  Strand make_strand(std::int64_t id);
  void compensate_gravity();
  void note(const std::vector<StrandReport>& reports, const Step& step);
  void note_contacts(const std::vector<StrandReport>& reports);

  Description description_;
  StrandSystem strands_;
  RodChannels channels_{};
  Curves curves_;  // positions and channels of the input
  std::vector<PointForce> forces_;
  std::vector<std::unique_ptr<StrandConstraint>> constraints_;
  std::vector<Emission> emissions_;
  std::map<std::string, int, std::less<>> overrides_;  // vectors per vertex that Forces may ask for
  int compensation_ = -1;                              // channel of the painted gravity_compensation
  struct Home {
    Vec3d place;
    std::int64_t tie;
  };
  std::map<std::int64_t, Home> homes_;  // of strands that constraints connect, until ingest
  bool blocks_kept_ = false;            // ties are the numbers of groups on one rank
  RootMotion root_motion_;
  std::int64_t resampled_ = 0, held_ = 0;               // strands with coincident vertices; of no length
  std::vector<std::unique_ptr<StrandNewton>> solvers_;  // one per thread: their memory stays in its core's cache
  bool every_iteration_ = false;
  std::span<LoneContact> contacts_;         // of the substep, by groups
  std::vector<std::size_t> first_contact_;  // of each group, and their number
  double contact_tolerance_ = 0;
  SolveReport report_;
  ObjectReport solves_;  // of the substep at hand
  double last_dt_ = 0;   // its length [s]
  std::int64_t newton_iterations_ = 0, strand_steps_ = 0, weakened_ = 0, local_halvings_ = 0, unconverged_ = 0;
  int most_iterations_ = 0;
};

}  // namespace ymir
