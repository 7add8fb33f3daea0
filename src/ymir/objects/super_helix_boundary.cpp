// Super-helices as contacts see them: fibres through the vertices that frames show.
#include "ymir/objects/super_helix_object.h"
#include "ymir/solids/detection/boundary.h"

namespace ymir {

void SuperHelixObject::show_boundary(Boundary& boundary, std::int32_t object, double thickness,
                                     const PieceTraits& traits) {
  for (const auto& [g, lane] : strands_.seats()) {
    const SuperHelix h = helix(g, lane);
    std::vector<Vec3d> positions;
    std::vector<double> radii;
    for (int v = 0; v < description_.vertices; ++v) {
      const Place at = place_of(h, {nullptr, 0, v + 1, {0, 0, 0}});
      positions.push_back(h.frame(at.element, at.s).position);
      radii.push_back(strands_.plane(g, channels_.radius)[at.element][lane] + thickness / 2);
    }
    std::vector<std::uint8_t> held(positions.size(), 0);
    held.front() = h.free_root ? 0 : 1;
    boundary.add_fiber({object, strands_.group(g).id[static_cast<std::size_t>(lane)]}, positions, radii, held, traits);
  }
}

void SuperHelixObject::move_boundary(int block, int, double dt, std::span<BoundaryVertex> vertices) const {
  const int g = block / StrandSystem::lanes, lane = block % StrandSystem::lanes;
  const SuperHelix h = helix(g, lane);
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const Place at = place_of(h, {nullptr, 0, static_cast<std::int32_t>(v) + 1, {0, 0, 0}});
    vertices[v].x = h.frame(at.element, at.s).position;
    vertices[v].way = velocity_at(g, lane, at.element * h.length + at.s) * dt;
  }
}

}  // namespace ymir
