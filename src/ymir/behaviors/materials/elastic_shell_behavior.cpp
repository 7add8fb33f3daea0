#include "ymir/behaviors/materials/elastic_shell_behavior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ymir/actions/shell_load.h"
#include "ymir/base/error.h"
#include "ymir/behaviors/materials/second_material.h"
#include "ymir/behaviors/scope.h"
#include "ymir/data/cloth_mesh.h"

namespace ymir {

Schema<ElasticShellBehavior::CurvePoint> ElasticShellBehavior::CurvePoint::schema() {
  return Schema<CurvePoint>("curve", "A point of a measured curve.")
      .param(&CurvePoint::strain, "strain", unit::none, "Green strain, (stretch^2 - 1)/2.")
      .range(-0.5, 10)
      .param(&CurvePoint::tension, "tension", unit::newton_per_m, "Force per width and stretch at that strain.");
}

Schema<ElasticShellBehavior::Params> ElasticShellBehavior::schema() {
  using P = Params;
  return Schema<P>("elastic_shell", "Cloth resists being stretched, sheared and bent from its rest shape.")
      .category(Category::material)
      .once()
      .example("examples/flag.yaml")
      .param(&P::weave, "weave",
             "isotropic: the same in all directions, by Young's modulus and Poisson's ratio; woven: stiffnesses along "
             "two threads and for shear between them.")
      .enumerated<Weave>({{"isotropic", Weave::isotropic}, {"woven", Weave::woven}})
      .param(&P::youngs_modulus, "youngs_modulus", unit::pascal,
             "Stiffness of the material; knitwear: 0.1 to 1 MPa, shirts: 5 to 50 MPa, paper: 3 GPa.")
      .positive()
      .only_when("weave", {"isotropic"})
      .param(&P::poisson_ratio, "poisson_ratio", unit::none,
             "How much it contracts across, under tension along the warp.")
      .range(0, 0.4999)
      .param(
          &P::stretch_warp, "stretch_warp", unit::newton_per_m,
          "Stiffness along the warp: force per width, divided by the strain. At 1000 N/m a strip 10 cm wide gets 1 % "
          "longer under 1 N. The strain is (length^2 / rest length^2 - 1) / 2; shirts: 1000 to 10,000 N/m.")
      .positive()
      .only_when("weave", {"woven"})
      .param(&P::stretch_weft, "stretch_weft", unit::newton_per_m, "The same along the weft, across the warp.")
      .positive()
      .only_when("weave", {"woven"})
      .param(&P::shear, "shear", unit::newton_per_m, "Of a change of the angle between them; 10 to 1000 N/m.")
      .positive()
      .only_when("weave", {"woven"})
      .param(
          &P::warp_curve, "warp_curve", CurvePoint::schema(),
          "Measured tension along the warp instead of stretch_warp, 2 to 16 points of rising strain and tension, 0 at "
          "strain 0.")
      .only_when("weave", {"woven"})
      .param(&P::weft_curve, "weft_curve", CurvePoint::schema(), "The same along the weft.")
      .only_when("weave", {"woven"})
      .param(&P::warp_direction, "warp_direction", unit::none,
             "Of the warp, laid into the cloth; when absent along the texture coordinate u where the surface has "
             "texture coordinates, else along x.")
      .direction()
      .only_when("weave", {"woven"})
      .param(&P::stretch_relaxation_time, "stretch_relaxation_time", unit::s, "Rayleigh damping of stretch and shear.")
      .range(0, 10)
      .param(&P::stretch_friction, "stretch_friction", StretchDahl::schema(),
             "Friction between the threads as the cloth is stretched and sheared, independent of speed.")
      .param(
          &P::bending, "bending",
          "mid: right on every mesh, with an unknown more per edge; tri: right on near equilateral triangles; hinge: "
          "an angle per edge, its stiffness depends on the mesh.")
      .enumerated<BendingModel>(
          {{"mid", BendingModel::mid}, {"tri", BendingModel::tri}, {"hinge", BendingModel::hinge}})
      .param(
          &P::bending_stiffness, "bending_stiffness", unit::joule,
          "D [N m]; shirts: 5e-6 to 5e-5, jeans: 1e-4. When absent that of a solid sheet, E h^3/12 (1 - nu^2), which "
          "is more than fabrics have. 0: none.")
      .at_least(0)
      .param(&P::bending_relaxation_time, "bending_relaxation_time", unit::s, "Rayleigh damping of bending.")
      .range(0, 10)
      .param(&P::rest_shape, "rest_shape", "input: bent as the input is; flat: everywhere flat.")
      .enumerated<ShellRest>({{"input", ShellRest::input}, {"flat", ShellRest::flat}})
      .param(&P::yield_curvature, "yield_curvature", unit::per_m,
             "Bent more than this away from its rest shape, it stays bent: folds and creases. None when absent.")
      .positive()
      .param(&P::hardening, "hardening", unit::none,
             "How much later a fold yields again, by what has stayed of it; 0: always at the same curvature.")
      .range(0, 100)
      .only_with({"yield_curvature"})
      .param(&P::internal_friction, "internal_friction", Dahl::schema(),
             "Friction between the threads as the cloth bends, independent of speed.")
      .param(
          &P::gravity_compensation, "gravity_compensation", unit::none,
          "Share of gravity and other constant forces that tensions and moments inside bear where the cloth begins: 1 "
          "holds its shape, 0 lets it sag. Only what an `attachment` to a surface holds exactly carries the cloth.")
      .range(0, 1);
}

Schema<ElasticShellBehavior::Dahl> ElasticShellBehavior::Dahl::schema() {
  return Schema<Dahl>("internal_friction", "Friction inside the cloth: it keeps some of a bend it was given (Dahl).")
      .param(&Dahl::saturation, "saturation", unit::per_m, "Largest curvature left when the load is gone; 0: none.")
      .at_least(0)
      .param(&Dahl::length, "length", unit::per_m, "Change of curvature over which friction develops.")
      .positive();
}

Schema<ElasticShellBehavior::StretchDahl> ElasticShellBehavior::StretchDahl::schema() {
  return Schema<StretchDahl>("stretch_friction", "Friction inside the cloth: it keeps some of a strain (Dahl).")
      .param(&StretchDahl::saturation, "saturation", unit::none,
             "Largest Green strain, or change of the angle between warp and weft, left when the load is gone; 0: none.")
      .range(0, 10)
      .param(&StretchDahl::length, "length", unit::none, "Change of strain over which friction develops.")
      .range(1e-6, 10);
}

namespace {

constexpr double rounding = 1e-9;

std::optional<TensileCurve> curve_of(const std::vector<ElasticShellBehavior::CurvePoint>& points, const Scope& scope,
                                     const char* name) {
  if (points.empty()) return std::nullopt;
  const auto bad = [&](const std::string& what) {
    return Error(ExitCode::bad_input, fmt::format("{}.{}: {}", scope.path(), name, what));
  };
  if (points.size() < 2 || points.size() > TensileCurve::capacity)
    throw bad(fmt::format("has {} points; give 2 to {}", points.size(), TensileCurve::capacity));
  std::vector<double> strain, tension;
  for (const auto& p : points) {
    if (!strain.empty() && !(p.strain > strain.back()))
      throw bad(fmt::format("strain {:g} follows {:g}; put the points in the order of rising strain", p.strain,
                            strain.back()));
    if (!tension.empty() && p.tension < tension.back())
      throw bad(fmt::format("tension falls from {:g} to {:g} N/m; it must never fall as the strain rises",
                            tension.back(), p.tension));
    strain.push_back(p.strain);
    tension.push_back(p.tension);
  }
  if (tension.back() == tension.front()) throw bad("tension never rises; give at least two values");
  const TensileCurve curve = tensile_curve(strain.data(), tension.data(), static_cast<int>(points.size()));
  // Straight on to there where its points begin or end elsewhere.
  const double unstrained = respond(curve, 0.0).stress;
  const double largest = std::max(std::fabs(tension.front()), std::fabs(tension.back()));
  if (std::fabs(unstrained) > rounding * largest)
    throw bad(
        fmt::format("its tension is {:.3g} N/m where the cloth is not strained, so that the cloth would {} by itself; "
                    "begin it with {{strain: 0, tension: 0}}{}",
                    unstrained, unstrained > 0 ? "shrink" : "grow",
                    strain.front() < 0 ? ", or put that between the points of compression and tension"
                                       : ", or take what the measurement began with off all values"));
  return curve;
}

}  // namespace

ElasticShellMaterial ElasticShellBehavior::material(const Scope& scope, double thickness) const {
  const Params& p = params_;
  ElasticShellMaterial m;
  m.stretch = isotropic_moduli(p.youngs_modulus * thickness, p.poisson_ratio);
  if (p.weave == Weave::woven) {
    if (!(p.poisson_ratio * p.poisson_ratio * p.stretch_weft < p.stretch_warp))
      throw Error(
          ExitCode::bad_input,
          fmt::format("{}.poisson_ratio: {:g} is too much for a weft of {:g} N/m across a warp of {:g} N/m: its "
                      "square times their ratio must be below 1; give at most {:.3g}",
                      scope.path(), p.poisson_ratio, p.stretch_weft, p.stretch_warp,
                      0.99 * std::sqrt(p.stretch_warp / p.stretch_weft)));
    m.stretch = orthotropic_moduli(p.stretch_warp, p.stretch_weft, p.poisson_ratio, p.shear);
    m.warp_curve = curve_of(p.warp_curve, scope, "warp_curve");
    m.weft_curve = curve_of(p.weft_curve, scope, "weft_curve");
    // A curve knows no contraction across its threads.
    if (m.warp_curve || m.weft_curve) m.stretch = {p.stretch_warp, 0, p.stretch_weft, 0, 0, p.shear};
  }
  m.stretch_relaxation = p.stretch_relaxation_time;
  if (p.stretch_friction) {
    m.stretch_saturation = p.stretch_friction->saturation;
    m.stretch_length = p.stretch_friction->length;
  }
  m.bending = p.bending_stiffness
                  ? isotropic_moduli(*p.bending_stiffness * (1 - p.poisson_ratio * p.poisson_ratio), p.poisson_ratio)
                  : scaled(m.stretch, thickness * thickness / 12);
  m.model = p.bending;
  m.bending_relaxation = p.bending_relaxation_time;
  m.flat = p.rest_shape == ShellRest::flat;
  if (p.yield_curvature) m.yield_curvature = *p.yield_curvature;
  m.hardening = p.hardening;
  if (p.internal_friction) {
    m.friction_saturation = p.internal_friction->saturation;
    m.friction_length = p.internal_friction->length;
  }
  return m;
}

std::vector<Vec3d> ElasticShellBehavior::warp(const SolidMesh& mesh) const {
  if (params_.warp_direction) return warp_along(mesh, *params_.warp_direction);
  std::vector<Vec3d> texture = texture_directions(mesh);
  return texture.empty() ? warp_along(mesh, {1, 0, 0}) : texture;
}

void ElasticShellBehavior::create(Scope& scope) {
  for (MeshObject* cloth : scope.cloth_objects()) {
    refuse_second_material(scope, *cloth, "elastic_shell");
    const std::size_t junctions =
        add_elastic_shell(*cloth, scope.path(), material(scope, cloth->mesh().thickness), warp(cloth->mesh()));
    if (junctions > 0)
      scope.warn(fmt::format("{} edges of {} have more than two triangles; there every pair of them bends like a hinge",
                             junctions, cloth->path()));
    // Once it is known what pulls at the cloth and what holds it.
    if (params_.gravity_compensation > 0) scope.after_all([this, &scope, cloth] { compensate(scope, *cloth); });
  }
}

void ElasticShellBehavior::compensate(Scope& scope, MeshObject& cloth) const {
  const std::string name = scope.path() + ".gravity_compensation";
  if (std::find(cloth.held().begin(), cloth.held().end(), 1) == cloth.held().end())
    throw Error(ExitCode::bad_input,
                fmt::format("{}: nothing holds {} exactly, and what falls or lies has no shape to keep; hold a part of "
                            "it by `attachment: {{surface: ..., range: ...}}`, or leave it out",
                            name, cloth.path()));
  const double factor = add_shell_load(cloth, name, params_.gravity_compensation);
  if (factor > 1)
    scope.warn(fmt::format(
        "{} is too soft to stand as it begins, and will buckle; make its stiffnesses, that of bending above "
        "all, {} times larger, or compensate less",
        cloth.path(), std::isfinite(factor) ? fmt::format("about {:.2g}", factor) : "a thousand"));
}

}  // namespace ymir
