#include "ymir/grooms/plant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ymir/base/error.h"
#include "ymir/grooms/polyline.h"
#include "ymir/grooms/surface_parts.h"

namespace ymir {
namespace {

constexpr double thinnest = 1e-3;   // radius by spacing below which lines lock altogether
constexpr int sides = 8;            // of a tube that shows a branch
constexpr double thinning = 0.75;   // least distance of nodes of a leaf, in spacings
constexpr double neighbours = 1.8;  // distance within which nodes of a leaf are next to each other, in spacings

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
std::int32_t number(std::size_t n) { return static_cast<std::int32_t>(n); }

// Of the vertices of a strand.
std::vector<double> radii_of(const Curves& curves, std::size_t strand, double otherwise) {
  const auto first = static_cast<std::size_t>(curves.first[strand]),
             end = static_cast<std::size_t>(curves.first[strand + 1]);
  std::vector<double> radii(end - first, otherwise);
  if (const Array* r = curves.strands.find("radius"); r != nullptr && r->holds<double>())
    std::fill(radii.begin(), radii.end(), r->as<double>()[strand]);
  if (const Array* r = curves.vertices.find("radius"); r != nullptr && r->holds<double>())
    for (std::size_t v = first; v < end; ++v) radii[v - first] = r->as<double>()[v];
  return radii;
}

// Values of the vertices at a share of the length of the line.
double along(std::span<const Vec3d> points, const std::vector<double>& values, double length) {
  double passed = 0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double edge = norm(points[i] - points[i - 1]);
    if (passed + edge >= length && edge > 0)
      return values[i - 1] + (values[i] - values[i - 1]) * std::clamp((length - passed) / edge, 0.0, 1.0);
    passed += edge;
  }
  return values.back();
}

// Columns: t, and two unit vectors across it.
Mat3d frame_of(Vec3d t) {
  const Vec3d n = any_perpendicular(t);
  return {t, n, cross(t, n)};
}

double distance_to(Vec3d x, Vec3d a, Vec3d b) {
  const Vec3d edge = b - a;
  const double length = dot(edge, edge);
  const double s = length > 0 ? std::clamp(dot(x - a, edge) / length, 0.0, 1.0) : 0;
  return norm(x - a - edge * s);
}

// Each triangle cut in four until no edge is longer.
void cut(const Vec3d& a, const Vec3d& b, const Vec3d& c, double longest, std::vector<std::array<Vec3d, 3>>& triangles) {
  if (std::max({norm(b - a), norm(c - b), norm(a - c)}) <= longest) {
    triangles.push_back({a, b, c});
    return;
  }
  const Vec3d ab = (a + b) * 0.5, bc = (b + c) * 0.5, ca = (c + a) * 0.5;
  cut(a, ab, ca, longest, triangles);
  cut(ab, b, bc, longest, triangles);
  cut(ca, bc, c, longest, triangles);
  cut(ab, bc, ca, longest, triangles);
}

}  // namespace

