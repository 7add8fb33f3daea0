#include "ymir/objects/curves_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ymir/base/check.h"
#include "ymir/base/error.h"
#include "ymir/base/log.h"
#include "ymir/objects/inverse_dynamics.h"
#include "ymir/objects/strand_block.h"
#include "ymir/objects/strand_retry.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/rods/cross_section.h"
#include "ymir/solids/contact/lone_contact.h"

namespace ymir {
namespace {

// Edges shorter than this part of the mean count as coincident vertices.
constexpr double coincident = 1e-4;

using Real = StrandReal;

// The same polyline with its vertices spread evenly along it.
std::vector<Vec3d> spread(const std::vector<Vec3d>& x) {
  std::vector<double> along(x.size(), 0);
  for (std::size_t i = 1; i < x.size(); ++i) along[i] = along[i - 1] + norm(x[i] - x[i - 1]);
  std::vector<Vec3d> y(x.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double s = along.back() * static_cast<double>(i) / static_cast<double>(x.size() - 1);
    while (at + 2 < x.size() && along[at + 1] < s) ++at;
    const double length = along[at + 1] - along[at];
    y[i] = x[at] + (x[at + 1] - x[at]) * (length > 0 ? std::clamp((s - along[at]) / length, 0.0, 1.0) : 0.0);
  }
  y.back() = x.back();
  return y;
}

Vec3d vector_of(const Strand& strand, int channel, int i) {
  const auto at = static_cast<std::size_t>(i);
  return {strand.channel(channel)[at], strand.channel(channel + 1)[at], strand.channel(channel + 2)[at]};
}
void set_vector(Strand& strand, int channel, int i, Vec3d v) {
  for (int k = 0; k < 3; ++k) strand.channel(channel + k)[static_cast<std::size_t>(i)] = v[k];
}

}  // namespace

CurvesObject::CurvesObject(std::string path, int group, GridDomain& domain, const Description& description)
    : Object(std::move(path), group), description_(description), strands_(domain) {
  using Kind = StrandSystem::Kind;
  channels_.position = strands_.add_vector("position", Kind::state);
  channels_.velocity = strands_.add_vector("velocity", Kind::state);
  channels_.m1 = strands_.add_vector("m1", Kind::state);
  channels_.spin = strands_.add_channel("spin", Kind::state);
  channels_.twist = strands_.add_channel("twist", Kind::state);
  channels_.rest_length = strands_.add_channel("rest_length", Kind::constant);
  channels_.mass = strands_.add_channel("mass", Kind::constant);
  channels_.inertia = strands_.add_channel("inertia", Kind::constant);
  channels_.free_position = strands_.add_channel("free_position", Kind::constant);
  channels_.free_angle = strands_.add_channel("free_angle", Kind::constant);
  channels_.radius = strands_.add_channel("radius", Kind::constant);
}

void CurvesObject::set_curves(Curves curves) {
  curves_ = std::move(curves);
  refuse_bad_shapes(curves_, path());
  for (const Channels* channels : {&curves_.vertices, &curves_.strands})
    for (const auto& [name, array] : channels->all())
      if ((array.holds<Vec3d>() || array.holds<Vec3f>()) && !overrides_.contains(name) && strands_.find(name) < 0)
        overrides_[name] = strands_.add_vector(name, StrandSystem::Kind::constant);
  compensation_ = painted_channel("gravity_compensation");
}

void CurvesObject::visit_points(const std::function<void(const PointBlock&)>& visit) const {
  constexpr int lanes = StrandSystem::lanes;
  std::vector<double> tangent;
  for (int g = 0; g < strands_.group_count(); ++g) {
    const auto plane = [&](int channel) { return reinterpret_cast<const double*>(strands_.plane(g, channel)); };
    const auto planes = [&](int first) {
      return Planes<const Vec3d>::Type{plane(first), plane(first + 1), plane(first + 2)};
    };
    const auto x = planes(channels_.position);
    const int n = strands_.group(g).vertices * lanes;
    tangent.resize(static_cast<std::size_t>(4 * n));
    double *const t[3] = {tangent.data(), tangent.data() + n, tangent.data() + 2 * n}, *length = tangent.data() + 3 * n;
    for (int i = 0; i < n; ++i) {
      const int count = strands_.group(g).count[static_cast<std::size_t>(i % lanes)], vertex = i / lanes;
      const int before = vertex > 1 ? i - lanes : i, after = vertex + 1 < count ? i + lanes : i;
      const Vec3d e = vertex >= 1 && vertex < count ? x[after] - x[before] : Vec3d{0, 0, 0};
      const Vec3d direction = normalized(e, Vec3d{1, 0, 0});
      for (int k = 0; k < 3; ++k) t[k][i] = direction[k];
      const auto rest = [&](int edge) { return strands_.plane(g, channels_.rest_length)[edge][i % lanes]; };
      length[i] = vertex < 1 || vertex >= count || count < 3
                      ? 0
                      : 0.5 * ((vertex > 1 ? rest(vertex - 1) : 0) + (vertex + 1 < count ? rest(vertex) : 0));
    }
    visit({nullptr,
           g,
           n,
           0,
           0,
           x,
           planes(channels_.velocity),
           plane(channels_.mass),
           plane(channels_.radius),
           0,
           {t[0], t[1], t[2]},
           length});
  }
}

PointField<Vec3d> CurvesObject::vector_field(std::string_view name) const {
  const auto found = overrides_.find(name);
  if (found == overrides_.end()) return {};
  return [this, first = found->second](const PointBlock& block) {
    const auto plane = [&](int k) { return reinterpret_cast<const double*>(strands_.plane(block.bucket, first + k)); };
    return Planes<const Vec3d>::Type{plane(0), plane(1), plane(2)};
  };
}

int CurvesObject::painted_channel(std::string_view name) {
  if (!painted(name)) return -1;
  const std::string parameter(name), own = "painted " + parameter;
  if (const int found = strands_.find(own); found >= 0) return found;
  const int channel = strands_.add_channel(own, StrandSystem::Kind::constant);
  add_emission([this, parameter, channel](Strand& strand) {
    for (int i = 1; i < strand.vertices; ++i) {
      const double value = curve_value(parameter, strand.id, i - 1).value_or(0);
      if (!(value >= 0) || !std::isfinite(value))
        throw Error(ExitCode::bad_input, fmt::format("{}: strand {}, vertex {}: {} is {}; give a value of at least 0",
                                                     path(), strand.id, i - 1, parameter, value));
      strand.channel(channel)[static_cast<std::size_t>(i)] = value;
    }
  });
  return channel;
}

PointField<double> CurvesObject::scalar_field(std::string_view name) {
  const int channel = painted_channel(name);
  if (channel < 0) return {};
  return [this, channel](const PointBlock& block) {
    return reinterpret_cast<const double*>(strands_.plane(block.bucket, channel));
  };
}

double CurvesObject::positive_value(const char* name, std::int64_t strand, int vertex, double otherwise) const {
  const double value = curve_value(name, strand, vertex).value_or(otherwise);
  if (value > 0 && std::isfinite(value)) return value;
  throw Error(ExitCode::bad_input, fmt::format("{}: strand {}, vertex {}: the {} is {}; give a positive one", path(),
                                               strand, vertex, name, value));
}

Strand CurvesObject::make_strand(std::int64_t id) {
  const auto first = curves_.first[static_cast<std::size_t>(id)];
  const int n = static_cast<int>(curves_.first[static_cast<std::size_t>(id) + 1] - first);
  std::vector<Vec3d> x(curves_.positions.begin() + first, curves_.positions.begin() + first + n);
  double total = 0, shortest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < x.size(); ++i) {
    total += norm(x[i] - x[i - 1]);
    shortest = std::min(shortest, norm(x[i] - x[i - 1]));
  }
  const bool held = !(total > 0);  // one vertex, or all of them in one place
  if (!held && shortest < coincident * total / (n - 1)) {
    x = spread(x);
    ++resampled_;
  }
  held_ += held ? 1 : 0;

