// Hyperelastic materials: derivatives by differences, the linear limit, projection, invariance, stress at large
// stretch.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <type_traits>

#include "ymir/base/random.h"
#include "ymir/math/polar3.h"
#include "ymir/physics/hyperelastic/corotated.h"
#include "ymir/physics/hyperelastic/fibre.h"
#include "ymir/physics/hyperelastic/green_strain_damping.h"
#include "ymir/physics/hyperelastic/log_neo_hookean.h"
#include "ymir/physics/hyperelastic/mixed_neo_hookean.h"
#include "ymir/physics/hyperelastic/st_venant_kirchhoff.h"
#include "ymir/physics/hyperelastic/stable_neo_hookean.h"

namespace ymir {
namespace {

using Lanes4 = Lanes<double, 4>;
using Matrix9 = Eigen::Matrix<double, 9, 9>;

double normal(Random& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * M_PI * random.uniform());
}
Mat3d random_matrix(Random& random) {
  Mat3d f;
  for (Vec3d& c : f.column) c = {normal(random), normal(random), normal(random)};
  return f;
}
Mat3d random_rotation(Random& random) { return polar_rotation(svd3(random_matrix(random))); }
double largest(const Mat3d& a) {
  double m = 0;
  for (const Vec3d& c : a.column) m = std::max({m, std::fabs(c.x), std::fabs(c.y), std::fabs(c.z)});
  return m;
}

template <class Material>
typename Material::template Parameters<double> parameters(double poisson) {
  const Lame<double> l = lame(1.0, poisson);
  if constexpr (std::is_same_v<Material, Fibre>)
    return {0.3 - poisson, 1, Vec3d{2, -1, 2} / 3.0};  // pulls for nu = 0.2, pushes for nu = 0.499
  else if constexpr (std::is_same_v<Material, MixedNeoHookean>)
    return {l.mu, 0, 0.4 * l.lambda};
  else
    return Material::from_lame(l);
}

// Where differences of step h say nothing: next to a kink of the fibre, next to the pole of the corotated Hessian.
template <class Material>
bool differentiable(const Mat3d& f) {
  if constexpr (std::is_same_v<Material, Fibre>) {
    const double l = norm(f * parameters<Fibre>(0).direction);
    return std::fabs(l - 1) > 0.02 && std::fabs(l - Fibre::crushed) > 0.02;
  }
  if constexpr (std::is_same_v<Material, Corotated>) {
    const Vec3d s = svd3(f).s;
    return s.y + s.z > 0.5;
  }
  return true;
}

Matrix9 unpack(const double* h) {
  Matrix9 m;
  for (int a = 0; a < 9; ++a)
    for (int b = 0; b <= a; ++b) m(a, b) = m(b, a) = h[packed(a, b)];
  return m;
}
template <class Material, class P>
Matrix9 hessian(const Mat3d& f, const P& p) {
  double h[45] = {};
  Material::add_hessian(f, p, 1.0, h);
  return unpack(h);
}
template <class Material, class P>
Matrix9 projected(const Mat3d& f, const P& p) {
  double h[45] = {};
  Material::project_hessian(f, p, 1.0, h);
  return unpack(h);
}

Eigen::Matrix<double, 9, 1> vec(const Mat3d& a) {
  Eigen::Matrix<double, 9, 1> v;
  for (int c = 0; c < 3; ++c)
    for (int r = 0; r < 3; ++r) v(3 * c + r) = a(r, c);
  return v;
}

// Derivative of order four in h: truncation and rounding both stay below 1e-11 of the Hessian.
constexpr double step = 5e-4;
template <class Function>
auto derivative(const Function& at) {
  return ((at(step) - at(-step)) * 8.0 - (at(2 * step) - at(-2 * step))) * (1 / (12 * step));
}

template <class Material>
class HyperelasticTest : public ::testing::Test {};
using Materials =
    ::testing::Types<StableNeoHookean, LogNeoHookean, MixedNeoHookean, StVenantKirchhoff, Corotated, Fibre>;
TYPED_TEST_SUITE(HyperelasticTest, Materials);

TYPED_TEST(HyperelasticTest, StressAndHessianAreDerivatives) {
  Random random(1, 0);
  double worst_stress = 0, worst_hessian = 0;
  for (const double poisson : {0.2, 0.3, 0.499}) {
    const auto p = parameters<TypeParam>(poisson);
    for (int k = 0; k < 300; ++k) {
      const Mat3d f = random_matrix(random);
      if (!differentiable<TypeParam>(f)) continue;
      const Mat3d stress = TypeParam::stress(f, p);
      const Matrix9 h = hessian<TypeParam>(f, p);
      const double scale = h.cwiseAbs().maxCoeff();
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) {
          Mat3d d;
          d(r, c) = 1;
          const double slope = derivative([&](double t) { return TypeParam::energy(f + d * t, p); });
          const Mat3d row = derivative([&](double t) { return TypeParam::stress(f + d * t, p); });
          worst_stress = std::max(worst_stress, std::fabs(slope - stress(r, c)) / scale);
          worst_hessian = std::max(worst_hessian, (vec(row) - h.col(3 * c + r)).cwiseAbs().maxCoeff() / scale);
        }
    }
  }
  this->RecordProperty("stress", std::to_string(worst_stress * 1e12) + "e-12");
  this->RecordProperty("hessian", std::to_string(worst_hessian * 1e12) + "e-12");
  EXPECT_LT(worst_stress, 1e-10);
  EXPECT_LT(worst_hessian, 1e-10);
}

