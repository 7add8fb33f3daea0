// The penalty and friction of strand_contact.h at one vertex: the law that contact with rigid and with deforming
// surfaces shares.
#pragma once

#include "ymir/objects/curves_object.h"

namespace ymir {

struct PenaltyParams {
  double stiffness = 200;   // k dt^2/m
  double friction = 0.3;    // mu
  double thickness = 5e-4;  // kept free beyond the radius [m]
};

// Where the law finds what belongs to a vertex; -1: the curves do not have it, the parameters hold.
struct PenaltyChannels {
  int mass;
  int stiffness = -1, friction = -1, thickness = -1;

  static PenaltyChannels of(CurvesObject& curves);
};

// For the strands of one group.
class PenaltyContact {
 public:
  PenaltyContact(const StrandSystem& strands, int group, const PenaltyChannels& channels, const PenaltyParams& params);
  // Adds force and matrix of a vertex that is nearer to a surface than it may be, by depth > 0 [m]. normal: of the
  // surface, outwards. moved: the way of the vertex along and off the surface since the step began [m].
  void add(StrandStep& step, int vertex, int lane, double depth, Vec3d normal, Vec3d moved) const;

 private:
  const StrandReal *mass_, *stiffness_, *friction_, *thickness_;
  PenaltyParams params_;
};

}  // namespace ymir