  Strand strand = strands_.make_strand(id, n + 1);
  const RootFrame root = root_frame(id);
  const double ghost = n > 1 && !held ? norm(x[1] - x[0]) : 1;
  set_vector(strand, channels_.position, 0, x[0] - root.tangent * ghost);
  for (int i = 0; i < n; ++i) set_vector(strand, channels_.position, i + 1, x[static_cast<std::size_t>(i)]);
  // Frames by parallel transport along the strand, from the root on.
  RodEdge<double> edge{root.tangent, 1 / ghost, root.m1};
  for (int i = 0; i <= n; ++i) {
    if (i > 0 && i < n && !held) {
      const Vec3d e = vector_of(strand, channels_.position, i + 1) - vector_of(strand, channels_.position, i);
      const RodEdge<double> next = moved(edge, e, 0.0);
      edge = next;
      strand.channel(channels_.rest_length)[static_cast<std::size_t>(i)] = norm(e);
    }
    set_vector(strand, channels_.m1, i, edge.m1);
  }
  strand.channel(channels_.rest_length)[0] = ghost;
  for (int i = 1; i <= n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double radius = positive_value("radius", id, i - 1, description_.radius);
    const double density = positive_value("density", id, i - 1, description_.density);
    const CrossSection section{radius, radius * positive_value("flattening", id, i - 1, description_.flattening)};
    strand.channel(channels_.radius)[at] = radius;
    const double before = i > 1 && !held ? strand.channel(channels_.rest_length)[at - 1] : 0;
    const double after = i < n && !held ? strand.channel(channels_.rest_length)[at] : 0;
    strand.channel(channels_.mass)[at] = density * section.area() * (before + after) / 2;
    strand.channel(channels_.inertia)[at] = density * section.polar() * after;
    const bool pinned = curve_value("pinned", id, i - 1).value_or(0) > 0;
    const bool root_given = description_.clamped && i == 1;
    strand.channel(channels_.free_position)[at] = held || root_given || pinned ? 0 : 1;
    strand.channel(channels_.free_angle)[at] = held || i == n ? 0 : 1;
    for (const auto& [name, channel] : overrides_) {
      const Array* array = curves_.vertices.find(name);
      const auto source = array != nullptr ? static_cast<std::size_t>(first + i - 1) : static_cast<std::size_t>(id);
      if (array == nullptr) array = curves_.strands.find(name);
      set_vector(strand, channel, i,
                 array->holds<Vec3d>() ? array->as<Vec3d>()[source] : Vec3d(array->as<Vec3f>()[source]));
    }
  }
  for (const Emission& emission : emissions_) emission(strand);
  return strand;
}

