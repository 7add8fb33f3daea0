#include "ymir/setup/channel_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ymir/objects/curves_object.h"
#include "ymir/objects/mesh_object.h"
#include "ymir/objects/particle_object.h"

namespace ymir {
namespace {

struct Bad {
  std::size_t at;
  std::string why;
};

// Why values of this shape cannot be the parameter's; "": they can, or there are none.
std::string shape_problem(const Channels& channels, const ParamInfo& parameter) {
  const Array* array = channels.find(parameter.name);
  const int expected = parameter.type == ParamType::vector ? 3 : 1;
  if (array == nullptr || array->components() == expected) return "";
  return fmt::format("the channel '{}' has {} component{}, expected {}; write it anew", parameter.name,
                     array->components(), array->components() == 1 ? "" : "s", expected);
}

std::optional<Bad> first_bad(const Array& array, const ParamInfo& parameter) {
  const auto look = [&](const auto& values, auto&& converted) -> std::optional<Bad> {
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::string why = range_problem(parameter, ParamValue(converted(values[i]))); !why.empty())
        return Bad{i, std::move(why)};
    return std::nullopt;
  };
  const auto number = [](auto v) { return static_cast<double>(v); };
  const auto vector = [](const auto& v) { return Vec3d(v); };
  if (parameter.type == ParamType::real && array.holds<double>()) return look(array.as<double>(), number);
  if (parameter.type == ParamType::real && array.holds<float>()) return look(array.as<float>(), number);
  if (parameter.type == ParamType::vector && array.holds<Vec3d>()) return look(array.as<Vec3d>(), vector);
  if (parameter.type == ParamType::vector && array.holds<Vec3f>()) return look(array.as<Vec3f>(), vector);
  return std::nullopt;
}

}  // namespace

std::string channel_problem(const Object& object, const ParamInfo& parameter) {
  if (const auto* strands = dynamic_cast<const CurvesObject*>(&object)) {
    const Curves& curves = strands->curves();
    for (const Channels* channels : {&curves.vertices, &curves.strands})
      if (const std::string why = shape_problem(*channels, parameter); !why.empty()) return why;
    if (const Array* array = curves.vertices.find(parameter.name))
      if (const auto bad = first_bad(*array, parameter)) {
        const auto after =
            std::upper_bound(curves.first.begin(), curves.first.end(), static_cast<std::int64_t>(bad->at));
        const auto strand = after - curves.first.begin() - 1;
        return fmt::format("strand {}, vertex {}: {} {}", strand,
                           static_cast<std::int64_t>(bad->at) - curves.first[static_cast<std::size_t>(strand)],
                           parameter.name, bad->why);
      }
    if (const Array* array = curves.strands.find(parameter.name))
      if (const auto bad = first_bad(*array, parameter))
        return fmt::format("strand {}: {} {}", bad->at, parameter.name, bad->why);
  }
  if (const auto* particles = dynamic_cast<const ParticleObject*>(&object))
    if (const Array* array = particles->input_channel(parameter.name))
      if (const auto bad = first_bad(*array, parameter))
        return fmt::format("point {}: {} {}", bad->at, parameter.name, bad->why);
  if (const auto* solid = dynamic_cast<const MeshObject*>(&object)) {
    const SolidMesh& mesh = solid->mesh();
    for (const Channels* channels : {&mesh.vertices, &mesh.elements})
      if (const std::string why = shape_problem(*channels, parameter); !why.empty()) return why;
    if (const Array* array = mesh.skin.vertices.find(parameter.name))
      if (const auto bad = first_bad(*array, parameter))
        return fmt::format("vertex {} (counted from 0): {} {}", bad->at, parameter.name, bad->why);
    if (const Array* array = mesh.skin.faces.find(parameter.name))
      if (const auto bad = first_bad(*array, parameter))
        return fmt::format("triangle {} (counted from 0): {} {}", bad->at, parameter.name, bad->why);
    if (const Array* array = mesh.vertices.find(parameter.name))
      if (const auto bad = first_bad(*array, parameter))
        return fmt::format("node {} (counted from 0): {} {}", bad->at, parameter.name, bad->why);
    if (const Array* array = mesh.elements.find(parameter.name))
      if (const auto bad = first_bad(*array, parameter))
        return fmt::format("cell {} (counted from 0): {} {}", bad->at, parameter.name, bad->why);
  }
  return "";
}

}  // namespace ymir
