#include "ymir/objects/super_helix_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ymir/base/error.h"
#include "ymir/base/log.h"
#include "ymir/objects/super_helix_block.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/rods/cross_section.h"

namespace ymir {
namespace {

constexpr int lanes = StrandSystem::lanes;
constexpr int least_points = 4;

std::span<const Vec3d> vertices_of(const Curves& curves, std::size_t strand) {
  const auto first = static_cast<std::size_t>(curves.first[strand]);
  return std::span(curves.positions).subspan(first, static_cast<std::size_t>(curves.first[strand + 1]) - first);
}

// Angles between its edges, added up [rad].
double turning(std::span<const Vec3d> x) {
  double sum = 0;
  Vec3d before{0, 0, 0};
  for (std::size_t k = 1; k < x.size(); ++k) {
    const Vec3d edge = x[k] - x[k - 1];
    if (!(norm(edge) > 0)) continue;
    if (norm(before) > 0) sum += std::atan2(norm(cross(before, edge)), dot(before, edge));
    before = edge;
  }
  return sum;
}

void set_vector(Strand& strand, int channel, int element, Vec3d v) {
  for (int k = 0; k < 3; ++k) strand.channel(channel + k)[static_cast<std::size_t>(element)] = v[k];
}

}  // namespace

SuperHelixObject::SuperHelixObject(std::string path, int group, GridDomain& domain, const Description& description)
    : Object(std::move(path), group), description_(description), strands_(domain) {
  if (const int most = SuperHelix::most_elements(!description.clamped);
      description.elements < 1 || description.elements > most)
    throw Error(
        ExitCode::bad_input,
        fmt::format("{}.elements: {} elements are more than a point may depend on; give 1 to {}{}", this->path(),
                    description.elements, most, description.clamped ? "" : " where roots are free"));
}

SuperHelixObject::~SuperHelixObject() = default;

void SuperHelixObject::release_roots() {
  const int most = SuperHelix::most_elements(true);
  if (description_.elements > most)
    throw Error(ExitCode::bad_input,
                fmt::format("{}.elements: {} elements are too many where roots are held by solids; "
                            "give {} at most",
                            path(), description_.elements, most));
  description_.clamped = false;
}

void SuperHelixObject::refuse_bad_strands(const Curves& curves) const {
  refuse_bad_shapes(curves, path());
  for (std::size_t id = 0; id < curves.strand_count(); ++id) {
    const auto x = vertices_of(curves, id);
    double length = 0;
    for (std::size_t k = 1; k < x.size(); ++k) length += norm(x[k] - x[k - 1]);
    if (x.size() < 2)
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: strand {} has one vertex, and no shape; remove it from the groom", path(), id));
    if (!(length > 0))
      throw Error(
          ExitCode::bad_input,
          fmt::format("{}: strand {} has no length, all its vertices are in one place; remove it from the groom",
                      path(), id));
  }
}

void SuperHelixObject::choose_points(const Curves& curves) {
  int points = description_.points;
  if (points == 0) {
    double most = 0;
    for (std::size_t id = 0; id < curves.strand_count(); ++id) most = std::max(most, turning(vertices_of(curves, id)));
    const double needed = std::ceil(3 + most / description_.elements / 2);
    points = static_cast<int>(std::clamp<double>(needed, least_points, most_points));
    if (needed > most_points)
      throw Error(
          ExitCode::bad_input,
          fmt::format("{}.elements: an element would wind {:.0f} times, too often to be integrated; give more "
                      "elements, at least {:.0f}",
                      path(), most / description_.elements / (2 * M_PI), std::ceil(most / (2 * (most_points - 3)))));
  }
  gauss_ = GaussPoints<most_points>(points);
  using Kind = StrandSystem::Kind;
  channels_.curvature = strands_.add_vector("curvature", Kind::state);
  channels_.origin = strands_.add_vector("origin", Kind::state);
  channels_.tangent = strands_.add_vector("tangent", Kind::state);
  channels_.m1 = strands_.add_vector("m1", Kind::state);
  channels_.velocity = strands_.channel_count();
  for (int g = 0; g < points; ++g) strands_.add_vector("velocity " + std::to_string(g), Kind::state);
  channels_.rest = strands_.add_vector("rest_curvature", Kind::constant);
  channels_.stiffness = strands_.add_vector("stiffness", Kind::constant);
  channels_.length = strands_.add_channel("length", Kind::constant);
  channels_.line_density = strands_.add_channel("line_density", Kind::constant);
  channels_.radius = strands_.add_channel("radius", Kind::constant);
}

void SuperHelixObject::read_sections(const Curves& curves) {
  for (std::int64_t id = 0; id < static_cast<std::int64_t>(curves.strand_count()); ++id) {
    const auto n = static_cast<int>(vertices_of(curves, static_cast<std::size_t>(id)).size());
    const auto value = [&](const char* name, int vertex, double otherwise) {
      const double found = curve_value(curves, name, id, vertex).value_or(otherwise);
      if (found > 0 && std::isfinite(found)) return found;
      throw Error(ExitCode::bad_input, fmt::format("{}: strand {}, vertex {}: the {} is {}; give a positive one",
                                                   path(), id, vertex, name, found));
    };
    for (int vertex = 0; vertex < n; ++vertex)
      for (const char* name : {"radius", "density", "flattening"}) value(name, vertex, 1);
    const auto at = [&](const char* name, int element, double otherwise) {
      const double place = (element + 0.5) / description_.elements * (n - 1);
      const int low = std::min(static_cast<int>(place), n - 2);
      const double a = value(name, low, otherwise), b = value(name, low + 1, otherwise);
      return a + (b - a) * (place - low);
    };
    for (int e = 0; e < description_.elements; ++e)
      sections_.push_back({at("radius", e, description_.radius), at("density", e, description_.density),
                           at("flattening", e, description_.flattening)});
  }
}

void SuperHelixObject::set_curves(const Curves& curves) {
  refuse_bad_strands(curves);
  choose_points(curves);
  read_sections(curves);
  fits_.resize(curves.strand_count());
  parallel_for(std::ssize(fits_), [&](std::ptrdiff_t id) {
    const RootFrame root = root_frame_of(curves, id);
    const bool given = norm(strand_vector(curves, "root_tangent", id).value_or(Vec3d{0, 0, 0})) > 0;
    fits_[static_cast<std::size_t>(id)] =
        fit_helix(vertices_of(curves, static_cast<std::size_t>(id)), description_.elements, root.m1,
                  given ? root.tangent : Vec3d{0, 0, 0});
  });
}

double SuperHelixObject::fit_error() const {
  double worst = 0;
  for (const HelixFit& fit : fits_) worst = std::max(worst, fit.error / (fit.helix.length * fit.helix.elements));
  return worst;
}

RootFrame SuperHelixObject::root_frame(std::int64_t strand) const {
  const HelixFrame& root = fits_[static_cast<std::size_t>(strand)].helix.root;
  return {root.position, root.axes.column[2], root.axes.column[0]};
}

Strand SuperHelixObject::make_strand(std::int64_t id) const {
  const SuperHelix& helix = fits_[static_cast<std::size_t>(id)].helix;
  Strand strand = strands_.make_strand(id, helix.elements);
  strand.home = helix.root.position;
  for (int e = 0; e < helix.elements; ++e) {
    const auto at = static_cast<std::size_t>(e);
    const Section& own = sections_[static_cast<std::size_t>(id) * static_cast<std::size_t>(helix.elements) + at];
    const CrossSection section{own.radius, own.radius * own.flattening};
    const HelixFrame& frame = helix.begin_of(e);
    set_vector(strand, channels_.curvature, e, helix.u[e]);
    set_vector(strand, channels_.rest, e, helix.u[e]);
    set_vector(strand, channels_.origin, e, frame.position);
    set_vector(strand, channels_.tangent, e, frame.axes.column[2]);
    set_vector(strand, channels_.m1, e, frame.axes.column[0]);
    // Turning about m1 bends the strand along m2.
    set_vector(strand, channels_.stiffness, e,
               {description_.youngs_modulus * section.bending2(), description_.youngs_modulus * section.bending1(),
                description_.shear_modulus * section.torsion()});
    strand.channel(channels_.length)[at] = helix.length;
    strand.channel(channels_.line_density)[at] = own.density * section.area();
    strand.channel(channels_.radius)[at] = own.radius;
  }
  for (const Emission& emission : emissions_) emission(strand, helix);
  return strand;
}

void SuperHelixObject::ingest() {
  std::vector<Strand> mine;
  for (std::size_t id = 0; id < fits_.size(); ++id)
    if (strands_.local(fits_[id].helix.root.position)) mine.push_back(make_strand(static_cast<std::int64_t>(id)));
  strands_.assign(std::move(mine));
  fits_.clear();
  sections_.clear();
}

SuperHelix SuperHelixObject::helix(int group, int lane) const {
  const auto vector = [&](int channel, int e) {
    const auto value = [&](int k) { return strands_.plane(group, channel + k)[e][lane]; };
    return Vec3d{value(0), value(1), value(2)};
  };
  SuperHelix h;
  h.elements = strands_.group(group).count[static_cast<std::size_t>(lane)];
  h.free_root = !description_.clamped;
  h.length = strands_.plane(group, channels_.length)[0][lane];
  const Vec3d t = vector(channels_.tangent, 0), m1 = vector(channels_.m1, 0);
  h.root = {vector(channels_.origin, 0), {m1, cross(t, m1), t}};
  for (int e = 0; e < h.elements; ++e) h.u[e] = vector(channels_.curvature, e);
  h.update();
  return h;
}

void SuperHelixObject::visit_points(const std::function<void(const PointBlock&)>& visit) const {
  const auto n = static_cast<std::size_t>(description_.elements * gauss_.count);
  std::vector<double> planes(12 * n);
  const auto plane = [&](std::size_t k) { return planes.data() + k * n; };
  const auto three = [&](std::size_t k) { return Planes<const Vec3d>::Type{plane(k), plane(k + 1), plane(k + 2)}; };
  for (int g = 0; g < strands_.group_count(); ++g)
    for (int lane = 0; lane < lanes; ++lane) {
      if (strands_.group(g).id[static_cast<std::size_t>(lane)] < 0) continue;
      const SuperHelix h = helix(g, lane);
      std::size_t p = 0;
      for (int e = 0; e < h.elements; ++e)
        for (int k = 0; k < gauss_.count; ++k, ++p) {
          const HelixFrame at = h.frame(e, gauss_.at[k] * h.length);
          for (int a = 0; a < 3; ++a) {
            const auto axis = static_cast<std::size_t>(a);
            plane(axis)[p] = at.position[a];
            plane(3 + axis)[p] = strands_.plane(g, channels_.velocity + 3 * k + a)[e][lane];
            plane(6 + axis)[p] = at.axes.column[2][a];
          }
          plane(9)[p] = gauss_.weight[k] * h.length;
          plane(10)[p] = plane(9)[p] * strands_.plane(g, channels_.line_density)[e][lane];
          plane(11)[p] = strands_.plane(g, channels_.radius)[e][lane];
        }
      visit({nullptr, g * lanes + lane, static_cast<int>(p), 0, 0, three(0), three(3), plane(10), plane(11), 0,
             three(6), plane(9)});
    }
}

void SuperHelixObject::schedule(Timeline& timeline) {
  const auto own = [&](Stage stage, std::string what, std::vector<std::string> reads, std::vector<std::string> writes,
                       std::function<void(const Step&)> run) {
    timeline.add(
        {stage, group(), Role::object, path(), std::move(what), std::move(reads), std::move(writes), std::move(run)});
  };
  const auto action = [&](Stage stage, const std::string& owner, const std::string& what) {
    timeline.add({stage, group(), Role::action, owner, what + " on " + path(), {"curvature"}, {"force", "matrix"}, {}});
  };
  own(Stage::ingest, "take the strands of the input", {}, {"*"}, [this](const Step&) { ingest(); });
  own(Stage::boundary_motion,
      moving_roots() ? "roots follow " + root_motion_.owner : "what constraints need before the substep", {}, {"root"},
      [this](const Step& step) { prepare(step); });
  for (const PointForce& force : forces_) action(Stage::solid_forces, force.owner, force.what);
  for (const auto& constraint : constraints_) action(Stage::solid_constraints, constraint->owner(), constraint->what());
  own(Stage::solid_solve, "backward Euler, Newton with a dense matrix per strand", {"curvature", "velocity"},
      {"curvature", "velocity"}, [this](const Step& step) { advance(step); });
}

void SuperHelixObject::prepare(const Step& step) {
  if (root_motion_.prepare) root_motion_.prepare(step.time, step.time + step.dt);
  for (const auto& constraint : constraints_) constraint->prepare(step.time, step.time + step.dt);
}

std::vector<SolidObject::Seat> SuperHelixObject::seat(std::span<const std::int64_t> pieces) {
  std::vector<Seat> seats(pieces.size());
  for (const auto& [g, lane] : strands_.seats()) {
    const std::int64_t id = strands_.group(g).id[static_cast<std::size_t>(lane)];
    const auto at = std::lower_bound(pieces.begin(), pieces.end(), id);
    if (at != pieces.end() && *at == id) seats[static_cast<std::size_t>(at - pieces.begin())] = {g * lanes + lane, 0};
  }
  return seats;
}

std::unique_ptr<SolidBlock> SuperHelixObject::make_block(int block) {
  auto made = std::make_unique<SuperHelixBlock>(*this);
  made->choose(block / lanes, block % lanes);
  return made;
}

std::int64_t SuperHelixObject::order_of(int block) const { return strands_.group(block / lanes).id[block % lanes]; }

void SuperHelixObject::advance(const Step& step) {
  if (step.iteration > 0 && !every_iteration_) return;  // solved to the end in the first iteration
  while (solvers_.size() < static_cast<std::size_t>(threads()))
    solvers_.push_back(std::make_unique<SuperHelixBlock>(*this));
  std::vector<SuperHelixBlock::Outcome> outcomes(static_cast<std::size_t>(strands_.group_count() * lanes));
  parallel_for(std::ssize(outcomes), [&](std::ptrdiff_t b) {
    const int block = static_cast<int>(b), g = block / lanes, lane = block % lanes;
    SuperHelixBlock::Outcome& outcome = outcomes[static_cast<std::size_t>(b)];
    outcome.converged = true;
    if (strands_.group(g).id[static_cast<std::size_t>(lane)] < 0 || in_cluster(block)) return;
    SuperHelixBlock& solver = *solvers_[static_cast<std::size_t>(thread_index())];
    solver.choose(g, lane);
    outcome = solver.advance_alone(step);
  });
  report_ = {};
  if (step.iteration == 0) solves_ = {};
  // What an earlier pass left above the tolerance has been solved again.
  solves_.unconverged = 0;
  solves_.residual = 0;
  solves_.worst.clear();
  last_dt_ = step.dt;
  for (std::size_t b = 0; b < outcomes.size(); ++b) {
    const SuperHelixBlock::Outcome& o = outcomes[b];
    newton_iterations_ += o.iterations;
    solves_.iterations += o.iterations;
    solves_.retries += o.halvings;
    solves_.solves += o.iterations > 0 ? 1 : 0;
    report_.iterations = std::max(report_.iterations, o.iterations);
    const std::int64_t id = strands_.group(static_cast<int>(b) / lanes).id[b % lanes];
    if (o.above) {
      ++solves_.unconverged;
      if (o.residual >= report_.residual) solves_.worst = fmt::format("strand {}", id);
    }
    report_.residual = worse(report_.residual, o.residual);
    if (o.converged || report_.status == SolveReport::Status::failed) continue;
    report_.status = SolveReport::Status::failed;
    report_.worst_object = fmt::format("{}, strand {}", path(), id);
  }
  solves_.residual = report_.residual;
}

ObjectReport SuperHelixObject::report() const {
  ObjectReport report = solves_;
  for (int g = 0; g < strands_.group_count(); ++g)
    for (int lane = 0; lane < lanes; ++lane) {
      const int elements = strands_.group(g).count[static_cast<std::size_t>(lane)];
      for (int e = 0; e < elements; ++e)
        for (int k = 0; k < gauss_.count; ++k) {
          const auto v = [&](int a) { return strands_.plane(g, channels_.velocity + 3 * k + a)[e][lane]; };
          const double speed = norm(Vec3d{v(0), v(1), v(2)});
          report.speed = std::max(report.speed, speed);
          report.courant = std::max(report.courant, speed * last_dt_ / strands_.plane(g, channels_.length)[e][lane]);
        }
    }
  for (const auto& constraint : constraints_)
    report.penetration = std::max(report.penetration, constraint->penetration());
  return report;
}

std::optional<std::string> SuperHelixObject::non_finite() const {
  const std::string* name = strands_.non_finite_channel();
  return name != nullptr ? std::optional(*name) : std::nullopt;
}

void SuperHelixObject::weigh(std::vector<BucketKey>& keys, std::vector<double>& weights) const {
  if (strands_.keeper() >= 0) return;
  std::map<BucketKey, double> work;
  for (const auto& [g, lane] : strands_.seats()) work[strands_.bucket_of(g, lane)] += description_.elements;
  for (const auto& [key, weight] : work) {
    keys.push_back(key);
    weights.push_back(weight);
  }
}

Box SuperHelixObject::extent() const {
  Box box;
  for (const auto& [g, lane] : strands_.seats()) box.include(strands_.group(g).home[static_cast<std::size_t>(lane)]);
  return box;
}

}  // namespace ymir
