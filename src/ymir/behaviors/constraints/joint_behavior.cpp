#include "ymir/behaviors/constraints/joint_behavior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ymir/behaviors/scope.h"
#include "ymir/data/triangle_bvh.h"

namespace ymir {
namespace {

// The rigid bodies in scope, numbered through.
class Bodies {
 public:
  explicit Bodies(const std::vector<RigidObject*>& objects) {
    for (RigidObject* object : objects)
      for (std::size_t b = 0; b < object->bodies().size(); ++b) bodies_.emplace_back(object, b);
  }
  std::size_t size() const { return bodies_.size(); }
  Vec3d centre(std::size_t b) const { return bodies_[b].first->rest_poses()[bodies_[b].second].position; }
  JointEnd end(std::size_t b, Vec3d x) const { return joint_end(*bodies_[b].first, bodies_[b].second, x); }
  double distance(std::size_t b, Vec3d x) const {
    const auto& [object, number] = bodies_[b];
    const RigidBody& body = object->bodies()[number];
    Surface part;
    std::vector<std::int32_t> place(object->surface().positions.size(), -1);
    for (const std::int32_t v : body.vertices) {
      place[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(part.positions.size());
      part.positions.push_back(object->surface().positions[static_cast<std::size_t>(v)]);
    }
    for (const auto& t : object->surface().triangles)
      if (place[static_cast<std::size_t>(t[0])] >= 0)
        part.triangles.push_back({place[static_cast<std::size_t>(t[0])], place[static_cast<std::size_t>(t[1])],
                                  place[static_cast<std::size_t>(t[2])]});
    return std::max(TriangleBvh(part).signed_distance(x), 0.0);
  }
  // Of its outermost vertex from an axis [m].
  double reach(std::size_t b, Vec3d x, Vec3d axis) const {
    const auto& [object, number] = bodies_[b];
    double most = 0;
    for (const std::int32_t v : object->bodies()[number].vertices)
      most = std::max(most, norm(cross(axis, object->surface().positions[static_cast<std::size_t>(v)] - x)));
    return most;
  }
  // Nearest to x, but for one; of equally near ones the nearest centre.
  std::size_t nearest(Vec3d x, std::size_t but) const {
    std::size_t best = but == 0 ? 1 : 0;
    std::pair<double, double> least{1e300, 1e300};
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      if (b == but) continue;
      const std::pair here{distance(b, x), norm(centre(b) - x)};
      if (here < least) {
        least = here;
        best = b;
      }
    }
    return best;
  }

