#include "detection_scenes.h"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <map>
#include <new>
#include <numeric>

namespace {
std::atomic<std::uint64_t> count_of_new{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++count_of_new;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, rounded) : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t size) { return counted(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace ymir::detection_scenes {

std::uint64_t allocations() { return count_of_new; }

Vec3d random_vector(Random& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

Boundary wavy_fibers(int fibers, int edges, std::uint64_t seed) {
  Boundary boundary;
  for (int i = 0; i < fibers; ++i) {
    Random random(seed, static_cast<std::uint64_t>(i));
    const Vec3d root = random_vector(random, 0.012);
    const double phase = random.uniform(0, 6.28), turns = random.uniform(1, 3), width = random.uniform(1e-3, 4e-3);
    std::vector<Vec3d> positions;
    for (int k = 0; k <= edges; ++k) {
      const double angle = phase + turns * 6.28 * k / edges;
      positions.push_back(root + Vec3d{width * std::cos(angle), width * std::sin(angle), -5e-3 * k});
    }
    boundary.add_fiber({0, i}, positions, std::vector<double>(positions.size(), 1e-3), {}, {});
  }
  return boundary;
}

Sheet sheet(int n, double edge) {
  Sheet s;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) s.positions.emplace_back(i * edge, j * edge, 0);
  for (std::int32_t i = 0; i < n; ++i)
    for (std::int32_t j = 0; j < n; ++j) {
      const std::int32_t v = i * (n + 1) + j, w = v + n + 1;
      s.triangles.push_back({v, w, v + 1});
      s.triangles.push_back({v + 1, w, w + 1});
    }
  return s;
}

Sheet cube(int n, double size) {
  Sheet s;
  std::map<std::array<int, 3>, std::int32_t> known;
  const auto vertex = [&](std::array<int, 3> at) {
    const auto [entry, added] = known.emplace(at, static_cast<std::int32_t>(s.positions.size()));
    if (added) s.positions.push_back(Vec3d{at[0] * 1.0, at[1] * 1.0, at[2] * 1.0} * (size / n));
    return entry->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto at = [&](int di, int dj) {
            std::array<int, 3> p{};
            p[axis] = side * n;
            p[(axis + 1) % 3] = i + di;
            p[(axis + 2) % 3] = j + dj;
            return vertex(p);
          };
          std::array<std::int32_t, 3> a{at(0, 0), at(1, 0), at(1, 1)}, b{at(0, 0), at(1, 1), at(0, 1)};
          if (side == 0) std::swap(a[1], a[2]), std::swap(b[1], b[2]);
          s.triangles.push_back(a);
          s.triangles.push_back(b);
        }
  return s;
}

namespace {

// `points` loose ones, `count` fibres, three sheets of n x n squares, all in the same place.
Boundary pile(std::uint64_t seed, std::size_t points, std::int32_t count, int n) {
  Boundary boundary;
  std::vector<std::int64_t> ids(points);
  std::iota(ids.begin(), ids.end(), 10);
  std::vector<Vec3d> places;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    Random random(seed, i);
    places.push_back(random_vector(random, 0.02) + Vec3d{0, 0, -0.05});
  }
  boundary.add_points(0, ids, places, std::vector<double>(places.size(), 2e-3), {});
  Boundary fibers = wavy_fibers(count, 20, seed);
  for (std::int32_t p = 0; p < count; ++p) {
    std::vector<Vec3d> x;
    for (const BoundaryVertex& v : fibers.vertices_of(p)) x.push_back(v.x);
    boundary.add_fiber({1, p}, x, std::vector<double>(21, 1e-3), {}, {});
  }
  for (int k = 0; k < 3; ++k) {
    Sheet s = sheet(n, 0.04 / n);
    for (std::size_t i = 0; i < s.positions.size(); ++i) {
      Random random(seed + 100, i + 10000 * static_cast<std::uint64_t>(k));
      s.positions[i] += Vec3d{-0.02, -0.021, -0.04 - 0.02 / n * k} + random_vector(random, 6e-3 / n);
    }
    boundary.add_mesh({2, k}, s.positions, s.triangles, 0.016 / n, {}, {});
  }
  for (BoundaryVertex& v : boundary.vertices) v.travel = 4e-4;
  return boundary;
}

}  // namespace

Boundary mixed(std::uint64_t seed) { return pile(seed, 200, 20, 8); }
Boundary many(std::uint64_t seed) { return pile(seed, 1200, 70, 24); }

}  // namespace ymir::detection_scenes
