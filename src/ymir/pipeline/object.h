// What every simulated Object owes the pipeline, whatever its representation.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/data/bucket.h"
#include "ymir/data/frame.h"
#include "ymir/math/box.h"
#include "ymir/pipeline/channel.h"
#include "ymir/pipeline/object_report.h"
#include "ymir/pipeline/solve_report.h"
#include "ymir/pipeline/timeline.h"

namespace ymir {

class Object {
 public:
  virtual ~Object() = default;

  const std::string& path() const { return path_; }  // Group/behavior, unique
  int group() const { return group_; }

  virtual void schedule(Timeline& timeline) = 0;
  virtual std::int64_t element_count() const = 0;  // on this rank: particles, voxels, ...

  // Longest substep this object accepts from its present state [s]; the same on every rank.
  virtual double step_limit() const { return std::numeric_limits<double>::infinity(); }
  // Newton iterations that a substep takes at least, whatever the setup allows: an exchange with other objects that is
  // left half done would not balance.
  virtual int least_iterations() const { return 1; }
  // How the last Newton iteration went.
  virtual SolveReport solve_report() const { return {}; }
  // How the last substep went on this rank, once it is complete.
  virtual ObjectReport report() const { return {}; }

  // State at the beginning of a substep, kept until the next save(), and the return to it.
  virtual void save() = 0;
  virtual void rollback() = 0;
  virtual void accept() {}  // the substep is good: the saved state may go
  // Name of a quantity that is not finite on this rank, if any.
  virtual std::optional<std::string> non_finite() const = 0;

  // What others may see of this object, the same on every rank, kept ones in the order they are hashed. Holds until the
  // object changes.
  virtual std::vector<Channel> channels() { return {}; }
  // What the shown channels make up (data/frame.h).
  virtual std::string_view frame_kind() const { return "state"; }
  // This rank's part of what a frame shows (single precision), and of everything a resumed run needs.
  virtual ObjectState frame_state() const;
  virtual ObjectState checkpoint() const;
  // From a whole checkpoint on rank 0 (nullptr elsewhere). Collective. As it is here, for objects that are whole on
  // rank 0.
  virtual void restore(const ObjectState* whole);
  // Of the whole state at full precision, independent of ranks and threads. Collective.
  virtual std::uint64_t hash() const = 0;

  // Work per local bucket, appended; and the move of buckets to new owners. migrate is collective.
  virtual void weigh(std::vector<BucketKey>& keys, std::vector<double>& weights) const = 0;
  virtual void migrate() = 0;
  // Whether the size of buckets is free; if so, it changes between unload (data leaves its buckets) and reload
  // (collective; data goes to the new ones, in the same order).
  virtual bool any_bucket_size() const { return true; }
  virtual void unload_buckets() {}
  virtual void reload_buckets() {}
  // Box around what weigh() counts on this rank: its buckets are not made smaller than what can divide it.
  virtual Box extent() const { return {}; }

 protected:
  Object(std::string path, int group) : path_(std::move(path)), group_(group) {}

  // Error(bad_input) when a kept channel is missing in a checkpoint, or of another type.
  void expect_kept(const ObjectState& whole) const;
  // Of the kept channels on this rank, one after the other.
  std::uint64_t hash_kept() const;

 private:
  std::vector<Channel> listed() const;

  std::string path_;
  int group_;
};

}  // namespace ymir
