// Kernels of thin shells one by one: derivatives, invariances, lanes, weights and measured curves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>
#include <vector>

#include "ymir/base/random.h"
#include "ymir/math/quaternion.h"
#include "ymir/physics/shells/hinge.h"
#include "ymir/physics/shells/membrane.h"
#include "ymir/physics/shells/mid_bending.h"
#include "ymir/physics/shells/shell_weights.h"
#include "ymir/physics/shells/tensile_curve.h"
#include "ymir/physics/shells/tri_bending.h"

namespace ymir {
namespace {

using Lane = Lanes<double, 4>;

// Degrees of freedom and rest data of one element, flat, so that four of them load into lanes.
struct Element {
  std::vector<double> q, data;
};

template <class T>
Vec3<T> vertex(const T* q, int a) {
  return {q[3 * a], q[3 * a + 1], q[3 * a + 2]};
}

double normal_number(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * M_PI * random.uniform());
}
std::vector<double> normal_numbers(Random& random, int count, double size = 1) {
  std::vector<double> q;
  for (int k = 0; k < count; ++k) q.push_back(size * normal_number(random));
  return q;
}
// A triangle (0, 0), (1, 0), (.3, .8) and three neighbours about it, all shaken.
std::vector<double> random_patch(Random& random) {
  std::vector<double> q{0, 0, 0, 1, 0, 0, .3, .8, 0, .6, -.7, 0, 1.2, .9, 0, -.5, .6, 0};
  for (double& x : q) x += random.uniform(-.2, .2);
  return q;
}

template <class K>
struct Case;

template <>
struct Case<Membrane> {
  static constexpr double tolerance = 6e-11;  // shell of the notes' list, S2
  static Element random_element(Random& random) {
    return {normal_numbers(random, 9), {0, 1, .3, 0, .1, random.uniform(.5, 1)}};
  }
  template <class T>
  static Membrane::Geometry<T> geometry(const T* q, const T* data) {
    const Vec3<T> x[3] = {vertex(q, 0), vertex(q, 1), vertex(q, 2)};
    return {x, rest_triangle(data, data + 3)};
  }
};

template <>
struct Case<Hinge> {
  static constexpr double tolerance = 1e-9;
  static Element random_element(Random& random) { return {normal_numbers(random, 12), {random.uniform(-3, 3)}}; }
  template <class T>
  static Hinge::Geometry<T> geometry(const T* q, const T* data) {
    return {vertex(q, 0), vertex(q, 1), vertex(q, 2), vertex(q, 3), data[0]};
  }
};

ShellSide random_side(Random& random) {
  const double u = random.uniform();
  return u < .5 ? ShellSide::interior : u < .75 ? ShellSide::clamped : ShellSide::missing;
}

template <>
struct Case<TriBending> {
  static constexpr double tolerance = 6e-11;
  static Element random_element(Random& random) {
    Element e{random_patch(random), {}};
    for (int k = 0; k < 3; ++k) e.data.push_back(TriBending::angle_factor(random_side(random)));
    for (int k = 0; k < 3; ++k) e.data.push_back(random.uniform(-.5, .5));
    return e;
  }
  template <class T>
  static TriBending::Geometry<T> geometry(const T* q, const T* data) {
    const Vec3<T> x[6] = {vertex(q, 0), vertex(q, 1), vertex(q, 2), vertex(q, 3), vertex(q, 4), vertex(q, 5)};
    return {x, {{data[0], data[1], data[2]}, {data[3], data[4], data[5]}}};
  }
};

template <>
struct Case<MidBending> {
  static constexpr double tolerance = 4e-11;
  static Element random_element(Random& random) {
    Element e{random_patch(random), {}};
    for (int k = 0; k < 3; ++k) e.q.push_back(random.uniform(-.5, .5));
    const ShellSide side[3] = {random_side(random), random_side(random), random_side(random)};
    for (const ShellSide s : side) e.data.push_back(MidBending::angle_factor(s));
    for (const ShellSide s : side) e.data.push_back(MidBending::turn_factor(s, random.uniform() < .5));
    for (int k = 0; k < 3; ++k) e.data.push_back(random.uniform(-.5, .5));
    return e;
  }
  template <class T>
  static MidBending::Geometry<T> geometry(const T* q, const T* data) {
    const Vec3<T> x[6] = {vertex(q, 0), vertex(q, 1), vertex(q, 2), vertex(q, 3), vertex(q, 4), vertex(q, 5)};
    return {x, q + 18, {{data[0], data[1], data[2]}, {data[3], data[4], data[5]}, {data[6], data[7], data[8]}}};
  }
};

template <class K>
std::vector<double> values(const Element& e) {
  std::vector<double> c(K::rows);
  K::value(Case<K>::geometry(e.q.data(), e.data.data()), c.data());
  return c;
}
// All of dC/dq, row after row.
template <class K>
std::vector<double> gradients(const Element& e) {
  double j[K::rows][K::dofs];
  K::gradient(Case<K>::geometry(e.q.data(), e.data.data()), j);
  return {&j[0][0], &j[0][0] + K::rows * K::dofs};
}
// J'y
template <class K>
std::vector<double> pull(const Element& e, const std::vector<double>& y) {
  const auto j = gradients<K>(e);
  std::vector<double> f(K::dofs, 0);
  for (std::size_t a = 0; a < K::rows; ++a)
    for (std::size_t k = 0; k < K::dofs; ++k) f[k] += j[a * K::dofs + k] * y[a];
  return f;
}
template <class K>
std::vector<double> curvature(const Element& e, const std::vector<double>& y) {
  std::vector<double> h(packed_size(K::dofs), 0);
  K::add_curvature(Case<K>::geometry(e.q.data(), e.data.data()), y.data(), h.data());
  return h;
}

double largest(const std::vector<double>& v) {
  double m = 0;
  for (const double x : v) m = std::max(m, std::fabs(x));
  return m;
}

// Derivative by the degree of freedom k, of fourth order in the step: its error is below round-off / step.
std::vector<double> difference(const std::function<std::vector<double>(const Element&)>& f, const Element& e,
                               std::size_t k) {
  constexpr double h = 3e-5;
  const auto at = [&](double step) {
    Element moved = e;
    moved.q[k] += step;
    return f(moved);
  };
  auto d = at(h);
  const auto b = at(-h), c = at(2 * h), a = at(-2 * h);
  for (std::size_t i = 0; i < d.size(); ++i) d[i] = (8 * (d[i] - b[i]) - (c[i] - a[i])) / (12 * h);
  return d;
}

template <class K>
class ShellKernel : public testing::Test {};
using ShellKernels = testing::Types<Membrane, Hinge, TriBending, MidBending>;
TYPED_TEST_SUITE(ShellKernel, ShellKernels);

TYPED_TEST(ShellKernel, GradientMatchesDifferences) {
  using K = TypeParam;
  double worst = 0;
  for (std::uint64_t s = 0; s < 200; ++s) {
    Random random(21, s);
    const Element e = Case<K>::random_element(random);
    const auto j = gradients<K>(e);
    for (std::size_t k = 0; k < K::dofs; ++k) {
      const auto d = difference(values<K>, e, k);
      for (std::size_t a = 0; a < K::rows; ++a)
        worst = std::max(worst, std::fabs(d[a] - j[a * K::dofs + k]) / (largest(j) + 1e-300));
    }
  }
  fmt::print("gradient off by {:.1e} of its largest entry\n", worst);
  EXPECT_LT(worst, Case<K>::tolerance);
}

TYPED_TEST(ShellKernel, CurvatureMatchesDifferences) {
  using K = TypeParam;
  double worst = 0;
  for (std::uint64_t s = 0; s < 200; ++s) {
    Random random(22, s);
    const Element e = Case<K>::random_element(random);
    const auto y = normal_numbers(random, K::rows);
    const auto h = curvature<K>(e, y);
    for (int k = 0; k < K::dofs; ++k) {
      const auto d = difference([&](const Element& at) { return pull<K>(at, y); }, e, static_cast<std::size_t>(k));
      for (int a = 0; a < K::dofs; ++a)
        worst = std::max(worst, std::fabs(d[static_cast<std::size_t>(a)] - h[a >= k ? packed(a, k) : packed(k, a)]) /
                                    (largest(h) + 1e-300));
    }
  }
  fmt::print("curvature off by {:.1e} of its largest entry\n", worst);
  EXPECT_LT(worst, Case<K>::tolerance);
}

TYPED_TEST(ShellKernel, RigidMotionChangesNothingAndForcesHaveNoResultant) {
  using K = TypeParam;
  constexpr std::size_t vertices = K::dofs / 3 - (K::dofs == 21);
  for (std::uint64_t s = 0; s < 50; ++s) {
    Random random(23, s);
    const Element e = Case<K>::random_element(random);
    const auto y = normal_numbers(random, K::rows);
    Element moved = e;
    const Quaternion turn = quaternion_exp({random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)});
    const auto f = pull<K>(e, y);
    Vec3d force{}, torque{};
    double size = 0;
    for (std::size_t a = 0; a < vertices; ++a) {
      const Vec3d x = vertex(e.q.data(), static_cast<int>(a)), r = rotate(turn, x) + Vec3d{1, -2, 3};
      const Vec3d fa = vertex(f.data(), static_cast<int>(a));
      for (int k = 0; k < 3; ++k) moved.q[3 * a + static_cast<std::size_t>(k)] = r[k];
      force += fa;
      torque += cross(x, fa);
      size += norm(fa) * (1 + norm(x));
    }
    const auto c = values<K>(e), c_moved = values<K>(moved);
    for (std::size_t a = 0; a < K::rows; ++a) EXPECT_NEAR(c[a], c_moved[a], 1e-12 * (1 + largest(c))) << s;
    const auto f_moved = pull<K>(moved, y);
    for (int a = 0; a < static_cast<int>(vertices); ++a)
      EXPECT_LE(norm(vertex(f_moved.data(), a) - rotate(turn, vertex(f.data(), a))), 1e-12 * size) << s;
    EXPECT_LE(norm(force), 1e-14 * size);
    EXPECT_LE(norm(torque), 1e-14 * size);
  }
}

