// What every reader promises about what it returns; a fuzz target aborts when a promise is broken.
#pragma once

#include <cmath>
#include <cstdlib>

#include "ymir/data/meshes.h"

namespace ymir::fuzz {

inline void expect(bool holds) {
  if (!holds) std::abort();
}

inline void expect_valid(const std::vector<Vec3d>& positions, const Channels& vertices) {
  for (const Vec3d& p : positions) expect(is_finite(p));
  expect(vertices.count() == positions.size());
  for (const auto& [name, array] : vertices.all()) expect(array.count() == positions.size());
}

inline void expect_valid(const Points& points) { expect_valid(points.positions, points.vertices); }

inline void expect_valid(const Curves& curves) {
  expect_valid(curves.positions, curves.vertices);
  expect(curves.first.front() == 0 && curves.first.back() == static_cast<std::int64_t>(curves.positions.size()));
  for (std::size_t s = 0; s < curves.strand_count(); ++s) expect(curves.first[s] < curves.first[s + 1]);
  expect(curves.edges.count() == curves.edge_count() && curves.strands.count() == curves.strand_count());
}

inline void expect_valid(const Surface& surface) {
  expect_valid(surface.positions, surface.vertices);
  for (const auto& t : surface.triangles)
    for (const std::int32_t v : t) expect(v >= 0 && static_cast<std::size_t>(v) < surface.positions.size());
  expect(surface.faces.count() == surface.triangles.size());
}

}  // namespace ymir::fuzz
