#include "ymir/solvers/coulomb/coulomb_solver.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "ymir/base/check.h"
#include "ymir/solvers/coulomb/anderson.h"
#include "ymir/solvers/coulomb/interior_point.h"
#include "ymir/solvers/coulomb/proximal.h"
#include "ymir/solvers/coulomb/schwarz.h"

namespace ymir {
namespace coulomb {
namespace {

// The levels of a solve, with what they have in common made when it is first needed.
class Levels {
 public:
  Levels(const System& system, Vector start, const CoulombOptions& options)
      : system_(&system),
        options_(&options),
        start_(std::move(start)),
        sweeper_(system, {.local = options.local, .sleep = options.sleep, .rest = 1e-3 * options.tolerance}),
        progress_(system, options.tolerance) {
    progress_.offer(start_);
  }

  void run();
  const Progress& progress() const { return progress_; }
  const char* level() const { return level_; }

 private:
  // Limits of the ladder; a method by itself may take longer.
  int limit(int ladder, int alone) const {
    return options_->max_iterations > 0                ? options_->max_iterations
           : options_->method == CoulombMethod::ladder ? ladder
                                                       : alone;
  }
  void climb();
  bool accelerate();
  void sweep(bool while_it_pays);
  void newton();
  void run_proximal();
  Newton& newton_method() {
    if (!lu_) {
      lu_ = std::make_unique<BlockLu>(*system_);
      newton_ = std::make_unique<Newton>(*system_, *lu_, sweeper_);
    }
    return *newton_;
  }
  const Vector& best() const { return progress_.best().empty() ? start_ : progress_.best(); }