 private:
  std::vector<std::pair<RigidObject*, std::size_t>> bodies_;
};

constexpr std::size_t none = static_cast<std::size_t>(-1);

// Speed of a motor that reaches it whatever it takes [rad/s or m/s].
double unlimited(const JointDrive& drive) {
  return drive.motor_strength == 0 && !drive.motor_target ? std::fabs(drive.motor_speed.value_or(0)) : 0;
}

Error mistake(const Scope& scope, const std::string& what) {
  return Error(ExitCode::bad_input, scope.path() + ": " + what);
}

// Motors stop at limits; one that begins there does nothing.
void warn_of_driven_limit(Scope& scope, const JointDrive& d, const char* unit) {
  if (!d.motor_speed || *d.motor_speed == 0) return;
  const std::optional<double> limit = *d.motor_speed > 0 ? d.high : d.low;
  if (limit && *limit == 0)
    scope.warn(
        fmt::format("the motor drives at {:g} {}/s against a limit that the joint begins at, and moves nothing; "
                    "turn its sign, or move the limit",
                    *d.motor_speed, unit));
}

// What no substep can follow, however often it is halved: see Simulation and joints.cpp.
void warn_of_speed(Scope& scope, const JointDrive& d, bool hinge) {
  if (!d.motor_speed) return;
  constexpr double most_turn = 2.8;  // half a turn cannot be told from half a turn back [rad]
  constexpr int halvings = 256;
  const TimeParams& time = scope.simulation().time_params();
  const double most = hinge ? most_turn * halvings * time.fps * time.substeps : time.largest_speed;
  if (std::abs(*d.motor_speed) > most)
    scope.warn(fmt::format("the motor's speed, {:g} {}/s, is above the {:.3g} {}/s that {}; give it less{}",
                           *d.motor_speed, hinge ? "rad" : "m", most, hinge ? "rad" : "m",
                           hinge ? "the shortest substeps can follow" : "`time: {largest_speed: ...}` allows",
                           hinge ? ", or more substeps" : ", or allow more"));
}

// Beside springs far stiffer than steel, and bodies far heavier, what the others do is lost in round-off.
constexpr double stiffest = 1e12;  // [N/m, N m/rad]
constexpr double most_ratio = 1e9;

void limit_spring(Scope& scope, JointDrive& d) {
  if (d.spring <= stiffest) return;
  scope.warn(
      fmt::format("a spring of {:g} is beyond what can be computed with; {:g} is taken. Use `kind: weld` to hold it "
                  "exactly, or give less",
                  d.spring, stiffest));
  d.spring = stiffest;
}

void warn_of_masses(Scope& scope, const std::vector<JointPlace>& joints) {
  for (const JointPlace& joint : joints) {
    if (joint.source.object == nullptr || joint.target.object == nullptr) continue;
    const auto [light, heavy] = std::minmax(joint.source.mass, joint.target.mass);
    if (heavy <= most_ratio * light) continue;
    scope.warn(
        fmt::format("joins bodies of {:.3g} and {:.3g} kg: what the lighter one does is lost in round-off; join it to "
                    "the world (`between: world`), or make their masses alike",
                    light, heavy));
    return;
  }
}

}  // namespace

Schema<JointBehavior::Place> JointBehavior::Place::schema() {
  return Schema<Place>("places", "A joint.")
      .param(&Place::at, "at", unit::m, "Where it is when everything begins.")
      .required()
      .param(&Place::body, "body", "Number of the body it moves, from 0 over all in scope; the nearest when absent.")
      .at_least(0)
      .param(&Place::other, "other", "Number of the body it moves against; the next nearest when absent.")
      .at_least(0);
}

Schema<JointBehavior::Params> JointBehavior::schema() {
  return Schema<Params>("joint", "Joins rigid bodies: they move against each other in some ways only, exactly.")
      .category(Category::constraint)
      .example("examples/chain.yaml")
      .param(&Params::kind, "kind",
             "ball: a common point; hinge: also a common axis; slider: along the axis, without turning; weld: as one "
             "body.")
      .enumerated<JointKind>({{"ball", JointKind::ball},
                              {"hinge", JointKind::hinge},
                              {"slider", JointKind::slider},
                              {"weld", JointKind::weld}})
      .param(&Params::between, "between",
             "nearest: the two bodies at each of the places; world: the body at each place and the world; neighbours: "
             "every body and the next one, halfway between their centres.")
      .enumerated<JointEnds>(
          {{"nearest", JointEnds::nearest}, {"world", JointEnds::world}, {"neighbours", JointEnds::neighbours}})
      .param(&Params::places, "places", Place::schema(), "Where the joints are.")
      .only_when("between", {"nearest", "world"})
      .param(&Params::axis, "axis", unit::none, "Of hinges and sliders, when everything begins.")
      .only_when("kind", {"hinge", "slider"})
      .param(&Params::low_angle, "low_angle", unit::radian, "Least angle of a hinge; it begins at 0.")
      .only_when("kind", {"hinge"})
      .param(&Params::high_angle, "high_angle", unit::radian, "Largest angle of a hinge.")
      .only_when("kind", {"hinge"})
      .param(&Params::motor_spin, "motor_spin", unit::radian_per_s,
             "Angular velocity at which a motor turns a hinge; beside `motor_angle` the largest on the way there.")
      .only_when("kind", {"hinge"})
      .param(&Params::motor_angle, "motor_angle", unit::radian, "Angle to which a motor turns a hinge.")
      .only_when("kind", {"hinge"})
      .param(
          &Params::motor_relaxation_time, "motor_relaxation_time", unit::s,
          "A motor with a target slows down before it: its speed is what is left of the way divided by this time, so "
          "that the way left shrinks to 37 % in it. 0: it goes there in one substep, if it is strong enough.")
      .range(0, 1e6)
      .only_with({"motor_angle", "motor_position"})
      .param(&Params::motor_torque, "motor_torque", unit::newton_m,
             "Largest torque of the motor; 0: as much as it takes, up to the limits of the hinge, where it stops.")
      .at_least(0)
      .only_when("kind", {"hinge"})
      .param(&Params::friction_torque, "friction_torque", unit::newton_m,
             "Torque that friction in the hinge holds against.")
      .at_least(0)
      .only_when("kind", {"hinge"})
      .param(&Params::low_slide, "low_slide", unit::m, "Least position of a slider; it begins at 0.")
      .only_when("kind", {"slider"})
      .param(&Params::high_slide, "high_slide", unit::m, "Largest position of a slider.")
      .only_when("kind", {"slider"})
      .param(&Params::motor_speed, "motor_speed", unit::m_per_s,
             "Speed at which a motor moves a slider; beside `motor_position` the largest on the way there.")
      .only_when("kind", {"slider"})
      .param(&Params::motor_position, "motor_position", unit::m, "Position to which a motor moves a slider.")
      .only_when("kind", {"slider"})
      .param(&Params::motor_force, "motor_force", unit::newton,
             "Largest force of the motor; 0: as much as it takes, up to the limits of the slider, where it stops.")
      .at_least(0)
      .only_when("kind", {"slider"})
      .param(&Params::friction_force, "friction_force", unit::newton,
             "Force that friction in the slider holds against.")
      .at_least(0)
      .only_when("kind", {"slider"})
      .param(&Params::spring_torque, "spring_torque", unit::newton_m,
             "Torque per radian of a spring that turns a hinge or ball back to where it begins.")
      .at_least(0)
      .only_when("kind", {"ball", "hinge"})
      .param(&Params::spring_force, "spring_force", unit::newton_per_m,
             "Of a spring that draws a slider back to where it begins.")
      .at_least(0)
      .only_when("kind", {"slider"})
      .param(&Params::spring_relaxation_time, "spring_relaxation_time", unit::s,
             "Damping of the spring: swinging of angular frequency w decays with ratio time * w / 2.")
      .range(0, 10)
      .only_when("kind", {"ball", "hinge", "slider"});
}

JointDrive JointBehavior::drive(const Scope& scope) const {
  const Params& p = params_;
  const bool hinge = p.kind == JointKind::hinge;
  JointDrive d{hinge ? p.low_angle : p.low_slide,
               hinge ? p.high_angle : p.high_slide,
               hinge ? p.motor_spin : p.motor_speed,
               hinge ? p.motor_angle : p.motor_position,
               p.motor_relaxation_time,
               hinge ? p.motor_torque : p.motor_force,
               hinge ? p.friction_torque : p.friction_force,
               p.kind == JointKind::slider ? p.spring_force : p.spring_torque,
               p.spring_relaxation_time};
  if (d.spring == 0 && d.spring_relaxation > 0)
    throw mistake(scope,
                  "spring_relaxation_time: there is no spring to damp; give spring_torque or spring_force, or leave "
                  "it out");
  if (d.low && d.high && *d.low > *d.high)
    throw mistake(scope, fmt::format("the lower limit, {:g}, is above the upper one, {:g}", *d.low, *d.high));
  if ((d.low && *d.low > 0) || (d.high && *d.high < 0))
    throw mistake(scope, "a joint begins at 0, which has to be within its limits");
  if (d.motor_target && ((d.low && *d.motor_target < *d.low) || (d.high && *d.motor_target > *d.high)))
    throw mistake(scope, fmt::format("the motor's target, {:g}, is beyond the limits of the joint", *d.motor_target));
  if (d.motor_speed && d.motor_target && !(*d.motor_speed > 0))
    throw mistake(scope, fmt::format("beside a target, the speed of a motor is its largest on the way there and has to "
                                     "be above 0, not {:g}",
                                     *d.motor_speed));
  if (d.motor_strength > 0 && !d.motor_speed && !d.motor_target)
    throw mistake(scope, "a motor needs a speed or a target; give one, or leave out its strength");
  return d;
}

void JointBehavior::create(Scope& scope) {
  const std::vector<RigidObject*> objects = scope.rigid_objects();
  if (objects.empty()) return;
  const Bodies bodies(objects);
  JointDrive drive = this->drive(scope);
  const bool hinge = params_.kind == JointKind::hinge;
  warn_of_driven_limit(scope, drive, hinge ? "rad" : "m");
  warn_of_speed(scope, drive, hinge);
  limit_spring(scope, drive);
  if (norm(params_.axis) < 1e-9) throw mistake(scope, "axis: has no direction");
  const Vec3d axis = normalized(params_.axis);
  std::vector<JointPlace> joints;
  if (params_.between == JointEnds::neighbours) {
    if (bodies.size() < 2) throw mistake(scope, "there is one body and no neighbour; use `between: world`");
    for (std::size_t b = 0; b + 1 < bodies.size(); ++b) {
      const Vec3d at = (bodies.centre(b) + bodies.centre(b + 1)) * 0.5;
      joints.push_back({bodies.end(b + 1, at), bodies.end(b, at), axis});
    }
  } else if (params_.places.empty()) {
    throw mistake(scope, "`between: nearest` and `between: world` need `places:`, a list of {at: [x, y, z]}");
  }
  for (const Place& place : params_.places) {
    for (const auto& number : {place.body, place.other})
      if (number && *number >= static_cast<std::int64_t>(bodies.size()))
        throw mistake(scope,
                      fmt::format("there is no body {}; {} are in scope, numbered from 0", *number, bodies.size()));
    const std::size_t first = place.body    ? static_cast<std::size_t>(*place.body)
                              : place.other ? bodies.nearest(place.at, static_cast<std::size_t>(*place.other))
                                            : bodies.nearest(place.at, none);
    if (params_.between == JointEnds::world) {
      if (place.other) throw mistake(scope, "`other:` has no effect with `between: world`; leave it out");
      const double fastest = scope.simulation().time_params().largest_speed;
      const double speed =
          unlimited(drive) * (params_.kind == JointKind::hinge ? bodies.reach(first, place.at, axis) : 1);
      if (speed > fastest)
        throw mistake(scope,
                      fmt::format("the motor moves body {} at {:.3g} m/s, above largest_speed ({:g} m/s); make it "
                                  "slower, or give `time: {{largest_speed: ...}}`",
                                  first, speed, fastest));
      joints.push_back({bodies.end(first, place.at), world_end(place.at), axis});
      continue;
    }
    if (bodies.size() < 2) throw mistake(scope, "there is one body only; use `between: world`");
    const std::size_t second = place.other ? static_cast<std::size_t>(*place.other) : bodies.nearest(place.at, first);
    if (first == second) throw mistake(scope, fmt::format("body {} is joined to itself", first));
    joints.push_back({bodies.end(first, place.at), bodies.end(second, place.at), axis});
  }
  warn_of_masses(scope, joints);
  add_joints(scope.solids(), scope.path(), params_.kind, drive, std::move(joints));
}

}  // namespace ymir
