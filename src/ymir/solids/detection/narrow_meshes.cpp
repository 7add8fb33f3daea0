// Faces and edges of meshes against fibres, vertices and each other.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "ymir/physics/contact/closest_segments.h"
#include "ymir/physics/contact/contact_frame.h"
#include "ymir/physics/contact/nearest_on_triangle.h"
#include "ymir/solids/detection/candidates.h"
#include "ymir/solids/detection/elements.h"
#include "ymir/solids/detection/mesh_features.h"
#include "ymir/solids/detection/narrow.h"

namespace ymir {
namespace {

// Cosines of normals of contacts that may be one: near each other; at the same vertex.
constexpr double same_way = 0.7, same = 0.999;
constexpr double as_close = 1e-6;  // by which an edge has to be closer than the vertex beside it [edges]

constexpr double flush = 1e-4;             // distance below which two solids are parted by their faces [edges]
constexpr double along_each_other = 1e-3;  // sine of the angle between edges

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

bool solid(const Boundary& b, std::int32_t piece) { return b.piece(piece).traits.solid; }

// Whether a vertex cannot meet a triangle of its own mesh: that of a sheet may fold onto all but those around it.
bool joined(const Boundary& b, std::int32_t vertex, std::int32_t triangle) {
  const auto& t = b.triangles[at(triangle)];
  return solid(b, b.triangle_piece[at(triangle)]) ? touches(b, vertex, triangle)
                                                  : std::find(t.begin(), t.end(), vertex) != t.end();
}

// Whether a pair of edges is one on this side. Sheets bend within the substep, and what is not nearest yet may be soon:
// of theirs all edges count that the other stands about straight above.
bool counts(const Boundary& b, std::int32_t piece, const MeshFeature& edge, Vec3d x, Vec3d y) {
  constexpr double straight = 0.7;  // cosine
  if (is_local_minimum(b, edge, x, y)) return true;
  if (solid(b, piece)) return false;
  const Vec3d facing = feature_normal(b, edge);
  return std::abs(dot(y - x, facing)) > straight * norm(y - x) * norm(facing);
}

// Of sheets that coincide the one with the higher number is in front of the other, at all of their contacts: else each
// would lie behind the other, and be held there. Whether that is the second.
bool second_above(const Boundary& b, const Contact& c) {
  const auto sheet = [&](const ContactSide& side) {
    return b.piece(side.piece).kind == PieceKind::mesh && !solid(b, side.piece);
  };
  return c.a.piece < c.b.piece && sheet(c.a) && sheet(c.b);
}

// Gap and normal of c, whose sides are set, from its two points. `inside`: they are on the wrong sides of surfaces that
// have an inside; `choice`: normal of points that coincide. False: a solid sees its own other side through itself.
bool measure(const Boundary& b, Vec3d difference, bool inside, Vec3d choice, Contact& c) {
  const double distance = norm(difference);
  c.gap = (inside ? -distance : distance) - radius_at(b, c.a) - radius_at(b, c.b);
  c.vague = distance < contact_frame::nearest;
  c.normal = c.vague ? normalized(choice, Vec3d{0, 1, 0}) : difference * ((inside ? -1 : 1) / distance);
  return !(inside && c.a.piece == c.b.piece);
}

// The same of a point and a feature of a mesh. Its normal is asked for where it matters.
bool measure(const Boundary& b, Vec3d difference, const MeshFeature& feature, Contact& c) {
  const bool vague = dot(difference, difference) < contact_frame::nearest * contact_frame::nearest;
  const bool asked = vague || solid(b, c.b.piece);
  Vec3d facing = asked ? feature_normal(b, feature) : Vec3d{0, 0, 0};
  if (vague && second_above(b, c)) facing = -feature_normal(b, {MeshFeature::Kind::vertex, c.a.vertex[0]});
  const bool counts = measure(b, difference, solid(b, c.b.piece) && dot(difference, facing) < 0, facing, c);
  // Which way a face of a solid looks is no choice, and turns with it.
  if (solid(b, c.b.piece) && feature.kind == MeshFeature::Kind::face) c.vague = false;
  return counts;
}

// Corners and edges of solids that touch, as of boxes that are stacked: nearest points show their sides as well as what
// they lie on, or nothing at all. False: nothing parts them here.
bool part_by_faces(const Boundary& b, const MeshFeature& of_a, const MeshFeature& of_b, Vec3d difference, Vec3d across,
                   Contact& c) {
  c.normal = parting_normal(b, of_a, of_b, difference, across);
  c.gap = dot(difference, c.normal) - radius_at(b, c.a) - radius_at(b, c.b);
  c.vague = false;
  return dot(c.normal, c.normal) > 0;
}

// A vertex above a triangle; false: not in reach, or another triangle is closer.
bool above_face(const Boundary& b, std::int32_t vertex, const Reach& reach, std::int32_t triangle, Contact& c,
                MeshFeature& feature) {
  const bool of_solid = c.a.kind == SideKind::point && c.a.piece >= 0 && solid(b, c.a.piece);
  const auto& t = b.triangles[at(triangle)];
  const Vec3d y = b.vertices[at(vertex)].x;
  const Vec3d w = nearest_on_triangle(b.vertices[at(t[0])].x, b.vertices[at(t[1])].x, b.vertices[at(t[2])].x, y);
  c.b = face_side(b, triangle, w);
  const Vec3d x = place_of(b, c.b), difference = y - x;
  const double most = b.vertices[at(vertex)].radius + radius_at(b, c.b) + margin_of(reach, triangle_reach(b, triangle));
  if (!(dot(difference, difference) < most * most)) return false;
  feature = feature_of(b, triangle, w);
  const bool both = of_solid && solid(b, c.b.piece) && c.a.piece != c.b.piece;
  const MeshFeature corner{MeshFeature::Kind::vertex, vertex};
  if (both && feature.kind != MeshFeature::Kind::face && norm(difference) < flush * triangle_reach(b, triangle).edge)
    return part_by_faces(b, corner, feature, difference, {0, 0, 0}, c);
  return is_local_minimum(b, feature, x, y) && measure(b, difference, feature, c) &&
         (!both || leads_out(b, corner, -c.normal));
}

// A segment of a fibre across an edge, where neither end of the segment is nearest.
bool across_edge(const Boundary& b, std::int32_t segment, std::int32_t edge, Contact& c, MeshFeature& feature) {
  const Segment p = segment_of(b, segment);
  const auto& e = b.edges[at(edge)];
  const Vec3d q = b.vertices[at(e[0])].x, d = b.vertices[at(e[1])].x - q;
  const auto [s, t] = closest_segments(p.p, p.d, q, d);
  if (s <= 0 || s >= 1) return false;
  const Vec3d y = p.p + p.d * s, x = q + d * t, difference = y - x;
  c.a = fiber_side(b, segment, s);
  c.b = edge_side(b, edge, t);
  const double most = radius_at(b, c.a) + radius_at(b, c.b) + margin_of(p.reach(b), edge_reach(b, e));
  if (!(dot(difference, difference) < most * most)) return false;
  feature = feature_of_edge(b, edge, t);
  return is_local_minimum(b, feature, x, y) && measure(b, difference, feature, c);
}

// Contacts of one fibre with meshes: by mesh, then along the fibre.
bool along_fiber(const Contact& x, const Contact& y) {
  return std::tuple(x.b.piece, x.arc_a, x.b.kind, x.b.element) < std::tuple(y.b.piece, y.arc_a, y.b.kind, y.b.element);
}

// Of two contacts of one fibre with one mesh, whether the first makes the second superfluous. Vertices stay: they carry
// the fibre where it lies flat. Segments across edges do what is left: one that is not closer than a vertex or than
// another one within half an edge, and touches the same way, is left out.
bool makes_superfluous(const Boundary& b, const Contact& c, const Contact& other) {
  const double way = dot(c.normal, other.normal);
  if (other.b.kind == SideKind::face) return c.arc_a == other.arc_a && way > same;
  if (std::abs(c.arc_a - other.arc_a) >= 0.5 || way <= same_way) return false;
  return c.b.kind == SideKind::edge || c.gap <= other.gap + as_close * segment_of(b, other.a.element).reach(b).edge;
}

// Vertices first, then the closest first.
void merge_along(const Boundary& b, NarrowScratch& scratch, std::vector<Contact>& contacts) {
  std::vector<Contact>& found = scratch.contacts;
  std::sort(found.begin(), found.end(), along_fiber);
  const auto count = static_cast<std::int32_t>(found.size());
  scratch.order.clear();
  for (std::int32_t i = 0; i < count; ++i) scratch.order.push_back(i);
  const auto rank = [&](std::int32_t i) {
    return std::tuple(found[at(i)].b.kind == SideKind::edge, found[at(i)].gap, i);
  };
  std::sort(scratch.order.begin(), scratch.order.end(),
            [&](std::int32_t x, std::int32_t y) { return rank(x) < rank(y); });
  constexpr std::uint8_t open = 2;
  scratch.kept.assign(found.size(), open);
  for (const std::int32_t i : scratch.order) {
    if (scratch.kept[at(i)] != open) continue;
    scratch.kept[at(i)] = 1;
    const auto rule_out = [&](std::int32_t j) {
      if (found[at(j)].b.piece != found[at(i)].b.piece || std::abs(found[at(j)].arc_a - found[at(i)].arc_a) >= 0.5)
        return false;
      if (scratch.kept[at(j)] == open && makes_superfluous(b, found[at(i)], found[at(j)])) scratch.kept[at(j)] = 0;
      return true;
    };
    for (std::int32_t j = i - 1; j >= 0 && rule_out(j);) --j;
    for (std::int32_t j = i + 1; j < count && rule_out(j);) ++j;
  }
  for (std::int32_t i = 0; i < count; ++i)
    if (scratch.kept[at(i)]) contacts.push_back(found[at(i)]);
}

}  // namespace

void narrow_fiber_faces(const Boundary& b, std::span<const std::uint64_t> pairs, NarrowScratch& scratch,
                        std::vector<Contact>& contacts) {
  for (std::size_t begin = 0; begin < pairs.size();) {
    const std::int32_t piece = b.vertices[at(first_of(pairs[begin]))].piece;
    const std::int32_t first = b.piece(piece).first_vertex;
    scratch.contacts.clear();
    for (; begin < pairs.size() && b.vertices[at(first_of(pairs[begin]))].piece == piece; ++begin) {
      const std::int32_t i = first_of(pairs[begin]), triangle = second_of(pairs[begin]);
      const Segment segment = segment_of(b, i);
      Contact c;
      MeshFeature feature{};
      c.family = ContactFamily::fiber_face;
      const auto take = [&](double s) {
        if (clamped(b, c.a, c.b)) return;
        c.arc_a = i - first + s;
        c.tangent = tangent_along(c.normal, segment.d);
        scratch.contacts.push_back(c);
      };
      for (int end = i == first ? 0 : 1; end <= 1; ++end) {
        c.a = fiber_side(b, i, end);
        if (above_face(b, segment.v + end, segment.reach(b), triangle, c, feature)) take(end);
      }
      for (const std::int32_t edge : b.triangle_edges[at(triangle)])
        if (b.edge_triangles[at(edge)][0] == triangle && across_edge(b, i, edge, c, feature)) take(c.a.weight[1]);
    }
    merge_along(b, scratch, contacts);
  }
}

void narrow_vertex_faces(const Boundary& b, std::span<const std::uint64_t> pairs, NarrowScratch& scratch,
                         std::vector<Contact>& contacts) {
  for (std::size_t begin = 0; begin < pairs.size();) {
    const std::int32_t v = first_of(pairs[begin]), piece = b.vertices[at(v)].piece;
    const Reach reach = vertex_reach(b, v);
    scratch.contacts.clear();
    for (; begin < pairs.size() && first_of(pairs[begin]) == v; ++begin) {
      const std::int32_t triangle = second_of(pairs[begin]);
      const bool self = b.triangle_piece[at(triangle)] == piece;
      if (self && !b.piece(piece).traits.self_contact) continue;
      Contact c;
      MeshFeature feature{};
      c.family = ContactFamily::vertex_face;
      c.a = point_side(b, v);
      if ((self && joined(b, v, triangle)) || !above_face(b, v, reach, triangle, c, feature)) continue;
      if (clamped(b, c.a, c.b)) continue;
      c.tangent = any_normal(c.normal);
      // Triangles that share the nearest point.
      const Vec3d x = place_of(b, c.b);
      const double near = 1e-3 * triangle_reach(b, triangle).edge;
      const bool again = std::any_of(scratch.contacts.begin(), scratch.contacts.end(), [&](const Contact& known) {
        return known.b.piece == c.b.piece && norm(place_of(b, known.b) - x) < near;
      });
      if (!again) scratch.contacts.push_back(c);
    }
    contacts.insert(contacts.end(), scratch.contacts.begin(), scratch.contacts.end());
  }
}

// Edges whose triangles have a corner P in common need not be told apart: of the ways from both points to P at least
// one leads closer, (y - x).(P - x) + (x - y).(P - y) = |x - y|^2.
void narrow_edges(const Boundary& b, std::span<const std::uint64_t> pairs, NarrowScratch&,
                  std::vector<Contact>& contacts) {
  for (const std::uint64_t pair : pairs) {
    const std::int32_t i = first_of(pair), j = second_of(pair);
    const auto &e = b.edges[at(i)], &f = b.edges[at(j)];
    const Vec3d p = b.vertices[at(e[0])].x, dp = b.vertices[at(e[1])].x - p;
    const Vec3d q = b.vertices[at(f[0])].x, dq = b.vertices[at(f[1])].x - q;
    const auto [s, t] = closest_segments(p, dp, q, dq);
    // At an end of one of them it is a matter of vertices and faces.
    if (s <= 0 || s >= 1 || t <= 0 || t >= 1) continue;
    Contact c;
    c.family = ContactFamily::edge_edge;
    c.a = edge_side(b, i, s);
    c.b = edge_side(b, j, t);
    const Vec3d x = p + dp * s, y = q + dq * t, difference = x - y;
    const double most = radius_at(b, c.a) + radius_at(b, c.b) + margin_of(edge_reach(b, e), edge_reach(b, f));
    if (!(dot(difference, difference) < most * most)) continue;
    if (c.a.piece == c.b.piece && !b.piece(c.a.piece).traits.self_contact) continue;
    if (clamped(b, c.a, c.b)) continue;
    const MeshFeature of_a{MeshFeature::Kind::edge, i}, of_b{MeshFeature::Kind::edge, j};
    const double longest2 = std::max(dot(dp, dp), dot(dq, dq));
    if (solid(b, c.a.piece) && solid(b, c.b.piece) && c.a.piece != c.b.piece &&
        dot(difference, difference) < flush * flush * longest2) {
      // Edges along each other, and what is next to a corner, are matters of vertices and faces, too.
      const Vec3d across = cross(dp, dq);
      if (norm(across) < along_each_other * norm(dp) * norm(dq) || std::min({s, 1 - s, t, 1 - t}) < flush ||
          !part_by_faces(b, of_a, of_b, difference, across, c))
        continue;
      c.tangent = tangent_along(c.normal, dp);
      contacts.push_back(c);
      continue;
    }
    const bool inside = (solid(b, c.b.piece) && dot(difference, feature_normal(b, of_b)) < 0) ||
                        (solid(b, c.a.piece) && dot(difference, feature_normal(b, of_a)) > 0);
    const Vec3d outwards = inside ? -difference : difference;
    if (!counts(b, c.b.piece, of_b, y, y + outwards) || !counts(b, c.a.piece, of_a, x, x - outwards)) continue;
    if (!measure(b, difference, inside, contact_normal({0, 0, 0}, {0, 0, 0}, dp, dq), c)) continue;
    const Vec3d facing = second_above(b, c) ? -feature_normal(b, of_a) : feature_normal(b, of_b);
    if (c.vague && dot(c.normal, facing) < 0) c.normal = -c.normal;
    c.tangent = tangent_along(c.normal, dp);
    contacts.push_back(c);
  }
}

}  // namespace ymir