void CurvesObject::ingest() {
  std::vector<Strand> mine;
  for (std::int64_t id = 0; id < static_cast<std::int64_t>(curves_.strand_count()); ++id) {
    const auto home = homes_.find(id);
    const auto first = static_cast<std::size_t>(curves_.first[static_cast<std::size_t>(id)]);
    const Vec3d at = home != homes_.end() ? home->second.place : curves_.positions[first];
    if (!strands_.local(at)) continue;
    mine.push_back(make_strand(id));
    mine.back().home = at;
    if (home != homes_.end()) mine.back().tie = home->second.tie;
  }
  strands_.assign(std::move(mine));
  curves_ = {};
  if (description_.gravity_compensation > 0 || compensation_ >= 0) compensate_gravity();
  Communicator& communicator = strands_.domain().communicator();
  const std::int64_t resampled = communicator.sum(resampled_), held = communicator.sum(held_);
  if (resampled > 0 && communicator.root())
    log::warn(fmt::format("{}: {} strands have coincident vertices; these were spread evenly along the strand", path(),
                          resampled));
  if (held > 0 && communicator.root())
    log::warn(fmt::format("{}: {} strands have no length; they stay where their root is", path(), held));
}

// As StrandSystem::assign() would with all of them.
void CurvesObject::keep_blocks() {
  std::vector<std::int64_t> ids(curves_.strand_count());
  std::iota(ids.begin(), ids.end(), 0);
  const auto vertices = [&](std::int64_t id) {
    return curves_.first[static_cast<std::size_t>(id) + 1] - curves_.first[static_cast<std::size_t>(id)];
  };
  std::stable_sort(ids.begin(), ids.end(), [&](std::int64_t a, std::int64_t b) { return vertices(a) > vertices(b); });
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const std::int64_t leader = ids[k - k % StrandSystem::lanes];
    const Vec3d root = curves_.positions[static_cast<std::size_t>(curves_.first[static_cast<std::size_t>(leader)])];
    set_home(ids[k], root, static_cast<std::int64_t>(k / StrandSystem::lanes));
  }
  blocks_kept_ = true;
}

std::int64_t CurvesObject::order_of(int block) const { return blocks_kept_ ? strands_.group(block).tie : block; }

