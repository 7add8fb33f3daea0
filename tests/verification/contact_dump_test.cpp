// Problems of contact that a run writes to files are those that it has solved.
#include "contact_run.h"
#include "ymir/cache/formats/bounded_reader.h"
#include "ymir/cache/formats/fclib.h"
#include "ymir/cache/formats/hdf5_classic.h"
#include "ymir/solvers/coulomb/condensed_problem.h"
#include "ymir/solvers/coulomb/coulomb_solver.h"

namespace ymir::cloth_tests {
namespace {

std::vector<Vec3d> vectors(const std::vector<double>& v) {
  std::vector<Vec3d> to;
  for (std::size_t i = 0; i < v.size(); i += 3) to.push_back({v[i], v[i + 1], v[i + 2]});
  return to;
}

double norm_of(const std::vector<Vec3d>& v) {
  double sum = 0;
  for (const Vec3d& a : v) sum += dot(a, a);
  return std::sqrt(sum);
}

// A box falls with a sheet that lies under it on a ball: their matrices are factored together.
TEST(ContactDump, ContactsOfClothHaveTheVelocitiesOfTheirFiles) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "contact_dump_of_cloth";
  std::filesystem::remove_all(folder);
  {
    ContactRun run;
    run.cloth(lying_sheet(0.3, 0.3, 0.03, 0.051), fabric(1e3, 1e-5));
    run.bodies(box_surface({0.01, 0.0625, 0}, {0.04, 0.02, 0.04}), 500);
    run.gravity({0, -9.81, 0});
    run.collider(SphereShape{{0, 0, 0}, 0.05}, 0.4);
    run.touch();
    run.start();
    run.solids().record_contacts(folder);
    for (int k = 0; k < 6; ++k) run.step(1.0 / 96);
  }
  int files = 0, contacts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hdf5") continue;
    const FclibProblem file = read_fclib(entry.path());
    const CoulombProblem problem =
        coulomb_problem({file.w.rows, file.w.columns, file.w.row, file.w.column, file.w.value}, file.q, file.mu);
    const FileBytes bytes(entry.path());
    const Hdf5ClassicReader solution(bytes.bytes(), entry.path().string());
    const std::vector<Vec3d> u = vectors(solution.reals("/solution/u"));
    // As the run has solved it, in another form.
    EXPECT_LT(coulomb_errors(problem, vectors(solution.reals("/solution/r"))).scaled, 1e-4) << entry.path();
    std::vector<Vec3d> r;
    CoulombOptions options;
    options.tolerance = 1e-8;
    EXPECT_EQ(solve_coulomb(problem, r, options).status, CoulombStatus::solved) << entry.path();
    std::vector<Vec3d> off = problem.velocities(r);
    for (std::size_t i = 0; i < off.size(); ++i) off[i] = off[i] - u[i];
    EXPECT_LT(norm_of(off), 1e-3 * norm_of(problem.q)) << entry.path();
    ++files;
    contacts = std::max(contacts, problem.contacts());
  }
  EXPECT_GE(files, 6);
  EXPECT_GT(contacts, 10);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ymir::cloth_tests
