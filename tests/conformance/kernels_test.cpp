// Properties every constraint kernel has: derivatives against finite differences, invariance under rigid motion, no net
// force nor torque, the same numbers in lanes, and a solver matrix that equals dense assembly.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "dense_rod.h"
#include "kernel_list.h"
#include "ymir/actions/constraint_set.h"
#include "ymir/base/random.h"
#include "ymir/objects/strand_newton.h"

namespace ymir::conformance {
namespace {

constexpr int vertices = 7, strands = 40;

Vec3d random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// Bent by up to about a right angle per vertex, edges of unequal length, twisted.
DenseRod random_rod(std::uint64_t index) {
  Random random(11, index);
  std::vector<Vec3d> x{random_vector(random, 1)};
  while (static_cast<int>(x.size()) < vertices) {
    const Vec3d e = Vec3d{0.4, 0, 0} + random_vector(random, 0.4);
    if (norm(e) > 0.2) x.push_back(x.back() + e);
  }
  std::vector<double> angles;
  for (int i = 0; i + 1 < vertices; ++i) angles.push_back(random.uniform(-1.5, 1.5));
  return {x, {0.1, 1, 0.3}, angles};
}

template <class K>
Material<K> random_material(const DenseRod& rod, std::uint64_t index) {
  Random random(12, index);
  Material<K> m{std::vector<std::array<double, K::rows>>(static_cast<std::size_t>(rod.vertices())), {}};
  m.weight = m.rest;
  for (int i = ElementsOf<K>::first(); i < ElementsOf<K>::last(rod.vertices()); ++i) {
    const auto c = value_of<K>(rod, i);
    const auto at = static_cast<std::size_t>(i);
    for (std::size_t a = 0; a < K::rows; ++a) {
      m.rest[at][a] = c[a] + (K::rows == 1 ? 0.1 : 0.5) * random.uniform(-1, 1);
      m.weight[at][a] = random.uniform(0.5, 3);
    }
  }
  return m;
}

std::vector<double> unit(int dofs, int k, double size) {
  std::vector<double> d(static_cast<std::size_t>(dofs), 0);
  d[static_cast<std::size_t>(k)] = size;
  return d;
}

template <class K>
std::vector<double> gradient(const DenseRod& rod, const Material<K>& m) {
  std::vector<double> g(static_cast<std::size_t>(rod.dofs()), 0);
  add_gradient(rod, m, g);
  return g;
}

double largest(const std::vector<double>& v) {
  double m = 0;
  for (const double a : v) m = std::max(m, std::fabs(a));
  return m;
}

// Angles that an edge has: the last vertex starts none.
bool exists(const DenseRod& rod, int dof) { return dof != rod.dofs() - 1; }

template <class K>
class Kernel : public testing::Test {};
TYPED_TEST_SUITE(Kernel, Kernels);

TYPED_TEST(Kernel, GradientMatchesFiniteDifferences) {
  using K = TypeParam;
  constexpr double h = 1e-6;
  double worst_c = 0, worst_g = 0;
  for (std::uint64_t s = 0; s < strands; ++s) {
    const DenseRod rod = random_rod(s);
    const Material<K> m = random_material<K>(rod, s);
    const auto g = gradient(rod, m);
    for (int k = 0; k < rod.dofs(); ++k) {
      if (!exists(rod, k)) continue;
      const DenseRod plus = rod.displaced(unit(rod.dofs(), k, h)), minus = rod.displaced(unit(rod.dofs(), k, -h));
      worst_g =
          std::max(worst_g, std::fabs((energy(plus, m) - energy(minus, m)) / (2 * h) - g[static_cast<std::size_t>(k)]) /
                                largest(g));
      for (int i = ElementsOf<K>::first(); i < ElementsOf<K>::last(rod.vertices()); ++i) {
        const int local = k - ElementsOf<K>::base(i);
        const auto up = value_of<K>(plus, i), down = value_of<K>(minus, i);
        const auto j = gradient_of<K>(rod, i);
        for (std::size_t a = 0; a < K::rows; ++a) {
          const double exact = local >= 0 && local < K::dofs ? j[a][static_cast<std::size_t>(local)] : 0;
          worst_c = std::max(worst_c, std::fabs((up[a] - down[a]) / (2 * h) - exact));
        }
      }
    }
  }
  fmt::print("dC/dq off by {:.1e}, gradient of the energy by {:.1e} of its largest component\n", worst_c, worst_g);
  EXPECT_LT(worst_c, 1e-7);
  EXPECT_LT(worst_g, 1e-7);
}

TYPED_TEST(Kernel, HessianMatchesSecondDifferencesWithBaseFramesFixed) {
  using K = TypeParam;
  constexpr double h = 1e-4;
  double worst = 0;
  for (std::uint64_t s = 0; s < 6; ++s) {
    const DenseRod rod = random_rod(s);
    const Material<K> m = random_material<K>(rod, s);
    Dense exact(rod.dofs());
    add_hessian(rod, m, exact);
    const auto at = [&](int i, double a, int j, double b) {
      auto d = unit(rod.dofs(), i, a);
      d[static_cast<std::size_t>(j)] += b;
      return energy(rod.displaced(d), m);
    };
    for (int i = 0; i < rod.dofs(); ++i)
      for (int j = i; j < rod.dofs(); ++j) {
        if (!exists(rod, i) || !exists(rod, j)) continue;
        const double difference = (at(i, h, j, h) - at(i, h, j, -h) - at(i, -h, j, h) + at(i, -h, j, -h)) / (4 * h * h);
        worst = std::max(worst, std::fabs(difference - exact(i, j)) / exact.largest());
        EXPECT_NEAR(exact(i, j), exact(j, i), 1e-14 * exact.largest());
      }
  }
  fmt::print("Hessian off by {:.1e} of its largest entry\n", worst);
  EXPECT_LT(worst, 1e-5);
}

TYPED_TEST(Kernel, ForceJacobianIsTheHessianPlusItsAntisymmetricPart) {
  // With frames that follow the motion, forces are no gradient: A = (dE/dangle) [t]x / (2 l^2) on the ends of every
  // edge.
  using K = TypeParam;
  constexpr double h = 1e-5;
  double worst = 0, without = 0;
  for (std::uint64_t s = 0; s < strands; ++s) {
    const DenseRod rod = random_rod(s);
    const Material<K> m = random_material<K>(rod, s);
    const auto g = gradient(rod, m);
    Dense hessian(rod.dofs());
    add_hessian(rod, m, hessian);
    Dense exact = hessian;
    for (int i = 0; i + 1 < rod.vertices(); ++i) {
      const RodEdge<double> e = rod.edge(i);
      const Vec3d w = e.t * (g[static_cast<std::size_t>(4 * i + 3)] * e.inverse_length * e.inverse_length / 2);
      const double skew[3][3] = {{0, -w.z, w.y}, {w.z, 0, -w.x}, {-w.y, w.x, 0}};
      for (int r = 0; r < 3; ++r)
        for (int q = 0; q < 3; ++q)
          for (const int a : {0, 4})
            for (const int b : {0, 4}) exact(4 * i + a + r, 4 * i + b + q) += (a == b ? 1 : -1) * skew[r][q];
    }
    for (int k = 0; k < rod.dofs(); ++k) {
      if (!exists(rod, k)) continue;
      const auto plus = gradient(rod.displaced(unit(rod.dofs(), k, h)), m),
                 minus = gradient(rod.displaced(unit(rod.dofs(), k, -h)), m);
      for (int i = 0; i < rod.dofs(); ++i) {
        const double difference = (plus[static_cast<std::size_t>(i)] - minus[static_cast<std::size_t>(i)]) / (2 * h);
        worst = std::max(worst, std::fabs(difference - exact(i, k)) / hessian.largest());
        without = std::max(without, std::fabs(difference - hessian(i, k)) / hessian.largest());
      }
    }
  }
  fmt::print("force Jacobian off by {:.1e} ({:.1e} from the symmetric Hessian alone)\n", worst, without);
  EXPECT_LT(worst, 1e-6);
}

TYPED_TEST(Kernel, ForcesAreLinearInTheRestValues) {
  // dC/dp = -1: g(p + d) = g(p) - J'W d.
  using K = TypeParam;
  for (std::uint64_t s = 0; s < strands; ++s) {
    const DenseRod rod = random_rod(s);
    const Material<K> m = random_material<K>(rod, s);
    Material<K> changed = m;
    auto expected = gradient(rod, m);
    Random random(13, s);
    for (int i = ElementsOf<K>::first(); i < ElementsOf<K>::last(rod.vertices()); ++i) {
      const auto j = gradient_of<K>(rod, i);
      const auto at = static_cast<std::size_t>(i), base = static_cast<std::size_t>(ElementsOf<K>::base(i));
      for (std::size_t a = 0; a < K::rows; ++a) {
        const double d = random.uniform(-1, 1);
        changed.rest[at][a] += d;
        for (std::size_t k = 0; k < K::dofs; ++k) expected[base + k] -= j[a][k] * m.weight[at][a] * d;
      }
    }
    const auto got = gradient(rod, changed);
    for (std::size_t k = 0; k < got.size(); ++k) EXPECT_NEAR(got[k], expected[k], 1e-13 * largest(expected));
  }
}

TYPED_TEST(Kernel, IsInvariantUnderRigidMotionWithoutNetForceOrTorque) {
  using K = TypeParam;
  double worst_energy = 0, worst_force = 0, net = 0;
  for (std::uint64_t s = 0; s < strands; ++s) {
    const DenseRod rod = random_rod(s);
    const Material<K> m = random_material<K>(rod, s);
    Random random(14, s);
    const Vec3d a = normalized(random_vector(random, 1)), shift = random_vector(random, 3);
    const Vec3d b = orthonormalized(random_vector(random, 1), a), c = cross(a, b);
    const auto rotated = [&](Vec3d v) { return a * v.x + b * v.y + c * v.z; };
    DenseRod moved_rod = rod;
    for (Vec3d& x : moved_rod.x) x = rotated(x) + shift;
    for (std::size_t i = 0; i < rod.edges.size(); ++i) {
      const Vec3d e = moved_rod.x[i + 1] - moved_rod.x[i];
      moved_rod.edges[i] = {normalized(e), 1 / norm(e), rotated(rod.edges[i].m1)};
    }
    const double e = energy(rod, m);
    worst_energy = std::max(worst_energy, std::fabs(energy(moved_rod, m) - e) / e);
    const auto g = gradient(rod, m), h = gradient(moved_rod, m);
    Vec3d force{0, 0, 0}, torque{0, 0, 0};
    for (std::size_t i = 0; i < rod.x.size(); ++i) {
      const Vec3d f{g[4 * i], g[4 * i + 1], g[4 * i + 2]}, turned_f{h[4 * i], h[4 * i + 1], h[4 * i + 2]};
      worst_force = std::max(
          {worst_force, norm(rotated(f) - turned_f) / largest(g), std::fabs(g[4 * i + 3] - h[4 * i + 3]) / largest(g)});
      force += f;
      torque += cross(rod.x[i], f);
      if (i < rod.edges.size()) torque += rod.edges[i].t * g[4 * i + 3];
    }
    net = std::max({net, norm(force) / largest(g), norm(torque) / largest(g)});
  }
  fmt::print("after rigid motion: energy off by {:.1e}, forces by {:.1e}; net force and torque {:.1e}\n", worst_energy,
             worst_force, net);
  EXPECT_LT(worst_energy, 1e-12);
  EXPECT_LT(worst_force, 1e-12);
  EXPECT_LT(net, 1e-13);
}

using Real = Lanes<double, 4>;

// Four rods side by side.
struct LaneRod {
  std::vector<DenseRod> rods;
  RodEdge<Real> edge(int i) const {
    RodEdge<Real> e;
    for (int lane = 0; lane < 4; ++lane) {
      const RodEdge<double> from = rods[static_cast<std::size_t>(lane)].edge(i);
      e.inverse_length.set(lane, from.inverse_length);
      for (int k = 0; k < 3; ++k) {
        e.t[k].set(lane, from.t[k]);
        e.m1[k].set(lane, from.m1[k]);
      }
    }
    return e;
  }
  Real twist(int i) const {
    Real t;
    for (int lane = 0; lane < 4; ++lane) t.set(lane, rods[static_cast<std::size_t>(lane)].twist(i));
    return t;
  }
};

TYPED_TEST(Kernel, GivesTheSameBitsInLanesAsInDoubles) {
  using K = TypeParam;
  const LaneRod four{{random_rod(0), random_rod(1), random_rod(2), random_rod(3)}};
  for (int i = ElementsOf<K>::first(); i < ElementsOf<K>::last(vertices); ++i) {
    const auto g = K::gather(four, i);
    Real c[K::rows], j[K::rows][K::coordinates], y[K::rows], h[packed_size(K::coordinates)];
    K::value(g, c);
    K::gradient(g, j);
    for (int a = 0; a < K::rows; ++a) y[a] = Real::all(0.3 + a);
    for (auto& entry : h) entry = Real::all(0);
    K::add_curvature(g, y, h);
    for (int lane = 0; lane < 4; ++lane) {
      const auto one = K::gather(four.rods[static_cast<std::size_t>(lane)], i);
      double c1[K::rows], j1[K::rows][K::coordinates], y1[K::rows], h1[packed_size(K::coordinates)] = {};
      K::value(one, c1);
      K::gradient(one, j1);
      for (int a = 0; a < K::rows; ++a) y1[a] = 0.3 + a;
      K::add_curvature(one, y1, h1);
      for (int a = 0; a < K::rows; ++a) {
        EXPECT_EQ(c[a][lane], c1[a]);
        for (int k = 0; k < K::coordinates; ++k) EXPECT_EQ(j[a][k][lane], j1[a][k]);
      }
      for (std::size_t k = 0; k < packed_size(K::coordinates); ++k) EXPECT_EQ(h[k][lane], h1[k]);
    }
  }
}

// A Strand System with what the solver needs for random rods, one per lane, and one set of the kernel under test.
template <class K>
struct SolverRods {
  Communicator alone;
  GridDomain domain{1.0, 1, alone};
  StrandSystem system{domain};
  RodChannels rod{};
  ConstraintChannels set;
  std::vector<std::unique_ptr<StrandConstraint>> constraints;
  std::vector<DenseRod> rods;
  std::vector<Material<K>> materials;

