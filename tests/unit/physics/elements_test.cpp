// Solid elements: shape functions, quadrature, masses, assembly, the patch test, and collapse of single elements.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "solid_meshes.h"
#include "ymir/base/random.h"
#include "ymir/math/svd3.h"
#include "ymir/physics/hyperelastic/corotated.h"
#include "ymir/physics/hyperelastic/fibre.h"
#include "ymir/physics/hyperelastic/log_neo_hookean.h"
#include "ymir/physics/hyperelastic/st_venant_kirchhoff.h"

namespace ymir {
namespace {

using Lanes4 = Lanes<double, 4>;

Vec3d random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// Reference coordinates of the nodes.
template <class Element>
std::array<Vec3d, Element::nodes> nodes() {
  if constexpr (std::is_same_v<Element, Hexahedron>) {
    return Hexahedron::corner;
  } else {
    std::array<Vec3d, Element::nodes> x{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if constexpr (std::is_same_v<Element, QuadraticTetrahedron>)
      for (std::size_t k = 0; k < 6; ++k)
        x[4 + k] =
            (x[static_cast<std::size_t>(Element::edge[k][0])] + x[static_cast<std::size_t>(Element::edge[k][1])]) * 0.5;
    return x;
  }
}

// A random affine image of the reference element, of positive volume; `bent` moves the nodes off it.
template <class Element>
std::array<Vec3d, Element::nodes> random_element(Random& random, double bent) {
  const Mat3d a =
      identity3() + Mat3d{random_vector(random, 0.3), random_vector(random, 0.3), random_vector(random, 0.3)};
  const Vec3d shift = random_vector(random, 2);
  auto x = nodes<Element>();
  for (Vec3d& v : x) v = a * v + shift + random_vector(random, bent);
  return x;
}

template <class Element>
class ElementTest : public ::testing::Test {};
using Elements = ::testing::Types<Tetrahedron, QuadraticTetrahedron, Hexahedron>;
TYPED_TEST_SUITE(ElementTest, Elements);

TYPED_TEST(ElementTest, ShapeFunctionsAreOneAtTheirNodeAndSumToOne) {
  constexpr int n = TypeParam::nodes;
  const auto at = nodes<TypeParam>();
  for (std::size_t a = 0; a < n; ++a) {
    double shape[n];
    TypeParam::shape(at[a], shape);
    for (std::size_t b = 0; b < n; ++b) EXPECT_EQ(shape[b], a == b ? 1 : 0);
  }
  Random random(1, 0);
  for (int k = 0; k < 50; ++k) {
    const Vec3d r = random_vector(random, 1);
    double shape[n], sum = 0;
    Vec3d d[n], total;
    TypeParam::shape(r, shape);
    TypeParam::shape_gradient(r, d);
    for (int a = 0; a < n; ++a) sum += shape[a], total += d[a];
    EXPECT_NEAR(sum, 1, 1e-14);
    EXPECT_LT(norm(total), 1e-14);
    // Quadratic at most along an axis: central differences are exact.
    for (int axis = 0; axis < 3; ++axis) {
      const auto shifted = [&](double h, int a) {
        Vec3d moved = r;
        moved[axis] += h;
        double s[n];
        TypeParam::shape(moved, s);
        return s[a];
      };
      for (int a = 0; a < n; ++a) EXPECT_NEAR(shifted(0.5, a) - shifted(-0.5, a), d[a][axis], 1e-13);
    }
  }
}

TYPED_TEST(ElementTest, ReproducesEveryLinearField) {
  constexpr int n = TypeParam::nodes;
  Random random(2, 0);
  for (int k = 0; k < 50; ++k) {
    const auto rest = random_element<TypeParam>(random, 0.03);
    const auto g = rest_gradients<TypeParam>(rest.data());
    const Mat3d a{random_vector(random, 1), random_vector(random, 1), random_vector(random, 1)};
    Vec3d x[n];
    for (std::size_t i = 0; i < n; ++i) x[i] = a * rest[i] + Vec3d{1, 2, 3};
    for (int q = 0; q < TypeParam::points; ++q) {
      const Mat3d error = deformation_gradient<n>(x, g.gradient[q]) - a;
      EXPECT_LT(std::sqrt(dot(error, error)), 2e-14);
      Vec3d sum;
      for (const Vec3d& v : g.gradient[q]) sum += v;
      EXPECT_LT(norm(sum), 1e-14);
    }
  }
}

TYPED_TEST(ElementTest, VolumeIsThatOfItsShape) {
  Random random(3, 0);
  const double reference = std::is_same_v<TypeParam, Hexahedron> ? 8 : 1.0 / 6;
  for (int k = 0; k < 50; ++k) {
    const auto at = nodes<TypeParam>();
    const Mat3d a =
        identity3() + Mat3d{random_vector(random, 0.3), random_vector(random, 0.3), random_vector(random, 0.3)};
    auto rest = at;
    for (Vec3d& v : rest) v = a * v;
    const auto g = rest_gradients<TypeParam>(rest.data());
    double volume = 0, lumped[TypeParam::nodes], mass = 0;
    for (const double w : g.weight) volume += w;
    EXPECT_NEAR(volume, determinant(a) * reference, 1e-14 * reference);
    TypeParam::lumped_volume(g.weight, lumped);
    for (const double m : lumped) {
      EXPECT_GT(m, 0);
      mass += m;
    }
    EXPECT_NEAR(mass, volume, 1e-14 * reference);
  }
}

double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

// Largest error of the rule over monomials r^i s^j t^k for which `covered`.
template <class Element, class Covered, class Exact>
double worst_monomial(const Covered& covered, const Exact& exact) {
  double worst = 0;
  for (int i = 0; i <= 4; ++i)
    for (int j = 0; j <= 4; ++j)
      for (int k = 0; k <= 4; ++k) {
        if (!covered(i, j, k)) continue;
        double sum = 0;
        for (const QuadraturePoint& q : Element::quadrature)
          sum += q.weight * std::pow(q.at.x, i) * std::pow(q.at.y, j) * std::pow(q.at.z, k);
        worst = std::max(worst, std::fabs(sum - exact(i, j, k)));
      }
  return worst;
}

TEST(Quadrature, IsExactToItsDegreeAndNotBeyond) {
  const auto tetrahedron = [](int i, int j, int k) {
    return factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3);
  };
  const auto cube = [](int i, int j, int k) {
    const auto side = [](int p) { return p % 2 == 1 ? 0 : 2.0 / (p + 1); };
    return side(i) * side(j) * side(k);
  };
  const auto total = [](int degree) { return [degree](int i, int j, int k) { return i + j + k <= degree; }; };
  const auto each = [](int degree) { return [degree](int i, int j, int k) { return std::max({i, j, k}) <= degree; }; };
  EXPECT_LT(worst_monomial<Tetrahedron>(total(1), tetrahedron), 1e-16);
  EXPECT_GT(worst_monomial<Tetrahedron>(total(2), tetrahedron), 1e-3);
  EXPECT_LT(worst_monomial<QuadraticTetrahedron>(total(2), tetrahedron), 1e-16);
  EXPECT_GT(worst_monomial<QuadraticTetrahedron>(total(3), tetrahedron), 1e-4);
  EXPECT_LT(worst_monomial<Hexahedron>(each(3), cube), 1e-14);
  EXPECT_GT(worst_monomial<Hexahedron>(each(4), cube), 1e-1);
}

TEST(QuadraticTetrahedron, MassesFollowTheDiagonalOfTheConsistentMatrix) {
  // Integrals of products of barycentric coordinates over a unit volume: 6 a! b! c! d!/(a + b + c + d + 3)!
  const auto power = [](int a, int b) { return 6 * factorial(a) * factorial(b) / factorial(a + b + 3); };
  const double corner = 4 * power(4, 0) - 4 * power(3, 0) + power(2, 0), edge = 16 * power(2, 2);
  double weight[4] = {0.25, 0.25, 0.25, 0.25}, volume[10];
  QuadraticTetrahedron::lumped_volume(weight, volume);
  for (int a = 0; a < 10; ++a) EXPECT_NEAR(volume[a], (a < 4 ? corner : edge) / (4 * corner + 6 * edge), 1e-16);
}

TEST(QuadraticTetrahedron, NodesOfGmshAndVtkFindTheirEdges) {
  // Edges as the two manuals draw them.
  const int gmsh[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}};
  const int vtk[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
  for (std::size_t k = 0; k < 6; ++k)
    for (int end = 0; end < 2; ++end) {
      EXPECT_EQ(gmsh[QuadraticTetrahedron::from_gmsh[4 + k] - 4][end], QuadraticTetrahedron::edge[k][end]);
      EXPECT_EQ(vtk[QuadraticTetrahedron::from_vtk[4 + k] - 4][end], QuadraticTetrahedron::edge[k][end]);
    }
}

TEST(Hexahedron, MassesOfACuboidAreEqual) {
  auto rest = Hexahedron::corner;
  for (Vec3d& v : rest) v = {v.x * 0.5, v.y, v.z * 2};
  const auto g = rest_gradients<Hexahedron>(rest.data());
  double volume[8];
  Hexahedron::lumped_volume(g.weight, volume);
  for (const double v : volume) EXPECT_NEAR(v, 1, 1e-14);
}

template <class Function>
auto derivative(const Function& at) -> decltype(at(0.0)) {
  constexpr double step = 5e-4;
  return ((at(step) - at(-step)) * 8.0 - (at(2 * step) - at(-2 * step))) * (1 / (12 * step));
}

// Largest error of f and h as derivatives of the energy, next to the largest entry of h.
template <std::size_t Nodes, class Energy, class Assemble>
double derivative_error(const std::array<Vec3d, Nodes>& x, const Energy& energy, const Assemble& assemble) {
  constexpr int n = static_cast<int>(3 * Nodes);
  const auto forces = [&](const std::array<Vec3d, Nodes>& at, double* h) {
    Eigen::VectorXd f = Eigen::VectorXd::Zero(n);
    assemble(at.data(), f.data(), h);
    return f;
  };
  std::vector<double> h(packed_size(n)), unused(packed_size(n));
  double worst = 0, scale = 0;
  const Eigen::VectorXd f = forces(x, h.data());
  for (const double v : h) scale = std::max(scale, std::fabs(v));
  for (int i = 0; i < n; ++i) {
    const auto moved = [&](double t) {
      auto y = x;
      y[static_cast<std::size_t>(i / 3)][i % 3] += t;
      return y;
    };
    worst = std::max(worst, std::fabs(derivative([&](double t) { return energy(moved(t).data()); }) - f(i)));
    const Eigen::VectorXd column = derivative([&](double t) { return forces(moved(t), unused.data()); });
    for (int j = 0; j < n; ++j)
      worst = std::max(worst, std::fabs(column(j) - h[packed(std::max(i, j), std::min(i, j))]));
  }
  return worst / scale;
}

TYPED_TEST(ElementTest, ForceAndMatrixAreDerivativesOfTheEnergy) {
  Random random(4, 0);
  const Lame<double> l = lame(1.0, 0.4);
  double worst = 0;
  const auto check = [&]<class Material>(Material, const typename Material::template Parameters<double>& p) {
    for (int k = 0; k < 5; ++k) {
      const auto rest = random_element<TypeParam>(random, 0.03), x = random_element<TypeParam>(random, 0.1);
      const auto g = rest_gradients<TypeParam>(rest.data());
      worst = std::max(worst, derivative_error(
                                  x, [&](const Vec3d* y) { return element_energy<Material, TypeParam>(y, g, p); },
                                  [&](const Vec3d* y, double* f, double* h) {
                                    assemble_element<Material, TypeParam>(y, g, p, f, h);
                                  }));
    }
  };
  check(StableNeoHookean{}, StableNeoHookean::from_lame(l));
  check(LogNeoHookean{}, LogNeoHookean::from_lame(l));
  check(StVenantKirchhoff{}, StVenantKirchhoff::from_lame(l));
  check(Corotated{}, Corotated::from_lame(l));
  check(MixedNeoHookean{}, {l.mu, 0, 0.3});
  check(Fibre{}, {0.3, 0, {0.6, 0, 0.8}});
  this->RecordProperty("error", std::to_string(worst * 1e12) + "e-12");
  EXPECT_LT(worst, 2e-10);
}

TYPED_TEST(ElementTest, MeanPressureIsTheDerivativeOfItsEnergy) {
  Random random(5, 0);
  const Lame<double> l = lame(1.0, 0.45);
  double worst = 0;
  for (int k = 0; k < 5; ++k) {
    const auto rest = random_element<TypeParam>(random, 0.03), x = random_element<TypeParam>(random, 0.1);
    const auto g = rest_gradients<TypeParam>(rest.data());
    double whole = 0;
    for (const double w : g.weight) whole += w;
    const auto energy = [&](const Vec3d* y) {
      double unused[3 * TypeParam::nodes] = {};
      const double c = deformed_volume(y, g, unused) / whole - 1;
      const MixedNeoHookean::Parameters<double> deviatoric{l.mu, 0, 0};
      return element_energy<MixedNeoHookean, TypeParam>(y, g, deviatoric) + l.lambda / 2 * whole * c * c;
    };
    worst = std::max(worst, derivative_error(x, energy, [&](const Vec3d* y, double* f, double* h) {
                       assemble_mean_pressure<TypeParam>(y, g, l, f, h);
                     }));
  }
  this->RecordProperty("error", std::to_string(worst * 1e12) + "e-12");
  EXPECT_LT(worst, 2e-10);
}

TYPED_TEST(ElementTest, AssemblesTheContractionOfTheNineByNineMatrix) {
  // h_ab = sum_q w (g_a' H g_b), exact and projected, with nothing left out.
  constexpr int n = TypeParam::nodes;
  Random random(6, 0);
  const auto p = LogNeoHookean::from_lame(lame(1.0, 0.45));
  for (const TangentKind kind : {TangentKind::exact, TangentKind::projected}) {
    const auto rest = random_element<TypeParam>(random, 0.03), x = random_element<TypeParam>(random, 0.3);
    const auto g = rest_gradients<TypeParam>(rest.data());
    double h[packed_size(3 * n)] = {}, scale = 0;
    double expected[3 * n][3 * n] = {};
    if (kind == TangentKind::exact)
      assemble_matrix<LogNeoHookean, TypeParam, TangentKind::exact>(x.data(), g, p, h);
    else
      assemble_matrix<LogNeoHookean, TypeParam, TangentKind::projected>(x.data(), g, p, h);
    for (int q = 0; q < TypeParam::points; ++q) {
      double dense[45] = {};
      const Mat3d f = deformation_gradient<n>(x.data(), g.gradient[q]);
      if (kind == TangentKind::exact)
        LogNeoHookean::add_hessian(f, p, g.weight[q], dense);
      else
        LogNeoHookean::project_hessian(f, p, g.weight[q], dense);
      for (int i = 0; i < 3 * n; ++i)
        for (int j = 0; j < 3 * n; ++j)
          for (int c = 0; c < 3; ++c)
            for (int d = 0; d < 3; ++d) {
              const int row = 3 * c + i % 3, column = 3 * d + j % 3;
              expected[i][j] += g.gradient[q][i / 3][c] * g.gradient[q][j / 3][d] *
                                dense[packed(std::max(row, column), std::min(row, column))];
            }
    }
    for (const double v : h) scale = std::max(scale, std::fabs(v));
    for (int i = 0; i < 3 * n; ++i)
      for (int j = 0; j <= i; ++j) EXPECT_NEAR(h[packed(i, j)], expected[i][j], 1e-13 * scale);
  }
}

TYPED_TEST(ElementTest, LanesAssembleFourElementsAsNumbersDo) {
  constexpr int n = TypeParam::nodes;
  Random random(7, 0);
  const Lame<double> l = lame(1.0, 0.4);
  const auto p = StableNeoHookean::from_lame(l);
  const StableNeoHookean::Parameters<Lanes4> p4{Lanes4::all(p.mu), Lanes4::all(p.lambda)};
  Vec3<Lanes4> rest4[n], x4[n];
  std::array<Vec3d, n> rest[4], x[4];
  for (int lane = 0; lane < 4; ++lane) {
    rest[lane] = random_element<TypeParam>(random, 0.03), x[lane] = random_element<TypeParam>(random, 0.3);
    for (std::size_t a = 0; a < n; ++a)
      for (int axis = 0; axis < 3; ++axis) {
        rest4[a][axis].set(lane, rest[lane][a][axis]);
        x4[a][axis].set(lane, x[lane][a][axis]);
      }
  }
  const auto g4 = rest_gradients<TypeParam>(rest4);
  Lanes4 f4[3 * n] = {}, h4[packed_size(3 * n)] = {}, p4h[packed_size(3 * n)] = {}, d4[3 * n] = {};
  assemble_element<StableNeoHookean, TypeParam>(x4, g4, p4, f4, h4);
  assemble_matrix<StableNeoHookean, TypeParam, TangentKind::projected>(x4, g4, p4, p4h);
  const Lanes4 energy4 = element_energy<StableNeoHookean, TypeParam>(x4, g4, p4), volume4 = deformed_volume(x4, g4, d4);
  Lanes4 lumped4[n];
  TypeParam::lumped_volume(g4.weight, lumped4);
  for (int lane = 0; lane < 4; ++lane) {
    const auto g = rest_gradients<TypeParam>(rest[lane].data());
    double f[3 * n] = {}, h[packed_size(3 * n)] = {}, ph[packed_size(3 * n)] = {}, d[3 * n] = {}, lumped[n], scale = 0;
    assemble_element<StableNeoHookean, TypeParam>(x[lane].data(), g, p, f, h);
    assemble_matrix<StableNeoHookean, TypeParam, TangentKind::projected>(x[lane].data(), g, p, ph);
    for (const double v : h) scale = std::max(scale, std::fabs(v));
    const double energy = element_energy<StableNeoHookean, TypeParam>(x[lane].data(), g, p);
    EXPECT_NEAR(energy4[lane], energy, 1e-13 * energy);
    const double volume = deformed_volume(x[lane].data(), g, d);
    EXPECT_NEAR(volume4[lane], volume, 1e-13 * std::fabs(volume));
    TypeParam::lumped_volume(g.weight, lumped);
    for (int a = 0; a < n; ++a) EXPECT_NEAR(lumped4[a][lane], lumped[a], 1e-13 * lumped[a]);
    for (int i = 0; i < 3 * n; ++i) {
      EXPECT_NEAR(f4[i][lane], f[i], 1e-13 * scale);
      EXPECT_NEAR(d4[i][lane], d[i], 1e-13);
    }
    for (std::size_t i = 0; i < packed_size(3 * n); ++i) {
      EXPECT_NEAR(h4[i][lane], h[i], 1e-13 * scale);
      EXPECT_NEAR(p4h[i][lane], ph[i], 1e-13 * scale);
    }
  }
}

// With the boundary held on an affine map, the inner nodes of any mesh must settle on it.
template <class Element>
double patch_error(SolidMesh<Element> mesh, const BoxGrid& grid, Pressure pressure) {
  Random random(8, 0);
  const Mat3d a{{1.2, 0.05, -0.1}, {0.1, 0.9, 0}, {0, 0.2, 1.1}};
  std::vector<int> free;
  std::vector<Vec3d> x;
  for (std::size_t i = 0; i < mesh.rest.size(); ++i) {
    x.push_back(a * mesh.rest[i]);
    if (grid.on_boundary(mesh.rest[i])) continue;
    x[i] += random_vector(random, 0.01);
    for (int c = 0; c < 3; ++c) free.push_back(3 * static_cast<int>(i) + c);
  }
  for (int iteration = 0; iteration < 8; ++iteration) {
    Eigen::VectorXd residual;
    const auto matrix = assemble_mesh(mesh, x, lame(1.0, 0.4), pressure, residual);
    const Eigen::MatrixXd dense(restricted(matrix, free));
    Eigen::VectorXd r(free.size());
    for (std::size_t i = 0; i < free.size(); ++i) r(static_cast<Eigen::Index>(i)) = residual(free[i]);
    const Eigen::VectorXd d = dense.ldlt().solve(r);
    for (std::size_t i = 0; i < free.size(); ++i)
      x[static_cast<std::size_t>(free[i] / 3)][free[i] % 3] -= d(static_cast<Eigen::Index>(i));
  }
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) worst = std::max(worst, norm(x[i] - a * mesh.rest[i]));
  return worst;
}

TEST(PatchTest, InnerNodesSettleOnTheAffineMapOfTheBoundary) {
  const BoxGrid grid{{3, 3, 3}, {1, 1, 1}};
  const auto disturbed = [&](auto mesh) {
    Random random(9, 0);
    for (Vec3d& x : mesh.rest)
      if (!grid.on_boundary(x)) x += random_vector(random, 0.08);
    return mesh;
  };
  const auto five = disturbed(tetrahedra(grid, Split::five));
  const auto hexes = disturbed(hexahedra(grid));
  const double errors[] = {patch_error(five, grid, Pressure::at_points),
                           patch_error(disturbed(tetrahedra(grid, Split::kuhn)), grid, Pressure::at_points),
                           patch_error(hexes, grid, Pressure::at_points), patch_error(hexes, grid, Pressure::mean),
                           patch_error(quadratic(five), grid, Pressure::at_points)};
  const char* names[] = {"P1_five", "P1_kuhn", "Q1", "Q1P0", "P2"};
  for (int i = 0; i < 5; ++i) {
    RecordProperty(names[i], std::to_string(errors[i] * 1e16) + "e-16");
    EXPECT_LT(errors[i], 1e-14) << names[i];
  }
}

// Fractions of 500 random single elements, half of them inverted, that projected Newton brings to a rotation of
// the rest shape and to a point.
template <class Material>
std::pair<double, double> rest_and_collapsed(double poisson) {
  using Matrix9 = Eigen::Matrix<double, 9, 9>;
  using Vector9 = Eigen::Matrix<double, 9, 1>;
  constexpr int samples = 500;
  const auto p = Material::from_lame(lame(1.0, poisson));
  // Node 0 stays at the origin and the rest edges are the axes: edges of x are the columns of F.
  const auto at_rest = nodes<Tetrahedron>();
  const auto g = rest_gradients<Tetrahedron>(at_rest.data());
  const double volume = 1.0 / 6;
  int rest = 0, collapsed = 0;
  for (int k = 0; k < samples; ++k) {
    Random random(10, static_cast<std::uint64_t>(k));
    const auto normal = [&] {
      return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * M_PI * random.uniform());
    };
    const double size = random.uniform(0, 1.5);
    Vector9 x;
    for (int i = 0; i < 9; ++i) x(i) = size * normal();
    const auto place = [](const Vector9& v) {
      return std::array<Vec3d, 4>{{{0, 0, 0}, {v(0), v(1), v(2)}, {v(3), v(4), v(5)}, {v(6), v(7), v(8)}}};
    };
    const auto energy = [&](const Vector9& v) { return element_energy<Material, Tetrahedron>(place(v).data(), g, p); };
    for (int iteration = 0; iteration < 200; ++iteration) {
      double f[12] = {}, h[78] = {};
      assemble_element<Material, Tetrahedron>(place(x).data(), g, p, f, h);
      Matrix9 m;
      for (int i = 0; i < 9; ++i)
        for (int j = 0; j <= i; ++j) m(i, j) = m(j, i) = h[packed(i + 3, j + 3)];
      const Vector9 residual = Eigen::Map<Vector9>(f + 3);
      if (residual.norm() < 1e-12) break;
      const Eigen::SelfAdjointEigenSolver<Matrix9> e(m);
      const Vector9 value = e.eigenvalues().cwiseMax(1e-2 * p.mu * volume);
      const Vector9 d =
          -(e.eigenvectors() * value.cwiseInverse().asDiagonal() * e.eigenvectors().transpose() * residual);
      double step = 1;
      const double before = energy(x);
      int halvings = 0;
      while (!(energy(x + step * d) <= before + 1e-14 * std::fabs(before)) && ++halvings < 40) step *= 0.5;
      if (halvings == 40) break;
      x += step * d;
    }
    const Vec3d s = svd3(deformation_gradient<4>(place(x).data(), g.gradient[0])).s;
    rest += std::max({std::fabs(s.x - 1), std::fabs(s.y - 1), std::fabs(std::fabs(s.z) - 1)}) < 1e-4 && s.z > 0;
    collapsed += s.x < 1e-2;
  }
  return {double(rest) / samples, double(collapsed) / samples};
}

TEST(Collapse, TheLogarithmBringsEveryElementBack) {
  for (const double poisson : {0.3, 0.45, 0.49}) {
    const auto [rest, collapsed] = rest_and_collapsed<LogNeoHookean>(poisson);
    EXPECT_EQ(rest, 1) << poisson;
    EXPECT_EQ(collapsed, 0) << poisson;
  }
}

TEST(Collapse, ThePlainModelLosesSome) {
  const double poisson[] = {0.3, 0.45, 0.49}, published[] = {0.166, 0.050, 0.006};
  for (int i = 0; i < 3; ++i) {
    const auto [rest, collapsed] = rest_and_collapsed<StableNeoHookean>(poisson[i]);
    // [method notes, solids 2.4]: two independent samples of 500 differ by less than three standard deviations.
    const double spread = 3 * std::sqrt(2 * published[i] * (1 - published[i]) / 500);
    EXPECT_NEAR(collapsed, published[i], spread) << poisson[i];
    EXPECT_DOUBLE_EQ(rest + collapsed, 1);
    RecordProperty("collapsed_" + std::to_string(i), std::to_string(collapsed));
  }
}

}  // namespace
}  // namespace ymir
