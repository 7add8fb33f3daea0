#include "ymir/behaviors/objects/solid_object_behavior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ymir/behaviors/idle_channels.h"
#include "ymir/behaviors/materials/second_material.h"
#include "ymir/behaviors/scope.h"
#include "ymir/data/body_thickness.h"
#include "ymir/data/closed_surface.h"
#include "ymir/data/embed_skin.h"
#include "ymir/data/lattice.h"
#include "ymir/objects/mesh_cells.h"

namespace ymir {
namespace {

// Cells along the longest side, unless the user says otherwise; and cells of the box around the surface, at most.
constexpr double cells_along = 16;
constexpr std::size_t most_cells = 2'000'000;
constexpr double small_body = 1e-4;      // [m]
constexpr double most_of_thin = 50'000;  // cells that are made of a thin body unless the user says so

double longest_side(const std::vector<Vec3d>& positions) {
  const Vec3d size = bounds(positions).size();
  return std::max({size.x, size.y, size.z});
}

// Two cells across what is thin, as far as that does not make too many of them.
double default_cell(const Surface& surface) {
  const double along = longest_side(surface.positions) / cells_along;
  if (!closed(surface)) return along;
  const double half = 0.5 * median_thickness(surface);
  const double least = std::cbrt(std::fabs(enclosed_volume(surface)) / most_of_thin);
  return std::min(along, std::max(half, least));
}

}  // namespace

Schema<SolidObjectBehavior::Params> SolidObjectBehavior::schema() {
  return Schema<Params>("solid_object",
                        "A soft body: a closed surface filled with cells that deform, or a volume mesh.")
      .category(Category::object)
      .example("examples/jelly.yaml")
      .param(
          &Params::surface, "surface",
          "Input with the surface of the body in its rest shape, closed; it is shown, and moves with the cells around "
          "it. Either this or `body`.")
      .accepts({InputKind::surface})
      .only_without({"body"})
      .param(&Params::body, "body", "Input with a volume mesh: its tetrahedra or hexahedra are the cells.")
      .accepts({InputKind::body})
      .param(
          &Params::cell, "cell", unit::m,
          "Edge of the cubes that fill it; when absent 1/16 of its longest side, or half its thickness where that is "
          "less, as far as 50,000 cubes go.")
      .positive()
      .only_with({"surface"})
      .param(&Params::order, "order",
             "2: tetrahedra get a node in the middle of every edge, which bends them far better; as the file has them "
             "when absent.")
      .range(1, 2)
      .only_with({"body"})
      .param(&Params::skin, "skin",
             "Input with a surface that is shown, and collides, instead of the boundary of the volume mesh; it moves "
             "with the cells it is in.")
      .accepts({InputKind::surface})
      .only_with({"body"})
      .param(&Params::rest, "rest",
             "Input with the rest shape, a volume mesh with the same nodes and cells; `body` is where it begins.")
      .accepts({InputKind::body})
      .only_with({"body"})
      .param(&Params::density, "density", unit::kg_per_m3, "Density of the material.")
      .positive()
      .acts_on({ActsOn::solids})
      .param(&Params::velocity, "velocity", unit::m_per_s, "Velocity at the beginning.")
      .param(&Params::spin, "spin", unit::radian_per_s, "Angular velocity at the beginning, about the centre of mass.")
      .param(&Params::tolerance, "tolerance", unit::none,
             "Newton stops when residuals move no node by more than this part of an edge.")
      .range(1e-12, 0.1)
      .advanced()
      .param(&Params::newton_iterations, "newton_iterations",
             "Newton iterations per substep, at most; a substep that needs more is halved.")
      .range(1, 1000)
      .advanced()
      .param(&Params::solver, "solver",
             "How linear systems are solved. direct: a sparse Cholesky factor. cg: conjugate gradients with algebraic "
             "multigrid, which takes far less time and memory on large bodies; where they fail, the factor. auto: cg "
             "from 3000 nodes on, or 10000 where hair, cloth or other bodies are attached.")
      .enumerated<LinearSolver>(
          {{"auto", LinearSolver::automatic}, {"direct", LinearSolver::direct}, {"cg", LinearSolver::cg}})
      .advanced()
      .param(&Params::ranks, "ranks",
             "Where several ranks run: whether they share the work on this body. one: it is one rank's; all: its nodes "
             "are divided among them, which needs conjugate gradients and, of bodies attached to each other, the "
             "largest; auto: all from 20000 nodes on, where that is possible.")
      .enumerated<MeshRanks>({{"auto", MeshRanks::automatic}, {"one", MeshRanks::one}, {"all", MeshRanks::all}})
      .advanced();
}

SolidMesh SolidObjectBehavior::lattice(Scope& scope) const {
  Surface surface = scope.surface(params_.surface);
  const std::string name = fmt::format("{}: {}", scope.path(), params_.surface.name);
  if (enclosed_volume(surface) < 0 && closed(surface)) {
    scope.warn(fmt::format("'{}' is inside out; its triangles are turned around", params_.surface.name));
    turn_inside_out(surface);
  }
  const double edge = params_.cell.value_or(default_cell(surface));
  if (closed(surface))
    if (const double thickness = median_thickness(surface); thickness < edge)
      scope.warn(
          fmt::format("half of '{}' is thinner than {:.3g} m, less than its cells of {:.3g} m, so that it bends too "
                      "stiffly: several times where cells are twice as large; make `cell:` {:.2g} m",
                      params_.surface.name, thickness, edge, thickness / 2));
  return lattice_of(surface, edge, name, most_cells);
}

SolidMesh SolidObjectBehavior::volume_mesh(Scope& scope, std::vector<Vec3d>& start) const {
  const int order = static_cast<int>(params_.order.value_or(0));
  SolidMesh mesh = scope.body(params_.body, order);
  if (params_.rest.empty()) return mesh;
  SolidMesh rest = scope.body(params_.rest, order);
  if (rest.shape != mesh.shape || rest.cells != mesh.cells)
    throw Error(ExitCode::bad_input,
                fmt::format("{}: the rest shape '{}' has {} nodes and {} cells, '{}' has {} and {}, or they are "
                            "connected in other ways; write both from the same mesh, with its nodes moved",
                            scope.path(), params_.rest.name, rest.positions.size(), rest.cell_count(),
                            params_.body.name, mesh.positions.size(), mesh.cell_count()));
  start = std::move(mesh.positions);
  mesh.positions = std::move(rest.positions);
  mesh.skin.positions = std::move(rest.skin.positions);
  return mesh;
}

// The skin is given where the body begins.
void SolidObjectBehavior::show_skin(Scope& scope, SolidMesh& mesh, const std::vector<Vec3d>& start) const {
  const std::vector<Vec3d> rest = mesh.positions;
  if (!start.empty()) {
    mesh.positions = start;
    for (std::size_t v = 0; v < mesh.embedded.size(); ++v)
      mesh.skin.positions[v] = point_in(mesh, mesh.embedded[v], start);
  }
  Surface skin = scope.surface(params_.skin);
  warn_of_idle_channels(scope, {&skin.vertices, &skin.faces}, params_.skin.name, "solid_object", "",
                        "the skin is shown only; paint the body, or remove the channel");
  skin.vertices = {};
  skin.faces = {};
  const std::vector<Vec3d> given = skin.positions;
  const SkinFit fit = embed_skin(mesh, std::move(skin));
  const double edge = mean_edge(mesh);
  std::size_t moved = 0;  // too far to follow a cell: they are on its surface now
  for (std::size_t v = 0; v < given.size(); ++v) moved += norm(mesh.skin.positions[v] - given[v]) > edge ? 1 : 0;
  if (moved > 0)
    throw Error(ExitCode::bad_input,
                fmt::format("{}.skin: {} of the {} vertices of '{}' are too far from the body '{}' to move with its "
                            "cells, vertex {} by {:.3g} m, which is {:.1f} cells; move or scale the skin to where the "
                            "body begins (`scale:`, `up:` of its input), or mesh more room around it",
                            scope.path(), moved, given.size(), params_.skin.name, params_.body.name, fit.vertex,
                            fit.farthest, fit.farthest / edge));
  if (fit.farthest > edge)
    scope.warn(
        fmt::format("{} vertices of the skin '{}' are outside of all cells, vertex {} as far as {:.3g} m, which "
                    "is {:.1f} cells; they move with the nearest cell: mesh more room around it, or move it",
                    fit.outside, params_.skin.name, fit.vertex, fit.farthest, fit.farthest / edge));
  mesh.positions = rest;
  for (std::size_t v = 0; v < mesh.embedded.size(); ++v)
    mesh.skin.positions[v] = point_in(mesh, mesh.embedded[v], rest);
}

void SolidObjectBehavior::create(Scope& scope) {
  if (params_.surface.empty() && params_.body.empty())
    throw Error(ExitCode::bad_input,
                scope.path() +
                    ": needs `surface:`, the name of an input with a closed surface to fill, or `body:`, one "
                    "with a volume mesh");
  if (params_.ranks == MeshRanks::all && params_.solver == LinearSolver::direct)
    throw Error(ExitCode::bad_input,
                scope.path() + ".ranks: a factor lives on one rank; leave out `ranks: all` or `solver: direct`");
  MeshObject::Description d;
  const bool filled = params_.body.empty();
  SolidMesh mesh = filled ? lattice(scope) : volume_mesh(scope, d.start);
  if (!params_.skin.empty()) show_skin(scope, mesh, d.start);
  scope.add_paintings(mesh, filled ? params_.surface : params_.body);
  d.density = params_.density;
  d.velocity = params_.velocity;
  d.spin = params_.spin;
  d.newton = {params_.tolerance, static_cast<int>(params_.newton_iterations)};
  d.solver = params_.solver;
  d.ranks = params_.ranks;
  if (const double longest = longest_side(mesh.positions); longest > 0) {
    scope.ask_bucket_size(longest);
    if (longest < small_body)
      scope.warn(
          fmt::format("is {:.2g} m long; bodies below {:g} m are moved by rounding: simulate it larger, with "
                      "gravity and stiffness scaled",
                      longest, small_body));
  }
  SolidSystem& solids = scope.solids();
  MeshObject& object =
      scope.add_object(std::make_unique<MeshObject>(scope.path(), scope.group(), scope.domain(), d, std::move(mesh)));
  solids.add(object);
  warn_without_material(scope, object, "elastic_solid");
}

}  // namespace ymir
