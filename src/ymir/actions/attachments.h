// Attachments of points of any objects to those of others, or to an animated surface: which there are, and the rows of
// each. As a Coupling they are solved for by the solid system; those of strands to a surface stay inside the band of
// each strand (strand_attachments.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ymir/actions/attachment_emission.h"
#include "ymir/actions/attachment_response.h"
#include "ymir/actions/emission_over_ranks.h"
#include "ymir/actions/painted_response.h"
#include "ymir/actions/surface_motion.h"
#include "ymir/parallel/communicator.h"
#include "ymir/solids/coupling.h"

namespace ymir {

struct AttachmentElement {
  AttachmentRest rest;
  bool place_only = false;  // the orientation is held by something else
  Vec3d across{0, 1, 0};    // direction that degenerate states fall back on
  double begin[Attachment::rows] = {};
  double multiplier[3] = {};
};

class Attachments final : public Coupling {
 public:
  // surface: nullptr where they are to targets. communicator: of ranks that all know all attachments; nullptr: each
  // knows those of its own sources.
  Attachments(Communicator* communicator, std::string owner, std::vector<SolidObject*> sources,
              std::vector<SolidObject*> targets, std::shared_ptr<const AnimatedSurface> surface,
              const AttachmentResponse& response, EmissionRule rule);

  std::string owner() const override { return owner_; }
  std::size_t size() const override { return pairs_.size(); }
  const MaterialPoint& point(std::size_t e, int end) const override {
    return end == 0 ? pairs_[e].source : pairs_[e].target;
  }
  Embedding prescribed(std::size_t e, double time) const override;
  void begin(std::size_t e, const Embedding& source, const Embedding& target) override;
  void evaluate(std::size_t e, const Embedding& source, const Embedding& target, double dt,
                CouplingRows& term) override;
  void advance(std::size_t e, const double* change, int rows) override;
  void prepare(double time, double dt) override;
  bool changing() const override { return rule_.every_step; }
  bool may_touch(const SolidObject& object) const override;

  // One for all elements, unless it is painted.
  const AttachmentResponse& response_of(std::size_t e) const { return all_[response_.painted() ? e : 0]; }
  AttachmentElement& element(std::size_t e) { return elements_[e]; }

 private:
  using ShapesOf = std::vector<PieceShape> (SolidObject::*)();
  static std::vector<PieceShape> all(const std::vector<SolidObject*>& objects, ShapesOf shapes_of);
  void emit_again();
  std::vector<EmittedPair> found(const std::vector<PieceShape>& from, const std::vector<PieceShape>& to) const;
  void take(const std::vector<EmittedPair>& pairs);

  Communicator* communicator_;
  std::string owner_;
  std::vector<SolidObject*> sources_, targets_;
  std::unique_ptr<SurfaceMotion> surface_;  // nullptr: to targets_
  PaintedResponse response_;
  std::vector<AttachmentResponse> all_;
  EmissionRule rule_;
  double end_ = 0;  // of the substep [s]
  std::vector<ObjectPair> pairs_;
  std::vector<AttachmentElement> elements_;
  std::vector<SurfacePoint> on_surface_;
  std::vector<Embedding> prescribed_;  // at the end of the substep
};

}  // namespace ymir
