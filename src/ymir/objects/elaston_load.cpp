// Gravity compensation of plants: stresses that bear the constant forces where the plant begins.
//
//   K z = f,  y_0 = W J z of each elaston,  k z and k_F grad z of each root: constant beside all they do otherwise
//
// As for soft bodies (actions/load_stress.h) the plant is then in balance at rest, whatever z is, and its stress turns
// with it.
#include <limits>

#include "ymir/objects/elaston_block.h"
#include "ymir/objects/steady_load.h"
#include "ymir/physics/elastons/elaston.h"

namespace ymir {
namespace {

constexpr double stiffening = 1.25, most_stiffening = 1000;
constexpr double statics = 1e9;  // a step so long that nothing is damped [s]
constexpr int rounds = 4;        // of refinement

}  // namespace

void ElastonBlock::assemble_statics() {
  ElastonPiece& s = *piece_;
  s.matrix.clear();
  std::fill(s.residual.begin(), s.residual.end(), Vec3d{0, 0, 0});
  s.elements.for_each_pack([&](const Elements::Pack& pack) {
    Elements::Local local;
    for (Vec3<Real>& v : local.gradient) v = {Real::all(0), Real::all(0), Real::all(0)};
    for (auto& row : local.matrix)
      for (Real& value : row) value = Real::all(0);
    Elements::Field now;
    Elements::gather(pack, s.position, now);
    add_elasticity(pack, now, true, local);
    add_centre(pack, local);
    add_hold(pack, now, local);
    Elements::scatter(pack, local, s.residual, s.matrix);
  });
}

// The answer of elastons and roots to the displacement s.step.
void ElastonBlock::bear_step() {
  ElastonPiece& s = *piece_;
  s.elements.for_each_pack([&](const Elements::Pack& pack) {
    Elements::Field now, step;
    Elements::gather(pack, s.position, now);
    Elements::gather(pack, s.step, step);
    Real j[Elaston::rows * strain_dofs];
    Elaston::gradient(geometry(now), j);
    Real along[Elaston::rows];
    for (int r = 0; r < Elaston::rows; ++r) {
      along[r] = Real::all(0);
      for (int d = 0; d < strain_dofs; ++d)
        along[r] = mul_add(j[r * strain_dofs + d], step[1 + d / 3][d % 3], along[r]);
    }
    for (int part = 0; part < 4; ++part) {
      Real w[36];
      find_weights(pack, part, w);
      for (int a = 0; a < 6; ++a) {
        Real y = Real::all(0);
        for (int b = 0; b < 6; ++b) y = mul_add(w[6 * a + b], along[6 * part + b], y);
        for (int lane = 0; lane < Elements::lanes; ++lane)
          if (pack.element[lane] >= 0 && pack.of(lane) < s.elastons)
            s.borne[pack.of(lane)][static_cast<std::size_t>(6 * part + a)] += y[lane];
      }
    }
    for (int lane = 0; lane < Elements::lanes; ++lane) {
      if (pack.element[lane] < 0 || pack.of(lane) < s.elastons) continue;
      const std::size_t h = pack.of(lane) - s.elastons;
      for (int p = 0; p < 4; ++p)
        for (int a = 0; a < 3; ++a)
          s.reaction[h][static_cast<std::size_t>(3 * p + a)] += grip_of(h, p) * step[p][a][lane];
    }
  });
}

double ElastonBlock::bear(double share) {
  ElastonPiece& s = *piece_;
  dt_ = statics;
  s.position = s.begin;
  s.residual.assign(s.position.size(), Vec3d{0, 0, 0});
  s.step.assign(s.position.size(), Vec3d{0, 0, 0});
  s.centre.assign(s.elastons, Vec3d{0, 0, 0});
  s.stiffness.assign(s.elastons, Mat3d());
  find_centres(s.begin, s.centre);
  s.gradient = steady_load(object_->forces(), s.centre, object_->mass().data() + s.first_elaston,
                           object_->radius().data() + s.first_elaston, number_);
  for (Vec3d& force : s.gradient) force = force * -share;
  assemble_statics();
  const BlockMatrix soft = s.matrix;
  if (!s.solver.factor(soft)) return std::numeric_limits<double>::infinity();
  s.borne.assign(s.elastons, {});
  s.reaction.assign(s.held, {});
  std::vector<double> b(size());
  for (int round = 0; round < rounds; ++round) {
    right_side(b.data());
    s.solver.solve(b.data(), b.data());
    set_step(b.data());
    bear_step();
    assemble_statics();
  }
  for (double factor = 1; factor < most_stiffening; factor *= stiffening) {
    BlockMatrix stiffer = s.matrix;
    for (std::int32_t k = 0; k < static_cast<std::int32_t>(stiffer.block_count()); ++k)
      for (int i = 0; i < 9; ++i) stiffer.block(k)[i] += (factor - 1) * soft.block(k)[i];
    if (s.solver.factor(stiffer)) return factor;
  }
  return std::numeric_limits<double>::infinity();
}

double ElastonObject::bear_load(double share) {
  double worst = 1;
  const std::vector<Vec3d> rest = rest_slots();
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    ElastonPiece& piece = pieces_[p];
    if (piece.held == 0) continue;
    piece.matrix = piece.elements.pattern();
    piece.elements.connect(piece.matrix);
    piece.solver.analyze(piece.matrix);
    const auto first = rest.begin() + static_cast<std::ptrdiff_t>(4 * piece.first_node);
    piece.begin.assign(first, first + static_cast<std::ptrdiff_t>(4 * piece.nodes));
    worst = std::max(worst, ElastonBlock(*this, p).bear(share));
  }
  return worst;
}

}  // namespace ymir
