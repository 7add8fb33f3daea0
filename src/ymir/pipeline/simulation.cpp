#include "ymir/pipeline/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ymir/base/hash.h"
#include "ymir/base/log.h"
#include "ymir/base/timer.h"

namespace ymir {
namespace {

// Ranks are balanced again when the busiest has this much more than the mean.
constexpr double tolerated_imbalance = 1.15;

// Elements per bucket: below the first, buckets cost more than what they hold; above the second, they are too coarse to
// share among threads and fall out of the cache. A step of two in size is eight in content, so sizes do not swing.
constexpr double few_elements = 32, many_elements = 4096;
constexpr std::int64_t few_buckets = 512;
// What is smaller than this part of a bucket counts as one place.
constexpr double one_place = 1e-6;

// What find_trouble() says, whatever its numbers.
std::string without_numbers(std::string trouble) {
  std::erase_if(trouble, [](char c) { return std::string_view("0123456789.+-e").find(c) != std::string_view::npos; });
  return trouble;
}

}  // namespace

Simulation::Simulation(const TimeParams& time, double bucket_size, Communicator& communicator)
    : time_(time), domain_(bucket_size, 1, communicator) {}

std::int64_t Simulation::element_count() const {
  std::int64_t local = 0;
  for (const auto& object : objects_) local += object->element_count();
  return communicator().sum(local);
}

void Simulation::schedule() {
  for (const auto& object : objects_) object->schedule(timeline_);
  timeline_.add({Stage::balancing,
                 0,
                 Role::object,
                 "/",
                 "fit the size of buckets, share them among ranks",
                 {},
                 {},
                 [this](const Step&) {
                   fit_buckets();
                   balance();
                 }});
}

void Simulation::ingest() {
  schedule();
  timeline_.run(Loop::once, {});
  balance();
}

double Simulation::time_of(std::int64_t frame) const {
  return static_cast<double>(frame - time_.frames.first + 1) / time_.fps;
}

double Simulation::nominal_substep() const {
  const double frame = time_.frame_duration();
  if (!time_.adaptive) return frame / time_.substeps;
  double limit = frame / time_.substeps;
  for (const auto& object : objects_) limit = std::min(limit, object->step_limit());
  return std::max(limit, frame / time_.max_substeps);
}

void Simulation::advance_frame(std::int64_t number, const Report& report) {
  const Timer timer;
  begin_report(number);
  Step step;
  step.frame = number;
  const double begin = time_of(number - 1), end = time_of(number);
  // A checkpoint of a failed substep resumes inside the frame.
  step.time = now_ > begin && now_ < end ? now_ : begin;
  timeline_.run(Loop::frame_begin, step);
  while (step.time < end) {
    const double before = step.time;
    advance_substep(step, end - step.time);
    // The last substep ends on the frame exactly, whatever the rounding of the sum.
    now_ = step.time = end - (before + step.dt) < 1e-9 * time_.frame_duration() ? end : before + step.dt;
    ++step.substep;
    ++substeps_;
    note_substep();
    if (report)
      report({number, step.substep, (step.time - begin) / (end - begin), frame_report_.elements,
              frame_report_.unconverged()});
  }
  timeline_.run(Loop::frame_end, step);
  end_report(timer.seconds());
}

void Simulation::begin_report(std::int64_t frame) {
  frame_report_ = {};
  frame_report_.frame = frame;
  for (const auto& object : objects_) frame_report_.objects.push_back({object->path(), {}});
  timeline_.take_seconds();
}

void Simulation::note_substep() {
  ++frame_report_.substeps;
  frame_report_.elements = element_count();
  for (std::size_t i = 0; i < objects_.size(); ++i) frame_report_.objects[i].report.join(substep_reports_[i]);
}

void Simulation::end_report(double seconds) {
  frame_report_.seconds = seconds;
  frame_report_.stage = timeline_.take_seconds();
  frame_report_.peak_memory = communicator().max(peak_memory());
}

void Simulation::advance_substep(Step& step, double remaining) {
  for (const auto& object : objects_) object->save();
  // Equal substeps to the end of the frame, none longer than the nominal one.
  const double count = std::ceil(remaining / nominal_substep() * (1 - 1e-9));
  step.dt = remaining / std::max(1.0, count);
  std::string first;  // what was wrong with the whole substep; of a short one there may be less to say
  for (int halving = 0;; ++halving) {
    timeline_.run(Loop::substep_begin, step);
    const bool settled = newton(step);
    timeline_.run(Loop::substep_end, step);
    const std::string trouble = find_trouble();
    if (trouble.empty()) {
      if (!settled) ++frame_report_.cut_short;
      break;
    }
    for (const auto& object : objects_) object->rollback();
    if (halving == 0) first = trouble;
    if (halving == max_halvings)
      throw NumericalFailure(
          fmt::format("frame {}: {} at a substep of {:.3g} s, halved {} times{}; use more substeps, softer "
                      "forces or check the inputs",
                      step.frame, trouble, step.dt, max_halvings,
                      without_numbers(first) == without_numbers(trouble) ? "" : " (at first: " + first + ")"),
          step.frame);
    step.dt *= 0.5;
    ++halvings_;
    frame_report_.reason = trouble;
    // One line per frame; the report of the frame has the number.
    if (frame_report_.undone++ == 0 && communicator().root())
      log::warn(fmt::format("frame {}: {}; trying again with a substep of {:.3g} s", step.frame, trouble, step.dt));
  }
  for (const auto& object : objects_) object->accept();
  timeline_.run(Loop::settle, step);
}

// True: all objects have settled.
bool Simulation::newton(Step& step) {
  int least = 1;
  for (const auto& object : objects_) least = std::max(least, object->least_iterations());
  const int most = std::max(time_.newton_iterations, least);
  for (step.iteration = 0; step.iteration < most; ++step.iteration) {
    timeline_.run(Loop::newton, step);
    bool settled = true, failed = false;
    for (const auto& object : objects_) {
      const SolveReport::Status status = object->solve_report().status;
      settled = settled && status == SolveReport::Status::converged;
      failed = failed || status == SolveReport::Status::failed;
    }
    if (communicator().all(settled)) return true;
    // What all have been told by now and cannot be solved will be undone: another time changes nothing.
    if (step.iteration + 1 >= least && communicator().any(failed)) return false;
  }
  return false;
}

// What is wrong after a substep, the same text on every rank; empty when all is well.
std::string Simulation::find_trouble() {
  // The text of the first rank that has one.
  const auto first_text = [&](const std::string& mine) -> std::string {
    if (!communicator().any(!mine.empty())) return {};
    for (const Bytes& text : communicator().all_gather(std::as_bytes(std::span(mine))))
      if (!text.empty()) return {reinterpret_cast<const char*>(text.data()), text.size()};
    return {};
  };
  substep_reports_.assign(objects_.size(), {});
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const auto& object = objects_[i];
    const SolveReport report = object->solve_report();
    const bool failed = report.status == SolveReport::Status::failed;
    const std::string culprit = first_text(failed ? report.worst_object : std::string());
    if (const double residual = communicator().max(report.residual); !culprit.empty() && residual == 0) return culprit;
    if (!culprit.empty())
      return fmt::format("{}: the solve failed (residual {:.3g})", culprit, communicator().max(report.residual));
    const std::string quantity = first_text(object->non_finite().value_or(""));
    if (!quantity.empty()) return fmt::format("{}: {} is not finite", object->path(), quantity);
    substep_reports_[i] = joined(object->report(), communicator());
    if (std::string what = beyond_bounds(*object, substep_reports_[i]); !what.empty()) return what;
  }
  return {};
}