void Plant::add_branches(const Curves& curves, double radius, const std::string& from) {
  for (std::size_t strand = 0; strand < curves.strand_count(); ++strand) {
    const std::span<const Vec3d> line = points_of(curves, strand);
    const double length = polyline_length(line);
    const std::vector<double> radii = radii_of(curves, strand, radius);
    if (!(length > 0))
      throw Error(
          ExitCode::bad_input,
          fmt::format("{}: strand {} has no length; remove it, or give it a second vertex elsewhere", from, strand));
    if (const double least = *std::min_element(radii.begin(), radii.end()); !(least > 0))
      throw Error(
          ExitCode::bad_input,
          fmt::format("{}: strand {} has a radius of {:g} m; every vertex needs one above 0", from, strand, least));
    if (const double least = *std::min_element(radii.begin(), radii.end()); least < thinnest * cloud_.spacing)
      throw Error(
          ExitCode::bad_input,
          fmt::format("{}: strand {} is {:g} m thin, too thin for nodes {:g} m apart; make the spacing smaller, "
                      "or use a curves_object for threads",
                      from, strand, least, cloud_.spacing));
    const auto segments = static_cast<std::size_t>(std::max(1.0, std::round(length / cloud_.spacing)));
    const std::vector<Vec3d> nodes = resampled(line, segments + 1);
    const std::int32_t first = number(cloud_.nodes.size());
    branches_.push_back({first, radii.front()});
    std::vector<double> node_radii;
    for (std::size_t k = 0; k <= segments; ++k)
      node_radii.push_back(along(line, radii, length * static_cast<double>(k) / static_cast<double>(segments)));
    cloud_.nodes.insert(cloud_.nodes.end(), nodes.begin(), nodes.end());
    ElastonCloud::Part part_of_plant;
    const auto end_at = [&](Vec3d x, double r, std::int32_t node) {
      part_of_plant.points.push_back(x), part_of_plant.radii.push_back(r), part_of_plant.nodes.push_back(node);
    };
    end_at(nodes.front(), node_radii.front(), first);
    for (std::size_t k = 0; k < segments; ++k) {
      const std::int32_t a = first + number(k);
      cloud_.links.push_back({a, a + 1});
      segments_.push_back({a, a + 1, std::max(node_radii[k], node_radii[k + 1]), branches_.size() - 1, first});
      const Vec3d edge = nodes[k + 1] - nodes[k];
      const double part = norm(edge) / 2;
      // One per segment would leave modes without energy.
      for (const double s : {0.25, 0.75}) {
        const double r = along(line, radii, length * (static_cast<double>(k) + s) / static_cast<double>(segments));
        ElastonSample e;
        e.centre = nodes[k] + edge * s;
        e.axes = frame_of(edge / (2 * part));
        // A disc has the second moments r^2/4 = a^2/12.
        e.extent = {part, std::sqrt(3.0) * r, std::sqrt(3.0) * r};
        e.volume = M_PI * r * r * part;
        e.radius = r;
        e.area = 2 * r * part;
        e.node = s < 0.5 ? a : a + 1;
        end_at(e.centre, r, e.node);
        cloud_.elastons.push_back(e);
      }
    }
    end_at(nodes.back(), node_radii.back(), first + number(segments));
    cloud_.parts.push_back(std::move(part_of_plant));
    add_tube(nodes, node_radii, first);
    // So near to each other two nodes would be nearly the same function.
    if (length < cloud_.spacing / 2) same_.emplace_back(first + 1, first);
  }
}

void Plant::add_tube(const std::vector<Vec3d>& nodes, const std::vector<double>& radius, std::int32_t first) {
  const std::int32_t start = number(cloud_.skin.positions.size());
  const auto tangent = [&](std::size_t k) {
    return normalized(nodes[std::min(k + 1, nodes.size() - 1)] - nodes[k == 0 ? 0 : k - 1], Vec3d{0, 1, 0});
  };
  Vec3d across = any_perpendicular(tangent(0));
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Vec3d t = tangent(k);
    if (k > 0) across = transported(across, tangent(k - 1), t);
    for (int side = 0; side < sides; ++side) {
      const double angle = 2 * M_PI * side / sides;
      cloud_.skin.positions.push_back(nodes[k] +
                                      (across * std::cos(angle) + cross(t, across) * std::sin(angle)) * radius[k]);
      cloud_.skin_nodes.push_back(first + number(k));
      if (k + 1 == nodes.size()) continue;
      const std::int32_t ring = start + number(k) * sides, a = ring + side, b = ring + (side + 1) % sides;
      cloud_.skin.triangles.push_back({a, b, b + sides});
      cloud_.skin.triangles.push_back({a, b + sides, a + sides});
    }
  }
  const std::int32_t last = start + number(nodes.size() - 1) * sides;
  for (std::int32_t k = 2; k < sides; ++k) {
    cloud_.skin.triangles.push_back({last, last + k - 1, last + k});
    cloud_.skin.triangles.push_back({start, start + k, start + k - 1});
  }
}

void Plant::add_leaf_nodes(Leaf& leaf) {
  leaf.first = number(cloud_.nodes.size());
  const auto gap = [&](Vec3d x) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = at(leaf.first); k < cloud_.nodes.size(); ++k)
      least = std::min(least, norm(cloud_.nodes[k] - x));
    return least;
  };
  for (const Vec3d& x : leaf.points) {
    const double apart = gap(x);
    if (apart < thinning * cloud_.spacing) continue;
    const std::int32_t node = number(cloud_.nodes.size());
    for (std::int32_t other = leaf.first; other < node; ++other) {
      const double away = norm(cloud_.nodes[at(other)] - x);
      if (away < neighbours * cloud_.spacing || away == apart) cloud_.links.push_back({other, node});
    }
    cloud_.nodes.push_back(x);
  }
  leaf.end = number(cloud_.nodes.size());
}

