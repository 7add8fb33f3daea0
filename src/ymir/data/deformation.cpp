#include "ymir/data/deformation.h"

#include <algorithm>
#include <cmath>

namespace ymir {
namespace {

// The upright axis becomes an arc that turns by `angle` over `length` towards the unit direction `side`; beyond its
// ends it goes on straight. `height` is measured along the axis, `off` across it.
Vec3d on_arc(double height, Vec3d off, Vec3d side, double angle, double length) {
  const double s = std::clamp(height, 0.0, length), turned = angle * s / length;
  const Vec3d up{0, 1, 0};
  const Vec3d along = up * std::cos(turned) + side * std::sin(turned);
  const Vec3d across = side * std::cos(turned) - up * std::sin(turned);
  // sin(t)/t and (1 - cos t)/t, good for small angles too.
  const double half = 0.5 * turned;
  const double sinc = std::abs(half) > 1e-6 ? std::sin(half) / half : 1 - half * half / 6;
  const Vec3d middle = (up * std::cos(half) + side * std::sin(half)) * (s * sinc);
  const double out = dot(off, side);
  return middle + along * (height - s) + across * out + (off - side * out);
}

}  // namespace

Vec3d deformed(Vec3d p, const DeformationKey& by, const DeformationAxis& axis) {
  const Vec3d middle = axis.foot + Vec3d{0, 0.5 * axis.length, 0};
  p = middle + (p - middle) * (1 + by.swell) - axis.foot;
  const double turn = by.twist * std::clamp(p.y / axis.length, 0.0, 1.0);
  const Vec3d off{p.x * std::cos(turn) + p.z * std::sin(turn), 0, p.z * std::cos(turn) - p.x * std::sin(turn)};
  const double angle = std::hypot(by.bend, by.lean);
  if (angle == 0) return axis.foot + Vec3d{off.x, p.y, off.z};
  return axis.foot + on_arc(p.y, off, Vec3d{by.lean, 0, by.bend} / angle, angle, axis.length);
}

DeformationKey deformation_at(std::span<const DeformationKey> keys, double time) {
  if (keys.empty()) return {};
  const auto after = std::find_if(keys.begin(), keys.end(), [&](const DeformationKey& k) { return k.time > time; });
  if (after == keys.begin()) return keys.front();
  if (after == keys.end()) return keys.back();
  const DeformationKey &a = *(after - 1), &b = *after;
  const double t = (time - a.time) / (b.time - a.time), s = t * t * (3 - 2 * t);
  const auto mix = [s](double x, double y) { return x + (y - x) * s; };
  return {time, mix(a.bend, b.bend), mix(a.lean, b.lean), mix(a.twist, b.twist), mix(a.swell, b.swell)};
}

}  // namespace ymir
