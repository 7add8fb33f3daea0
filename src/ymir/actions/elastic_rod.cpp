#include "ymir/actions/elastic_rod.h"

#include <fmt/format.h>

#include <cmath>

#include "ymir/base/error.h"
#include "ymir/physics/rods/bend_twist.h"
#include "ymir/physics/rods/cross_section.h"
#include "ymir/physics/rods/rest_bend_correction.h"
#include "ymir/physics/rods/stretch.h"

namespace ymir {
namespace {

constexpr const char* inextensible_edges = "inextensible edges";

// Bending about an axis, or twist, may be as soft as this part of the stiffer bending: without any stiffness the
// frames' angles would be held by their inertia alone.
constexpr double softest = 1e-9;

constexpr const char *saturation_channel = "internal_friction_saturation", *length_channel = "internal_friction_length";

Vec3d vector_of(const Strand& strand, int channel, int i) {
  const auto at = static_cast<std::size_t>(i);
  return {strand.channel(channel)[at], strand.channel(channel + 1)[at], strand.channel(channel + 2)[at]};
}

RodEdge<double> edge_of(const Strand& strand, const RodChannels& channels, int i) {
  const Vec3d e = vector_of(strand, channels.position, i + 1) - vector_of(strand, channels.position, i);
  return {normalized(e), 1 / norm(e), vector_of(strand, channels.m1, i)};
}

}  // namespace

ElasticRodChannels add_elastic_rod(CurvesObject& curves, const std::string& owner, const ElasticRodMaterial& material,
                                   const CurvesObject::Description& section) {
  using Kind = StrandSystem::Kind;
  StrandSystem& strands = curves.strands();
  ElasticRodChannels sets;
  sets.stretch.rest = strands.add_channel("stretch.rest", Kind::constant);
  sets.stretch.weight = strands.add_channel("stretch.weight", Kind::constant);
  sets.stretch.force = strands.add_channel("stretch.force", Kind::state);
  sets.bend_twist.rest = strands.add_vector("bend_twist.rest", Kind::constant);
  sets.bend_twist.weight = strands.add_vector("bend_twist.weight", Kind::constant);
  if (curves.painted("shear_modulus") && curves.painted("poisson_ratio"))
    throw Error(ExitCode::bad_input,
                fmt::format("{}: {} has both a `shear_modulus` and a `poisson_ratio` of its own, and the first gives "
                            "the second; remove one channel or override",
                            owner, curves.path()));
  const bool painted_saturation = curves.painted(saturation_channel), painted_length = curves.painted(length_channel);
  if (material.damping.dahl_length > 0 && (material.damping.dahl_saturation > 0 || painted_saturation)) {
    sets.bend_twist.friction = strands.add_vector("bend_twist.friction", Kind::state);
    sets.bend_twist.measure = strands.add_channel("bend_twist.measure", Kind::constant);
    if (painted_saturation) sets.bend_twist.saturation = strands.add_channel("bend_twist.saturation", Kind::constant);
    if (painted_length) sets.bend_twist.length = strands.add_channel("bend_twist.length", Kind::constant);
  }
  if (curves.painted("relaxation_time"))
    sets.bend_twist.relaxation = strands.add_channel("bend_twist.relaxation", Kind::constant);
  if (curves.painted("stretch_relaxation_time") && !material.inextensible)
    sets.stretch.relaxation = strands.add_channel("stretch.relaxation", Kind::constant);
  Damping stretch_damping;
  stretch_damping.relaxation_time = material.inextensible ? 0 : material.stretch_relaxation_time;
  curves.add_constraint(std::make_unique<ConstraintSet<Stretch>>(
      owner, material.inextensible ? inextensible_edges : "stretch", strands, sets.stretch,
      material.inextensible ? ConstraintMode::hard : ConstraintMode::primal_dual, stretch_damping));
  curves.add_constraint(std::make_unique<ConstraintSet<BendTwist>>(owner, "bending and twist", strands, sets.bend_twist,
                                                                   ConstraintMode::stiffness, material.damping));

  curves.add_emission([&curves, owner, material, section, sets](Strand& strand) {
    const RodChannels& rod = curves.rod_channels();
    const auto value = [&](const char* name, int vertex, double otherwise) {
      const double v = curves.curve_value(name, strand.id, vertex - 1).value_or(otherwise);
      if (!(v >= 0) || !std::isfinite(v))
        throw Error(ExitCode::bad_input, fmt::format("{}: strand {}, vertex {}: {} is {}; give a value of at least 0",
                                                     curves.path(), strand.id, vertex - 1, name, v));
      return v;
    };
    const auto length = strand.channel(rod.rest_length);
    const int n = strand.vertices;
    for (int i = 1; i + 1 < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (strand.channel(rod.free_angle)[at] == 0) continue;  // a strand without length
      const double e = value("youngs_modulus", i, material.youngs_modulus);
      // Of the parameters the only one that may be negative; its range has been checked.
      const double nu = curves.curve_value("poisson_ratio", strand.id, i - 1).value_or(material.poisson_ratio);
      const double g = value("shear_modulus", i, material.shear_modulus.value_or(e / (2 * (1 + nu))));
      const double a = strand.channel(rod.radius)[at];
      const CrossSection shape{a, a * value("flattening", i, section.flattening)};

      if (sets.bend_twist.relaxation >= 0)
        strand.channel(sets.bend_twist.relaxation)[at] = value("relaxation_time", i, material.damping.relaxation_time);
      if (sets.stretch.relaxation >= 0)
        strand.channel(sets.stretch.relaxation)[at] =
            value("stretch_relaxation_time", i, material.stretch_relaxation_time);
      strand.channel(sets.stretch.rest)[at] = length[at];
      const bool given = strand.channel(rod.free_position)[at] == 0 && strand.channel(rod.free_position)[at + 1] == 0;
      strand.channel(sets.stretch.weight)[at] =
          material.inextensible && given ? 0 : e * shape.area() * value("stretch", i, material.stretch) / length[at];

      const bool clamped = strand.channel(rod.free_position)[1] == 0;
      if (i == 1 && !clamped) continue;  // no ghost edge
      const BendTwist::Geometry<double> geometry(edge_of(strand, rod, i - 1), edge_of(strand, rod, i),
                                                 strand.channel(rod.twist)[at]);
      double rest[3];
      BendTwist::value(geometry, rest);
      // Half of each edge that meets here; the ghost edge has no length of its own.
      const double domain = (i == 1 ? 0 : length[at - 1] / 2) + length[at] / 2;
      const RestBendCorrection smooth =
          material.rest_bend_correction ? RestBendCorrection(rest[0], rest[1]) : RestBendCorrection();
      const double bend = value("bend", i, material.bend) * smooth.bend / domain;
      const double twist = value("twist", i, material.twist) * smooth.twist / domain;
      double weight[3] = {e * shape.bending1() * bend, e * shape.bending2() * bend, g * shape.torsion() * twist};
      const double floor = softest * std::max({weight[0], weight[1], weight[2], 1e-300});
      for (int k = 0; k < 3; ++k) {
        strand.channel(sets.bend_twist.rest + k)[at] = rest[k];
        strand.channel(sets.bend_twist.weight + k)[at] = std::max(weight[k], floor);
      }
      if (sets.bend_twist.measure >= 0) strand.channel(sets.bend_twist.measure)[at] = domain;
      if (sets.bend_twist.saturation >= 0)
        strand.channel(sets.bend_twist.saturation)[at] = value(saturation_channel, i, material.damping.dahl_saturation);
      if (sets.bend_twist.length >= 0)
        strand.channel(sets.bend_twist.length)[at] = value(length_channel, i, material.damping.dahl_length);
    }
  });
  return sets;
}

bool is_inextensible(const CurvesObject& curves) {
  const StrandNewton::Constraints constraints = curves.constraints();
  return std::any_of(constraints.begin(), constraints.end(),
                     [](const auto& constraint) { return constraint->what() == inextensible_edges; });
}

}  // namespace ymir
