#include "ymir/grooms/head.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "ymir/grooms/smooth_step.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr int frequency = 22;  // each triangle of the icosahedron becomes frequency^2
constexpr double centimetre = 0.01;

// Signed distances, all in centimetres. Those of ellipsoids are estimates that are exact to first order at the surface.
double ellipsoid(Vec3d p, Vec3d center, Vec3d radii) {
  const Vec3d d = p - center;
  const Vec3d a(d.x / radii.x, d.y / radii.y, d.z / radii.z);
  const Vec3d b(a.x / radii.x, a.y / radii.y, a.z / radii.z);
  const double k = norm(a), slope = norm(b);
  return slope > 0 ? k * (k - 1) / slope : -std::min({radii.x, radii.y, radii.z});
}
double capsule(Vec3d p, Vec3d from, Vec3d to, double radius_from, double radius_to) {
  const Vec3d d = to - from;
  const double t = std::clamp(dot(p - from, d) / dot(d, d), 0.0, 1.0);
  return norm(p - from - d * t) - (radius_from + (radius_to - radius_from) * t);
}
// Union rounded over a width of about k.
double unite(double a, double b, double k) {
  const double h = std::max(k - std::abs(a - b), 0.0) / k;
  return std::min(a, b) - h * h * k * 0.25;
}
double subtract(double a, double b, double k) { return -unite(-a, b, k); }

double head_distance(Vec3d q) {
  const Vec3d p(std::abs(q.x), q.y, q.z);                                       // the head is symmetric
  double d = ellipsoid(p, {0, 17.9, -1.3}, {7.2, 7.9, 9.0});                    // cranium
  d = unite(d, ellipsoid(p, {0, 12.6, 2.0}, {5.7, 7.2, 5.6}), 3.0);             // face
  d = unite(d, ellipsoid(p, {0, 9.6, 1.2}, {5.3, 3.6, 5.2}), 2.5);              // jaw
  d = unite(d, ellipsoid(p, {0, 7.1, 5.5}, {2.5, 1.9, 2.2}), 2.2);              // chin
  d = unite(d, ellipsoid(p, {3.4, 12.6, 4.6}, {2.3, 2.0, 2.3}), 2.5);           // cheek
  d = unite(d, capsule(p, {0, 12.8, -3.0}, {0, -4.0, -3.4}, 5.0, 5.6), 2.6);    // neck
  d = subtract(d, ellipsoid(p, {2.9, 14.9, 8.8}, {2.0, 1.35, 2.2}), 1.6);       // eye socket
  d = unite(d, ellipsoid(p, {2.8, 14.8, 5.6}, {1.25, 1.05, 1.25}), 0.7);        // eye
  d = unite(d, capsule(p, {0.4, 16.6, 7.1}, {4.2, 16.6, 5.2}, 0.8, 0.6), 1.6);  // brow
  d = unite(d, capsule(p, {0, 15.4, 7.2}, {0, 12.5, 8.5}, 0.6, 1.05), 1.7);     // nose
  d = unite(d, ellipsoid(p, {0, 9.9, 7.0}, {2.1, 0.6, 1.0}), 0.7);              // upper lip
  d = unite(d, ellipsoid(p, {0, 8.95, 6.9}, {1.8, 0.65, 1.1}), 0.6);            // lower lip
  d = unite(d, ellipsoid(p, {6.7, 13.8, -1.6}, {1.1, 2.8, 1.8}), 1.3);          // ear
  d = -unite(-d, q.y, 2.4);                                                     // the cut of the neck
  return d;
}

Vec3d gradient(Vec3d p) {
  constexpr double h = 1e-4;
  return Vec3d(head_distance(p + Vec3d(h, 0, 0)) - head_distance(p - Vec3d(h, 0, 0)),
               head_distance(p + Vec3d(0, h, 0)) - head_distance(p - Vec3d(0, h, 0)),
               head_distance(p + Vec3d(0, 0, h)) - head_distance(p - Vec3d(0, 0, h))) /
         (2 * h);
}

