#include "ymir/solvers/coulomb/coulomb_solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "coulomb_problems.h"
#include "ymir/parallel/threads.h"
#include "ymir/solvers/coulomb/condensed_problem.h"

namespace ymir {
namespace {

const std::vector<CoulombMethod> methods{CoulombMethod::ladder,        CoulombMethod::sweeps,   CoulombMethod::anderson,
                                         CoulombMethod::newton,        CoulombMethod::proximal, CoulombMethod::schwarz,
                                         CoulombMethod::interior_point};

// The law itself, contact by contact.
void expect_lawful(const CoulombProblem& problem, const std::vector<Vec3d>& r, double tolerance) {
  const std::vector<Vec3d> u = problem.velocities(r);
  double speed = 0;
  for (const Vec3d& q : problem.q) speed = std::max(speed, norm(q));
  for (std::size_t i = 0; i < r.size(); ++i) {
    const double rt = std::hypot(r[i].y, r[i].z), ut = std::hypot(u[i].y, u[i].z);
    EXPECT_LE(rt, problem.mu[i] * r[i].x + tolerance) << i;
    EXPECT_GE(u[i].x, -tolerance * speed) << i;
    EXPECT_LE(std::fabs(r[i].x * u[i].x), tolerance * speed * (1 + r[i].x)) << i;
    // Slip against friction, which is then all there is.
    if (ut > 1e-3 * speed) {
      EXPECT_NEAR(r[i].y * u[i].y + r[i].z * u[i].z, -problem.mu[i] * r[i].x * ut, tolerance * (1 + r[i].x) * 100) << i;
    }
  }
}

// T9
TEST(CoulombSolver, EveryMethodSolvesRandomBodiesAndFindsTheSameVelocities) {
  for (const auto& [objects, freedoms, contacts, friction] :
       {std::tuple{20, 24, 60, 0.3}, std::tuple{12, 12, 48, 0.3}, std::tuple{12, 12, 48, 1.0}})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const CoulombProblem problem = RandomBodies(objects, freedoms, contacts, friction, seed).problem();
      Eigen::VectorXd reference;
      for (const CoulombMethod method : methods) {
        std::vector<Vec3d> r;
        // The interior point method rounds |y_T| off and ends at about 1e-7.
        const double tolerance = method == CoulombMethod::interior_point ? 1e-6 : 1e-9;
        const CoulombReport report = solve_coulomb(problem, r, {.method = method, .tolerance = tolerance});
        EXPECT_EQ(report.status, CoulombStatus::solved) << static_cast<int>(method) << " " << report.errors.scaled;
        EXPECT_LE(report.errors.scaled, tolerance);
        expect_lawful(problem, r, 1e3 * tolerance);
        const Eigen::VectorXd u = flat(problem.velocities(r));
        if (reference.size() == 0) reference = u;
        // Impulses are not unique where W is singular, and at this friction velocities are.
        if (friction < 0.5) {
          EXPECT_LT((u - reference).norm(), 100 * tolerance * reference.norm()) << static_cast<int>(method);
        }
      }
    }
}

TEST(CoulombSolver, EveryLocalSolverOfTheConeSolvesRandomBodies) {
  const CoulombProblem problem = RandomBodies(20, 24, 60, 0.3, 1).problem();
  for (const CoulombSolverName& solver : coulomb_solver_names()) {
    if (solver.method != CoulombMethod::sweeps) continue;
    std::vector<Vec3d> r;
    const CoulombReport report =
        solve_coulomb(problem, r, {.method = solver.method, .local = solver.local, .max_iterations = 1000});
    if (solver.local == LocalSolver::pyramid)
      EXPECT_NE(report.status, CoulombStatus::solved);  // another law
    else
      EXPECT_EQ(report.status, CoulombStatus::solved) << solver.name;
  }
}

// T9: contacts that are left alone change how it is reached, not what.
TEST(CoulombSolver, SleepingContactsDoNotChangeTheResult) {
  const CoulombProblem problem = RandomBodies(12, 12, 48, 0.3, 2).problem();
  std::vector<Vec3d> awake, asleep;
  const CoulombReport a = solve_coulomb(problem, awake, {.method = CoulombMethod::sweeps});
  const CoulombReport b = solve_coulomb(problem, asleep, {.method = CoulombMethod::sweeps, .sleep = 10});
  EXPECT_EQ(a.status, CoulombStatus::solved);
  EXPECT_EQ(b.status, CoulombStatus::solved);
  const Eigen::VectorXd u = flat(problem.velocities(awake)), v = flat(problem.velocities(asleep));
  EXPECT_LT((u - v).norm(), 1e-5 * flat(problem.q).norm());
}

// T10: with no collider that moves, contacts only take energy.
TEST(CoulombSolver, ContactsNeverAddKineticEnergy) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const RandomBodies bodies(12, 12, 48, 0.1 * static_cast<double>(seed), seed);
    std::vector<Vec3d> r;
    ASSERT_EQ(solve_coulomb(bodies.problem(), r, {.tolerance = 1e-9}).status, CoulombStatus::solved);
    const Eigen::VectorXd v = bodies.velocity + bodies.inverse * bodies.gradient.transpose() * flat(r);
    EXPECT_LT(v.dot(bodies.mass * v), bodies.velocity.dot(bodies.mass * bodies.velocity));
  }
}

