#include "ymir/grooms/guide_rotations.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <span>

#include "ymir/grooms/polyline.h"
#include "ymir/grooms/root_grid.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr std::size_t most_surroundings = 8;
constexpr std::size_t reach = 5;    // segments before and after, one winding at 10 vertices per turn
constexpr double steadiness = 0.1;  // mu, of the weight of the segments around
constexpr double own_shape = 1e-3;  // of a guide that stands alone, beside its first segment

// Correlation of vectors with the same vectors moved: sum of w to x from.
struct Correlation {
  double m[3][3] = {};

  void add(Vec3d from, Vec3d to, double weight) {
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) m[a][b] += weight * from[a] * to[b];
  }
  void add(const Quaternion& q, double weight) {
    for (int a = 0; a < 3; ++a) {
      Vec3d axis;
      axis[a] = 1;
      add(axis, rotate(q, axis), weight);
    }
  }
  // The rotation that fits best (Horn, "Closed-form solution of absolute orientation using unit quaternions", 1987):
  // the eigenvector of the largest eigenvalue of a symmetric 4 x 4 matrix. Not clear: vectors along one line leave a
  // turn about it open.
  Quaternion best(bool& clear) const {
    Eigen::Matrix4d n;
    n << m[0][0] + m[1][1] + m[2][2], m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0],  //
        m[1][2] - m[2][1], m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[2][0] + m[0][2],   //
        m[2][0] - m[0][2], m[0][1] + m[1][0], m[1][1] - m[0][0] - m[2][2], m[1][2] + m[2][1],   //
        m[0][1] - m[1][0], m[2][0] + m[0][2], m[1][2] + m[2][1], m[2][2] - m[0][0] - m[1][1];
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> solver(n);
    const Eigen::Vector4d values = solver.eigenvalues(), q = solver.eigenvectors().col(3);
    clear = values[3] - values[2] > 1e-6 * std::abs(values[3]);
    return {q[0], {q[1], q[2], q[3]}};
  }
};

// Smallest rotation from one unit vector to another.
Quaternion smallest_rotation(Vec3d from, Vec3d to) {
  const double c = dot(from, to);
  if (!(1 + c > 1e-12)) return {0, any_perpendicular(from)};
  return normalized(Quaternion{1 + c, cross(from, to)});
}

Vec3d segment_direction(std::span<const Vec3d> points, std::size_t i) {
  return i + 1 < points.size() ? normalized(points[i + 1] - points[i], Vec3d()) : Vec3d();
}

// First direction of a strand that has one.
Vec3d first_direction(std::span<const Vec3d> points) {
  for (std::size_t i = 0; i + 1 < points.size(); ++i)
    if (const Vec3d t = segment_direction(points, i); t != Vec3d()) return t;
  return {0, 1, 0};
}

struct GuidePair {
  const Curves& rest;
  const Curves& moved;
  std::span<const std::int32_t> around;  // of the guide
  std::size_t guide;

  bool still() const {
    const auto a = points_of(rest, guide), b = points_of(moved, guide);
    return std::equal(a.begin(), a.end(), b.begin()) && std::all_of(around.begin(), around.end(), [&](std::int32_t n) {
             const auto s = static_cast<std::size_t>(n);
             return points_of(rest, s).front() == points_of(moved, s).front();
           });
  }

  Quaternion skin() const {
    const auto a = points_of(rest, guide), b = points_of(moved, guide);
    Correlation correlation;
    const Vec3d t = first_direction(a), moved_t = first_direction(b);
    correlation.add(t, moved_t, 1);
    // Directions count like a root at the mean distance of the surrounding ones.
    double distance = 0;
    for (const std::int32_t n : around)
      distance += norm(points_of(rest, static_cast<std::size_t>(n))[0] - a[0]) / static_cast<double>(around.size());
    for (const std::int32_t n : around) {
      const auto c = points_of(rest, static_cast<std::size_t>(n)), d = points_of(moved, static_cast<std::size_t>(n));
      if (distance > 0) correlation.add((c[0] - a[0]) / distance, (d[0] - b[0]) / distance, 1);
      correlation.add(first_direction(c), first_direction(d), 1);
    }
    if (around.size() < 2)
      for (std::size_t i = 0; i + 1 < a.size(); ++i)
        correlation.add(segment_direction(a, i), segment_direction(b, i), own_shape);
    bool clear = false;
    const Quaternion q = correlation.best(clear);
    return clear ? q : smallest_rotation(t, moved_t);
  }
};

}  // namespace

GuideSurroundings surroundings_of(const Curves& guides) {
  const std::size_t count = guides.strand_count();
  std::vector<Vec3d> roots(count);
  for (std::size_t g = 0; g < count; ++g) roots[g] = points_of(guides, g).front();
  const RootGrid grid(roots);
  GuideSurroundings found;
  found.count = std::min(most_surroundings, count - 1);
  for (std::size_t g = 0; g < count; ++g) {
    std::vector<std::int32_t> around = grid.nearest(roots[g], found.count + 1);
    // Guides may share a root, so this one need not come first, or at all.
    const auto self = std::find(around.begin(), around.end(), static_cast<std::int32_t>(g));
    around.erase(self != around.end() ? self : around.end() - 1);
    found.guide.insert(found.guide.end(), around.begin(), around.end());
  }
  return found;
}

std::vector<Quaternion> guide_rotations(const GuideSurroundings& surroundings, const Curves& rest,
                                        const Curves& moved) {
  std::vector<Quaternion> rotations(rest.positions.size());
  parallel_blocks(static_cast<std::ptrdiff_t>(rest.strand_count()), 16, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::vector<Vec3d> from, to;
    for (auto g = static_cast<std::size_t>(begin); g < static_cast<std::size_t>(end); ++g) {
      const GuidePair pair{rest, moved, {surroundings.guide.data() + g * surroundings.count, surroundings.count}, g};
      if (pair.still()) continue;
      const auto a = points_of(rest, g), b = points_of(moved, g);
      from.clear();
      to.clear();
      for (std::size_t i = 0; i + 1 < a.size(); ++i) {
        from.push_back(segment_direction(a, i));
        to.push_back(segment_direction(b, i));
      }
      Quaternion q = pair.skin();
      Quaternion* out = &rotations[static_cast<std::size_t>(rest.first[g])];
      for (std::size_t i = 0; i < a.size(); ++i) {
        Correlation correlation;
        double weight = 0;
        for (std::size_t k = i > reach ? i - reach : 0; k < std::min(from.size(), i + reach); ++k) {
          const double away = std::abs(static_cast<double>(k) + 0.5 - static_cast<double>(i));
          const double w = 1 - away / (reach + 0.5);
          correlation.add(from[k], to[k], w);
          weight += w;
        }
        correlation.add(q, steadiness * weight);
        bool clear = false;
        if (const Quaternion fitted = correlation.best(clear); clear) q = fitted;
        out[i] = q;
      }
    }
  });
  return rotations;
}

}  // namespace ymir
