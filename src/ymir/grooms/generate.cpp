#include "ymir/grooms/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ymir/base/error.h"
#include "ymir/base/random.h"
#include "ymir/grooms/polyline.h"
#include "ymir/grooms/smooth_step.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

constexpr std::uint64_t shape_stream = 0x7368617065000000ull, curl_stream = 0x6375726c00000000ull;
constexpr double tau = 2 * std::numbers::pi;

struct Lock {
  Root root;
  Vec3d direction;          // combed, at the root
  std::vector<Vec3d> path;  // its middle, at equal steps
};

class Generator {
 public:
  Generator(const Scalp& scalp, const GroomParams& params)
      : params_(params), traits_(traits_of(params.style)), comb_(scalp, params) {
    roots_ = scalp.roots(static_cast<std::size_t>(params.strands), params.seed);
    const double coil = params.curl_radius > 0 ? std::hypot(tau * params.curl_radius, params.curl_pitch) : 0;
    // Curls start small, so the hair uncurls to more than its path; a margin leaves something to cut.
    path_length_ = params.curl_radius > 0 ? 1.15 * params.length * params.curl_pitch / coil + comb_.size() * 0.3
                                          : 1.05 * params.length;
    path_length_ = std::min(path_length_, 1.05 * params.length);
    spacing_ = comb_.step();
    if (params.curl_radius > 0) spacing_ = std::max(std::min(spacing_, params.curl_pitch / 16), params.length / 16000);
    make_locks();
  }

  // Points of strand i to out[0 .. vertices).
  void strand(std::size_t i, Vec3d* out) const {
    const std::size_t lock = lock_of(i);
    std::vector<Vec3d> points = i < locks_.size() ? locks_[i].path : path_of(i, lock);
    Random random(params_.seed ^ shape_stream, i);
    const double length = params_.length * (1 - traits_.length_variation * random.uniform() * random.uniform());
    const bool stray = random.uniform() < 0.12 * params_.noise;
    if (!traits_.tied) clump(points, locks_[lock].path, stray ? 0.2 : random.uniform(0.75, 1.0));
    curl(points, i, lock, stray);
    comb_.keep_outside(points, 0.01 * comb_.size());
    if (traits_.hem >= 0) cut(points, random.uniform(-1, 1) * traits_.hem * comb_.size());
    points = trimmed(points, length);
    points = resampled(points, static_cast<std::size_t>(params_.vertices));
    comb_.keep_outside(points, 0.004 * comb_.size());
    std::copy(points.begin(), points.end(), out);
  }

 private:
  std::vector<Vec3d> path_of(std::size_t i, std::size_t lock) const {
    const std::vector<Vec3d> path = comb_.path(roots_[i], i, lock, path_length_);
    const double length = polyline_length(path);
    return resampled(path, 2 + static_cast<std::size_t>(length / spacing_));
  }

  // The first strands are the middles of the locks.
  void make_locks() {
    locks_.resize(static_cast<std::size_t>(std::min(params_.strands, traits_.locks)));
    parallel_for(static_cast<std::ptrdiff_t>(locks_.size()), [&](std::ptrdiff_t n) {
      const auto i = static_cast<std::size_t>(n);
      locks_[i] = {roots_[i], comb_.direction(roots_[i]), path_of(i, i)};
    });
  }

  // The lock with the nearest root among those combed the same way: a parting divides locks.
  std::size_t lock_of(std::size_t i) const {
    if (i < locks_.size()) return i;
    const Vec3d direction = comb_.direction(roots_[i]);
    std::size_t best = 0;
    double best2 = 1e300;
    for (std::size_t k = 0; k < locks_.size(); ++k) {
      const Vec3d d = locks_[k].root.position - roots_[i].position;
      const double other = 1 - dot(direction, locks_[k].direction);
      const double d2 = dot(d, d) + other * comb_.size() * comb_.size();
      if (d2 < best2) best2 = d2, best = k;
    }
    return best;
  }

  void clump(std::vector<Vec3d>& points, const std::vector<Vec3d>& middle, double strength) const {
    const double share = traits_.clumping * strength;
    const auto last = static_cast<double>(points.size() - 1);
    Vec3d shift;
    for (std::size_t j = 1; j < points.size(); ++j) {
      if (j < middle.size())
        shift = (middle[j] - points[j]) * (share * smooth_step(0.0, 0.8, static_cast<double>(j) / last));
      points[j] += shift;
    }
  }

