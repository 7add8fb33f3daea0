#include "ymir/preview/strand_pieces.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr int light_nodes = 10;      // at most, along a strand
constexpr float longest_piece = 24;  // [pixel]
constexpr float deviation = 0.1f;    // of pieces from the smooth curve [pixel]
constexpr int most_pieces = 32;      // of one segment
constexpr std::ptrdiff_t strand_block = 64;

using Point = StrandPieces::Point;

// False where the place is not in front of the eye.
bool project(const View& view, Vec3f p, float radius, Point& out) {
  const Vec3f d = p - view.eye;
  const float z = dot(d, view.forward);
  out.distance = norm(d);
  if (!(z > 1e-3f * out.distance)) return false;
  const float scale = 1 / (z * view.pixel);
  out.x = 0.5f * static_cast<float>(view.width) + dot(d, view.right) * scale;
  out.y = 0.5f * static_cast<float>(view.height) - dot(d, view.up) * scale;
  out.half_width = radius * scale;
  return true;
}

// Cubic curve through the vertices with continuous tangents, each the slope of the parabola through the vertex and its
// neighbours: exact for parabolas, however unevenly the vertices are spaced.
class SmoothStrand {
 public:
  explicit SmoothStrand(std::span<const Vec3f> vertices) : vertices_(vertices) {}

  Vec3f tangent(std::size_t v) const {
    const std::size_t last = vertices_.size() - 1;
    const Vec3f before = v > 0 ? vertices_[v] - vertices_[v - 1] : Vec3f{};
    const Vec3f after = v < last ? vertices_[v + 1] - vertices_[v] : Vec3f{};
    const float a = norm(before), b = norm(after);
    if (!(a > 0)) return b > 0 ? after / b : Vec3f{};
    if (!(b > 0)) return before / a;
    return (before * (b / a) + after * (a / b)) / (a + b);
  }
  Vec3f at(std::size_t v, float u, Vec3f from, Vec3f to) const {
    const Vec3f &p = vertices_[v], &q = vertices_[v + 1];
    const float length = norm(q - p), u2 = u * u, u3 = u2 * u;
    return p * (2 * u3 - 3 * u2 + 1) + q * (3 * u2 - 2 * u3) + from * (length * (u3 - 2 * u2 + u)) +
           to * (length * (u3 - u2));
  }
  Vec3f slope(std::size_t v, float u, Vec3f from, Vec3f to) const {
    const Vec3f step = vertices_[v + 1] - vertices_[v];
    const float length = norm(step), u2 = u * u;
    return step * (6 * u - 6 * u2) + from * (length * (3 * u2 - 4 * u + 1)) + to * (length * (3 * u2 - 2 * u));
  }

 private:
  std::span<const Vec3f> vertices_;
};

// One strand on the picture.
class StrandDrawer {
 public:
  StrandDrawer(const PreviewCurves& curves, const Lighting& lighting, const View& view)
      : curves_(curves), lighting_(lighting), view_(view) {}

  void draw(std::size_t begin, std::size_t end, std::uint32_t strand, std::vector<Point>& out) {
    if (!on_picture(begin, end)) return;
    const std::span<const Vec3f> vertices(curves_.position.data() + begin, end - begin);
    const SmoothStrand smooth(vertices);
    light(vertices, strand);
    Vec3f from = smooth.tangent(0);
    bool joined = false;
    for (std::size_t v = 0; v + 1 < vertices.size(); ++v) {
      const Vec3f to = smooth.tangent(v + 1);
      const int pieces = pieces_of(vertices[v], vertices[v + 1], from, to);
      for (int i = joined ? 1 : 0; i <= pieces; ++i) {
        const float u = static_cast<float>(i) / static_cast<float>(pieces);
        const float radius = curves_.radius[begin + v] * (1 - u) + curves_.radius[begin + v + 1] * u;
        const Vec3f p = smooth.at(v, u, from, to);
        Point point;
        point.strand = strand;
        joined = project(view_, p, radius, point);
        if (!joined) {
          if (!out.empty()) out.back().strand |= ends;
          continue;
        }
        const Vec3f color = color_of(begin + v) * (1 - u) + color_of(begin + v + 1) * u;
        const Vec3f tangent = normalized(smooth.slope(v, u, from, to), normalized(vertices[v + 1] - vertices[v]));
        point.radiance =
            lighting_.fibre(tangent, normalized(view_.eye - p), color,
                            light_at((static_cast<float>(v) + u) / static_cast<float>(vertices.size() - 1)));
        out.push_back(point);
      }
      from = to;
    }
    if (!out.empty()) out.back().strand |= ends;
  }

  static constexpr std::uint32_t ends = 1u << 31;  // no piece starts at this point

 private:
  bool on_picture(std::size_t begin, std::size_t end) const {
    float x0 = 1e30f, y0 = 1e30f, x1 = -1e30f, y1 = -1e30f;
    for (std::size_t v = begin; v < end; ++v) {
      Point p;
      if (!project(view_, curves_.position[v], curves_.radius[v], p)) continue;
      x0 = std::min(x0, p.x);
      y0 = std::min(y0, p.y);
      x1 = std::max(x1, p.x);
      y1 = std::max(y1, p.y);
    }
    // Room for the width, and for curves that swing out between their vertices.
    const float room = 8 + 0.25f * std::max(x1 - x0, y1 - y0);
    return x1 > -room && y1 > -room && x0 < static_cast<float>(view_.width) + room &&
           y0 < static_cast<float>(view_.height) + room;
  }

