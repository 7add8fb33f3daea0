// The problems of FCLIB that are in ../shared/data/friction beside the source tree, where they are: each with its own
// friction and a tenth, a third and three times of it, from a cold start, in both measures.
#include "ymir/cache/formats/fclib.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ymir/solvers/coulomb/condensed_problem.h"
#include "ymir/solvers/coulomb/coulomb_solver.h"

namespace ymir {
namespace {

std::vector<std::filesystem::path> problems() {
  std::vector<std::filesystem::path> found;
  const std::filesystem::path folder = std::filesystem::path(YMIR_SOURCE_DIR) / ".." / "shared" / "data" / "friction";
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing))
    if (entry.path().extension() == ".hdf5") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

CoulombProblem read(const std::filesystem::path& path, double friction_scale) {
  FclibProblem file = read_fclib(path);
  for (double& mu : file.mu) mu *= friction_scale;
  return coulomb_problem({file.w.rows, file.w.columns, file.w.row, file.w.column, file.w.value}, file.q, file.mu);
}

TEST(Fclib, AllProblemsAreSolvedInBothMeasures) {
  const std::vector<std::filesystem::path> files = problems();
  if (files.empty()) GTEST_SKIP() << "no ../shared/data/friction";
  for (const double scale : {1.0, 0.1, 0.3, 3.0})
    for (const std::filesystem::path& path : files) {
      const CoulombProblem problem = read(path, scale);
      std::vector<Vec3d> r;
      const CoulombReport report = solve_coulomb(problem, r);
      EXPECT_EQ(report.status, CoulombStatus::solved) << path << " x " << scale;
      EXPECT_LE(report.errors.scaled, 1e-6) << path << " x " << scale;
      EXPECT_LE(report.errors.natural, 1e-6) << path << " x " << scale;
      EXPECT_LE(report.errors.impulse, 1e6);
    }
}

// Case 1: the sweeps are those of Siconos' NSGS with its hybrid local solver, by number, where both stop at 1e-6 of its
// measure.
TEST(Fclib, SweepsCountAsMuchAsThoseOfSiconos) {
  const std::vector<std::filesystem::path> files = problems();
  if (files.empty()) GTEST_SKIP() << "no ../shared/data/friction";
  const std::vector<std::pair<std::string, int>> counts{{"OneObject-i1028-138", 606}, {"Capsules-i100-1090", 131},
                                                        {"Capsules-i100-889", 200},   {"Capsules-i101-404", 153},
                                                        {"Capsules-i97-269", 89},     {"Spheres-i099-356-679", 161},
                                                        {"NESpheres_10_1", 13},       {"Box_Stacks-i0122-82-5", 22}};
  int found = 0;
  for (const std::filesystem::path& path : files)
    for (const auto& [name, count] : counts) {
      if (path.stem() != name) continue;
      ++found;
      const CoulombProblem problem = read(path, 1);
      std::vector<Vec3d> r(static_cast<std::size_t>(problem.contacts()));
      coulomb::System system = coulomb::scaled_system(problem);
      coulomb::Sweeper sweeper(system);
      coulomb::Vector x(r.size(), coulomb::Lane::all(0));
      int sweeps = 0;
      for (double error = 1; error > 1e-6 && sweeps < 2 * count; ++sweeps) {
        sweeper.sweep(x, system.q, 0);
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = coulomb::vec3(x[i]) * system.impulse;
        error = coulomb_errors(problem, r).natural;
      }
      EXPECT_EQ(sweeps, count) << name;
    }
  EXPECT_EQ(found, static_cast<int>(counts.size()));
}

}  // namespace
}  // namespace ymir
