#include "ymir/actions/attachment_set.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "ymir/actions/end_clamp.h"
#include "ymir/actions/joints.h"
#include "ymir/actions/painted_response.h"
#include "ymir/actions/surface_motion.h"
#include "ymir/data/triangle_bvh.h"

namespace ymir {
namespace {

AttachmentGeometry geometry_of(const Embedding& source, const Embedding& target) {
  AttachmentGeometry g;
  g.d = source.position - target.position;
  std::copy_n(source.frame, 3, g.source);
  std::copy_n(target.frame, 3, g.target);
  return g;
}

AttachmentElement make_element(const AttachmentResponse& response, const Embedding& source, const Embedding& target) {
  AttachmentElement element;
  element.rest = rest_of(geometry_of(source, target), response.flexibility);
  return element;
}

double stiffness_of(const AttachmentResponse& response, const AttachmentRest& rest, int row) {
  if (row == 0) return 2 * response.normal_stiffness;
  // Without a rest length there is no normal: one stiffness for all directions.
  if (row < 3) return 2 * (rest.pin() ? response.normal_stiffness : response.tangent_stiffness);
  return 2 * response.orientation_stiffness[row / 3 - 1];
}

// Strands that attachments connect go to one rank and are solved together; all strands of the system where pairs change
// with every step.
void co_locate(const SolidSystem& solids) {
  std::vector<CurvesObject*> members;
  for (SolidObject* member : solids.members())
    if (auto* curves = dynamic_cast<CurvesObject*>(member)) members.push_back(curves);
  const auto root = [&](std::ptrdiff_t member, std::int64_t strand) {
    const Curves& curves = members[static_cast<std::size_t>(member)]->curves();
    return curves.positions[static_cast<std::size_t>(curves.first[static_cast<std::size_t>(strand)])];
  };
  using Key = std::pair<std::ptrdiff_t, std::int64_t>;  // member and strand: the same order on every rank
  std::map<Key, Key> parent;
  const auto find = [&](Key k) {
    while (parent.try_emplace(k, k).first->second != k) k = parent.at(k);
    return k;
  };
  const auto connect = [&](Key a, Key b) {
    a = find(a);
    b = find(b);
    parent[std::max(a, b)] = std::min(a, b);
  };
  const auto key_of_point = [&](const MaterialPoint& p) {
    return Key{std::find(members.begin(), members.end(), p.object) - members.begin(), p.piece};
  };
  for (const auto& source : solids.couplings()) {
    for (std::size_t e = 0; e < source->size(); ++e) {
      const Key a = key_of_point(source->point(e, 0)), b = key_of_point(source->point(e, 1));
      if (a.first < std::ssize(members) && b.first < std::ssize(members)) connect(a, b);
    }
    if (source->changing())
      for (std::ptrdiff_t m = 0; m < std::ssize(members); ++m)
        for (std::int64_t s = 0; s < std::ssize(members[static_cast<std::size_t>(m)]->curves().first) - 1; ++s)
          connect({0, 0}, {m, s});
  }
  for (const auto& [key, above] : parent) {
    const Key top = find(key);
    members[static_cast<std::size_t>(key.first)]->set_home(key.second, root(top.first, top.second),
                                                           top.second * std::ssize(members) + top.first);
  }
}

void begin_element(AttachmentElement& element, const Embedding& source, const Embedding& target) {
  element.across = AttachmentElement{}.across;
  const Attachment a = evaluate_attachment(element.rest, geometry_of(source, target), element.across);
  std::copy_n(a.c, Attachment::rows, element.begin);
  // Multipliers start from zero: the system is linear in them, and a substep depends on the state alone.
  std::fill_n(element.multiplier, 3, 0.0);
}

}  // namespace

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
  }
  double tension = element.multiplier[0];
  for (int row = 0; row < Attachment::rows && !response.hard; ++row) {
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

namespace {

class SurfaceAttachments final : public StrandConstraint {
 public:
  SurfaceAttachments(CurvesObject& curves, std::string owner, const AttachmentResponse& response, EmissionRule rule,
                     std::shared_ptr<const AnimatedSurface> surface)
      : curves_(&curves),
        owner_(std::move(owner)),
        response_(response, {&curves}),
        rule_(std::move(rule)),
        surface_(std::move(surface)) {
    pulls_.emplace_back(response);
    surface_.prepare(0, 0);
    if (!rule_.every_step) emit(curves.input_shapes(), 0);
  }
  std::string owner() const override { return owner_; }
  std::string what() const override { return "attachment to a surface"; }

  void prepare(double time, double dt) override {
    if (rule_.every_step) {
      surface_.prepare(time - dt, time - dt);
      emit(curves_->present_shapes(), time - dt);
    }
    surface_.prepare(time - dt, time);
    end_ = time;
    by_group_.clear();
    std::map<std::int64_t, std::pair<int, int>> places;
    const StrandSystem& strands = curves_->strands();
    for (int g = 0; g < strands.group_count(); ++g)
      for (int lane = 0; lane < StrandSystem::lanes; ++lane)
        places[strands.group(g).id[static_cast<std::size_t>(lane)]] = {g, lane};
    for (std::size_t e = 0; e < pairs_.size(); ++e)
      if (const auto found = places.find(pairs_[e].source.piece); found != places.end()) {
        const auto [group, lane] = found->second;
        by_group_[group].emplace_back(e, lane);
        if (clamps_[e])
          clamps_[e]->weigh(strands, curves_->rod_channels(), group, lane, pairs_[e].source.cell,
                            pull(e).whole.orientation_stiffness);
      }
    targets_.clear();
    for (const SurfacePair& pair : pairs_) targets_.push_back(surface_.point(pair.target, time));
  }

  void begin(StrandStep& s, StrandReal*) override {
    each(s, [&](std::size_t e, int lane) {
      const MaterialPoint& p = pairs_[e].source;
      const Embedding target =
          pull(e).whole.relaxation_time > 0 ? surface_.point(pairs_[e].target, s.time - s.dt) : targets_[e];
      begin_element(elements_[e], s.embedded(lane, p.cell, p.weights.x), target);
      if (clamps_[e]) clamps_[e]->begin(s, lane, p.cell, target);
    });
  }

  void assemble(StrandStep& s, StrandReal*) override {
    const int column = (s.multipliers ? MultiplierLayout::half_bandwidth : PlainLayout::half_bandwidth) + 1;
    each(s, [&](std::size_t e, int lane) {
      const MaterialPoint& p = pairs_[e].source;
      CouplingRows term;
      const Embedding held = target(s, e);
      linearize(clamps_[e] ? pull(e).place : pull(e).whole, elements_[e], s.embedded(lane, p.cell, p.weights.x), held,
                s.dt, term);
      if (clamps_[e]) clamps_[e]->assemble(s, lane, p.cell, held, pull(e).whole.relaxation_time / s.dt);
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
  void advance(StrandStep&, const StrandReal&, StrandReal*) override {}
  void end(StrandStep&, StrandReal*) override {}

 private:
  struct Pull {
    AttachmentResponse whole, place;  // place: of the position alone
    explicit Pull(const AttachmentResponse& response) : whole(response), place(response) {
      place.orientation_stiffness = {0, 0, 0};
    }
  };
  // One for all elements, unless it is painted.
  const Pull& pull(std::size_t e) const { return pulls_[response_.painted() ? e : 0]; }
  // A strand that is advanced in parts is held where the surface is at the end of each.
  Embedding target(const StrandStep& s, std::size_t e) const {
    return s.time == end_ ? targets_[e] : surface_.point(pairs_[e].target, s.time);
  }
  void emit(const std::vector<PieceShape>& shapes, double time) {
    pairs_ = emit_to_surface(rule_, shapes, surface_.rest(), surface_.positions());
    std::map<std::int64_t, const PieceShape*> by_id;
    for (const PieceShape& shape : shapes) by_id[shape.piece] = &shape;
    elements_.clear();
    clamps_.clear();
    if (response_.painted()) pulls_.clear();
    for (const SurfacePair& pair : pairs_) {
      if (response_.painted()) pulls_.emplace_back(response_.at(pair.source));
      const AttachmentResponse& response = pull(elements_.size()).whole;
      const PieceShape& shape = *by_id.at(pair.source.piece);
      const Embedding source = curves_->point_of(shape, pair.source), target = surface_.point(pair.target, time);
      elements_.push_back(make_element(response, source, target));
      const bool tip = pair.source.cell + 1 == static_cast<int>(shape.positions.size()) && pair.source.weights.x == 1;
      const bool root = pair.source.cell == 1 && pair.source.weights.x == 0 && !curves_->description().clamped;
      const bool oriented = norm(response.orientation_stiffness) > 0 && response.flexibility == 0;
      clamps_.push_back(oriented && (tip || root) ? std::optional(EndClamp(tip, source, target)) : std::nullopt);
    }
  }
  template <class F>
  void each(const StrandStep& s, F&& f) const {
    if (const auto found = by_group_.find(s.group); found != by_group_.end())
      for (const auto& [element, lane] : found->second) f(element, lane);
  }

  CurvesObject* curves_;
  std::string owner_;
  PaintedResponse response_;
  std::vector<Pull> pulls_;
  EmissionRule rule_;
  SurfaceMotion surface_;
  double end_ = 0;  // of the substep [s]
  std::vector<SurfacePair> pairs_;
  std::vector<AttachmentElement> elements_;
  std::vector<std::optional<EndClamp>> clamps_;  // of elements that hold the orientation of an end
  std::vector<Embedding> targets_;               // at the end of the substep
  std::map<int, std::vector<std::pair<std::size_t, int>>> by_group_;
};

// Attachments that the solid system solves for: between objects, or of particles to a surface.
class CoupledAttachments final : public Coupling {
 public:
  CoupledAttachments(std::string owner, std::vector<SolidObject*> sources, std::vector<SolidObject*> targets,
                     std::shared_ptr<const AnimatedSurface> surface, const AttachmentResponse& response,
                     EmissionRule rule)
      : owner_(std::move(owner)),
        sources_(std::move(sources)),
        targets_(std::move(targets)),
        surface_(std::move(surface)),
        response_(response, sources_),
        all_{response},
        rule_(std::move(rule)) {
    if (surface_) surface_->pose(0, positions_);
    if (!rule_.every_step) emit(&SolidObject::input_shapes);
  }
  std::string owner() const override { return owner_; }
  std::size_t size() const override { return pairs_.size(); }
  const MaterialPoint& point(std::size_t e, int end) const override {
    return end == 0 ? pairs_[e].source : pairs_[e].target;
  }
  Embedding prescribed(std::size_t e, bool at_begin) const override {
    return at_begin ? begin_prescribed_[e] : prescribed_[e];
  }
  void begin(std::size_t e, const Embedding& a, const Embedding& b) override { begin_element(elements_[e], a, b); }
  void evaluate(std::size_t e, const Embedding& a, const Embedding& b, double dt, CouplingRows& term) override {
    linearize(response_of(e), elements_[e], a, b, dt, term);
  }
  void advance(std::size_t e, const double* change, int rows) override {
    for (int r = 0; r < rows; ++r) elements_[e].multiplier[r] += change[r];
  }
  void prepare(double time, double dt) override {
    if (surface_) surface_->pose(time - dt, positions_);
    if (rule_.every_step) emit(&SolidObject::present_shapes);
    if (!surface_) return;
    place(begin_prescribed_);
    surface_->pose(time, positions_);
    place(prescribed_);
  }
  bool changing() const override { return rule_.every_step; }

 private:
  // One for all elements, unless it is painted.
  const AttachmentResponse& response_of(std::size_t e) const { return all_[response_.painted() ? e : 0]; }
  using ShapesOf = std::vector<PieceShape> (SolidObject::*)();
  static std::vector<PieceShape> all(const std::vector<SolidObject*>& objects, ShapesOf shapes_of) {
    std::vector<PieceShape> shapes;
    for (SolidObject* object : objects)
      for (PieceShape& shape : (object->*shapes_of)()) shapes.push_back(std::move(shape));
    return shapes;
  }
  void emit(ShapesOf shapes_of) {
    const std::vector<PieceShape> from = all(sources_, shapes_of), to = all(targets_, shapes_of);
    pairs_.clear();
    on_surface_.clear();
    elements_.clear();
    if (surface_) {
      for (const SurfacePair& pair : emit_to_surface(rule_, from, surface_->rest(), positions_)) {
        pairs_.push_back({pair.source, {}});
        on_surface_.push_back(pair.target);
      }
      place(prescribed_);
    } else {
      pairs_ = emit_to_objects(rule_, from, to);
    }
    std::map<std::pair<SolidObject*, std::int64_t>, const PieceShape*> by_id;
    for (const auto* shapes : {&from, &to})
      for (const PieceShape& shape : *shapes) by_id[{shape.object, shape.piece}] = &shape;
    const auto point = [&](const MaterialPoint& p) { return p.object->point_of(*by_id.at({p.object, p.piece}), p); };
    if (response_.painted()) all_.clear();
    for (std::size_t e = 0; e < pairs_.size(); ++e) {
      if (response_.painted()) all_.push_back(response_.at(pairs_[e].source));
      elements_.push_back(
          make_element(response_of(e), point(pairs_[e].source), surface_ ? prescribed_[e] : point(pairs_[e].target)));
    }
  }
  // Targets on the surface in the pose of positions_.
  void place(std::vector<Embedding>& points) const {
    points.clear();
    for (const SurfacePoint& at : on_surface_) points.push_back(surface_point(surface_->rest(), positions_, at));
  }

  std::string owner_;
  std::vector<SolidObject*> sources_, targets_;
  std::shared_ptr<const AnimatedSurface> surface_;  // nullptr: to targets_
  PaintedResponse response_;
  std::vector<AttachmentResponse> all_;
  EmissionRule rule_;
  std::vector<ObjectPair> pairs_;
  std::vector<AttachmentElement> elements_;
  std::vector<Vec3d> positions_;  // of the surface
  std::vector<SurfacePoint> on_surface_;
  std::vector<Embedding> begin_prescribed_, prescribed_;  // at the beginning and the end of the substep
};

}  // namespace

void add_surface_attachments(CurvesObject& curves, const std::string& owner, const AttachmentResponse& response,
                             const EmissionRule& rule, std::shared_ptr<const AnimatedSurface> surface) {
  curves.add_constraint(std::make_unique<SurfaceAttachments>(curves, owner, response, rule, std::move(surface)));
}

std::size_t add_attachments(SolidSystem& solids, const std::string& owner, const std::vector<SolidObject*>& sources,
                            const std::vector<SolidObject*>& targets, const AttachmentResponse& response,
                            const EmissionRule& rule) {
  for (const auto* objects : {&sources, &targets})
    for (SolidObject* object : *objects) solids.add(*object);
  auto attachments = std::make_unique<CoupledAttachments>(owner, sources, targets, nullptr, response, rule);
  const std::size_t count = attachments->size();
  solids.add(std::move(attachments));
  co_locate(solids);
  return count;
}

std::size_t add_surface_attachments(SolidSystem& solids, const std::string& owner, SolidObject& object,
                                    const AttachmentResponse& response, const EmissionRule& rule,
                                    std::shared_ptr<const AnimatedSurface> surface) {
  const std::vector<SolidObject*> sources{&object}, none;
  solids.add(object);
  auto attachments = std::make_unique<CoupledAttachments>(owner, sources, none, std::move(surface), response, rule);
  const std::size_t count = attachments->size();
  solids.add(std::move(attachments));
  return count;
}

std::vector<double> attach_roots(CurvesObject& curves, const std::string& owner,
                                 std::shared_ptr<const AnimatedSurface> surface) {
  struct Root {
    SurfacePoint at;
    Vec3d position, tangent, m1;  // in the frame of the triangle
  };
  struct Roots {
    std::vector<Root> roots;
    SurfaceMotion surface;
  };
  auto data = std::make_shared<Roots>(Roots{{}, SurfaceMotion(surface)});
  data->surface.prepare(0, 0);
  Surface posed = surface->rest();
  posed.positions = data->surface.positions();
  const TriangleBvh bvh(posed);
  for (std::size_t strand = 0; strand < curves.curves().strand_count(); ++strand) {
    const RootFrame frame = curves.root_frame(static_cast<std::int64_t>(strand));
    const ClosestPoint nearest = bvh.closest(frame.position);
    const SurfacePoint at{nearest.triangle, nearest.barycentric};
    const Embedding base = data->surface.point(at, 0);
    const auto local = [&](Vec3d v) {
      return Vec3d{dot(base.frame[0], v), dot(base.frame[1], v), dot(base.frame[2], v)};
    };
    data->roots.push_back({at, local(frame.position - base.position), local(frame.tangent), local(frame.m1)});
  }
  RootMotion motion;
  motion.owner = owner;
  motion.prepare = [data](double begin, double end) { data->surface.prepare(begin, end); };
  motion.pose = [data](std::int64_t strand, double time) {
    const Root& root = data->roots[static_cast<std::size_t>(strand)];
    const Embedding base = data->surface.point(root.at, time);
    const auto world = [&](Vec3d v) { return base.frame[0] * v.x + base.frame[1] * v.y + base.frame[2] * v.z; };
    const Vec3d tangent = normalized(world(root.tangent));
    return RootFrame{base.position + world(root.position), tangent, orthonormalized(world(root.m1), tangent)};
  };
  curves.set_root_motion(std::move(motion));
  std::vector<double> gaps;
  for (const Root& root : data->roots) gaps.push_back(norm(root.position));
  return gaps;
}

// The first edge of each strand, which no longer is clamped, welded to the skin.
std::size_t attach_roots(SolidSystem& solids, const std::string& owner, CurvesObject& curves,
                         const std::vector<SolidObject*>& targets, double range) {
  struct Skin {
    PieceShape shape;
    TriangleBvh bvh;
  };
  std::vector<Skin> skins;
  for (SolidObject* target : targets)
    for (PieceShape& shape : target->input_shapes())
      if (!shape.skin.triangles.empty()) {
        TriangleBvh bvh(shape.skin);
        skins.push_back({std::move(shape), std::move(bvh)});
      }
  solids.add(curves);
  for (SolidObject* target : targets) solids.add(*target);
  std::vector<JointPlace> welds;
  for (const PieceShape& strand : curves.input_shapes()) {
    if (strand.positions.size() < 2) continue;
    JointPlace weld;
    weld.source.point = {&curves, strand.piece, 1, {0, 0, 0}};
    double nearest = range;
    for (const Skin& skin : skins) {
      const ClosestPoint c = skin.bvh.closest(strand.positions[0], nearest);
      if (c.triangle < 0) continue;
      nearest = c.distance;
      weld.target.point = skin.shape.object->on_skin(skin.shape.piece, c.triangle, c.barycentric);
      weld.target.begin = skin.shape.object->point_of(skin.shape, weld.target.point);
    }
    if (weld.target.point.object == nullptr) continue;
    weld.source.begin = curves.point_of(strand, weld.source.point);
    welds.push_back(std::move(weld));
  }
  curves.release_roots();
  const std::size_t held = welds.size();
  add_joints(solids, owner, JointKind::weld, {}, std::move(welds));
  return held;
}

}  // namespace ymir
