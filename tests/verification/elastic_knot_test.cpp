// An overhand knot in a long rod, pulled at its ends: a loop of radius R and a braid. [Audoly2007]
//
//   F R^2/EI = 1/2 +- 0.492 mu sqrt(R/h),   h/R -> 0        +: it is tightened, -: it loosens; h radius of the rod
//
// 0.492 sqrt(R/h) is the sum of the normal forces in the braid, by EI/R^2: where strands go by on each other by 2 pi
// dR, ends come out by as much.
#include <limits>
#include <numbers>

#include "strands_run.h"

namespace ymir::verification {
namespace {

constexpr double thick = 0.0025, tail = 3, pull = 0.5;  // h [m], [m], F [N]; EI is 1 N m^2
constexpr int edges = 240;
constexpr double share = 0.492;

// A loop that is flat, its two ends turned about each other by three half turns, and tails; evenly sampled.
Polyline knot(double loop) {
  constexpr double gap = 1.2 * thick;  // half the distance of the strands of the braid
  const double braid = 0.5 * loop;     // half its length
  constexpr int fine = 400;
  const auto strand = [&](double s, double side) {  // of the braid, s in [0, 1]
    const double angle = 3 * std::numbers::pi * s * s * (3 - 2 * s);
    return Vec3d{braid * (2 * s - 1), side * gap * std::cos(angle), side * gap * std::sin(angle)};
  };
  const auto bow = [&](double s) {  // of the loop, its right half
    const double t = 1 - s, handle = 4.0 / 3 * loop;
    return Vec3d{braid, -gap, 0} * (t * t * t) + Vec3d{braid + handle, -gap, 0} * (3 * t * t * s) +
           Vec3d{handle, -2 * loop, 0} * (3 * t * s * s) + Vec3d{0, -2 * loop, 0} * (s * s * s);
  };
  Polyline dense{{-braid - tail, gap, 0}};
  for (int i = 0; i < fine; ++i) dense.push_back(strand(1.0 * i / fine, 1));
  for (int i = 0; i < fine; ++i) dense.push_back(bow(1.0 * i / fine));
  for (int i = fine; i > 0; --i) dense.push_back(bow(1.0 * i / fine) - Vec3d{2 * bow(1.0 * i / fine).x, 0, 0});
  for (int i = 0; i <= fine; ++i) dense.push_back(strand(1.0 * i / fine, -1));
  dense.push_back({braid + tail, gap, 0});
  double length = 0;
  for (std::size_t i = 1; i < dense.size(); ++i) length += norm(dense[i] - dense[i - 1]);
  Polyline even{dense.front()};
  double gone = 0;
  for (std::size_t i = 1; i < dense.size(); ++i) {
    const double step = norm(dense[i] - dense[i - 1]);
    while (even.size() < edges && gone + step >= length * static_cast<double>(even.size()) / edges) {
      const double s = (length * static_cast<double>(even.size()) / edges - gone) / step;
      even.push_back(dense[i - 1] + (dense[i] - dense[i - 1]) * s);
    }
    gone += step;
  }
  even.push_back(dense.back());
  return even;
}

class Knot {
 public:
  Knot(double loop, double friction) {
    StrandsCase c;
    c.strands = {knot(loop)};
    c.clamped = false;
    c.stretch = 1e4;
    c.mass = 0.05;
    c.radius = thick;
    c.newton = {1e-8, 100};
    CurvesObject& object = run_.add(c);
    const int rest = object.strands().find("bend_twist.rest");
    object.add_emission([rest](Strand& strand) {  // straight by nature
      for (int k = 0; k < 3; ++k)
        for (double& value : strand.channel(rest + k)) value = 0;
    });
    run_.load = [](const StrandsRun::Vertex& v) {
      return Vec3d{v.vertex == 0 ? -pull : v.vertex == edges ? pull : 0, 0, 0};
    };
    SolidObject* objects[] = {&object};
    run_.solids().add(object);
    TouchParams params;
    params.friction = friction;
    params.rolls_from = std::numeric_limits<double>::infinity();  // it acts at the axis, as in the theory
    run_.solids().contacts().add_family(objects, params, 0);
    run_.start();
  }
  // Towards rest, slowed down in every step: fast at first, when the braid finds its shape.
  void settle() {
    constexpr int steps = 400;
    for (int k = 0; k < steps; ++k) {
      dt_ = std::min(0.3, 0.001 * std::pow(1.03, k));
      const std::vector<Vec3d> before = run_.all_positions();
      run_.step(dt_);
      run_.solids().accept();
      if (testing::Test::HasFailure()) return;
      constexpr double kept = 0.3;
      for (int i = 0; i <= edges; ++i)
        run_.set_velocity(0, 0, i, (run_.position(0, 0, i) - before[static_cast<std::size_t>(i)]) * (kept / dt_));
    }
  }
  // Of the loop: of the part about its middle that turns by 2 pi.
  double radius() {
    constexpr int middle = edges / 2;
    const auto edge = [&](int i) { return run_.position(0, 0, i + 1) - run_.position(0, 0, i); };
    const auto angle = [&](int i) {
      return std::acos(std::min(1.0, dot(normalized(edge(i - 1)), normalized(edge(i)))));
    };
    double turned = angle(middle), length = norm(edge(middle));
    for (int k = 1; turned < 2 * std::numbers::pi && k < middle - 1; ++k) {
      turned += angle(middle + k) + angle(middle - k);
      length += norm(edge(middle + k)) + norm(edge(middle - k));
    }
    return length / turned;
  }
  double normal_force() {
    double sum = 0;
    for (const Contact& c : run_.solids().contacts().contacts()) sum += dot(c.impulse, c.normal) / dt_;
    return sum;
  }

 private:
  StrandsRun run_;
  double dt_ = 0;
};

// h/R is 1/400, not 0: normal forces are a fifth above those of the limit.
TEST(ElasticKnot, HoldsTheLoopThatTheoryGivesItWithAndWithoutFriction) {
  constexpr double mu = 0.03;
  Knot smooth(0.9, 0), tightened(1.2, mu), loosened(0.4, mu);
  const auto check = [](Knot& knot, double friction, const char* what) {
    knot.settle();
    const double r = knot.radius(), normal = knot.normal_force() * r * r;
    EXPECT_NEAR(pull * r * r - friction * normal, 0.5, 0.04) << what;
    EXPECT_NEAR(normal / std::sqrt(r / thick), share, 0.25 * share) << what;
    return r;
  };
  const double r = check(smooth, 0, "without friction");
  EXPECT_GT(check(tightened, mu, "tightened"), 1.3 * r);
  EXPECT_LT(check(loosened, -mu, "loosened"), r / 1.3);
}

}  // namespace
}  // namespace ymir::verification