// T11: the sweeps on W, and sweeps that keep v and know only M^-1 and H.
TEST(CoulombSolver, SweepsOnTheMatrixAreSweepsOnVelocities) {
  const RandomBodies bodies(12, 12, 48, 0.3, 3);
  const CoulombProblem problem = bodies.problem();
  const coulomb::System system = coulomb::scaled_system(problem);
  coulomb::Sweeper sweeper(system);
  coulomb::Vector r(48, coulomb::Lane::all(0));
  Eigen::VectorXd v = bodies.velocity;
  const Eigen::MatrixXd z = bodies.inverse * bodies.gradient.transpose();
  std::vector<Vec3d> x(48);
  for (int sweep = 0; sweep < 20; ++sweep) {
    sweeper.sweep(r, system.q, 0);
    for (int i = 0; i < 48; ++i) {
      const auto h = bodies.gradient.middleRows(3 * i, 3);
      const Eigen::Matrix3d own = h * z.middleCols(3 * i, 3);
      Mat3d w;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) w(a, b) = own(a, b);
      const Eigen::Vector3d u = h * v;
      const Vec3d free = Vec3d{u[0], u[1], u[2]} - w * x[i];
      const Vec3d now = hybrid_contact(hybrid_block(w), free, bodies.mu[i], x[i], 1e-12).r, step = now - x[i];
      v += z.middleCols(3 * i, 3) * Eigen::Vector3d(step.x, step.y, step.z);
      x[i] = now;
    }
    for (int i = 0; i < 48; ++i)
      EXPECT_LT(norm(coulomb::vec3(r[i]) * system.impulse - x[i]), 1e-9 * (1 + norm(x[i]))) << sweep << " " << i;
  }
}

// Case 7: why there is a second level.
TEST(CoulombSolver, AChainNeedsManySweepsAndFewStepsOfNewton) {
  for (const int blocks : {10, 50, 200}) {
    std::vector<Vec3d> r;
    const CoulombReport report = solve_coulomb(chain_to_wall(blocks), r, {.tolerance = 1e-10});
    EXPECT_EQ(report.status, CoulombStatus::solved);
    EXPECT_NEAR(r[0].x, 1, 1e-6);  // the chain's condition number is its length squared
    EXPECT_LE(report.steps, 5);
  }
  std::vector<Vec3d> r;
  const CoulombReport swept =
      solve_coulomb(chain_to_wall(50), r, {.method = CoulombMethod::sweeps, .tolerance = 1e-9, .max_iterations = 5000});
  EXPECT_NE(swept.status, CoulombStatus::solved);
  r.clear();
  const CoulombReport short_chain =
      solve_coulomb(chain_to_wall(10), r, {.method = CoulombMethod::sweeps, .tolerance = 1e-9});
  EXPECT_EQ(short_chain.status, CoulombStatus::solved);
  EXPECT_GT(short_chain.sweeps, 300);
}

// Case 12: one contact of a guided body.
TEST(CoulombSolver, AProblemWithoutSolutionIsReportedAsDiverging) {
  const Vec3d d{0.1, 1, 0};
  for (const CoulombMethod method : {CoulombMethod::ladder, CoulombMethod::proximal}) {
    const CoulombProblem none = coulomb_problem({{0, 0, outer(d, d)}}, {{-1, 0, 0}}, {0.5});
    std::vector<Vec3d> r;
    const CoulombReport report = solve_coulomb(none, r, {.method = method});
    EXPECT_EQ(report.status, CoulombStatus::diverging) << report.errors.scaled;
    EXPECT_GT(report.errors.scaled, 0.1);
    ASSERT_TRUE(is_finite(r[0]));
    EXPECT_LE(report.errors.impulse, 10 * (1 + 1e-12));
    ASSERT_EQ(report.errors.worst.size(), 1U);
  }
  const CoulombProblem some = coulomb_problem({{0, 0, outer(d, d)}}, {{-1, 0, 0}}, {0.05});
  std::vector<Vec3d> r;
  EXPECT_EQ(solve_coulomb(some, r).status, CoulombStatus::solved);
  EXPECT_NEAR(r[0].x, 200, 1e-3);
}

