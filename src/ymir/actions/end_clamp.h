// An end of a strand held in orientation by a surface, to second order.
//
// The frame of the last edge is that of the strand half an edge before its end. Holding that frame itself would leave
// the half edge rigid: first order. So the surface carries a ghost edge beyond the end, as roots have one, and a
// bending and twisting element stands between: half an edge of strand, in series with the attachment's own stiffness.
//
//   w = 1/(1/k + (L/2)/(E I)),  k = 2 (beta_t + beta_1), 2 (beta_t + beta_2), 2 (beta_1 + beta_2) of the three rows
#pragma once

#include "ymir/objects/strand_step.h"

namespace ymir {

class EndClamp {
 public:
  // source: frame of the strand's end edge, target: of the surface, as they are when the attachment is made.
  EndClamp(bool tip, const Embedding& source, const Embedding& target);

  // Stiffness for the strand in a lane: orientation: beta [J]; before the substep.
  void weigh(const StrandSystem& strands, const RodChannels& rod, int group, int lane, int edge, Vec3d orientation);
  void begin(const StrandStep& step, int lane, int edge, const Embedding& target);
  // damping: relaxation time by dt.
  void assemble(StrandStep& step, int lane, int edge, const Embedding& target, double damping) const;

 private:
  bool tip_;            // else the root
  Vec3d tangent_, m1_;  // of the ghost edge, in the target's frame
  double weight_[3] = {};
  double begin_[3] = {};
};

}  // namespace ymir