// A finite state may still be nonsense: what no substep can carry is treated like what is not finite.
std::string Simulation::beyond_bounds(const Object& object, const ObjectReport& report) const {
  if (report.speed > time_.largest_speed)
    return fmt::format("{}: moves at {:.3g} m/s, above largest_speed ({:g} m/s)", object.path(), report.speed,
                       time_.largest_speed);
  if (report.stretch > time_.largest_stretch)
    return fmt::format("{}: stretched {:.3g} times, above largest_stretch ({:g})", object.path(), report.stretch,
                       time_.largest_stretch);
  return {};
}

void Simulation::fit_buckets() {
  if (!std::all_of(objects_.begin(), objects_.end(), [](const auto& object) { return object->any_bucket_size(); }))
    return;
  std::vector<BucketKey> keys;
  std::vector<double> weights;
  for (const auto& object : objects_) object->weigh(keys, weights);
  const std::int64_t buckets = communicator().sum(static_cast<std::int64_t>(keys.size()));
  if (buckets == 0) return;
  // Only what lives in these buckets counts: voxels have a grid of their own.
  double local = 0;
  for (const double w : weights) local += w;
  const auto elements = static_cast<double>(communicator().sum(static_cast<std::int64_t>(local)));
  const double mean = elements / static_cast<double>(buckets);
  const double factor = mean < few_elements && buckets > few_buckets ? 2 : mean > many_elements ? 0.5 : 1;
  if (factor == 1 || (factor < 1 && domain_.bucket_size() <= least_bucket_size(elements))) return;
  for (const auto& object : objects_) object->unload_buckets();
  domain_.set_bucket_size(domain_.bucket_size() * factor);
  for (const auto& object : objects_) object->reload_buckets();
  log::debug(fmt::format("{:.0f} elements per bucket: edges are {:.3g} m now", mean, domain_.bucket_size()));
}

