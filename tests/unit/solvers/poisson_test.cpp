#include "poisson_case.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <limits>

#include "ymir/base/random.h"
#include "ymir/data/volume_accessor.h"
#include "ymir/parallel/threads.h"

namespace ymir::bench {
namespace {

// Cells of [-1, n]^3 of a channel, for loops that know nothing of tiles.
template <class T>
class Dense {
 public:
  Dense(const PoissonCase& problem, ChannelId<T> id, int n, int component = 0) : n_(n) {
    const VolumeView<T> view(problem.volume, id, component);
    for (int z = -1; z <= n; ++z)
      for (int y = -1; y <= n; ++y)
        for (int x = -1; x <= n; ++x) values_.push_back(view.value(0, {x, y, z}));
  }
  T operator()(Vec3i v) const { return values_[at(v)]; }
  T& operator[](Vec3i v) { return values_[at(v)]; }

 private:
  std::size_t at(Vec3i v) const {
    return static_cast<std::size_t>(((v.z + 1) * (n_ + 2) + v.y + 1) * (n_ + 2) + v.x + 1);
  }
  int n_;
  std::vector<T> values_;
};

struct DenseProblem {
  DenseProblem(const PoissonCase& problem, int n)
      : c{{problem, problem.coefficient, n, 0},
          {problem, problem.coefficient, n, 1},
          {problem, problem.coefficient, n, 2}},
        cell(problem, problem.cell, n) {}
  double apply(const Dense<double>& x, Vec3i v) const {
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis)
      for (int side = 0; side < 2; ++side) {
        Vec3i face = v, beside = v;
        face[axis] += side;
        beside[axis] += 2 * side - 1;
        sum = std::fma(static_cast<double>(c[axis](face)), x(v) - x(beside), sum);
      }
    return sum;
  }
  Dense<float> c[3];
  Dense<std::uint8_t> cell;
};

template <class F>
void for_cells(int n, F&& body) {
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) body(Vec3i{x, y, z});
}

void set_random(PoissonCase& problem, ChannelId<double> id, std::uint64_t seed) {
  const ChannelId<double> b = problem.b;
  problem.b = id;
  problem.set_random_right_side(seed);
  problem.b = b;
}

double inner(PoissonCase& problem, ChannelId<double> a, ChannelId<double> b) {
  const double *x = problem.volume.tiles(a), *y = problem.volume.tiles(b);
  return sum_over_buckets<double>(problem.volume.buckets(), [&](int t) {
    double sum = 0;
    for (std::ptrdiff_t i = 512 * std::ptrdiff_t{t}; i < 512 * std::ptrdiff_t{t + 1}; ++i) sum += x[i] * y[i];
    return sum;
  });
}

std::vector<double> values(const PoissonCase& problem, ChannelId<double> id) {
  const double* first = problem.volume.tiles(id);
  return {first, first + 512 * std::ptrdiff_t{problem.volume.buckets().local_count()}};
}

PoissonReport solve(PoissonCase& problem, double tolerance = 1e-6) {
  TilePoisson solver(problem.volume);
  solver.set_matrix(problem.coefficient, problem.cell);
  return solver.solve(problem.b, problem.x, {.tolerance = tolerance});
}

TEST(PoissonOperator, GivesExactlyZeroForConstantsInAClosedBox) {
  PoissonCase problem(PoissonGeometry::closed_box, 32);
  fill(problem.volume, problem.x, [](int, Vec3i v, int) { return v.x < 32 && v.y < 32 && v.z < 32 ? 0.1 : 0.0; });
  TilePoisson solver(problem.volume);
  solver.set_matrix(problem.coefficient, problem.cell);
  solver.apply(problem.x, problem.b);
  for (const double value : values(problem, problem.b)) ASSERT_EQ(value, 0.0);
}

TEST(PoissonOperator, IsSymmetric) {
  for (const PoissonGeometry geometry : {PoissonGeometry::cut_sphere, PoissonGeometry::blob, PoissonGeometry::random}) {
    PoissonCase problem(geometry, 32);
    const auto y = problem.volume.add_channel<double>("y"), product = problem.volume.add_channel<double>("product");
    set_random(problem, problem.x, 3);
    set_random(problem, y, 4);
    TilePoisson solver(problem.volume);
    solver.set_matrix(problem.coefficient, problem.cell);
    solver.apply(y, product);
    const double xay = inner(problem, problem.x, product), size = std::sqrt(inner(problem, product, product));
    solver.apply(problem.x, product);
    EXPECT_NEAR(inner(problem, y, product), xay, 1e-12 * size * std::sqrt(inner(problem, y, y)));
    EXPECT_NE(xay, 0.0);
  }
}