TYPED_TEST(ShellKernel, LanesEqualDoubles) {
  using K = TypeParam;
  for (std::uint64_t s = 0; s < 20; ++s) {
    Random random(24, s);
    Element e[4];
    std::vector<double> y[4];
    for (int lane = 0; lane < 4; ++lane) {
      e[lane] = Case<K>::random_element(random);
      y[lane] = normal_numbers(random, K::rows);
    }
    const auto gather = [&](auto&& get, std::size_t count) {
      std::vector<Lane> lanes(count);
      for (std::size_t k = 0; k < count; ++k)
        for (int lane = 0; lane < 4; ++lane) lanes[k].set(lane, get(lane)[k]);
      return lanes;
    };
    const auto q = gather([&](int lane) { return e[lane].q; }, e[0].q.size());
    const auto data = gather([&](int lane) { return e[lane].data; }, e[0].data.size());
    const auto yy = gather([&](int lane) { return y[lane]; }, K::rows);
    const auto g = Case<K>::geometry(q.data(), data.data());
    Lane c[K::rows], j[K::rows][K::dofs], h[packed_size(K::dofs)] = {};
    K::value(g, c);
    K::gradient(g, j);
    K::add_curvature(g, yy.data(), h);
    for (int lane = 0; lane < 4; ++lane) {
      const auto c1 = values<K>(e[lane]), j1 = gradients<K>(e[lane]), h1 = curvature<K>(e[lane], y[lane]);
      for (std::size_t a = 0; a < K::rows; ++a) {
        EXPECT_NEAR(c[a][lane], c1[a], 1e-13 * largest(c1));
        for (std::size_t k = 0; k < K::dofs; ++k) EXPECT_NEAR(j[a][k][lane], j1[a * K::dofs + k], 1e-13 * largest(j1));
      }
      for (std::size_t k = 0; k < h1.size(); ++k) EXPECT_NEAR(h[k][lane], h1[k], 1e-13 * largest(h1));
    }
  }
}

