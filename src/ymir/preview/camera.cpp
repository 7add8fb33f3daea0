#include "ymir/preview/camera.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <tuple>
#include <vector>

#include "ymir/preview/scene.h"

namespace ymir {
namespace {

constexpr double outlier_fraction = 0.005;
constexpr std::size_t most_points = 100'000;
constexpr double margin = 1.1;
constexpr double azimuth = 0.61;    // 35 degrees from the front
constexpr double elevation = 0.24;  // 14 degrees

// To the farthest, unless that is far from where the outliers begin.
std::pair<double, double> reach_of(double low, double low_most, double high, double high_most) {
  const double reach = 0.5 * (high - low);
  return {low_most >= low - reach ? low_most : low, high_most <= high + reach ? high_most : high};
}

std::pair<double, double> weighted_range(const std::vector<float>& values, const std::vector<double>& weights) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const double cut = outlier_fraction * std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto beyond_cut = [&](auto at) {
    for (double sum = weights[*at]; sum <= cut; sum += weights[*at]) ++at;
    return static_cast<double>(values[*at]);
  };
  return reach_of(beyond_cut(order.begin()), values[order.front()], beyond_cut(order.rbegin()), values[order.back()]);
}

// Range of one axis without outliers.
std::pair<double, double> robust_range(std::vector<float>& values, const std::vector<double>& weights = {}) {
  if (!weights.empty()) return weighted_range(values, weights);
  const std::size_t cut = static_cast<std::size_t>(outlier_fraction * static_cast<double>(values.size()));
  const auto low_at = values.begin() + static_cast<std::ptrdiff_t>(cut);
  const auto high_at = values.end() - 1 - static_cast<std::ptrdiff_t>(cut);
  std::nth_element(values.begin(), low_at, values.end());
  const double low = *low_at, low_most = *std::min_element(values.begin(), low_at + 1);
  std::nth_element(values.begin(), high_at, values.end());
  const double high = *high_at, high_most = *std::max_element(high_at, values.end());
  return reach_of(low, low_most, high, high_most);
}

// Vertices of triangles with their weights; of bodies with very many vertices, some of them.
struct WeightedPoints {
  std::vector<Vec3f> points;
  std::vector<double> weights;
};

bool known(const PreviewTriangles& mesh, const std::array<std::int32_t, 3>& corners) {
  const auto count = static_cast<std::int64_t>(mesh.position.size());
  return std::all_of(corners.begin(), corners.end(), [&](std::int32_t v) { return v >= 0 && v < count; });
}

// Which body every vertex is of: the lowest vertex that triangles connect it with.
std::vector<std::int32_t> bodies_of(const PreviewTriangles& mesh) {
  std::vector<std::int32_t> parent(mesh.position.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](std::int32_t v) {
    while (parent[static_cast<std::size_t>(v)] != v) {
      std::int32_t& up = parent[static_cast<std::size_t>(v)];
      v = up = parent[static_cast<std::size_t>(up)];
    }
    return v;
  };
  for (const auto& t : mesh.triangles)
    for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
      if (!known(mesh, t)) break;
      const std::int32_t a = root(t[0]), b = root(t[k]);
      parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  for (std::size_t v = 0; v < parent.size(); ++v) parent[v] = root(static_cast<std::int32_t>(v));
  return parent;
}

WeightedPoints weighted(const PreviewTriangles& mesh) {
  std::vector<double> area(mesh.position.size(), 0);  // a third of that of the triangles around; 0: of none
  double whole = 0;
  for (const auto& t : mesh.triangles) {
    if (!known(mesh, t)) continue;
    const auto x = [&](std::size_t k) { return Vec3d(mesh.position[static_cast<std::size_t>(t[k])]); };
    const double each = norm(cross(x(1) - x(0), x(2) - x(0))) / 6;
    if (!std::isfinite(each)) continue;
    for (const std::int32_t v : t) area[static_cast<std::size_t>(v)] += each;
    whole += 3 * each;
  }
  const std::vector<std::int32_t> body = bodies_of(mesh);
  std::vector<std::size_t> members(mesh.position.size(), 0);
  for (std::size_t v = 0; v < area.size(); ++v)
    if (area[v] > 0) ++members[static_cast<std::size_t>(body[v])];
  const auto bodies =
      static_cast<std::size_t>(std::count_if(members.begin(), members.end(), [](std::size_t n) { return n > 0; }));
  WeightedPoints found;
  std::vector<std::size_t> met(mesh.position.size(), 0);
  for (std::size_t v = 0; v < area.size(); ++v) {
    if (!(area[v] > 0)) continue;
    const auto b = static_cast<std::size_t>(body[v]);
    const std::size_t stride = 1 + members[b] * bodies / most_points;
    if (met[b]++ % stride != 0) continue;
    const auto of_body = static_cast<double>(bodies * members[b]);
    found.points.push_back(mesh.position[v]);
    found.weights.push_back((area[v] / whole + 1 / of_body) * static_cast<double>(stride));
  }
  return found;
}

// Directions spread evenly over the sphere.
std::vector<Vec3d> spread_directions(int count) {
  std::vector<Vec3d> directions;
  for (int i = 0; i < count; ++i) {
    const double y = 1 - (2 * i + 1.0) / count, r = std::sqrt(1 - y * y), angle = 2.399963229728653 * i;
    directions.push_back({r * std::cos(angle), y, r * std::sin(angle)});
  }
  return directions;
}

std::vector<Vec3f> block_corners(const PreviewVolume& volume) {
  std::vector<Vec3f> corners;
  const std::size_t voxels = static_cast<std::size_t>(volume.block_resolution.x) *
                             static_cast<std::size_t>(volume.block_resolution.y) *
                             static_cast<std::size_t>(volume.block_resolution.z);
  for (std::size_t b = 0; b < volume.blocks.size() && (b + 1) * voxels <= volume.density.size(); ++b) {
    const auto begin = volume.density.begin() + static_cast<std::ptrdiff_t>(b * voxels);
    if (std::none_of(begin, begin + static_cast<std::ptrdiff_t>(voxels), [](float d) { return d > 0; })) continue;
    for (int corner = 0; corner < 8; ++corner) {
      Vec3f p = volume.origin;
      for (int a = 0; a < 3; ++a)
        p += volume.axes[static_cast<std::size_t>(a)] *
             static_cast<float>((volume.blocks[b][a] + ((corner >> a) & 1)) * volume.block_resolution[a]);
      corners.push_back(p);
    }
  }
  return corners;
}

// How far from its target a camera must stay to see all points from everywhere on its way around.
double turning_distance(const std::vector<Vec3d>& points, const Vec3d& target, const Vec3d& right, const Vec3d& up,
                        const Vec3d& back, double tan_x, double tan_y, double turn) {
  const double sweep = std::clamp(std::abs(turn), 0.0, 2 * std::numbers::pi);
  const int steps = 1 + static_cast<int>(std::ceil(sweep / 0.1));
  double distance = 1e-6;
  for (int i = 0; i <= steps; ++i) {
    const double angle = -std::copysign(sweep * i / steps, turn), c = std::cos(angle), s = std::sin(angle);
    for (const Vec3d& p : points) {
      const Vec3d d = p - target, q{c * d.x + s * d.z, d.y, c * d.z - s * d.x};
      distance =
          std::max(distance, dot(q, back) + std::max(std::abs(dot(q, right)) / tan_x, std::abs(dot(q, up)) / tan_y));
    }
  }
  return distance;
}

}  // namespace