TYPED_TEST(HyperelasticTest, ProjectionIsTheNearestPositiveSemidefiniteMatrix) {
  // Against the eigenvalues of the exact 9x9 matrix, which know nothing of modes; in long double, because in double
  // Eigen's own rounding is as large as the one tested.
  using Long9 = Eigen::Matrix<long double, 9, 9>;
  Random random(2, 0);
  double worst = 0, most_negative = 0;
  int indefinite = 0;
  for (const double poisson : {0.2, 0.3, 0.499}) {
    const auto p = parameters<TypeParam>(poisson);
    for (int k = 0; k < 300; ++k) {
      const Mat3d f = random_matrix(random);
      const Matrix9 h = hessian<TypeParam>(f, p), positive = projected<TypeParam>(f, p);
      const Eigen::SelfAdjointEigenSolver<Long9> e(h.cast<long double>());
      const Long9 expected = e.eigenvectors() * e.eigenvalues().cwiseMax(0).asDiagonal() * e.eigenvectors().transpose();
      const double scale = h.cwiseAbs().maxCoeff();
      indefinite += e.eigenvalues()(0) < -1e-6 * scale;
      worst = std::max(worst, (positive - expected.cast<double>()).cwiseAbs().maxCoeff() / scale);
      const Eigen::SelfAdjointEigenSolver<Long9> after(positive.cast<long double>(), Eigen::EigenvaluesOnly);
      most_negative = std::min(most_negative, static_cast<double>(after.eigenvalues()(0)) / scale);
    }
  }
  this->RecordProperty("rebuilt", std::to_string(worst * 1e15) + "e-15");
  this->RecordProperty("most_negative", std::to_string(most_negative * 1e15) + "e-15");
  EXPECT_GT(indefinite, 50);  // otherwise there was nothing to project
  EXPECT_LT(worst, 7e-15);
  EXPECT_GT(most_negative, -7e-15);
}

TYPED_TEST(HyperelasticTest, DoesNotFeelARotationOfSpace) {
  Random random(3, 0);
  for (int k = 0; k < 300; ++k) {
    const auto p = parameters<TypeParam>(0.3);
    const Mat3d f = random_matrix(random), r = random_rotation(random);
    const double scale = 1 + std::fabs(TypeParam::energy(f, p));
    EXPECT_NEAR(TypeParam::energy(r * f, p), TypeParam::energy(f, p), 3e-14 * scale);
    const Mat3d stress = TypeParam::stress(f, p);
    EXPECT_LT(largest(TypeParam::stress(r * f, p) - r * stress), 1e-13 * (1 + largest(stress)));
  }
}

