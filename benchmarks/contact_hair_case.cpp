#include "contact_hair_case.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ymir/actions/gravity_force.h"
#include "ymir/base/check.h"
#include "ymir/base/random.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/rods/bend_twist.h"
#include "ymir/physics/rods/stretch.h"

namespace ymir::bench {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double spacing = 1e-3, length = 0.2;  // [m]
constexpr double wave = 0.6 * spacing;          // amplitude [m]

CurvesObject::Description hair() {
  CurvesObject::Description description;
  description.radius = 40e-6;
  return description;
}

// Nearest points p + s d and q + t e of two segments. [Ericson 2005, 5.1.9]
void nearest(Vec3d p, Vec3d d, Vec3d q, Vec3d e, double& s, double& t) {
  const Vec3d r = p - q;
  const double a = dot(d, d), b = dot(d, e), c = dot(d, r), f = dot(e, r), ee = dot(e, e), apart = a * ee - b * b;
  s = apart > 1e-12 * a * ee ? std::clamp((b * f - c * ee) / apart, 0.0, 1.0) : 0.5;
  t = (b * s + f) / ee;
  if (t < 0 || t > 1) {
    t = std::clamp(t, 0.0, 1.0);
    s = std::clamp((b * t - c) / a, 0.0, 1.0);
  }
}

}  // namespace

ContactHairCase::ContactHairCase(int strands, double distance)
    : strands_(strands),
      row_(static_cast<int>(std::ceil(std::sqrt(static_cast<double>(strands))))),
      domain_(0.1, 1, alone_),
      object_("hair", 0, domain_, hair()) {
  shape();
  move();
  assemble();
  const auto seats = object_.strands().seats();
  for (const Pair& p : detect(distance)) {
    contacts.add(p.normal, friction);
    const auto touch = [&](int strand, int edge, double along, double sign) {
      const StrandSystem::Seat seat = seats[static_cast<std::size_t>(strand)];
      const Body& body = *bodies_[static_cast<std::size_t>(seat.group)];
      // Vertex 0 of a strand is the ghost of its clamp.
      contacts.touch(seat.group, body.node(seat.lane, edge + 1), sign * (1 - along));
      contacts.touch(seat.group, body.node(seat.lane, edge + 2), sign * along);
    };
    touch(p.a, p.ia, p.s, 1);
    touch(p.b, p.ib, p.t, -1);
  }
}

void ContactHairCase::shape() {
  Curves curves;
  position_.resize(static_cast<std::size_t>(strands_ * (edges + 1)));
  for (int i = 0; i < strands_; ++i) {
    Random random(1, static_cast<std::uint64_t>(i));
    const int x = i % row_, y = i / row_;
    const Vec3d root{spacing * (x + 0.5 * (y & 1)), spacing * 0.866 * y, 0};
    const double phase[2] = {random.uniform(-pi, pi), random.uniform(-pi, pi)};
    const double waves[2] = {3 * random.uniform(0.7, 1.3), 3 * random.uniform(0.7, 1.3)};
    const double size = wave * random.uniform(0.7, 1.3);
    for (int k = 0; k <= edges; ++k) {
      const double s = static_cast<double>(k) / edges, grown = size * std::min(1.0, 3 * s);
      position(i, k) = root + Vec3d{grown * std::sin(2 * pi * waves[0] * s + phase[0]),
                                    grown * std::cos(2 * pi * waves[1] * s + phase[1]), -s * length};
      curves.positions.push_back(position(i, k));
    }
    curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
  }
  curves.vertices.resize(curves.positions.size());
  curves.strands.resize(curves.strand_count());
  object_.set_curves(std::move(curves));
  ElasticRodMaterial material;
  material.youngs_modulus = 4e9;
  const ElasticRodChannels sets = add_elastic_rod(object_, "rod", material, hair());
  constraints_.push_back(std::make_unique<ConstraintSet<Stretch>>("rod", "stretch", object_.strands(), sets.stretch,
                                                                  ConstraintMode::primal_dual, Damping{}));
  constraints_.push_back(std::make_unique<ConstraintSet<BendTwist>>(
      "rod", "bending and twist", object_.strands(), sets.bend_twist, ConstraintMode::stiffness, Damping{}));
  object_.ingest();
}