Surface geodesic_sphere() {
  const double g = (1 + std::sqrt(5.0)) / 2;
  const Vec3d corners[12] = {{-1, g, 0},  {1, g, 0},  {-1, -g, 0}, {1, -g, 0}, {0, -1, g},  {0, 1, g},
                             {0, -1, -g}, {0, 1, -g}, {g, 0, -1},  {g, 0, 1},  {-g, 0, -1}, {-g, 0, 1}};
  constexpr int faces[20][3] = {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                                {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                                {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
  Surface sphere;
  std::map<std::array<int, 6>, std::int32_t> known;  // (corner, weight) pairs with weight > 0, sorted by corner
  const auto vertex = [&](const int(&face)[3], int a, int b, int c) {
    std::array<std::array<int, 2>, 3> parts{{{face[0], a}, {face[1], b}, {face[2], c}}};
    for (auto& part : parts)
      if (part[1] == 0) part[0] = -1;
    std::sort(parts.begin(), parts.end());
    const std::array<int, 6> key{parts[0][0], parts[0][1], parts[1][0], parts[1][1], parts[2][0], parts[2][1]};
    const auto [it, added] = known.emplace(key, static_cast<std::int32_t>(sphere.positions.size()));
    if (added) {
      Vec3d sum;
      for (const auto& [corner, weight] : parts)
        if (weight > 0) sum += corners[corner] * static_cast<double>(weight);
      sphere.positions.push_back(normalized(sum));
    }
    return it->second;
  };
  for (const auto& face : faces)
    for (int i = 0; i < frequency; ++i)
      for (int j = 0; i + j < frequency; ++j) {
        const int k = frequency - i - j;
        const std::int32_t a = vertex(face, k, i, j), b = vertex(face, k - 1, i + 1, j),
                           c = vertex(face, k - 1, i, j + 1);
        sphere.triangles.push_back({a, b, c});
        if (k >= 2) sphere.triangles.push_back({b, vertex(face, k - 2, i + 1, j + 1), c});
      }
  return sphere;
}

// Where the ray from inside the throat leaves the head.
Vec3d on_surface(Vec3d direction) {
  const Vec3d throat(0, 12.3, -1.0);
  constexpr double step = 0.05;
  double outside = 30;
  for (double d; (d = head_distance(throat + direction * (outside - step))) > 0;) outside -= std::max(0.5 * d, step);
  double inside = outside - step;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (inside + outside);
    (head_distance(throat + direction * middle) > 0 ? outside : inside) = middle;
  }
  return throat + direction * inside;
}

// Rays spread the vertices unevenly: let each drift to the middle of its neighbours, along the surface.
void even_out(Surface& surface) {
  std::vector<std::vector<std::int32_t>> neighbours(surface.positions.size());
  for (const auto& [a, b] : unique_edges(surface)) {
    neighbours[static_cast<std::size_t>(a)].push_back(b);
    neighbours[static_cast<std::size_t>(b)].push_back(a);
  }
  for (int pass = 0; pass < 12; ++pass) {
    std::vector<Vec3d> next = surface.positions;
    parallel_blocks(static_cast<std::ptrdiff_t>(next.size()), 256, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v) {
        Vec3d mean;
        for (const std::int32_t n : neighbours[v]) mean += surface.positions[static_cast<std::size_t>(n)];
        Vec3d p = next[v] + (mean / static_cast<double>(neighbours[v].size()) - next[v]) * 0.5;
        const Vec3d g = gradient(p);
        for (int i = 0; i < 3; ++i) p -= g * (head_distance(p) / std::max(dot(g, g), 0.1));
        next[v] = p;
      }
    });
    surface.positions = std::move(next);
  }
}

// Height of the hairline above the cut of the neck by depth z: forehead, temple, sideburn, ear, nape [cm].
double hairline(double z) {
  constexpr double points[][2] = {{-12, 8.4},  {-7.5, 8.4}, {-5.4, 10.0}, {-3.8, 14.5}, {-2.6, 16.9}, {-0.2, 17.1},
                                  {1.0, 15.4}, {2.2, 15.6}, {3.4, 17.8},  {5.0, 20.0},  {7.0, 20.8},  {12, 20.8}};
  for (std::size_t i = 1; i < std::size(points); ++i)
    if (z < points[i][0]) {
      const double t = std::max((z - points[i - 1][0]) / (points[i][0] - points[i - 1][0]), 0.0);
      return points[i - 1][1] + (points[i][1] - points[i - 1][1]) * smooth_step(t);
    }
  return std::end(points)[-1][1];
}

}  // namespace

Surface head_mesh() {
  Surface head = geodesic_sphere();
  parallel_blocks(static_cast<std::ptrdiff_t>(head.positions.size()), 256,
                  [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
                    for (auto v = static_cast<std::size_t>(begin); v < static_cast<std::size_t>(end); ++v)
                      head.positions[v] = on_surface(head.positions[v]);
                  });
  even_out(head);
  head.vertices.resize(head.positions.size());
  head.faces.resize(head.triangles.size());
  const auto scalp = head.vertices.add<float>("scalp");
  for (std::size_t v = 0; v < head.positions.size(); ++v) {
    const Vec3d p = head.positions[v];
    scalp[v] = static_cast<float>(smooth_step((p.y - hairline(p.z)) / 0.9));
    head.positions[v] = p * centimetre;
  }
  return head;
}

}  // namespace ymir
