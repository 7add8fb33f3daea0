// How contacts of a scene answer, from what their two sides want.
#include <algorithm>

#include "ymir/solids/contact/contact_scene.h"

namespace ymir {
namespace {

// Longer substeps than a frame of film would let bodies sink under their own weight [s].
constexpr double longest = 1.0 / 24;

}  // namespace

const TouchResponse& ContactScene::response_of(const ContactSide& side) const {
  if (side.kind == SideKind::collider) return colliders_[static_cast<std::size_t>(side.piece)].response;
  return entry_of(side).params.response;
}

double ContactScene::layer_of(const ContactSide& side) const {
  if (side.kind == SideKind::collider) return response_of(side).reach();
  return entry_of(side).families == 0 ? 0 : 0.5 * entry_of(side).params.response.reach();
}

double ContactScene::room(const Contact& c) const { return c.room() + layer_of(c.a) + layer_of(c.b); }

SmoothLaw ContactScene::law(const Contact& c, double compliance, double dt) const {
  const TouchResponse &a = response_of(c.b.kind == SideKind::collider ? c.b : c.a), &b = response_of(c.b);
  const auto careful = [](ContactResponse r) {
    return r == ContactResponse::barrier ? 2 : r == ContactResponse::exact ? 1 : 0;
  };
  SmoothLaw law;
  law.response = careful(a.kind) > careful(b.kind) ? a.kind : b.kind;
  if (!law.smooth()) return law;
  const double interval = std::min(dt, longest);
  const auto stiffness = [&](const TouchResponse& of) {
    if (compliance == 0) return 0.0;  // nothing moves
    return of.stiffness > 0 ? of.stiffness : of.by_inertia / (compliance * interval * interval);
  };
  law.stiffness = 0.5 * (stiffness(a) + stiffness(b));
  law.reach = 0.5 * (a.reach() + b.reach());
  if (c.b.kind == SideKind::collider && entry_of(c.a).families > 0)
    law.reach += 0.5 * entry_of(c.a).params.response.reach();
  law.friction = friction(c);
  law.slip = std::min(a.slip_speed, b.slip_speed) * dt;
  return law;
}

}  // namespace ymir
