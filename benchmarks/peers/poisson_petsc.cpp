// PETSc: conjugate gradients preconditioned by GAMG, its smoothed aggregation.
//   mpirun -n 2 poisson_petsc SYSTEM SOLUTION [options of PETSc]
#include <petscksp.h>

#include "mpi_result.h"

namespace {

void check(PetscErrorCode code) {
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
}

void solve(const char* from, const char* to) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  peers::Result result;
  const double empty = peers::memory_now_MB();
  Mat a = nullptr;
  Vec b = nullptr, x = nullptr;
  {
    const peers::System s = peers::read_system(from, rank, ranks);
    const auto rows = static_cast<PetscInt>(s.rows());
    check(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, s.starts.data(),
                                    s.columns.data(), s.values.data(), &a));
    check(MatSetOption(a, MAT_SPD, PETSC_TRUE));
    check(MatCreateVecs(a, &x, &b));
    double* to_b = nullptr;
    check(VecGetArray(b, &to_b));
    std::memcpy(to_b, s.b.data(), s.b.size() * sizeof(double));
    check(VecRestoreArray(b, &to_b));
    check(VecSet(x, 0));
  }
  const double before = peers::memory_now_MB();
  result.matrix_MB = before - empty;

  KSP ksp = nullptr;
  PC pc = nullptr;
  check(KSPCreate(PETSC_COMM_WORLD, &ksp));
  check(KSPSetOperators(ksp, a, a));
  check(KSPSetType(ksp, KSPCG));
  check(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  check(KSPSetTolerances(ksp, 1e-6, PETSC_DEFAULT, PETSC_DEFAULT, 500));
  check(KSPGetPC(ksp, &pc));
  check(PCSetType(pc, PCGAMG));
  check(KSPSetFromOptions(ksp));
  peers::reset_peak_memory();
  MPI_Barrier(MPI_COMM_WORLD);
  const peers::Clock setup;
  check(KSPSetUp(ksp));
  MPI_Barrier(MPI_COMM_WORLD);
  result.setup = setup.lap();
  const peers::Clock clock;
  check(KSPSolve(ksp, b, x));
  MPI_Barrier(MPI_COMM_WORLD);
  result.solve = clock.lap();
  result.solver_MB = peers::memory_MB("VmHWM") - before;
  PetscInt iterations = 0;
  check(KSPGetIterationNumber(ksp, &iterations));
  result.iterations = static_cast<int>(iterations);

  PetscInt rows = 0;
  check(VecGetLocalSize(x, &rows));
  const double* values = nullptr;
  check(VecGetArrayRead(x, &values));
  peers::write_solution_of_all_ranks(to, std::vector<double>(values, values + rows));
  check(VecRestoreArrayRead(x, &values));
  peers::print_of_all_ranks(result);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) peers::fail("usage", "poisson_petsc SYSTEM SOLUTION [options of PETSc]");
  check(PetscInitialize(&argc, &argv, nullptr, nullptr));
  solve(argv[1], argv[2]);
  check(PetscFinalize());
  return 0;
}