void CurvesObject::compensate_gravity() {
  strands_.save();
  std::vector<PointForce> steady;
  std::copy_if(forces_.begin(), forces_.end(), std::back_inserter(steady),
               [](const PointForce& f) { return f.steady; });
  std::vector<Compensation> results(static_cast<std::size_t>(strands_.group_count()));
  parallel_for(strands_.group_count(), [&](std::ptrdiff_t g) {
    StrandNewton newton(strands_, channels_);
    InverseDynamics inverse(newton, steady, constraints_);
    const int group = static_cast<int>(g);
    std::vector<Real> share(static_cast<std::size_t>(strands_.group(group).vertices),
                            Real::all(description_.gravity_compensation));
    if (compensation_ >= 0)
      for (std::size_t i = 0; i < share.size(); ++i)
        for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
          const int count = strands_.group(group).count[static_cast<std::size_t>(lane)];
          const Real* values = strands_.plane(group, compensation_);
          share[i].set(lane, count > 0 ? values[std::min(static_cast<int>(i), count - 1)][lane] : 0);
        }
    results[static_cast<std::size_t>(g)] = inverse.compensate(group, share);
  });
  Communicator& communicator = strands_.domain().communicator();
  std::int64_t stiffened = 0, unstable = 0;
  double most = 1, left = 0;
  for (const Compensation& r : results) {
    stiffened += r.stiffened;
    unstable += r.unstable;
    most = std::max(most, r.largest_factor);
    left = std::max(left, r.residual);
  }
  stiffened = communicator.sum(stiffened);
  unstable = communicator.sum(unstable);
  most = communicator.max(most);
  left = communicator.max(left);
  if (!communicator.root()) return;
  log::info(fmt::format(
      "{}: rest shapes hold the groom against gravity to {:.1e} of a vertex's weight; {} strands stiffened, "
      "up to {:.3g} times",
      path(), left, stiffened, most));
  if (unstable > 0)
    log::warn(fmt::format("{}: {} strands cannot stand as groomed however stiff; they will sag", path(), unstable));
}

void CurvesObject::schedule(Timeline& timeline) {
  const auto own = [&](Stage stage, std::string what, std::vector<std::string> reads, std::vector<std::string> writes,
                       std::function<void(const Step&)> run) {
    timeline.add(
        {stage, group(), Role::object, path(), std::move(what), std::move(reads), std::move(writes), std::move(run)});
  };
  const auto action = [&](Stage stage, const std::string& owner, const std::string& what) {
    timeline.add(
        {stage, group(), Role::action, owner, what + " on " + path(), {"position", "m1"}, {"force", "matrix"}, {}});
  };
  own(Stage::ingest, "take the strands of the input", {}, {"*"}, [this](const Step&) { ingest(); });
  if (root_motion_.pose)
    own(Stage::boundary_motion, "roots follow " + root_motion_.owner, {}, {"root"},
        [this](const Step& step) { place_roots(step); });
  own(Stage::detection, "what constraints need before the substep", {"position"}, {},
      [this](const Step& step) { prepare(step); });
  for (const PointForce& force : forces_) action(Stage::solid_forces, force.owner, force.what);
  for (const auto& constraint : constraints_) action(Stage::solid_constraints, constraint->owner(), constraint->what());
  own(Stage::solid_solve, "backward Euler, Newton with a band matrix per strand", {"position", "velocity", "m1"},
      {"position", "velocity", "m1", "twist"}, [this](const Step& step) { advance(step); });
}

void CurvesObject::prepare(const Step& step) {
  for (const auto& constraint : constraints_) constraint->prepare(step.time + step.dt, step.dt);
}

std::vector<SolidObject::Seat> CurvesObject::seat(std::span<const std::int64_t> pieces) {
  std::vector<Seat> seats(pieces.size());
  for (int g = 0; g < strands_.group_count(); ++g)
    for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
      const std::int64_t id = strands_.group(g).id[static_cast<std::size_t>(lane)];
      const auto at = std::lower_bound(pieces.begin(), pieces.end(), id);
      if (at != pieces.end() && *at == id) seats[static_cast<std::size_t>(at - pieces.begin())] = {g, lane};
    }
  return seats;
}

std::unique_ptr<SolidBlock> CurvesObject::make_block(int block) { return std::make_unique<StrandBlock>(*this, block); }

void CurvesObject::place_roots(const Step& step) {
  if (root_motion_.prepare) root_motion_.prepare(step.time, step.time + step.dt);
}