TEST(CoulombSolver, TheWorstContactsAreNamed) {
  const CoulombProblem problem = RandomBodies(12, 12, 48, 0.3, 1).problem();
  std::vector<Vec3d> r;
  const CoulombReport report =
      solve_coulomb(problem, r, {.method = CoulombMethod::sweeps, .tolerance = 1e-12, .max_iterations = 3});
  EXPECT_EQ(report.status, CoulombStatus::failed);
  ASSERT_EQ(report.errors.worst.size(), 5U);
  const std::vector<Vec3d> u = problem.velocities(r);
  std::vector<double> errors;
  for (std::int32_t i = 0; i < 48; ++i)
    for (std::int64_t k = problem.starts[i]; k < problem.starts[i + 1]; ++k)
      if (problem.columns[k] == i)
        errors.push_back(norm(natural_map(r[i], u[i], 0.3, mean_inverse_mass(problem.blocks[k]))));
  std::vector<double> sorted = errors;
  std::sort(sorted.rbegin(), sorted.rend());
  for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(errors[static_cast<std::size_t>(report.errors.worst[k])], sorted[k]);
}

TEST(CoulombSolver, StartedFromItsSolutionThereIsNothingToDo) {
  const CoulombProblem problem = RandomBodies(12, 12, 48, 0.5, 4).problem();
  std::vector<Vec3d> r;
  ASSERT_EQ(solve_coulomb(problem, r, {.tolerance = 1e-9}).status, CoulombStatus::solved);
  const std::vector<Vec3d> before = r;
  const CoulombReport again = solve_coulomb(problem, r, {.tolerance = 1e-8});
  EXPECT_EQ(again.status, CoulombStatus::solved);
  EXPECT_EQ(again.iterations, 0);
  for (std::size_t i = 0; i < r.size(); ++i)
    EXPECT_LT(norm(r[i] - before[i]), 1e-8 * (1 + norm(r[i])));  // put on the cone
  for (Vec3d& x : r) x = x * 1.01;
  EXPECT_LT(solve_coulomb(problem, r).iterations, 100);
  std::vector<Vec3d> wrong(48, {std::numeric_limits<double>::quiet_NaN(), 0, 0});
  EXPECT_EQ(solve_coulomb(problem, wrong).status, CoulombStatus::solved);
}

// Units of mass and velocity change nothing but r and u.
TEST(CoulombSolver, UnitsDoNotMatter) {
  const CoulombProblem problem = RandomBodies(12, 12, 48, 0.5, 5).problem();
  std::vector<Vec3d> r;
  const CoulombReport report = solve_coulomb(problem, r);
  for (const double mass : {1e-12, 1e9})
    for (const double speed : {1e-100, 1e8}) {
      CoulombProblem other = problem;
      for (Mat3d& block : other.blocks) block = block * (1 / mass);
      for (Vec3d& q : other.q) q = q * speed;
      std::vector<Vec3d> x;
      const CoulombReport again = solve_coulomb(other, x);
      EXPECT_EQ(again.status, CoulombStatus::solved) << mass << " " << speed;
      EXPECT_NEAR(again.iterations, report.iterations, 2);
      for (std::size_t i = 0; i < r.size(); ++i) EXPECT_LT(norm(x[i] / (mass * speed) - r[i]), 1e-3 * (1 + norm(r[i])));
    }
}

TEST(CoulombSolver, AdhesionHoldsUntilItIsPulledApart) {
  // 1 kg pulled away at 1 m/s along the normal and .3 along the tangent.
  const auto solve = [](double adhesion) {
    CoulombProblem problem = coulomb_problem({{0, 0, identity3()}}, {{1, 0.3, 0}}, {0.5});
    problem.adhesion = {adhesion};
    std::vector<Vec3d> r;
    const CoulombReport report = solve_coulomb(problem, r, {.tolerance = 1e-10});
    EXPECT_EQ(report.status, CoulombStatus::solved);
    EXPECT_LE(report.errors.scaled, 1e-10);
    const Vec3d u = problem.velocities(r)[0];
    EXPECT_GE(r[0].x, -adhesion - 1e-12);
    EXPECT_LE(std::hypot(r[0].y, r[0].z), 0.5 * (r[0].x + adhesion) + 1e-9);
    return u;
  };
  EXPECT_LT(norm(solve(2)), 1e-9);     // holds: .3 <= .5 (2 - 1)
  EXPECT_NEAR(solve(1.2).x, 0, 1e-9);  // slides: .5 (1.2 - 1) = .1 of friction
  EXPECT_NEAR(solve(1.2).y, 0.2, 1e-9);
  EXPECT_NEAR(solve(0.4).x, 0.6, 1e-9);  // comes off
  EXPECT_NEAR(solve(0.4).y, 0.3, 1e-9);
}

