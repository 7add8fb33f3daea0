#include "ymir/objects/elaston_block.h"

#include <algorithm>
#include <cmath>

#include "ymir/physics/elastons/elaston.h"
#include "ymir/physics/elastons/elaston_weights.h"

namespace ymir {
namespace {

using Real = ElastonElements::Real;
// By how much a root is stiffer than the stem it holds.
constexpr double grip = 1e3;
// Change of F that may be taken at once: a turn of half a radian.
constexpr double largest_turn = 0.5;

// x,a and x,ab by themselves as slots of an elaston.
struct UnitSlots {
  SlotShape<Real> slot[9];

  UnitSlots() {
    for (int s = 0; s < 9; ++s)
      for (int a = 0; a < 3; ++a) {
        slot[s].first[a] = Real::all(s == a ? 1 : 0);
        for (int b = 0; b < 3; ++b) slot[s].second(a, b) = Real::all(0);
      }
    for (int p = 0; p < 6; ++p) {
      const int a = Elaston::pair[p][0], b = Elaston::pair[p][1];
      slot[3 + p].second(a, b) = slot[3 + p].second(b, a) = Real::all(1);
    }
  }
};
const UnitSlots unit_slots;

std::array<double, 36> full(const ElasticModuli& m) {
  std::array<double, 36> all{};
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) all[static_cast<std::size_t>(6 * a + b)] = m[a >= b ? packed(a, b) : packed(b, a)];
  return all;
}

// Planes of doubles of all elastons of a plant, as Forces want them.
struct CentrePlanes {
  static constexpr std::size_t position = 0, velocity = 3, force = 6, derivative = 9, samples = 15;
  ElastonPiece& piece;

  double* plane(std::size_t p) const { return piece.planes.data() + p * piece.elastons; }
  Planes<Vec3d>::Type vectors(std::size_t first) const { return {plane(first), plane(first + 1), plane(first + 2)}; }
  ForceBlock forces() const {
    return {vectors(force),
            {plane(derivative), plane(derivative + 1), plane(derivative + 2), plane(derivative + 3),
             plane(derivative + 4), plane(derivative + 5)}};
  }
  void set(std::size_t first, const std::vector<Vec3d>& from) const {
    for (std::size_t i = 0; i < piece.elastons; ++i)
      for (int k = 0; k < 3; ++k) plane(first + static_cast<std::size_t>(k))[i] = from[i][k];
  }
  PointBlock points(const ElastonObject& object, int number, double time, double dt) const {
    return {nullptr,
            number,
            static_cast<int>(piece.elastons),
            time,
            dt,
            vectors(position),
            vectors(velocity),
            object.mass().data() + piece.first_elaston,
            object.radius().data() + piece.first_elaston};
  }
};

}  // namespace

ElastonBlock::ElastonBlock(ElastonObject& object, std::size_t piece)
    : object_(&object), number_(static_cast<int>(piece)), piece_(&object.pieces()[piece]) {
  const ElastonMaterial& m = object.description().material;
  const ElasticModuli solid = isotropic_solid(m.youngs_modulus, m.poisson_ratio);
  // Uniaxial stress: no shear within the section either, else rods would know which way their axes point.
  const double line[6] = {0, 1, 1, 1, 0, 0};
  const bool sheet[3] = {false, false, true};
  moduli_ = {full(solid), full(minimised_over<6>(solid, line)), full(without_thin_stress(solid, sheet)), full(solid)};
}

ElastonCentres ElastonBlock::centres() const {
  return {dt_,
          time_,
          number_,
          piece_->first_elaston,
          piece_->begin_centre,
          piece_->centre,
          piece_->gradient,
          piece_->stiffness};
}

void ElastonBlock::find_centres(std::span<const Vec3d> slots, std::vector<Vec3d>& to) const {
  piece_->elements.for_each_pack([&](const Elements::Pack& pack) {
    Elements::Field field;
    Elements::gather(pack, slots, field);
    for (int lane = 0; lane < Elements::lanes; ++lane)
      if (const std::int32_t e = pack.element[lane]; e >= 0 && e < static_cast<std::int32_t>(piece_->elastons))
        to[static_cast<std::size_t>(e)] = {field[0].x[lane], field[0].y[lane], field[0].z[lane]};
  });
}

