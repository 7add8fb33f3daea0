// Our side of the comparison of friction solvers: solves a problem of FCLIB and passes it on.
//   friction_ymir PROBLEM.hdf5 CASE
#include "friction_case.h"
#include "ymir/base/error.h"
#include "ymir/cache/formats/fclib.h"
#include "ymir/parallel/threads.h"
#include "ymir/solvers/coulomb/condensed_problem.h"
#include "ymir/solvers/coulomb/coulomb_solver.h"

namespace ymir {
namespace {

CoulombProblem read(const char* path) {
  const FclibProblem file = read_fclib(path);
  const auto entries = [](const FclibMatrix& a) { return SparseEntries{a.rows, a.columns, a.row, a.column, a.value}; };
  return file.global ? condense(entries(file.m), entries(file.h), file.f, file.offset, file.mu)
                     : coulomb_problem(entries(file.w), file.q, file.mu);
}

peers::FrictionCase case_of(const CoulombProblem& p) {
  peers::FrictionCase c;
  c.starts.push_back(0);
  const auto add = [&](std::int32_t column, const Mat3d& block) {
    c.columns.push_back(column);
    for (int j = 0; j < 3; ++j)
      for (int a = 0; a < 3; ++a) c.blocks.push_back(block(a, j));
  };
  for (std::int32_t i = 0; i < p.contacts(); ++i) {
    bool own = false;
    for (std::int64_t k = p.starts[i]; k < p.starts[i + 1]; ++k) {
      if (p.columns[k] > i && !own) add(i, {});
      own = own || p.columns[k] >= i;
      add(p.columns[k], p.blocks[k]);
    }
    if (!own) add(i, {});
    c.starts.push_back(static_cast<std::int32_t>(c.columns.size()));
    for (int a = 0; a < 3; ++a) c.q.push_back(p.q[i][a]);
  }
  c.mu = p.mu;
  return c;
}

void run(const char* from, const char* to) {
  const CoulombProblem problem = read(from);
  const peers::FrictionCase c = case_of(problem);
  c.write(to);
  std::vector<Vec3d> r;
  CoulombReport solved;
  const double seconds = peers::least_seconds([&] { r.clear(); }, [&] { solved = solve_coulomb(problem, r); });
  std::vector<double> flat;
  for (const Vec3d& x : r)
    for (int a = 0; a < 3; ++a) flat.push_back(x[a]);
  peers::report(c, flat, seconds, solved.iterations);
}

}  // namespace
}  // namespace ymir

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: friction_ymir PROBLEM.hdf5 CASE\n");
    return 1;
  }
  ymir::set_threads(1);
  try {
    ymir::run(argv[1], argv[2]);
  } catch (const ymir::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
