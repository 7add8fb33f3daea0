#include "ymir/objects/point_source.h"

#include <algorithm>
#include <cmath>

#include "ymir/base/check.h"
#include "ymir/base/random.h"

namespace ymir {
namespace {

// Uniform in the unit ball, by direction and the cube root of the radius.
Vec3d in_unit_ball(Random& random) {
  const double z = random.uniform(-1, 1);
  const double angle = random.uniform(0, 2 * M_PI);
  const double r = std::cbrt(random.uniform());
  const double s = std::sqrt(std::max(0.0, 1 - z * z));
  return Vec3d{s * std::cos(angle), s * std::sin(angle), z} * r;
}

}  // namespace

PointSource::PointSource(const Description& description, const Surface* surface) : description_(description) {
  if (description.shape != SourceShape::surface) return;
  YMIR_CHECK(surface != nullptr);
  double area = 0;
  for (const auto& t : surface->triangles) {
    const std::array<Vec3d, 3> corners{surface->positions[static_cast<std::size_t>(t[0])],
                                       surface->positions[static_cast<std::size_t>(t[1])],
                                       surface->positions[static_cast<std::size_t>(t[2])]};
    area += 0.5 * norm(cross(corners[1] - corners[0], corners[2] - corners[0]));
    triangles_.push_back(corners);
    cumulative_area_.push_back(area);
  }
}

std::int64_t PointSource::born_until(double time) const {
  const double t = std::min(time, description_.stop) - description_.start;
  if (!(t > 0)) return 0;
  const double born = std::floor(t * description_.rate + 0.5);
  return born >= static_cast<double>(description_.limit) ? description_.limit : static_cast<std::int64_t>(born);
}

double PointSource::birth_time(std::int64_t i) const {
  return description_.start + (static_cast<double>(i) + 0.5) / description_.rate;
}

PointSource::Birth PointSource::birth(std::int64_t i) const {
  Random random(description_.seed, static_cast<std::uint64_t>(i));
  Birth birth;
  switch (description_.shape) {
    case SourceShape::box:
      birth.position = description_.center + Vec3d{random.uniform(-0.5, 0.5) * description_.size.x,
                                                   random.uniform(-0.5, 0.5) * description_.size.y,
                                                   random.uniform(-0.5, 0.5) * description_.size.z};
      break;
    case SourceShape::sphere: birth.position = description_.center + in_unit_ball(random) * description_.radius; break;
    case SourceShape::surface: {
      const double at = random.uniform() * cumulative_area_.back();
      const auto it = std::upper_bound(cumulative_area_.begin(), cumulative_area_.end() - 1, at);
      const auto& [a, b, c] = triangles_[static_cast<std::size_t>(it - cumulative_area_.begin())];
      const double s = std::sqrt(random.uniform()), t = random.uniform();
      birth.position = a * (1 - s) + b * (s * (1 - t)) + c * (s * t);
      break;
    }
  }
  birth.velocity = description_.velocity + in_unit_ball(random) * description_.spread;
  birth.chance = random.uniform();
  return birth;
}

}  // namespace ymir
