// Super-helices as others see them: shapes for attachments, channels of frames and checkpoints.
#include <algorithm>

#include "ymir/objects/strand_state.h"
#include "ymir/objects/super_helix_object.h"
#include "ymir/physics/rods/frames.h"

namespace ymir {

SuperHelixObject::Place SuperHelixObject::place_of(const SuperHelix& helix, const MaterialPoint& at) const {
  const double part = std::clamp((at.cell - 1 + at.weights.x) / (description_.vertices - 1), 0.0, 1.0) * helix.elements;
  const int element = std::min(static_cast<int>(part), helix.elements - 1);
  return {element, (part - element) * helix.length};
}

PieceShape SuperHelixObject::shape_of(std::int64_t strand, const SuperHelix& helix) {
  PieceShape shape;
  shape.object = this;
  shape.piece = strand;
  for (int v = 0; v < description_.vertices; ++v) {
    const Place place = place_of(helix, {this, strand, v + 1, {0, 0, 0}});
    const HelixFrame at = helix.frame(place.element, place.s);
    shape.positions.push_back(at.position);
    shape.m1.push_back(at.axes.column[0]);
  }
  return shape;
}

std::vector<PieceShape> SuperHelixObject::input_shapes() {
  std::vector<PieceShape> shapes;
  for (std::size_t id = 0; id < fits_.size(); ++id)
    shapes.push_back(shape_of(static_cast<std::int64_t>(id), fits_[id].helix));
  return shapes;
}

std::vector<PieceShape> SuperHelixObject::present_shapes() {
  std::vector<PieceShape> shapes;
  for (const auto& [g, lane] : strands_.seats())
    shapes.push_back(shape_of(strands_.group(g).id[static_cast<std::size_t>(lane)], helix(g, lane)));
  return shapes;
}

// Exact where everything begins; later, when shapes come from other ranks, along the edges that they show.
Embedding SuperHelixObject::point_of(const PieceShape& shape, const MaterialPoint& at) const {
  Embedding p;
  if (static_cast<std::size_t>(shape.piece) < fits_.size()) {
    const SuperHelix& helix = fits_[static_cast<std::size_t>(shape.piece)].helix;
    const Place place = place_of(helix, at);
    const HelixFrame frame = helix.frame(place.element, place.s);
    p.position = frame.position;
    for (int k = 0; k < 3; ++k) p.frame[k] = frame.axes.column[(k + 2) % 3];
    return p;
  }
  const Vec3d a = shape.positions[static_cast<std::size_t>(at.cell) - 1],
              b = shape.positions[static_cast<std::size_t>(at.cell)];
  p.position = a + (b - a) * at.weights.x;
  p.frame[0] = normalized(b - a);
  p.frame[1] = orthonormalized(shape.m1[static_cast<std::size_t>(at.cell) - 1], p.frame[0]);
  p.frame[2] = cross(p.frame[0], p.frame[1]);
  return p;
}

template <class Get>
Array SuperHelixObject::of_vertices(Get at) const {
  std::vector<std::invoke_result_t<Get, const SuperHelix&, int, int, Place>> values;
  for (const auto& [g, lane] : strands_.seats()) {
    const SuperHelix h = helix(g, lane);
    for (int v = 0; v < description_.vertices; ++v)
      values.push_back(at(h, g, lane, place_of(h, {nullptr, 0, v + 1, {0, 0, 0}})));
  }
  return Array::of(values);
}

// On the line through the two points of integration next to it.
Vec3d SuperHelixObject::velocity_at(int group, int lane, double s) const {
  const double length = strands_.plane(group, channels_.length)[0][lane];
  const int n = strands_.group(group).count[static_cast<std::size_t>(lane)] * gauss_.count;
  const auto place = [&](int p) { return (p / gauss_.count + gauss_.at[p % gauss_.count]) * length; };
  const auto velocity = [&](int p) {
    const auto v = [&](int a) {
      return strands_.plane(group, channels_.velocity + 3 * (p % gauss_.count) + a)[p / gauss_.count][lane];
    };
    return Vec3d{v(0), v(1), v(2)};
  };
  if (n < 2) return velocity(0);
  int low = 0;
  while (low + 2 < n && place(low + 1) < s) ++low;
  const double share = (s - place(low)) / (place(low + 1) - place(low));
  return velocity(low) * (1 - share) + velocity(low + 1) * share;
}

std::vector<Channel> SuperHelixObject::list(SuperHelixObject* strands) {
  using enum ::ymir::Place;
  std::vector<Channel> all;
  const auto add = [&](ChannelInfo info, std::function<Array()> read) {
    all.push_back({std::move(info), std::move(read), {}, {}});
  };
  using At = SuperHelixObject::Place;
  add(described<Vec3d>("position", vertex, "m", "Where the vertices are, evenly along the strand.",
                       Use::shown | Use::writable),
      [=] {
        return strands->of_vertices(
            [](const SuperHelix& h, int, int, At at) { return h.frame(at.element, at.s).position; });
      });
  add(described<Vec3d>("velocity", vertex, "m/s",
                       "Of the vertices, from that of the points of integration next to them.", Use::shown),
      [=] {
        return strands->of_vertices([=](const SuperHelix& h, int g, int lane, At at) {
          return strands->velocity_at(g, lane, at.element * h.length + at.s);
        });
      });
  add(described<double>("radius", vertex, "m", "Semi-axis of the cross-section along m1.", Use::shown | Use::writable),
      [=] {
        return strands->of_vertices([=](const SuperHelix&, int g, int lane, At at) {
          return strands->strands_.plane(g, strands->channels_.radius)[at.element][lane];
        });
      });
  add(described<std::int64_t>("first", object, "", "Vertex that each strand begins with, and the number of all.",
                              Use::shown),
      [=] {
        std::vector<std::int64_t> first{0};
        for (std::int64_t s = 0; s < strands->strands_.strand_count(); ++s)
          first.push_back(first.back() + strands->description_.vertices);
        return Array::of(first);
      });
  add_strand_channels(all, strands != nullptr ? &strands->strands_ : nullptr, "Its number of elements.",
                      "State and rest values of all elements: strand by strand, channel by channel.");
  add(described<double>("density", vertex, "kg/m^3", "Of the material; also per strand.", Use::writable), {});
  add(described<double>("flattening", vertex, "", "Semi-axis along m2 by that along m1; also per strand.",
                        Use::writable),
      {});
  add(described<Vec3d>("root_tangent", strand, "", "Direction that the root is clamped in; fitted when absent.",
                       Use::writable),
      {});
  add(described<Vec3d>("root_normal", strand, "", "Direction of m1 there.", Use::writable), {});
  return all;
}

ObjectState SuperHelixObject::checkpoint() const {
  ObjectState state = Object::checkpoint();
  state.attributes["layout"] = layout_of(strands_);
  return state;
}

void SuperHelixObject::restore(const ObjectState* whole) {
  if (whole != nullptr) expect_kept(*whole);
  strands_.assign(whole != nullptr ? stored_strands(strands_, *whole, path()) : std::vector<Strand>{});
  strands_.migrate();
}

}  // namespace ymir