  SolverRods() {
    using Kind = StrandSystem::Kind;
    rod = {system.add_vector("position", Kind::state),
           system.add_vector("velocity", Kind::state),
           system.add_vector("m1", Kind::state),
           system.add_channel("spin", Kind::state),
           system.add_channel("twist", Kind::state),
           system.add_channel("rest_length", Kind::constant),
           system.add_channel("mass", Kind::constant),
           system.add_channel("inertia", Kind::constant),
           system.add_channel("free_position", Kind::constant),
           system.add_channel("free_angle", Kind::constant),
           system.add_channel("radius", Kind::constant)};
    set.rest = system.channel_count();
    for (int a = 0; a < K::rows; ++a) system.add_channel("rest", Kind::constant);
    set.weight = system.channel_count();
    for (int a = 0; a < K::rows; ++a) system.add_channel("weight", Kind::constant);
    std::vector<Strand> all;
    for (std::uint64_t s = 0; s < 4; ++s) {
      rods.push_back(random_rod(s));
      materials.push_back(random_material<K>(rods.back(), s));
      all.push_back(make(static_cast<std::int64_t>(s)));
    }
    system.assign(std::move(all));
    system.save();
    constraints.push_back(
        std::make_unique<ConstraintSet<K>>("test", "kernel", system, set, ConstraintMode::stiffness, Damping{}));
  }

