// A soft cube that hangs by one face, one Newton iteration of its implicit step: assembly and linear solve apart, the
// latter by conjugate gradients and by a factor, and the same matrix by the direct solvers that libraries have. The
// same for a sheet of cloth that hangs by one side. Of a plant of elastons, a trunk with
// boughs, assembly, factor and solve. On several ranks: the cube, which they share, by conjugate gradients.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bench.h"
#include "ymir/actions/elastic_shell.h"
#include "ymir/actions/elastic_solid.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/base/hash.h"
#include "ymir/data/cloth_mesh.h"
#include "ymir/data/quadratic_mesh.h"
#include "ymir/data/shape_meshes.h"
#include "ymir/grooms/plant.h"
#include "ymir/objects/elaston_block.h"
#include "ymir/objects/elaston_object.h"
#include "ymir/objects/mesh_block.h"
#include "ymir/parallel/threads.h"
#include "ymir/solvers/direct.h"

namespace ymir::bench {
namespace {

constexpr double size = 0.2;  // of the cube [m]

SolidMesh cube(CellShape shape, int side) {
  if (shape == CellShape::quadratic_tetrahedron) return quadratic_mesh(cube(CellShape::tetrahedron, side), "cube");
  SolidMesh mesh;
  mesh.shape = shape;
  const int n = side + 1;
  const auto node = [&](int i, int j, int k) { return (k * n + j) * n + i; };
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) mesh.positions.push_back(Vec3d{1.0 * i, 1.0 * j, 1.0 * k} * (size / side));
  // Six tetrahedra around the diagonal of a cube.
  constexpr std::array<std::array<int, 4>, 6> split{
      {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}}};
  for (int k = 0; k < side; ++k)
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i) {
        const std::array<int, 8> corner{
            node(i, j, k),     node(i + 1, j, k),     node(i + 1, j + 1, k),     node(i, j + 1, k),
            node(i, j, k + 1), node(i + 1, j, k + 1), node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)};
        if (shape == CellShape::hexahedron)
          mesh.cells.insert(mesh.cells.end(), corner.begin(), corner.end());
        else
          for (const auto& t : split)
            for (const int a : t) mesh.cells.push_back(corner[static_cast<std::size_t>(a)]);
      }
  mesh.fill.assign(mesh.cell_count(), 1);
  return mesh;
}

struct Hanging {
  GridDomain domain{100.0, 1, Communicator::world()};
  MeshObject object;
  std::string name;

  Hanging(CellShape shape, int side, LinearSolver solver)
      : object("cube", 0, domain, description(solver), cube(shape, side)),
        name(shape == CellShape::hexahedron    ? "hexahedra"
             : shape == CellShape::tetrahedron ? "tetrahedra"
                                               : "quadratic tetrahedra") {
    add_elastic_solid(object, "material", {5e4, 0.45});
    hang();
  }
  // A sheet of 1 m with `side` edges to a side.
  Hanging(BendingModel bending, int side)
      : object("sheet", 0, domain, {}, cloth_of(sheet_mesh({0, 0, 0}, 1, 1, 1.0 / side), 5e-4, "sheet")),
        name(bending == BendingModel::mid   ? "triangles, mid"
             : bending == BendingModel::tri ? "triangles, tri"
                                            : "triangles, hinge") {
    ElasticShellMaterial material;
    material.model = bending;
    add_elastic_shell(object, "material", material, warp_along(object.mesh(), {1, 0, 0}));
    hang();
  }

 private:
  static MeshObject::Description description(LinearSolver solver) {
    MeshObject::Description d;
    d.solver = solver;
    d.ranks = MeshRanks::all;
    return d;
  }
  void hang() {
    object.add_force(gravity_force("gravity", {0, -9.81, 0}, {}));
    const double highest = bounds(object.mesh().positions).high.y;
    MeshObject::NodeMotion top;
    for (std::size_t i = 0; i < object.mesh().positions.size(); ++i)
      if (object.mesh().positions[i].y == highest) top.nodes.push_back(static_cast<std::int32_t>(i));
    object.hold(std::move(top));
  }
};

// What takes seconds is done twice.
template <class F>
double best(int repetitions, F&& work) {
  double least = std::numeric_limits<double>::infinity(), sum = 0;
  for (int r = 0; r < repetitions && (r < 2 || sum < 3); ++r) {
    const double seconds = timed(work);
    least = std::min(least, seconds);
    sum += seconds;
  }
  return least;
}

// The libraries that factor the same matrix as we do. They take their own threads, or none, whatever ours are.
enum class Rivals { none, cholmod, all };

// Over the rows of all ranks.
double residual_of(const MeshBlock& block, const MeshShare* share, const std::vector<double>& b,
                   const std::vector<double>& x) {
  std::vector<double> y(x.size());
  block.product(x.data(), y.data());
  double sums[2] = {0, 0};
  const auto add = [&](std::size_t i) {
    sums[0] += (y[i] - b[i]) * (y[i] - b[i]);
    sums[1] += b[i] * b[i];
  };
  for (std::size_t i = 0; share == nullptr && i < x.size(); ++i) add(i);
  if (share != nullptr)
    for (const std::int32_t node : share->nodes())
      for (std::size_t k = 0; k < 3; ++k) add(3 * static_cast<std::size_t>(node) + k);
  if (share != nullptr) share->ranks->ordered_sum(sums);
  return std::sqrt(sums[0] / sums[1]);
}

