// Holds points of strands and particles to an animated surface, to strands or to particles. [Lesser2022, 6.3,
// Attachment Constraint]
#pragma once

#include <optional>

#include "ymir/actions/attachment_emission.h"
#include "ymir/behaviors/behavior.h"
#include "ymir/param/schema.h"

namespace ymir {

struct AttachmentBehavior final : Behavior {
  struct Link {
    std::int64_t source_strand = 0, source_vertex = 0, target = 0, target_vertex = 0;
    static Schema<Link> schema();
  };
  struct Params {
    InputRef surface;
    GroupRef strands, particles, solids;
    SourcePoints points = SourcePoints::roots;
    EmissionKind emission = EmissionKind::closest;
    std::optional<double> range;  // [m]
    bool every_step = false;
    std::vector<Link> network;
    bool hard = true;
    Varying<double> flexibility{0};
    Varying<double> normal_stiffness{10}, tangent_stiffness{10};  // [N/m]
    Varying<Vec3d> orientation_stiffness{Vec3d{0, 0, 0}};         // [J]
    Varying<double> attachment_relaxation_time{0};                // [s]
  };
  static Schema<Params> schema();

  explicit AttachmentBehavior(Params params) : params_(std::move(params)) {}
  void create(Scope& scope) override;
  std::vector<Unused> unused(ActsOn kind) const override;

 private:
  EmissionRule rule(const Scope& scope) const;
  void attach_solids(Scope& scope, const EmissionRule& rule) const;
  void attach_to_objects(Scope& scope, const EmissionRule& rule) const;
  void root_in(Scope& scope, const std::vector<SolidObject*>& targets) const;
  void attach_to_surface(Scope& scope, const EmissionRule& rule) const;

  Params params_;
};

}  // namespace ymir
