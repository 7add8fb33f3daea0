// GetFEM: assembly of the tangent stiffness, and the linear solver a user has with it.
//   solids_getfem N SOLUTION ASSEMBLY SOLVER
// ASSEMBLY: finite (finite strain, its generic assembly language), or linear (linear elasticity, its fastest).
// SOLVER: mumps (direct), or cg (conjugate gradients with an incomplete LDL' factorisation).
#include <getfem/getfem_assembling.h>
#include <getfem/getfem_mesh_fem.h>
#include <getfem/getfem_models.h>
#include <getfem/getfem_nonlinear_elasticity.h>
#include <gmm/gmm.h>
#include <gmm/gmm_MUMPS_interface.h>

#include <cmath>
#include <memory>
#include <string>

#include "hanging_cube.h"

namespace {

using Matrix = getfem::model_real_sparse_matrix;

// Mass on the diagonal, and unit rows of nodes that are held; node_of: of each basic degree of freedom.
void add_inertia(const peers::HangingCube& cube, const std::vector<int>& node_of, Matrix& a, std::vector<double>& b) {
  const double share = cube.density * cube.volume() / 4;
  std::vector<double> mass(cube.positions.size(), 0);
  for (const auto& c : cube.cells)
    for (const int node : c) mass[static_cast<std::size_t>(node)] += share;
  std::vector<char> held(node_of.size());
  for (std::size_t d = 0; d < node_of.size(); ++d) held[d] = cube.held(node_of[d]);
  for (std::size_t d = 0; d < node_of.size(); ++d) {
    const double m = mass[static_cast<std::size_t>(node_of[d])];
    b[d] = !held[d] && d % 3 == 1 ? -m * cube.gravity : 0;
    auto& column = a.col(d);
    if (held[d]) gmm::clear(column);
    for (auto it = gmm::vect_begin(column); it != gmm::vect_end(column); ++it)
      if (held[it.index()]) *it = 0;
    a(d, d) += held[d] ? 1 : m / (cube.dt * cube.dt);
  }
}

void run(int n, const char* to, const std::string& assembly, const std::string& solver) {
  peers::Result result;
  const double empty = peers::memory_now_MB();
  const peers::HangingCube cube(n);
  getfem::mesh mesh;
  for (const auto& p : cube.positions) mesh.add_point(bgeot::base_node(p[0], p[1], p[2]));
  for (const auto& c : cube.cells) mesh.add_simplex(3, c.begin());
  getfem::mesh_fem displacements(mesh, 3);
  displacements.set_finite_element(getfem::fem_descriptor("FEM_PK(3,1)"));
  getfem::mesh_im integration(mesh);
  integration.set_integration_method(getfem::int_method_descriptor("IM_TETRAHEDRON(1)"));
  const std::size_t size = displacements.nb_dof();
  std::vector<int> node_of(size);
  for (std::size_t d = 0; d < size; ++d) {
    const auto p = displacements.point_of_basic_dof(d);
    const auto place = [&](int k) {
      return static_cast<int>(std::lround(p[static_cast<std::size_t>(k)] * n / cube.size));
    };
    node_of[d] = (place(2) * (n + 1) + place(1)) * (n + 1) + place(0);
  }
  const double lambda = cube.young * cube.nu / ((1 + cube.nu) * (1 - 2 * cube.nu));
  const double mu = cube.young / (2 * (1 + cube.nu));
  getfem::model model;
  model.add_fem_variable("u", displacements);
  model.add_initialized_fixed_size_data("lame", std::vector<double>{lambda, mu});
  if (assembly == "finite")
    getfem::add_finite_strain_elasticity_brick(model, integration, "Saint Venant Kirchhoff", "u", "lame");
  getfem::mesh_fem constants(mesh, 1);
  constants.set_finite_element(getfem::fem_descriptor("FEM_PK(3,0)"));
  std::vector<double> b(size), x(size, 0);
  const auto assemble = [&](Matrix& a) {
    if (assembly == "finite") {
      model.assembly(getfem::model::BUILD_MATRIX);
      gmm::copy(model.real_tangent_matrix(), a);
    } else {
      const std::vector<double> l(constants.nb_dof(), lambda), m(constants.nb_dof(), mu);
      getfem::asm_stiffness_matrix_for_linear_elasticity(a, integration, displacements, constants, l, m);
    }
    add_inertia(cube, node_of, a, b);
  };
  Matrix a(size, size);
  assemble(a);  // the first prepares
  gmm::clear(a);
  const peers::Clock clock;
  assemble(a);
  result.setup = clock.lap();
  const double before = peers::memory_now_MB();
  result.matrix_MB = before - empty;
  peers::reset_peak_memory();
  const peers::Clock solving;
  gmm::csc_matrix<double> compressed;
  compressed.init_with(a);
  if (solver == "mumps") {
    gmm::MUMPS_solve(compressed, x, b, true);
    result.iterations = 1;
  } else {
    const gmm::ildlt_precond<gmm::csc_matrix<double>> incomplete(compressed);
    gmm::iteration iteration(cube.tolerance, 0, 5000);
    gmm::cg(compressed, x, b, incomplete, iteration);
    result.iterations = static_cast<int>(iteration.get_iteration());
  }
  result.solve = solving.lap();
  result.solver_MB = peers::memory_MB("VmHWM") - before;
  std::vector<double> by_node(3 * cube.positions.size());
  for (std::size_t d = 0; d < size; ++d) by_node[3 * static_cast<std::size_t>(node_of[d]) + d % 3] = x[d];
  peers::report(result, by_node, to);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: solids_getfem N SOLUTION finite|linear mumps|cg\n");
    return 1;
  }
  run(std::atoi(argv[1]), argv[2], argv[3], argv[4]);
  return 0;
}
