// Backward Euler of strands by Newton's method, one group of lanes at a time.
//
//   M (q - q_n - dt v_n)/dt^2 + sum J' y - f = 0
//
// Stretch is primal-dual (its tension is an unknown of its own, condensed away), so that full steps are taken where a
// line search on the energy would crawl. The exact Hessian of bending and twist is used as long as all pivots are
// positive; a lane whose pivot fails gets 1/2, 1/4, 0 of its geometric part, the last being positive definite.
#pragma once

#include <algorithm>
#include <functional>
#include <span>

#include "ymir/objects/point_block.h"
#include "ymir/objects/strand_step.h"
#include "ymir/objects/strand_touches.h"
#include "ymir/solids/newton_settings.h"

namespace ymir {

// Where the roots of a group's strands are at the end of a substep. Lanes without a clamp are ignored.
struct RootPose {
  Vec3<StrandReal> root;         // position [m]
  Vec3<StrandReal> tangent, m1;  // unit, orthogonal
};

// Lanes of a group.
using LaneSet = std::array<bool, StrandSystem::lanes>;
inline constexpr LaneSet all_lanes{true, true, true, true};

struct StrandReport {
  int iterations = 0;                // of the slowest lane
  std::int64_t lane_iterations = 0;  // summed over strands
  std::int64_t contact_iterations = 0;
  int weakened = 0;     // factorisations repeated with less geometric stiffness
  double residual = 0;  // largest of all lanes, unit-free
  bool converged = true;
  int retried = 0;      // lanes advanced in smaller steps of their own
  int unconverged = 0;  // lanes accepted although above the tolerance
  LaneSet failed{};
  std::array<double, StrandSystem::lanes> lane_residual{};
  void note(int lane, double residual_of_part) {
    double& largest = lane_residual[static_cast<std::size_t>(lane)];
    largest = std::max(largest, residual_of_part);
  }
};

class StrandNewton {
 public:
  StrandNewton(StrandSystem& strands, const RodChannels& channels) : strands_(&strands), channels_(&channels) {}

  using Forces = std::span<const PointForce>;
  using Constraints = std::span<const std::unique_ptr<StrandConstraint>>;

  // newton: with as much geometric stiffness as pivots allow. definite: without any, from the first iteration on.
  // damped: with that of compressed edges too, and slow enough to follow a strand to a far solution.
  enum class Matrix : std::uint8_t { newton, definite, damped };
  // Advances strands of a group from their saved state by dt, to `time`. pose: nullptr when roots do not move. Lanes do
  // not influence each other in any bit.
  StrandReport advance(int group, double time, double dt, const RootPose* pose, Forces forces, Constraints constraints,
                       const NewtonSettings& settings, LaneSet lanes = all_lanes, Matrix matrix = Matrix::newton);
  // Contacts that advance() solves for, of the group that comes next; none unless told so.
  void touch(std::span<LoneContact> contacts, double time, double dt, double tolerance) {
    touches_.set(contacts, time, dt, tolerance);
  }
  // The same without solving anything: clamped strands follow their roots rigidly, loose ones fly on without turning.
  // Returns what it leaves: largest residual displacement per lane.
  StrandReal follow(int group, double time, double dt, const RootPose* pose, Forces forces, Constraints constraints,
                    LaneSet lanes);

  // How far forces and inertia would move strands from their saved state in dt if nothing held their vertices together,
  // per lane, in mean edges.
  StrandReal drift(int group, double time, double dt, Forces forces);

  // The parts of advance(), for solvers that couple groups. Their matrices are symmetric: forces that turn with the
  // strand see its direction when the substep begins, unless `turning`.
  void begin(int group, double time, double dt, const RootPose* pose, Forces forces, Constraints constraints,
             bool turning = false);
  void assemble(Forces forces, Constraints constraints);
  // Largest residual displacement per lane, unit-free.
  StrandReal residual() const;
  // False where a lane's matrix is not (quasi-)definite; its beta has then been lowered and assemble() must be
  // repeated.
  bool factor();
  void solve();  // step.step <- -A^-1 (residual + condensed)
  void solve(StrandReal* vector) const;
  // Largest move or turn of step.step, in mean edges or radians.
  StrandReal step_size() const;
  // Share of step.step that a lane may move at once.
  StrandReal reach() const;
  // By that share, and not at all where `frozen` > 0.
  void move(const StrandReal& share, const StrandReal& frozen, Constraints constraints);
  void end(Constraints constraints);

