#include "ymir/solids/detection/distance_contacts.h"

#include <algorithm>
#include <cmath>

#include "ymir/physics/contact/contact_frame.h"
#include "ymir/solids/detection/elements.h"
#include "ymir/solids/detection/narrow.h"

namespace ymir {
namespace {

constexpr std::ptrdiff_t run = 1024;  // vertices

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// A place that colliders are asked at.
struct Place {
  ContactSide side;
  Vec3d x;
  double radius, arc;
  Reach reach;
  Vec3d along;  // of a fibre; 0: none
};

struct Asked {
  std::span<const ContactCollider> colliders;
  const ContactFilter& filter;
};

void ask(const Boundary& b, const Asked& asked, const Place& place, bool middle, std::vector<Contact>& contacts) {
  for (std::size_t k = 0; k < asked.colliders.size(); ++k) {
    const ContactCollider& collider = asked.colliders[k];
    if (middle && !(place.reach.edge > 2 * collider.voxel)) continue;
    if (asked.filter.colliders &&
        !asked.filter.colliders(b.piece(place.side.piece).id.object, static_cast<std::int32_t>(k)))
      continue;
    const auto margin = [&](double way) { return std::min(place.reach.margin + way, 0.5 * place.reach.edge); };
    const ColliderPoint point = collider.nearest(place.x, place.radius + collider.thickness + margin(collider.travel));
    Contact c;
    c.gap = point.distance - place.radius - collider.thickness;
    if (!(c.gap < margin(norm(point.carried)))) continue;
    c.family = ContactFamily::collider;
    c.a = place.side;
    c.b.kind = SideKind::collider;
    c.b.piece = static_cast<std::int32_t>(k);
    c.arc_a = place.arc;
    c.normal = point.normal;
    c.tangent = dot(place.along, place.along) > 0 ? tangent_along(c.normal, place.along) : any_normal(c.normal);
    c.carried = point.carried;
    contacts.push_back(c);
  }
}

void ask_along(const Boundary& b, const Asked& asked, const BoundaryPiece& fiber, std::int32_t vertex,
               std::vector<Contact>& contacts) {
  const std::int32_t i = vertex - fiber.first_vertex;
  const bool last = i + 1 == fiber.vertices;
  const std::int32_t segment = last ? vertex - 1 : vertex;
  const Segment s = segment_of(b, segment);
  const Reach reach = s.reach(b);
  if (b.vertices[at(vertex)].from_clamp > 0)
    ask(b, asked,
        {fiber_side(b, segment, last ? 1 : 0), b.vertices[at(vertex)].x, b.vertices[at(vertex)].radius,
         static_cast<double>(i), reach, s.d},
        false, contacts);
  if (!last && (b.vertices[at(vertex)].from_clamp > 0 || b.vertices[at(vertex) + 1].from_clamp > 0))
    ask(b, asked, {fiber_side(b, segment, 0.5), s.p + s.d * 0.5, s.radius(b, 0.5), i + 0.5, reach, s.d}, true,
        contacts);
}

}  // namespace

ContactCollider rigid_collider(std::function<DistanceSample(Vec3d)> distance, const RigidTransform& begin,
                               const RigidTransform& end, double size, double voxel) {
  const double turn = norm(quaternion_log(end.rotation * conjugate(begin.rotation)));
  ContactCollider collider;
  collider.voxel = voxel;
  collider.travel = norm(end.translation - begin.translation) + (turn > 0 ? turn * size : 0);
  collider.nearest = [distance = std::move(distance), begin, end](Vec3d x, double) {
    const Vec3d body = begin.to_body(x);
    const DistanceSample sample = distance(body);
    return ColliderPoint{sample.distance, end.direction_to_world(sample.normal), end.to_world(body) - x};
  };
  return collider;
}

ContactCollider moving_collider(std::shared_ptr<const MovingSurface> surface, double depth) {
  ContactCollider collider;
  collider.voxel = surface->mean_edge();
  collider.travel = surface->travel();
  collider.nearest = [surface = std::move(surface), depth](Vec3d x, double reach) {
    const SurfaceSample sample = surface->sample(x, surface->begin(), std::max(reach, depth));
    // None: infinitely far.
    if (sample.triangle < 0) return ColliderPoint{sample.distance, sample.normal, {0, 0, 0}};
    return ColliderPoint{sample.distance, sample.normal, surface->velocity(sample) * surface->dt()};
  };
  return collider;
}

std::ptrdiff_t collider_parts(const Boundary& b) {
  return (static_cast<std::ptrdiff_t>(b.vertices.size()) + run - 1) / run;
}

void find_collider_contacts(const Boundary& b, std::span<const ContactCollider> colliders, const ContactFilter& filter,
                            std::ptrdiff_t part, std::vector<Contact>& contacts) {
  const Asked asked{colliders, filter};
  const auto begin = static_cast<std::int32_t>(part * run), count = static_cast<std::int32_t>(b.vertices.size());
  for (std::int32_t v = begin; v < std::min(begin + static_cast<std::int32_t>(run), count); ++v) {
    const BoundaryPiece& piece = b.piece(b.vertices[at(v)].piece);
    if (piece.kind == PieceKind::fiber)
      ask_along(b, asked, piece, v, contacts);
    else if (b.vertices[at(v)].from_clamp > 0)
      ask(b, asked, {point_side(b, v), b.vertices[at(v)].x, b.vertices[at(v)].radius, 0, vertex_reach(b, v), {0, 0, 0}},
          false, contacts);
  }
}

}  // namespace ymir