TEST(Membrane, MeasuresGreenStrainInTheMaterialAxes) {
  const double u[3] = {0, 1, .2}, v[3] = {0, .1, .9};
  const Vec3d axis_u{1.3, 0, .2}, axis_v{.1, .8, 0};  // images of the material axes
  Vec3d x[3];
  for (int a = 0; a < 3; ++a) x[a] = axis_u * u[a] + axis_v * v[a] + Vec3d{5, 6, 7};
  double c[3];
  Membrane::value(Membrane::Geometry<double>(x, rest_triangle(u, v)), c);
  EXPECT_NEAR(c[0], (dot(axis_u, axis_u) - 1) / 2, 1e-14);
  EXPECT_NEAR(c[1], (dot(axis_v, axis_v) - 1) / 2, 1e-14);
  EXPECT_NEAR(c[2], dot(axis_u, axis_v), 1e-14);
}

TEST(Membrane, RestTriangleInSpaceHasNoStrainAndLiesAlongItsAxis) {
  const Vec3d x[3] = {{1, 2, 3}, {2, 2.5, 3}, {1, 3, 4}}, axis{.3, 1, .1};
  const auto rest = rest_triangle(x, axis);
  EXPECT_NEAR(rest.area, norm(cross(x[1] - x[0], x[2] - x[0])) / 2, 1e-15);
  const Membrane::Geometry<double> g(x, rest);
  double c[3];
  Membrane::value(g, c);
  for (const double value : c) EXPECT_NEAR(value, 0, 1e-15);
  const Vec3d normal = normalized(cross(x[1] - x[0], x[2] - x[0]));
  EXPECT_NEAR(dot(g.u, normalized(axis - normal * dot(normal, axis))), 1, 1e-15);
  EXPECT_NEAR(dot(cross(g.u, g.v), normal), 1, 1e-15);
}

