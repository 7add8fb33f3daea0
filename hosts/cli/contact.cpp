#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "commands.h"
#include "ymir/base/plain_text.h"
#include "ymir/base/timer.h"
#include "ymir/cache/formats/fclib.h"
#include "ymir/parallel/threads.h"
#include "ymir/solids/contact/contact_dump.h"
#include "ymir/solvers/coulomb/condensed_problem.h"
#include "ymir/solvers/coulomb/coulomb_solver.h"

namespace ymir::cli {
namespace {

using Json = nlohmann::ordered_json;

const CoulombSolverName& solver_named(const std::string& name) {
  std::string all;
  for (const CoulombSolverName& solver : coulomb_solver_names()) {
    if (solver.name == name) return solver;
    all += fmt::format("{}{} ({})", all.empty() ? "" : "; ", solver.name, solver.about);
  }
  throw Error(ExitCode::usage, fmt::format("--solver {}: no such solver; there are: {}", plain_text(name), all));
}

SparseEntries entries(const FclibMatrix& a) { return {a.rows, a.columns, a.row, a.column, a.value}; }

CoulombProblem problem_of(const FclibProblem& file, const std::filesystem::path& path, double friction_scale) {
  std::vector<double> mu = file.mu;
  for (double& m : mu) m *= friction_scale;
  CoulombProblem problem;
  try {
    problem = file.global ? condense(entries(file.m), entries(file.h), file.f, file.offset, std::move(mu))
                          : coulomb_problem(entries(file.w), file.q, std::move(mu));
  } catch (const Error& error) {
    throw Error(error.code(), path.string() + ": " + error.what());
  }
  if (const std::string defect = problem.defect(); !defect.empty())
    throw Error(ExitCode::bad_input, path.string() + ": " + defect + "; export the problem again");
  return problem;
}

struct Row {
  std::string file;
  std::int32_t contacts = 0;
  CoulombReport report;
  double seconds = 0;
};

Json to_json(const Row& row, const std::string& solver) {
  const CoulombReport& report = row.report;
  return {{"file", row.file},
          {"solver", solver},
          {"contacts", row.contacts},
          {"level", report.level},
          {"iterations", report.iterations},
          {"sweeps", report.sweeps},
          {"steps", report.steps},
          {"factorisations", report.factors},
          {"error", report.errors.scaled},
          {"natural_error", report.errors.natural},
          {"largest_impulse", report.errors.impulse},
          {"seconds", row.seconds},
          {"status", name_of(report.status)},
          {"worst_contacts", report.errors.worst}};
}

void print_title(std::size_t width) {
  std::cout << fmt::format("{:<{}}  {:<8} {:>8}  {:<14} {:>10}  {:>9} {:>9}  {:>9}  {}\n", "file", width, "solver",
                           "contacts", "level", "iterations", "error", "natural", "seconds", "status");
}

void print(const Row& row, const std::string& solver, std::size_t width) {
  const CoulombReport& report = row.report;
  std::cout << fmt::format("{:<{}}  {:<8} {:>8}  {:<14} {:>10}  {:>9.2e} {:>9.2e}  {:>9.6f}  {}\n",
                           plain_text(row.file), width, solver, row.contacts, report.level, report.iterations,
                           report.errors.scaled, report.errors.natural, row.seconds, name_of(report.status));
  if (report.status == CoulombStatus::solved) return;
  std::string worst;
  for (const std::int32_t i : report.errors.worst) worst += fmt::format(" {}", i);
  std::cout << fmt::format("{:<{}}  worst contacts:{}\n", "", width, worst);
}

}  // namespace

ExitCode contact_solve(const ContactSolveArguments& arguments) {
  const CoulombSolverName& solver = solver_named(arguments.solver);
  if (!arguments.save.empty() && arguments.files.size() != 1)
    throw Error(ExitCode::usage, "--save: writes one problem; name one file");
  const CoulombOptions options{.method = solver.method,
                               .local = solver.local,
                               .tolerance = arguments.tolerance,
                               .max_iterations = arguments.max_iterations,
                               .sleep = arguments.sleep};
  std::size_t width = 4;
  for (const std::filesystem::path& path : arguments.files)
    width = std::max(width, plain_text(path.filename().string()).size());
  Json rows = Json::array();
  std::size_t solved = 0;
  double seconds = 0;
  bool titled = false;
  for (const std::filesystem::path& path : arguments.files) {
    const CoulombProblem problem = problem_of(read_fclib(path), path, arguments.friction_scale);
    Row row{path.filename().string(), problem.contacts(), {}, 0};
    std::vector<Vec3d> r;
    const Timer timer;
    row.report = solve_coulomb(problem, r, options);
    row.seconds = timer.seconds();
    seconds += row.seconds;
    solved += row.report.status == CoulombStatus::solved ? 1 : 0;
    if (!arguments.save.empty()) write_coulomb_problem(arguments.save, problem, r);
    if (arguments.json) {
      rows.push_back(to_json(row, arguments.solver));
      continue;
    }
    if (!std::exchange(titled, true)) print_title(width);
    print(row, arguments.solver, width);
  }
  if (arguments.json)
    std::cout << Json{{"tolerance", arguments.tolerance}, {"threads", threads()}, {"rows", rows}}.dump(
                     2, ' ', false, Json::error_handler_t::replace)
              << "\n";
  else
    std::cout << fmt::format("{} of {} solved, {:.6f} s\n", solved, arguments.files.size(), seconds);
  return solved == arguments.files.size() ? ExitCode::ok : ExitCode::numerical;
}

}  // namespace ymir::cli
