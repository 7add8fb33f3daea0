#include "ymir/actions/deforming_contact.h"

#include <algorithm>
#include <cmath>

namespace ymir {
namespace {

struct Touch {
  bool found = false;
  double time = 0;  // since the beginning of the step [s]
  Vec3d x;          // where the path ends or touches
  SurfaceSample sample;
};

// A point on its way through the step.
class Path {
 public:
  Path(const MovingSurface& motion, double radius, double tolerance, double length, const SurfaceSample& start)
      : motion_(motion),
        radius_(radius),
        tolerance_(tolerance),
        fastest_(motion.travel() / motion.dt()),
        near_(std::min(0.25 * (length + motion.travel()), motion.mean_edge())),
        upper_(std::abs(start.distance)) {}

  // First approaching touch of x + (t - time) p, from `time` to the end of the step.
  Touch trace(Vec3d x, Vec3d p, double time, int& samples) {
    const double dt = motion_.dt(), speed = norm(p) + fastest_;
    Touch touch{false, time, x, {}};
    if (!(speed > 0)) return {false, dt, x, {}};
    for (; samples > 0; --samples) {
      touch.sample = seen_from(touch.x, touch.time);
      if (touch.sample.triangle < 0) return touch;
      const double gap = touch.sample.distance - radius_;
      const double approach = -dot(p - motion_.velocity(touch.sample), touch.sample.normal);
      const bool approaching = approach > point_contact::tangential * speed;
      if (gap <= tolerance_ && approaching) {
        touch.found = true;
        // Onto the surface: what a step along it has gone too far.
        if (gap < 0) touch.x -= touch.sample.normal * gap;
        return touch;
      }
      const double left = dt - touch.time;
      if (!(left > 0) || gap >= speed * left) return {false, dt, x + p * (dt - time), touch.sample};
      // Along the surface the gap alone would creep: go where the tangent plane is reached, but not farther than
      // `near`.
      const double near = near_ / speed;
      const double tangent = approaching && gap < near * approach ? gap / approach : near;
      touch.time = std::min(dt, touch.time + std::max(gap / speed, tangent));
      touch.x = x + p * (touch.time - time);
    }
    return touch;
  }

 private:
  // Bounded by the sample before: it is near.
  SurfaceSample seen_from(Vec3d x, double time) {
    const double moved = have_last_ ? norm(x - last_x_) + fastest_ * std::abs(time - last_time_) : 0;
    const double at = motion_.begin() + time;
    SurfaceSample sample = motion_.sample(x, at, (upper_ + moved) * (1 + 1e-9) + tolerance_);
    if (sample.triangle < 0) sample = motion_.sample(x, at);
    upper_ = std::abs(sample.distance);
    last_x_ = x;
    last_time_ = time;
    have_last_ = true;
    return sample;
  }

  const MovingSurface& motion_;
  double radius_, tolerance_, fastest_, near_, upper_;
  Vec3d last_x_;
  double last_time_ = 0;
  bool have_last_ = false;
};

// True when no point of the block can reach the surface; else `reach`, a bound of the distance of any of its points.
bool out_of_reach(const MovingSurface& motion, const PointBlock& start, Planes<Vec3d>::Type x, Vec3d& center,
                  double& distance) {
  Box box;
  double radius = 0, path2 = 0;
  for (int i = 0; i < start.count; ++i) {
    const Vec3d way = x[i] - start.position[i];
    path2 = std::max(path2, dot(way, way));
    box.include(start.position[i]);
    radius = std::max(radius, start.radius[i]);
  }
  if (box.empty()) return true;
  center = box.center();
  const SurfaceSample middle = motion.sample(center, motion.begin());
  distance = std::abs(middle.distance);
  const double reach = 0.5 * norm(box.size()) + std::sqrt(path2) + motion.travel() + radius;
  return middle.distance > reach * (1 + 1e-9);
}

bool respond(const MovingSurface& motion, const ContactMaterial& material, double push_out, const PointBlock& start,
             Planes<Vec3d>::Type x, Planes<Vec3d>::Type v) {
  Vec3d center;
  double distance = 0;
  if (start.count == 0 || out_of_reach(motion, start, x, center, distance)) return false;
  const auto channel = [&](const std::optional<ParticleChannel<double>>& c) {
    return c ? start.particles->read(*c, start.bucket) + start.first : nullptr;
  };
  const double* restitution = channel(material.restitution_per_point);
  const double* friction = channel(material.friction_per_point);
  bool touched = false;
  for (int i = 0; i < start.count; ++i) {
    const Vec3d from = start.position[i];
    const double bound = (distance + norm(from - center)) * (1 + 1e-9) + 1e-12;
    const SurfaceSample sample = motion.sample(from, motion.begin(), bound);
    const ContactParams params{restitution != nullptr ? restitution[i] : material.restitution,
                               friction != nullptr ? friction[i] : material.friction};
    const ContactResult result = resolve_deforming_contact(motion, params, push_out, start.radius[i], sample,
                                                           {from, start.velocity[i]}, {x[i], v[i]});
    if (!result.touched) continue;
    touched = true;
    x.set(i, result.x);
    v.set(i, result.v);
  }
  return touched;
}

}  // namespace

ContactResult resolve_deforming_contact(const MovingSurface& motion, const ContactParams& params, double push_out,
                                        double radius, const SurfaceSample& start_sample, const PointState& start,
                                        const PointState& proposed) {
  const double dt = motion.dt();
  const double length = norm(proposed.x - start.x);
  const double tolerance = 1e-9 * (radius + length) + 1e-13 * (1 + norm(start.x));
  const double gap = start_sample.distance - radius;
  // What is not finite sees nothing, and is found out after the substep.
  if (start_sample.triangle < 0) return {proposed.x, proposed.v, false};
  if (!(dt > 0) || gap > length + motion.travel() + tolerance) return {proposed.x, proposed.v, false};

  Vec3d x = start.x, v = proposed.v, p = (proposed.x - start.x) / dt;
  bool touched = false;
  double kept = radius;  // distance the point keeps during this step
  if (gap < -tolerance) {
    const double way = std::min(-gap, push_out * dt);
    x += start_sample.normal * way;
    kept = std::min(radius, start_sample.distance + way);
    touched = true;
  }
  Path path(motion, kept, tolerance, length, start_sample);
  double time = 0;
  bool first = true;  // one impact per step
  for (int samples = point_contact::most_samples; samples > 0;) {
    const Touch touch = path.trace(x, p, time, samples);
    touched = touched || touch.found || samples == 0;
    x = touch.x;
    time = touch.time;
    if (!touch.found) break;
    const Vec3d n = touch.sample.normal, u = motion.velocity(touch.sample);
    const double impact = first ? -dot(start.v - motion.velocity_before(touch.sample), n) : 0;
    v = point_contact::respond(params, v - u, n, impact) + u;
    p = v;
    first = false;
    --samples;
    if (time >= dt) break;
  }
  if (!touched) return {proposed.x, proposed.v, false};
  return {x, v, true};
}

PointContact deforming_contact(std::string owner, std::shared_ptr<const DeformingSurface> surface,
                               const ContactMaterial& material, double push_out) {
  PointContact contact;
  contact.owner = std::move(owner);
  contact.what = "contact, deforming";
  contact.respond = [surface = std::move(surface), material, push_out](const PointBlock& start, Planes<Vec3d>::Type x,
                                                                       Planes<Vec3d>::Type v) {
    const auto motion = surface->during(start.time - start.dt, start.time);
    return respond(*motion, material, push_out, start, x, v);
  };
  return contact;
}

}  // namespace ymir
