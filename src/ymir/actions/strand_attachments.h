// Attachments of strands to an animated surface: rows of one strand alone, added to its band.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "ymir/actions/attachments.h"
#include "ymir/actions/end_clamp.h"
#include "ymir/objects/curves_object.h"

namespace ymir {

class StrandAttachments final : public StrandConstraint {
 public:
  StrandAttachments(CurvesObject& curves, std::unique_ptr<Attachments> attachments);

  std::string owner() const override { return attachments_->owner(); }
  std::string what() const override { return "attachment to a surface"; }
  void prepare(double time, double dt) override;
  void begin(StrandStep& step, StrandReal* work) override;
  void assemble(StrandStep& step, StrandReal* work) override;
  void advance(StrandStep&, const StrandReal&, StrandReal*) override {}
  void end(StrandStep&, StrandReal*) override {}

 private:
  void make_clamps(const std::vector<PieceShape>& shapes, double time);
  template <class F>
  void each(const StrandStep& step, F&& f) const;

  CurvesObject* curves_;
  std::unique_ptr<Attachments> attachments_;
  std::vector<std::optional<EndClamp>> clamps_;  // of elements that hold the orientation of an end
  std::map<int, std::vector<std::pair<std::size_t, int>>> by_group_;
};

}  // namespace ymir