  // Coils or waves about the path, and the small wander of a single hair.
  void curl(std::vector<Vec3d>& points, std::size_t i, std::size_t lock, bool stray) const {
    Random shared(params_.seed ^ curl_stream, lock), own(params_.seed ^ curl_stream ^ shape_stream, i);
    // Waves run on from hair to hair: they count from the top of the head.
    const double from_top = comb_.size() * std::acos(std::clamp(roots_[i].normal.y, -1.0, 1.0)) / params_.curl_pitch;
    const double phase = (traits_.planar ? from_top + 0.3 * shared.uniform() : shared.uniform()) +
                         (1 - traits_.coherence) * own.uniform(-0.5, 0.5);
    const double hand = shared.uniform() < 0.5 ? -1 : 1;
    const double vary = 1 - traits_.coherence;
    const double radius = params_.curl_radius * shared.uniform(0.75, 1.15) * (1 + vary * own.uniform(-0.6, 0.6));
    const double pitch = params_.curl_pitch * (traits_.planar ? 1 : shared.uniform(0.85, 1.2)) *
                         (1 + 0.5 * vary * own.uniform(-0.6, 0.6));
    const double frizz = comb_.size() * params_.noise * (stray ? 0.09 : 0.03) * (traits_.tied ? 0.3 : 1);
    std::array<double, 6> waves{};
    for (double& w : waves) w = own.uniform();
    Vec3d tangent = normalized(points[1] - points[0]);
    Vec3d e1 = normalized(cross(roots_[i].normal, tangent), any_perpendicular(tangent));
    double s = 0;
    std::vector<Vec3d> moved = points;
    for (std::size_t j = 1; j < points.size(); ++j) {
      const Vec3d next = normalized(points[j] - points[j - 1], tangent);
      e1 = transported(e1, tangent, next);
      tangent = next;
      const Vec3d e2 = cross(tangent, e1);
      s += norm(points[j] - points[j - 1]);
      const double angle = tau * (s / pitch + phase);
      const double grown = radius * smooth_step(s / std::max(1.5 * params_.curl_pitch, 0.25 * comb_.size()));
      Vec3d offset = traits_.planar ? e1 * (grown * std::sin(angle)) + e2 * (0.3 * grown * std::cos(angle))
                                    : e1 * (grown * std::cos(angle)) + e2 * (hand * grown * std::sin(angle));
      const double t = s / comb_.size(), loose = frizz * smooth_step(t);
      offset += e1 * (loose * (std::sin(tau * (t * (0.5 + waves[0]) + waves[1])) - std::sin(tau * waves[1])));
      offset += e2 * (loose * (std::sin(tau * (t * (0.5 + waves[2]) + waves[3])) - std::sin(tau * waves[3])));
      moved[j] = points[j] + offset;
    }
    points = std::move(moved);
  }

  // Never to less than a stubble.
  void cut(std::vector<Vec3d>& points, double ragged) const {
    double length = 0;
    for (std::size_t j = 1; j < points.size(); ++j) {
      length += norm(points[j] - points[j - 1]);
      if (length > 0.25 * comb_.size() && points[j].y < comb_.cut_height(points[j]) + ragged)
        return points.resize(j + 1);
    }
  }

  const GroomParams& params_;
  const StyleTraits& traits_;
  Comb comb_;
  std::vector<Root> roots_;
  std::vector<Lock> locks_;
  double path_length_ = 0, spacing_ = 0;
};

}  // namespace

Curves generate_groom(const Scalp& scalp, const GroomParams& params) {
  require_valid(params);
  const Generator generator(scalp, params);
  const auto strands = static_cast<std::size_t>(params.strands), vertices = static_cast<std::size_t>(params.vertices);
  Curves groom;
  groom.positions.resize(strands * vertices);
  groom.first.resize(strands + 1);
  for (std::size_t s = 0; s <= strands; ++s) groom.first[s] = static_cast<std::int64_t>(s * vertices);
  parallel_blocks(params.strands, 16, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end); ++s)
      generator.strand(s, &groom.positions[s * vertices]);
  });
  groom.vertices.resize(groom.positions.size());
  groom.edges.resize(groom.edge_count());
  groom.strands.resize(strands);
  const auto radius = groom.vertices.add<float>("radius");
  for (std::size_t v = 0; v < groom.positions.size(); ++v) {
    const double along = static_cast<double>(v % vertices) / static_cast<double>(vertices - 1);
    radius[v] = static_cast<float>(params.radius * (1 - 0.5 * along * along));
  }
  return groom;
}

}  // namespace ymir