RootPose CurvesObject::root_pose(int group, double time) const {
  RootPose pose{};
  const StrandSystem::Group& g = strands_.group(group);
  for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
    const std::int64_t id = g.id[static_cast<std::size_t>(lane)];
    RootFrame frame{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    if (id >= 0) frame = root_motion_.pose(id, time);
    for (int k = 0; k < 3; ++k) {
      pose.root[k].set(lane, frame.position[k]);
      pose.tangent[k].set(lane, frame.tangent[k]);
      pose.m1[k].set(lane, frame.m1[k]);
    }
  }
  return pose;
}

void CurvesObject::take_contacts(std::span<LoneContact> contacts, double tolerance) {
  contacts_ = contacts;
  contact_tolerance_ = tolerance;
  first_contact_.assign(static_cast<std::size_t>(strands_.group_count()) + 1, 0);
  for (const LoneContact& c : contacts) ++first_contact_[static_cast<std::size_t>(c.block) + 1];
  std::partial_sum(first_contact_.begin(), first_contact_.end(), first_contact_.begin());
}

void CurvesObject::advance(const Step& step) {
  if (step.iteration > 0 && !every_iteration_) return;  // solved to the end in the first iteration
  std::vector<StrandReport> reports(static_cast<std::size_t>(strands_.group_count()));
  while (solvers_.size() < static_cast<std::size_t>(threads()))
    solvers_.push_back(std::make_unique<StrandNewton>(strands_, channels_));
  StrandRetry::RootsAt roots_at;
  if (root_motion_.pose) roots_at = [this](int group, double time) { return root_pose(group, time); };
  parallel_for(strands_.group_count(), [&](std::ptrdiff_t g) {
    StrandNewton& newton = *solvers_[static_cast<std::size_t>(thread_index())];
    const int group = static_cast<int>(g);
    if (in_cluster(group)) return;
    if (step.iteration > 0) strands_.rollback(group);
    std::span<LoneContact> touching;
    if (!contacts_.empty()) {
      const std::size_t first = first_contact_[static_cast<std::size_t>(g)];
      touching = contacts_.subspan(first, first_contact_[static_cast<std::size_t>(g) + 1] - first);
    }
    newton.touch(touching, step.time, step.dt, contact_tolerance_);
    StrandRetry strands(strands_, channels_, newton, roots_at, forces_, constraints_, description_.newton);
    reports[static_cast<std::size_t>(g)] = strands.advance(group, step.time, step.dt);
  });
  note(reports, step);
}

void CurvesObject::note(const std::vector<StrandReport>& reports, const Step& step) {
  report_ = {};
  if (step.iteration == 0) solves_ = {};
  // What an earlier pass left above the tolerance has been solved again.
  solves_.unconverged = 0;
  solves_.residual = 0;
  solves_.worst.clear();
  last_dt_ = step.dt;
  bool failed = false;
  for (std::size_t g = 0; g < reports.size(); ++g) {
    const StrandReport& r = reports[g];
    newton_iterations_ += r.lane_iterations;
    most_iterations_ = std::max(most_iterations_, r.iterations);
    report_.iterations = std::max(report_.iterations, r.iterations);
    weakened_ += r.weakened;
    local_halvings_ += r.retried;
    unconverged_ += r.unconverged;
    solves_.iterations += r.lane_iterations;
    solves_.retries += r.retried;
    solves_.unconverged += r.unconverged;
    if (!r.converged && !failed) {
      report_.worst_object = path();
      for (std::size_t lane = 0; lane < r.failed.size(); ++lane)
        if (r.failed[lane])
          report_.worst_object = fmt::format("{}, strand {}", path(), strands_.group(static_cast<int>(g)).id[lane]);
    }
    failed = failed || !r.converged;
    if (!(r.residual <= report_.residual)) report_.residual = r.residual;
    for (std::size_t lane = 0; lane < r.lane_residual.size(); ++lane)
      if (r.lane_residual[lane] >= description_.newton.tolerance && r.lane_residual[lane] > solves_.residual) {
        solves_.residual = r.lane_residual[lane];
        solves_.worst = fmt::format("strand {}", strands_.group(static_cast<int>(g)).id[lane]);
      }
  }
  if (!contacts_.empty()) note_contacts(reports);
  solves_.residual = std::max(solves_.residual, report_.residual);
  strand_steps_ += strands_.strand_count();
  solves_.solves += strands_.strand_count();
  report_.status = failed ? SolveReport::Status::failed : SolveReport::Status::converged;
}

