#include "ymir/behaviors/objects/rigid_object_behavior.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/actions/rigid_load.h"
#include "ymir/behaviors/idle_channels.h"
#include "ymir/behaviors/scope.h"
#include "ymir/data/closed_surface.h"
#include "ymir/math/quaternion.h"

namespace ymir {

Schema<RigidObjectBehavior::Params> RigidObjectBehavior::schema() {
  return Schema<Params>("rigid_object", "Rigid bodies: every closed part of a surface moves and turns as a whole.")
      .category(Category::object)
      .example("examples/chain.yaml")
      .param(&Params::surface, "surface",
             "Input with the surface of the bodies; each part that hangs together is a body, numbered from 0.")
      .accepts({InputKind::surface})
      .required()
      .param(&Params::density, "density", unit::kg_per_m3, "Density of the material inside.")
      .positive()
      .param(&Params::copies, "copies", "How often the surface is used, each copy as bodies of its own.")
      .range(1, 100'000)
      .param(&Params::copy_offset, "copy_offset", unit::m, "From one copy to the next.")
      .param(&Params::copy_rotation, "copy_rotation", unit::radian,
             "Angles about x, then y, then z, by which each copy is turned against the one before, about its middle.")
      .param(&Params::velocity, "velocity", unit::m_per_s, "With which they begin.")
      .param(&Params::spin, "spin", unit::radian_per_s, "Angular velocity with which they begin.")
      .param(&Params::gravity_compensation, "gravity_compensation", unit::none,
             "Share of gravity and other constant forces that bodies do not feel, as on counterweights: with 1 what is "
             "joined stays in the pose it begins with, and the springs of joints bring it back there.")
      .range(0, 1)
      .param(&Params::tolerance, "tolerance", unit::none,
             "Newton stops when residuals move no body by more than this part of its size, and turn none by as many "
             "radians.")
      .range(1e-13, 0.1)
      .advanced()
      .param(&Params::newton_iterations, "newton_iterations",
             "Newton iterations per substep, at most; a substep that needs more is halved.")
      .range(1, 1000)
      .advanced();
}

void RigidObjectBehavior::create(Scope& scope) {
  if (params_.copies == 1 && norm(params_.copy_offset) + norm(params_.copy_rotation) > 0)
    throw Error(ExitCode::bad_input, scope.path() +
                                         ": copy_offset: and copy_rotation: have no effect on a single copy; "
                                         "give `copies:`, or leave them out");
  Surface one = scope.surface(params_.surface);
  if (const std::string why = why_not_closed(one); !why.empty())
    throw Error(ExitCode::bad_input, fmt::format("{}: {}: the surface is not closed, so it has no inside: {}",
                                                 scope.path(), params_.surface.name, why));
  if (const std::size_t loose = loose_vertices(one); loose > 0)
    throw Error(ExitCode::bad_input,
                fmt::format("{}: {}: {} vertices belong to no triangle and so to no body; remove them from the file",
                            scope.path(), params_.surface.name, loose));
  if (enclosed_volume(one) < 0) {
    scope.warn(fmt::format("'{}' is inside out; its triangles are turned around", params_.surface.name));
    turn_inside_out(one);
  }
  warn_of_idle_channels(scope, {&one.vertices, &one.faces}, params_.surface.name, "rigid_object", "",
                        "a rigid body is the same all over; give the value in the setup, or remove the channel");
  const Box box = bounds(one.positions);
  const Vec3d middle = (box.low + box.high) * 0.5, size = box.size();
  Surface all;
  Quaternion turn;
  for (std::int64_t copy = 0; copy < params_.copies; ++copy) {
    const auto first = static_cast<std::int32_t>(all.positions.size());
    const Vec3d centre = middle + params_.copy_offset * static_cast<double>(copy);
    for (const Vec3d& x : one.positions) all.positions.push_back(centre + rotate(turn, x - middle));
    for (const auto& t : one.triangles) all.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    turn = normalized(quaternion_from_angles(params_.copy_rotation) * turn);
  }
  RigidObject::Description d;
  d.density = params_.density;
  d.velocity = params_.velocity;
  d.spin = params_.spin;
  d.newton = {params_.tolerance, static_cast<int>(params_.newton_iterations)};
  if (const double longest = std::max({size.x, size.y, size.z}); longest > 0) scope.ask_bucket_size(longest);
  SolidSystem& solids = scope.solids();
  RigidObject& bodies =
      scope.add_object(std::make_unique<RigidObject>(scope.path(), scope.group(), scope.domain(), d, std::move(all)));
  solids.add(bodies);
  // Once it is known what pulls at the bodies and what holds them.
  if (params_.gravity_compensation > 0) scope.after_all([this, &scope, &bodies] { compensate(scope, bodies); });
}

void RigidObjectBehavior::compensate(Scope& scope, RigidObject& bodies) const {
  add_rigid_load(bodies, scope.path() + ".gravity_compensation", params_.gravity_compensation);
  std::vector<std::uint8_t> held(bodies.bodies().size(), bodies.constraints().empty() ? 0 : 1);
  for (const auto& coupling : scope.solids().couplings())
    for (std::size_t e = 0; e < coupling->size(); ++e)
      for (const int end : {0, 1})
        if (const MaterialPoint& at = coupling->point(e, end); at.object == &bodies)
          held[static_cast<std::size_t>(at.piece)] = 1;
  if (const auto loose = std::count(held.begin(), held.end(), 0); loose > 0)
    scope.warn(
        fmt::format("gravity_compensation: nothing holds {} of the {} bodies, which float without weight; hold them by "
                    "`joint` or `attachment`, or leave it out",
                    loose, held.size()));
}

}  // namespace ymir
