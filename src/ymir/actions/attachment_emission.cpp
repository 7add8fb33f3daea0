#include "ymir/actions/attachment_emission.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "ymir/base/error.h"
#include "ymir/data/triangle_bvh.h"
#include "ymir/physics/rods/frames.h"

namespace ymir {
namespace {

// A vertex as a point on an edge; vertex 0 of a strand is number 1 of the solver.
MaterialPoint at_vertex(const PieceShape& shape, std::int64_t vertex) {
  if (shape.is_particle) return {shape.object, shape.piece};
  if (shape.is_body()) return shape.points[static_cast<std::size_t>(vertex)];
  const auto last = static_cast<std::int64_t>(shape.positions.size()) - 1;
  if (vertex < last) return {shape.object, shape.piece, static_cast<std::int32_t>(vertex) + 1, {0, 0, 0}};
  return {shape.object, shape.piece, static_cast<std::int32_t>(last), {1, 0, 0}};
}

std::vector<std::int64_t> source_vertices(const EmissionRule& rule, const PieceShape& shape) {
  const auto last = static_cast<std::int64_t>(shape.positions.size()) - 1;
  if (shape.is_particle) return {0};
  if (!shape.is_body()) {
    if (last < 1) return {};  // a single vertex has no edge to be on
    if (rule.points == SourcePoints::roots) return {0};
    if (rule.points == SourcePoints::tips) return {last};
  }
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

// Pieces by number; of several objects of strands or particles the first one that has it.
class PieceIndex {
 public:
  PieceIndex(const std::vector<PieceShape>& shapes, const char* what) : what_(what) {
    for (const PieceShape& shape : shapes) {
      const auto [first, added] = by_number_.try_emplace(shape.piece, &shape);
      several_ = several_ || (!added && shape.is_body() && first->second->object != shape.object);
    }
  }
  MaterialPoint at(std::int64_t piece, std::int64_t vertex) const {
    const char* kind = by_number_.empty() ? "piece" : kind_of(*by_number_.begin()->second);
    if (several_)
      throw mistake(
          fmt::format("several objects have a {} body {}; put the attachment into the group of one, or name "
                      "the group of one",
                      what_, piece));
    const auto found = by_number_.find(piece);
    if (found == by_number_.end())
      throw mistake(
          fmt::format("there is no {} {} {}; there are {}, numbered from 0", what_, kind, piece, by_number_.size()));
    const PieceShape& shape = *found->second;
    const auto size = static_cast<std::int64_t>(shape.positions.size());
    if (!shape.is_particle && (vertex < 0 || vertex >= size || (size < 2 && !shape.is_body())))
      throw mistake(fmt::format("{} {} has no vertex {} to attach; it has {}, numbered from 0", kind_of(shape), piece,
                                vertex, size));
    return at_vertex(shape, vertex);
  }

 private:
  static const char* kind_of(const PieceShape& shape) {
    return shape.is_particle ? "particle" : shape.is_body() ? "body" : "strand";
  }
  static Error mistake(const std::string& what) { return Error(ExitCode::bad_input, "network: " + what); }

  const char* what_;
  bool several_ = false;
  std::map<std::int64_t, const PieceShape*> by_number_;
};

}  // namespace

Embedding surface_point(const Surface& mesh, const std::vector<Vec3d>& positions, const SurfacePoint& at) {
  const auto& t = mesh.triangles[static_cast<std::size_t>(at.triangle)];
  const auto vertex = [&](std::size_t k) { return positions[static_cast<std::size_t>(t[k])]; };
  const Vec3d a = vertex(0), b = vertex(1), c = vertex(2);
  Embedding p;
  p.position = a * at.barycentric.x + b * at.barycentric.y + c * at.barycentric.z;
  p.frame[0] = normalized(b - a);
  p.frame[2] = normalized(cross(b - a, c - a), any_normal(p.frame[0]));
  p.frame[1] = cross(p.frame[2], p.frame[0]);
  return p;
}

std::vector<SurfacePair> emit_to_surface(const EmissionRule& rule, const std::vector<PieceShape>& sources,
                                         const Surface& mesh, const std::vector<Vec3d>& positions) {
  std::vector<SurfacePair> pairs;
  if (rule.kind == EmissionKind::network) {
    const PieceIndex held(sources, "source");
    for (const NetworkEntry& entry : rule.network) {
      const MaterialPoint source = held.at(entry.source_strand, entry.source_vertex);
      if (entry.target < 0 || entry.target >= static_cast<std::int64_t>(mesh.triangles.size()))
        throw Error(ExitCode::bad_input,
                    fmt::format("network: the surface has no triangle {}; it has {}, numbered from 0", entry.target,
                                mesh.triangles.size()));
      pairs.push_back({source, {static_cast<std::int32_t>(entry.target), {1.0 / 3, 1.0 / 3, 1.0 / 3}}});
    }
    return pairs;
  }
  Surface posed = mesh;
  posed.positions = positions;
  const double bound = rule.range > 0 ? rule.range : std::numeric_limits<double>::infinity();
  if (rule.kind == EmissionKind::closest) {
    const TriangleBvh bvh(posed);
    for (const PieceShape& shape : sources)
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
  for (const PieceShape& shape : sources)
    for (const std::int64_t v : source_vertices(rule, shape)) {
      const Vec3d x = shape.positions[static_cast<std::size_t>(v)];
      for (const int t : index.near(x, rule.range))
        if (const ClosestPoint c = single[static_cast<std::size_t>(t)].closest(x, rule.range); c.triangle >= 0)
          pairs.push_back({at_vertex(shape, v), {t, c.barycentric}});
    }
  return pairs;
}

std::vector<ObjectPair> emit_to_objects(const EmissionRule& rule, const std::vector<PieceShape>& sources,
                                        const std::vector<PieceShape>& targets) {
  std::vector<ObjectPair> pairs;
  if (rule.kind == EmissionKind::network) {
    const PieceIndex from(sources, "source"), to(targets, "target");
    for (const NetworkEntry& entry : rule.network) {
      const ObjectPair pair{from.at(entry.source_strand, entry.source_vertex),
                            to.at(entry.target, entry.target_vertex)};
      const MaterialPoint &a = pair.source, &b = pair.target;
      if (a.object == b.object && a.piece == b.piece && a.cell == b.cell && a.weights == b.weights)
        throw Error(ExitCode::bad_input, fmt::format("network: {} is attached to itself", entry.target));
      pairs.push_back(pair);
    }
    return pairs;
  }
  // Bodies are looked up by their skin; a particle counts as an edge of no length.
  std::vector<std::pair<const PieceShape*, TriangleBvh>> skins;
  for (const PieceShape& target : targets)
    if (target.is_body() && !target.skin.triangles.empty()) skins.emplace_back(&target, TriangleBvh(target.skin));
  const auto ends = [&](std::size_t s, std::size_t e) {
    const std::vector<Vec3d>& x = targets[s].positions;
    return std::pair(x[e], x[std::min(e + 1, x.size() - 1)]);
  };
  CellIndex index(rule.range * 2);
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t s = 0; s < targets.size(); ++s)
    for (std::size_t e = 0; !targets[s].is_body() && e + (targets[s].is_particle ? 0 : 1) < targets[s].positions.size();
         ++e) {
      const auto [a, b] = ends(s, e);
      index.add(static_cast<int>(edges.size()), cwise_min(a, b), cwise_max(a, b));
      edges.emplace_back(s, e);
    }
  using Particle = std::pair<const SolidObject*, std::int64_t>;
  std::set<std::pair<Particle, Particle>> joined;
  const auto add = [&](const ObjectPair& pair, bool particles) {
    Particle a{pair.source.object, pair.source.piece}, b{pair.target.object, pair.target.piece};
    if (!particles || joined.insert(std::minmax(a, b)).second) pairs.push_back(pair);
  };
  for (const PieceShape& shape : sources)
    for (const std::int64_t v : source_vertices(rule, shape)) {
      const Vec3d x = shape.positions[static_cast<std::size_t>(v)];
      double best = rule.range;
      ObjectPair nearest;
      bool both = false;  // are particles
      for (const int k : index.near(x, rule.range)) {
        const auto [s, e] = edges[static_cast<std::size_t>(k)];
        const PieceShape& target = targets[s];
        if (target.object == shape.object && target.piece == shape.piece) continue;
        const auto [a, b] = ends(s, e);
        const double u = nearest_on_segment(a, b, x), distance = norm(a + (b - a) * u - x);
        const ObjectPair pair{at_vertex(shape, v), {target.object, target.piece, static_cast<int>(e) + 1, {u, 0, 0}}};
        const bool particles = shape.is_particle && target.is_particle;
        if (rule.kind == EmissionKind::within_range && distance <= rule.range) add(pair, particles);
        if (rule.kind == EmissionKind::closest && distance <= best) {
          if (distance < best || nearest.target.object == nullptr) {
            nearest = pair;
            both = particles;
          }
          best = distance;
        }
      }
      for (const auto& [target, skin] : skins) {
        if (target->object == shape.object && target->piece == shape.piece) continue;
        const ClosestPoint c = skin.closest(x, best);
        if (c.triangle < 0 || c.distance > rule.range) continue;
        const ObjectPair pair{at_vertex(shape, v), target->object->on_skin(target->piece, c.triangle, c.barycentric)};
        if (rule.kind == EmissionKind::within_range) {
          add(pair, false);
        } else if (c.distance < best || nearest.target.object == nullptr) {
          nearest = pair;
          both = false;
          best = c.distance;
        }
      }
      if (rule.kind == EmissionKind::closest && nearest.target.object != nullptr) add(nearest, both);
    }
  return pairs;
}

}  // namespace ymir
