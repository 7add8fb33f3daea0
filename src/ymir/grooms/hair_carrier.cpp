#include "ymir/grooms/hair_carrier.h"

#include <algorithm>

#include "ymir/grooms/polyline.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr double farthest_skin = 0.02;  // a root farther from every surface grows in none [m]

}  // namespace

HairCarrier::HairCarrier(Curves groom, Curves guides_rest, const Surfaces& rest, int neighbours,
                         const std::string& groom_name, const std::string& guides_name)
    : groom_(std::move(groom)),
      guides_(std::move(guides_rest)),
      weights_(precompute_interpolation(groom_, guides_, neighbours, groom_name, guides_name)) {
  std::map<std::string, Solid, std::less<>> solids;
  for (const auto& [name, surface] : rest) {
    if (surface.triangles.empty()) continue;
    const auto added = solids.emplace(name, Solid(surface)).first;
    if (!encloses(added->second, groom_)) continue;
    ignored_.push_back(name);
    solids.erase(added);
  }
  hair_feet_.resize(groom_.strand_count());
  guide_feet_.resize(guides_.strand_count());
  const auto find = [&](const Curves& curves, std::vector<Foot>& feet) {
    parallel_blocks(static_cast<std::ptrdiff_t>(feet.size()), 64, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (auto h = static_cast<std::size_t>(begin); h < static_cast<std::size_t>(end); ++h)
        feet[h] = foot_of(points_of(curves, h).front(), solids, rest);
    });
  };
  find(groom_, hair_feet_);
  find(guides_, guide_feet_);
}

HairCarrier::Foot HairCarrier::foot_of(Vec3d root, const std::map<std::string, Solid, std::less<>>& solids,
                                       const Surfaces& rest) const {
  Foot foot;
  double nearest = farthest_skin;
  for (const auto& [name, solid] : solids) {
    const ClosestPoint closest = solid.bvh().closest(root, nearest);
    if (closest.triangle < 0 || (closest.distance == nearest && !foot.surface.empty())) continue;
    nearest = closest.distance;
    foot = {name, rest.find(name)->second.triangles[static_cast<std::size_t>(closest.triangle)], closest.barycentric,
            closest.point};
  }
  return foot;
}

SkinPoint HairCarrier::moved(const Foot& foot, const Surfaces& surfaces) {
  const auto found = foot.surface.empty() ? surfaces.end() : surfaces.find(foot.surface);
  if (found == surfaces.end()) return {};
  const auto& positions = found->second.positions;
  SkinPoint point{true, foot.rest, {}};
  for (int a = 0; a < 3; ++a) {
    const auto v = static_cast<std::size_t>(foot.triangle[static_cast<std::size_t>(a)]);
    if (v >= positions.size()) return {};
    point.moved += positions[v] * foot.barycentric[a];
  }
  return point;
}

std::size_t HairCarrier::nearest_guide(std::size_t hair) const {
  const double* weight = &weights_.weight[hair * weights_.neighbours];
  const auto most = std::max_element(weight, weight + weights_.neighbours) - weight;
  return static_cast<std::size_t>(weights_.guide[hair * weights_.neighbours + static_cast<std::size_t>(most)]);
}

Curves HairCarrier::carry(const Curves& guides_moved, const Surfaces& surfaces, const std::string& frame_name) const {
  RootSkin skin;
  for (const Foot& foot : hair_feet_) skin.hairs.push_back(moved(foot, surfaces));
  for (const Foot& foot : guide_feet_) skin.guides.push_back(moved(foot, surfaces));
  Curves hairs = interpolate(groom_, weights_, guides_, guides_moved, frame_name, &skin);
  std::vector<Solid> solids;
  for (const auto& [name, surface] : surfaces)
    if (!surface.triangles.empty() && std::find(ignored_.begin(), ignored_.end(), name) == ignored_.end())
      solids.emplace_back(surface);
  push_out(hairs, solids);
  return hairs;
}

}  // namespace ymir