TEST(PoissonOperator, EqualsADenseArrayBitForBit) {
  for (const PoissonGeometry geometry : {PoissonGeometry::sphere, PoissonGeometry::blob, PoissonGeometry::random}) {
    constexpr int n = 32;
    PoissonCase problem(geometry, n);
    set_random(problem, problem.x, 5);
    TilePoisson solver(problem.volume);
    solver.set_matrix(problem.coefficient, problem.cell);
    solver.apply(problem.x, problem.b);
    const DenseProblem dense(problem, n);
    const Dense<double> x(problem, problem.x, n), y(problem, problem.b, n);
    for_cells(n, [&](Vec3i v) { ASSERT_EQ(y(v), dense.cell(v) != 0 ? dense.apply(x, v) : 0.0); });
  }
}

struct Expected {
  PoissonGeometry geometry;
  int iterations;
};
class PoissonIterations : public testing::TestWithParam<Expected> {};

TEST_P(PoissonIterations, AreThoseOfTheMethodNotes) {
  PoissonCase problem(GetParam().geometry, 64);
  const PoissonReport report = solve(problem);
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.residual, 1e-6);
  EXPECT_NEAR(report.iterations, GetParam().iterations, 1);
  EXPECT_EQ(report.solver, "V(2,2)");
  EXPECT_FALSE(report.wants_algebraic);
  EXPECT_EQ(report.unknowns, problem.unknowns());
}