TYPED_TEST(HyperelasticTest, DoesNotFeelARotationOfTheMaterialUnlessItHasADirection) {
  Random random(4, 0);
  bool same = true;
  for (int k = 0; k < 100; ++k) {
    const auto p = parameters<TypeParam>(0.3);
    const Mat3d f = random_matrix(random), r = random_rotation(random);
    same = same && std::fabs(TypeParam::energy(f * r, p) - TypeParam::energy(f, p)) <
                       3e-14 * (1 + std::fabs(TypeParam::energy(f, p)));
  }
  EXPECT_EQ(same, !(std::is_same_v<TypeParam, Fibre>));
}

TYPED_TEST(HyperelasticTest, StaysFiniteForEveryGradient) {
  Random random(5, 0);
  const Mat3d u = random_rotation(random), v = random_rotation(random);
  const auto p = parameters<TypeParam>(0.3);
  for (const Vec3d s : {Vec3d{0, 0, 0}, Vec3d{1, 0, 0}, Vec3d{1, 1, 0}, Vec3d{1, 1, -1}, Vec3d{1, 1e-12, -1e-12}}) {
    const Mat3d f = u * Mat3d{{s.x, 0, 0}, {0, s.y, 0}, {0, 0, s.z}} * v;
    EXPECT_TRUE(std::isfinite(TypeParam::energy(f, p)));
    EXPECT_TRUE(std::isfinite(largest(TypeParam::stress(f, p))));
    EXPECT_TRUE(hessian<TypeParam>(f, p).allFinite());
    EXPECT_TRUE(projected<TypeParam>(f, p).allFinite());
  }
}

template <class P>
auto lanes(const P& p) {
  const auto all = [](double v) { return Lanes4::all(v); };
  if constexpr (std::is_same_v<P, Fibre::Parameters<double>>)
    return Fibre::Parameters<Lanes4>{
        all(p.tension), all(p.stiffness), {all(p.direction.x), all(p.direction.y), all(p.direction.z)}};
  else if constexpr (std::is_same_v<P, MixedNeoHookean::Parameters<double>>)
    return MixedNeoHookean::Parameters<Lanes4>{all(p.mu), all(p.lambda), all(p.pressure)};
  else if constexpr (std::is_same_v<P, StableNeoHookean::Parameters<double>>)
    return StableNeoHookean::Parameters<Lanes4>{all(p.mu), all(p.lambda)};
  else if constexpr (std::is_same_v<P, LogNeoHookean::Parameters<double>>)
    return LogNeoHookean::Parameters<Lanes4>{all(p.mu), all(p.lambda)};
  else if constexpr (std::is_same_v<P, Corotated::Parameters<double>>)
    return Corotated::Parameters<Lanes4>{all(p.mu), all(p.lambda)};
  else
    return StVenantKirchhoff::Parameters<Lanes4>{all(p.mu), all(p.lambda)};
}

TYPED_TEST(HyperelasticTest, LanesAnswerAsNumbersDo) {
  Random random(6, 0);
  const auto p = parameters<TypeParam>(0.499);
  const auto p4 = lanes(p);
  for (int k = 0; k < 50; ++k) {
    Mat3d f[4];
    Mat3<Lanes4> f4;
    for (int lane = 0; lane < 4; ++lane) {
      f[lane] = random_matrix(random);
      for (int c = 0; c < 3; ++c)
        for (int r = 0; r < 3; ++r) f4(r, c).set(lane, f[lane](r, c));
    }
    const Lanes4 energy4 = TypeParam::energy(f4, p4), half = Lanes4::all(0.5);
    const Mat3<Lanes4> stress4 = TypeParam::stress(f4, p4);
    Lanes4 exact4[45] = {}, projected4[45] = {};
    TypeParam::add_hessian(f4, p4, half, exact4);
    TypeParam::project_hessian(f4, p4, half, projected4);
    for (int lane = 0; lane < 4; ++lane) {
      const double energy = TypeParam::energy(f[lane], p);
      EXPECT_NEAR(energy4[lane], energy, 1e-13 * std::fabs(energy));
      const Mat3d stress = TypeParam::stress(f[lane], p);
      double exact[45] = {}, positive[45] = {}, scale = 0;
      TypeParam::add_hessian(f[lane], p, 0.5, exact);
      TypeParam::project_hessian(f[lane], p, 0.5, positive);
      for (const double v : exact) scale = std::max(scale, std::fabs(v));
      for (int i = 0; i < 9; ++i)
        EXPECT_NEAR(stress4(i % 3, i / 3)[lane], stress(i % 3, i / 3), 1e-13 * largest(stress));
      for (int i = 0; i < 45; ++i) {
        EXPECT_NEAR(exact4[i][lane], exact[i], 1e-13 * scale);
        EXPECT_NEAR(projected4[i][lane], positive[i], 1e-13 * scale);
      }
    }
  }
}

