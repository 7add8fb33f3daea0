#include "ymir/actions/attachment_emission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ymir/base/error.h"
#include "ymir/data/triangle_bvh.h"
#include "ymir/objects/curves_object.h"

namespace ymir {
namespace {

// A vertex as a point on an edge; vertex 0 of a strand is number 1 of the solver.
StrandPoint at_vertex(const StrandShape& shape, std::int64_t vertex) {
  const auto last = static_cast<std::int64_t>(shape.positions.size()) - 1;
  if (vertex < last) return {shape.object, shape.strand, static_cast<int>(vertex) + 1, 0};
  return {shape.object, shape.strand, static_cast<int>(last), 1};
}

std::vector<std::int64_t> source_vertices(const EmissionRule& rule, const StrandShape& shape) {
  const auto last = static_cast<std::int64_t>(shape.positions.size()) - 1;
  if (last < 1) return {};  // a single vertex has no edge to be on
  if (rule.points == SourcePoints::roots) return {0};
  if (rule.points == SourcePoints::tips) return {last};
  std::vector<std::int64_t> all;
  for (std::int64_t v = 0; v <= last; ++v) all.push_back(v);
  return all;
}

// Nearest point of a segment, 0 to 1.
double nearest_on_segment(Vec3d a, Vec3d b, Vec3d x) {
  const Vec3d e = b - a;
  const double length2 = dot(e, e);
  return length2 > 0 ? std::clamp(dot(x - a, e) / length2, 0.0, 1.0) : 0.0;
}

// Boxes hashed into cells of one size: who may be within reach of a point.
class CellIndex {
 public:
  explicit CellIndex(double cell) : inverse_(1 / cell) {}
  void add(int item, Vec3d low, Vec3d high) {
    const auto [a, b] = std::pair(cell(low), cell(high));
    for (auto x = a[0]; x <= b[0]; ++x)
      for (auto y = a[1]; y <= b[1]; ++y)
        for (auto z = a[2]; z <= b[2]; ++z) cells_[{x, y, z}].push_back(item);
  }
  // Items whose box may touch the cube of half edge `reach` about x, each once, in order.
  std::vector<int> near(Vec3d x, double reach) const {
    std::vector<int> found;
    const Vec3d r{reach, reach, reach};
    const auto [a, b] = std::pair(cell(x - r), cell(x + r));
    for (auto i = a[0]; i <= b[0]; ++i)
      for (auto j = a[1]; j <= b[1]; ++j)
        for (auto k = a[2]; k <= b[2]; ++k)
          if (const auto it = cells_.find({i, j, k}); it != cells_.end())
            found.insert(found.end(), it->second.begin(), it->second.end());
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

 private:
  using Cell = std::array<std::int64_t, 3>;
  Cell cell(Vec3d p) const {
    return {static_cast<std::int64_t>(std::floor(p.x * inverse_)),
            static_cast<std::int64_t>(std::floor(p.y * inverse_)),
            static_cast<std::int64_t>(std::floor(p.z * inverse_))};
  }
  double inverse_;
  std::map<Cell, std::vector<int>> cells_;
};

const StrandShape& strand_of(const std::vector<StrandShape>& shapes, std::int64_t strand, const char* what) {
  const auto found =
      std::find_if(shapes.begin(), shapes.end(), [&](const StrandShape& s) { return s.strand == strand; });
  if (found == shapes.end())
    throw Error(ExitCode::bad_input, fmt::format("attachment network: there is no {} strand {}", what, strand));
  return *found;
}

void check_vertex(const StrandShape& shape, std::int64_t vertex) {
  if (vertex < 0 || vertex >= static_cast<std::int64_t>(shape.positions.size()) || shape.positions.size() < 2)
    throw Error(ExitCode::bad_input,
                fmt::format("attachment network: strand {} has no vertex {} to attach", shape.strand, vertex));
}

}  // namespace

std::vector<StrandShape> input_shapes(CurvesObject& object) {
  std::vector<StrandShape> shapes;
  const Curves& curves = object.curves();
  for (std::size_t s = 0; s < curves.strand_count(); ++s)
    shapes.push_back({&object,
                      static_cast<std::int64_t>(s),
                      {curves.positions.begin() + curves.first[s], curves.positions.begin() + curves.first[s + 1]},
                      {}});
  return shapes;
}

std::vector<StrandShape> present_shapes(CurvesObject& object) {
  std::vector<StrandShape> shapes;
  const int x = object.channels().position, m = object.channels().m1;
  for (const Strand& strand : object.strands().copy_all()) {
    StrandShape& shape = shapes.emplace_back(StrandShape{&object, strand.id, {}, {}});
    for (std::size_t i = 1; i < static_cast<std::size_t>(strand.vertices); ++i) {
      shape.positions.emplace_back(strand.channel(x)[i], strand.channel(x + 1)[i], strand.channel(x + 2)[i]);
      shape.m1.emplace_back(strand.channel(m)[i], strand.channel(m + 1)[i], strand.channel(m + 2)[i]);
    }
  }
  return shapes;
}

EmbeddedPoint surface_point(const Surface& mesh, const std::vector<Vec3d>& positions, const SurfacePoint& at) {
  const auto& t = mesh.triangles[static_cast<std::size_t>(at.triangle)];
  const auto vertex = [&](std::size_t k) { return positions[static_cast<std::size_t>(t[k])]; };
  const Vec3d a = vertex(0), b = vertex(1), c = vertex(2);
  EmbeddedPoint p;
  p.position = a * at.barycentric.x + b * at.barycentric.y + c * at.barycentric.z;
  p.frame[0] = normalized(b - a);
  p.frame[2] = normalized(cross(b - a, c - a), any_normal(p.frame[0]));
  p.frame[1] = cross(p.frame[2], p.frame[0]);
  return p;
}

std::vector<SurfacePair> emit_to_surface(const EmissionRule& rule, const std::vector<StrandShape>& sources,
                                         const Surface& mesh, const std::vector<Vec3d>& positions) {
  std::vector<SurfacePair> pairs;
  if (rule.kind == EmissionKind::network) {
    for (const NetworkEntry& entry : rule.network) {
      const StrandShape& shape = strand_of(sources, entry.source_strand, "source");
      check_vertex(shape, entry.source_vertex);
      if (entry.target < 0 || entry.target >= static_cast<std::int64_t>(mesh.triangles.size()))
        throw Error(ExitCode::bad_input,
                    fmt::format("attachment network: the surface has no triangle {}", entry.target));
      pairs.push_back({at_vertex(shape, entry.source_vertex),
                       {static_cast<std::int32_t>(entry.target), {1.0 / 3, 1.0 / 3, 1.0 / 3}}});
    }
    return pairs;
  }
  Surface posed = mesh;
  posed.positions = positions;
  const double bound = rule.range > 0 ? rule.range : std::numeric_limits<double>::infinity();
  if (rule.kind == EmissionKind::closest) {
    const TriangleBvh bvh(posed);
    for (const StrandShape& shape : sources)
      for (const std::int64_t v : source_vertices(rule, shape))
        if (const ClosestPoint c = bvh.closest(shape.positions[static_cast<std::size_t>(v)], bound); c.triangle >= 0)
          pairs.push_back({at_vertex(shape, v), {c.triangle, c.barycentric}});
    return pairs;
  }
  CellIndex index(rule.range * 2);
  std::vector<TriangleBvh> single;
  for (std::size_t t = 0; t < posed.triangles.size(); ++t) {
    Surface one;
    Box box;
    for (const std::int32_t v : posed.triangles[t]) {
      one.positions.push_back(positions[static_cast<std::size_t>(v)]);
      box.include(one.positions.back());
    }
    one.triangles.push_back({0, 1, 2});
    single.emplace_back(one);
    index.add(static_cast<int>(t), box.low, box.high);
  }
  for (const StrandShape& shape : sources)
    for (const std::int64_t v : source_vertices(rule, shape)) {
      const Vec3d x = shape.positions[static_cast<std::size_t>(v)];
      for (const int t : index.near(x, rule.range))
        if (const ClosestPoint c = single[static_cast<std::size_t>(t)].closest(x, rule.range); c.triangle >= 0)
          pairs.push_back({at_vertex(shape, v), {t, c.barycentric}});
    }
  return pairs;
}

std::vector<StrandPair> emit_to_strands(const EmissionRule& rule, const std::vector<StrandShape>& sources,
                                        const std::vector<StrandShape>& targets) {
  std::vector<StrandPair> pairs;
  if (rule.kind == EmissionKind::network) {
    for (const NetworkEntry& entry : rule.network) {
      const StrandShape& a = strand_of(sources, entry.source_strand, "source");
      const StrandShape& b = strand_of(targets, entry.target, "target");
      check_vertex(a, entry.source_vertex);
      check_vertex(b, entry.target_vertex);
      pairs.push_back({at_vertex(a, entry.source_vertex), at_vertex(b, entry.target_vertex)});
    }
    return pairs;
  }
  CellIndex index(rule.range * 2);
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t s = 0; s < targets.size(); ++s)
    for (std::size_t e = 0; e + 1 < targets[s].positions.size(); ++e) {
      const Vec3d a = targets[s].positions[e], b = targets[s].positions[e + 1];
      index.add(static_cast<int>(edges.size()), cwise_min(a, b), cwise_max(a, b));
      edges.emplace_back(s, e);
    }
  for (const StrandShape& shape : sources)
    for (const std::int64_t v : source_vertices(rule, shape)) {
      const Vec3d x = shape.positions[static_cast<std::size_t>(v)];
      double best = rule.range;
      StrandPair nearest;
      for (const int k : index.near(x, rule.range)) {
        const auto [s, e] = edges[static_cast<std::size_t>(k)];
        const StrandShape& target = targets[s];
        if (target.object == shape.object && target.strand == shape.strand) continue;
        const double u = nearest_on_segment(target.positions[e], target.positions[e + 1], x);
        const double distance = norm(target.positions[e] + (target.positions[e + 1] - target.positions[e]) * u - x);
        const StrandPair pair{at_vertex(shape, v), {target.object, target.strand, static_cast<int>(e) + 1, u}};
        if (rule.kind == EmissionKind::within_range && distance <= rule.range) pairs.push_back(pair);
        if (rule.kind == EmissionKind::closest && distance <= best) {
          if (distance < best || nearest.target.object == nullptr) nearest = pair;
          best = distance;
        }
      }
      if (rule.kind == EmissionKind::closest && nearest.target.object != nullptr) pairs.push_back(nearest);
    }
  return pairs;
}

}  // namespace ymir
