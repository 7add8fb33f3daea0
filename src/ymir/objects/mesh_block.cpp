#include "ymir/objects/mesh_block.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/objects/mesh_cells.h"
#include "ymir/parallel/message.h"

namespace ymir {
namespace {

// Planes of doubles of all nodes, as Forces want them.
struct NodePlanes {
  static constexpr std::size_t position = 0, velocity = 3, force = 6, derivative = 9, samples = 15;
  std::vector<double>& values;
  std::size_t n;

  double* plane(std::size_t p) const { return values.data() + p * n; }
  Planes<Vec3d>::Type vectors(std::size_t first) const { return {plane(first), plane(first + 1), plane(first + 2)}; }
  ForceBlock forces() const {
    return {vectors(force),
            {plane(derivative), plane(derivative + 1), plane(derivative + 2), plane(derivative + 3),
             plane(derivative + 4), plane(derivative + 5)}};
  }
  PointBlock points(const MeshObject& object, const MeshStep& s) const {
    return {nullptr,
            0,
            static_cast<int>(n),
            s.time,
            s.dt,
            vectors(position),
            vectors(velocity),
            object.mass().data(),
            object.radius().data()};
  }
  void set(std::size_t first, const std::vector<Vec3d>& from) const {
    for (std::size_t i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) plane(first + static_cast<std::size_t>(k))[i] = from[i][k];
  }
};

}  // namespace

void MeshBlock::begin(const Step& step) {
  MeshStep& s = work_->step;
  s.dt = step.dt;
  s.time = step.time + step.dt;
  s.position = s.begin;
  for (auto* vectors : {&s.residual, &s.condensed, &s.scale, &s.step})
    vectors->assign(s.position.size(), Vec3d{0, 0, 0});
  const std::size_t n = work_->begin_velocity.size();
  const auto& forces = object_->forces();
  work_->planes.resize((NodePlanes::samples + 3 * forces.size()) * n);
  const NodePlanes planes{work_->planes, n};
  planes.set(NodePlanes::position, s.begin);
  planes.set(NodePlanes::velocity, work_->begin_velocity);
  const PointBlock block = planes.points(*object_, s);
  for (std::size_t k = 0; k < forces.size(); ++k)
    if (forces[k].sample) forces[k].sample(block, planes.vectors(NodePlanes::samples + 3 * k));
  for (const auto& constraint : object_->constraints()) constraint->begin(s);
}

Embedding MeshBlock::embedded(int, const MaterialPoint& at) const {
  return embedding_in(object_->mesh(), {at.cell, at.weights}, work_->step.position);
}

std::ptrdiff_t MeshBlock::row(int, const MaterialPoint& at, int local) const {
  const SolidMesh& mesh = object_->mesh();
  const int node = mesh.cells[static_cast<std::size_t>(nodes_of(mesh.shape)) * static_cast<std::size_t>(at.cell) +
                              static_cast<std::size_t>(local / 3)];
  return object_->held()[static_cast<std::size_t>(node)] ? -1 : 3 * static_cast<std::ptrdiff_t>(node) + local % 3;
}

void MeshBlock::add_inertia() {
  MeshStep& s = work_->step;
  for (std::size_t i = 0; i < work_->begin_velocity.size(); ++i) {
    const double inertia = object_->mass()[i] / (s.dt * s.dt);
    s.residual[i] += (s.position[i] - s.begin[i] - work_->begin_velocity[i] * s.dt) * inertia;
    s.scale[i] += Vec3d{inertia, inertia, inertia};
    double* d = s.matrix.diagonal(static_cast<std::int32_t>(i));
    for (int k = 0; k < 3; ++k) d[4 * k] += inertia;
  }
}

void MeshBlock::add_forces() {
  MeshStep& s = work_->step;
  const std::size_t n = work_->begin_velocity.size();
  const NodePlanes planes{work_->planes, n};
  std::fill_n(planes.plane(NodePlanes::force), 9 * n, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k)
      planes.plane(NodePlanes::velocity + static_cast<std::size_t>(k))[i] = (s.position[i][k] - s.begin[i][k]) / s.dt;
  const PointBlock block = planes.points(*object_, s);
  const ForceBlock out = planes.forces();
  for (std::size_t k = 0; k < object_->forces().size(); ++k)
    object_->forces()[k].accumulate(block, planes.vectors(NodePlanes::samples + 3 * k), out);
  for (std::size_t i = 0; i < n; ++i) {
    const double dx[6] = {out.derivative.xx[i], out.derivative.xy[i], out.derivative.xz[i],
                          out.derivative.yy[i], out.derivative.yz[i], out.derivative.zz[i]};
    s.residual[i] -= Vec3d{out.force.x[i], out.force.y[i], out.force.z[i]};
    double* d = s.matrix.diagonal(static_cast<std::int32_t>(i));
    const int place[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    for (int e = 0; e < 6; ++e) {
      const auto [r, c] = place[e];
      const double value = -dx[e] / s.dt;
      d[3 * r + c] += value;
      if (r != c) d[3 * c + r] += value;
      if (r == c) s.scale[i][r] += std::max(value, 0.0);
    }
  }
}

void MeshBlock::assemble_all() {
  MeshStep& s = work_->step;
  s.matrix.clear();
  for (auto* vectors : {&s.residual, &s.condensed, &s.scale})
    std::fill(vectors->begin(), vectors->end(), Vec3d{0, 0, 0});
  s.violation = 0;
  add_inertia();
  add_forces();
  for (const auto& constraint : object_->constraints()) constraint->assemble(s);
  const std::size_t points = work_->begin_velocity.size();
  for (std::size_t k = 0; k < 3 * object_->inner().size(); ++k) {
    double& diagonal = s.matrix.diagonal(static_cast<std::int32_t>(points + k / 3))[4 * (k % 3)];
    if (diagonal != 0) continue;  // else a place without an unknown
    diagonal = 1;
    s.scale[points + k / 3][static_cast<int>(k % 3)] = 1;
  }
  s.matrix.hold(object_->held());
  for (std::size_t i = 0; i < s.position.size(); ++i)
    if (object_->held()[i]) {
      s.residual[i] = s.condensed[i] = {0, 0, 0};
      s.scale[i] = {1, 1, 1};
    }
}

void MeshBlock::assemble() {
  work_->step.curvature = MeshStep::Curvature::exact;
  coupled_ = false;
  if (object_->share() == nullptr)
    for (const auto& constraint : object_->constraints()) constraint->evaluate(work_->step);
  assemble_all();
}

void MeshBlock::consult() {
  const MeshShare& share = *object_->share();
  const bool leads = share.ranks->rank() == share.lead;
  Bytes told;
  MessageWriter out(told);
  for (const auto& constraint : object_->constraints()) {
    if (leads) constraint->evaluate(work_->step);
    if (leads) out.put(std::span<const double>(constraint->evaluated()));
  }
  share.ranks->broadcast(told, share.lead);
  MessageReader in(told);
  for (const auto& constraint : object_->constraints()) in.get(constraint->evaluated());
}

void MeshBlock::add_force(std::size_t row, double force, double stiffness) {
  coupled_ = true;
  work_->step.residual[row / 3][static_cast<int>(row % 3)] += force;
  work_->step.scale[row / 3][static_cast<int>(row % 3)] += stiffness;
}

double MeshBlock::residual(double violation) const {
  const MeshStep& s = work_->step;
  double worst = worse(s.violation, violation / object_->mean_edge());
  const auto look_at = [&](std::size_t i) {
    for (int k = 0; k < 3; ++k)
      worst = worse(worst, std::fabs(s.residual[i][k]) / (s.scale[i][k] * object_->mean_edge()));
  };
  if (const MeshShare* share = object_->share())
    for (const std::int32_t i : share->nodes()) look_at(static_cast<std::size_t>(i));
  else
    for (std::size_t i = 0; i < s.residual.size(); ++i) look_at(i);
  return worst;
}

// What couplings have added to the residual stays.
void MeshBlock::project() {
  const std::vector<Vec3d> residual = work_->step.residual;
  work_->step.curvature = MeshStep::Curvature::projected;
  assemble_all();
  work_->step.residual = residual;
}

// Whether the matrix is definite shows in a solve alone: this is the one that comes.
bool MeshBlock::iterate() {
  const MeshStep& s = work_->step;
  std::vector<double>& b = work_->right_side;
  b.resize(size());
  for (int attempt = 0; attempt < 2; ++attempt) {
    right_side(b.data());
    const MeshSolver::Outcome outcome =
        work_->solver.iterate(s.matrix, std::span(s.position).first(work_->begin_velocity.size()), b);
    if (outcome != MeshSolver::Outcome::indefinite || s.curvature == MeshStep::Curvature::projected)
      return outcome == MeshSolver::Outcome::solved;
    project();
  }
  return false;
}

bool MeshBlock::factor() {
  MeshSolver& solver = work_->solver;
  // Couplings and contacts are solved by other iterations around this one, which want a factor.
  if (solver.iterative() && !coupled_ && !contacts_ && iterate()) return true;
  if (solver.factor(work_->step.matrix)) return true;
  if (work_->step.curvature == MeshStep::Curvature::projected) return false;
  project();
  return solver.factor(work_->step.matrix);
}

void MeshBlock::assist() {
  work_->right_side.resize(size());
  right_side(work_->right_side.data());
  work_->solver.assist(work_->step.matrix, std::span(work_->step.position).first(work_->begin_velocity.size()),
                       work_->right_side);
}

bool MeshBlock::make_definite() {
  if (!work_->solver.iterative()) return factor();
  if (work_->step.curvature != MeshStep::Curvature::projected) project();
  return true;
}

void MeshBlock::right_side(double* b) const {
  const MeshStep& s = work_->step;
  for (std::size_t i = 0; i < s.residual.size(); ++i)
    for (int k = 0; k < 3; ++k) b[3 * i + static_cast<std::size_t>(k)] = -(s.residual[i][k] + s.condensed[i][k]);
}

void MeshBlock::solve(const double* r, double* z) const { work_->solver.solve(work_->step.matrix, r, z); }

void MeshBlock::set_step(const double* step) {
  for (std::size_t i = 0; i < work_->step.step.size(); ++i)
    work_->step.step[i] = {step[3 * i], step[3 * i + 1], step[3 * i + 2]};
}

double MeshBlock::step_size() const {
  double largest = 0;
  for (const Vec3d& d : work_->step.step) largest = worse(largest, norm(d));
  return largest / object_->mean_edge();
}

double MeshBlock::reach() const {
  constexpr double most = 0.5;  // edges that nodes of a cell may move apart at once; more would invert it
  const SolidMesh& mesh = object_->mesh();
  const auto n = static_cast<std::size_t>(nodes_of(mesh.shape));
  double apart = 0;
  const auto look_at = [&](std::size_t c) {
    const Vec3d first = work_->step.step[static_cast<std::size_t>(mesh.cells[n * c])];
    for (std::size_t a = 1; a < n; ++a)
      apart = std::max(apart, norm(work_->step.step[static_cast<std::size_t>(mesh.cells[n * c + a])] - first));
  };
  if (const MeshShare* share = object_->share()) {
    for (const std::int32_t c : share->cells) look_at(static_cast<std::size_t>(c));
  } else {
    for (std::size_t c = 0; c < mesh.cell_count(); ++c) look_at(c);
  }
  return apart > most * object_->mean_edge() ? most * object_->mean_edge() / apart : 1;
}

// Newton starts from where the nodes would fly: whatever moves as a whole is there already.
void MeshBlock::place() {
  MeshStep& s = work_->step;
  for (std::size_t i = 0; i < work_->begin_velocity.size(); ++i)
    if (!object_->held()[i]) s.position[i] = s.begin[i] + work_->begin_velocity[i] * s.dt;
  for (const MeshObject::NodeMotion& motion : object_->motions())
    for (std::size_t k = 0; motion.place && k < motion.nodes.size(); ++k)
      s.position[static_cast<std::size_t>(motion.nodes[k])] = motion.place(k, s.time);
}

void MeshBlock::move(double share) {
  for (const auto& constraint : object_->constraints()) constraint->advance(work_->step, share);
  for (std::size_t i = 0; i < work_->step.position.size(); ++i) work_->step.position[i] += work_->step.step[i] * share;
}

// Cloth that buckles leaves one equilibrium for another, and goes uphill on its way. What ranks share is assembled by
// all of them, once an iteration.
bool MeshBlock::keep() {
  if (object_->cloth() || object_->share() != nullptr) return false;
  kept_.position = work_->step.position;
  kept_.state = ConstraintState(object_->constraints(), true).values();
  return true;
}

void MeshBlock::go_back() {
  work_->step.position = kept_.position;
  ConstraintState(object_->constraints(), true).set(kept_.state);
}

ContactBlock* MeshBlock::contacts() {
  if (!contacts_) contacts_ = std::make_unique<MeshContacts>(*this);
  return contacts_.get();
}

void MeshBlock::end() {
  for (const auto& constraint : object_->constraints()) constraint->end(work_->step);
  object_->take(work_->step);
}

}  // namespace ymir
