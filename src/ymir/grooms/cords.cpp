#include "ymir/grooms/cords.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ymir/base/check.h"
#include "ymir/grooms/polyline.h"
#include "ymir/grooms/smooth_step.h"

namespace ymir {

Curves helix_curve(const HelixParams& p) {
  YMIR_CHECK(p.turns > 0 && p.points_per_turn >= 3);
  constexpr double most_of_a_lead = 1000;
  const Vec3d axis = normalized(p.direction, Vec3d{0, -1, 0}), x = any_perpendicular(axis), y = cross(axis, x);
  const double around = 2 * std::numbers::pi;
  const auto segments = std::max<std::int64_t>(1, std::llround(p.turns * static_cast<double>(p.points_per_turn)));
  const double edge = std::hypot(around * p.radius, p.pitch) / static_cast<double>(p.points_per_turn);
  const auto lead = p.straight_lead > 0
                        ? static_cast<std::int64_t>(std::clamp(std::ceil(p.straight_lead / edge), 1.0, most_of_a_lead))
                        : 0;
  Curves curves;
  for (std::int64_t i = 0; i < lead; ++i)
    curves.positions.push_back(p.origin +
                               axis * (p.straight_lead * static_cast<double>(i) / static_cast<double>(lead)));
  const double fade = std::min(1.0, p.turns / 2);
  for (std::int64_t i = 0; i <= segments; ++i) {
    const double turn = p.turns * static_cast<double>(i) / static_cast<double>(segments);
    const double opened = lead > 0 ? smooth_step(std::min(turn, p.turns - turn) / fade) : 1;
    const Vec3d out = x * std::cos(around * turn) + y * std::sin(around * turn);
    curves.positions.push_back(p.origin + axis * (p.straight_lead + p.pitch * turn) + out * (p.radius * opened));
  }
  const double end = p.straight_lead + p.pitch * p.turns;
  for (std::int64_t i = 1; i <= lead; ++i)
    curves.positions.push_back(p.origin +
                               axis * (end + p.straight_lead * static_cast<double>(i) / static_cast<double>(lead)));
  curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
  return curves;
}

Curves line_curves(const LineParams& p) {
  YMIR_CHECK(p.vertices >= 2 && p.count >= 1);
  Curves curves;
  for (std::int64_t s = 0; s < p.count; ++s) {
    for (std::int64_t i = 0; i < p.vertices; ++i) {
      const double t = static_cast<double>(i) / static_cast<double>(p.vertices - 1);
      curves.positions.push_back(p.from * (1 - t) + p.to * t + p.spacing * static_cast<double>(s));
    }
    curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
  }
  return curves;
}

}  // namespace ymir
