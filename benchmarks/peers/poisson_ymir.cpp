// Our side of the pressure comparison, one case per process so that its memory can be measured.
//   poisson_ymir export CASE N SYSTEM                 writes the matrix and right side for all solvers
//   poisson_ymir multigrid CASE N SOLUTION THREADS    conjugate gradients and multigrid on tiles
//   poisson_ymir amg SYSTEM SOLUTION THREADS          conjugate gradients and smoothed aggregation, from the file
// CASE: sphere (a solid ball of whole cells under an open top), or cut (120 balls that cut faces, and 20 bubbles of a
// gas 1000 times lighter).
#include <algorithm>
#include <string>

#include "matrix_file.h"
#include "measure.h"
#include "poisson_case.h"
#include "ymir/parallel/threads.h"
#include "ymir/solvers/amg/algebraic_solver.h"

namespace ymir::bench {
namespace {

// Cut faces of one case with the densities of another.
void multiply_faces(PoissonCase& problem, const PoissonCase& by) {
  const std::ptrdiff_t values = std::ptrdiff_t{512} * problem.volume.buckets().local_count();
  YMIR_CHECK(by.volume.buckets().local_count() == problem.volume.buckets().local_count());
  for (int axis = 0; axis < 3; ++axis) {
    float* c = problem.volume.write_tiles(problem.coefficient, axis);
    const float* factor = by.volume.tiles(by.coefficient, axis);
    for (std::ptrdiff_t i = 0; i < values; ++i) c[i] *= factor[i];
  }
}

// Values of tiles as an array of (n + 1)^3, x fastest.
class Dense {
 public:
  explicit Dense(int n) : side_(n + 1) {}

  template <class T>
  std::vector<T> gather(const BucketSet& set, const T* tiles) const {
    std::vector<T> all(static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_ * side_));
    each(set, [&](std::size_t place, std::ptrdiff_t at) { all[place] = tiles[at]; });
    return all;
  }
  // body(place in the array, index in the tiles)
  template <class F>
  void each(const BucketSet& set, F&& body) const {
    for (int t = 0; t < set.local_count(); ++t) {
      const BucketCoord b = set.coord(t);
      for (int i = 0; i < 512; ++i) {
        const Vec3i v{8 * b.x + i % 8, 8 * b.y + i / 8 % 8, 8 * b.z + i / 64};
        if (v.x < side_ && v.y < side_ && v.z < side_) body(place(v), 512 * std::ptrdiff_t{t} + i);
      }
    }
  }
  std::size_t place(Vec3i v) const {
    const auto s = static_cast<std::size_t>(side_);
    return static_cast<std::size_t>(v.x) + s * (static_cast<std::size_t>(v.y) + s * static_cast<std::size_t>(v.z));
  }
  std::size_t stride(int axis) const {
    const auto s = static_cast<std::size_t>(side_);
    return axis == 0 ? 1 : axis == 1 ? s : s * s;
  }

 private:
  int side_;
};

// Gaps between balls that the open top does not reach are no unknowns: the matrix would be singular there, which
// libraries do not expect.
void drop_closed_parts(PoissonCase& problem, int n) {
  const Dense dense(n);
  const BucketSet& set = problem.volume.buckets();
  const std::vector<std::uint8_t> cells = dense.gather(set, problem.volume.tiles(problem.cell));
  std::vector<float> c[3];
  for (int axis = 0; axis < 3; ++axis) c[axis] = dense.gather(set, problem.volume.tiles(problem.coefficient, axis));
  std::vector<std::uint8_t> reached(cells.size(), 0);
  std::vector<std::size_t> next;
  const auto reach = [&](std::size_t place) {
    if (cells[place] != 1 || reached[place]) return;
    reached[place] = 1;
    next.push_back(place);
  };
  for (int z = 0; z < n; ++z)
    for (int x = 0; x < n; ++x)
      if (c[1][dense.place({x, n, z})] > 0) reach(dense.place({x, n - 1, z}));
  while (!next.empty()) {
    const std::size_t at = next.back();
    next.pop_back();
    for (int axis = 0; axis < 3; ++axis) {
      const std::size_t stride = dense.stride(axis);
      if (c[axis][at] > 0) reach(at - stride);
      if (c[axis][at + stride] > 0) reach(at + stride);
    }
  }
  std::uint8_t* flags = problem.volume.write_tiles(problem.cell);
  dense.each(set, [&](std::size_t place, std::ptrdiff_t at) { flags[at] = reached[place]; });
}

std::unique_ptr<PoissonCase> make_case(const std::string& name, int n) {
  const bool cut = name == "cut";
  if (!cut && name != "sphere") peers::fail(name.c_str(), "is no case; there are sphere and cut");
  auto problem = std::make_unique<PoissonCase>(cut ? PoissonGeometry::balls : PoissonGeometry::sphere, n);
  if (cut) {
    multiply_faces(*problem, PoissonCase(PoissonGeometry::bubbles, n));
    drop_closed_parts(*problem, n);
  }
  problem->set_random_right_side();
  problem->clear_solution();
  return problem;
}

// Numbers of the unknowns, x fastest; -1 elsewhere.
std::vector<std::int32_t> number_rows(const PoissonCase& problem, const Dense& dense) {
  const BucketSet& set = problem.volume.buckets();
  const std::vector<std::uint8_t> cells = dense.gather(set, problem.volume.tiles(problem.cell));
  std::vector<std::int32_t> rows(cells.size(), -1);
  std::int32_t next = 0;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i] == 1) rows[i] = next++;
  return rows;
}