// Even points in a row are apart in buckets of this size; those that still are not lie in one place, and no smaller
// bucket would part them [m].
double Simulation::least_bucket_size(double elements) const {
  Box box;
  for (const auto& object : objects_) box.include(object->extent());
  double longest = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const double high = communicator().max(box.high[axis]), low = -communicator().max(-box.low[axis]);
    longest = std::max(longest, high - low);
  }
  const bool in_one_place = !(longest > one_place * domain_.bucket_size()) || !std::isfinite(longest);
  return in_one_place ? std::numeric_limits<double>::infinity() : longest * many_elements / elements;
}

void Simulation::balance() {
  if (communicator().size() == 1) return;
  std::vector<BucketKey> keys;
  std::vector<double> weights;
  for (const auto& object : objects_) object->weigh(keys, weights);
  double local = 0;
  for (const double w : weights) local += w;
  if (domain_.imbalance(local) <= tolerated_imbalance) return;
  domain_.rebalance(keys, weights);
  for (const auto& object : objects_) object->migrate();
}

std::uint64_t Simulation::hash() const {
  std::uint64_t h = 0;
  for (const auto& object : objects_) h = hash_combine(hash_combine(h, hash_text(object->path())), object->hash());
  return h;
}

Frame Simulation::frame(std::int64_t number) const {
  Frame result{number, time_of(number), hash(), {}, {}};
  for (const auto& object : objects_)
    if (ObjectState state = object->frame_state(); !state.channels.empty()) result.objects.push_back(std::move(state));
  return result;
}

Frame Simulation::checkpoint(std::int64_t number) const {
  Frame result{number, now_, hash(), {{"bucket_size", domain_.bucket_size()}}, {}};
  for (const auto& object : objects_) result.objects.push_back(object->checkpoint());
  return result;
}

void Simulation::restore(const Frame* whole) {
  // max: ranks other than 0 have no checkpoint and offer the start of the simulation.
  now_ = communicator().max(whole != nullptr ? whole->time : 0.0);
  double bucket_size = 0;
  if (whole != nullptr)
    if (const auto found = whole->attributes.find("bucket_size"); found != whole->attributes.end())
      if (const double* stored = std::get_if<double>(&found->second)) bucket_size = *stored;
  bucket_size = communicator().max(bucket_size);
  for (const auto& object : objects_) object->unload_buckets();
  if (bucket_size > 0 && std::isfinite(bucket_size)) domain_.set_bucket_size(bucket_size);
  for (const auto& object : objects_) {
    const ObjectState* state = nullptr;
    if (whole != nullptr) {
      const auto found = std::find_if(whole->objects.begin(), whole->objects.end(),
                                      [&](const ObjectState& s) { return s.name == object->path(); });
      if (found == whole->objects.end())
        throw Error(ExitCode::bad_input,
                    fmt::format("the checkpoint holds no object {}; start again in another folder", object->path()));
      state = &*found;
    }
    object->restore(state);
  }
  balance();
}

}  // namespace ymir
