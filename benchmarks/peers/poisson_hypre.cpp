// hypre: conjugate gradients preconditioned by BoomerAMG with one level of aggressive coarsening.
//   mpirun -n 2 poisson_hypre SYSTEM SOLUTION [strong_threshold [relax_type [aggressive_levels [most_entries_of_P]]]]
// The defaults are the fastest of those tried (see docs/benchmarks.md).
#include <HYPRE.h>
#include <HYPRE_parcsr_ls.h>

#include <numeric>

#include "mpi_result.h"

namespace {

struct Tuning {
  double strong_threshold = 0.25;
  int relax_type = 6;  // hybrid symmetric Gauss-Seidel
  int aggressive_levels = 1;
  int most_entries = 4;  // per row of the interpolation
};

HYPRE_Solver make_preconditioner(const Tuning& tuning) {
  HYPRE_Solver amg = nullptr;
  HYPRE_BoomerAMGCreate(&amg);
  HYPRE_BoomerAMGSetCoarsenType(amg, 10);  // HMIS
  HYPRE_BoomerAMGSetInterpType(amg, 6);    // extended + i
  HYPRE_BoomerAMGSetPMaxElmts(amg, tuning.most_entries);
  HYPRE_BoomerAMGSetAggNumLevels(amg, tuning.aggressive_levels);
  HYPRE_BoomerAMGSetAggPMaxElmts(amg, tuning.most_entries);
  HYPRE_BoomerAMGSetStrongThreshold(amg, tuning.strong_threshold);
  HYPRE_BoomerAMGSetRelaxType(amg, tuning.relax_type);
  HYPRE_BoomerAMGSetNumSweeps(amg, 1);
  HYPRE_BoomerAMGSetMaxIter(amg, 1);
  HYPRE_BoomerAMGSetTol(amg, 0);
  HYPRE_BoomerAMGSetPrintLevel(amg, 0);
  return amg;
}

HYPRE_IJVector make_vector(int first, int last, const double* values) {
  HYPRE_IJVector v = nullptr;
  HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last, &v);
  HYPRE_IJVectorSetObjectType(v, HYPRE_PARCSR);
  HYPRE_IJVectorInitialize(v);
  if (values != nullptr) {
    std::vector<HYPRE_BigInt> rows(static_cast<std::size_t>(last - first + 1));
    std::iota(rows.begin(), rows.end(), first);
    HYPRE_IJVectorSetValues(v, static_cast<int>(rows.size()), rows.data(), values);
  }
  HYPRE_IJVectorAssemble(v);
  return v;
}

HYPRE_IJMatrix make_matrix(const peers::System& s) {
  const auto rows = static_cast<int>(s.rows());
  const auto first = static_cast<int>(s.first), last = first + rows - 1;
  HYPRE_IJMatrix matrix = nullptr;
  HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last, first, last, &matrix);
  HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR);
  std::vector<int> counts(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = s.starts[i + 1] - s.starts[i];
  HYPRE_IJMatrixSetRowSizes(matrix, counts.data());
  HYPRE_IJMatrixInitialize(matrix);
  std::vector<HYPRE_BigInt> numbers(counts.size());
  std::iota(numbers.begin(), numbers.end(), first);
  HYPRE_IJMatrixSetValues(matrix, rows, counts.data(), numbers.data(), s.columns.data(), s.values.data());
  HYPRE_IJMatrixAssemble(matrix);
  return matrix;
}

void solve(const char* from, const char* to, const Tuning& tuning) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  peers::Result result;
  const double empty = peers::memory_now_MB();
  HYPRE_IJMatrix matrix = nullptr;
  HYPRE_IJVector b = nullptr, x = nullptr;
  int first = 0, last = 0;
  {
    const peers::System s = peers::read_system(from, rank, ranks);
    first = static_cast<int>(s.first);
    last = first + static_cast<int>(s.rows()) - 1;
    matrix = make_matrix(s);
    b = make_vector(first, last, s.b.data());
    x = make_vector(first, last, nullptr);
  }
  HYPRE_ParCSRMatrix a = nullptr;
  HYPRE_ParVector bv = nullptr, xv = nullptr;
  HYPRE_IJMatrixGetObject(matrix, reinterpret_cast<void**>(&a));
  HYPRE_IJVectorGetObject(b, reinterpret_cast<void**>(&bv));
  HYPRE_IJVectorGetObject(x, reinterpret_cast<void**>(&xv));
  HYPRE_ParVectorSetConstantValues(xv, 0);
  const double before = peers::memory_now_MB();
  result.matrix_MB = before - empty;

  HYPRE_Solver cg = nullptr, amg = make_preconditioner(tuning);
  HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &cg);
  HYPRE_PCGSetTol(cg, 1e-6);
  HYPRE_PCGSetTwoNorm(cg, 1);
  HYPRE_PCGSetMaxIter(cg, 500);
  HYPRE_PCGSetPrecond(cg, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve),
                      reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSetup), amg);
  peers::reset_peak_memory();
  MPI_Barrier(MPI_COMM_WORLD);
  const peers::Clock setup;
  HYPRE_ParCSRPCGSetup(cg, a, bv, xv);
  MPI_Barrier(MPI_COMM_WORLD);
  result.setup = setup.lap();
  const peers::Clock clock;
  HYPRE_ParCSRPCGSolve(cg, a, bv, xv);
  MPI_Barrier(MPI_COMM_WORLD);
  result.solve = clock.lap();
  result.solver_MB = peers::memory_MB("VmHWM") - before;
  HYPRE_PCGGetNumIterations(cg, &result.iterations);

  std::vector<double> values(static_cast<std::size_t>(last - first + 1));
  std::vector<HYPRE_BigInt> rows(values.size());
  std::iota(rows.begin(), rows.end(), first);
  HYPRE_IJVectorGetValues(x, static_cast<int>(rows.size()), rows.data(), values.data());
  peers::write_solution_of_all_ranks(to, values);
  peers::print_of_all_ranks(result);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) peers::fail("usage", "poisson_hypre SYSTEM SOLUTION [tuning]");
  Tuning tuning;
  if (argc > 3) tuning.strong_threshold = std::atof(argv[3]);
  if (argc > 4) tuning.relax_type = std::atoi(argv[4]);
  if (argc > 5) tuning.aggressive_levels = std::atoi(argv[5]);
  if (argc > 6) tuning.most_entries = std::atoi(argv[6]);
  MPI_Init(&argc, &argv);
  HYPRE_Init();
  solve(argv[1], argv[2], tuning);
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