peers::System system_of(const PoissonCase& problem, int n) {
  const Dense dense(n);
  const BucketSet& set = problem.volume.buckets();
  const std::vector<std::int32_t> rows = number_rows(problem, dense);
  std::vector<float> c[3];
  for (int axis = 0; axis < 3; ++axis) c[axis] = dense.gather(set, problem.volume.tiles(problem.coefficient, axis));
  const std::vector<double> b = dense.gather(set, problem.volume.tiles(problem.b));
  peers::System s;
  s.starts.push_back(0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0) continue;
    double diagonal = 0;
    const auto add = [&](float value, std::size_t to) {
      diagonal += static_cast<double>(value);
      if (value == 0 || rows[to] < 0) return;
      s.columns.push_back(rows[to]);
      s.values.push_back(-static_cast<double>(value));
    };
    for (const int axis : {2, 1, 0}) add(c[axis][i], i < dense.stride(axis) ? i : i - dense.stride(axis));
    const std::size_t at = s.values.size();
    s.columns.push_back(rows[i]);
    s.values.push_back(0);
    for (const int axis : {0, 1, 2}) add(c[axis][i + dense.stride(axis)], i + dense.stride(axis));
    s.values[at] = diagonal;
    s.starts.push_back(static_cast<std::int32_t>(s.columns.size()));
    s.b.push_back(b[i]);
  }
  return s;
}

void run_multigrid(const std::string& name, int n, const char* to) {
  peers::Result result;
  const double empty = peers::memory_now_MB();
  const std::unique_ptr<PoissonCase> problem = make_case(name, n);
  const double before = peers::memory_now_MB();
  result.matrix_MB = before - empty;
  peers::reset_peak_memory();
  const peers::Clock setup;
  TilePoisson solver(problem->volume);
  solver.set_matrix(problem->coefficient, problem->cell);
  result.setup = setup.lap();
  const peers::Clock clock;
  result.iterations = solver.solve(problem->b, problem->x, {.tolerance = 1e-6}).iterations;
  result.solve = clock.lap();
  result.solver_MB = peers::memory_MB("VmHWM") - before;
  const Dense dense(n);
  const std::vector<std::int32_t> rows = number_rows(*problem, dense);
  const double* values = problem->volume.tiles(problem->x);
  std::vector<double> x(static_cast<std::size_t>(*std::max_element(rows.begin(), rows.end()) + 1));
  dense.each(problem->volume.buckets(), [&](std::size_t place, std::ptrdiff_t at) {
    if (rows[place] >= 0) x[static_cast<std::size_t>(rows[place])] = values[at];
  });
  peers::write_solution(to, x);
  peers::print(result);
}

AlgebraicSystem without_diagonal(const peers::System& s) {
  AlgebraicSystem system;
  CsrMatrix& m = system.matrix;
  for (std::size_t i = 0; i < s.b.size(); ++i) {
    double sum = 0;
    for (auto k = static_cast<std::size_t>(s.starts[i]); k < static_cast<std::size_t>(s.starts[i + 1]); ++k) {
      sum += s.values[k];
      if (s.columns[k] == static_cast<std::int32_t>(i)) continue;
      m.columns.push_back(s.columns[k]);
      m.values.push_back(static_cast<float>(s.values[k]));
    }
    m.row_sums.push_back(sum);
    m.starts.push_back(static_cast<std::int32_t>(m.columns.size()));
  }
  m.columns.shrink_to_fit();
  m.values.shrink_to_fit();
  m.row_sums.shrink_to_fit();
  m.starts.shrink_to_fit();
  return system;
}

void run_amg(const char* from, const char* to) {
  peers::Result result;
  const double empty = peers::memory_now_MB();
  AlgebraicSystem system;
  std::vector<double> b, x;
  {
    peers::System s = peers::read_system(from);
    system = without_diagonal(s);
    b = std::move(s.b);
    x.assign(b.size(), 0);
  }
  const double before = peers::memory_now_MB();
  result.matrix_MB = before - empty;
  peers::reset_peak_memory();
  const peers::Clock setup;
  AlgebraicSolver solver(Communicator::world());
  solver.set_system(std::move(system));
  solver.choose(AlgebraicMethod::smoothed, {});
  solver.solve(std::vector<double>(b.size(), 0), x, {});  // the first solve builds; this one does nothing else
  result.setup = setup.lap();
  const peers::Clock clock;
  result.iterations = solver.solve(b, x, {.relative = 1e-6}).iterations;
  result.solve = clock.lap();
  result.solver_MB = peers::memory_MB("VmHWM") - before;
  peers::write_solution(to, x);
  peers::print(result);
}

void run(const std::vector<std::string>& arguments) {
  const std::string& what = arguments[0];
  if (what == "export" && arguments.size() == 4) {
    const int n = std::stoi(arguments[2]);
    peers::write_system(arguments[3].c_str(), system_of(*make_case(arguments[1], n), n));
  } else if (what == "multigrid" && arguments.size() == 5) {
    set_threads(std::stoi(arguments[4]));
    run_multigrid(arguments[1], std::stoi(arguments[2]), arguments[3].c_str());
  } else if (what == "amg" && arguments.size() == 4) {
    set_threads(std::stoi(arguments[3]));
    run_amg(arguments[1].c_str(), arguments[2].c_str());
  } else {
    peers::fail("usage",
                "poisson_ymir export CASE N SYSTEM | multigrid CASE N SOLUTION THREADS | amg SYSTEM SOLUTION THREADS");
  }
}

}  // namespace
}  // namespace ymir::bench

int main(int argc, char** argv) {
  if (argc < 2) peers::fail("usage", "poisson_ymir export | multigrid | amg ...");
  ymir::bench::run({argv + 1, argv + argc});
  return 0;
}
