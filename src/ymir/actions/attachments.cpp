#include "ymir/actions/attachments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ymir/physics/rigid/joint.h"
#include "ymir/physics/rods/frames.h"

namespace ymir {

bool Attachments::may_touch(const SolidObject& object) const {
  if (!rule_.every_step) return Coupling::may_touch(object);
  return std::find(sources_.begin(), sources_.end(), &object) != sources_.end() ||
         std::find(targets_.begin(), targets_.end(), &object) != targets_.end();
}

namespace {

AttachmentGeometry geometry_of(const Embedding& source, const Embedding& target) {
  AttachmentGeometry g;
  g.d = source.position - target.position;
  std::copy_n(source.frame, 3, g.source);
  std::copy_n(target.frame, 3, g.target);
  return g;
}

double stiffness_of(const AttachmentResponse& response, const AttachmentRest& rest, int row) {
  if (row == 0) return 2 * response.normal_stiffness;
  // Without a rest length there is no normal: one stiffness for all directions.
  if (row < 3) return 2 * (rest.pin() ? response.normal_stiffness : response.tangent_stiffness);
  return 2 * response.orientation_stiffness[row / 3 - 1];
}

// The forces of hard rows that hold a place turn with the target: dot(d, b_k) of its axes b_k, as a slider's rows.
void add_turning(const AttachmentElement& element, const Embedding& source, const Embedding& target,
                 const Attachment& a, CouplingRows& term) {
  JointFrames frames;
  frames.position[0] = source.position;
  frames.position[1] = target.position;
  attachment_axes(element.rest, target.frame, frames.axis[1]);
  term.curved = true;
  for (auto& row : term.curvature) std::fill_n(row, CouplingRows::twists, 0.0);
  for (int k = 0; k < 3; ++k) {
    add_across_curvature(frames, k, element.multiplier[k], term.curvature);
    for (int end = 0; end < 2; ++end) {
      const double* j = a.j + k * Attachment::dofs + 6 * end;
      term.pull[end] += Vec3d{j[0], j[1], j[2]} * element.multiplier[k];
    }
  }
}

// Rows of one attachment at the present points; columns of the source first, then of the target.
void linearize(const AttachmentResponse& response, AttachmentElement& element, const Embedding& source,
               const Embedding& target, double dt, CouplingRows& term) {
  const AttachmentGeometry geometry = geometry_of(source, target);
  const Attachment a = evaluate_attachment(element.rest, geometry, element.across);
  element.across = a.u;
  const double damping = response.relaxation_time / dt;
  term.rows = term.hard = 0;
  term.first[0] = 0;
  term.first[1] = source.dofs;
  const Embedding* ends[2] = {&source, &target};
  const auto add_row = [&](double force, double stiffness, double gap, auto&& column) {
    const int r = term.rows++;
    term.force[r] = force;
    term.stiffness[r] = stiffness;
    term.gap[r] = gap;
    for (int end = 0; end < 2; ++end)
      for (int k = 0; k < ends[end]->dofs; ++k)
        term.j[r][term.first[end] + k] = column(end, ends[end]->shift[k], ends[end]->turn[k]);
  };
  const auto rows_of = [&](int row) {
    return [&, row](int end, Vec3d shift, Vec3d turn) {
      const double* j = a.j + row * Attachment::dofs + end * 6;
      return j[0] * shift.x + j[1] * shift.y + j[2] * shift.z + j[3] * turn.x + j[4] * turn.y + j[5] * turn.z;
    };
  };
  if (response.hard) {
    // At flexibility 1 the distance alone is held, otherwise the position.
    const int rows = element.rest.flexibility >= 1 && !element.rest.pin() ? 1 : 3;
    for (int row = 0; row < rows; ++row)
      add_row(element.multiplier[row], std::numeric_limits<double>::infinity(), a.c[row], rows_of(row));
    term.hard = rows;
    if (element.rest.flexibility == 0 || element.rest.pin()) add_turning(element, source, target, a, term);
  }
  double tension = element.multiplier[0];
  const int soft = response.hard ? 0 : element.place_only ? 3 : Attachment::rows;
  for (int row = 0; row < soft; ++row) {
    const double w = stiffness_of(response, element.rest, row);
    if (!(w > 0)) continue;
    const double force = w * (a.c[row] + damping * (a.c[row] - element.begin[row]));
    if (row == 0) tension = force;
    add_row(force, w * (1 + damping), 0, rows_of(row));
  }
  // A taut distance constraint resists being turned: y (I - d d'/|d|^2)/|d|, as two rows without force.
  const double length = norm(geometry.d);
  if (element.rest.flexibility >= 1 && !element.rest.pin() && tension > 0 && length > 0) {
    const Vec3d d = geometry.d / length, p = any_normal(d), q = cross(d, p);
    for (const Vec3d& across : {p, q})
      add_row(0, tension / length, 0,
              [&](int end, Vec3d shift, Vec3d) { return (end == 0 ? 1 : -1) * dot(across, shift); });
  }
}

}  // namespace

Attachments::Attachments(Communicator* communicator, std::string owner, std::vector<SolidObject*> sources,
                         std::vector<SolidObject*> targets, std::shared_ptr<const AnimatedSurface> surface,
                         const AttachmentResponse& response, EmissionRule rule)
    : communicator_(communicator),
      owner_(std::move(owner)),
      sources_(std::move(sources)),
      targets_(std::move(targets)),
      surface_(surface ? std::make_unique<SurfaceMotion>(std::move(surface)) : nullptr),
      response_(response, sources_),
      all_{response},
      rule_(std::move(rule)) {
  if (surface_) surface_->prepare(0, 0);
  if (rule_.every_step) return;
  take(found(all(sources_, &SolidObject::input_shapes), all(targets_, &SolidObject::input_shapes)));
}

Embedding Attachments::prescribed(std::size_t e, double time) const {
  return time == end_ ? prescribed_[e] : surface_->point(on_surface_[e], time);
}

void Attachments::begin(std::size_t e, const Embedding& source, const Embedding& target) {
  AttachmentElement& element = elements_[e];
  element.across = AttachmentElement{}.across;
  const Attachment a = evaluate_attachment(element.rest, geometry_of(source, target), element.across);
  std::copy_n(a.c, Attachment::rows, element.begin);
  // Multipliers start from zero: the system is linear in them, and a substep depends on the state alone.
  std::fill_n(element.multiplier, 3, 0.0);
}

void Attachments::evaluate(std::size_t e, const Embedding& source, const Embedding& target, double dt,
                           CouplingRows& term) {
  linearize(response_of(e), elements_[e], source, target, dt, term);
}

void Attachments::advance(std::size_t e, const double* change, int rows) {
  for (int r = 0; r < rows; ++r) elements_[e].multiplier[r] += change[r];
}

void Attachments::prepare(double time, double dt) {
  if (rule_.every_step) {
    end_ = time - dt;
    if (surface_) surface_->prepare(end_, end_);
    emit_again();
  }
  end_ = time;
  if (!surface_) return;
  surface_->prepare(time - dt, time);
  prescribed_.clear();
  for (const SurfacePoint& at : on_surface_) prescribed_.push_back(surface_->point(at, time));
}

std::vector<PieceShape> Attachments::all(const std::vector<SolidObject*>& objects, ShapesOf shapes_of) {
  std::vector<PieceShape> shapes;
  for (SolidObject* object : objects)
    for (PieceShape& shape : (object->*shapes_of)()) shapes.push_back(std::move(shape));
  return shapes;
}

// Pieces are where they are now, each on its rank.
void Attachments::emit_again() {
  const std::vector<PieceShape> from = all(sources_, &SolidObject::present_shapes);
  std::vector<PieceShape> to = all(targets_, &SolidObject::present_shapes);
  if (communicator_ == nullptr) {
    take(found(from, to));
    return;
  }
  to = targets_of_all(targets_, from, std::move(to), rule_.range, *communicator_);
  take(pairs_of_all(sources_, targets_, found(from, to), *communicator_));
}

std::vector<EmittedPair> Attachments::found(const std::vector<PieceShape>& from,
                                            const std::vector<PieceShape>& to) const {
  std::vector<EmittedPair> pairs;
  if (surface_)
    for (const SurfacePair& pair : emit_to_surface(rule_, from, surface_->rest(), surface_->positions()))
      pairs.push_back({{pair.source, {}}, pair.target, {}});
  else
    for (const ObjectPair& pair : emit_to_objects(rule_, from, to)) pairs.push_back({pair, {}, {}});
  std::map<std::pair<SolidObject*, std::int64_t>, const PieceShape*> by_id;
  for (const auto* shapes : {&from, &to})
    for (const PieceShape& shape : *shapes) by_id[{shape.object, shape.piece}] = &shape;
  const auto shape_of = [&](const MaterialPoint& p) -> const PieceShape& { return *by_id.at({p.object, p.piece}); };
  for (EmittedPair& e : pairs) {
    const MaterialPoint &a = e.pair.source, &b = e.pair.target;
    const Embedding target = surface_ ? surface_point(surface_->rest(), surface_->positions(), e.on_surface)
                                      : b.object->point_of(shape_of(b), b);
    e.rest = rest_of(geometry_of(a.object->point_of(shape_of(a), a), target),
                     (response_.painted() ? response_.at(a) : all_[0]).flexibility);
    e.particles = !surface_ && shape_of(a).is_particle && shape_of(b).is_particle;
  }
  return pairs;
}

void Attachments::take(const std::vector<EmittedPair>& pairs) {
  pairs_.clear();
  on_surface_.clear();
  elements_.clear();
  prescribed_.clear();
  if (response_.painted()) all_.clear();
  for (const EmittedPair& e : pairs) {
    pairs_.push_back(e.pair);
    if (response_.painted()) all_.push_back(response_.at(e.pair.source));
    elements_.emplace_back().rest = e.rest;
    if (!surface_) continue;
    on_surface_.push_back(e.on_surface);
    prescribed_.push_back(surface_point(surface_->rest(), surface_->positions(), e.on_surface));
  }
}

}  // namespace ymir
