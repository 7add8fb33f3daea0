// A solid, still or moving, that the objects in scope collide with: impact, resting contact and friction.
#pragma once

#include <optional>

#include "ymir/behaviors/behavior.h"
#include "ymir/data/animated_surface.h"
#include "ymir/fluid/gas_boundary.h"
#include "ymir/param/motion_params.h"
#include "ymir/solids/contact/contact_scene.h"

namespace ymir {

enum class SolidShape : std::uint8_t { plane, sphere, box, mesh, sheet };

// How the distance of a mesh is known. automatic: grid for a closed mesh that moves rigidly or not at all, else exact.
enum class MeshSampling : std::uint8_t { automatic, grid, exact };

struct ColliderBehavior final : Behavior {
  struct Params : MotionParams {
    SolidShape shape = SolidShape::plane;
    Vec3d center{0, 0, 0};  // [m]
    Vec3d normal{0, 1, 0};
    double radius = 0.5;      // [m]
    Vec3d size{1, 1, 1};      // [m]
    Vec3d rotation{0, 0, 0};  // [rad]
    bool hollow = false;
    InputRef surface;
    MeshSampling sampling = MeshSampling::automatic;
    std::optional<double> voxel;  // [m]
    double push_out = 0.05;       // [m/s]
    Varying<double> restitution{0.3};
    Varying<double> friction{0.3};
    bool continuous = true;
    double adhesion = 0;  // [N]
    // How solids are kept out. penalty without a slip speed: a stiff layer, each piece by itself.
    ContactResponse response = ContactResponse::exact;
    std::optional<double> stiffness;   // [N/m]
    std::optional<double> activation;  // [m]
    std::optional<double> slip_speed;  // [m/s]
    Wall wall = Wall::free_slip;
    Varying<double> strand_stiffness{200};
    Varying<double> strand_thickness{5e-4};  // [m]
  };
  static Schema<Params> schema();

  explicit ColliderBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;
  std::vector<Unused> unused(ActsOn kind) const override;

 private:
  // With all other contacts.
  bool together() const { return params_.response != ContactResponse::penalty || params_.slip_speed.has_value(); }
  void touch(Scope& scope, std::function<ContactCollider(double begin, double end)> during) const;
  void touch_particles(Scope& scope, std::function<ContactCollider(double begin, double end)> during) const;
  void create_sheet(Scope& scope);
  void create_exact(Scope& scope, AnimatedSurface surface);

  Params params_;
};

}  // namespace ymir