void CurvesObject::note_contacts(const std::vector<StrandReport>& reports) {
  solves_.contacts_found = static_cast<std::int64_t>(contacts_.size());
  solves_.contacts = std::count_if(contacts_.begin(), contacts_.end(), [](const LoneContact& c) {
    return c.force != Vec3d{0, 0, 0};
  });
  for (const StrandReport& r : reports) solves_.contact_iterations += r.contact_iterations;
}

ObjectReport CurvesObject::report() const {
  ObjectReport report = solves_;
  struct Extremes {
    double speed = 0, move = 0, stretch = 0;
  };
  std::vector<Extremes> extremes(static_cast<std::size_t>(strands_.group_count()));
  parallel_for(strands_.group_count(), [&](std::ptrdiff_t g) {
    const int group = static_cast<int>(g), n = strands_.group(group).vertices;
    const Real *x[3], *v[3], *rest = strands_.plane(group, channels_.rest_length);
    for (int k = 0; k < 3; ++k) {
      x[k] = strands_.plane(group, channels_.position + k);
      v[k] = strands_.plane(group, channels_.velocity + k);
    }
    Real fastest = Real::all(0), total = Real::all(0), edges = Real::all(0), strain = Real::all(0), count;
    for (int lane = 0; lane < StrandSystem::lanes; ++lane)
      count.set(lane, strands_.group(group).count[static_cast<std::size_t>(lane)]);
    for (int i = 1; i < n; ++i) {
      fastest = max(v[0][i] * v[0][i] + v[1][i] * v[1][i] + v[2][i] * v[2][i], fastest);
      if (i + 1 == n) break;
      const auto exists = (Real::all(i) < count - 1.0) & (rest[i] > 0.0);
      const Real ex = x[0][i + 1] - x[0][i], ey = x[1][i + 1] - x[1][i], ez = x[2][i + 1] - x[2][i];
      const Real ratio = sqrt(ex * ex + ey * ey + ez * ez) / select(exists, rest[i], 1.0);
      strain = max(select(exists, abs(ratio - 1.0), 0.0), strain);
      total += select(exists, rest[i], 0.0);
      edges += select(exists, Real::all(1), 0.0);
    }
    Extremes& e = extremes[static_cast<std::size_t>(g)];
    for (int lane = 0; lane < StrandSystem::lanes; ++lane) {
      const double speed = std::sqrt(fastest[lane]);
      e.speed = std::max(e.speed, speed);
      e.stretch = std::max(e.stretch, strain[lane]);
      if (edges[lane] > 0) e.move = std::max(e.move, speed * last_dt_ * edges[lane] / total[lane]);
    }
  });
  for (const Extremes& e : extremes) {
    report.speed = std::max(report.speed, e.speed);
    report.courant = std::max(report.courant, e.move);
    report.stretch = std::max(report.stretch, e.stretch);
  }
  for (const auto& constraint : constraints_)
    report.penetration = std::max(report.penetration, constraint->penetration());
  return report;
}

std::optional<std::string> CurvesObject::non_finite() const {
  const std::string* name = strands_.non_finite_channel();
  return name != nullptr ? std::optional(*name) : std::nullopt;
}

void CurvesObject::weigh(std::vector<BucketKey>& keys, std::vector<double>& weights) const {
  if (strands_.keeper() >= 0) return;
  std::map<BucketKey, double> work;
  for (int g = 0; g < strands_.group_count(); ++g)
    for (int lane = 0; lane < StrandSystem::lanes; ++lane)
      if (strands_.group(g).id[static_cast<std::size_t>(lane)] >= 0)
        work[strands_.bucket_of(g, lane)] += strands_.group(g).count[static_cast<std::size_t>(lane)];
  for (const auto& [key, weight] : work) {
    keys.push_back(key);
    weights.push_back(weight);
  }
}

Box CurvesObject::extent() const {
  Box box;
  for (int g = 0; g < strands_.group_count(); ++g)
    for (std::size_t lane = 0; lane < StrandSystem::lanes; ++lane)
      if (strands_.group(g).id[lane] >= 0) box.include(strands_.group(g).home[lane]);
  return box;
}

}  // namespace ymir
