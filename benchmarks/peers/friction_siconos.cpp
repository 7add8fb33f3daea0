// Siconos' side of the comparison of friction solvers (Debian: libsiconos-numerics-dev).
//   friction_siconos CASE SOLVER ITERATIONS
#include <string>

#include "friction_case.h"
#include "siconos/numerics/FrictionContactProblem.h"
#include "siconos/numerics/Friction_cst.h"
#include "siconos/numerics/NonSmoothDrivers.h"
#include "siconos/numerics/NumericsMatrix.h"
#include "siconos/numerics/SolverOptions.h"
#include "siconos/numerics/SparseBlockMatrix.h"

namespace {

// nsgs: Gauss-Seidel with the local solver after the colon; newton: on all contacts at once.
SolverOptions* options_of(const std::string& name, int iterations) {
  const auto sweeps = [](int local) {
    SolverOptions* options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    solver_options_update_internal(options, 0, local);
    // Its default looks at the change of r, and then goes on far below the tolerance.
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
    return options;
  };
  SolverOptions* options = nullptr;
  if (name == "nsgs:hybrid") options = sweeps(SICONOS_FRICTION_3D_ONECONTACT_NSN_GP_HYBRID);
  if (name == "nsgs:projection") options = sweeps(SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration);
  if (name == "newton:alart_curnier") options = solver_options_create(SICONOS_FRICTION_3D_NSN_AC);
  if (name == "newton:fischer_burmeister") options = solver_options_create(SICONOS_FRICTION_3D_NSN_FB);
  if (options == nullptr) return nullptr;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
  options->dparam[SICONOS_DPARAM_TOL] = 1e-6;
  return options;
}

// The sparse block storage that its Gauss-Seidel is fastest with.
NumericsMatrix* matrix_of(const peers::FrictionCase& c) {
  const auto n = static_cast<unsigned>(c.contacts());
  SparseBlockStructuredMatrix* m = SBM_new();
  SBM_null(m);
  m->nbblocks = static_cast<unsigned>(c.columns.size());
  m->blocknumber0 = m->blocknumber1 = n;
  m->filled1 = n + 1;
  m->filled2 = m->nbblocks;
  m->block = static_cast<double**>(std::malloc(m->nbblocks * sizeof(double*)));
  m->blocksize0 = static_cast<unsigned*>(std::malloc(n * sizeof(unsigned)));
  m->blocksize1 = static_cast<unsigned*>(std::malloc(n * sizeof(unsigned)));
  m->index1_data = static_cast<std::size_t*>(std::malloc((n + 1) * sizeof(std::size_t)));
  m->index2_data = static_cast<std::size_t*>(std::malloc(m->nbblocks * sizeof(std::size_t)));
  for (unsigned i = 0; i < n; ++i) m->blocksize0[i] = m->blocksize1[i] = 3 * (i + 1);
  for (unsigned i = 0; i <= n; ++i) m->index1_data[i] = static_cast<std::size_t>(c.starts[i]);
  for (unsigned k = 0; k < m->nbblocks; ++k) {
    m->index2_data[k] = static_cast<std::size_t>(c.columns[k]);
    m->block[k] = static_cast<double*>(std::malloc(9 * sizeof(double)));
    std::copy_n(c.blocks.data() + 9 * k, 9, m->block[k]);
  }
  NumericsMatrix* matrix = NM_create(NM_SPARSE_BLOCK, 3 * static_cast<int>(n), 3 * static_cast<int>(n));
  matrix->matrix1 = m;
  return matrix;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 || options_of(argv[2], 1) == nullptr) {
    std::fprintf(stderr, "usage: friction_siconos CASE SOLVER ITERATIONS\n");
    return 1;
  }
  const peers::FrictionCase c = peers::FrictionCase::read(argv[1]);
  std::vector<double> q = c.q, mu = c.mu, r, u;
  FrictionContactProblem* problem =
      frictionContactProblem_new_with_data(3, c.contacts(), matrix_of(c), q.data(), mu.data());
  SolverOptions* options = nullptr;
  const double seconds = peers::least_seconds(
      [&] {  // a solve changes its options: tolerances shrink
        if (options != nullptr) solver_options_delete(options);
        options = options_of(argv[2], std::atoi(argv[3]));
        r.assign(q.size(), 0);
        u.assign(q.size(), 0);
      },
      [&] { fc3d_driver(problem, r.data(), u.data(), options); });
  peers::report(c, r, seconds, options->iparam[SICONOS_IPARAM_ITER_DONE]);
  return 0;
}
