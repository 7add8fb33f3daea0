#include "ymir/grooms/comb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ymir/base/error.h"
#include "ymir/base/random.h"
#include "ymir/grooms/polyline.h"
#include "ymir/grooms/smooth_step.h"
#include "ymir/physics/fields/curl_noise.h"

namespace ymir {
namespace {

constexpr Vec3d down(0, -1, 0);
constexpr double touched = 0.3;  // hair this far off the skin follows it no more, by the size of the scalp
constexpr std::uint64_t hair_stream = 0x6861697200000000ull, lock_stream = 0x6c6f636b00000000ull;

Vec3d along_skin(Vec3d v, Vec3d normal) { return v - normal * dot(v, normal); }

}  // namespace

struct Comb::Walk {
  std::vector<Vec3d> points;
  Vec3d x, direction;
  SkinContact skin;
  double free = 0;       // how far it may still go before the skin can be near [m]
  double length = 0;     // walked so far [m]
  double clearance = 0;  // far from the root [m]
  double side = 1;       // of the parting, -1 or 1
  Vec3d wander;          // constant pull of this hair, relative to the combed direction
  Vec3d offset;          // of the hair in the ring [m]
  std::uint64_t hair = 0;
};

Comb::Comb(const Scalp& scalp, const GroomParams& params)
    : scalp_(scalp), params_(params), traits_(traits_of(params.style)) {
  center_ = scalp.region().center();
  half_ = scalp.region().size() * 0.5;
  const double widest = std::max({half_.x, half_.y, half_.z});
  // A flat scalp has no height of its own.
  half_ = cwise_max(half_, Vec3d(0.5, 0.5, 0.5) * widest);
  size_ = (half_.x + half_.y + half_.z) / 3;
  // Hair very long for its scalp is walked in steps that are coarse on it, but end.
  step_ = std::max(std::min(size_ / 32, params.length / 48), params.length / 4000);
  const double around = 2 * std::numbers::pi * params.curl_radius;
  hanging_ = params.length * (traits_.planar ? 1 : params.curl_pitch / std::hypot(around, params.curl_pitch));

  const Vec3d behind = center_ + Vec3d(0, 0.12 * half_.y, -1.5 * half_.z);
  const SkinContact back = scalp.contact(behind, 1e30);
  ring_.axis = normalized(back.normal + Vec3d(0, 0.05, 0), Vec3d(0, 0, -1));
  ring_.radius = 0.13 * size_;
  ring_.center = behind - back.normal * (back.distance - 0.24 * size_);
}

double Comb::side_of(Vec3d root) const { return (root.x - center_.x) / half_.x >= traits_.parting ? 1.0 : -1.0; }

double Comb::cut_height(Vec3d x) const {
  const double front = std::clamp((x.z - center_.z) / half_.z, -1.0, 1.0);
  if (traits_.chin_cut) return center_.y - half_.y * (1.10 + 0.16 * front);
  // Over a quarter of the skull to its side, then down; a little shorter towards the face.
  return center_.y - (hanging_ - 0.5 * std::numbers::pi * size_) + 0.25 * size_ * front;
}

Vec3d Comb::combed(Vec3d x, Vec3d normal, double side) const {
  if (traits_.radial) return normal;
  const double depth = (x.z - center_.z) / half_.z;
  const double top = smooth_step(0.1, 0.9, normal.y);
  const double line = smooth_step(-0.75, 0.0, depth);  // the parting ends at the crown
  const double back = (0.35 + 0.9 * (1 - line)) * top + 0.7 * smooth_step(0.1, 0.9, depth);
  return down + Vec3d(side * (0.25 + 1.4 * top) * line, 0, -back);
}

// Hair in front of the face is combed aside.
Vec3d Comb::off_the_face(Vec3d x, double side) const {
  const double front = (x.z - center_.z) / half_.z, height = (x.y - center_.y) / half_.y;
  const double aside = 1 - smooth_step(0.4, 1.0, side * (x.x - center_.x) / half_.x);
  return Vec3d(side * 0.8 * aside, 0, -0.9) * (smooth_step(0.1, 0.7, front) * (1 - smooth_step(0.2, 0.7, height)));
}

Vec3d Comb::direction(const Root& root) const {
  if (traits_.radial) return root.normal;
  const Vec3d v =
      traits_.tied ? ring_.center - root.position : combed(root.position, root.normal, side_of(root.position));
  return normalized(along_skin(v, root.normal), any_perpendicular(root.normal));
}

Vec3d Comb::noise(Vec3d x, std::uint64_t hair) const {
  const CurlNoise shared{.rms = 1, .length_scale = 0.7 * size_, .octaves = 2, .gain = 0.6, .seed = params_.seed};
  const CurlNoise own{
      .rms = 0.5, .length_scale = 0.35 * size_, .octaves = 1, .seed = hash_combine(params_.seed ^ hair_stream, hair)};
  return evaluate(shared, x, 0) + evaluate(own, x, 0);
}

// The skin near a hair that has gone one step. What was seen last bounds the search, and spares it far from the skin.
void Comb::look(Walk& walk) const {
  walk.free -= step_;
  if (walk.free > 0) return;
  // Farther away the skin does not guide hair, but for that which stands off it.
  const double near = walk.clearance + (traits_.radial ? 1 : touched) * size_, ahead = 0.25 * size_;
  const double last = walk.skin.near ? std::abs(walk.skin.distance) + 2 * step_ : near + ahead;
  walk.skin = scalp_.contact(walk.x, std::min(last, near + ahead));
  if (!walk.skin.near && last < near + ahead) walk.skin = scalp_.contact(walk.x, near + ahead);
  walk.free = (walk.skin.near ? walk.skin.distance : near + ahead) - near;
  if (walk.free > 0) walk.skin = {};
}

void Comb::step(Walk& walk, Vec3d wanted) const {
  const double turn = 1 - std::exp(-step_ / (traits_.bend * size_));
  walk.direction = normalized(walk.direction + (wanted - walk.direction) * turn, wanted);
  walk.x += walk.direction * step_;
  walk.length += step_;
  look(walk);
  const double clearance = walk.clearance * (1 - std::exp(-walk.length / (0.6 * size_)));
  if (walk.skin.near && walk.skin.distance < clearance) {
    walk.x += walk.skin.normal * (clearance - walk.skin.distance);
    walk.skin.distance = clearance;
    const double inwards = dot(walk.direction, walk.skin.normal);
    if (inwards < 0) walk.direction = normalized(along_skin(walk.direction, walk.skin.normal), down);
  }
  walk.points.push_back(walk.x);
}

void Comb::walk_free(Walk& walk, double length) const {
  const double reach = 0.25 * size_;
  while (walk.length < length) {
    Vec3d wanted = down;
    if (traits_.radial) {
      wanted = normalized(walk.skin.near ? walk.skin.normal : walk.direction) + down * 0.12;
    } else if (walk.skin.near) {
      const double touch = 1 - smooth_step((walk.skin.distance - walk.clearance) / reach);
      const Vec3d comb = combed(walk.x, walk.skin.normal, walk.side);
      const Vec3d skin = normalized(along_skin(comb, walk.skin.normal), down);
      // A hair that stands off a little is combed down to the others.
      const double excess = std::clamp((walk.skin.distance - walk.clearance) / reach, 0.0, 1.0);
      wanted = down * (1 - touch) +
               (skin - walk.skin.normal * (0.5 * excess * smooth_step(-0.4, 0.3, walk.skin.normal.y))) * touch;
    }
    if (!traits_.radial) wanted += off_the_face(walk.x, walk.side);
    if (traits_.chin_cut) {
      // The ends of a bob turn in.
      const double height = (walk.x.y - cut_height(walk.x)) / size_;
      const Vec3d inwards = normalized(Vec3d(center_.x - walk.x.x, 0, center_.z - walk.x.z));
      wanted += inwards * (0.5 * (1 - smooth_step(0.0, 0.7, height)));
    }
    const double free = smooth_step(0.0, 0.5 * size_, walk.length);
    wanted += (walk.wander + noise(walk.x, walk.hair) * 0.35) * (params_.noise * free);
    step(walk, normalized(wanted, down));
  }
}

// Over the skin towards the ring, the last part on a cubic that passes it along its axis.
void Comb::walk_to_ring(Walk& walk) const {
  const Vec3d target = ring_.center + walk.offset;
  const double last = 0.42 * size_;
  for (int i = 0; i < 4000 && norm(target - walk.x) > last; ++i) {
    Vec3d wanted = normalized(target - walk.x);
    if (walk.skin.near) {
      const double touch = 1 - smooth_step((walk.skin.distance - walk.clearance) / (touched * size_));
      wanted = normalized(along_skin(wanted, walk.skin.normal) * touch + wanted * (1 - touch), wanted);
    }
    step(walk, normalized(wanted + noise(walk.x, walk.hair) * (0.25 * params_.noise), wanted));
  }
  const double distance = norm(target - walk.x);
  const Vec3d from = walk.x, start = walk.direction * distance, end = ring_.axis * distance;
  const int steps = std::max(2, static_cast<int>(std::ceil(1.1 * distance / step_)));
  for (int i = 1; i <= steps; ++i) {
    const double t = static_cast<double>(i) / steps, t2 = t * t, t3 = t2 * t;
    walk.x = from * (2 * t3 - 3 * t2 + 1) + start * (t3 - 2 * t2 + t) + target * (3 * t2 - 2 * t3) + end * (t3 - t2);
    walk.length += norm(walk.x - walk.points.back());
    walk.points.push_back(walk.x);
  }
  walk.direction = ring_.axis;
}

void Comb::walk_tail(Walk& walk, double length) const {
  const double begin = walk.length;
  Vec3d flare(walk.offset.x, 0, walk.offset.z);
  flare = flare / ring_.radius;
  while (walk.length < length) {
    const double tail = walk.length - begin;
    const double spread = 0.4 * (1 - smooth_step(0.3 * size_, 1.8 * size_, tail)) - 0.12;
    const double free = smooth_step(0.0, size_, tail);
    step(walk,
         normalized(down + flare * spread + (walk.wander + noise(walk.x, walk.hair) * 0.35) * (params_.noise * free)));
  }
}

std::vector<Vec3d> Comb::path(const Root& root, std::uint64_t hair, std::uint64_t lock, double length) const {
  Random own(params_.seed ^ hair_stream, hair), shared(params_.seed ^ lock_stream, lock);
  Walk walk;
  walk.hair = hair;
  walk.x = root.position;
  walk.points.push_back(root.position);
  walk.skin = {true, 0, root.normal};
  walk.side = side_of(root.position);
  walk.direction = normalized(direction(root) * (1 - traits_.lift) + root.normal * traits_.lift, root.normal);
  const double layer = 0.6 * shared.uniform() + 0.4 * own.uniform();
  walk.clearance = size_ * (0.012 + traits_.volume * (0.1 + 0.9 * layer)) + 0.8 * params_.curl_radius;
  const auto centred = [](Random& random) {
    return Vec3d(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  };
  walk.wander = centred(shared) * 0.35 + centred(own) * 0.25;
  if (!traits_.tied) {
    walk_free(walk, length);
    return std::move(walk.points);
  }
  // Hairs keep their order around the ring, so that they do not cross.
  const Vec3d spoke = normalized(along_skin(root.position - ring_.center, ring_.axis), any_perpendicular(ring_.axis));
  walk.offset = spoke * (ring_.radius * (0.15 + 0.8 * std::sqrt(own.uniform())));
  walk_to_ring(walk);
  if (walk.length > (1 - traits_.length_variation) * params_.length)
    throw Error(ExitCode::usage,
                fmt::format("length {:.3g} m: too short for a ponytail on this scalp, hair from the "
                            "front does not reach the tie; use {:.2g} m or more",
                            params_.length,
                            std::max(1.1 * walk.length, std::numbers::pi * size_) / (1 - traits_.length_variation)));
  walk_tail(walk, std::max(length, walk.length + 0.5 * size_));
  return std::move(walk.points);
}

void Comb::keep_outside(std::span<Vec3d> points, double clearance) const {
  double walked = 0, free = 0;  // free: how far the line may still go before it can touch the skin
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double moved = norm(points[i] - points[i - 1]);
    walked += moved;
    free -= moved;
    if (free > 0) continue;
    const double least = std::min(clearance, 0.5 * walked);
    const double bound = 0.5 * size_;
    const Vec3d before = points[i];
    // The normal is not quite the direction of the distance: a second push takes what the first left.
    for (int pass = 0; pass < 3; ++pass) {
      const SkinContact skin = scalp_.contact(points[i], bound + clearance);
      free = skin.near ? skin.distance - clearance : bound;
      if (free >= 0 || skin.distance >= least) break;
      points[i] += skin.normal * (1.001 * (least - skin.distance));
    }
    // The next point was measured from where this one was.
    free -= norm(points[i] - before);
  }
}

}  // namespace ymir