std::int32_t Plant::nearest_node(const Leaf& leaf, Vec3d x) const {
  std::int32_t best = leaf.first;
  for (std::int32_t node = leaf.first; node < leaf.end; ++node)
    if (norm(cloud_.nodes[at(node)] - x) < norm(cloud_.nodes[at(best)] - x)) best = node;
  return best;
}

void Plant::add_leaves(const Surface& surface, double thickness, const std::string& from) {
  std::int32_t count = 0;
  const std::vector<std::int32_t> leaf_of = parts_of(surface, count);
  std::vector<Leaf> leaves(at(count));
  std::vector<std::vector<std::array<Vec3d, 3>>> triangles(at(count));
  for (std::size_t v = 0; v < leaf_of.size(); ++v)
    if (leaf_of[v] >= 0) leaves[at(leaf_of[v])].points.push_back(surface.positions[v]);
  for (const auto& t : surface.triangles)
    cut(surface.positions[at(t[0])], surface.positions[at(t[1])], surface.positions[at(t[2])], cloud_.spacing,
        triangles[at(leaf_of[at(t[0])])]);
  for (std::size_t l = 0; l < leaves.size(); ++l) {
    Leaf& leaf = leaves[l];
    for (const auto& t : triangles[l]) leaf.points.insert(leaf.points.end(), t.begin(), t.end());
    add_leaf_nodes(leaf);
    double whole = 0;
    for (const auto& [a, b, c] : triangles[l]) {
      const Vec3d normal = cross(b - a, c - a);
      const double area = norm(normal) / 2;
      whole += area;
      if (!(area > 1e-12 * cloud_.spacing * cloud_.spacing)) continue;
      const Mat3d frame = frame_of(normal / (2 * area));
      for (int corner = 0; corner < 3; ++corner) {
        ElastonSample e;
        e.kind = ElastonKind::sheet;
        e.centre = (a + b + c + (corner == 0 ? a : corner == 1 ? b : c) * 3) / 6;
        e.axes = {frame.column[1], frame.column[2], frame.column[0]};
        e.extent = {std::sqrt(area / 3), std::sqrt(area / 3), thickness};
        e.volume = area / 3 * thickness;
        e.radius = thickness / 2;
        e.area = area / 3;
        e.node = nearest_node(leaf, e.centre);
        cloud_.elastons.push_back(e);
      }
    }
    if (!(whole > 0))
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: part {} of the surface has no area; remove it, or repair its triangles", from, l));
    leaves_.push_back(leaf);
  }
  std::vector<std::int32_t> shown(surface.positions.size(), -1), within(shown);
  std::vector<ElastonCloud::Part> parts(leaves.size());
  for (std::size_t v = 0; v < surface.positions.size(); ++v) {
    if (leaf_of[v] < 0) continue;
    shown[v] = number(cloud_.skin.positions.size());
    cloud_.skin.positions.push_back(surface.positions[v]);
    cloud_.skin_nodes.push_back(nearest_node(leaves[at(leaf_of[v])], surface.positions[v]));
    ElastonCloud::Part& part = parts[at(leaf_of[v])];
    within[v] = number(part.points.size());
    part.points.push_back(surface.positions[v]);
    part.nodes.push_back(cloud_.skin_nodes.back());
  }
  for (const auto& t : surface.triangles) {
    cloud_.skin.triangles.push_back({shown[at(t[0])], shown[at(t[1])], shown[at(t[2])]});
    parts[at(leaf_of[at(t[0])])].triangles.push_back({within[at(t[0])], within[at(t[1])], within[at(t[2])]});
  }
  for (ElastonCloud::Part& part : parts) {
    part.kind = ElastonKind::sheet;
    part.thickness = thickness;
    cloud_.parts.push_back(std::move(part));
  }
}

