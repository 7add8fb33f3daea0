// Elastons: shape functions and strain rows against differences, a cantilever and a twisted rod.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "ymir/base/random.h"
#include "ymir/math/lane_math.h"
#include "ymir/math/quaternion.h"
#include "ymir/physics/elastons/elaston.h"
#include "ymir/physics/elastons/elaston_weights.h"
#include "ymir/physics/elastons/gmls_shape.h"

namespace ymir {
namespace {

Vec3d random_vector(Random& random, double low, double high) {
  return {random.uniform(low, high), random.uniform(low, high), random.uniform(low, high)};
}
std::vector<Vec3d> cloud(int count) {
  Random random(51, 0);
  std::vector<Vec3d> nodes;
  for (int k = 0; k < count; ++k) nodes.push_back(random_vector(random, 0, 1));
  return nodes;
}
std::vector<GmlsShape> shapes_at(const std::vector<Vec3d>& nodes, Vec3d c, double radius) {
  std::vector<GmlsShape> shapes(nodes.size());
  gmls_shapes(nodes, c, radius, shapes);
  return shapes;
}

constexpr double radius = 1.5;  // all of the cloud is in reach
constexpr Vec3d centre{.4, .5, .6};

TEST(GmlsShape, ReproducesLinearFields) {
  const auto nodes = cloud(12);
  const Vec3d slope{.7, -1.2, .4};
  for (const std::size_t count : {12, 1}) {  // one node is enough
    const std::vector<Vec3d> some(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(count));
    const auto shapes = shapes_at(some, centre, radius);
    double value = 0;
    Vec3d first{};
    Mat3d second;
    for (std::size_t i = 0; i < count; ++i)
      for (int s = 0; s < 4; ++s) {
        const double q = s == 0 ? dot(slope, some[i]) + 2 : slope[s - 1];
        value += shapes[i].value[s] * q;
        first += shapes[i].first[s] * q;
        second += shapes[i].second[s] * q;
      }
    EXPECT_NEAR(value, dot(slope, centre) + 2, 5e-15);
    EXPECT_LT(norm(first - slope), 5e-15);
    for (int k = 0; k < 3; ++k) EXPECT_LT(norm(second.column[k]), 5e-14);
  }
}

TEST(GmlsShape, DerivativesMatchDifferences) {
  const auto nodes = cloud(12);
  const auto shapes = shapes_at(nodes, centre, radius);
  constexpr double h = 1e-5;
  double worst_first = 0, worst_second = 0;
  for (int k = 0; k < 3; ++k) {
    Vec3d e{};
    e[k] = h;
    const auto up = shapes_at(nodes, centre + e, radius), down = shapes_at(nodes, centre - e, radius);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (int s = 0; s < 4; ++s) {
        const double first = (up[i].value[s] - down[i].value[s]) / (2 * h);
        const Vec3d second = (up[i].first[s] - down[i].first[s]) / (2 * h);
        worst_first = std::max(worst_first, std::fabs(first - shapes[i].first[s][k]));
        worst_second = std::max(worst_second, norm(second - shapes[i].second[s].column[k]));
      }
  }
  fmt::print("shape functions: first derivatives off by {:.1e}, second by {:.1e}\n", worst_first, worst_second);
  EXPECT_LT(worst_first, 1e-9);
  EXPECT_LT(worst_second, 1e-9);
}

// Slots of an elaston in a cloud of three nodes, and a random field.
struct Sample {
  std::vector<SlotShape<double>> shape;
  std::vector<Vec3d> q;