// A body at the beginning of a substep, and its rows.
class Measured {
 public:
  Measured(Hanging& run, int repetitions, BenchRows& rows)
      : run_(run), block_(run.object), repetitions_(repetitions), rows_(rows) {
    scene_ = fmt::format("{} {}", run.object.mesh().cell_count(), run.name);
    setup_ = timed([&] { run.object.ingest(); });
    run.object.begin_substep();
    block_.begin({0, 0, 0, 0, 1.0 / 48});
    block_.place();
    reset_peak_memory();
    assembly_ = best(repetitions, [&] { block_.assemble(); });
    b_.resize(block_.size());
    x_.resize(block_.size());
    block_.right_side(b_.data());
  }
  void assembly() { rows_.add(row("assembly", "ymir", assembly_, nullptr)); }
  // Refresh of the hierarchy and iterations.
  void iterations() {
    run_.object.workspace().solver.forget_counts();
    int solves = 0;
    const double seconds = best(repetitions_, [&] {
      block_.factor();
      ++solves;
    });
    block_.solve(b_.data(), x_.data());
    BenchRow result = row("factor and solve", "ymir cg", seconds, &x_);
    result.iterations = static_cast<int>(run_.object.workspace().solver.cg_iterations() / solves);
    rows_.add(std::move(result));
  }
  void factor(Rivals rivals) {
    const double factor = best(repetitions_, [&] { block_.factor(); });
    const double solve = best(repetitions_, [&] { block_.solve(b_.data(), x_.data()); });
    rows_.add(row("factor and solve", "ymir", factor + solve, &x_));
    rows_.add(row("solve", "ymir", solve, &x_));
    rows_.add(row("factor", "ymir", factor, &x_));
    if (threads() > 1) return;
    if (has_cholmod()) rival(DirectBackend::cholmod, "CHOLMOD", rivals != Rivals::none);
    rival(DirectBackend::eigen, "Eigen", rivals == Rivals::all);
  }

 private:
  void rival(DirectBackend backend, const char* name, bool wanted) {
    if (!wanted) {
      BenchRow absent = new_row(fmt::format("{}, factor", scene_), name);
      absent.left_out = "takes too long at this size; see the smaller ones";
      return rows_.add(std::move(absent));
    }
    std::vector<Triplet> triplets;
    block_.visit_blocks([&](std::int32_t i, std::int32_t j, const double* values) {
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < (i == j ? r + 1 : 3); ++c) triplets.push_back({3 * i + r, 3 * j + c, values[3 * r + c]});
    });
    const SymmetricMatrix matrix(static_cast<std::int32_t>(block_.size()), triplets);
    DirectSolver library(backend);
    library.analyze(matrix);
    std::vector<double> y(b_.size());
    const double seconds = best(std::min(repetitions_, 3), [&] { library.factor(matrix); });
    library.solve(b_, y);
    rows_.add(row("factor", name, seconds, &y));
  }

  BenchRow row(const char* part, const char* solver, double seconds, const std::vector<double>* x) const {
    BenchRow row = new_row(fmt::format("{}, {}", scene_, part), solver);
    row.setup_s = setup_;
    row.bitwise = false;
    set_time(row, seconds, static_cast<std::int64_t>(run_.object.mesh().cell_count()));
    row.peak_MB = peak_memory_MB();
    if (x != nullptr) {
      row.residual = residual_of(block_, run_.object.share(), b_, *x);
      row.hash = hash_bytes(std::as_bytes(std::span<const double>(*x)));
    }
    return row;
  }

  Hanging& run_;
  MeshBlock block_;
  int repetitions_;
  BenchRows& rows_;
  std::string scene_;
  double setup_ = 0, assembly_ = 0;
  std::vector<double> b_, x_;
};

// A trunk and boughs of 1 m all around it, 10 cm apart as their nodes are.
ElastonCloud plant(int boughs) {
  Curves curves;
  const auto add = [&](Vec3d from, Vec3d to) {
    curves.positions.insert(curves.positions.end(), {from, to});
    curves.first.push_back(static_cast<std::int64_t>(curves.positions.size()));
  };
  add({0, 0, 0}, {0, 0.5 + 0.1 * boughs, 0});
  for (int k = 0; k < boughs; ++k) {
    const double angle = 2.4 * k, height = 0.5 + 0.1 * k;
    add({0, height, 0}, {std::cos(angle), height + 0.3, std::sin(angle)});
  }
  curves.vertices.resize(curves.positions.size());
  curves.strands.resize(curves.strand_count());
  Plant plant(0.1);
  plant.add_branches(curves, 0.02, "plant");
  return plant.grown(true);
}