void Framing::add(const PreviewScene& scene) {
  add(scene.spheres.center, scene.spheres.radius);
  add(scene.curves.position, scene.curves.radius);
  const WeightedPoints bodies = weighted(scene.triangles);
  add(bodies.points, {}, bodies.weights);
  for (const PreviewVolume& volume : scene.volumes) add(block_corners(volume), {});
}

void Framing::add(const std::vector<Vec3f>& points, const std::vector<float>& radii,
                  const std::vector<double>& weights) {
  std::array<std::vector<float>, 3> axes;
  std::vector<float> sizes;
  // Of very many points every third or hundredth says as much, within the margin.
  const std::size_t stride = weights.empty() ? 1 + points.size() / most_points : 1;
  for (std::size_t i = 0; i < points.size(); i += stride) {
    if (!is_finite(points[i])) continue;
    for (int a = 0; a < 3; ++a) axes[static_cast<std::size_t>(a)].push_back(points[i][a]);
    if (i < radii.size() && std::isfinite(radii[i])) sizes.push_back(radii[i]);
  }
  if (axes[0].empty()) return;
  Box box;
  for (int a = 0; a < 3; ++a)
    std::tie(box.low[a], box.high[a]) = robust_range(axes[static_cast<std::size_t>(a)], weights);
  const double radius = sizes.empty() ? 0 : std::max(robust_range(sizes).second, 0.0);
  static const std::vector<Vec3d> directions = spread_directions(96);
  for (const Vec3d& d : directions) {
    double farthest = -std::numeric_limits<double>::infinity();
    Vec3d extreme;
    for (std::size_t i = 0; i < points.size(); i += stride) {
      const Vec3f& p = points[i];
      const double reach = dot(Vec3d(p), d);
      if (reach > farthest && box.contains(Vec3d(p))) {
        farthest = reach;
        extreme = Vec3d(p);
      }
    }
    if (std::isfinite(farthest)) hull_.push_back(extreme + d * radius);
  }
  bounds_.include(box.low - Vec3d{radius, radius, radius});
  bounds_.include(box.high + Vec3d{radius, radius, radius});
}