// Derivatives by differences; none of it where the strain has not changed, whatever the rotation; at rest Hooke's law.
TEST(GreenStrainDamping, IsHookesLawOnTheChangeOfStrain) {
  Random random(8, 0);
  const Lame<double> l = lame(1.0, 0.3);
  for (int k = 0; k < 200; ++k) {
    const Mat3d before = random_matrix(random), f = random_matrix(random), r = random_rotation(random);
    const GreenStrainDamping::Parameters<double> p{l.mu, l.lambda, GreenStrainDamping::strain(before)};
    EXPECT_LT(largest(GreenStrainDamping::stress(r * before, p)), 1e-13 * (1 + std::pow(largest(before), 3)));
    const Mat3d stress = GreenStrainDamping::stress(f, p);
    const Matrix9 h = hessian<GreenStrainDamping>(f, p);
    const double scale = h.cwiseAbs().maxCoeff();
    for (int i = 0; i < 9; ++i) {
      Mat3d d;
      d(i % 3, i / 3) = 1;
      const double slope = derivative([&](double t) { return GreenStrainDamping::energy(f + d * t, p); });
      const Mat3d row = derivative([&](double t) { return GreenStrainDamping::stress(f + d * t, p); });
      EXPECT_NEAR(slope, stress(i % 3, i / 3), 1e-10 * scale);
      EXPECT_LT((vec(row) - h.col(i)).cwiseAbs().maxCoeff(), 1e-10 * scale);
    }
    const Eigen::SelfAdjointEigenSolver<Matrix9> e(projected<GreenStrainDamping>(f, p), Eigen::EigenvaluesOnly);
    EXPECT_GT(e.eigenvalues()(0), -1e-13 * scale);
  }
  const GreenStrainDamping::Parameters<double> rest{l.mu, l.lambda, {}};
  EXPECT_LT((hessian<GreenStrainDamping>(identity3(), rest) -
             hessian<StVenantKirchhoff>(identity3(), StVenantKirchhoff::from_lame(l)))
                .cwiseAbs()
                .maxCoeff(),
            1e-15);
}

// What a cell with a pressure of its own is made of: with q = lambda_L (J - 1) it is the whole model.
template <class Material>
void expect_split() {
  Random random(9, 0);
  const Lame<double> l = lame(1.0, 0.45);
  const auto whole = Material::from_lame(l);
  for (int k = 0; k < 100; ++k) {
    const Mat3d f = random_matrix(random);
    auto p = Material::deviatoric(l.mu);
    p.pressure = l.lambda * (determinant(f) - 1);
    EXPECT_LT(largest(Material::stress(f, p) - Material::stress(f, whole)),
              1e-12 * (1 + largest(Material::stress(f, whole))));
  }
}

TEST(Hyperelastic, ModelsWithAPressureAreTheWholeOnes) {
  expect_split<LogNeoHookean>();
  expect_split<Corotated>();
}