Eigen::MatrixXd unpacked(const double* h, int n) {
  Eigen::MatrixXd m(n, n);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b) m(a, b) = h[a >= b ? packed(a, b) : packed(b, a)];
  return m;
}

TEST(Membrane, ClampedStressGivesASemiDefiniteMatrixAndKeepsATensileOne) {
  for (std::uint64_t s = 0; s < 100; ++s) {
    Random random(25, s);
    const Element e = Case<Membrane>::random_element(random);
    auto y = normal_numbers(random, 3);
    if (s % 5 == 0) y[0] = y[1], y[2] = 0;  // equal eigenvalues
    double clamped[3];
    psd_membrane(y.data(), clamped);
    const Eigen::Matrix2d sigma = (Eigen::Matrix2d() << y[0], y[2], y[2], y[1]).finished();
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen(sigma);
    const Eigen::Matrix2d exact =
        eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
    EXPECT_NEAR(clamped[0], exact(0, 0), 1e-14);
    EXPECT_NEAR(clamped[1], exact(1, 1), 1e-14);
    EXPECT_NEAR(clamped[2], exact(1, 0), 1e-14);
    const auto h = curvature<Membrane>(e, {clamped, clamped + 3});
    const double least = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(unpacked(h.data(), 9)).eigenvalues()(0);
    EXPECT_GT(least, -1e-14 * (1 + largest(h)));
    Lane lanes[3], lanes_clamped[3];
    for (int k = 0; k < 3; ++k) lanes[k] = Lane::all(y[static_cast<std::size_t>(k)]);
    psd_membrane(lanes, lanes_clamped);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(lanes_clamped[k][2], clamped[k], 1e-13);
  }
}