INSTANTIATE_TEST_SUITE_P(Easy, PoissonIterations,
                         testing::Values(Expected{PoissonGeometry::box, 5}, Expected{PoissonGeometry::closed_box, 5},
                                         Expected{PoissonGeometry::sphere, 5}, Expected{PoissonGeometry::cut_sphere, 5},
                                         Expected{PoissonGeometry::balls, 6},
                                         // The notes have 8, with half the sum for open sides on coarser levels.
                                         Expected{PoissonGeometry::blob, 5}, Expected{PoissonGeometry::drops, 7}),
                         [](const testing::TestParamInfo<Expected>& tested) {
                           std::string name;
                           for (const PoissonGeometryName& each : poisson_geometries())
                             if (each.geometry == tested.param.geometry) name = each.name;
                           std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

TEST(Poisson, ReachesTwelveDigits) {
  for (const PoissonGeometry geometry : {PoissonGeometry::cut_sphere, PoissonGeometry::closed_box}) {
    constexpr int n = 64;
    PoissonCase problem(geometry, n);
    const PoissonReport report = solve(problem, 1e-12);
    EXPECT_TRUE(report.converged);
    EXPECT_NEAR(report.iterations, 10, 1);
    // The residual reported is that of the solution returned.
    const DenseProblem dense(problem, n);
    const Dense<double> x(problem, problem.x, n), b(problem, problem.b, n);
    double mean = 0, sum = 0, norm = 0;
    if (geometry == PoissonGeometry::closed_box) {
      for_cells(n, [&](Vec3i v) { mean += b(v); });
      mean /= n * n * n;
      EXPECT_NEAR(report.removed, std::abs(mean), 1e-15);
    }
    for_cells(n, [&](Vec3i v) {
      if (dense.cell(v) == 0) return;
      const double value = b(v) - mean, rest = value - dense.apply(x, v);
      norm += value * value;
      sum += rest * rest;
    });
    EXPECT_NEAR(report.residual, std::sqrt(sum / norm), 1e-14);
    EXPECT_LE(report.residual, 1e-12);
  }
}

TEST(Poisson, RemovesTheMeanOfEveryClosedPocket) {
  constexpr int n = 64;
  PoissonCase problem(PoissonGeometry::pockets, n);
  const PoissonReport report = solve(problem, 1e-8);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.closed_components, 30);
  EXPECT_EQ(report.components, 31);

  const DenseProblem dense(problem, n);
  const Dense<double> x(problem, problem.x, n), b(problem, problem.b, n);
  Dense<std::uint8_t> unseen = dense.cell;
  int closed = 0;
  double removed = 0;
  for_cells(n, [&](Vec3i seed) {
    if (unseen(seed) == 0) return;
    std::vector<Vec3i> component{seed};
    unseen[seed] = 0;
    bool open = false;
    double sum_x = 0, sum_b = 0, size = 0;
    for (std::size_t i = 0; i < component.size(); ++i) {
      const Vec3i v = component[i];
      sum_x += x(v);
      sum_b += b(v);
      size += std::abs(x(v));
      for (int axis = 0; axis < 3; ++axis)
        for (int side = 0; side < 2; ++side) {
          Vec3i face = v, beside = v;
          face[axis] += side;
          beside[axis] += 2 * side - 1;
          if (!(dense.c[axis](face) > 0)) continue;
          open |= dense.cell(beside) == 0;
          if (unseen(beside) == 0) continue;
          unseen[beside] = 0;
          component.push_back(beside);
        }
    }
    if (open) return;
    ++closed;
    removed = std::max(removed, std::abs(sum_b) / static_cast<double>(component.size()));
    EXPECT_NEAR(sum_x, 0, 1e-12 * size);
  });
  EXPECT_EQ(closed, 30);
  EXPECT_NEAR(report.removed, removed, 1e-14);
}

TEST(Poisson, SolvesHardGeometriesAndAsksForAnotherMethodWhereThatPays) {
  for (const PoissonGeometry geometry :
       {PoissonGeometry::bubbles, PoissonGeometry::comb, PoissonGeometry::serpentine, PoissonGeometry::random}) {
    PoissonCase problem(geometry, geometry == PoissonGeometry::serpentine ? 64 : 32);
    const PoissonReport report = solve(problem);
    EXPECT_TRUE(report.converged);
    EXPECT_EQ(report.solver, "W(2,2)");
    EXPECT_TRUE(report.wants_algebraic || report.iterations <= 70) << report.iterations;
    EXPECT_EQ(report.wants_algebraic, geometry == PoissonGeometry::serpentine);
  }
}

TEST(Poisson, EndsWhereRoundingDoes) {
  PoissonCase problem(PoissonGeometry::cut_sphere, 32);
  const PoissonReport report = solve(problem, 1e-20);
  EXPECT_FALSE(report.converged);
  EXPECT_LT(report.residual, 1e-14);
  EXPECT_LT(report.iterations, 100);
}

TEST(Poisson, StopsAtTheLargestNumberOfIterations) {
  PoissonCase problem(PoissonGeometry::serpentine, 32);
  TilePoisson solver(problem.volume);
  solver.set_matrix(problem.coefficient, problem.cell);
  const PoissonReport report = solver.solve(problem.b, problem.x, {.tolerance = 1e-10, .max_iterations = 7});
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.iterations, 7);
  EXPECT_LT(report.residual, 1);
}

TEST(Poisson, StartsFromTheGuess) {
  PoissonCase problem(PoissonGeometry::sphere, 32);
  TilePoisson solver(problem.volume);
  solver.set_matrix(problem.coefficient, problem.cell);
  EXPECT_GT(solver.solve(problem.b, problem.x).iterations, 3);
  EXPECT_EQ(solver.solve(problem.b, problem.x).iterations, 0);
  EXPECT_LT(solver.solve(problem.b, problem.x, {.tolerance = 1e-8}).iterations, 4);
}

TEST(Poisson, ClearsWhatTheGuessHoldsOutsideTheUnknowns) {
  PoissonCase problem(PoissonGeometry::sphere, 32);
  solve(problem, 1e-10);
  const std::vector<double> expected = values(problem, problem.x);
  double scale = 0;
  for (const double value : expected) scale = std::max(scale, std::abs(value));
  const Dense<std::uint8_t> cell(problem, problem.cell, 40);
  fill(problem.volume, problem.x, [&](int, Vec3i v, int) { return cell(v) != 0 ? 0.0 : 1e3; });
  EXPECT_TRUE(solve(problem, 1e-10).converged);
  const std::vector<double> found = values(problem, problem.x);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (expected[i] == 0) {
      ASSERT_EQ(found[i], 0.0);
    }
    ASSERT_NEAR(found[i], expected[i], 1e-7 * scale);
  }
}

