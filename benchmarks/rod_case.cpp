#include "rod_case.h"

#include <cmath>
#include <numbers>

#include "ymir/actions/gravity_force.h"
#include "ymir/base/random.h"
#include "ymir/physics/rods/bend_twist.h"
#include "ymir/physics/rods/stretch.h"

namespace ymir::bench {
namespace {

constexpr double bucket = 0.1;         // [m]
constexpr double spacing = 4e-3;       // of roots, in a square [m]
constexpr double length = 0.2;         // [m]
constexpr double shake = 5e-3;         // amplitude [m]
constexpr double shakes_per_s = 3;     // [Hz]
constexpr Vec3d gravity{0, -9.81, 0};  // [m/s^2]
constexpr double pi = std::numbers::pi;

CurvesObject::Description hair() {
  CurvesObject::Description description;
  description.radius = 40e-6;
  description.newton.tolerance = 1e-4;
  return description;
}

// A helix (curly) or a sine (wavy) about a random direction above the horizon, at least 8 vertices per turn.
void add_strand(Curves& curves, std::int64_t id, std::int64_t row) {
  Random random(3, static_cast<std::uint64_t>(id));
  const Vec3d root{static_cast<double>(id % row) * spacing, 0, static_cast<double>(id / row) * spacing};
  const double up = random.uniform(0.05, 1), around = random.uniform(0, 2 * pi), level = std::sqrt(1 - up * up);
  const Vec3d axis{level * std::cos(around), up, level * std::sin(around)};
  const Vec3d u = any_normal(axis), v = cross(axis, u);
  const bool curly = id % 2 == 0;
  const double radius = random.uniform(3e-3, 6e-3), pitch = random.uniform(40e-3, 60e-3);  // [m]
  const double phase = random.uniform(0, 2 * pi), wave = 2 * pi * radius;
  const double advance = pitch / std::sqrt(pitch * pitch + (curly ? 1.0 : 0.5) * wave * wave);
  for (int i = 0; i < RodCase::vertices; ++i) {
    const double along = advance * length * i / (RodCase::vertices - 1), angle = 2 * pi * along / pitch + phase;
    Vec3d x = root + axis * along + u * (radius * (std::cos(angle) - std::cos(phase)));
    if (curly) x = x + v * (radius * (std::sin(angle) - std::sin(phase)));
    curves.positions.push_back(x);
  }
  curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
}

}  // namespace

Curves RodCase::curves(std::int64_t strands) {
  Curves curves;
  const auto row = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(strands))));
  for (std::int64_t id = 0; id < strands; ++id) add_strand(curves, id, row);
  curves.vertices.resize(curves.positions.size());
  curves.strands.resize(curves.strand_count());
  return curves;
}

RodCase::RodCase(std::int64_t strands, Communicator& communicator)
    : domain(bucket, 1, communicator), object("hair", 0, domain, hair()) {
  object.set_curves(curves(strands));
  for (std::int64_t id = 0; id < strands; ++id) roots_.push_back(object.root_frame(id));

  const ElasticRodMaterial material;  // 3.5 GPa
  const ElasticRodChannels sets = add_elastic_rod(object, "rod", material, hair());
  constraints.push_back(std::make_unique<ConstraintSet<Stretch>>("rod", "stretch", object.strands(), sets.stretch,
                                                                 ConstraintMode::primal_dual, Damping{}));
  constraints.push_back(std::make_unique<ConstraintSet<BendTwist>>(
      "rod", "bending and twist", object.strands(), sets.bend_twist, ConstraintMode::stiffness, Damping{}));
  forces.push_back(gravity_force("gravity", gravity, {}));
  object.add_force(forces.front());
  RootMotion motion;
  motion.owner = "shaking";
  motion.pose = [this](std::int64_t strand, double time) {
    RootFrame frame = roots_[static_cast<std::size_t>(strand)];
    frame.position = frame.position + shift(time);
    return frame;
  };
  object.set_root_motion(std::move(motion));
  step.dt = dt;

  object.ingest();
  std::vector<BucketKey> keys;
  std::vector<double> weights;
  object.weigh(keys, weights);
  domain.rebalance(keys, weights);
  object.migrate();
}

void RodCase::begin() {
  object.save();
  object.place_roots(step);
}

void RodCase::end() {
  ++step.substep;
  step.time += step.dt;
}

Vec3d RodCase::shift(double time) { return {shake * std::sin(2 * pi * shakes_per_s * time), 0, 0}; }

RootPose RodCase::root_pose(int group) const {
  RootPose pose{};
  const Vec3d moved = shift(step.time + step.dt);
  for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
    const std::int64_t id = object.strands().group(group).id[static_cast<std::size_t>(lane)];
    if (id < 0) continue;
    const RootFrame& frame = roots_[static_cast<std::size_t>(id)];
    for (int k = 0; k < 3; ++k) {
      pose.root[k].set(lane, frame.position[k] + moved[k]);
      pose.tangent[k].set(lane, frame.tangent[k]);
      pose.m1[k].set(lane, frame.m1[k]);
    }
  }
  return pose;
}

}  // namespace ymir::bench
