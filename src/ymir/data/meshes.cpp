#include "ymir/data/meshes.h"

#include <algorithm>

namespace ymir {
namespace {

using Edge = std::array<std::int32_t, 2>;

template <std::size_t N>
std::vector<Edge> unique_edges_of(const std::vector<std::array<std::int32_t, N>>& elements) {
  std::vector<Edge> edges;
  edges.reserve(elements.size() * N * (N - 1) / 2);
  for (const auto& element : elements)
    for (std::size_t a = 0; a < N; ++a)
      for (std::size_t b = a + 1; b < N; ++b)
        edges.push_back({std::min(element[a], element[b]), std::max(element[a], element[b])});
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

Box bounds(const std::vector<Vec3d>& positions) {
  Box box;
  for (const Vec3d& p : positions) box.include(p);
  return box;
}

std::vector<Edge> unique_edges(const Surface& surface) { return unique_edges_of(surface.triangles); }
std::vector<Edge> unique_edges(const Body& body) { return unique_edges_of(body.tetrahedra); }

bool closed(const Surface& surface) {
  // Directed edges of a closed, consistently oriented mesh come in opposite pairs, each direction once.
  std::vector<Edge> directed;
  directed.reserve(surface.triangles.size() * 3);
  for (const auto& t : surface.triangles)
    for (std::size_t a = 0; a < 3; ++a) directed.push_back({t[a], t[(a + 1) % 3]});
  std::sort(directed.begin(), directed.end());
  if (std::adjacent_find(directed.begin(), directed.end()) != directed.end()) return false;
  return !directed.empty() && std::all_of(directed.begin(), directed.end(), [&](const Edge& e) {
    return std::binary_search(directed.begin(), directed.end(), Edge{e[1], e[0]});
  });
}

}  // namespace ymir