TEST(Lame, AreThoseOfHookesLaw) {
  // Uniaxial stress E e: axial strain e, lateral -nu e.
  const Lame<double> l = lame(7.0, 0.3);
  const double axial = 2 * l.mu * 1 + l.lambda * (1 - 2 * 0.3), lateral = 2 * l.mu * -0.3 + l.lambda * (1 - 2 * 0.3);
  EXPECT_NEAR(axial, 7, 1e-14);
  EXPECT_NEAR(lateral, 0, 1e-14);
}

template <class Material>
void expect_hooke_at_rest() {
  for (const double poisson : {0.3, 0.499}) {
    const Lame<double> l = lame(1.0, poisson);
    const auto p = Material::from_lame(l);
    EXPECT_NEAR(Material::energy(identity3(), p), 0, 1e-15);
    EXPECT_LT(largest(Material::stress(identity3(), p)), 1e-15);
    const Matrix9 h = hessian<Material>(identity3(), p);
    const auto e = Eigen::SelfAdjointEigenSolver<Matrix9>(h).eigenvalues();
    const double bulk = 3 * l.lambda + 2 * l.mu;
    for (int i = 0; i < 9; ++i)
      EXPECT_NEAR(e(i), i < 3 ? 0 : i < 8 ? 2 * l.mu : bulk, 1e-14 * bulk) << i << " nu " << poisson;
    EXPECT_LT((projected<Material>(identity3(), p) - h).cwiseAbs().maxCoeff(), 1e-14 * bulk);
  }
}

TEST(Hyperelastic, EveryIsotropicModelIsHookesLawAtRest) {
  expect_hooke_at_rest<StableNeoHookean>();
  expect_hooke_at_rest<LogNeoHookean>();
  expect_hooke_at_rest<StVenantKirchhoff>();
  expect_hooke_at_rest<Corotated>();
}

TEST(StableNeoHookean, IsStiffAgainstCollapseButLogIsNot) {
  // d2psi at F = 0: mu I, a local minimum; the logarithm takes it away.
  const Mat3d zero;
  EXPECT_LT(
      (hessian<StableNeoHookean>(zero, parameters<StableNeoHookean>(0.3)) - Matrix9::Identity() * lame(1.0, 0.3).mu)
          .cwiseAbs()
          .maxCoeff(),
      1e-15);
  EXPECT_EQ(hessian<LogNeoHookean>(zero, parameters<LogNeoHookean>(0.3)).cwiseAbs().maxCoeff(), 0);
}

TEST(MixedNeoHookean, IsTheStableModelWhenTheMultiplierFitsTheVolume) {
  Random random(7, 0);
  const Lame<double> l = lame(1.0, 0.499);
  const auto whole = StableNeoHookean::from_lame(l);
  for (int k = 0; k < 100; ++k) {
    const Mat3d f = random_matrix(random);
    const double j = determinant(f), q = l.lambda * (j - 1);
    const MixedNeoHookean::Parameters<double> p{l.mu, l.lambda, q}, deviatoric{l.mu, 0, 0};
    const double scale = hessian<StableNeoHookean>(f, whole).cwiseAbs().maxCoeff();
    EXPECT_LT((hessian<MixedNeoHookean>(f, p) - hessian<StableNeoHookean>(f, whole)).cwiseAbs().maxCoeff(),
              1e-13 * scale);
    EXPECT_LT((projected<MixedNeoHookean>(f, p) - projected<StableNeoHookean>(f, whole)).cwiseAbs().maxCoeff(),
              1e-13 * scale);
    EXPECT_LT(largest(MixedNeoHookean::stress(f, p) - StableNeoHookean::stress(f, whole)), 1e-13 * scale);
    EXPECT_NEAR(MixedNeoHookean::energy(f, deviatoric) + l.lambda / 2 * (j - 1) * (j - 1),
                StableNeoHookean::energy(f, whole), 1e-13 * scale);
  }
}