TEST(Poisson, IgnoresAGuessThatIsNotFinite) {
  PoissonCase problem(PoissonGeometry::sphere, 32);
  fill(problem.volume, problem.x, [&](int, Vec3i, int) { return std::numeric_limits<double>::quiet_NaN(); });
  EXPECT_TRUE(solve(problem).converged);
}

TEST(Poisson, NamesTheBucketOfARightSideThatIsNotFinite) {
  PoissonCase problem(PoissonGeometry::sphere, 32);
  fill(problem.volume, problem.b, [&](int, Vec3i v, int) {
    return v == Vec3i{9, 1, 30} ? std::numeric_limits<double>::infinity() : 0.5;
  });
  const PoissonReport report = solve(problem);
  EXPECT_FALSE(report.converged);
  EXPECT_FALSE(report.finite);
  EXPECT_EQ(report.not_finite, (BucketCoord{1, 0, 3, 0}));
  for (const double value : values(problem, problem.x)) ASSERT_EQ(value, 0.0);
}

TEST(Poisson, AnswersZeroToZero) {
  PoissonCase problem(PoissonGeometry::box, 32);
  set_random(problem, problem.x, 2);
  fill(problem.volume, problem.b, [](int, Vec3i, int) { return 0.0; });
  const PoissonReport report = solve(problem);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.iterations, 0);
  for (const double value : values(problem, problem.x)) ASSERT_EQ(value, 0.0);
}

// A small volume around the origin, where coarser tiles never become one.
struct Cube {
  explicit Cube(std::vector<BucketKey> keys) : domain(1, 1, Communicator::world()), volume(domain) {
    volume.set_buckets(keys);
    coefficient = volume.add_channel<float>("c", {.sampling = Sampling::face});
    cell = volume.add_channel<std::uint8_t>("cell");
    b = volume.add_channel<double>("b");
    x = volume.add_channel<double>("x");
  }
  GridDomain domain;
  DiscreteVolume volume;
  ChannelId<float> coefficient;
  ChannelId<std::uint8_t> cell;
  ChannelId<double> b, x;
};

TEST(Poisson, SolvesAcrossTheOrigin) {
  std::vector<BucketKey> keys;
  for (int z = -2; z <= 2; ++z)
    for (int y = -2; y <= 2; ++y)
      for (int x = -2; x <= 2; ++x) keys.push_back(key_of({x, y, z, 0}));
  Cube cube(keys);
  const auto inside = [](Vec3i v) { return std::max({v.x, v.y, v.z}) < 16 && std::min({v.x, v.y, v.z}) >= -16; };
  fill(cube.volume, cube.cell, [&](int, Vec3i v, int) -> std::uint8_t { return inside(v); });
  fill(cube.volume, cube.coefficient, [&](int, Vec3i v, int axis) {
    Vec3i low = v;
    --low[axis];
    return inside(v) && inside(low) ? 1.f : 0.f;
  });
  // A wave that the discrete operator multiplies by 2 - 2 cos(pi / 32).
  const auto wave = [](int, Vec3i v, int) { return std::cos(M_PI / 32 * (v.x + 16.5)); };
  fill(cube.volume, cube.b, [&](int l, Vec3i v, int k) { return inside(v) ? wave(l, v, k) : 0; });
  TilePoisson solver(cube.volume);
  solver.set_matrix(cube.coefficient, cube.cell);
  const PoissonReport report = solver.solve(cube.b, cube.x, {.tolerance = 1e-10});
  EXPECT_TRUE(report.converged);
  EXPECT_LE(report.iterations, 10);
  EXPECT_EQ(report.closed_components, 1);
  const VolumeView<double> x(cube.volume, cube.x);
  for (int i = -16; i < 16; ++i)
    EXPECT_NEAR(x.value(0, {i, -3, 2}), wave(0, {i, 0, 0}, 0) / (2 - 2 * std::cos(M_PI / 32)), 1e-6);
}

