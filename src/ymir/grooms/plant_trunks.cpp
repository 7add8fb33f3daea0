// Trunks and fruit: elastons in cubes cut to a closed surface, a node for every eight of them.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "ymir/data/lattice.h"
#include "ymir/grooms/plant.h"
#include "ymir/grooms/surface_parts.h"
#include "ymir/physics/elements/hexahedron.h"

namespace ymir {
namespace {

// Distance of nodes inside, in spacings: with 1 an elaston has 137 of them in reach.
constexpr double node_pitch = 1.5;
constexpr double nearest_nodes = 0.4;      // distances of nodes at which one is left out, in pitches
constexpr double neighbours = 1.8;         // distance within which nodes are next to each other, in pitches
// Area of a plate across the wind that feels as much as a closed surface, by that surface: a face feels |cos|^3 of it in
// the wind, 1/4 in the mean over directions, and bears half of what a plate does, as on bodies.
constexpr double closed_to_plate = 0.125;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
std::int32_t number(std::size_t n) { return static_cast<std::int32_t>(n); }

// What of a cube is solid, with the volume and moments of its quadrature points.
ElastonSample solid_in(const SolidMesh& cubes, std::size_t c, double edge) {
  const Vec3d low = cubes.positions[at(cubes.cells[8 * c])];
  ElastonSample e;
  e.kind = ElastonKind::solid;
  e.axes = identity3();
  double whole = 0;
  Vec3d mean{0, 0, 0}, square{0, 0, 0};
  for (std::size_t q = 0; q < Hexahedron::points; ++q) {
    const double share = cubes.shares[Hexahedron::points * c + q];
    const Vec3d r = Hexahedron::quadrature[q].at;
    whole += share;
    mean += r * share;
    for (int k = 0; k < 3; ++k) square[k] += r[k] * r[k] * share;
  }
  mean *= 1 / whole;
  e.centre = low + (mean + Vec3d{1, 1, 1}) * (edge / 2);
  for (int k = 0; k < 3; ++k)
    e.extent[k] = std::sqrt(12 * std::max(square[k] / whole - mean[k] * mean[k], 0.0)) * edge / 2;
  e.volume = cubes.fill[c] * edge * edge * edge;
  e.radius = edge / 2;
  return e;
}

}  // namespace

void Plant::add_trunks(const Surface& surface, const std::string& from, std::size_t most) {
  std::size_t left = most;
  for (const Surface& part : separated(surface)) left -= add_trunk(part, from, left);
}

std::size_t Plant::add_trunk(const Surface& surface, const std::string& from, std::size_t most) {
  const double pitch = node_pitch * cloud_.spacing, edge = pitch / 2;
  const SolidMesh cubes = lattice_of(surface, edge, from, most, "spacing");
  const Vec3d corner = bounds(cubes.positions).low;
  Trunk trunk{number(cloud_.elastons.size()), 0, edge / 2};
  // Nodes in the middle of what is solid of eight cubes.
  struct Part {
    double volume = 0;
    Vec3d moment{0, 0, 0};
  };
  std::map<std::array<int, 3>, Part> eights;
  for (std::size_t c = 0; c < cubes.cell_count(); ++c) {
    const ElastonSample e = solid_in(cubes, c, edge);
    const Vec3d place = (cubes.positions[at(cubes.cells[8 * c])] - corner) / pitch;
    constexpr double rounding = 1e-6;
    Part& part =
        eights[{static_cast<int>(std::floor(place.z + rounding)), static_cast<int>(std::floor(place.y + rounding)),
                static_cast<int>(std::floor(place.x + rounding))}];
    part.volume += e.volume;
    part.moment += e.centre * e.volume;
    cloud_.elastons.push_back(e);
  }
  trunk.end = number(cloud_.elastons.size());
  std::vector<const Part*> parts;
  for (const auto& [place, part] : eights) parts.push_back(&part);
  // Fuller ones first: what is almost empty holds no node of its own.
  std::stable_sort(parts.begin(), parts.end(), [](const Part* a, const Part* b) { return a->volume > b->volume; });
  const std::int32_t first = number(cloud_.nodes.size());
  for (const Part* part : parts) {
    const Vec3d x = part->moment / part->volume;
    double gap = std::numeric_limits<double>::infinity();
    for (std::size_t i = at(first); i < cloud_.nodes.size(); ++i) gap = std::min(gap, norm(cloud_.nodes[i] - x));
    if (gap < nearest_nodes * pitch) continue;
    for (std::int32_t other = first; other < number(cloud_.nodes.size()); ++other) {
      const double away = norm(cloud_.nodes[at(other)] - x);
      if (away < neighbours * pitch || away == gap) cloud_.links.push_back({other, number(cloud_.nodes.size())});
    }
    cloud_.nodes.push_back(x);
  }
  const auto nearest = [&](Vec3d x) {
    std::int32_t best = first;
    for (std::int32_t i = first; i < number(cloud_.nodes.size()); ++i)
      if (norm(cloud_.nodes[at(i)] - x) < norm(cloud_.nodes[at(best)] - x)) best = i;
    return best;
  };
  for (std::int32_t e = trunk.first; e < trunk.end; ++e)
    cloud_.elastons[at(e)].node = nearest(cloud_.elastons[at(e)].centre);
  add_bark(surface, trunk, nearest);
  trunks_.push_back(trunk);
  return cubes.cell_count();
}

// What is shown of it, and where the wind meets it.
void Plant::add_bark(const Surface& surface, const Trunk& trunk, const std::function<std::int32_t(Vec3d)>& nearest) {
  const std::int32_t start = number(cloud_.skin.positions.size());
  ElastonCloud::Part& part = cloud_.parts.emplace_back();
  part.kind = ElastonKind::solid;
  for (const Vec3d& x : surface.positions) {
    cloud_.skin.positions.push_back(x);
    cloud_.skin_nodes.push_back(nearest(x));
    part.points.push_back(x);
    part.nodes.push_back(cloud_.skin_nodes.back());
  }
  part.triangles = surface.triangles;
  for (const auto& [a, b, c] : surface.triangles) {
    cloud_.skin.triangles.push_back({start + a, start + b, start + c});
    const Vec3d x = surface.positions[at(a)], y = surface.positions[at(b)], z = surface.positions[at(c)];
    const double area = norm(cross(y - x, z - x)) / 2;
    std::int32_t best = trunk.first;
    const Vec3d middle = (x + y + z) / 3;
    for (std::int32_t e = trunk.first; e < trunk.end; ++e)
      if (norm(cloud_.elastons[at(e)].centre - middle) < norm(cloud_.elastons[at(best)].centre - middle)) best = e;
    cloud_.elastons[at(best)].area += closed_to_plate * area;
  }
}

Plant::Touch Plant::touch_trunk(Vec3d x) const {
  Touch best;
  for (std::size_t t = 0; t < trunks_.size(); ++t)
    for (std::int32_t e = trunks_[t].first; e < trunks_[t].end; ++e) {
      const ElastonSample& sample = cloud_.elastons[at(e)];
      Vec3d outside = x - sample.centre;
      for (int k = 0; k < 3; ++k) outside[k] = std::max(std::fabs(outside[k]) - sample.extent[k] / 2, 0.0);
      if (const double gap = norm(outside); gap < best.gap) best = {gap, {sample.node, sample.node}, number(t)};
    }
  return best.gap < cloud_.spacing / 2 ? best : Touch{};
}

// A fruit hangs where it is nearest to a branch.
bool Plant::hangs(const Trunk& trunk) {
  if (trunk.bears) return false;
  Touch best;
  std::int32_t node = -1;
  for (std::int32_t e = trunk.first; e < trunk.end; ++e) {
    const ElastonSample& sample = cloud_.elastons[at(e)];
    const Touch on = touch_branch(sample.centre, no_strand);
    if (!(on.gap < best.gap)) continue;
    best = on;
    node = sample.node;
  }
  if (node >= 0) join(node, best);
  return node >= 0;
}

// The lowest layer of a trunk stands in the ground, each cube of it by its section.
void Plant::hold_foot(const Trunk& trunk) {
  const auto low = [&](std::int32_t e) { return cloud_.elastons[at(e)].centre.y - trunk.half; };
  double lowest = std::numeric_limits<double>::infinity();
  for (std::int32_t e = trunk.first; e < trunk.end; ++e) lowest = std::min(lowest, low(e));
  for (std::int32_t e = trunk.first; e < trunk.end; ++e) {
    const ElastonSample& sample = cloud_.elastons[at(e)];
    if (low(e) > lowest + trunk.half) continue;
    cloud_.held.push_back(
        {sample.centre - Vec3d{0, sample.extent.y / 2, 0}, sample.extent.x * sample.extent.z, sample.node, false});
  }
}

}  // namespace ymir
