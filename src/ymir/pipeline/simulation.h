// A simulation ready to run: objects, the timeline of their tasks, and the time loops frame > substep > Newton.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ymir/base/error.h"
#include "ymir/data/frame.h"
#include "ymir/data/grid_domain.h"
#include "ymir/param/time_params.h"
#include "ymir/pipeline/frame_report.h"
#include "ymir/pipeline/object.h"
#include "ymir/pipeline/timeline.h"

namespace ymir {

// A substep that no halving could save. The simulation is back at the beginning of that substep.
class NumericalFailure : public Error {
 public:
  NumericalFailure(const std::string& what, std::int64_t frame) : Error(ExitCode::numerical, what), frame_(frame) {}
  std::int64_t frame() const { return frame_; }

 private:
  std::int64_t frame_;
};

struct FrameProgress {
  std::int64_t frame = 0;
  int substep = 0;
  double fraction = 0;  // of the frame, 0 to 1
  std::int64_t elements = 0;
  std::int64_t unconverged = 0;  // solves of this frame accepted above their tolerance
};

class Simulation {
 public:
  // A substep may be halved this often before the simulation gives up.
  static constexpr int max_halvings = 8;

  Simulation(const TimeParams& time, double bucket_size, Communicator& communicator);

  GridDomain& domain() { return domain_; }
  Timeline& timeline() { return timeline_; }
  const TimeParams& time_params() const { return time_; }
  Communicator& communicator() const { return domain_.communicator(); }

  template <class T>
  T& add(std::unique_ptr<T> object) {
    T& added = *object;
    objects_.push_back(std::move(object));
    return added;
  }
  const std::vector<std::unique_ptr<Object>>& objects() const { return objects_; }
  std::int64_t element_count() const;  // all ranks; collective

  // Collects the tasks of all objects; once, when all of them are there.
  void schedule();
  // schedule() and the ingest stage. Collective.
  void ingest();
  // Advances from the end of frame `number` - 1 to the end of `number`. Collective; throws NumericalFailure on all
  // ranks.
  using Report = std::function<void(const FrameProgress&)>;
  void advance_frame(std::int64_t number, const Report& report = {});
  // How the last frame went; the same on every rank.
  const FrameReport& frame_report() const { return frame_report_; }

  // This rank's part of frame `number`, and of a checkpoint of the present moment, `number` being the last finished
  // frame. The hash is of all ranks. Collective.
  Frame frame(std::int64_t number) const;
  Frame checkpoint(std::int64_t number) const;
  // From a whole checkpoint on rank 0 (nullptr elsewhere). Collective.
  void restore(const Frame* checkpoint);
  std::uint64_t hash() const;  // collective

  // Since the beginning.
  std::int64_t halvings() const { return halvings_; }
  std::int64_t substeps() const { return substeps_; }

 private:
  double time_of(std::int64_t frame) const;
  double nominal_substep() const;
  void advance_substep(Step& step, double remaining);
  bool newton(Step& step);
  std::string find_trouble();
  std::string beyond_bounds(const Object& object, const ObjectReport& report) const;
  void begin_report(std::int64_t frame);
  void note_substep();
  void end_report(double seconds);
  void fit_buckets();
  double least_bucket_size(double elements) const;
  void balance();

  TimeParams time_;
  GridDomain domain_;
  Timeline timeline_;
  std::vector<std::unique_ptr<Object>> objects_;
  double now_ = 0;  // end of the last substep [s]
  std::int64_t halvings_ = 0;
  std::int64_t substeps_ = 0;
  std::vector<ObjectReport> substep_reports_;  // by object, of all ranks, of the substep at hand
  FrameReport frame_report_;
};

}  // namespace ymir
