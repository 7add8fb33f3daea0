// All hairs of a groom in every frame, carried by the strands that were simulated (grooms/hair_carrier.h). They are a
// function of the frame and of the initial state alone, and the velocity that of the frame before; a resumed run
// therefore leaves the same bits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ymir/data/frame.h"
#include "ymir/grooms/hair_carrier.h"
#include "ymir/pipeline/simulation.h"
#include "ymir/setup/solver_setup.h"

namespace ymir {

class CarriedHairs {
 public:
  // `initial`: a whole frame of the state at rest. `object` names the strands to follow by their path or by the group
  // they are in; empty: the only ones. Error(bad_input) when they are not there, or not clear.
  CarriedHairs(Curves groom, const Frame& initial, const std::string& object, int neighbours,
               const std::string& groom_name);

  const std::string& guides_name() const { return guides_name_; }
  const std::string& name() const { return name_; }  // of the object that frames get: hairs, beside the guides
  std::size_t strand_count() const { return carrier_.groom().strand_count(); }

  // The hairs of a whole frame. Their velocity is the mean one since the frame given last, or since the initial state.
  ObjectState hairs_of(const Frame& frame);
  // Makes `frame` the one before the next.
  void follow(const Frame& frame) { place(frame); }

 private:
  std::vector<Vec3f> place(const Frame& frame);

  std::string guides_name_, name_;
  HairCarrier carrier_;
  std::vector<float> radius_;
  std::vector<Vec3f> before_;  // positions in the frame before, as stored
  double time_before_ = 0;     // [s]
};

// The groom of outputs.hairs where it is no input, but a file beside the setup.
std::optional<InputSpec> groom_file(const SolverSetup& setup);
// What the setup asks for, at the initial state of its simulation. On one rank.
std::optional<CarriedHairs> hairs_of(const SolverSetup& setup, Simulation& simulation, const Frame& initial);

}  // namespace ymir
