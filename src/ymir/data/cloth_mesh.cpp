#include "ymir/data/cloth_mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ymir/base/error.h"

namespace ymir {
namespace {

constexpr double most_slender = 50;  // longest edge by the height on it

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

void require_shape(const Surface& surface, const std::string& name) {
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto& v = surface.triangles[t];
    const Vec3d x0 = surface.positions[at(v[0])], x1 = surface.positions[at(v[1])], x2 = surface.positions[at(v[2])];
    const double longest = std::max({norm(x1 - x0), norm(x2 - x1), norm(x0 - x2)});
    const double twice_area = norm(cross(x1 - x0, x2 - x0));
    if (twice_area * most_slender >= longest * longest && longest > 0) continue;
    throw Error(
        ExitCode::bad_input,
        fmt::format("{}: triangle {} at ({:g}, {:g}, {:g}) {}; remesh the surface with triangles that are about "
                    "as high as they are wide",
                    name, t, x0.x, x0.y, x0.z,
                    twice_area > 1e-12 * longest * longest
                        ? fmt::format("is {:.0f} times as long as high, more than {:g}", longest * longest / twice_area,
                                      most_slender)
                        : "has no area"));
  }
}

// Channels of the vertices that have a number, in their order.
Channels without_loose(const Channels& all, const std::vector<std::int32_t>& number, std::size_t count) {
  Channels kept;
  kept.resize(count);
  for (const auto& [name, array] : all.all()) {
    Array values(array.type(), array.components(), count);
    const std::size_t stride = array.stride();
    for (std::size_t v = 0; v < number.size(); ++v)
      if (number[v] >= 0)
        std::copy_n(array.bytes().begin() + static_cast<std::ptrdiff_t>(v * stride), stride,
                    values.bytes().begin() + static_cast<std::ptrdiff_t>(at(number[v]) * stride));
    kept.set(name, std::move(values));
  }
  return kept;
}

}  // namespace

SolidMesh cloth_of(const Surface& surface, double thickness, const std::string& name) {
  require_shape(surface, name);
  std::vector<std::int32_t> number(surface.positions.size(), -1);
  for (const auto& t : surface.triangles)
    for (const std::int32_t v : t) number[at(v)] = 0;
  SolidMesh mesh;
  mesh.shape = CellShape::triangle;
  mesh.thickness = thickness;
  for (std::size_t v = 0; v < number.size(); ++v) {
    if (number[v] < 0) continue;
    number[v] = static_cast<std::int32_t>(mesh.positions.size());
    mesh.positions.push_back(surface.positions[v]);
  }
  if (const std::size_t loose = surface.positions.size() - mesh.positions.size(); loose > 0)
    mesh.warning = fmt::format("{}: {} vertices belong to no triangle and are left out", name, loose);
  mesh.embedded.resize(mesh.positions.size());
  constexpr std::array<Vec3d, 3> corner{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    std::array<std::int32_t, 3> own;
    for (std::size_t k = 0; k < 3; ++k) {
      own[k] = number[at(surface.triangles[t][k])];
      mesh.cells.push_back(own[k]);
      mesh.embedded[at(own[k])] = {static_cast<std::int32_t>(t), corner[k]};
    }
    mesh.skin.triangles.push_back(own);
  }
  mesh.fill.assign(mesh.cell_count(), 1);
  mesh.skin.positions = mesh.positions;
  mesh.skin.faces = surface.faces;
  mesh.skin.vertices = without_loose(surface.vertices, number, mesh.positions.size());
  return mesh;
}

std::vector<Vec3d> texture_directions(const SolidMesh& mesh) {
  const Channels& faces = mesh.skin.faces;
  if (!faces.has("uv0") || !faces.has("uv1") || !faces.has("uv2")) return {};
  const std::array uv{faces.get<Vec3f>("uv0"), faces.get<Vec3f>("uv1"), faces.get<Vec3f>("uv2")};
  std::vector<Vec3d> directions;
  for (std::size_t t = 0; t < mesh.cell_count(); ++t) {
    const auto x = [&](std::size_t k) { return mesh.positions[at(mesh.cells[3 * t + k])]; };
    const Vec3d a(uv[1][t] - uv[0][t]), b(uv[2][t] - uv[0][t]);
    const double area = a.x * b.y - a.y * b.x;
    // (x1 - x0, x2 - x0) = (dx/du, dx/dv) (a, b)
    const Vec3d along = ((x(1) - x(0)) * b.y - (x(2) - x(0)) * a.y) * (area > 0 ? 1.0 : -1.0);
    if (!(std::fabs(area) > 0) || !(norm(along) > 0)) return {};
    directions.push_back(along);
  }
  return directions;
}

std::vector<Vec3d> warp_along(const SolidMesh& mesh, Vec3d direction) {
  constexpr double nearly_normal = 0.017;
  std::vector<Vec3d> directions;
  for (std::size_t t = 0; t < mesh.cell_count(); ++t) {
    const auto x = [&](std::size_t k) { return mesh.positions[at(mesh.cells[3 * t + k])]; };
    const Vec3d normal = cross(x(1) - x(0), x(2) - x(0));
    const bool normal_to_it = norm(cross(normal, direction)) < nearly_normal * norm(normal) * norm(direction);
    directions.push_back(normal_to_it ? x(1) - x(0) : direction);
  }
  return directions;
}

}  // namespace ymir