  explicit Sample(std::uint64_t index) {
    Random random(52, index);
    const auto nodes = cloud(3);
    const auto shapes = shapes_at(nodes, centre + random_vector(random, -.2, .2), radius);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (int s = 0; s < 4; ++s) {
        shape.push_back({shapes[i].first[s], shapes[i].second[s]});
        Vec3d rest = nodes[i];
        if (s > 0) rest = {s == 1 ? 1.0 : 0, s == 2 ? 1.0 : 0, s == 3 ? 1.0 : 0};
        q.push_back(rest + random_vector(random, -.4, .4));
      }
  }
  int slots() const { return static_cast<int>(q.size()); }
  std::size_t dofs() const { return 3 * q.size(); }
  Elaston::Geometry<double> geometry() const { return {shape.data(), slots(), q.data()}; }
  std::vector<double> value() const {
    std::vector<double> c(Elaston::rows);
    Elaston::value(geometry(), c.data());
    return c;
  }
  std::vector<double> gradient() const {
    std::vector<double> j(Elaston::rows * dofs());
    Elaston::gradient(geometry(), j.data());
    return j;
  }
  std::vector<double> curvature(const std::vector<double>& y) const {
    std::vector<double> h(packed_size(static_cast<int>(dofs())), 0);
    Elaston::add_curvature(geometry(), y.data(), h.data());
    return h;
  }
};

double largest(const std::vector<double>& v) {
  double m = 0;
  for (const double x : v) m = std::max(m, std::fabs(x));
  return m;
}

TEST(Elaston, DerivativesMatchDifferences) {
  // C is quadratic: central differences are exact but for round-off.
  constexpr double h = 1e-2;
  for (std::uint64_t k = 0; k < 10; ++k) {
    const Sample sample(k);
    Random random(53, k);
    std::vector<double> y(Elaston::rows);
    for (double& v : y) v = random.uniform(-1, 1);
    const auto j = sample.gradient(), curvature = sample.curvature(y);
    const std::size_t n = sample.dofs();
    for (std::size_t d = 0; d < n; ++d) {
      Sample up = sample, down = sample;
      up.q[d / 3][static_cast<int>(d % 3)] += h;
      down.q[d / 3][static_cast<int>(d % 3)] -= h;
      const auto c_up = up.value(), c_down = down.value(), j_up = up.gradient(), j_down = down.gradient();
      for (std::size_t r = 0; r < Elaston::rows; ++r)
        EXPECT_NEAR((c_up[r] - c_down[r]) / (2 * h), j[r * n + d], 1e-12 * largest(j));
      for (std::size_t e = 0; e <= d; ++e) {
        double sum = 0;
        for (std::size_t r = 0; r < Elaston::rows; ++r) sum += y[r] * (j_up[r * n + e] - j_down[r * n + e]) / (2 * h);
        EXPECT_NEAR(sum, curvature[packed(static_cast<int>(d), static_cast<int>(e))], 1e-12 * largest(curvature));
      }
    }
  }
}

TEST(Elaston, SeesNoStrainInARigidMotionAndForcesHaveNoResultant) {
  const Sample sample(1);
  const auto nodes = cloud(3);
  const Quaternion turn = quaternion_exp({.4, -1, 2});
  Sample rigid = sample, moved = sample;
  for (std::size_t j = 0; j < sample.q.size(); ++j) {
    const std::size_t s = j % 4;
    const Vec3d axis{s == 1 ? 1.0 : 0, s == 2 ? 1.0 : 0, s == 3 ? 1.0 : 0};
    const Vec3d shift = s == 0 ? Vec3d{1, 2, 3} : Vec3d{};
    rigid.q[j] = rotate(turn, s == 0 ? nodes[j / 4] : axis) + shift;
    moved.q[j] = rotate(turn, sample.q[j]) + shift;
  }
  EXPECT_LT(largest(rigid.value()), 5e-14);
  const auto c = sample.value(), c_moved = moved.value(), j = sample.gradient();
  for (std::size_t r = 0; r < Elaston::rows; ++r) {
    EXPECT_NEAR(c[r], c_moved[r], 5e-14 * (1 + largest(c)));
    // Turning the field turns every slot; shifting it moves positions only.
    Vec3d force{}, torque{};
    for (std::size_t k = 0; k < sample.q.size(); ++k) {
      const Vec3d f{j[r * sample.dofs() + 3 * k], j[r * sample.dofs() + 3 * k + 1], j[r * sample.dofs() + 3 * k + 2]};
      if (k % 4 == 0) force += f;
      torque += cross(sample.q[k], f);
    }
    EXPECT_LT(norm(force), 1e-13 * largest(j));
    EXPECT_LT(norm(torque), 1e-13 * largest(j));
  }
}

TEST(Elaston, LanesEqualDoubles) {
  using Lane = Lanes<double, 4>;
  const Sample samples[4] = {Sample(1), Sample(2), Sample(3), Sample(4)};
  std::vector<SlotShape<Lane>> shape(samples[0].q.size());
  std::vector<Vec3<Lane>> q(shape.size());
  std::vector<double> y(Elaston::rows);
  Lane yy[Elaston::rows];
  for (std::size_t r = 0; r < y.size(); ++r) y[r] = std::cos(static_cast<double>(r)), yy[r] = Lane::all(y[r]);
  for (std::size_t j = 0; j < q.size(); ++j)
    for (int lane = 0; lane < 4; ++lane)
      for (int k = 0; k < 3; ++k) {
        q[j][k].set(lane, samples[lane].q[j][k]);
        shape[j].first[k].set(lane, samples[lane].shape[j].first[k]);
        for (int l = 0; l < 3; ++l) shape[j].second(k, l).set(lane, samples[lane].shape[j].second(k, l));
      }
  const Elaston::Geometry<Lane> g(shape.data(), static_cast<int>(q.size()), q.data());
  Lane c[Elaston::rows];
  std::vector<Lane> j(Elaston::rows * 3 * q.size()), h(packed_size(static_cast<int>(3 * q.size())), Lane::all(0));
  Elaston::value(g, c);
  Elaston::gradient(g, j.data());
  Elaston::add_curvature(g, yy, h.data());
  for (int lane = 0; lane < 4; ++lane) {
    const auto c1 = samples[lane].value(), j1 = samples[lane].gradient(), h1 = samples[lane].curvature(y);
    for (std::size_t k = 0; k < c1.size(); ++k) EXPECT_NEAR(c[k][lane], c1[k], 1e-13 * largest(c1));
    for (std::size_t k = 0; k < j1.size(); ++k) EXPECT_NEAR(j[k][lane], j1[k], 1e-13 * largest(j1));
    for (std::size_t k = 0; k < h1.size(); ++k) EXPECT_NEAR(h[k][lane], h1[k], 1e-13 * largest(h1));
  }
}

// A square rod along x, clamped by its field at x = 0: nodes on a line, two elastons per segment.
struct Rod {
  static constexpr double length = 1, side = .05;
  std::vector<Vec3d> nodes;
  double reach, poisson;
  Eigen::MatrixXd stiffness;