void measure_plant(int boughs, int repetitions, BenchRows& rows) {
  Communicator alone;
  GridDomain domain{100.0, 1, alone};
  ElastonObject object("plant", 0, domain, {}, plant(boughs));
  object.add_force(gravity_force("gravity", {0, -9.81, 0}, {}));
  const double setup = timed([&] { object.ingest(); });
  const auto elastons = static_cast<std::int64_t>(object.mass().size());
  ElastonBlock block(object, 0);
  const Step step{0, 0, 0, 0, 1.0 / 48};
  object.begin_substep(step);
  block.begin(step);
  block.place();
  reset_peak_memory();
  const auto add = [&](const char* part, double seconds) {
    BenchRow row = new_row(fmt::format("{} elastons, {}", elastons, part), "ymir");
    row.setup_s = setup;
    row.bitwise = false;
    set_time(row, seconds, elastons);
    row.peak_MB = peak_memory_MB();
    rows.add(std::move(row));
  };
  add("assembly", best(repetitions, [&] { block.assemble(); }));
  std::vector<double> b(block.size()), x(block.size());
  block.right_side(b.data());
  add("factor", best(repetitions, [&] { block.factor(); }));
  add("solve", best(repetitions, [&] { block.solve(b.data(), x.data()); }));
}

struct Cube {
  CellShape shape;
  int side;  // cells of a cube of as many nodes

  bool factored() const { return side <= 32; }  // beyond: a factor of gigabytes
  Rivals rivals() const { return side <= 16 ? Rivals::all : side <= 24 ? Rivals::cholmod : Rivals::none; }
  // About what takes a microsecond: the factors of others take some twenty times as long as ours.
  double work(int repetitions, int threads) const {
    const double cells = 6 * std::pow(side, 3), factor = 1.5e-4 * cells * cells;
    const double libraries = threads > 1 ? 0 : static_cast<int>(rivals()) * 60.0;
    return 6 * repetitions * cells + (factored() ? (std::min(repetitions, 3) + libraries) * factor : 0);
  }
};

void measure_cube(const Cube& cube, bool shared, int repetitions, BenchRows& rows) {
  // A quadratic cube has as many nodes as one of linear tetrahedra with twice the cells along an edge.
  const int side = cube.shape == CellShape::quadratic_tetrahedron ? cube.side / 2 : cube.side;
  {
    Hanging large(cube.shape, side, LinearSolver::cg);
    Measured measured(large, repetitions, rows);
    measured.assembly();
    measured.iterations();
  }
  if (!cube.factored() || shared) return;
  Hanging small(cube.shape, side, LinearSolver::direct);
  Measured(small, repetitions, rows).factor(cube.rivals());
}

struct Sheet {
  BendingModel bending;
  int side;

  double work(int repetitions) const { return repetitions * 60.0 * side * side; }
};

void measure_sheet(const Sheet& sheet, int repetitions, BenchRows& rows) {
  Hanging run(sheet.bending, sheet.side);
  Measured measured(run, repetitions, rows);
  measured.assembly();
  measured.factor(sheet.side <= 40 ? Rivals::all : Rivals::cholmod);
}

}  // namespace

void bench_solids(const BenchOptions& options, BenchRows& rows) {
  const int before = threads();
  const bool shared = Communicator::world().size() > 1;
  const int repetitions = options.quick ? 2 : std::min(options.repetitions, 5);
  std::vector<int> counts;
  for (int count = 1; count < before; count *= 2) counts.push_back(count);
  counts.push_back(before);
  std::vector<Cube> cubes;
  for (const CellShape shape : {CellShape::tetrahedron, CellShape::hexahedron, CellShape::quadratic_tetrahedron})
    for (const int side : options.quick ? std::vector<int>{6, 12} : std::vector<int>{12, 16, 24, 32, 55})
      if (side <= 32 || shape == CellShape::tetrahedron) cubes.push_back({shape, side});
  std::vector<Sheet> sheets;
  std::vector<int> plants;
  if (!shared) {
    for (const BendingModel bending : {BendingModel::mid, BendingModel::tri, BendingModel::hinge})
      for (const int side : options.quick ? std::vector<int>{10, 20} : std::vector<int>{20, 40, 80, 160})
        sheets.push_back({bending, side});
    plants = options.quick ? std::vector<int>{10, 40} : std::vector<int>{40, 160, 640};
  }
  double work = 0;
  for (const int count : counts) {
    for (const Cube& cube : cubes) work += cube.work(repetitions, count);
    for (const Sheet& sheet : sheets) work += sheet.work(repetitions);
  }
  rows.expect(work);
  for (const Cube& cube : cubes)
    for (const int count : counts) {
      set_threads(count);
      measure_cube(cube, shared, repetitions, rows);
      rows.done(cube.work(repetitions, count));
    }
  for (const Sheet& sheet : sheets)
    for (const int count : counts) {
      set_threads(count);
      measure_sheet(sheet, repetitions, rows);
      rows.done(sheet.work(repetitions));
    }
  for (const int boughs : plants)
    for (const int count : counts) {
      set_threads(count);
      measure_plant(boughs, repetitions, rows);
    }
  set_threads(before);
}

}  // namespace ymir::bench
