// Solids in scope touch each other, with exact Coulomb friction, or by penalties or barriers.
// [Lesser2022, 6.3, Collision Constraint; Daviet2011; Li2020]
#pragma once

#include <optional>

#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"
#include "ymir/solids/contact/contact_scene.h"

namespace ymir {

enum class Rolling : unsigned char { thick, all, none };

struct CollisionBehavior final : Behavior {
  struct Params {
    Varying<double> friction{0.3};
    Varying<double> thickness{0};  // [m]
    double adhesion = 0;           // [N]
    bool self_contact = true;
    Rolling rolling = Rolling::thick;
    double tolerance = 1e-4;
    bool continuous = false;
    ContactResponse response = ContactResponse::exact;
    double relative_stiffness = TouchResponse{}.by_inertia;
    std::optional<double> stiffness;                 // [N/m]
    double activation = TouchResponse{}.activation;  // [m]
    double slip_speed = TouchResponse{}.slip_speed;  // [m/s]
  };
  static Schema<Params> schema();

  explicit CollisionBehavior(const Params& params) : params_(params) {}
  void create(Scope& scope) override;

 private:
  void add_particles(Scope& scope, std::vector<SolidObject*>& objects) const;

  Params params_;
};

}  // namespace ymir