  Rod(int segments, double poisson_ratio, double reach_in_segments, int per_segment = 2)
      : reach(reach_in_segments * length / segments), poisson(poisson_ratio) {
    for (int k = 0; k <= segments; ++k) nodes.push_back({length * k / segments, 0, 0});
    const Eigen::Index dofs = 12 * static_cast<Eigen::Index>(nodes.size());
    stiffness = Eigen::MatrixXd::Zero(dofs, dofs);
    const int elastons = per_segment * segments;
    const double extent = length / elastons;
    const bool thin[3] = {false, true, true};
    const ElasticModuli solid = isotropic_solid(1, poisson), reduced = without_thin_stress(solid, thin);
    for (int e = 0; e < elastons; ++e) add({(e + .5) * extent, 0, 0}, {extent, side, side}, solid, reduced);
  }

  std::vector<int> near(Vec3d c) const {
    std::vector<int> ids;
    for (std::size_t k = 0; k < nodes.size(); ++k)
      if (norm(nodes[k] - c) < reach * (1 - 1e-9)) ids.push_back(static_cast<int>(k));
    return ids;
  }
  std::vector<GmlsShape> shapes(Vec3d c) const {
    std::vector<Vec3d> some;
    for (const int k : near(c)) some.push_back(nodes[static_cast<std::size_t>(k)]);
    return shapes_at(some, c, reach);
  }

  void add(Vec3d c, Vec3d extent, const ElasticModuli& solid, const ElasticModuli& reduced) {
    const auto ids = near(c);
    const auto gmls = shapes(c);
    std::vector<SlotShape<double>> shape;
    std::vector<Vec3d> q;
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (int s = 0; s < 4; ++s) {
        shape.push_back({gmls[i].first[s], gmls[i].second[s]});
        q.push_back(s == 0   ? nodes[static_cast<std::size_t>(ids[i])]
                    : s == 1 ? Vec3d{1, 0, 0}
                    : s == 2 ? Vec3d{0, 1, 0}
                             : Vec3d{0, 0, 1});
      }
    const int slots = static_cast<int>(q.size());
    Eigen::Matrix<double, Elaston::rows, Eigen::Dynamic, Eigen::RowMajor> j(Elaston::rows, 3 * slots);
    const Elaston::Geometry<double> g(shape.data(), slots, q.data());
    Elaston::gradient(g, j.data());
    const double volume = extent.x * extent.y * extent.z;
    Eigen::MatrixXd local = Eigen::MatrixXd::Zero(3 * slots, 3 * slots);
    for (int part = 0; part < 4; ++part) {
      Eigen::Matrix<double, 6, 6> w;
      for (int a = 0; a < 6; ++a)
        for (int b = 0; b < 6; ++b) w(a, b) = (part == 0 ? solid : reduced)[a >= b ? packed(a, b) : packed(b, a)];
      const double factor = part == 0 ? volume : volume * extent[part - 1] * extent[part - 1] / 12;
      const auto rows = j.middleRows(6 * part, 6);
      local += factor * rows.transpose() * w * rows;
    }
    for (int a = 0; a < 3 * slots; ++a)
      for (int b = 0; b < 3 * slots; ++b)
        stiffness(12 * ids[static_cast<std::size_t>(a / 12)] + a % 12,
                  12 * ids[static_cast<std::size_t>(b / 12)] + b % 12) += local(a, b);
  }