  // What the frame of an edge has turned about it in the substep, by iterations [rad].
  const StrandReal& frame_turn(int edge) const { return angle_[edge]; }

  // Whether a force of the last begin() depends on the velocity, as drag does.
  bool dragged() const { return dependence_ != Dependence::none; }

  // Of the constant forces on free vertices: sum of their sizes [N], and number of vertices.
  void constant_load(StrandReal& sum, StrandReal& vertices) const;
  void add_remaining_load(StrandReal* rows, std::span<const StrandReal> share) const;
  void mask(StrandReal* rows) const;  // zero where unknowns are given

  StrandStep& step() { return step_; }
  const StrandStep& step() const { return step_; }
  // Moves whole strands rigidly with their roots; after begin().
  void place_roots(const RootPose& pose);
  // Strands that are not clamped go along with the velocity of their root: what they are held to flies too.
  void carry_loose();
  // Their frames go on turning as fast as they do in the mean: what rolls turns many times in a substep.
  void spin_loose();
  bool is_free(int vertex, int local, int lane) const {
    return (local < 3 ? free_position_ : free_angle_)[vertex][lane] != 0;
  }
  int row(int vertex, int local) const {
    return step_.multipliers ? MultiplierLayout::row(vertex, local) : PlainLayout::row(vertex, local);
  }
  Vec3d begin_position(int lane, int i) const {
    return {begin_position_[0][i][lane], begin_position_[1][i][lane], begin_position_[2][i][lane]};
  }
  // Rows that vectors have beyond rows().
  int spare_rows() const { return step_.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth; }
  int rows() const { return step_.vertices * (step_.multipliers ? MultiplierLayout::block : PlainLayout::block); }

 private:
  void allocate(int group, Forces forces, Constraints constraints);
  void activate(int group, LaneSet lanes);
  void read_edges();
  void refresh_edges(const StrandReal* turn, const StrandReal& fraction, const StrandReal::Mask& moving);
  void sample_forces(double time, Forces forces);
  void add_inertia();
  void add_forces(Forces forces);
  struct Span {
    Vec3<StrandReal> e;                // from the vertex before to the one after [m]
    StrandReal inverse;                // of its length; 0: none
    StrandReal::Mask exists, to_self;  // the vertex has a direction; it is the last one
    bool from_self;                    // it is the first one
  };
  Span span(int i) const;
  void find_tangents();
  void add_turning();
  // Rate of the present iterate [1/s^2]; largest: acceleration so far.
  StrandReal damping(StrandReal& largest) const;
  void add_damping(const StrandReal& rate);
  void press(int iteration);
  void mask_given();
  template <class Layout>
  void mask_given(StrandReal* matrix) const;
  template <class Layout>
  bool factor_as();
  template <class Layout>
  void solve_as(StrandReal* vector) const;
  PointBlock block(double time) const;
  Planes<Vec3d>::Type vector_planes(StrandReal* first) const;
  ForceBlock force_block(StrandReal* first) const;

  StrandSystem* strands_;
  const RodChannels* channels_;
  StrandStep step_;
  std::vector<StrandReal> memory_;
  const StrandReal *begin_position_[3], *begin_velocity_[3], *begin_spin_;
  const StrandReal *mass_, *inertia_, *free_position_, *free_angle_;
  StrandReal* angle_;     // turned since the substep began [rad]
  StrandReal* constant_;  // 9 planes: forces that do not change during the substep
  StrandReal* velocity_;  // 3 planes: of the iterate, when a force asks for it
  StrandReal* varying_;   // 9 planes
  StrandReal* samples_;   // 3 planes per force
  // Where a force asks for the direction of the strand: 3 planes of it, one of the length of strand per vertex, 9 of
  // the derivative of forces, and the upper triangle of the matrix, which then is not symmetric.
  StrandReal *vertex_tangent_ = nullptr, *vertex_length_ = nullptr, *by_tangent_ = nullptr, *upper_ = nullptr;
  bool directed_ = false;  // a force asks
  bool turning_ = false;   // and is implicit in the answer
  StrandReal count_, first_edge_;
  StrandReal ignored_pivots_;  // 1: the lane has failed, its matrix no longer matters
  std::vector<char> masked_;   // vertices with an unknown that is given in some lane
  Dependence dependence_ = Dependence::none;
  StrandTouches touches_;
  int weakened_ = 0;
};

}  // namespace ymir