void ElastonBlock::begin(const Step& step) {
  ElastonPiece& s = *piece_;
  dt_ = step.dt;
  time_ = step.time + step.dt;
  s.position = s.begin;
  s.residual.assign(s.position.size(), Vec3d{0, 0, 0});
  s.step.assign(s.position.size(), Vec3d{0, 0, 0});
  for (auto* vectors : {&s.centre, &s.begin_centre, &s.gradient}) vectors->assign(s.elastons, Vec3d{0, 0, 0});
  s.stiffness.assign(s.elastons, Mat3d());
  find_centres(s.begin, s.begin_centre);
  const auto& forces = object_->forces();
  s.planes.resize((CentrePlanes::samples + 3 * forces.size()) * s.elastons);
  const CentrePlanes planes{s};
  planes.set(CentrePlanes::position, s.begin_centre);
  find_centres(s.begin_velocity, s.centre);
  planes.set(CentrePlanes::velocity, s.centre);
  const PointBlock block = planes.points(*object_, number_, time_, dt_);
  for (std::size_t k = 0; k < forces.size(); ++k)
    if (forces[k].sample) forces[k].sample(block, planes.vectors(CentrePlanes::samples + 3 * k));
}

void ElastonBlock::place() {
  for (std::size_t i = 0; i < piece_->position.size(); ++i)
    piece_->position[i] = piece_->begin[i] + piece_->begin_velocity[i] * dt_;
}

Embedding ElastonBlock::embedded(int, const MaterialPoint& at) const {
  return object_->embedded_at(at, piece_->position, piece_->first_node);
}

std::ptrdiff_t ElastonBlock::row(int, const MaterialPoint& at, int local) const {
  std::int32_t nodes[ElastonReach::few];
  object_->reach().nearest(at.cell, at.weights, nodes);
  return 12 * (static_cast<std::ptrdiff_t>(nodes[local / 12]) - static_cast<std::ptrdiff_t>(piece_->first_node)) +
         local % 12;
}

void ElastonBlock::add_forces() {
  ElastonPiece& s = *piece_;
  const CentrePlanes planes{s};
  std::fill_n(planes.plane(CentrePlanes::force), 9 * s.elastons, 0.0);
  for (std::size_t i = 0; i < s.elastons; ++i)
    for (int k = 0; k < 3; ++k)
      planes.plane(CentrePlanes::velocity + static_cast<std::size_t>(k))[i] =
          (s.centre[i][k] - s.begin_centre[i][k]) / dt_;
  const PointBlock block = planes.points(*object_, number_, time_, dt_);
  const ForceBlock out = planes.forces();
  for (std::size_t k = 0; k < object_->forces().size(); ++k)
    object_->forces()[k].accumulate(block, planes.vectors(CentrePlanes::samples + 3 * k), out);
  for (std::size_t i = 0; i < s.elastons; ++i) {
    const double xx = out.derivative.xx[i], yy = out.derivative.yy[i], zz = out.derivative.zz[i],
                 xy = out.derivative.xy[i], xz = out.derivative.xz[i], yz = out.derivative.yz[i];
    s.gradient[i] -= Vec3d{out.force.x[i], out.force.y[i], out.force.z[i]};
    s.stiffness[i] += Mat3d({xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}) * (-1 / dt_);
  }
}

void ElastonBlock::add_inertia(const Elements::Pack& pack, Elements::Local& local) const {
  const ElastonPiece& s = *piece_;
  Elements::Field now, begin, velocity;
  Elements::gather(pack, s.position, now);
  Elements::gather(pack, s.begin, begin);
  Elements::gather(pack, s.begin_velocity, velocity);
  Real inertia[4];
  for (Real& value : inertia) value = Real::all(0);
  for (int lane = 0; lane < Elements::lanes; ++lane) {
    const std::size_t e = pack.of(lane);
    if (e >= s.elastons) continue;
    const ElastonSample& sample = object_->cloud().elastons[s.first_elaston + e];
    const double m = object_->mass()[s.first_elaston + e] / (dt_ * dt_);
    inertia[0].set(lane, m);
    for (int k = 0; k < 3; ++k) inertia[1 + k].set(lane, m * sample.extent[k] * sample.extent[k] / 12);
  }
  for (int p = 0; p < 4; ++p)
    for (int k = 0; k < 3; ++k) {
      local.gradient[p][k] += (now[p][k] - begin[p][k] - velocity[p][k] * dt_) * inertia[p];
      local.matrix[3 * p + k][3 * p + k] += inertia[p];
    }
}

Elaston::Geometry<Real> ElastonBlock::geometry(const Elements::Field& field) {
  return {unit_slots.slot, strains, field + 1};
}

void ElastonBlock::find_weights(const Elements::Pack& pack, int part, Real* w) const {
  const ElastonPiece& s = *piece_;
  for (int lane = 0; lane < Elements::lanes; ++lane) {
    const std::size_t e = pack.of(lane);
    const bool massive = e < s.elastons;
    const ElastonSample& of = object_->cloud().elastons[s.first_elaston + (massive ? e : 0)];
    const double extent = part == 0 ? 0 : of.extent[part - 1];
    const double factor = !massive ? 0 : part == 0 ? of.volume : of.volume * extent * extent / 12;
    const auto& m = moduli_[part == 0 ? 0 : 1 + static_cast<std::size_t>(of.kind)];
    for (std::size_t k = 0; k < 36; ++k) w[k].set(lane, factor * m[k]);
  }
}

