#include "ymir/grooms/interpolate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "ymir/base/error.h"
#include "ymir/grooms/root_grid.h"
#include "ymir/grooms/strand_signature.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

void require_sound(const Curves& curves, const std::string& name) {
  if (curves.strand_count() == 0) throw Error(ExitCode::bad_input, name + ": holds no strands; export it again");
  for (std::size_t s = 0; s < curves.strand_count(); ++s)
    for (const Vec3d& p : points_of(curves, s))
      if (!is_finite(p))
        throw Error(ExitCode::bad_input, fmt::format("{}: strand {}: a vertex is not finite; repair it", name, s));
}

void require_same_strands(const Curves& rest, const Curves& moved, const std::string& name) {
  if (moved.strand_count() != rest.strand_count())
    throw Error(ExitCode::bad_input,
                fmt::format("{}: has {} strands, the guides at rest have {}; use the guides that were simulated", name,
                            moved.strand_count(), rest.strand_count()));
  for (std::size_t s = 0; s < rest.strand_count(); ++s)
    if (points_of(rest, s).size() != points_of(moved, s).size())
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: strand {} has {} vertices, at rest {}; use the guides that were simulated", name, s,
                              points_of(moved, s).size(), points_of(rest, s).size()));
}

// Modified Shepard: ((1 - d / d_out) / d)^2 with the first guide left out at d_out. `near` holds distances [m] and
// guides, nearest first, at least one; of k places those it does not fill get no weight.
void set_weights(std::span<const std::pair<double, std::int32_t>> near, std::int32_t* guide, double* weight,
                 std::size_t k) {
  const std::size_t used = std::min(k, near.size());
  const double out = near.size() > k ? near[k].first : 2 * near[used - 1].first;
  double sum = 0;
  for (std::size_t j = 0; j < k; ++j) {
    guide[j] = near[std::min(j, used - 1)].second;
    weight[j] = 0;
    if (j >= used) continue;
    const double d = near[j].first;
    double w = d > 0 ? std::pow((out - d) / (out * d), 2) : 0;
    if (near[0].first == 0) w = j == 0;
    if (near[0].first == out) w = 1;
    weight[j] = w;
    sum += w;
  }
  for (std::size_t j = 0; j < k; ++j) weight[j] /= sum;
}

// Numbers per strand that say what belongs together; from the strand, or from its root.
class Regions {
 public:
  explicit Regions(const Curves& curves) : curves_(curves) {
    channel_ = curves.strands.find("region");
    per_strand_ = channel_ != nullptr;
    if (channel_ == nullptr) channel_ = curves.vertices.find("region");
    if (channel_ != nullptr && channel_->components() != 1) channel_ = nullptr;
  }
  bool given() const { return channel_ != nullptr; }
  double of(std::size_t strand) const {
    const std::size_t at = per_strand_ ? strand : static_cast<std::size_t>(curves_.first[strand]);
    switch (channel_->type()) {
      case ScalarType::f32: return channel_->as<float>()[at];
      case ScalarType::f64: return channel_->as<double>()[at];
      case ScalarType::i32: return channel_->as<std::int32_t>()[at];
      case ScalarType::i64: return static_cast<double>(channel_->as<std::int64_t>()[at]);
      case ScalarType::u8: return channel_->as<std::uint8_t>()[at];
      case ScalarType::u64: return static_cast<double>(channel_->as<std::uint64_t>()[at]);
    }
    return 0;
  }

 private:
  const Curves& curves_;
  const Array* channel_;
  bool per_strand_;
};

// Places of a strand, from its root, at a few shares of `length` along it.
constexpr std::array<double, 4> course_shares{0.15, 0.3, 0.5, 0.75};
using Course = std::array<Vec3d, course_shares.size()>;
Course course_of(std::span<const Vec3d> points, double length) {
  Course course{};
  double begin = 0;
  std::size_t k = 0;
  for (std::size_t i = 0; i + 1 < points.size() && k < course.size(); ++i) {
    const double segment = norm(points[i + 1] - points[i]);
    for (; k < course.size() && course_shares[k] * length <= begin + segment; ++k) {
      const double fraction = segment > 0 ? (course_shares[k] * length - begin) / segment : 0;
      course[k] = points[i] + (points[i + 1] - points[i]) * fraction - points[0];
    }
    begin += segment;
  }
  for (; k < course.size(); ++k) course[k] = points.back() - points[0];
  return course;
}

