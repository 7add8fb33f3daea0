// Strands as contacts see them: fibres of round sections.
#include <algorithm>

#include "ymir/objects/curves_object.h"
#include "ymir/solids/detection/boundary.h"

namespace ymir {

void CurvesObject::show_boundary(Boundary& boundary, std::int32_t object, double thickness, const PieceTraits& traits) {
  std::vector<Vec3d> positions;
  std::vector<double> radii;
  std::vector<std::uint8_t> held;
  for (const StrandSystem::Seat& seat : strands_.seats()) {
    const StrandSystem::Group& group = strands_.group(seat.group);
    const auto lane = static_cast<std::size_t>(seat.lane);
    const int vertices = group.count[lane];
    if (vertices < 3) continue;  // the ghost, and one of its own
    positions.clear(), radii.clear(), held.clear();
    const auto value = [&](int channel, int i) { return strands_.plane(seat.group, channel)[i][seat.lane]; };
    for (int i = 1; i < vertices; ++i) {
      positions.emplace_back(value(channels_.position, i), value(channels_.position + 1, i),
                             value(channels_.position + 2, i));
      radii.push_back(value(channels_.radius, i) + thickness / 2);
      held.push_back(value(channels_.free_position, i) == 0 ? 1 : 0);
    }
    PieceTraits own = traits;
    own.rolls = rolls(seat.group, seat.lane);
    boundary.add_fiber({object, group.id[lane]}, positions, radii, held, own);
  }
}

bool CurvesObject::rolls(int group, int lane) const {
  const StrandReal* radius = strands_.plane(group, channels_.radius);
  double thickest = 0;
  for (int i = 1; i < strands_.group(group).count[static_cast<std::size_t>(lane)]; ++i)
    thickest = std::max(thickest, radius[i][lane]);
  return thickest > 0 && thickest >= rolls_from();
}

bool CurvesObject::rolls(int group) const {
  for (int lane = 0; lane < StrandSystem::lanes; ++lane)
    if (rolls(group, lane)) return true;
  return false;
}

bool CurvesObject::brings(std::string_view parameter) { return painted_channel(parameter) >= 0; }

std::vector<double> CurvesObject::painted_boundary(std::string_view parameter) const {
  const int channel = strands_.find("painted " + std::string(parameter));
  std::vector<double> values;
  if (channel < 0) return values;
  for (const StrandSystem::Seat& seat : strands_.seats()) {
    const int vertices = strands_.group(seat.group).count[static_cast<std::size_t>(seat.lane)];
    for (int i = 1; i < vertices && vertices >= 3; ++i)
      values.push_back(strands_.plane(seat.group, channel)[i][seat.lane]);
  }
  return values;
}

void CurvesObject::move_boundary(int block, int place, double dt, std::span<BoundaryVertex> vertices) const {
  const StrandReal *x[3], *v[3];
  for (int k = 0; k < 3; ++k) {
    x[k] = strands_.plane(block, channels_.position + k);
    v[k] = strands_.plane(block, channels_.velocity + k);
  }
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vec3d velocity{v[0][i + 1][place], v[1][i + 1][place], v[2][i + 1][place]};
    vertices[i].x = {x[0][i + 1][place], x[1][i + 1][place], x[2][i + 1][place]};
    vertices[i].way = velocity * dt;
  }
}

}  // namespace ymir