void ElastonBlock::add_elasticity(const Elements::Pack& pack, const Elements::Field& now, bool exact,
                                  Elements::Local& local) const {
  const ElastonPiece& s = *piece_;
  const double tau = object_->description().material.relaxation_time, damping = tau / dt_;
  const Elaston::Geometry<Real> g = geometry(now);
  Real c[Elaston::rows], j[Elaston::rows * strain_dofs];
  Elaston::value(g, c);
  Elaston::gradient(g, j);
  if (tau > 0) {
    Elements::Field begin;
    Elements::gather(pack, s.begin, begin);
    Real before[Elaston::rows];
    Elaston::value(geometry(begin), before);
    for (int r = 0; r < Elaston::rows; ++r) c[r] += (c[r] - before[r]) * damping;
  }
  Real y[Elaston::rows];
  for (int part = 0; part < 4; ++part) {
    Real w[36];
    find_weights(pack, part, w);
    const Real* rows = j + 6 * part * strain_dofs;
    for (int a = 0; a < 6; ++a) {
      y[6 * part + a] = Real::all(0);
      for (int b = 0; b < 6; ++b) y[6 * part + a] = mul_add(w[6 * a + b], c[6 * part + b], y[6 * part + a]);
      for (int lane = 0; lane < Elements::lanes && !s.borne.empty(); ++lane)
        if (const std::size_t e = pack.of(lane); e < s.elastons)
          y[6 * part + a].set(lane, y[6 * part + a][lane] + s.borne[e][static_cast<std::size_t>(6 * part + a)]);
    }
    for (int d = 0; d < strain_dofs; ++d) {
      Real column[6];  // of W J
      for (int a = 0; a < 6; ++a) {
        column[a] = Real::all(0);
        for (int b = 0; b < 6; ++b) column[a] = mul_add(w[6 * a + b], rows[b * strain_dofs + d], column[a]);
        column[a] *= Real::all(1 + damping);
      }
      Real& gradient = local.gradient[1 + d / 3][d % 3];
      for (int a = 0; a < 6; ++a) gradient = mul_add(rows[a * strain_dofs + d], y[6 * part + a], gradient);
      for (int e = 0; e <= d; ++e) {
        Real& value = local.matrix[3 + d][3 + e];
        for (int a = 0; a < 6; ++a) value = mul_add(rows[a * strain_dofs + e], column[a], value);
      }
    }
  }
  if (exact) {
    Real h[packed_size(strain_dofs)];
    for (Real& value : h) value = Real::all(0);
    Elaston::add_curvature(g, y, h);
    for (int d = 0; d < strain_dofs; ++d)
      for (int e = 0; e <= d; ++e) local.matrix[3 + d][3 + e] += h[packed(d, e)];
  }
  for (int d = 0; d < strain_dofs; ++d)
    for (int e = 0; e < d; ++e) local.matrix[3 + e][3 + d] = local.matrix[3 + d][3 + e];
}

// Forces and contact.
void ElastonBlock::add_centre(const Elements::Pack& pack, Elements::Local& local) const {
  for (int lane = 0; lane < Elements::lanes; ++lane) {
    const std::size_t e = pack.of(lane);
    if (e >= piece_->elastons) continue;
    for (int r = 0; r < 3; ++r) {
      local.gradient[0][r].set(lane, local.gradient[0][r][lane] + piece_->gradient[e][r]);
      for (int c = 0; c < 3; ++c) local.matrix[r][c].set(lane, local.matrix[r][c][lane] + piece_->stiffness[e](r, c));
    }
  }
}

double ElastonBlock::grip_of(std::size_t held, int p) const {
  const ElastonMaterial& m = object_->description().material;
  const ElastonCloud::Held& root = object_->cloud().held[piece_->first_held + held];
  const double spacing = object_->cloud().spacing;
  if (p > 0 && !root.turned) return 0;
  const double k = grip * root.area * (m.youngs_modulus / spacing + m.density * spacing / (dt_ * dt_));
  return p == 0 ? k : k * spacing * spacing;
}

