// Solvers of the one-step problem of exact Coulomb contact (coulomb_problem.h).
//
// The default is a ladder: Gauss-Seidel sweeps while they pay, then Newton's method on all contacts, then that inside a
// proximal point method, then overlapping blocks, then an interior point method. Every level starts from the best
// iterate of those before (the interior point cannot); most problems need the first or the second. The result does not
// depend on the number of threads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ymir/solvers/coulomb/coulomb_problem.h"
#include "ymir/solvers/coulomb/sweeps.h"

namespace ymir {

enum class CoulombMethod { ladder, sweeps, anderson, newton, proximal, schwarz, interior_point };

struct CoulombOptions {
  CoulombMethod method = CoulombMethod::ladder;
  LocalSolver local = LocalSolver::hybrid;
  double tolerance = 1e-6;  // of E_s: 1e-4 suffices for motion, 1e-6 for statics
  // Of E_s: the ladder goes beyond Newton's method for more than this only, beyond the proximal one for 1,000 times it.
  // Where friction is shared in many ways the last digits are rounding, and levels above spend a hundred times as much.
  double enough = 0;
  int max_iterations = 0;  // of the method, or of each level of the ladder; 0: as many as it is worth
  int sleep = 0;           // sweeps that a resting contact is left alone; 0: none
};

enum class CoulombStatus {
  solved,      // E_s <= tolerance
  inaccurate,  // E_s <= 100 tolerance
  diverging,   // impulses grow without bound while E_s does not fall: probably there is no solution
  failed
};

struct CoulombReport {
  CoulombStatus status = CoulombStatus::failed;
  const char* level = "";     // where it ended
  int iterations = 0;         // sweeps and steps
  int sweeps = 0, steps = 0;  // steps: of Newton's or the interior point method
  int factors = 0;            // sparse factorisations
  CoulombErrors errors;       // of r as returned
};

// r: where to start (one per contact, or empty: zero), and the result. Whatever the status, r is finite; where it is
// `diverging`, w_i |r_i| is at most 10 max |q_i|. The problem must have no defect().
CoulombReport solve_coulomb(const CoulombProblem& problem, std::vector<Vec3d>& r, const CoulombOptions& options = {});

std::string_view name_of(CoulombStatus status);
// ladder, sweeps, ...: methods, and local solvers as sweeps of them (mfb, enumerative, ...).
struct CoulombSolverName {
  std::string_view name, about;
  CoulombMethod method;
  LocalSolver local;
};
const std::vector<CoulombSolverName>& coulomb_solver_names();

}  // namespace ymir