  Strand make(std::int64_t id) {
    Strand strand = system.make_strand(id, vertices);
    const DenseRod& from = rods.back();
    for (std::size_t i = 0; i < vertices; ++i) {
      for (int k = 0; k < 3; ++k) {
        strand.channel(rod.position + k)[i] = from.x[i][k];
        strand.channel(rod.m1 + k)[i] = i + 1 < vertices ? from.edges[i].m1[k] : 0;
      }
      strand.channel(rod.twist)[i] = from.twists[i];
      strand.channel(rod.rest_length)[i] = 0.4;
      strand.channel(rod.mass)[i] = 0.01 * static_cast<double>(i + 1);
      strand.channel(rod.inertia)[i] = 0.001;
      // Vertex 1 given: the edge before it, the ghost edge of a clamp, then counts.
      strand.channel(rod.free_position)[i] = i == 1 ? 0 : 1;
      strand.channel(rod.free_angle)[i] = i + 1 < vertices && i != 3 ? 1 : 0;
      for (int a = 0; a < K::rows; ++a) {
        strand.channel(set.rest + a)[i] = materials.back().rest[i][static_cast<std::size_t>(a)];
        strand.channel(set.weight + a)[i] = materials.back().weight[i][static_cast<std::size_t>(a)];
      }
    }
    return strand;
  }
};

TYPED_TEST(Kernel, MakesABandMatrixThatEqualsDenseAssembly) {
  using K = TypeParam;
  SolverRods<K> solver;
  StrandNewton newton(solver.system, solver.rod);
  constexpr double dt = 0.1;
  newton.begin(0, dt, dt, nullptr, {}, solver.constraints);
  newton.step().beta = Real::all(1);
  newton.assemble({}, solver.constraints);
  const StrandStep& step = newton.step();
  constexpr int column = PlainLayout::half_bandwidth + 1;
  for (int lane = 0; lane < 4; ++lane) {
    const auto l = static_cast<std::size_t>(lane);
    const DenseRod& rod = solver.rods[l];
    Dense expected(rod.dofs());
    std::vector<double> g(static_cast<std::size_t>(rod.dofs()), 0);
    // The edge element that starts at vertex 0 belongs to the ghost edge and has no stretch.
    Material<K> m = solver.materials[l];
    for (std::size_t a = 0; a < K::rows; ++a)
      if (K::dofs == 7) m.weight[0][a] = 0;
    add_hessian(rod, m, expected);
    add_gradient(rod, m, g);
    for (int r = 0; r < rod.dofs(); ++r) {
      const bool angle = r % 4 == 3;
      expected(r, r) += (angle ? 0.001 : 0.01 * (r / 4 + 1)) / (dt * dt);
    }
    const auto given = [&](int r) { return r % 4 == 3 ? r / 4 == 3 || r / 4 == vertices - 1 : r / 4 == 1; };
    for (int r = 0; r < rod.dofs(); ++r) {
      EXPECT_NEAR(step.residual[r][lane], given(r) ? 0 : g[static_cast<std::size_t>(r)], 1e-12 * largest(g)) << r;
      for (int s = 0; s <= r; ++s) {
        const double entry = given(r) || given(s) ? (r == s ? 1 : 0) : expected(r, s);
        if (r - s >= column)
          EXPECT_EQ(entry, 0) << r << " " << s;
        else
          EXPECT_NEAR(step.matrix[s * column + r - s][lane], entry, 1e-13 * expected.largest()) << r << " " << s;
      }
    }
  }
}

TEST(KernelList, NamesEveryKernelOfTheSources) {
  std::set<std::string, std::less<>> listed(kernel_names.begin(), kernel_names.end());
  const std::filesystem::path root = YMIR_SOURCE_DIR;
  for (const TestedElsewhere& other : tested_elsewhere) {
    listed.emplace(other.name);
    EXPECT_TRUE(std::filesystem::exists(root / other.test)) << other.test;
  }
  std::set<std::string, std::less<>> found;
  for (const auto& file : std::filesystem::recursive_directory_iterator(root / "src/ymir/physics")) {
    if (file.path().extension() != ".h") continue;
    std::ifstream in(file.path());
    std::string line, last_struct;
    while (std::getline(in, line)) {
      std::istringstream words(line);
      std::string word;
      if (line.starts_with("struct ") && words >> word >> word) last_struct = word;
      if (line.find("static constexpr int rows") != std::string::npos) found.insert(last_struct);
    }
  }
  EXPECT_EQ(found, listed);
}

}  // namespace
}  // namespace ymir::conformance
