#include "ymir/behaviors/operators/wind.h"

#include <algorithm>

#include "ymir/behaviors/scope.h"

namespace ymir {
namespace {

// From key to key without a jump of the acceleration's sign: 3 s^2 - 2 s^3.
Vec3d gust_at(const std::vector<Wind::Key>& keys, double time) {
  if (keys.empty()) return {0, 0, 0};
  if (time <= keys.front().time) return keys.front().velocity;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    if (time > keys[i].time) continue;
    const double s = (time - keys[i - 1].time) / (keys[i].time - keys[i - 1].time);
    return keys[i - 1].velocity + (keys[i].velocity - keys[i - 1].velocity) * (s * s * (3 - 2 * s));
  }
  return keys.back().velocity;
}

}  // namespace

Schema<Wind::Key> Wind::Key::schema() {
  return Schema<Key>("gust", "Velocity of the wind at a time.")
      .param(&Key::time, "time", unit::s, "When the wind is so.")
      .param(&Key::velocity, "velocity", unit::m_per_s, "Velocity at that time.");
}

Schema<Wind::Params> Wind::schema() {
  return Schema<Params>("wind", "Air around a gas that moves on its own and blows through it.")
      .category(Category::operator_)
      .example("examples/hair_in_wind.yaml")
      .param(&Params::velocity, "velocity", unit::m_per_s, "Steady part.")
      .param(&Params::gusts, "gusts", Key::schema(),
             "Part that changes: velocities in the order of their times, with a smooth course between them.")
      .param(&Params::turbulence, "turbulence", FieldParams::schema("turbulence", unit::m_per_s), "Added to both.");
}

void Wind::create(Scope& scope) {
  for (std::size_t i = 1; i < params_.gusts.size(); ++i)
    if (!(params_.gusts[i].time > params_.gusts[i - 1].time))
      throw Error(ExitCode::bad_input, scope.path() + ".gusts: times must increase from entry to entry");
  PrescribedField turbulence;
  if (params_.turbulence) add_field(turbulence, *params_.turbulence, scope);
  double fastest = norm(params_.velocity);
  for (const Key& gust : params_.gusts) fastest = std::max(fastest, norm(params_.velocity + gust.velocity));
  warn_of_speed(scope, "velocity", fastest);
  if (params_.turbulence) warn_of_speed(scope, "turbulence", strength_of(*params_.turbulence));
  const auto mean = [params = params_](double time) { return params.velocity + gust_at(params.gusts, time); };
  const auto sample = [turbulence, mean](int count, ConstVec3Planes x, double time, Vec3Planes out) {
    turbulence.sample(count, x, time, out);
    const Vec3d v = mean(time);
    for (int i = 0; i < count; ++i) {
      out.x[i] += v.x;
      out.y[i] += v.y;
      out.z[i] += v.z;
    }
  };
  for (VolumeObject* gas : scope.volume_objects()) gas->add_wind({scope.path(), "wind", sample, mean});
}

}  // namespace ymir
