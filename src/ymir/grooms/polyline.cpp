#include "ymir/grooms/polyline.h"

#include "ymir/base/check.h"

namespace ymir {

double polyline_length(std::span<const Vec3d> points) {
  double length = 0;
  for (std::size_t i = 1; i < points.size(); ++i) length += norm(points[i] - points[i - 1]);
  return length;
}

std::vector<Vec3d> trimmed(std::span<const Vec3d> points, double length) {
  std::vector<Vec3d> out;
  double done = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double step = i > 0 ? norm(points[i] - points[i - 1]) : 0;
    if (i > 0 && done + step >= length) {
      if (step > 0) out.push_back(points[i - 1] + (points[i] - points[i - 1]) * ((length - done) / step));
      break;
    }
    out.push_back(points[i]);
    done += step;
  }
  return out;
}

std::vector<Vec3d> resampled(std::span<const Vec3d> points, std::size_t count) {
  YMIR_CHECK(count >= 2 && !points.empty());
  const double spacing = polyline_length(points) / static_cast<double>(count - 1);
  std::vector<Vec3d> out{points.front()};
  double done = 0;
  for (std::size_t i = 1; i < points.size() && out.size() + 1 < count; ++i) {
    const double step = norm(points[i] - points[i - 1]);
    while (out.size() + 1 < count && step > 0 && static_cast<double>(out.size()) * spacing <= done + step) {
      const double t = (static_cast<double>(out.size()) * spacing - done) / step;
      out.push_back(points[i - 1] + (points[i] - points[i - 1]) * t);
    }
    done += step;
  }
  out.resize(count, points.back());
  return out;
}

}  // namespace ymir
