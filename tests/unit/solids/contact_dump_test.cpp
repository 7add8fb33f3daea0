#include "ymir/solids/contact/contact_dump.h"

#include <gtest/gtest.h>

#include "ymir/cache/formats/fclib.h"
#include "ymir/solvers/coulomb/coulomb_solver.h"

namespace ymir {
namespace {

// Two contacts that pull each other, with adhesion: FCLIB knows none, and must still hold the same problem.
TEST(ContactDump, AProblemWithAdhesionIsTheSameInItsFile) {
  Mat3d own{}, other{};
  for (int k = 0; k < 3; ++k) {
    own.column[k][k] = 2 + k;
    other.column[k][k] = 0.5;
  }
  CoulombProblem problem = coulomb_problem({{0, 0, own}, {0, 1, other}, {1, 0, other}, {1, 1, own}},
                                           {{0.2, 1, 0}, {-0.5, 0.1, -2}}, {0.3, 0.6});
  problem.adhesion = {0.4, 0.1};
  std::vector<Vec3d> r(2, Vec3d{0, 0, 0});
  CoulombOptions options;
  options.tolerance = 1e-10;
  ASSERT_EQ(solve_coulomb(problem, r, options).status, CoulombStatus::solved);
  const auto path = std::filesystem::path(testing::TempDir()) / "contact_dump_test.hdf5";
  write_coulomb_problem(path, problem, r);
  const FclibProblem file = read_fclib(path);
  std::filesystem::remove(path);
  std::vector<CoulombBlock> blocks;
  for (std::size_t k = 0; k < file.w.value.size(); ++k) {
    CoulombBlock block{file.w.row[k] / 3, file.w.column[k] / 3, Mat3d{}};
    block.value.column[file.w.column[k] % 3][file.w.row[k] % 3] = file.w.value[k];
    blocks.push_back(block);
  }
  const auto vectors = [](const std::vector<double>& v) {
    return std::vector<Vec3d>{{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
  };
  const CoulombProblem plain = coulomb_problem(std::move(blocks), vectors(file.q), file.mu);
  std::vector<Vec3d> moved(2, Vec3d{0, 0, 0});
  ASSERT_EQ(solve_coulomb(plain, moved, options).status, CoulombStatus::solved);
  const std::vector<Vec3d> u = problem.velocities(r), u_plain = plain.velocities(moved);
  for (std::size_t i = 0; i < 2; ++i)
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(moved[i][k], r[i][k] + (k == 0 ? problem.adhesion[i] : 0), 1e-8);
      EXPECT_NEAR(u_plain[i][k], u[i][k], 1e-8);
    }
}

}  // namespace
}  // namespace ymir