// The principal stress of uniaxial (free = 2 lateral stretches) or equibiaxial (free = 1) tension at the stretch s.
template <class Material>
double tension(double s, int free, const typename Material::template Parameters<double>& p) {
  double t = free == 2 ? 1 / std::sqrt(s) : 1 / (s * s);
  const auto gradient = [&](double lateral) {
    return Mat3d{{s, 0, 0}, {0, free == 2 ? lateral : s, 0}, {0, 0, lateral}};
  };
  for (int k = 0; k < 100; ++k) {
    const Mat3d f = gradient(t);
    const Matrix9 h = hessian<Material>(f, p);
    const double slope = h(8, 8) + (free == 2 ? h(8, 4) : 0);
    t -= Material::stress(f, p)(2, 2) / slope;
  }
  EXPECT_NEAR(Material::stress(gradient(t), p)(2, 2), 0, 1e-14);
  return Material::stress(gradient(t), p)(0, 0);
}

TEST(Hyperelastic, StressAtLargeStretchIsThatOfTheTable) {
  constexpr double stretch[4] = {0.5, 0.8, 1.5, 2};
  const auto check = [&](auto material, double poisson, int free, const double(&expected)[4]) {
    using Material = decltype(material);
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(tension<Material>(stretch[i], free, parameters<Material>(poisson)), expected[i], 1e-8) << stretch[i];
  };
  check(StableNeoHookean{}, 0.45, 2, {-1.06896552, -.24946121, .35887612, .59913793});
  check(StableNeoHookean{}, 0.45, 1, {-1.80269333, -.54675647, .46440403, .67677785});
  check(LogNeoHookean{}, 0.45, 2, {-1.10935098, -.25033200, .37542793, .66717118});
  check(LogNeoHookean{}, 0.45, 1, {-1.75569589, -.54677123, .51122125, .80292483});
  check(StableNeoHookean{}, 0.49, 2, {-1.14765101, -.25325084, .35321899, .58640940});
}

TEST(StableNeoHookean, UniaxialTensionHasAClosedForm) {
  const auto p = parameters<StableNeoHookean>(0.45);
  const double alpha = 1 + p.mu / p.lambda;
  for (const double s : {0.7, 1.3, 3.0}) {
    const double square = (alpha - p.mu / (p.lambda * s)) / s;
    EXPECT_NEAR(tension<StableNeoHookean>(s, 2, p), p.mu * (s - square / s), 1e-14);
  }
}

TEST(StVenantKirchhoff, UniaxialStrainHasTheKnownCubic) {
  // P11 = (lambda + 2 mu)/2 s (s^2 - 1), least at s = 1/sqrt 3: softer the more it is pressed.
  const auto p = parameters<StVenantKirchhoff>(0.3);
  for (const double s : {0.2, 1 / std::sqrt(3.0), 1.7}) {
    const Mat3d f{{s, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    EXPECT_NEAR(StVenantKirchhoff::stress(f, p)(0, 0), (p.lambda + 2 * p.mu) / 2 * s * (s * s - 1), 1e-14);
  }
  EXPECT_NEAR(hessian<StVenantKirchhoff>({{1 / std::sqrt(3.0), 0, 0}, {0, 1, 0}, {0, 0, 1}}, p)(0, 0), 0, 1e-14);
}

TEST(Corotated, IsLinearInPureStretchWithoutPoissonEffect) {
  const auto p = parameters<Corotated>(0);
  for (const double s : {0.1, 0.5, 3.0})
    EXPECT_NEAR(Corotated::stress({{s, 0, 0}, {0, 1, 0}, {0, 0, 1}}, p)(0, 0), s - 1, 1e-14);  // E = 1
}

TEST(Fibre, PullsAlongItsDirectionOnlyAndSlackensWhenShort) {
  const Fibre::Parameters<double> p{0.2, 3, {1, 0, 0}};
  const auto stress = [&](double s) { return Fibre::stress(Mat3d{{s, 0, 0}, {0, 0.7, 0}, {0, 0, 1.4}}, p); };
  EXPECT_DOUBLE_EQ(stress(1.5)(0, 0), 0.2 + 3 * 0.5);
  EXPECT_DOUBLE_EQ(stress(0.5)(0, 0), 0.2);  // active tension alone
  for (int i = 1; i < 9; ++i) EXPECT_EQ(stress(1.5)(i % 3, i / 3), 0);
}

}  // namespace
}  // namespace ymir