  const System* system_;
  const CoulombOptions* options_;
  Vector start_;
  Sweeper sweeper_;
  Progress progress_;
  std::unique_ptr<BlockLu> lu_;
  std::unique_ptr<Newton> newton_;
  const char* level_ = "start";
};

// The error that a sweep meets is known from it; the error of its result, a multiplication by W, is asked for when that
// is small, and every few sweeps.
void Levels::sweep(bool while_it_pays) {
  constexpr int first_forecast = 20, forecast_every = 5, worth = 40;
  level_ = "sweeps";
  const int most = limit(while_it_pays ? 1000 : 10000, 10000);
  Vector r = best();
  double before = 0;
  for (int k = 1; k <= most && !progress_.finished(); ++k) {
    const double met = sweeper_.sweep(r, system_->q, 0, while_it_pays && k % 2 == 0);
    ++progress_.sweeps;
    const bool forecast = k % forecast_every == 0;
    if (met <= 2 * options_->tolerance || forecast || k == 1 || k == most) {
      if (options_->sleep > 0 && met <= 2 * options_->tolerance) sweeper_.wake();
      if (progress_.offer(r)) break;
    }
    if (!forecast || !while_it_pays) continue;
    const double now = progress_.error();
    if (k >= first_forecast) {
      const double rate = std::log(std::max(before / now, 1 + 1e-12)) / forecast_every;
      if (k + std::log(now / options_->tolerance) / rate > worth) break;
    }
    before = now;
  }
}

void Levels::newton() {
  level_ = "newton";
  Vector r = best();
  newton_method().run(r, system_->q, 0, {.most_steps = limit(100, 300)}, progress_,
                      [&](const Vector& z, const Vector& u) { return progress_.offer(z, u); });
}

void Levels::run_proximal() {
  level_ = "proximal";
  Newton& inner = newton_method();
  proximal(*system_, inner, sweeper_, best(), limit(60, 100), progress_);
}

// Where factors are full (heaps, not stacks), accelerated sweeps for the price of a few of Newton's steps come first.
// Where the solve could not pay for many factors, plain sweeps are all there is. Returns whether it could.
bool Levels::accelerate() {
  constexpr double expensive = 30, worth_steps = 8, most = 500, least_factors = 50;
  newton_method();
  if (least_factors * lu_->work() > progress_.most_work) {
    sweep(false);
    return false;
  }
  const double one_sweep = static_cast<double>(system_->blocks.size()) + 20.0 * system_->contacts;
  const double ratio = lu_->work() / one_sweep;
  if (ratio < expensive) return true;
  level_ = "anderson";
  anderson(*system_, sweeper_, best(), limit(static_cast<int>(std::min(most, worth_steps * ratio)), 0), progress_);
  return true;
}

void Levels::climb() {
  constexpr double most_work = 3e8;  // about a second
  constexpr double failing = 1e3;    // times what is enough: worth all levels
  progress_.most_work = most_work;
  sweep(true);
  if (!progress_.over() && !accelerate()) return;
  if (!progress_.over()) newton();
  if (progress_.error() <= options_->enough) return;
  if (!progress_.over()) run_proximal();
  if (progress_.error() <= failing * options_->enough) return;
  if (!progress_.over()) {
    level_ = "schwarz";
    schwarz(*system_, best(), limit(100, 300), progress_);
  }
  if (!progress_.over()) {
    interior_point(*system_, limit(100, 100), progress_);
    if (!progress_.over()) newton();
    level_ = "interior_point";
  }
}

void Levels::run() {
  if (progress_.finished()) return;
  switch (options_->method) {
    case CoulombMethod::ladder: climb(); break;
    case CoulombMethod::sweeps: sweep(false); break;
    case CoulombMethod::anderson:
      level_ = "anderson";
      anderson(*system_, sweeper_, best(), limit(5000, 5000), progress_);
      break;
    case CoulombMethod::newton: newton(); break;
    case CoulombMethod::proximal: run_proximal(); break;
    case CoulombMethod::schwarz:
      level_ = "schwarz";
      schwarz(*system_, best(), limit(300, 300), progress_);
      break;
    case CoulombMethod::interior_point:
      level_ = "interior_point";
      interior_point(*system_, limit(100, 100), progress_);
      break;
  }
}

CoulombStatus status_of(const Progress& progress) {
  if (progress.solved()) return CoulombStatus::solved;
  if (progress.error() <= 100 * progress.tolerance()) return CoulombStatus::inaccurate;
  // Heavy bodies on light ones have large impulses, too, but errors that fall.
  constexpr double fallen = 1e-2;
  return progress.runaway() > Progress::runs_away && progress.error() > fallen ? CoulombStatus::diverging
                                                                               : CoulombStatus::failed;
}

}  // namespace
}  // namespace coulomb

CoulombReport solve_coulomb(const CoulombProblem& problem, std::vector<Vec3d>& r, const CoulombOptions& options) {
  using namespace coulomb;
  const auto n = static_cast<std::size_t>(problem.contacts());
  const bool sticky = !problem.adhesion.empty();
  if (r.empty()) r.assign(n, {});
  YMIR_CHECK(r.size() == n && options.tolerance > 0);
  const System system = scaled_system(problem);
  CoulombReport report;
  if (!(system.size > 0)) {  // nothing approaches
    for (std::size_t i = 0; i < n; ++i) r[i] = sticky ? Vec3d{-problem.adhesion[i], 0, 0} : Vec3d{};
    report.status = CoulombStatus::solved;
    report.level = "start";
    return report;
  }
  Vector start(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3d x = (sticky ? r[i] + Vec3d{problem.adhesion[i], 0, 0} : r[i]) / system.impulse;
    start[i] = lane(is_finite(x) ? project_on_cone(x, problem.mu[i]) : Vec3d{});
  }
  Levels levels(system, std::move(start), options);
  levels.run();
  const Progress& progress = levels.progress();
  report.status = status_of(progress);
  report.level = levels.level();
  report.sweeps = progress.sweeps;
  report.steps = progress.steps;
  report.iterations = progress.sweeps + progress.steps;
  report.factors = progress.factors;
  for (std::size_t i = 0; i < n; ++i) {
    Vec3d x = progress.best().empty() ? Vec3d{} : vec3(progress.best()[i]);
    const double speed = system.weight[i] * ymir::norm(x), most = 10 * system.largest;
    if (report.status == CoulombStatus::diverging && speed > most) x *= most / speed;
    r[i] = x * system.impulse;
    if (sticky) r[i].x -= problem.adhesion[i];
  }
  report.errors = coulomb_errors(problem, r);
  return report;
}

std::string_view name_of(CoulombStatus status) {
  switch (status) {
    case CoulombStatus::solved: return "solved";
    case CoulombStatus::inaccurate: return "inaccurate";
    case CoulombStatus::diverging: return "diverging";
    case CoulombStatus::failed: return "failed";
  }
  return "";
}

const std::vector<CoulombSolverName>& coulomb_solver_names() {
  using M = CoulombMethod;
  using L = LocalSolver;
  static const std::vector<CoulombSolverName> names{
      {"ladder", "sweeps, then Newton, proximal Newton, blocks, interior point, until one solves it", M::ladder,
       L::hybrid},
      {"sweeps", "Gauss-Seidel, the hybrid local solver", M::sweeps, L::hybrid},
      {"mfb", "Gauss-Seidel, Newton on Fischer and Burmeister's function per contact", M::sweeps, L::newton},
      {"enumerative", "Gauss-Seidel, the enumerative local solver", M::sweeps, L::enumerative},
      {"alart_curnier", "Gauss-Seidel, Newton on Alart and Curnier's function per contact", M::sweeps,
       L::alart_curnier},
      {"damped", "the same with damped steps", M::sweeps, L::alart_curnier_damped},
      {"pyramid", "Gauss-Seidel, a four-sided pyramid in the place of the cone: not Coulomb's law", M::sweeps,
       L::pyramid},
      {"anderson", "sweeps, accelerated", M::anderson, L::hybrid},
      {"newton", "Newton on Alart and Curnier's function, all contacts at once", M::newton, L::hybrid},
      {"proximal", "Newton within a proximal point method", M::proximal, L::hybrid},
      {"schwarz", "overlapping blocks of contacts", M::schwarz, L::hybrid},
      {"interior_point", "interior point", M::interior_point, L::hybrid}};
  return names;
}

}  // namespace ymir