// Two strands lead apart when, an equal length along them, they have gone in directions more than 60 degrees apart.
bool lead_apart(std::span<const Vec3d> a, double length_a, std::span<const Vec3d> b, double length_b) {
  const double length = std::min(length_a, length_b);
  const Course p = course_of(a, length), q = course_of(b, length);
  for (std::size_t k = 0; k < p.size(); ++k)
    if (2 * dot(p[k], q[k]) < norm(p[k]) * norm(q[k])) return true;
  return false;
}

// A place on a guide that moves on with growing arc length.
struct Cursor {
  std::span<const Vec3d> points;
  std::size_t segment = 0;
  double begin = 0;     // arc length where the segment begins [m]
  double fraction = 0;  // along it

  void advance(double s) {
    while (segment + 1 < points.size()) {
      const double length = norm(points[segment + 1] - points[segment]);
      if (s < begin + length) {
        fraction = (s - begin) / length;
        return;
      }
      begin += length;
      ++segment;
    }
    fraction = 0;
  }
};

// What the guides of a hair say about a place on it.
struct Handle {
  Vec3d rest;              // p
  Vec3d shift;             // p' - p
  Quaternion turn{0, {}};  // R
};

struct Followed {
  const InterpolationWeights& weights;
  const std::vector<Quaternion>& rotations;
  const Curves& rest;
  const Curves& moved;
  const RootSkin* skin;

  std::span<const std::int32_t> guides(std::size_t hair) const {
    return {&weights.guide[hair * weights.neighbours], weights.neighbours};
  }
  std::span<const double> shares(std::size_t hair) const {
    return {&weights.weight[hair * weights.neighbours], weights.neighbours};
  }
  std::size_t root(std::int32_t guide) const {
    return static_cast<std::size_t>(rest.first[static_cast<std::size_t>(guide)]);
  }

  Handle handle(std::size_t hair, std::span<Cursor> cursors, double s) const {
    const auto guide = guides(hair);
    const auto share = shares(hair);
    Handle h;
    for (std::size_t j = 0; j < guide.size(); ++j) {
      if (share[j] == 0) continue;
      cursors[j].advance(s);
      const std::size_t at = root(guide[j]) + cursors[j].segment;
      for (std::size_t e = 0; e < (cursors[j].fraction > 0 ? 2u : 1u); ++e) {
        const double w = share[j] * (e == 0 ? 1 - cursors[j].fraction : cursors[j].fraction);
        h.rest += rest.positions[at + e] * w;
        h.shift += (moved.positions[at + e] - rest.positions[at + e]) * w;
        const Quaternion& q = rotations[at + e];
        const double sign = dot(h.turn, q) < 0 ? -w : w;  // q and -q are one rotation
        h.turn.w += q.w * sign;
        h.turn.v += q.v * sign;
      }
    }
    h.turn = dot(h.turn, h.turn) > 0 ? normalized(h.turn) : Quaternion{};
    return h;
  }

  // How far the root goes with the skin, and with what the guides do beside following it; nothing without skin.
  std::optional<Vec3d> skin_shift(std::size_t hair, Vec3d x, const Quaternion& turn) const {
    const auto guide = guides(hair);
    const auto share = shares(hair);
    bool held = skin != nullptr && skin->hairs[hair].held;
    for (std::size_t j = 0; held && j < guide.size(); ++j)
      held = share[j] == 0 || skin->guides[static_cast<std::size_t>(guide[j])].held;
    if (!held) return std::nullopt;
    const SkinPoint& under = skin->hairs[hair];
    Vec3d shift = under.moved - under.rest + turned_by(turn, x - under.rest);
    for (std::size_t j = 0; j < guide.size(); ++j) {
      if (share[j] == 0) continue;
      const SkinPoint& there = skin->guides[static_cast<std::size_t>(guide[j])];
      const Vec3d from = rest.positions[root(guide[j])], to = moved.positions[root(guide[j])];
      const Vec3d expected = there.moved - there.rest + turned_by(rotations[root(guide[j])], from - there.rest);
      shift += (to - from - expected) * share[j];
    }
    return shift;
  }
};

}  // namespace

