#include "ymir/data/surface_hierarchy.h"

#include <algorithm>

#include "ymir/base/check.h"

namespace ymir {
namespace {

constexpr std::int32_t leaf_size = 4;

}  // namespace

SurfaceHierarchy::SurfaceHierarchy(const Surface& first_pose) : triangles_(first_pose.triangles) {
  const auto vertices = static_cast<std::int32_t>(first_pose.positions.size());
  for (const auto& t : triangles_)
    for (const std::int32_t v : t) YMIR_CHECK(v >= 0 && v < vertices);
  YMIR_CHECK(!triangles_.empty());
  double volume6 = 0;
  const Vec3d middle = bounds(first_pose.positions).center();
  for (const auto& t : triangles_) {
    const auto at = [&](int k) { return first_pose.positions[static_cast<std::size_t>(t[k])] - middle; };
    volume6 += dot(at(0), cross(at(1), at(2)));
  }
  if (volume6 < 0)
    for (auto& t : triangles_) std::swap(t[1], t[2]);
  build(first_pose.positions);
  connect(first_pose.positions.size());
}

void SurfaceHierarchy::build(const std::vector<Vec3d>& positions) {
  const auto count = static_cast<std::int32_t>(triangles_.size());
  std::vector<Vec3d> centers(triangles_.size());
  order_.resize(triangles_.size());
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    const auto& t = triangles_[i];
    centers[i] = (positions[t[0]] + positions[t[1]] + positions[t[2]]) / 3.0;
    order_[i] = static_cast<std::int32_t>(i);
  }
  struct Range {
    std::int32_t node, begin, end;
  };
  nodes_.reserve(triangles_.size());
  nodes_.emplace_back();
  std::vector<Range> pending{{0, 0, count}};
  while (!pending.empty()) {
    const auto [node, begin, end] = pending.back();
    pending.pop_back();
    if (end - begin <= leaf_size) {
      nodes_[node] = {begin, end - begin};
      continue;
    }
    Box middles;
    for (std::int32_t i = begin; i < end; ++i) middles.include(centers[order_[i]]);
    const Vec3d size = middles.size();
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const std::int32_t middle = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](std::int32_t a, std::int32_t b) {
                       const double ca = centers[a][axis], cb = centers[b][axis];
                       return ca != cb ? ca < cb : a < b;
                     });
    const auto left = static_cast<std::int32_t>(nodes_.size());
    nodes_[node] = {left, 0};
    nodes_.emplace_back();
    nodes_.emplace_back();
    pending.push_back({left, begin, middle});
    pending.push_back({left + 1, middle, end});
  }
}

void SurfaceHierarchy::connect(std::size_t vertices) {
  struct Half {
    std::int32_t low, high, triangle, corner;
    bool upwards;  // the triangle runs from low to high
  };
  std::vector<Half> halves;
  halves.reserve(triangles_.size() * 3);
  first_around_.assign(vertices + 1, 0);
  for (std::size_t i = 0; i < triangles_.size(); ++i)
    for (std::int32_t k = 0; k < 3; ++k) {
      const auto& t = triangles_[i];
      const std::int32_t a = t[static_cast<std::size_t>((k + 1) % 3)], b = t[static_cast<std::size_t>((k + 2) % 3)];
      halves.push_back({std::min(a, b), std::max(a, b), static_cast<std::int32_t>(i), k, a < b});
      ++first_around_[static_cast<std::size_t>(t[static_cast<std::size_t>(k)]) + 1];
    }
  for (std::size_t v = 0; v < vertices; ++v) first_around_[v + 1] += first_around_[v];
  around_.resize(halves.size());
  std::vector<std::int32_t> next(first_around_.begin(), first_around_.end() - 1);
  for (std::size_t i = 0; i < triangles_.size(); ++i)
    for (const std::int32_t v : triangles_[i])
      around_[static_cast<std::size_t>(next[static_cast<std::size_t>(v)]++)] = static_cast<std::int32_t>(i);
  std::sort(halves.begin(), halves.end(), [](const Half& a, const Half& b) {
    return std::array{a.low, a.high, a.triangle, a.corner} < std::array{b.low, b.high, b.triangle, b.corner};
  });
  beyond_.assign(triangles_.size(), {-1, -1, -1});
  for (std::size_t begin = 0; begin < halves.size();) {
    std::size_t end = begin + 1;
    while (end < halves.size() && halves[end].low == halves[begin].low && halves[end].high == halves[begin].high) ++end;
    const Half &a = halves[begin], &b = halves[end - 1];
    if (end - begin == 2 && a.upwards != b.upwards) {
      beyond_[static_cast<std::size_t>(a.triangle)][static_cast<std::size_t>(a.corner)] = b.triangle;
      beyond_[static_cast<std::size_t>(b.triangle)][static_cast<std::size_t>(b.corner)] = a.triangle;
    } else {
      ++boundary_edges_;
    }
    begin = end;
  }
  inside_test_ = boundary_edges_ == 0 ? InsideTest::normals : InsideTest::winding;
}

// Children follow their parents, so going backwards meets them first.
void SurfaceHierarchy::fit(const std::vector<Vec3d>& positions, std::vector<Box>& boxes) const {
  boxes.resize(nodes_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    Box box;
    for (std::int32_t k = 0; k < node.count; ++k)
      for (const std::int32_t v : triangles_[order_[node.first + k]]) box.include(positions[v]);
    if (node.count == 0) {
      box = boxes[static_cast<std::size_t>(node.first)];
      box.include(boxes[static_cast<std::size_t>(node.first) + 1]);
    }
    boxes[i] = box;
  }
}

void SurfaceHierarchy::fit(const std::vector<Vec3d>& positions, const std::vector<Box>& boxes,
                           std::vector<Dipole>& dipoles) const {
  struct Sum {
    Vec3d moment;  // of areas
    double area = 0;
  };
  dipoles.resize(nodes_.size());
  std::vector<Sum> sums(nodes_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    Dipole d;
    Sum sum;
    for (std::int32_t k = 0; k < node.count; ++k) {
      const auto& t = triangles_[order_[node.first + k]];
      const Vec3d a = positions[t[0]], b = positions[t[1]], c = positions[t[2]];
      const Vec3d area = cross(b - a, c - a) * 0.5;
      d.area += area;
      sum.moment += (a + b + c) * (norm(area) / 3);
      sum.area += norm(area);
    }
    for (int child = 0; child < 2 && node.count == 0; ++child) {
      const auto at = static_cast<std::size_t>(node.first + child);
      d.area += dipoles[at].area;
      sum.moment += sums[at].moment;
      sum.area += sums[at].area;
    }
    d.center = sum.area > 0 ? sum.moment / sum.area : boxes[i].center();
    const Vec3d far = cwise_max(boxes[i].high - d.center, d.center - boxes[i].low);
    d.radius = norm(far);
    dipoles[i] = d;
    sums[i] = sum;
  }
}

}  // namespace ymir
