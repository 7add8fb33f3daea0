// The response of attachments where data of the strands or particles that are held override parts of it: channels
// flexibility, normal_stiffness, tangent_stiffness, orientation_stiffness and attachment_relaxation_time.
#pragma once

#include <array>
#include <map>
#include <vector>

#include "ymir/actions/attachment_response.h"
#include "ymir/solids/solid_block.h"

namespace ymir {

class PaintedResponse {
 public:
  // Before ingest: the values are copied, as attachments may be made later.
  PaintedResponse(const AttachmentResponse& all, const std::vector<SolidObject*>& sources);

  bool painted() const { return !values_.empty(); }
  // Of a point that is held; between two vertices their values are interpolated.
  AttachmentResponse at(const MaterialPoint& source) const;

 private:
  struct Values {
    std::vector<std::int64_t> first;             // vertex of each strand; empty: pieces are particles
    std::array<std::vector<double>, 4> scalars;  // per vertex or particle, in the order of the channels; or empty
    std::vector<Vec3d> orientation;
    bool empty() const;
  };
  static Values values_of(SolidObject& object);

  AttachmentResponse all_;
  std::map<const SolidObject*, Values> values_;  // of objects that bring any
};

}  // namespace ymir
