// Strands that do not converge in a substep, taken through it by themselves: others are not held up.
//
// A step that fails is halved, and each half again where it fails. In a storm, a wind that carries the strand farther
// in small steps than Newton's method converges from, damped Newton is tried before every halving, otherwise in the
// smallest step. What fails there goes through three fail-safes, each of which ends: Newton without geometric
// stiffness, whose matrix is always definite; the iterate as it is, when its residual is small and its edges have kept
// their lengths; and, last, the strand follows its root rigidly (a loose one flies on) for that part of the substep.
// The last two are counted, with their residuals. A wind that no step is small enough for ends there at once, and a
// strand under forces beyond all bounds fails.
#pragma once

#include <functional>

#include "ymir/objects/strand_newton.h"

namespace ymir {

class StrandRetry {
 public:
  // Where the roots of a group are at a time; empty: they stay.
  using RootsAt = std::function<RootPose(int group, double time)>;

  StrandRetry(StrandSystem& strands, const RodChannels& channels, StrandNewton& newton, RootsAt roots_at,
              StrandNewton::Forces forces, StrandNewton::Constraints constraints, const NewtonSettings& settings)
      : strands_(&strands),
        channels_(&channels),
        newton_(&newton),
        roots_at_(std::move(roots_at)),
        forces_(forces),
        constraints_(constraints),
        settings_(settings) {}

  // A whole substep of a group from its saved state.
  StrandReport advance(int group, double time, double dt);

 private:
  struct Part {
    int group, lane;
    double time, dt;  // begin and length [s]
  };
  StrandReport step(const Part& part, const NewtonSettings& settings, StrandNewton::Matrix matrix);
  void retry(const Part& part, StrandReport& total);
  bool damp(const Part& part, StrandReport& total);
  void halve(const Part& part, int depth, StrandReport& total);
  void take(const Part& part, StrandReport& total);
  void follow(const Part& part, StrandReport& total);
  void count(const StrandReport& part, StrandReport& total);
  double follow_root(const Part& part);
  bool believable(const Part& part) const;

  StrandSystem* strands_;
  const RodChannels* channels_;
  StrandNewton* newton_;
  RootsAt roots_at_;
  StrandNewton::Forces forces_;
  StrandNewton::Constraints constraints_;
  NewtonSettings settings_;
  bool in_storm_ = false;             // the strand at hand
  std::int64_t iterations_left_ = 0;  // of its budget
};

}  // namespace ymir