TEST(Poisson, LeavesLonelyCellsAtZero) {
  Cube cube({key_of({0, 0, 0, 0}), key_of({1, 0, 0, 0}), key_of({0, 1, 0, 0}), key_of({0, 0, 1, 0})});
  // A cell without links, and a pair.
  fill(cube.volume, cube.cell, [](int, Vec3i v, int) -> std::uint8_t {
    return v == Vec3i{2, 2, 2} || v == Vec3i{5, 5, 5} || v == Vec3i{6, 5, 5};
  });
  fill(cube.volume, cube.coefficient, [](int, Vec3i v, int axis) {
    return v == Vec3i{6, 5, 5} && axis == 0 ? 0.25f : 0.f;
  });
  fill(cube.volume, cube.b, [](int, Vec3i v, int) {
    return v == Vec3i{2, 2, 2} ? 7 : v == Vec3i{5, 5, 5} ? 3.0 : 0.0;
  });
  fill(cube.volume, cube.x, [](int, Vec3i, int) { return 11.0; });
  TilePoisson solver(cube.volume);
  solver.set_matrix(cube.coefficient, cube.cell);
  const PoissonReport report = solver.solve(cube.b, cube.x);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.components, 2);
  EXPECT_EQ(report.closed_components, 2);
  EXPECT_DOUBLE_EQ(report.removed, 1.5);
  const VolumeView<double> x(cube.volume, cube.x);
  EXPECT_EQ(x.value(0, {2, 2, 2}), 0.0);
  EXPECT_NEAR(x.value(0, {5, 5, 5}), 3, 1e-5);  // 0.25 (x5 - x6) = 1.5, mean 0
  EXPECT_NEAR(x.value(0, {6, 5, 5}), -3, 1e-5);
}

TEST(Poisson, TakesCellsMarkedOneForUnknownsAndNoOthers) {
  PoissonCase problem(PoissonGeometry::sphere, 32);
  const PoissonReport expected = solve(problem);
  const std::vector<double> x = values(problem, problem.x);
  const VolumeView<std::uint8_t> cell(problem.volume, problem.cell);
  const auto marked = problem.volume.add_channel<std::uint8_t>("marked");
  fill(problem.volume, marked, [&](int l, Vec3i v, int) -> std::uint8_t {
    return cell.value(l, v) == 1 ? 1 : static_cast<std::uint8_t>(2 + (v.x + v.y) % 254);
  });
  problem.clear_solution();
  TilePoisson solver(problem.volume);
  solver.set_matrix(problem.coefficient, marked);
  EXPECT_EQ(solver.solve(problem.b, problem.x).unknowns, expected.unknowns);
  EXPECT_EQ(values(problem, problem.x), x);
}

TEST(Poisson, AcceptsAVolumeWithoutUnknowns) {
  Cube cube({key_of({0, 0, 0, 0})});
  TilePoisson solver(cube.volume);
  solver.set_matrix(cube.coefficient, cube.cell);
  const PoissonReport report = solver.solve(cube.b, cube.x);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.components, 0);
}

TEST(Poisson, AChangedMatrixOnTheSameTilesIsAsGoodAsNew) {
  PoissonCase problem(PoissonGeometry::box, 32);
  TilePoisson solver(problem.volume);
  solver.set_matrix(problem.coefficient, problem.cell);
  solver.solve(problem.b, problem.x);
  const PoissonCase other(PoissonGeometry::cut_sphere, 32);
  const VolumeView<std::uint8_t> cells(other.volume, other.cell);
  fill(problem.volume, problem.cell, [&](int l, Vec3i v, int) { return cells.value(l, v); });
  fill(problem.volume, problem.coefficient,
       [&](int l, Vec3i v, int axis) { return VolumeView<float>(other.volume, other.coefficient, axis).value(l, v); });
  problem.set_random_right_side();
  problem.clear_solution();
  solver.set_matrix(problem.coefficient, problem.cell);
  solver.solve(problem.b, problem.x);
  const std::vector<double> kept = values(problem, problem.x);
  problem.clear_solution();
  solve(problem);
  EXPECT_EQ(kept, values(problem, problem.x));
}

TEST(Poisson, GivesTheSameBitsForAnyNumberOfThreads) {
  const int before = threads();
  for (const PoissonGeometry geometry : {PoissonGeometry::balls, PoissonGeometry::pockets, PoissonGeometry::bubbles}) {
    std::vector<double> expected;
    for (const int count : {1, 2, 3}) {
      set_threads(count);
      PoissonCase problem(geometry, 64);
      solve(problem);
      if (count == 1) expected = values(problem, problem.x);
      EXPECT_EQ(values(problem, problem.x), expected);
    }
  }
  set_threads(before);
}

}  // namespace
}  // namespace ymir::bench
