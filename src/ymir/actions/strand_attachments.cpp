#include "ymir/actions/strand_attachments.h"

namespace ymir {

StrandAttachments::StrandAttachments(CurvesObject& curves, std::unique_ptr<Attachments> attachments)
    : curves_(&curves), attachments_(std::move(attachments)) {
  if (!attachments_->changing()) make_clamps(curves.input_shapes(), 0);
}

void StrandAttachments::make_clamps(const std::vector<PieceShape>& shapes, double time) {
  std::map<std::int64_t, const PieceShape*> by_id;
  for (const PieceShape& shape : shapes) by_id[shape.piece] = &shape;
  clamps_.assign(attachments_->size(), std::nullopt);
  for (std::size_t e = 0; e < attachments_->size(); ++e) {
    const AttachmentResponse& response = attachments_->response_of(e);
    if (!(norm(response.orientation_stiffness) > 0 && response.flexibility == 0)) continue;
    const MaterialPoint& p = attachments_->point(e, 0);
    const PieceShape& shape = *by_id.at(p.piece);
    const bool tip = p.cell + 1 == static_cast<int>(shape.positions.size()) && p.weights.x == 1;
    const bool root = p.cell == 1 && p.weights.x == 0 && !curves_->description().clamped;
    if (!tip && !root) continue;
    clamps_[e].emplace(tip, curves_->point_of(shape, p), attachments_->prescribed(e, time));
    attachments_->element(e).place_only = true;
  }
}

void StrandAttachments::prepare(double time, double dt) {
  attachments_->prepare(time, dt);
  if (attachments_->changing()) make_clamps(curves_->present_shapes(), time - dt);
  by_group_.clear();
  std::map<std::int64_t, std::pair<int, int>> places;
  const StrandSystem& strands = curves_->strands();
  for (int g = 0; g < strands.group_count(); ++g)
    for (int lane = 0; lane < StrandSystem::lanes; ++lane)
      places[strands.group(g).id[static_cast<std::size_t>(lane)]] = {g, lane};
  for (std::size_t e = 0; e < attachments_->size(); ++e) {
    const MaterialPoint& p = attachments_->point(e, 0);
    const auto found = places.find(p.piece);
    if (found == places.end()) continue;
    const auto [group, lane] = found->second;
    by_group_[group].emplace_back(e, lane);
    if (clamps_[e])
      clamps_[e]->weigh(strands, curves_->rod_channels(), group, lane, p.cell,
                        attachments_->response_of(e).orientation_stiffness);
  }
}

template <class F>
void StrandAttachments::each(const StrandStep& s, F&& f) const {
  if (const auto found = by_group_.find(s.group); found != by_group_.end())
    for (const auto& [element, lane] : found->second) f(element, lane);
}

// A strand that is advanced in parts is held where the surface is at the end of each.
void StrandAttachments::begin(StrandStep& s, StrandReal*) {
  each(s, [&](std::size_t e, int lane) {
    const MaterialPoint& p = attachments_->point(e, 0);
    const bool damped = attachments_->response_of(e).relaxation_time > 0;
    const Embedding target = attachments_->prescribed(e, damped ? s.time - s.dt : s.time);
    attachments_->begin(e, s.embedded(lane, p.cell, p.weights.x), target);
    if (clamps_[e]) clamps_[e]->begin(s, lane, p.cell, target);
  });
}

void StrandAttachments::assemble(StrandStep& s, StrandReal*) {
  const int column = (s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth) + 1;
  each(s, [&](std::size_t e, int lane) {
    const MaterialPoint& p = attachments_->point(e, 0);
    CouplingRows term;
    const Embedding held = attachments_->prescribed(e, s.time);
    attachments_->evaluate(e, s.embedded(lane, p.cell, p.weights.x), held, s.dt, term);
    if (clamps_[e]) clamps_[e]->assemble(s, lane, p.cell, held, attachments_->response_of(e).relaxation_time / s.dt);
    const auto row = [&](int local) {
      return s.multipliers ? MultiplierLayout::row(p.cell, local) : PlainLayout::row(p.cell, local);
    };
    const auto at = [lane](StrandReal* values, int i) -> double& {
      return reinterpret_cast<double*>(values)[i * StrandSystem::lanes + lane];
    };
    for (int a = 0; a < 7; ++a)
      for (int r = 0; r < term.rows; ++r) {
        at(s.residual, row(a)) += term.j[r][a] * term.force[r];
        at(s.scale, row(a)) += term.j[r][a] * term.stiffness[r] * term.j[r][a];
        for (int b = 0; b <= a; ++b)
          at(s.matrix, row(b) * column + row(a) - row(b)) += term.j[r][a] * term.stiffness[r] * term.j[r][b];
      }
  });
}

}  // namespace ymir