  int pieces_of(Vec3f p, Vec3f q, Vec3f from, Vec3f to) const {
    const float near = std::max(std::min(view_.pixel_at(p), view_.pixel_at(q)), 1e-12f);
    const float length = norm(q - p) / near;
    const float bend = norm(to - from) * length / 8;
    return std::clamp(static_cast<int>(std::ceil(std::max(std::sqrt(bend / deviation), length / longest_piece))), 1,
                      most_pieces);
  }

  Vec3f color_of(std::size_t v) const {
    return v < curves_.color.size() && is_finite(curves_.color[v]) ? curves_.color[v] : Vec3f{0.5f, 0.5f, 0.5f};
  }

  // Light changes slowly along a strand.
  void light(std::span<const Vec3f> vertices, std::uint32_t strand) {
    nodes_ = static_cast<int>(std::min<std::size_t>(vertices.size(), light_nodes));
    for (int n = 0; n < nodes_; ++n) {
      const float at = static_cast<float>(n) * static_cast<float>(vertices.size() - 1) / static_cast<float>(nodes_ - 1);
      const auto v = std::min(static_cast<std::size_t>(at), vertices.size() - 2);
      const float u = at - static_cast<float>(v);
      light_[static_cast<std::size_t>(n)] = lighting_.on_fibre(vertices[v] * (1 - u) + vertices[v + 1] * u, strand);
    }
  }
  FibreLight light_at(float along) const {
    const float at = along * static_cast<float>(nodes_ - 1);
    const auto n = static_cast<std::size_t>(std::clamp(static_cast<int>(at), 0, nodes_ - 2));
    const float u = at - static_cast<float>(n);
    const FibreLight &a = light_[n], &b = light_[n + 1];
    return {a.sun * (1 - u) + b.sun * u, a.ambient * (1 - u) + b.ambient * u};
  }

  const PreviewCurves& curves_;
  const Lighting& lighting_;
  const View& view_;
  int nodes_ = 0;
  std::array<FibreLight, light_nodes> light_;
};

}  // namespace

StrandPieces::StrandPieces(const PreviewScene& scene, const Geometry& geometry, const Lighting& lighting,
                           const View& view)
    : width_(view.width),
      height_(view.height),
      columns_((view.width + cell - 1) / cell),
      rows_((view.height + cell - 1) / cell) {
  const auto& strands = geometry.thin_strands;
  const auto count = static_cast<std::ptrdiff_t>(strands.size());
  std::vector<std::vector<Point>> parts(static_cast<std::size_t>((count + strand_block - 1) / strand_block));
  parallel_blocks(count, strand_block, [&](std::ptrdiff_t first, std::ptrdiff_t end) {
    StrandDrawer drawer(scene.curves, lighting, view);
    std::vector<Point>& out = parts[static_cast<std::size_t>(first / strand_block)];
    for (std::ptrdiff_t s = first; s < end; ++s) {
      const auto& [from, to] = strands[static_cast<std::size_t>(s)];
      drawer.draw(from, to, static_cast<std::uint32_t>(s), out);
    }
  });
  for (const std::vector<Point>& part : parts) points_.insert(points_.end(), part.begin(), part.end());
  add_lines(scene.lines, view);
  sort_into_cells();
}

void StrandPieces::add_lines(const PreviewLines& lines, const View& view) {
  std::uint32_t strand = StrandDrawer::ends / 2;
  for (std::size_t i = 0; i + 1 < lines.position.size() && i / 2 < lines.color.size(); i += 2) {
    std::array<Point, 2> ends;
    if (!is_finite(lines.position[i]) || !is_finite(lines.position[i + 1])) continue;
    if (!project(view, lines.position[i], 0, ends[0]) || !project(view, lines.position[i + 1], 0, ends[1])) continue;
    for (Point& p : ends) {
      p.half_width = 0.5f * lines.width;
      p.radiance = lines.color[i / 2];
      p.strand = strand;
    }
    ends[1].strand |= StrandDrawer::ends;
    points_.insert(points_.end(), ends.begin(), ends.end());
    ++strand;
  }
}

void StrandPieces::sort_into_cells() {
  const auto cells_of = [&](std::size_t p, auto&& visit) {
    if ((points_[p].strand & StrandDrawer::ends) != 0) return;
    const Point &a = points_[p], &b = points_[p + 1];
    const float room = 1.5f * std::max(a.half_width, b.half_width) + 1;  // a slanting one is wider along the axes
    const auto range = [&](float low, float high, int end) {
      const auto limit = static_cast<float>(end);
      const int first = static_cast<int>(std::clamp((low - room) / cell, 0.0f, limit));
      const int last = static_cast<int>(std::clamp((high + room) / cell, -1.0f, limit - 1));
      return std::pair(first, high + room < 0 ? -1 : last);
    };
    const auto [x0, x1] = range(std::min(a.x, b.x), std::max(a.x, b.x), columns_);
    const auto [y0, y1] = range(std::min(a.y, b.y), std::max(a.y, b.y), rows_);
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) visit(static_cast<std::size_t>(y * columns_ + x));
  };
  start_.assign(static_cast<std::size_t>(columns_ * rows_) + 1, 0);
  for (std::size_t p = 0; p + 1 < points_.size(); ++p) cells_of(p, [&](std::size_t c) { ++start_[c + 1]; });
  for (std::size_t c = 0; c + 1 < start_.size(); ++c) start_[c + 1] += start_[c];
  pieces_.resize(start_.back());
  std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
  for (std::size_t p = 0; p + 1 < points_.size(); ++p)
    cells_of(p, [&](std::size_t c) { pieces_[next[c]++] = static_cast<std::uint32_t>(p); });
}

std::span<const std::uint32_t> StrandPieces::in_cell(int column, int row) const {
  const auto c = static_cast<std::size_t>(row * columns_ + column);
  return std::span(pieces_).subspan(start_[c], start_[c + 1] - start_[c]);
}

}  // namespace ymir