  // Row of the displacement (derivative < 0) or of its derivative along an axis, in direction `component`, at c.
  Eigen::VectorXd field(Vec3d c, int component, int derivative) const {
    Eigen::VectorXd row = Eigen::VectorXd::Zero(stiffness.rows());
    const auto ids = near(c);
    const auto gmls = shapes(c);
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (int s = 0; s < 4; ++s)
        row[12 * ids[i] + 3 * s + component] = derivative < 0 ? gmls[i].value[s] : gmls[i].first[s][derivative];
    return row;
  }

  // Work of the load in the displacement it causes.
  double compliance(const Eigen::VectorXd& load) const {
    const Eigen::Index n = stiffness.rows();
    Eigen::MatrixXd kkt = Eigen::MatrixXd::Zero(n + 12, n + 12);
    kkt.topLeftCorner(n, n) = stiffness;
    for (int r = 0; r < 12; ++r) {
      kkt.row(n + r).head(n) = field({0, 0, 0}, r % 3, r / 3 - 1).transpose();
      kkt.col(n + r).head(n) = kkt.row(n + r).head(n).transpose();
    }
    Eigen::VectorXd right = Eigen::VectorXd::Zero(n + 12);
    right.head(n) = load;
    return load.dot(kkt.partialPivLu().solve(right).head(n));
  }

  double bending() const {
    const double inertia = side * side * side * side / 12, shear = side * side / (2 * (1 + poisson));
    return compliance(field({length, 0, 0}, 2, -1)) / (length * length * length / 3 / inertia + length / shear);
  }
  double twisting() const {
    const Eigen::VectorXd turn = (field({length, 0, 0}, 2, 1) - field({length, 0, 0}, 1, 2)) / 2;
    return compliance(turn) / (length / (side * side * side * side / 6 / (2 * (1 + poisson))));
  }
};

TEST(Elaston, CantileverBendsAndTwistsAsARod) {
  const double bending[3] = {.980, .989, .990}, bending_nu0[3] = {.977, .986, .988}, twisting[3] = {.996, .997, .997};
  for (int k = 0; k < 3; ++k) {
    const Rod rod(4 << k, .3, 3.2), soft(4 << k, 0, 3.2);
    fmt::print("rod of {} segments: bending {:.4f} (nu 0: {:.4f}), twist {:.4f}\n", 4 << k, rod.bending(),
               soft.bending(), rod.twisting());
    EXPECT_NEAR(rod.bending(), bending[k], .001);
    EXPECT_NEAR(soft.bending(), bending_nu0[k], .001);
    EXPECT_NEAR(rod.twisting(), twisting[k], .001);
  }
}

TEST(Elaston, ReachedByFewNodesIsTooStiff) {
  EXPECT_NEAR(Rod(8, .3, 1.5).bending(), .858, .001);
  EXPECT_NEAR(Rod(8, .3, 2.2).bending(), .905, .001);
}

TEST(Elaston, OnlyRigidMotionsCostNothingWithTwoPerSegment) {
  const auto null_space = [](const Rod& rod) {
    const Eigen::VectorXd values = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(rod.stiffness).eigenvalues();
    return (values.array() < 1e-10 * values.maxCoeff()).count();
  };
  EXPECT_EQ(null_space(Rod(4, .3, 1.5)), 6);
  EXPECT_EQ(null_space(Rod(4, .3, 3.2)), 6);
  EXPECT_EQ(null_space(Rod(4, .3, 1.5, 1)), 9);  // one per segment is not enough
}

}  // namespace
}  // namespace ymir
