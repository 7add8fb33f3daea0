#include "ymir/objects/particle_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ymir/base/check.h"
#include "ymir/base/error.h"
#include "ymir/data/particle_accessor.h"
#include "ymir/parallel/threads.h"
#include "ymir/physics/particles/point_midpoint.h"
#include "ymir/physics/particles/point_newton.h"

namespace ymir {
namespace {

constexpr int contact_passes = 3;
constexpr int max_local_iterations = 50;
constexpr double local_tolerance = 1e-13;  // relative error of a velocity
// Middles of a step: at most so many, fewer when velocities there change by less than this fraction.
constexpr int max_middles = 8;
constexpr double middle_tolerance = 1e-4;
constexpr double negligible_speed = 1e-9;  // below it changes do not matter [m/s]

// Ids: the source in the high bits (0: points of a file), the number of the birth in the low ones.
constexpr std::uint64_t id_of(std::size_t source, std::int64_t i) {
  return static_cast<std::uint64_t>(source) << 44 | static_cast<std::uint64_t>(i);
}

void copy_vectors(int n, ConstVec3Planes from, Vec3Planes to) {
  std::copy_n(from.x, n, to.x);
  std::copy_n(from.y, n, to.y);
  std::copy_n(from.z, n, to.z);
}

// Largest |b - a| / |b|; NaN if any is.
double largest_change(int n, ConstVec3Planes a, ConstVec3Planes b) {
  double most = 0;
  for (int i = 0; i < n; ++i) {
    const Vec3d to{b.x[i], b.y[i], b.z[i]};
    const double change = norm(to - Vec3d{a.x[i], a.y[i], a.z[i]}) / (norm(to) + negligible_speed);
    most = change <= most ? most : change;
  }
  return most;
}

template <class To, class From>
Array converted(const Array& array) {
  const auto in = array.as<From>();
  std::vector<To> out;
  out.reserve(in.size());
  for (const From& value : in) out.push_back(static_cast<To>(value));
  return Array::of(out);
}

}  // namespace

// Planes for one thread's bucket at a time; grown, never shrunk: 9 of force and derivative, 9 of the part that does not
// depend on the velocity, 3 per force for its samples, 9 for the middle of a step.
struct ParticleObject::Scratch {
  static constexpr std::size_t fixed = 9, sampled = 18;
  std::vector<double> memory;
  int capacity = 0;

