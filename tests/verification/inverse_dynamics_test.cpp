// Inverse dynamics of rods: rest shapes that hold a groom against gravity, and derivatives of equilibria.
#include "ymir/objects/inverse_dynamics.h"

#include <fmt/format.h>

#include "rod_run.h"
#include "ymir/base/random.h"

namespace ymir::verification {
namespace {

// A curl of radius 5 mm and pitch 20 mm.
RodCase curl(double length, int edges = 50) {
  constexpr double radius = 5e-3, pitch = 20e-3;
  RodCase rod;
  for (int i = 0; i <= edges; ++i) {
    const double a = 2 * M_PI * length * i / edges / std::hypot(pitch, 2 * M_PI * radius);
    rod.shape.push_back({pitch * a / (2 * M_PI), radius * (std::cos(a) - 1), radius * std::sin(a)});
  }
  rod.radius = 40e-6;
  const CrossSection section{rod.radius, rod.radius};
  rod.bend1 = rod.bend2 = 4e9 * section.bending1();
  rod.twist = 4e9 / (2 * 1.35) * section.torsion();
  rod.stretch = 4e9 * section.area();
  rod.mass = 1300 * section.area();
  rod.newton = {1e-9, 100};
  return rod;
}

Vec3d gravity_of(const RodCase& rod) { return {0, 0, -9.81 * rod.mass}; }

Compensation compensate(RodRun& run, double share) {
  CurvesObject& object = run.object();
  object.save();
  StrandNewton newton(object.strands(), object.rod_channels());
  return InverseDynamics(newton, object.forces(), object.constraints())
      .compensate(0, std::vector<StrandReal>(static_cast<std::size_t>(object.strands().group(0).vertices),
                                             StrandReal::all(share)));
}

// Largest coordinate by which a vertex is away from the groom [m].
double away(RodRun& run, const RodCase& rod) {
  double worst = 0;
  for (int i = 0; i < run.vertices(); ++i) {
    const Vec3d d = run.position(i) - rod.shape[static_cast<std::size_t>(i)];
    worst = std::max({worst, std::fabs(d.x), std::fabs(d.y), std::fabs(d.z)});
  }
  return worst;
}

void perturb(RodRun& run, double size) {
  Random random(7, 0);
  for (int i = 1; i < run.vertices(); ++i)
    for (int k = 0; k < 3; ++k)
      run.at(run.object().rod_channels().position + k, i) += size * random.uniform(-1, 1) * std::sqrt(3.0);
}

TEST(GravityCompensation, HoldsACurlThatWouldSagByAQuarterOfItsLength) {
  for (const bool inextensible : {false, true}) {
    RodCase rod = curl(0.1);
    rod.inextensible = inextensible;
    {
      RodRun naive(rod);
      naive.weight = gravity_of(rod);
      naive.settle(1);
      fmt::print("naive sag {:.2f} mm\n", 1e3 * away(naive, rod));
      EXPECT_NEAR(away(naive, rod), 25.1e-3, 0.2 * 25.1e-3);
    }
    RodRun run(rod);
    run.weight = gravity_of(rod);
    const Compensation result = compensate(run, 1);
    perturb(run, 1e-6);
    for (int k = 0; k < 60; ++k) run.step(0.2);
    fmt::print("compensated{}: residual {:.1e} of a vertex's weight, {:.1e} m away\n",
               inextensible ? ", inextensible" : "", result.residual, away(run, rod));
    EXPECT_LE(result.residual, 2e-8);
    EXPECT_EQ(result.stiffened, 0);
    EXPECT_LE(away(run, rod), 2.4e-8);
  }
}

TEST(GravityCompensation, StiffensACurlThatCouldNotStand) {
  const RodCase rod = curl(0.2);
  {
    RodRun naive(rod);
    naive.weight = gravity_of(rod);
    naive.settle(1);
    fmt::print("naive sag {:.1f} mm\n", 1e3 * away(naive, rod));
    EXPECT_NEAR(away(naive, rod), 102e-3, 0.2 * 102e-3);
  }
  RodRun run(rod);
  run.weight = gravity_of(rod);
  const Compensation result = compensate(run, 1);
  perturb(run, 1e-6);
  double worst = 0;
  for (int k = 0; k < 200; ++k) {
    run.step(0.2);
    if (k >= 60) worst = std::max(worst, away(run, rod));
  }
  fmt::print("stiffened {} strands, {:.3g} times; residual {:.1e}, {:.1e} m away\n", result.stiffened,
             result.largest_factor, result.residual, worst);
  EXPECT_EQ(result.stiffened, 1);
  EXPECT_EQ(result.unstable, 0);
  EXPECT_GT(result.largest_factor, 2);  // twice as stiff, one negative pivot is left
  EXPECT_LE(result.largest_factor, 1.5 * 1.5 * 1.5);
  EXPECT_LE(worst, 1e-6);
}

TEST(GravityCompensation, OfAShareOfTheWeightLeavesSomeSag) {
  const double known[3][2] = {{0.9, 3.1e-3}, {0.75, 7.6e-3}, {0.5, 14.3e-3}};
  for (const auto& [share, sag] : known) {
    const RodCase rod = curl(0.1);
    RodRun run(rod);
    run.weight = gravity_of(rod);
    compensate(run, share);
    run.settle(1);
    fmt::print("share {}: sag {:.2f} mm\n", share, 1e3 * away(run, rod));
    EXPECT_NEAR(away(run, rod), sag, 0.2 * sag) << share;
  }
}

// A rod with its inverse dynamics at a fixed configuration; parameters are numbered plane by plane, stretch first.
struct Linearised {
  explicit Linearised(RodRun& r)
      : run(&r),
        newton(r.object().strands(), r.object().rod_channels()),
        inverse(newton, r.object().forces(), r.object().constraints()) {
    r.object().save();
    definite = inverse.linearize(0);
  }
  int vertices() const { return newton.step().vertices; }
  int channel(int plane) const {
    return plane == 0 ? run->sets().stretch.rest : run->sets().bend_twist.rest + plane - 1;
  }
  std::vector<StrandReal> unit(int plane, int vertex) const {
    std::vector<StrandReal> dp(inverse.parameter_count(), StrandReal::all(0));
    dp[static_cast<std::size_t>(plane * vertices() + vertex)].set(0, 1);
    return dp;
  }
  RodRun* run;
  StrandNewton newton;
  InverseDynamics inverse;
  bool definite;
};

struct Parameter {
  int plane, vertex;
};

class EquilibriumJacobian : public testing::TestWithParam<bool> {
 protected:
  static constexpr int edges = 20;
  static RodCase rod() {
    RodCase rod = curl(0.1, edges);
    rod.inextensible = GetParam();
    rod.newton = {1e-13, 100};
    return rod;
  }
  // Steps of three hours, so that inertia is below round-off.
  static void equilibrate(RodRun& run) {
    run.object().save();
    for (int k = 0; k < 8; ++k) {
      for (int i = 0; i < run.vertices(); ++i)
        for (int c = 0; c < 3; ++c) run.at(run.object().rod_channels().velocity + c, i) = 0;
      run.step(1e4);
    }
  }
  static std::vector<Parameter> parameters() {
    std::vector<Parameter> all;
    for (const int vertex : {1, 2, 7, 15, edges - 1})
      for (int plane = 0; plane < 4; ++plane) all.push_back({plane, vertex});
    return all;
  }
};

TEST_P(EquilibriumJacobian, MatchesDifferencesOfResolvedEquilibria) {
  const RodCase rod = EquilibriumJacobian::rod();
  RodRun run(rod);
  run.weight = gravity_of(rod);
  run.settle(1);
  equilibrate(run);
  Linearised at(run);
  ASSERT_TRUE(at.definite);
  // Stiffest mode of stretch, 4 EA/l, by the softest of bending, 3 EI/L^3: what one solve loses.
  const double rounding = 0x1p-53 * 4.0 / 3 * edges * rod.stretch * 0.1 * 0.1 / rod.bend1;
  double worst = 0;
  for (const Parameter& p : parameters()) {
    const int stored = p.vertex - 1;  // as the shape counts
    const double h = p.plane == 0 ? 3e-4 * 0.1 / edges : 3e-4;
    std::vector<Vec3d> difference(static_cast<std::size_t>(run.vertices()), Vec3d{0, 0, 0});
    const double rest = run.at(at.channel(p.plane), stored);
    for (const double offset : {-2.0, -1.0, 1.0, 2.0}) {
      RodRun other(rod);
      other.weight = run.weight;
      other.settle(1);
      other.at(at.channel(p.plane), stored) = rest + offset * h;
      equilibrate(other);
      const double weight = (std::fabs(offset) == 1 ? 8 : -1) * (offset > 0 ? 1 : -1) / (12 * h);
      for (int i = 0; i < run.vertices(); ++i) difference[static_cast<std::size_t>(i)] += other.position(i) * weight;
    }
    std::vector<StrandReal> dx;
    at.inverse.displacement(at.unit(p.plane, p.vertex), dx);
    double error = 0, size = 0;
    for (int i = 0; i < run.vertices(); ++i)
      for (int k = 0; k < 3; ++k) {
        const double d = difference[static_cast<std::size_t>(i)][k];
        error = std::max(error, std::fabs(d - dx[static_cast<std::size_t>(at.newton.row(i + 1, k))][0]));
        size = std::max(size, std::fabs(d));
      }
    EXPECT_LE(error, rounding * size) << "plane " << p.plane << ", vertex " << p.vertex;
    worst = std::max(worst, error / size);
  }
  fmt::print("{}: dx/dp within {:.1e} of re-solved equilibria\n", GetParam() ? "inextensible" : "elastic", worst);
}

TEST_P(EquilibriumJacobian, HasAnAdjointThatGivesTheSameDerivatives) {
  const RodCase rod = EquilibriumJacobian::rod();
  RodRun run(rod);
  run.weight = gravity_of(rod);
  run.settle(1);
  equilibrate(run);
  Linearised at(run);
  ASSERT_TRUE(at.definite);
  Random random(11, 0);
  std::vector<StrandReal> loss(static_cast<std::size_t>(at.newton.rows()), StrandReal::all(0));
  for (int i = 1; i < run.vertices(); ++i)
    for (int k = 0; k < 3; ++k) loss[static_cast<std::size_t>(at.newton.row(i + 1, k))].set(0, random.uniform(-1, 1));
  std::vector<StrandReal> gradient;
  at.inverse.adjoint(loss, gradient);
  double error[2] = {0, 0}, size[2] = {0, 0};  // of rest lengths, of rest curvatures: other units
  for (const Parameter& p : parameters()) {
    std::vector<StrandReal> dx;
    at.inverse.displacement(at.unit(p.plane, p.vertex), dx);
    double forward = 0;
    for (std::size_t r = 0; r < loss.size(); ++r) forward += loss[r][0] * dx[r][0];
    const double backward = gradient[static_cast<std::size_t>(p.plane * at.vertices() + p.vertex)][0];
    const int kind = p.plane == 0 ? 0 : 1;
    error[kind] = std::max(error[kind], std::fabs(backward - forward));
    size[kind] = std::max(size[kind], std::fabs(forward));
  }
  fmt::print("adjoint within {:.1e} (lengths) and {:.1e} (curvatures) of forward\n",
             size[0] > 0 ? error[0] / size[0] : 0, error[1] / size[1]);
  for (int kind = 0; kind < 2; ++kind) EXPECT_LE(error[kind], 2e-8 * size[kind]);
}

INSTANTIATE_TEST_SUITE_P(Curl, EquilibriumJacobian, testing::Values(false, true),
                         [](const auto& p) { return p.param ? "inextensible" : "elastic"; });

// Forces are linear in rest values: any step of differences is exact but for rounding.
TEST(RestForces, MatchDifferencesOfTheResidual) {
  const RodCase rod = curl(0.1, 12);
  RodRun run(rod);
  run.weight = gravity_of(rod);
  for (int k = 0; k < 3; ++k) run.step(0.01);
  Linearised at(run);
  const StrandNewton::Constraints constraints = run.object().constraints();
  const auto rows = static_cast<std::size_t>(at.newton.rows());
  const auto residual = [&] {
    at.inverse.linearize(0);
    std::vector<double> r(rows);
    const StrandStep& s = at.newton.step();
    for (std::size_t i = 0; i < rows; ++i) r[i] = s.residual[i][0] + s.condensed[i][0];
    return r;
  };
  for (int plane = 0; plane < 4; ++plane)
    for (int vertex = 1; vertex < at.vertices() - 1; ++vertex) {
      const double h = plane == 0 ? 1e-5 : 1e-2;
      double& rest = run.at(at.channel(plane), vertex - 1);
      const double before = rest;
      rest = before + h;
      const std::vector<double> above = residual();
      rest = before - h;
      const std::vector<double> below = residual();
      rest = before;
      at.inverse.linearize(0);
      const std::vector<StrandReal> dp = at.unit(plane, vertex);
      std::vector<StrandReal> force(rows + MultiplierLayout::half_bandwidth, StrandReal::all(0));
      std::size_t from = 0;
      for (const auto& c : constraints) {
        c->add_rest_force(at.newton.step(), dp.data() + from, force.data());
        from += static_cast<std::size_t>(c->parameters() * at.vertices());
      }
      at.newton.mask(force.data());
      double error = 0, size = 0;
      for (std::size_t r = 0; r < rows; ++r) {
        const double difference = -(above[r] - below[r]) / (2 * h);
        error = std::max(error, std::fabs(difference - force[r][0]));
        size = std::max(size, std::fabs(difference));
      }
      EXPECT_LE(error, 1e-9 * size) << "plane " << plane << ", vertex " << vertex;
      EXPECT_GT(size, 0);
    }
}

// z . J'W dp = W (J z) . dp for all z and dp: both sides of a Constraint's parameter derivatives.
TEST(RestForces, AreTheTransposeOfStrains) {
  const RodCase rod = curl(0.1, 12);
  RodRun run(rod);
  run.weight = gravity_of(rod);
  for (int k = 0; k < 3; ++k) run.step(0.01);
  Linearised at(run);
  StrandStep& s = at.newton.step();
  Random random(5, 0);
  std::vector<StrandReal> z(static_cast<std::size_t>(at.newton.rows() + MultiplierLayout::half_bandwidth),
                            StrandReal::all(0));
  for (std::size_t r = 0; r < static_cast<std::size_t>(at.newton.rows()); ++r) z[r].set(0, random.uniform(-1, 1));
  for (const auto& c : run.object().constraints()) {
    const auto count = static_cast<std::size_t>(c->parameters() * at.vertices());
    std::vector<StrandReal> dp(count, StrandReal::all(0)), jz(count, StrandReal::all(0)),
        force(z.size(), StrandReal::all(0));
    for (std::size_t k = 0; k < count; ++k) dp[k].set(0, random.uniform(-1, 1));
    c->rest_gradient(s, z.data(), jz.data());
    c->add_rest_force(s, dp.data(), force.data());
    double left = 0, right = 0, size = 0;
    for (std::size_t r = 0; r < z.size(); ++r) left += z[r][0] * force[r][0];
    for (std::size_t k = 0; k < count; ++k) {
      right += jz[k][0] * dp[k][0];
      size += std::fabs(jz[k][0] * dp[k][0]);
    }
    EXPECT_GT(size, 0);
    EXPECT_LE(std::fabs(left - right), 1e-12 * size);
  }
}

}  // namespace
}  // namespace ymir::verification
