// Our side of the comparison of solids.
//   solids_ymir N SOLUTION cg|direct THREADS
#include <string>

#include "hanging_cube.h"
#include "ymir/actions/elastic_solid.h"
#include "ymir/actions/gravity_force.h"
#include "ymir/objects/mesh_block.h"
#include "ymir/parallel/threads.h"

namespace ymir {
namespace {

void run(int n, const char* to, LinearSolver solver) {
  peers::Result result;
  const double empty = peers::memory_now_MB();
  const peers::HangingCube cube(n);
  SolidMesh mesh;
  MeshObject::NodeMotion top;
  for (const auto& p : cube.positions) mesh.positions.push_back({p[0], p[1], p[2]});
  for (const auto& c : cube.cells) mesh.cells.insert(mesh.cells.end(), c.begin(), c.end());
  mesh.fill.assign(mesh.cell_count(), 1);
  for (int i = 0; i < static_cast<int>(mesh.positions.size()); ++i)
    if (cube.held(i)) top.nodes.push_back(i);
  Communicator alone;
  GridDomain domain(100.0, 1, alone);
  MeshObject::Description description;
  description.density = cube.density;
  description.solver = solver;
  MeshObject object("cube", 0, domain, description, std::move(mesh));
  add_elastic_solid(object, "material", {cube.young, cube.nu});
  object.add_force(gravity_force("gravity", {0, -cube.gravity, 0}, {}));
  object.hold(std::move(top));
  object.ingest();
  MeshBlock block(object);
  object.begin_substep();
  block.begin({0, 0, 0, 0, cube.dt});
  block.place();
  std::vector<double> b(block.size()), x(block.size());
  const auto solve = [&] {
    block.factor();
    block.right_side(b.data());
    block.solve(b.data(), x.data());
  };
  block.assemble();
  solve();  // the first prepares
  object.workspace().solver.forget_counts();
  const peers::Clock assembling;
  block.assemble();
  result.setup = assembling.lap();
  const double before = peers::memory_now_MB();
  result.matrix_MB = before - empty;
  const peers::Clock solving;
  solve();
  result.solve = solving.lap();
  result.iterations = std::max(1, static_cast<int>(object.workspace().solver.cg_iterations()));
  peers::report(result, x, to);
}

}  // namespace
}  // namespace ymir

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: solids_ymir N SOLUTION cg|direct THREADS\n");
    return 1;
  }
  ymir::set_threads(std::atoi(argv[4]));
  ymir::run(std::atoi(argv[1]), argv[2],
            std::string(argv[3]) == "cg" ? ymir::LinearSolver::cg : ymir::LinearSolver::direct);
  return 0;
}