TEST(Hinge, OfARoofIsTheAngleBetweenItsSlopes) {
  for (const double slope : {1e-7, .3, 1.2, -.4}) {
    const double c = std::cos(slope), s = -std::sin(slope);  // wings down, normals up
    const Hinge::Geometry<double> g({0, 0, 0}, {0, 1, 0}, {-c, .5, s}, {c, .7, s}, 0);
    EXPECT_NEAR(g.theta, 2 * slope, 1e-15);
    const Hinge::Geometry<double> other({0, 1, 0}, {0, 0, 0}, {c, .7, s}, {-c, .5, s}, 0);
    EXPECT_NEAR(other.theta, 2 * slope, 1e-15);
  }
}

TEST(Hinge, FollowsAFoldBeyondHalfATurn) {
  double theta = 0;
  for (double slope = 0; slope < 5; slope += .1) {
    const double c = std::cos(slope), s = -std::sin(slope);
    theta = Hinge::Geometry<double>({0, 0, 0}, {0, 1, 0}, {-c, .5, s}, {c, .7, s}, theta).theta;
    EXPECT_NEAR(theta, 2 * slope, 1e-14);
  }
}

TEST(Hinge, WithoutAreaIsReportedAndExertsNothing) {
  const Vec3d x0{0, 0, 0}, x1{1, 0, 0}, x2{.5, 1, 0};
  for (const Vec3d x3 : {x0, x1, Vec3d{.4, 0, 0}, Vec3d{.4, -1e-9, 0}}) {
    const Hinge::Geometry<double> g(x0, x1, x2, x3, 0);
    EXPECT_TRUE(Hinge::degenerate(g));
    double j[1][12], h[packed_size(12)] = {};
    const double y = 1;
    Hinge::gradient(g, j);
    Hinge::add_curvature(g, &y, h);
    EXPECT_EQ(g.theta, 0);
    for (const double value : j[0]) EXPECT_EQ(value, 0);
    for (const double value : h) EXPECT_EQ(value, 0);
  }
  const Hinge::Geometry<double> point(x0, x0, x0, x0, 0);
  EXPECT_TRUE(Hinge::degenerate(point));
  EXPECT_EQ(point.theta, 0);
  EXPECT_FALSE(Hinge::degenerate(Hinge::Geometry<double>(x0, x1, x2, {.4, -1e-7, 0}, 0)));
}

TEST(Hinge, ToTheGhostOfAClampIsTheAngleToItsPlane) {
  for (const double angle : {.2, -.7, 1.5}) {
    const Vec3d a{0, 0, 0}, b{0, 2, 0}, plane_normal{-std::sin(.3), 0, std::cos(.3)};
    const Vec3d wing{-std::cos(.3 + angle), .6, -std::sin(.3 + angle)};
    const Hinge::Geometry<double> g(a, b, wing, clamp_ghost(a, b, plane_normal), 0);
    EXPECT_NEAR(g.theta, angle, 1e-15);
  }
}

// Energy C'WC/2.
double energy(const Packed3<double>& w, const double* c) {
  double sum = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) sum += w[a >= b ? packed(a, b) : packed(b, a)] * c[a] * c[b] / 2;
  return sum;
}

constexpr double no_missing[3] = {0, 0, 0};