  void fit(int count, std::size_t planes) {
    capacity = std::max(capacity, (count + 15) / 16 * 16);
    if (capacity % 128 == 0) capacity += 16;  // as in Chunk: planes must not share cache sets
    if (memory.size() < planes * static_cast<std::size_t>(capacity))
      memory.resize(planes * static_cast<std::size_t>(capacity));
  }
  double* plane(std::size_t i) { return memory.data() + i * static_cast<std::size_t>(capacity); }
  Planes<Vec3d>::Type vector(std::size_t first) { return {plane(first), plane(first + 1), plane(first + 2)}; }
  ForceBlock forces(std::size_t first) {
    return {
        vector(first),
        {plane(first + 3), plane(first + 4), plane(first + 5), plane(first + 6), plane(first + 7), plane(first + 8)}};
  }
};

ParticleObject::ParticleObject(std::string path, int group, GridDomain& domain, const Description& description)
    : Object(std::move(path), group), description_(description), particles_(domain) {
  velocity_ = particles_.add_channel<Vec3d>("velocity");
  id_ = particles_.add_channel<std::uint64_t>("id");
  age_ = particles_.add_channel<double>("age");
  radius_ = particles_.add_channel<double>("radius");
  mass_ = particles_.add_channel<double>("mass");
}

double ParticleObject::mass_of(double radius, double density) const {
  return 4.0 / 3.0 * M_PI * radius * radius * radius * density;
}

void ParticleObject::add_points(const Points& points) {
  YMIR_CHECK(initial_.empty());
  initial_.emplace_back("position", Array::of(points.positions));
  const std::size_t n = points.positions.size();
  std::vector<double> radius(n, description_.radius), density(n, description_.density);
  for (const auto& [name, array] : points.vertices.all()) {
    Array values;
    if (array.holds<float>())
      values = converted<double, float>(array);
    else if (array.holds<Vec3f>())
      values = converted<Vec3d, Vec3f>(array);
    else if (array.holds<double>() || array.holds<Vec3d>())
      values = array;
    else
      continue;
    if (name == "radius" && values.holds<double>())
      radius.assign(values.as<double>().begin(), values.as<double>().end());
    else if (name == "density" && values.holds<double>())
      density.assign(values.as<double>().begin(), values.as<double>().end());
    else if (name == "velocity" && values.holds<Vec3d>())
      initial_.emplace_back(name, std::move(values));
    else if (!particles_.find_channel(name)) {
      if (values.holds<double>())
        particles_.add_channel<double>(name);
      else
        particles_.add_channel<Vec3d>(name);
      initial_.emplace_back(name, std::move(values));
    }
  }
  const auto refuse_unless_positive = [&](const char* name, const std::vector<double>& values) {
    for (std::size_t i = 0; i < n; ++i)
      if (!(values[i] > 0) || !std::isfinite(values[i]))
        throw Error(ExitCode::bad_input,
                    fmt::format("{}: point {}: the {} is {}; give a positive one", path(), i, name, values[i]));
  };
  refuse_unless_positive("radius", radius);
  refuse_unless_positive("density", density);
  std::vector<double> mass(n);
  for (std::size_t i = 0; i < n; ++i) mass[i] = mass_of(radius[i], density[i]);
  std::vector<std::uint64_t> ids(n);
  for (std::size_t i = 0; i < n; ++i) ids[i] = id_of(0, static_cast<std::int64_t>(i));
  initial_.emplace_back("radius", Array::of(radius));
  initial_.emplace_back("mass", Array::of(mass));
  initial_.emplace_back("id", Array::of(ids));
}

PointField<Vec3d> ParticleObject::vector_field(std::string_view name) const {
  const auto channel = override_channel<Vec3d>(name);
  if (!channel) return {};
  return [this, channel](const PointBlock& block) {
    const auto all = particles_.read(*channel, block.bucket);
    return Planes<const Vec3d>::Type{all.x + block.first, all.y + block.first, all.z + block.first};
  };
}

PointField<double> ParticleObject::scalar_field(std::string_view name) {
  const auto channel = override_channel<double>(name);
  if (!channel) return {};
  return [this, channel](const PointBlock& block) { return particles_.read(*channel, block.bucket) + block.first; };
}

const Array* ParticleObject::input_channel(std::string_view name) const {
  for (const auto& [own, array] : initial_)
    if (own == name) return &array;
  return nullptr;
}

std::span<const Vec3d> ParticleObject::input_positions() const {
  return initial_.empty() ? std::span<const Vec3d>() : initial_[0].second.as<Vec3d>();
}

double ParticleObject::largest_radius() const {
  double largest = sources_.empty() ? 0 : description_.radius * (1 + description_.radius_variation);
  if (const Array* radii = input_channel("radius"))
    for (const double r : radii->as<double>()) largest = std::max(largest, r);
  return largest;
}

void ParticleObject::visit_points(const std::function<void(const PointBlock&)>& visit) const {
  for (int b = 0; b < particles_.buckets().local_count(); ++b)
    visit({&particles_, b, particles_.count(b), 0, 0, particles_.read(ParticleSystem::position, b),
           particles_.read(velocity_, b), particles_.read(mass_, b), particles_.read(radius_, b)});
}

int ParticleObject::add_memory(const std::string& name) {
  std::string unused = name;
  for (int i = 2; particles_.find_channel(unused); ++i) unused = name + std::to_string(i);
  return particles_.add_channel<Vec3d>(unused).index;
}

void ParticleObject::recall(int memory, std::vector<Vec3d>& values) const {
  for (int b = 0; b < particles_.buckets().local_count(); ++b) {
    const auto from = particles_.read(ParticleChannel<Vec3d>{memory}, b);
    for (int i = 0; i < particles_.count(b); ++i) values.push_back(from[i]);
  }
}

void ParticleObject::remember(int memory, std::span<const Vec3d> values) {
  std::vector<std::size_t> first(static_cast<std::size_t>(particles_.buckets().local_count()) + 1, 0);
  for (std::size_t b = 0; b + 1 < first.size(); ++b)
    first[b + 1] = first[b] + static_cast<std::size_t>(particles_.count(static_cast<int>(b)));
  auto out = write(particles_, ParticleChannel<Vec3d>{memory});
  for_each_bucket(particles_.buckets(), out, [&](int b) {
    const auto to = out(b);
    for (int i = 0; i < particles_.count(b); ++i) {
      const Vec3d v = values[first[static_cast<std::size_t>(b)] + static_cast<std::size_t>(i)];
      to.x[i] = v.x, to.y[i] = v.y, to.z[i] = v.z;
    }
  });
}

void ParticleObject::ingest() {
  born_.assign(sources_.size(), 0);
  // Rank 0 holds the file's points; append sends them to their owners.
  const bool mine = particles_.domain().communicator().root() && !initial_.empty();
  ParticleBatch batch = particles_.make_batch(mine ? initial_[0].second.count() : 0);
  if (mine)
    for (auto& [name, array] : initial_)
      batch[static_cast<std::size_t>(*particles_.find_channel(name))] = std::move(array);
  initial_.clear();
  particles_.append(batch);
}

void ParticleObject::schedule(Timeline& timeline) {
  const auto own = [&](Stage stage, std::string what, std::vector<std::string> reads, std::vector<std::string> writes,
                       std::function<void(const Step&)> run) {
    timeline.add(
        {stage, group(), Role::object, path(), std::move(what), std::move(reads), std::move(writes), std::move(run)});
  };
  const auto action = [&](Stage stage, const std::string& owner, const std::string& what,
                          std::vector<std::string> reads, std::vector<std::string> writes) {
    timeline.add(
        {stage, group(), Role::action, owner, what + " on " + path(), std::move(reads), std::move(writes), {}});
  };
  own(Stage::ingest, "take the points of the input", {}, {"*"}, [this](const Step&) { ingest(); });
  own(Stage::substep_begin, "fix the state to advance", {"position", "velocity"}, {},
      [this](const Step&) { begin_substep(); });
  for (const PointForce& force : forces_)
    action(Stage::solid_forces, force.owner, force.what, {"position", "velocity"}, {"force", "derivative"});
  // One pass over memory does what forces, solve and update would do in three: points do not depend on each other.
  own(Stage::solid_update, "implicit midpoint, 3x3 blocks per point; motion", {"position", "velocity", "mass", "force"},
      {"position", "velocity"}, [this](const Step& step) { advance(step); });
  for (const PointContact& contact : contacts_)
    action(Stage::solid_update, contact.owner, contact.what, {"position", "velocity", "radius"},
           {"position", "velocity"});
  own(Stage::advection, "points grow older", {"age"}, {"age"}, [this](const Step& step) { grow_older(step); });
  if (!sources_.empty())
    own(Stage::emission, "points born in the substep", {}, {"*"}, [this](const Step& step) { emit(step); });
  if (!removals_.empty())
    own(Stage::removal, "drop dead points", {"position", "age"}, {"*"}, [this](const Step& step) { remove(step); });
  for (const PointRemoval& removal : removals_)
    action(Stage::removal, removal.owner, removal.what, {"position", "age"}, {});
  own(Stage::rebucketing, "points to their buckets", {"position"}, {"*"}, [this](const Step&) { rebucket(); });
}

PointBlock ParticleObject::block_at(const Step& step, int bucket, Planes<const Vec3d>::Type velocity,
                                    const double* mass) const {
  return {&particles_,
          bucket,
          particles_.count(bucket),
          step.time + step.dt,
          step.dt,
          ParticleSystem::read(*begin_, ParticleSystem::position, bucket),
          velocity,
          mass,
          particles_.read(radius_, bucket)};
}

double ParticleObject::solve_bucket(const PointBlock& block, Planes<const Vec3d>::Type start, Planes<Vec3d>::Type v,
                                    Scratch& scratch) const {
  constexpr std::size_t fixed = Scratch::fixed, sampled = Scratch::sampled;
  const int n = block.count;
  Dependence strongest = Dependence::none;
  for (std::size_t p = fixed; p < sampled; ++p) std::fill_n(scratch.plane(p), n, 0.0);
  for (std::size_t k = 0; k < forces_.size(); ++k) {
    const auto samples = scratch.vector(sampled + 3 * k);
    if (forces_[k].sample) forces_[k].sample(block, samples);
    strongest = std::max(strongest, forces_[k].on_velocity);
    if (forces_[k].on_velocity == Dependence::none) forces_[k].accumulate(block, samples, scratch.forces(fixed));
  }
  const ForceBlock out = scratch.forces(0);
  for (int iteration = 0; iteration < max_local_iterations; ++iteration) {
    for (std::size_t p = 0; p < fixed; ++p) std::copy_n(scratch.plane(fixed + p), n, scratch.plane(p));
    for (std::size_t k = 0; k < forces_.size(); ++k)
      if (forces_[k].on_velocity != Dependence::none)
        forces_[k].accumulate(block, scratch.vector(sampled + 3 * k), out);
    const double change = newton_step(n, block.dt, negligible_speed, block.mass, start, out.force, out.derivative, v);
    // One iteration is exact for forces linear in the velocity. Otherwise convergence is quadratic: what is left after
    // a change is of the order of its square.
    if (strongest != Dependence::nonlinear || change * change <= local_tolerance) return 0;
    if (std::isnan(change)) return change;
  }
  return 1;
}

// The middle of the step by fixed-point iteration: where the point is there decides what the fields do to it.
double ParticleObject::solve_middle(const PointBlock& from, Planes<Vec3d>::Type v, Planes<Vec3d>::Type middle,
                                    Scratch& scratch) const {
  const int n = from.count;
  PointBlock block = from;
  block.dt = 0.5 * from.dt;
  block.time = from.time - block.dt;
  block.velocity = middle;
  const std::size_t first = Scratch::sampled + 3 * forces_.size();
  const auto position = scratch.vector(first), before = scratch.vector(first + 3);
  block.position = position;
  copy_vectors(n, from.velocity, middle);
  const bool fields = std::any_of(forces_.begin(), forces_.end(), [](const PointForce& f) { return bool(f.sample); });
  double residual = 0;
  for (int iteration = 0; iteration < max_middles; ++iteration) {
    middle_positions(n, from.dt, from.position, middle, position);
    copy_vectors(n, middle, before);
    residual = solve_bucket(block, from.velocity, middle, scratch);
    if (!fields) break;  // nothing depends on where the middle is
    // The first middle is a guess from the velocity before; the second makes the step second order.
    if (!(residual <= local_tolerance) || (iteration > 0 && largest_change(n, before, middle) <= middle_tolerance))
      break;
  }
  end_velocities(n, from.dt, from.mass, from.velocity, middle, scratch.forces(0).derivative, v);
  return residual;
}

void ParticleObject::begin_substep() {
  begin_ = particles_.state();
  number_points();
  groups_.clear();
  taken_.clear();
}

void ParticleObject::advance(const Step& step) {
  last_dt_ = step.dt;
  std::vector<double> residual(static_cast<std::size_t>(particles_.buckets().local_count()));
  auto x = write(particles_, ParticleSystem::position);
  auto v = write(particles_, velocity_);
  for_each_bucket(particles_.buckets(), x, v, [&](int bucket) {
    thread_local Scratch scratch;
    const int n = particles_.count(bucket);
    scratch.fit(n, Scratch::sampled + 3 * forces_.size() + 9);
    const auto velocity = v(bucket);
    const auto start = ParticleSystem::read(*begin_, velocity_, bucket);
    const double* mass = particles_.read(mass_, bucket);
    const PointBlock from = block_at(step, bucket, start, mass);
    double& left = residual[static_cast<std::size_t>(bucket)];
    // Exchange with a gas is counted by the backward Euler step: there fields are sampled where points are.
    if (!coupled_to_gas_) {
      const auto middle = scratch.vector(Scratch::sampled + 3 * forces_.size() + 6);
      left = solve_middle(from, velocity, middle, scratch);
      take_velocities(bucket, velocity);
      take_velocities(bucket, middle);
      move(from, middle, x(bucket), velocity);
    } else {
      copy_vectors(n, start, velocity);
      left = solve_bucket(block_at(step, bucket, velocity, mass), start, velocity, scratch);
      take_velocities(bucket, velocity);
      move(from, velocity, x(bucket), velocity);
    }
    take_positions(from, x(bucket), velocity);
  });
  report_.residual = 0;
  for (const double r : residual) report_.residual = r <= report_.residual ? report_.residual : r;  // NaN wins
  report_.status =
      report_.residual <= local_tolerance ? SolveReport::Status::converged : SolveReport::Status::iterating;
  report_.worst_object = path();
}

void ParticleObject::move(const PointBlock& from, Planes<const Vec3d>::Type mean, Planes<Vec3d>::Type x,
                          Planes<Vec3d>::Type v) const {
  const double dt = from.dt;
#pragma omp simd
  for (int i = 0; i < from.count; ++i) {
    x.x[i] = from.position.x[i] + dt * mean.x[i];
    x.y[i] = from.position.y[i] + dt * mean.y[i];
    x.z[i] = from.position.z[i] + dt * mean.z[i];
  }
  // The response to one collider may push a point into another: repeat while several touch, at most contact_passes
  // times.
  for (int pass = 0; pass < contact_passes; ++pass) {
    int touching = 0;
    for (const PointContact& contact : contacts_) touching += contact.respond(from, x, v) ? 1 : 0;
    if (touching < 2) break;
  }
}

void ParticleObject::grow_older(const Step& step) {
  auto age = read_write(particles_, age_);
  for_each_bucket(particles_.buckets(), age, [&](int bucket) {
    double* values = age(bucket);
    for (int i = 0; i < particles_.count(bucket); ++i) values[i] += step.dt;
  });
}

void ParticleObject::emit(const Step& step) {
  const double now = step.time + step.dt;
  Communicator& communicator = particles_.domain().communicator();
  for (std::size_t s = 0; s < sources_.size(); ++s) {
    const std::int64_t first = born_[s], last = sources_[s].born_until(now);
    // Ranks take consecutive shares, so that arrivals come in the order of birth whatever their number.
    const auto share = [&](int rank) { return first + (last - first) * rank / communicator.size(); };
    const std::int64_t begin = share(communicator.rank()), end = share(communicator.rank() + 1);
    ParticleBatch batch = particles_.make_batch(static_cast<std::size_t>(end - begin));
    const auto position = batch[0].as<Vec3d>();
    const auto velocity = batch[static_cast<std::size_t>(velocity_.index)].as<Vec3d>();
    const auto id = batch[static_cast<std::size_t>(id_.index)].as<std::uint64_t>();
    const auto age = batch[static_cast<std::size_t>(age_.index)].as<double>();
    const auto radius = batch[static_cast<std::size_t>(radius_.index)].as<double>();
    const auto mass = batch[static_cast<std::size_t>(mass_.index)].as<double>();
    for (std::int64_t i = begin; i < end; ++i) {
      const auto k = static_cast<std::size_t>(i - begin);
      const PointSource::Birth birth = sources_[s].birth(i);
      age[k] = sources_[s].birth_time(i) - now;  // below 0: still to fly for so long
      position[k] = birth.position;
      velocity[k] = birth.velocity;
      id[k] = id_of(s + 1, i);
      radius[k] = description_.radius * (1 + description_.radius_variation * (2 * birth.chance - 1));
      mass[k] = mass_of(radius[k], description_.density);
    }
    born_[s] = last;
    if (last > first) ++version_;
    particles_.append(batch);
  }
  fly_newborn(now);
}

// Points born inside the substep move to its end, each by a step of its own. What a gas gives them they get from the
// next substep on: it was solved without them.
void ParticleObject::fly_newborn(double now) {
  auto x = read_write(particles_, ParticleSystem::position);
  auto v = read_write(particles_, velocity_);
  auto age = read_write(particles_, age_);
  for_each_bucket(particles_.buckets(), x, v, age, [&](int bucket) {
    thread_local Scratch scratch;
    scratch.fit(1, Scratch::sampled + 3 * forces_.size() + 12);
    const auto middle = scratch.vector(Scratch::sampled + 3 * forces_.size() + 6);
    const auto start = scratch.vector(Scratch::sampled + 3 * forces_.size() + 9);
    double* ages = age(bucket);
    for (int i = 0; i < particles_.count(bucket); ++i) {
      if (!(ages[i] < 0)) continue;
      ages[i] = -ages[i];
      const auto at = [i](Planes<Vec3d>::Type p) { return Planes<Vec3d>::Type{p.x + i, p.y + i, p.z + i}; };
      const auto position = at(x(bucket)), velocity = at(v(bucket));
      const Vec3d birth = position[0];
      double place[3] = {birth.x, birth.y, birth.z};
      start.set(0, velocity[0]);
      const PointBlock from{&particles_,
                            bucket,
                            1,
                            now,
                            ages[i],
                            {&place[0], &place[1], &place[2]},
                            start,
                            particles_.read(mass_, bucket) + i,
                            particles_.read(radius_, bucket) + i,
                            i};
      middle.set(0, velocity[0]);
      if (!coupled_to_gas_) solve_middle(from, velocity, middle, scratch);
      move(from, middle, position, velocity);
    }
  });
}

void ParticleObject::remove(const Step& step) {
  const std::int64_t before = particles_.local_count();
  particles_.remove([&](int bucket, std::span<std::uint8_t> dead) {
    // Births may have changed the buckets: the state at the beginning of the substep no longer matches them.
    const PointBlock block{&particles_,
                           bucket,
                           particles_.count(bucket),
                           step.time + step.dt,
                           step.dt,
                           particles_.read(ParticleSystem::position, bucket),
                           particles_.read(velocity_, bucket),
                           particles_.read(mass_, bucket),
                           particles_.read(radius_, bucket)};
    for (const PointRemoval& removal : removals_)
      removal.mark(block, particles_.read(age_, bucket), particles_.read(id_, bucket), dead);
  });
  if (particles_.local_count() != before) ++version_;
}

double ParticleObject::largest_speed() const {
  return std::sqrt(ordered_reduce(
      particles_.buckets().local_count(), 0.0,
      [&](std::ptrdiff_t b) {
        const auto v = particles_.read(velocity_, static_cast<int>(b));
        double most = 0;
        for (int i = 0; i < particles_.count(static_cast<int>(b)); ++i) most = std::max(most, dot(v[i], v[i]));
        return most;
      },
      [](double a, double b) { return std::max(a, b); }));
}

double ParticleObject::step_limit() const {
  const double speed = particles_.domain().communicator().max(largest_speed());
  return speed > 0 ? description_.courant_number * particles_.domain().bucket_size() / speed
                   : std::numeric_limits<double>::infinity();
}

ObjectReport ParticleObject::report() const {
  ObjectReport report;
  report.solves = 1;
  report.iterations = report_.iterations;
  report.residual = report_.residual;
  if (report_.status == SolveReport::Status::iterating) {
    report.unconverged = 1;
    report.worst = "velocities";
  }
  report.speed = largest_speed();
  report.courant = report.speed * last_dt_ / particles_.domain().bucket_size();
  return report;
}

void ParticleObject::save() { saved_ = {particles_.state(), born_}; }

void ParticleObject::rollback() {
  particles_.restore(saved_->particles);
  born_ = saved_->born;
  ++version_;
}

void ParticleObject::accept() {
  // Chunks are this object's alone again: rebucketing changes them in place.
  begin_.reset();
  saved_.reset();
}

void ParticleObject::unload_buckets() {
  unloaded_ = particles_.export_local();
  particles_.clear();
}

void ParticleObject::reload_buckets() {
  particles_.append(unloaded_);
  unloaded_.clear();
}

void ParticleObject::weigh(std::vector<BucketKey>& keys, std::vector<double>& weights) const {
  for (int b = 0; b < particles_.buckets().local_count(); ++b) {
    keys.push_back(particles_.buckets().key(b));
    weights.push_back(particles_.count(b));
  }
}

Box ParticleObject::extent() const {
  Box box;
  for (int b = 0; b < particles_.buckets().local_count(); ++b) {
    const auto x = particles_.read(ParticleSystem::position, b);
    for (int i = 0; i < particles_.count(b); ++i) box.include(x[i]);
  }
  return box;
}

}  // namespace ymir
