// The hair of `rods` as super-helices: a substep in core time per strand, and per strand and Newton iteration, beside
// discrete rods in the same run.
#include <algorithm>
#include <limits>

#include "bench.h"
#include "rod_case.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/objects/super_helix_object.h"
#include "ymir/parallel/threads.h"

namespace ymir::bench {
namespace {

struct Measured {
  double best = std::numeric_limits<double>::infinity();  // [s] of a substep
  double iterations = 0;                                  // per strand and substep
};

// The same number of substeps of either; advance(step) returns the Newton iterations so far.
template <class Begin, class Advance>
Measured measure(Step step, int substeps, std::int64_t strands, Begin begin, Advance advance) {
  constexpr int warm = 2;
  Measured m;
  std::int64_t before = 0;
  for (int s = 0; s < warm + substeps; ++s) {
    begin(step);
    std::int64_t total = 0;
    const double seconds = timed([&] { total = advance(step); });
    if (s >= warm) {
      m.best = std::min(m.best, seconds);
      m.iterations += static_cast<double>(total - before) / static_cast<double>(strands * substeps);
    }
    before = total;
    step.time += step.dt;
  }
  return m;
}

BenchRow row_of(const char* solver, const Measured& m, std::int64_t strands, const Measured& rods) {
  BenchRow row = new_row("hair as super-helices, " + std::to_string(strands) + " strands", solver);
  set_time(row, m.best, strands);
  const double core_us = m.best * threads() / static_cast<double>(strands) * 1e6;
  row.bitwise = false;
  row.peak_MB = peak_memory_MB();
  row.iterations = static_cast<int>(m.iterations + 0.5);
  row.figures = {{"core_us_per_strand", core_us},
                 {"mean_iterations", m.iterations},
                 {"core_us_per_strand_iteration", core_us / m.iterations},
                 {"strand_iteration_by_rods", m.best / m.iterations / (rods.best / rods.iterations)},
                 {"substep_by_rods", m.best / rods.best}};
  return row;
}

}  // namespace

void bench_helices(const BenchOptions& options, BenchRows& rows) {
  const std::int64_t strands = options.quick ? 100 : 2000;
  const int substeps = options.quick ? 2 : 32;
  Communicator alone;
  RodCase hair(strands, alone);
  const Measured rods = measure(
      hair.step, substeps, strands,
      [&](const Step& step) {
        hair.object.save();
        hair.object.place_roots(step);
      },
      [&](const Step& step) {
        hair.object.advance(step);
        return hair.object.newton_iterations();
      });
  BenchRow of_rods = row_of("discrete rods, 32 vertices", rods, strands, rods);
  of_rods.hash = hair.object.hash();
  rows.add(std::move(of_rods));
  for (const int elements : {3, 5, 8}) {
    GridDomain domain(0.1, 1, alone);
    SuperHelixObject::Description d;
    d.elements = elements;
    d.newton.tolerance = 1e-6;
    SuperHelixObject object("hair", 0, domain, d);
    const Timer setup;
    object.set_curves(RodCase::curves(strands));
    const double fitted = setup.seconds(), error = object.fit_error();
    std::vector<RootFrame> roots;
    for (std::int64_t id = 0; id < strands; ++id) roots.push_back(object.root_frame(id));
    object.add_force(gravity_force("gravity", {0, -9.81, 0}, {}));
    RootMotion motion;
    motion.owner = "shaking";
    motion.pose = [&](std::int64_t strand, double time) {
      RootFrame frame = roots[static_cast<std::size_t>(strand)];
      frame.position += RodCase::shift(time);
      return frame;
    };
    object.set_root_motion(std::move(motion));
    object.ingest();
    const Measured m = measure(
        hair.step, substeps, strands,
        [&](const Step& step) {
          object.save();
          object.prepare(step);
        },
        [&](const Step& step) {
          object.advance(step);
          return object.newton_iterations();
        });
    BenchRow row = row_of(("super-helices, " + std::to_string(elements) + " elements").c_str(), m, strands, rods);
    row.setup_s = fitted;
    row.residual = object.solve_report().residual;
    row.hash = object.hash();
    row.figures.emplace_back("fit_error_of_length", error);
    row.figures.emplace_back("fit_us_per_strand", fitted * threads() / static_cast<double>(strands) * 1e6);
    rows.add(std::move(row));
  }
}

}  // namespace ymir::bench