// The branch nearest to x that is not `strand`; not where it begins itself: blades of grass that begin side by side
// have a root each.
Plant::Touch Plant::touch_branch(Vec3d x, std::size_t strand) const {
  Touch best;
  for (const Segment& s : segments_) {
    if (s.strand == strand) continue;
    if (strand != no_strand && norm(x - cloud_.nodes[at(s.first)]) < cloud_.spacing / 2 + s.radius) continue;
    const double gap = distance_to(x, cloud_.nodes[at(s.a)], cloud_.nodes[at(s.b)]) - s.radius;
    if (gap < best.gap) best = {gap, {s.a, s.b}};
  }
  return best.gap < cloud_.spacing / 2 ? best : Touch{};
}

Plant::Touch Plant::touch(Vec3d x, std::size_t strand) const {
  const Touch branch = touch_branch(x, strand), trunk = touch_trunk(x);
  return trunk.gap < branch.gap ? trunk : branch;
}

// Nodes at the same place would be the same function twice, and their difference move nothing: they become one.
void Plant::join(std::int32_t node, const Touch& on) {
  const Vec3d x = cloud_.nodes[at(node)];
  for (const std::int32_t end : on.nodes) cloud_.links.push_back({end, node});
  const double a = norm(cloud_.nodes[at(on.nodes[0])] - x), b = norm(cloud_.nodes[at(on.nodes[1])] - x);
  if (std::min(a, b) < cloud_.spacing / 2) same_.emplace_back(node, a <= b ? on.nodes[0] : on.nodes[1]);
}

void Plant::merge() {
  std::vector<std::int32_t> now(cloud_.nodes.size());
  std::iota(now.begin(), now.end(), 0);
  const auto find = [&](std::int32_t a) {
    while (now[at(a)] != a) a = now[at(a)] = now[at(now[at(a)])];
    return a;
  };
  for (const auto& [node, other] : same_)  // those that have moved far by other mergers stay apart
    if (norm(cloud_.nodes[at(find(other))] - cloud_.nodes[at(find(node))]) < cloud_.spacing / 2)
      now[at(find(node))] = find(other);
  std::vector<std::int32_t> fresh(now.size(), -1);
  std::vector<Vec3d> nodes;
  for (std::int32_t i = 0; i < std::ssize(now); ++i)
    if (find(i) == i) {
      fresh[at(i)] = number(nodes.size());
      nodes.push_back(cloud_.nodes[at(i)]);
    }
  const auto renumber = [&](std::int32_t& i) { i = fresh[at(find(i))]; };
  cloud_.nodes = std::move(nodes);
  for (auto& link : cloud_.links)
    for (std::int32_t& i : link) renumber(i);
  for (ElastonSample& e : cloud_.elastons) renumber(e.node);
  for (ElastonCloud::Held& h : cloud_.held) renumber(h.node);
  for (std::int32_t& i : cloud_.skin_nodes) renumber(i);
  for (ElastonCloud::Part& part : cloud_.parts)
    for (std::int32_t& i : part.nodes) renumber(i);
}

ElastonCloud Plant::grown(bool hold_roots) {
  std::vector<std::size_t> roots;
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    const Touch on = touch(cloud_.nodes[at(branches_[b].first)], b);
    if (on.found())
      join(branches_[b].first, on);
    else
      roots.push_back(b);
    if (on.trunk >= 0) trunks_[at(on.trunk)].bears = true;
  }
  for (const Leaf& leaf : leaves_) {
    Touch best;
    Vec3d where{0, 0, 0};
    for (const Vec3d& x : leaf.points)
      if (const Touch on = touch(x, no_strand); on.gap < best.gap) best = on, where = x;
    if (best.found())
      join(nearest_node(leaf, where), best);
    else
      ++loose_;
  }
  for (const Trunk& trunk : trunks_)
    if (!hangs(trunk) && hold_roots) hold_foot(trunk);
  for (const std::size_t b : roots) {
    if (!hold_roots) break;
    const Branch& branch = branches_[b];
    cloud_.held.push_back({cloud_.nodes[at(branch.first)], M_PI * branch.radius * branch.radius, branch.first});
  }
  merge();
  return std::move(cloud_);
}

}  // namespace ymir
