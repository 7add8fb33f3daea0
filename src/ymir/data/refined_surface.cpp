#include "ymir/data/refined_surface.h"

#include <algorithm>
#include <unordered_map>

namespace ymir {
namespace {

struct Corner {
  std::int32_t vertex;
  Vec3d barycentric;  // in the triangle of the surface
};

struct Piece {
  std::int32_t of;  // triangle of the surface
  std::array<Corner, 3> corner;
};

std::uint64_t key_of(std::int32_t a, std::int32_t b) {
  return static_cast<std::uint64_t>(std::min(a, b)) << 32 | static_cast<std::uint32_t>(std::max(a, b));
}

class Refiner {
 public:
  Refiner(const Surface& surface, double longest) : longest_(longest), x_(surface.positions) {
    for (const auto& t : surface.triangles) {
      const auto number = static_cast<std::int32_t>(pieces_.size());
      pieces_.push_back({number, {{{t[0], {1, 0, 0}}, {t[1], {0, 1, 0}}, {t[2], {0, 0, 1}}}}});
    }
  }

  // True: edges were split.
  bool split() {
    middles_.clear();
    std::vector<Piece> before;
    before.swap(pieces_);
    for (const Piece& p : before) cut(p);
    return !middles_.empty();
  }

  RefinedSurface surface() const {
    RefinedSurface out;
    for (const Piece& p : pieces_)
      out.triangles.push_back({p.corner[0].vertex, p.corner[1].vertex, p.corner[2].vertex});
    out.added = added_;
    return out;
  }

 private:
  Vec3d at(const Corner& c) const { return x_[static_cast<std::size_t>(c.vertex)]; }
  bool is_long(const Corner& a, const Corner& b) const { return norm(at(a) - at(b)) > longest_; }

  Corner middle(std::int32_t of, const Corner& a, const Corner& b) {
    Corner c{static_cast<std::int32_t>(x_.size()), (a.barycentric + b.barycentric) * 0.5};
    const auto [found, anew] = middles_.emplace(key_of(a.vertex, b.vertex), c.vertex);
    c.vertex = found->second;
    if (anew) {
      x_.push_back((at(a) + at(b)) * 0.5);
      added_.push_back({of, c.barycentric});
    }
    return c;
  }

  // Corners are turned so that what is split comes first.
  void cut(const Piece& p) {
    std::array<bool, 3> cuts;
    int count = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      cuts[k] = is_long(p.corner[k], p.corner[(k + 1) % 3]);
      count += cuts[k] ? 1 : 0;
    }
    const auto add = [&](const Corner& a, const Corner& b, const Corner& c) { pieces_.push_back({p.of, {a, b, c}}); };
    std::size_t turn = 0;
    while (count == 1 && !cuts[turn]) ++turn;
    while (count == 2 && cuts[(turn + 2) % 3]) ++turn;
    const Corner &a = p.corner[turn % 3], &b = p.corner[(turn + 1) % 3], &c = p.corner[(turn + 2) % 3];
    if (count == 0) return add(a, b, c);
    const Corner ab = middle(p.of, a, b);
    if (count == 1) {
      add(a, ab, c);
      return add(ab, b, c);
    }
    const Corner bc = middle(p.of, b, c);
    add(ab, b, bc);
    if (count == 3) {
      const Corner ca = middle(p.of, c, a);
      add(a, ab, ca);
      add(ca, bc, c);
      return add(ab, bc, ca);
    }
    if (norm(at(a) - at(bc)) < norm(at(ab) - at(c))) {
      add(a, ab, bc);
      return add(a, bc, c);
    }
    add(a, ab, c);
    add(ab, bc, c);
  }

  double longest_;
  std::vector<Vec3d> x_;
  std::vector<Piece> pieces_;
  std::unordered_map<std::uint64_t, std::int32_t> middles_;  // of the edges of this round
  std::vector<RefinedSurface::Place> added_;
};

}  // namespace

RefinedSurface refined(const Surface& surface, double longest, double most_parts) {
  double longest_edge = 0;
  for (const auto& t : surface.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      longest_edge = std::max(longest_edge, norm(surface.positions[static_cast<std::size_t>(t[k])] -
                                                 surface.positions[static_cast<std::size_t>(t[(k + 1) % 3])]));
  Refiner refiner(surface, std::max(longest, longest_edge / most_parts));
  while (refiner.split()) {
  }
  return refiner.surface();
}

}  // namespace ymir