TEST(ShellWeights, AnglesOfAQuadraticFieldGiveItsBendingEnergy) {
  // w = (k11 u^2 + k22 v^2 + 2 k12 u v)/2: slopes at mid-edges against that of the flat triangle through the vertices.
  const double k11 = .7, k22 = -.3, k12 = .4, u[3] = {.1, 1.2, .4}, v[3] = {.2, .1, 1.1};
  const auto rest = rest_triangle(u, v);
  const auto d = bending_moduli(isotropic_moduli(3.0, .3), .1);
  double slope_u = 0, slope_v = 0, c[3];
  for (int a = 0; a < 3; ++a) {
    const double w = (k11 * u[a] * u[a] + k22 * v[a] * v[a] + 2 * k12 * u[a] * v[a]) / 2;
    slope_u += w * rest.ru[a], slope_v += w * rest.rv[a];
  }
  for (int k = 0; k < 3; ++k) {
    const int a = k, b = (k + 1) % 3;
    const double mu = (u[a] + u[b]) / 2, mv = (v[a] + v[b]) / 2, l = std::hypot(u[b] - u[a], v[b] - v[a]);
    const double nu = (v[b] - v[a]) / l, nv = -(u[b] - u[a]) / l;  // outwards
    c[k] = (k11 * mu + k12 * mv - slope_u) * nu + (k12 * mu + k22 * mv - slope_v) * nv;
  }
  const double rigidity = 3.0 * .001 / (12 * (1 - .09));
  const double exact =
      rest.area * rigidity / 2 * (k11 * k11 + k22 * k22 + 2 * .3 * k11 * k22 + 2 * (1 - .3) * k12 * k12);
  EXPECT_NEAR(energy(mid_bending_weight(rest, d, no_missing), c), exact, 1e-14 * exact);
  for (double& angle : c) angle *= 2;  // the hinge angle of a symmetric neighbour
  EXPECT_NEAR(energy(tri_bending_weight(rest, d, no_missing), c), exact, 1e-14 * exact);
}

TEST(ShellWeights, TriAnglesOfACylinderOnEquilateralTrianglesGiveItsBendingEnergy) {
  const double height = std::sqrt(3.0) / 2;
  const double u[6] = {0, 1, .5, .5, 1.5, -.5}, v[6] = {0, 0, height, -height, height, height};
  constexpr double k = 1e-5, rigidity = 2;
  Vec3d x[6], flat[6];
  for (int a = 0; a < 6; ++a) flat[a] = {u[a], v[a], 0}, x[a] = {u[a], v[a], -k * u[a] * u[a] / 2};
  const TriBending::Geometry<double> g(x, {{1, 1, 1}, {0, 0, 0}});
  double c[3];
  TriBending::value(g, c);
  const auto rest = rest_triangle(flat, Vec3d{1, 0, 0});
  const auto w = tri_bending_weight(rest, scaled(isotropic_moduli(1.0, .3), rigidity * (1 - .09)), no_missing);
  const double exact = rest.area * rigidity * k * k / 2;
  EXPECT_NEAR(energy(w, c), exact, 1e-9 * exact);
}

TEST(ShellWeights, MissingSidesAreMinimisedOver) {
  const double u[3] = {0, 1, .3}, v[3] = {0, .1, .9};
  const auto rest = rest_triangle(u, v);
  const auto d = bending_moduli(orthotropic_moduli(3.0, 1.0, .2, .7), .2);
  const auto full = mid_bending_weight(rest, d, no_missing);
  const Eigen::Matrix3d m = unpacked(full.data(), 3);
  for (int pattern = 0; pattern < 8; ++pattern) {
    double missing[3], c[3];
    std::vector<int> gone, kept;
    for (int k = 0; k < 3; ++k) {
      missing[k] = (pattern >> k) & 1;
      c[k] = .3 + .5 * k - k * k;
      (missing[k] > 0 ? gone : kept).push_back(k);
    }
    const auto w = mid_bending_weight(rest, d, missing);
    // The angles of missing sides that minimise the energy.
    Eigen::Vector3d best(c[0], c[1], c[2]);
    if (!gone.empty()) best(gone) = -m(gone, gone).ldlt().solve(m(gone, kept) * best(kept));
    EXPECT_NEAR(energy(w, c), best.dot(m * best) / 2, 1e-14 * m.norm());
    Lane lanes[3];
    Packed3<Lane> dl;
    for (int k = 0; k < 3; ++k) lanes[k] = Lane::all(missing[k]);
    for (std::size_t k = 0; k < 6; ++k) dl[k] = Lane::all(d[k]);
    RestTriangle<Lane> rl;
    for (int k = 0; k < 3; ++k) rl.ru[k] = Lane::all(rest.ru[k]), rl.rv[k] = Lane::all(rest.rv[k]);
    rl.area = Lane::all(rest.area);
    const auto wl = mid_bending_weight(rl, dl, lanes);
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(wl[k][1], w[k], 1e-13 * m.norm());
  }
}

