#include "ymir/behaviors/objects/particle_object_behavior.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/base/machine_memory.h"
#include "ymir/behaviors/scope.h"

namespace ymir {
namespace {

constexpr double gigabyte = 1e9;
// Of the machine's memory that points may take.
constexpr double share_of_memory = 0.7;
// Channels of a point, twice: the state at the beginning of a substep is kept; and its way into the cache.
constexpr double bytes_per_point = 420;

double surface_area(const Surface& surface) {
  double area = 0;
  for (const auto& t : surface.triangles) {
    const Vec3d a = surface.positions[static_cast<std::size_t>(t[0])];
    area += 0.5 * norm(cross(surface.positions[static_cast<std::size_t>(t[1])] - a,
                             surface.positions[static_cast<std::size_t>(t[2])] - a));
  }
  return area;
}

}  // namespace

Schema<ParticleObjectBehavior::Emit> ParticleObjectBehavior::Emit::schema() {
  return Schema<Emit>("emit", "Source of new points.")
      .param(&Emit::from, "from", "Where points appear: in a box, in a sphere, or on a surface.")
      .enumerated<SourceShape>(
          {{"box", SourceShape::box}, {"sphere", SourceShape::sphere}, {"surface", SourceShape::surface}})
      .param(&Emit::center, "center", unit::m, "Centre of the box or sphere.")
      .only_when("from", {"box", "sphere"})
      .param(&Emit::size, "size", unit::m, "Edges of the box.")
      .at_least(0)
      .only_when("from", {"box"})
      .param(&Emit::radius, "radius", unit::m, "Radius of the sphere.")
      .at_least(0)
      .only_when("from", {"sphere"})
      .param(&Emit::surface, "surface", "Input whose triangles emit, evenly by area.")
      .accepts({InputKind::surface})
      .only_when("from", {"surface"})
      .param(&Emit::rate, "rate", unit::per_second, "Points per second.")
      .range(1e-6, 1e10)
      .param(&Emit::start, "start", unit::s, "When emission begins.")
      .param(&Emit::stop, "stop", unit::s, "When emission ends.")
      .param(&Emit::limit, "limit", "Points emitted in all, at most.")
      .at_least(0)
      .param(&Emit::velocity, "velocity", unit::m_per_s, "Velocity of new points.")
      .param(&Emit::spread, "spread", unit::m_per_s, "Random velocity added, up to this speed.")
      .at_least(0)
      .param(&Emit::seed, "seed", "Another number, other points of the same kind.")
      .at_least(0);
}

Schema<ParticleObjectBehavior::Params> ParticleObjectBehavior::schema() {
  return Schema<Params>("particle_object", "Points that move on their own: from a file, or emitted.")
      .category(Category::object)
      .example("examples/embers.yaml")
      .param(&Params::points, "points", "Input with the points at the beginning; its channel velocity is used.")
      .accepts({InputKind::points})
      .param(&Params::emit, "emit", Emit::schema(), "Source of new points.")
      .param(&Params::radius, "radius", unit::m, "Radius of a point.")
      .positive()
      .param(&Params::radius_variation, "radius_variation", unit::none,
             "Radii of emitted points differ by up to this fraction.")
      .range(0, 0.99)
      .only_with({"emit"})
      .param(&Params::density, "density", unit::kg_per_m3, "Density of a point; with the radius it gives the mass.")
      .positive()
      .param(&Params::courant_number, "courant_number", unit::none,
             "Adaptive substeps move no point farther than this many buckets.")
      .positive()
      .advanced()
      .param(&Params::bucket, "bucket", unit::m,
             "Edge of the buckets that store the points, to begin with; chosen from the extent when absent.")
      .positive()
      .advanced();
}

// Eight buckets along the longest side to begin with; the simulation adapts them. No opinion about a single point.
void ParticleObjectBehavior::ask_buckets(Scope& scope, Vec3d extent) const {
  const double longest = std::max({extent.x, extent.y, extent.z});
  if (params_.bucket || longest > 0) scope.ask_bucket_size(params_.bucket.value_or(longest / 8));
}

PointSource ParticleObjectBehavior::source(const Emit& emit, Scope& scope) const {
  if (emit.stop && *emit.stop <= emit.start)
    throw Error(ExitCode::bad_input, scope.path() + ".emit.stop: must be after `start:`");
  PointSource::Description d;
  d.shape = emit.from;
  d.center = emit.center;
  d.size = emit.size;
  d.radius = emit.radius;
  d.rate = emit.rate;
  d.start = emit.start;
  if (emit.stop) d.stop = *emit.stop;
  if (emit.limit) d.limit = *emit.limit;
  d.velocity = emit.velocity;
  d.spread = emit.spread;
  d.seed = static_cast<std::uint64_t>(emit.seed);
  if (emit.from != SourceShape::surface) {
    const double edge = 2 * emit.radius;
    ask_buckets(scope, emit.from == SourceShape::box ? emit.size : Vec3d{edge, edge, edge});
    return PointSource(d, nullptr);
  }
  if (emit.surface.empty())
    throw Error(ExitCode::bad_input,
                scope.path() + ".emit: emission from a surface needs `surface:`, the name of an input");
  const Surface surface = scope.surface(emit.surface);
  if (!(surface_area(surface) > 0))
    throw Error(ExitCode::bad_input, fmt::format("{}.emit: the surface '{}' has no area to emit from; export it again",
                                                 scope.path(), emit.surface.name));
  ask_buckets(scope, bounds(surface.positions).size());
  return PointSource(d, &surface);
}

void ParticleObjectBehavior::create(Scope& scope) {
  ParticleObject::Description d{params_.radius, params_.radius_variation, params_.density, params_.courant_number};
  auto& object = scope.add_object(std::make_unique<ParticleObject>(scope.path(), scope.group(), scope.domain(), d));
  if (!params_.points.empty()) {
    const Points points = scope.points(params_.points);
    object.add_points(points);
    ask_buckets(scope, bounds(points.positions).size());
  }
  if (!params_.emit) return;
  object.add_source(source(*params_.emit, scope));
  scope.after_all([this, &scope, &object] { refuse_too_many(*params_.emit, object, scope); });
}

// Named before they are born, not when memory runs out hours later.
void ParticleObjectBehavior::refuse_too_many(const Emit& emit, const ParticleObject& object, Scope& scope) const {
  const TimeParams& time = scope.simulation().time_params();
  const double end = time.frame_duration() * static_cast<double>(time.frames.last - time.frames.first + 1);
  const double seconds = std::max(0.0, std::min(emit.stop.value_or(end), end) - emit.start);
  // Where points are removed again, nobody knows how many live at once; those of one frame certainly do.
  const double together = object.removes_points() ? std::min(seconds, time.frame_duration()) : seconds;
  double points = emit.rate * together;
  if (emit.limit) points = std::min(points, static_cast<double>(*emit.limit));
  const double bytes = points * bytes_per_point, most = share_of_memory * machine_memory();
  if (bytes <= most) return;
  throw Error(ExitCode::bad_input,
              fmt::format("{}.emit: {:.3g} points need about {:.1f} GB, more than {:.0f} % of the machine's {:.1f} GB; "
                          "lower `rate:`, set `limit:` or `stop:`{}",
                          scope.path(), points, bytes / gigabyte, 100 * share_of_memory, machine_memory() / gigabyte,
                          object.removes_points() ? "" : ", or remove points with `kill`"));
}

}  // namespace ymir
