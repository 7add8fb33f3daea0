#include "ymir/grooms/push_out.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/grooms/polyline.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double settled = 5e-5;         // deeper than allowed by no more than this is good enough [m]
constexpr double middle_depth = 0.5e-3;  // of a segment between two good ends [m]
constexpr int most_turns = 12;

// One hair beside one solid, vertex by vertex. Distances change no faster than positions do, so that most vertices need
// not be looked at.
class Approach {
 public:
  explicit Approach(const Solid& solid) : solid_(solid) {}

  void begin(Vec3d root) { keep(root, solid_.contact(root, infinity)); }
  double distance() const { return contact_.distance; }  // at the last place looked at
  // Distance at x is at least this; a lower bound from the place last looked at.
  double at_least(Vec3d x) const { return contact_.distance - norm(x - place_); }
  const Solid::Contact& look(Vec3d x) {
    keep(x, glance(x));
    return contact_;
  }
  // Looks without going there.
  Solid::Contact glance(Vec3d x) const {
    // The surface is no farther than where it was nearest to the last place.
    return solid_.contact(x, contact_.foot.triangle >= 0 ? TriangleBvh::bound_from(x, contact_.foot.point) : infinity);
  }

 private:
  void keep(Vec3d x, const Solid::Contact& contact) {
    place_ = x;
    contact_ = contact;
  }

  const Solid& solid_;
  Vec3d place_;
  Solid::Contact contact_{};
};

class HairPusher {
 public:
  explicit HairPusher(std::span<const Solid> solids) {
    for (const Solid& solid : solids) approaches_.emplace_back(solid);
  }

  void push(std::span<Vec3d> x) {
    if (x.empty()) return;
    const Vec3d root = lifted(x[0]);
    double depth = 0;  // of the root
    for (const Approach& approach : approaches_) depth = std::max(depth, -approach.distance());
    Vec3d shift = root - x[0];
    x[0] = root;
    double s = 0;
    Vec3d before = x[0] - shift;  // as it came
    for (std::size_t i = 1; i < x.size(); ++i) {
      const Vec3d segment = x[i] - before;
      before = x[i];
      const double length = norm(segment);
      s += length;
      const double allowed = -std::max(0.0, depth - s);
      x[i] += shift;
      const Vec3d turned = turned_out(x[i - 1], x[i], length, allowed);
      if (turned == x[i]) continue;
      shift += turned - x[i];
      x[i] = turned;
    }
  }

 private:
  Vec3d lifted(Vec3d root) {
    for (Approach& approach : approaches_) approach.begin(root);
    for (int turn = 0; turn < most_turns; ++turn) {
      bool moved = false;
      for (Approach& approach : approaches_)
        if (const Solid::Contact& c = approach.look(root); c.distance < -root_depth - 1e-9) {
          root += c.normal * (-root_depth - c.distance);
          moved = true;
        }
      if (!moved) break;
    }
    return root;
  }

  // The end of a segment of that length from `a`, turned from `b` until it is out.
  Vec3d turned_out(Vec3d a, Vec3d b, double length, double allowed) {
    if (length == 0) return b;
    Vec3d best = b;
    double least = infinity;  // what is missing at best
    Vec3d end = b;
    for (int turn = 0; turn < most_turns; ++turn) {
      double missing = 0;
      Vec3d push;
      for (Approach& approach : approaches_) {
        if (turn == 0 && approach.at_least(end) > 0) continue;  // the middle is then no nearer than one of the ends
        const Solid::Contact& c = approach.look(end);
        if (const double lack = allowed - c.distance; lack > 0) {
          push += c.normal * lack;
          missing = std::max(missing, lack);
        }
        // The middle may be inside only where an end is near.
        if (c.distance > 0.5 * length - middle_depth) continue;
        const Solid::Contact mid = approach.glance((a + end) * 0.5);
        if (const double lack = allowed - middle_depth - mid.distance; lack > 0) {
          push += mid.normal * (2 * lack);
          missing = std::max(missing, lack);
        }
      }
      if (missing < least) {
        least = missing;
        best = end;
      }
      if (missing <= (turn == 0 ? 0 : settled)) break;
      // Tangentially inward normals turn little; push farther the longer it takes.
      const Vec3d direction = normalized(end + push * (1.0 + 0.5 * turn) - a, push);
      end = a + direction * length;
    }
    return best;
  }

  std::vector<Approach> approaches_;
};

}  // namespace

Solid::Contact Solid::contact(Vec3d x, double bound) const {
  const ClosestPoint foot = bvh_.closest(x, bound);
  if (foot.triangle < 0) return {bound, {0, 1, 0}, foot};
  return {border_.signed_distance(*surface_, bvh_, x, foot), normalized(bvh_.pseudo_normal(foot), Vec3d(0, 1, 0)),
          foot};
}

void push_out(Curves& hairs, std::span<const Solid> solids) {
  if (solids.empty()) return;
  parallel_blocks(static_cast<std::ptrdiff_t>(hairs.strand_count()), 64, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    HairPusher pusher(solids);
    for (auto h = static_cast<std::size_t>(begin); h < static_cast<std::size_t>(end); ++h) {
      const auto first = static_cast<std::size_t>(hairs.first[h]), last = static_cast<std::size_t>(hairs.first[h + 1]);
      pusher.push({hairs.positions.data() + first, last - first});
    }
  });
}

bool encloses(const Solid& solid, const Curves& hairs) {
  // A hundred hairs are enough to tell, whole ones: their roots alone may lie below the skin.
  const std::size_t stride = std::max<std::size_t>(1, hairs.strand_count() / 100);
  std::size_t inside = 0, looked = 0;
  for (std::size_t h = 0; h < hairs.strand_count(); h += stride)
    for (auto v = static_cast<std::size_t>(hairs.first[h]); v < static_cast<std::size_t>(hairs.first[h + 1]); ++v) {
      inside += solid.contact(hairs.positions[v], infinity).distance < 0 ? 1 : 0;
      ++looked;
    }
  return 2 * inside > looked;
}

}  // namespace ymir