void ElastonBlock::add_hold(const Elements::Pack& pack, const Elements::Field& now, Elements::Local& local) const {
  for (int lane = 0; lane < Elements::lanes; ++lane) {
    if (pack.of(lane) < piece_->elastons) continue;
    const std::size_t h = pack.of(lane) - piece_->elastons;
    for (int p = 0; p < 4; ++p) {
      Vec3d target = object_->cloud().held[piece_->first_held + h].at;
      for (int a = 0; p > 0 && a < 3; ++a) target[a] = a == p - 1 ? 1 : 0;
      const double stiffness = grip_of(h, p);
      for (int a = 0; a < 3; ++a) {
        Real &gradient = local.gradient[p][a], &diagonal = local.matrix[3 * p + a][3 * p + a];
        gradient.set(lane, gradient[lane] + stiffness * (now[p][a][lane] - target[a]));
        if (!piece_->reaction.empty())
          gradient.set(lane, gradient[lane] + piece_->reaction[h][static_cast<std::size_t>(3 * p + a)]);
        diagonal.set(lane, diagonal[lane] + stiffness);
      }
    }
  }
}

void ElastonBlock::assemble_all(bool exact) {
  ElastonPiece& s = *piece_;
  s.matrix.clear();
  std::fill(s.residual.begin(), s.residual.end(), Vec3d{0, 0, 0});
  std::fill(s.gradient.begin(), s.gradient.end(), Vec3d{0, 0, 0});
  std::fill(s.stiffness.begin(), s.stiffness.end(), Mat3d());
  find_centres(s.position, s.centre);
  add_forces();
  for (const auto& constraint : object_->constraints()) constraint->assemble(centres());
  s.elements.for_each_pack([&](const Elements::Pack& pack) {
    Elements::Local local;
    for (Vec3<Real>& v : local.gradient) v = {Real::all(0), Real::all(0), Real::all(0)};
    for (auto& row : local.matrix)
      for (Real& value : row) value = Real::all(0);
    Elements::Field now;
    Elements::gather(pack, s.position, now);
    add_elasticity(pack, now, exact, local);
    add_inertia(pack, local);
    add_centre(pack, local);
    add_hold(pack, now, local);
    Elements::scatter(pack, local, s.residual, s.matrix);
  });
}

void ElastonBlock::assemble() { assemble_all(true); }

void ElastonBlock::add_force(std::size_t row, double force, double) {
  piece_->residual[row / 3][static_cast<int>(row % 3)] += force;
}

double ElastonBlock::residual(double violation) const {
  double worst = violation / object_->unit();
  for (std::size_t i = 0; i < piece_->residual.size(); ++i) {
    const double* diagonal = piece_->matrix.diagonal(static_cast<std::int32_t>(i));
    for (int k = 0; k < 3; ++k)
      worst = worse(worst, std::fabs(piece_->residual[i][k] / diagonal[4 * k]) / object_->unit());
  }
  return worst;
}

// Without the curvature of strains every elaston is positive semidefinite.
bool ElastonBlock::factor() {
  if (piece_->solver.factor(piece_->matrix)) return true;
  const std::vector<Vec3d> residual = piece_->residual;
  assemble_all(false);
  piece_->residual = residual;
  return piece_->solver.factor(piece_->matrix);
}

void ElastonBlock::right_side(double* b) const {
  for (std::size_t i = 0; i < piece_->residual.size(); ++i)
    for (int k = 0; k < 3; ++k) b[3 * i + static_cast<std::size_t>(k)] = -piece_->residual[i][k];
}

void ElastonBlock::visit_blocks(const BlockVisitor& visit) const {
  const BlockMatrix& a = piece_->matrix;
  for (std::int32_t j = 0; j < a.nodes(); ++j)
    for (std::int32_t e = a.starts()[static_cast<std::size_t>(j)]; e < a.starts()[static_cast<std::size_t>(j) + 1]; ++e)
      visit(a.rows()[static_cast<std::size_t>(e)], j, a.block(e));
}

void ElastonBlock::set_step(const double* step) {
  for (std::size_t i = 0; i < piece_->step.size(); ++i)
    piece_->step[i] = {step[3 * i], step[3 * i + 1], step[3 * i + 2]};
}

double ElastonBlock::step_size() const {
  double largest = 0;
  for (const Vec3d& d : piece_->step) largest = worse(largest, norm(d));
  return largest / object_->unit();
}

double ElastonBlock::reach() const {
  double turn = 0;
  for (std::size_t i = 0; i < piece_->step.size(); ++i)
    if (i % 4 != 0) turn = std::max(turn, norm(piece_->step[i]) / object_->unit());
  return turn > largest_turn ? largest_turn / turn : 1;
}

void ElastonBlock::move(double share) {
  for (std::size_t i = 0; i < piece_->position.size(); ++i) piece_->position[i] += piece_->step[i] * share;
}

// Plants that were not shown touch nothing.
ContactBlock* ElastonBlock::contacts() {
  if (!contacts_ && piece_->boundary) contacts_ = std::make_unique<ElastonContacts>(*this);
  return contacts_.get();
}

void ElastonBlock::end() {
  for (const auto& constraint : object_->constraints()) constraint->end(centres());
  object_->take(*piece_, dt_);
}

}  // namespace ymir