// Towards the middle, sideways, and around it, more so at the tips; a little of chance.
void ContactHairCase::move() {
  Vec3d middle{0, 0, 0};
  for (int i = 0; i < strands_; ++i) middle += position(i, 0) * (1.0 / strands_);
  const auto seats = object_.strands().seats();
  const RodChannels& channels = object_.rod_channels();
  for (int i = 0; i < strands_; ++i) {
    Random random(5, static_cast<std::uint64_t>(i));
    for (int k = 1; k <= edges; ++k) {
      Vec3d p = position(i, k) - middle;
      p.z = 0;
      const Vec3d chance{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
      const Vec3d v =
          (p * -2.0 + Vec3d{0.3, 0, 0} + Vec3d{-p.y, p.x, 0} * 3.0) * ((k + 1.0) / (edges + 2)) + chance * 0.02;
      const StrandSystem::Seat seat = seats[static_cast<std::size_t>(i)];
      for (int axis = 0; axis < 3; ++axis)
        object_.strands().at(seat.group, channels.velocity + axis, k + 1, seat.lane) = v[axis];
    }
  }
  object_.save();
}

void ContactHairCase::assemble() {
  const std::vector<PointForce> forces{gravity_force("gravity", {0, 0, -9.81}, {})};
  const StrandSystem& strands = object_.strands();
  const RodChannels& channels = object_.rod_channels();
  StrandNewton newton(object_.strands(), channels);
  for (int g = 0; g < strands.group_count(); ++g) {
    newton.begin(g, dt, dt, nullptr, forces, constraints_);
    newton.assemble(forces, constraints_);
    const StrandStep& step = newton.step();
    std::vector<StrandReal> mass, side;
    for (int i = 0; i < step.vertices; ++i)
      mass.push_back(strands.plane(g, channels.mass)[i] * strands.plane(g, channels.free_position)[i]);
    for (int r = 0; r < newton.rows(); ++r) side.push_back(-(step.residual[r] + step.condensed[r]));
    auto body = std::make_unique<Body>();
    body->set_masses(step.vertices, mass);
    YMIR_CHECK(body->set(step.matrix, dt * dt, side.data(), dt));
    bodies_.push_back(std::move(body));
  }
}

// Vertices of equal number hang at equal height, so that an edge meets those of its own number and their neighbours, on
// hairs whose roots are near.
void ContactHairCase::add_pairs(int a, int b, double distance, std::vector<Pair>& pairs) const {
  for (int i = 0; i < edges; ++i)
    for (int j = std::max(0, i - 1); j <= std::min(edges - 1, i + 1); ++j) {
      const Vec3d p = position(a, i), d = position(a, i + 1) - p, q = position(b, j), e = position(b, j + 1) - q;
      Pair pair{a, b, i, j, 0, 0, 0, {}};
      nearest(p, d, q, e, pair.s, pair.t);
      const Vec3d apart = p + d * pair.s - q - e * pair.t;
      pair.distance = norm(apart);
      // Near clamps nothing can give way.
      if (pair.distance > distance || pair.distance < 1e-9 || (i + pair.s < 1 && j + pair.t < 1)) continue;
      pair.normal = apart / pair.distance;
      pairs.push_back(pair);
    }
}

// Of contacts less than half an edge apart on both hairs the closest is kept.
void ContactHairCase::merge(std::vector<Pair>& pairs, std::size_t first) {
  std::size_t kept = first;
  for (std::size_t k = first; k < pairs.size(); ++k) {
    const Pair p = pairs[k];
    std::size_t same = first;
    while (same < kept && !(std::abs(pairs[same].ia + pairs[same].s - p.ia - p.s) < 0.5 &&
                            std::abs(pairs[same].ib + pairs[same].t - p.ib - p.t) < 0.5))
      ++same;
    if (same == kept)
      pairs[kept++] = p;
    else if (p.distance < pairs[same].distance)
      pairs[same] = p;
  }
  pairs.resize(kept);
}

std::vector<ContactHairCase::Pair> ContactHairCase::detect(double distance) const {
  const int reach = static_cast<int>((2 * 1.3 * wave + distance) / (0.866 * spacing)) + 1;
  std::vector<std::vector<Pair>> of(static_cast<std::size_t>(strands_));
  parallel_blocks(strands_, 16, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (auto a = static_cast<int>(begin); a < static_cast<int>(end); ++a)
      for (int y = a / row_; y <= a / row_ + reach; ++y)
        for (int x = std::max(0, a % row_ - reach); x <= std::min(row_ - 1, a % row_ + reach); ++x) {
          const int b = y * row_ + x;
          if (b <= a || b >= strands_) continue;
          std::vector<Pair>& pairs = of[static_cast<std::size_t>(a)];
          const std::size_t first = pairs.size();
          add_pairs(a, b, distance, pairs);
          merge(pairs, first);
        }
  });
  std::vector<Pair> all;
  for (const std::vector<Pair>& pairs : of) all.insert(all.end(), pairs.begin(), pairs.end());
  return all;
}

std::vector<NodalBody*> ContactHairCase::bodies() const {
  std::vector<NodalBody*> all;
  for (const auto& b : bodies_) all.push_back(b.get());
  return all;
}

std::size_t ContactHairCase::body_memory() const {
  std::size_t bytes = 0;
  for (const auto& b : bodies_) bytes += b->memory();
  return bytes;
}

}  // namespace ymir::bench