InterpolationWeights precompute_interpolation(const Curves& groom, const Curves& guides_rest, int neighbours,
                                              const std::string& groom_name, const std::string& guides_name) {
  YMIR_CHECK(neighbours >= 1);
  require_sound(groom, groom_name);
  require_sound(guides_rest, guides_name);
  const std::size_t guides = guides_rest.strand_count(), hairs = groom.strand_count();
  std::vector<StrandSignature> signatures(guides);
  std::vector<Vec3d> roots(guides);
  std::vector<double> lengths(guides);
  for (std::size_t g = 0; g < guides; ++g) {
    signatures[g] = signature_of(points_of(guides_rest, g));
    roots[g] = signatures[g][0];
    lengths[g] = polyline_length(points_of(guides_rest, g));
  }
  const RootGrid grid(roots);
  const Regions regions(groom), guide_regions(guides_rest);
  InterpolationWeights weights;
  weights.neighbours = std::min(static_cast<std::size_t>(neighbours), guides);
  weights.guide.resize(hairs * weights.neighbours);
  weights.weight.resize(hairs * weights.neighbours);
  parallel_blocks(static_cast<std::ptrdiff_t>(hairs), 64, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    const std::size_t k = weights.neighbours;
    std::vector<std::pair<double, std::int32_t>> near, allowed;
    for (auto h = static_cast<std::size_t>(begin); h < static_cast<std::size_t>(end); ++h) {
      const auto points = points_of(groom, h);
      const StrandSignature signature = signature_of(points);
      const double length = polyline_length(points);
      const bool by_region = regions.given() && guide_regions.given();
      const auto candidates = [&](std::size_t count) {
        near.clear();
        for (const std::int32_t g : grid.nearest(signature[0], count))
          if (!by_region || guide_regions.of(static_cast<std::size_t>(g)) == regions.of(h))
            near.emplace_back(std::sqrt(distance2(signature, signatures[static_cast<std::size_t>(g)])), g);
      };
      candidates(8 * k + 8);
      if (near.empty()) candidates(guides);
      if (near.empty())
        throw Error(ExitCode::bad_input,
                    fmt::format("{}: strand {} is of region {}, of which {} has no strand; choose a guide there too",
                                groom_name, h, regions.of(h), guides_name));
      std::sort(near.begin(), near.end());
      allowed.clear();
      for (std::size_t j = 0; j < near.size() && allowed.size() <= k; ++j) {
        const auto g = static_cast<std::size_t>(near[j].second);
        if (near[j].first == 0 || !lead_apart(points, length, points_of(guides_rest, g), lengths[g]))
          allowed.push_back(near[j]);
      }
      if (allowed.empty()) allowed.push_back(near.front());
      set_weights(allowed, &weights.guide[h * k], &weights.weight[h * k], k);
    }
  });
  weights.surroundings = surroundings_of(guides_rest);
  return weights;
}

Curves interpolate(const Curves& groom, const InterpolationWeights& weights, const Curves& guides_rest,
                   const Curves& guides_moved, const std::string& moved_name, const RootSkin* skin) {
  YMIR_CHECK(weights.guide.size() == groom.strand_count() * weights.neighbours);
  YMIR_CHECK(skin == nullptr ||
             (skin->hairs.size() == groom.strand_count() && skin->guides.size() == guides_rest.strand_count()));
  require_sound(guides_moved, moved_name);
  require_same_strands(guides_rest, guides_moved, moved_name);
  const std::vector<Quaternion> rotations = guide_rotations(weights.surroundings, guides_rest, guides_moved);
  const Followed followed{weights, rotations, guides_rest, guides_moved, skin};
  Curves out = groom;
  const auto hairs = static_cast<std::ptrdiff_t>(groom.strand_count());
  parallel_blocks(hairs, 64, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::vector<Cursor> cursors(weights.neighbours);
    for (auto h = static_cast<std::size_t>(begin); h < static_cast<std::size_t>(end); ++h) {
      const auto guide = followed.guides(h);
      for (std::size_t j = 0; j < cursors.size(); ++j)
        cursors[j] = {points_of(guides_rest, static_cast<std::size_t>(guide[j]))};
      const auto points = points_of(groom, h);
      Vec3d* moved = &out.positions[static_cast<std::size_t>(groom.first[h])];
      double s = 0;
      Vec3d wish, shift;  // of the vertex before: how far its guides would take it, and how far it went
      for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3d segment = i > 0 ? points[i] - points[i - 1] : Vec3d();
        const double length = norm(segment);
        s += length;
        const Handle handle = followed.handle(h, cursors, s);
        const Vec3d next_wish = handle.shift + turned_by(handle.turn, points[i] - handle.rest);
        if (i == 0) {
          shift = followed.skin_shift(h, points[0], handle.turn).value_or(next_wish);
        } else {
          const Vec3d wished = segment + (next_wish - wish);
          const double wished_length = norm(wished);
          // A segment that would vanish keeps the direction its surroundings have.
          shift += wished_length > 1e-6 * length ? wished * (length / wished_length) - segment
                                                 : turned_by(handle.turn, segment);
        }
        moved[i] = points[i] + shift;
        wish = next_wish;
      }
    }
  });
  return out;
}

}  // namespace ymir