Box Framing::bounds() const {
  if (bounds_.empty()) return {{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}};
  return bounds_;
}

double Framing::ground_height() const { return bounds().low.y; }

std::vector<Vec3d> Framing::seen() const {
  const Box box = bounds();
  std::vector<Vec3d> points = hull_;
  if (points.empty()) points = {box.low, box.high};
  for (const Vec3d& p : hull_) points.push_back({p.x, box.low.y, p.z});  // where it would touch the ground
  return points;
}

Camera turned(const Camera& camera, double angle) {
  Camera out = camera;
  const Vec3d from = camera.eye - camera.target;
  out.eye = camera.target + Vec3d{std::cos(angle) * from.x + std::sin(angle) * from.z, from.y,
                                  std::cos(angle) * from.z - std::sin(angle) * from.x};
  return out;
}

Camera Framing::camera(double aspect, const CameraChoice& choice) const {
  Camera camera;
  camera.fov = std::clamp(choice.fov.value_or(camera.fov), 1e-4, 3.0);
  const Box box = bounds();
  if (choice.eye) {
    camera.eye = *choice.eye;
    camera.target = choice.target.value_or(box.center());
    return camera;
  }
  const Vec3d back{std::sin(azimuth) * std::cos(elevation), std::sin(elevation),
                   std::cos(azimuth) * std::cos(elevation)};
  const Vec3d right = normalized(cross(camera.up, back)), up = cross(back, right);
  const double tan_y = std::tan(0.5 * camera.fov) / margin, tan_x = tan_y * aspect;
  if (choice.turn != 0) {
    camera.target = choice.target.value_or(box.center());
    camera.eye =
        camera.target + back * turning_distance(seen(), camera.target, right, up, back, tan_x, tan_y, choice.turn);
    return camera;
  }
  // The eye is where the four planes of the view, each touching the hull from outside, allow it to come nearest.
  std::array<double, 4> reach;
  reach.fill(-std::numeric_limits<double>::infinity());
  for (const Vec3d& p : seen()) {
    const double x = dot(p, right), y = dot(p, up), z = dot(p, back);
    reach[0] = std::max(reach[0], x + tan_x * z);
    reach[1] = std::max(reach[1], -x + tan_x * z);
    reach[2] = std::max(reach[2], y + tan_y * z);
    reach[3] = std::max(reach[3], -y + tan_y * z);
  }
  const double x = 0.5 * (reach[0] - reach[1]), y = 0.5 * (reach[2] - reach[3]);
  const double z = std::max(0.5 * (reach[0] + reach[1]) / tan_x, 0.5 * (reach[2] + reach[3]) / tan_y);
  const double depth = std::max(z - dot(box.center(), back), 1e-6);
  camera.eye = right * x + up * y + back * z;
  camera.target = camera.eye - back * depth;
  if (choice.target) {
    camera.eye += *choice.target - camera.target;
    camera.target = *choice.target;
  }
  return camera;
}

}  // namespace ymir