TEST(ShellWeights, OrthotropicModuliContainTheIsotropicOnesAndInvertToCompliances) {
  const auto iso = isotropic_moduli(5.0, .3), ortho = orthotropic_moduli(5.0, 5.0, .3, 5.0 / 2.6);
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(iso[k], ortho[k], 1e-15);
  const Eigen::Matrix3d compliance = unpacked(orthotropic_moduli(4.0, 2.0, .3, .5).data(), 3).inverse();
  EXPECT_NEAR(compliance(0, 0), 1 / 4.0, 1e-15);
  EXPECT_NEAR(compliance(1, 1), 1 / 2.0, 1e-15);
  EXPECT_NEAR(compliance(1, 0), -.3 / 4.0, 1e-15);
  EXPECT_NEAR(compliance(2, 2), 1 / .5, 1e-15);
}

TEST(ShellWeights, MembraneEnergyOfUniaxialTensionIsThatOfABar) {
  const double u[3] = {0, 1, .3}, v[3] = {0, .1, .9}, strain = .01, poisson = .3;
  const auto rest = rest_triangle(u, v);
  const double c[3] = {strain, -poisson * strain, 0};
  EXPECT_NEAR(energy(membrane_weight(rest, isotropic_moduli(7.0, poisson), .02), c),
              rest.area * .02 * 7 * strain * strain / 2, 1e-18);
}

TEST(TensileCurve, PassesThroughItsPointsWithoutOvershoot) {
  const double strain[6] = {0, .05, .1, .2, .25, .4}, stress[6] = {0, .01, .5, .5, 4, 4.2};
  const TensileCurve curve = tensile_curve(strain, stress, 6);
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(respond(curve, strain[k]).stress, stress[k], 1e-15);
  double before = -1;
  for (double c = -.1; c < .6; c += 1e-3) {
    const auto r = respond(curve, c);
    EXPECT_GE(r.stress, before - 1e-15) << c;
    EXPECT_GE(r.stiffness, 0) << c;
    if (c > .1 && c < .2) {
      EXPECT_NEAR(r.stress, .5, 1e-15) << c;
    }
    before = r.stress;
  }
  // Straight beyond the last point.
  EXPECT_NEAR(respond(curve, .5).stress, 4.2 + .1 * respond(curve, .4).stiffness, 1e-14);
}

TEST(TensileCurve, OfStraightPointsIsStraight) {
  const double strain[4] = {0, .1, .15, .4}, stress[4] = {0, .3, .45, 1.2};
  const TensileCurve curve = tensile_curve(strain, stress, 4);
  for (const double c : {-.2, .03, .12, .3, .9}) {
    const auto r = respond(curve, c);
    EXPECT_NEAR(r.stress, 3 * c, 1e-14);
    EXPECT_NEAR(r.stiffness, 3, 1e-13);
    EXPECT_NEAR(r.energy, 1.5 * c * c, 1e-14);
  }
}

TEST(TensileCurve, StressIsTheDerivativeOfEnergyAndStiffnessThatOfStress) {
  const double strain[5] = {0, .05, .12, .2, .4}, stress[5] = {0, .2, 1, 3, 9};
  const TensileCurve curve = tensile_curve(strain, stress, 5);
  constexpr double h = 1e-5;
  for (double c = -.0503; c < .5; c += .007) {
    const auto r = respond(curve, c), up = respond(curve, c + h), down = respond(curve, c - h);
    EXPECT_NEAR((up.energy - down.energy) / (2 * h), r.stress, 1e-7);
    EXPECT_NEAR((up.stress - down.stress) / (2 * h), r.stiffness, 1e-6);
    const auto lanes = respond(curve, Lane::all(c));
    EXPECT_NEAR(lanes.energy[3], r.energy, 1e-13);
    EXPECT_NEAR(lanes.stress[3], r.stress, 1e-13);
    EXPECT_NEAR(lanes.stiffness[3], r.stiffness, 1e-13 * 50);
  }
}

}  // namespace
}  // namespace ymir
