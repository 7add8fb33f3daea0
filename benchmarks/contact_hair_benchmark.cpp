// Contact between hairs, one linear step: the nodal splitting and Gauss-Seidel on compliances, from 10,000 to 200,000
// contacts at constant density, and in jams.
#include <algorithm>
#include <ctime>
#include <limits>

#include "bench.h"
#include "contact_hair_case.h"
#include "ymir/base/hash.h"
#include "ymir/parallel/threads.h"

namespace ymir::bench {
namespace {

struct Bundle {
  const char* name;
  int strands;
  double distance;  // [m]
  double tolerance;
  bool compliances;  // Gauss-Seidel too
};

// Distances were chosen for the number of contacts.
constexpr Bundle bundles[] = {
    {"hair", 334, 0.975e-3, 1e-4, true}, {"hair, 1e-6", 334, 0.975e-3, 1e-6, false},
    {"hair", 1920, 0.87e-3, 1e-4, true}, {"hair", 8500, 0.86e-3, 1e-4, false},
    {"jam", 64, 1.82e-3, 1e-4, true},    {"jam", 334, 1.713e-3, 1e-4, false},
    {"jam", 1920, 1.66e-3, 1e-4, false},
};

std::uint64_t hash_of(const ContactList& list) {
  std::uint64_t hash = 0;
  for (const NodeContact& c : list.contacts)
    for (int k = 0; k < 3; ++k) hash = hash_combine(hash, hash_bits(c.impulse[k]));
  return hash;
}

std::string scene_of(const Bundle& bundle, const ContactHairCase& hair) {
  return std::string(bundle.name) + " " + std::to_string(bundle.strands) + " rods " +
         std::to_string(hair.contacts.contacts.size()) + " contacts";
}

NodalOptions splitting(const Bundle& bundle) {
  NodalOptions options;
  options.tolerance = bundle.tolerance;
  options.compliances = false;
  return options;
}

NodalOptions gauss_seidel(const Bundle& bundle) {
  NodalOptions options;
  options.tolerance = bundle.tolerance;
  options.max_iterations = 0, options.max_sweeps = 3000;
  return options;
}

BenchRow bench_solver(const Bundle& bundle, ContactHairCase& hair, const char* name, const NodalOptions& options,
                      int repetitions) {
  ContactList& list = hair.contacts;
  const auto count = static_cast<std::int64_t>(list.contacts.size());
  BenchRow row = new_row(scene_of(bundle, hair), name);
  reset_peak_memory();
  NodalContact solver;
  const std::vector<NodalBody*> bodies = hair.bodies();
  const Timer setup;
  solver.begin(bodies, list);
  row.setup_s = setup.seconds();
  NodalReport report;
  double best = std::numeric_limits<double>::infinity(), best_core = best;
  for (int r = 0; r < repetitions; ++r) {
    for (NodeContact& c : list.contacts) c.impulse = {0, 0, 0};
    const std::clock_t core = std::clock();
    const Timer timer;
    report = solver.solve(list, options);
    best = std::min(best, timer.seconds());
    best_core = std::min(best_core, static_cast<double>(std::clock() - core) / CLOCKS_PER_SEC);
  }
  set_time(row, best, count);
  row.iterations = report.iterations + report.compliance_sweeps;
  row.residual = report.error;
  row.peak_MB = peak_memory_MB();
  row.hash = hash_of(list);
  row.bitwise = false;
  int closed = 0;
  for (const NodeContact& c : list.contacts) closed += dot(c.normal, c.impulse) > 0;
  row.figures = {
      {"solved", report.status == ContactStatus::solved ? 1 : 0},
      {"core_s", best_core},
      {"core_ns_per_contact_iteration", best_core * 1e9 / static_cast<double>(count * std::max(1, row.iterations))},
      {"largest_error", report.largest},
      {"closed", static_cast<double>(closed) / static_cast<double>(count)},
      {"contacts_per_rod", 2.0 * static_cast<double>(count) / bundle.strands},
      {"phases", solver.contacts().phases()},
      {"factorisations", report.factorisations},
      {"solver_MB", static_cast<double>(solver.memory()) * 1e-6},
      {"factors_MB", static_cast<double>(hair.body_memory()) * 1e-6}};
  return row;
}

// Growth: cost of a contact against that of the smallest bundle of the same density and threads.
BenchRow with_growth(BenchRow row, const BenchRows& before) {
  if (!row.scene.starts_with("hair ")) return row;
  double first = row.ns_per_element;
  for (const BenchRow& other : before.all())
    if (row.solver == other.solver && row.threads == other.threads) {
      first = other.ns_per_element;
      break;
    }
  row.figures.emplace_back("cost_of_a_contact_by_first", row.ns_per_element / first);
  return row;
}

// What the choices of the splitting are worth: masses D, sweeps, relaxation, each changed alone, nothing adapted.
void bench_choices(const Bundle& bundle, ContactHairCase& hair, BenchRows& rows) {
  struct Choice {
    const char* name;
    double masses;
    int sweeps;
    double relaxation;
  };
  constexpr Choice choices[] = {
      {"fixed D", 1, 3, 1.7},
      {"D/2", 0.5, 3, 1.7},
      {"2 D", 2, 3, 1.7},
      {"4 D", 4, 3, 1.7},
      {"8 D", 8, 3, 1.7},
      {"1 sweep", 1, 1, 1.7},
      {"2 sweeps", 1, 2, 1.7},
      {"6 sweeps", 1, 6, 1.7},
      {"relaxation 1", 1, 3, 1},
      {"relaxation 1.5", 1, 3, 1.5},
      {"relaxation 1.9", 1, 3, 1.9},
  };
  for (const Choice& choice : choices) {
    NodalOptions options = splitting(bundle);
    options.adapt = false;
    options.masses = choice.masses, options.sweeps = choice.sweeps, options.relaxation = choice.relaxation;
    rows.add(with_growth(bench_solver(bundle, hair, choice.name, options, 1), rows));
  }
}

}  // namespace

void bench_contact_hair(const BenchOptions& options, BenchRows& rows) {
  const int all = threads();
  std::vector<int> counts{1};
  if (all > 1) counts.push_back(all);
  const auto taken = [&](const Bundle& bundle) { return !options.quick || bundle.strands <= 334; };
  const auto work = [](const Bundle& bundle) { return static_cast<double>(bundle.strands) + 1000; };
  double whole = 0;
  for (const Bundle& bundle : bundles) whole += taken(bundle) ? work(bundle) : 0;
  rows.expect(whole);
  for (const Bundle& bundle : bundles) {
    if (!taken(bundle)) continue;
    ContactHairCase hair(bundle.strands, bundle.distance);
    const int repetitions = options.quick || bundle.strands > 334 ? 1 : 5;
    for (const int count : counts) {
      set_threads(count);
      rows.add(with_growth(bench_solver(bundle, hair, "nodal splitting", splitting(bundle), repetitions), rows));
    }
    set_threads(1);
    if (bundle.compliances && !(options.quick && bundle.strands > 64))
      rows.add(with_growth(bench_solver(bundle, hair, "Gauss-Seidel on compliances", gauss_seidel(bundle), 1), rows));
    if (!options.quick && bundle.strands <= 334) bench_choices(bundle, hair, rows);
    set_threads(all);
    rows.done(work(bundle));
  }
}

}  // namespace ymir::bench