TEST(CoulombSolver, ResultsDoNotDependOnThreads) {
  // Many: they are swept by colours.
  const CoulombProblem problem = chain_to_wall(9000, 0.3);
  std::vector<std::vector<Vec3d>> results;
  const int before = threads();
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    for (const CoulombMethod method : {CoulombMethod::sweeps, CoulombMethod::ladder}) {
      std::vector<Vec3d> r;
      solve_coulomb(problem, r, {.method = method, .max_iterations = 10});
      results.push_back(r);
    }
  }
  set_threads(before);
  for (std::size_t k = 2; k < results.size(); ++k) EXPECT_EQ(results[k], results[k % 2]);
  EXPECT_NE(results[0], results[1]);
}

TEST(CoulombSolver, CoulombProblemsWithoutVelocityOrMassAreHandled) {
  std::vector<Vec3d> r;
  CoulombProblem still = chain_to_wall(5);
  still.q.assign(5, {});
  EXPECT_EQ(solve_coulomb(still, r).status, CoulombStatus::solved);
  for (const Vec3d& x : r) EXPECT_EQ(norm(x), 0);
  // A contact between things that cannot move, approaching: r stays finite, the contact is named.
  CoulombProblem stuck = coulomb_problem({{0, 0, identity3()}, {1, 1, {}}}, {{-1, 0, 0}, {-1, 0, 0}}, {0.5, 0.5});
  r.clear();
  const CoulombReport report = solve_coulomb(stuck, r);
  EXPECT_NE(report.status, CoulombStatus::solved);
  EXPECT_NEAR(r[0].x, 1, 1e-6);
  ASSERT_FALSE(report.errors.worst.empty());
  EXPECT_EQ(report.errors.worst[0], 1);
  for (const Vec3d& x : r) EXPECT_TRUE(is_finite(x));
  // No contacts at all.
  CoulombProblem none;
  r.clear();
  EXPECT_EQ(solve_coulomb(none, r).status, CoulombStatus::solved);
}

TEST(CoulombSolver, DefectsOfAProblemAreNamed) {
  EXPECT_EQ(chain_to_wall(3).defect(), "");
  CoulombProblem problem = chain_to_wall(3);
  problem.mu[1] = -1;
  EXPECT_NE(problem.defect().find("contact 1"), std::string::npos);
  problem = chain_to_wall(3);
  problem.q[2].y = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(problem.defect().find("contact 2"), std::string::npos);
  problem = chain_to_wall(3);
  problem.blocks[0](1, 1) = std::numeric_limits<double>::infinity();
  EXPECT_NE(problem.defect().find("contact 0"), std::string::npos);
  problem = chain_to_wall(3);
  problem.mu.pop_back();
  EXPECT_NE(problem.defect(), "");
  problem = chain_to_wall(3);
  problem.blocks[0] = identity3() * -1.0;
  EXPECT_NE(problem.defect(), "");
}

TEST(CoulombSolver, TheProblemInAllCoordinatesCondensesToItsContacts) {
  const RandomBodies bodies(6, 8, 10, 0.4, 6);
  const CoulombProblem expected = bodies.problem();
  const auto entries = [](const Eigen::MatrixXd& a, std::vector<std::int32_t>& row, std::vector<std::int32_t>& column,
                          std::vector<double>& value) {
    for (int i = 0; i < a.rows(); ++i)
      for (int j = 0; j < a.cols(); ++j)
        if (a(i, j) != 0) {
          row.push_back(i);
          column.push_back(j);
          value.push_back(a(i, j));
        }
    return SparseEntries{static_cast<std::int32_t>(a.rows()), static_cast<std::int32_t>(a.cols()), row, column, value};
  };
  std::vector<std::int32_t> mr, mc, hr, hc;
  std::vector<double> mv, hv;
  const SparseEntries m = entries(bodies.mass, mr, mc, mv), h = entries(bodies.gradient.transpose(), hr, hc, hv);
  const Eigen::VectorXd f = bodies.mass * bodies.velocity;
  const std::vector<double> force(f.data(), f.data() + f.size()), offset(30, 0.25);
  const CoulombProblem problem = condense(m, h, force, offset, bodies.mu);
  ASSERT_EQ(problem.columns, expected.columns);
  for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
    const Mat3d difference = problem.blocks[k] - expected.blocks[k];
    EXPECT_LT(dot(difference, difference), 1e-20);
  }
  for (std::size_t i = 0; i < 10; ++i) EXPECT_LT(norm(problem.q[i] - expected.q[i] - Vec3d{0.25, 0.25, 0.25}), 1e-10);
}

}  // namespace
}  // namespace ymir
