#include "ymir/param/time_params.h"

namespace ymir {

Schema<TimeParams> TimeParams::schema() {
  return Schema<TimeParams>("time", "Frames, substeps and Newton iterations. Time is 0 as the first frame begins.")
      .param(&TimeParams::frames, "frames", "First and last frame, both simulated.")
      .range(0, 9'999'999)
      .param(&TimeParams::fps, "fps", unit::per_second, "Frames per second.")
      .range(1e-3, 1e6)
      .param(&TimeParams::substeps, "substeps", "Steps per frame; the least number of them when adaptive.")
      .range(1, 100'000)
      .param(
          &TimeParams::adaptive, "adaptive",
          "Takes more substeps where objects move fast: soft and rigid bodies by more than their size, cloth by more "
          "than four edges, particles and gas by more than their courant_number.")
      .param(&TimeParams::max_substeps, "max_substeps", "Most substeps of one frame.")
      .range(1, 100'000)
      .advanced()
      .only_when("adaptive", {"true"})
      .param(&TimeParams::newton_iterations, "newton_iterations",
             "Most Newton iterations of one substep; coupled objects finish their passes in any case.")
      .range(1, 1000)
      .advanced()
      .param(&TimeParams::largest_speed, "largest_speed", unit::m_per_s,
             "No object may move faster: a substep that ends with more is undone and halved, like one that is not "
             "finite. Raise it for meteors.")
      .range(1e-3, 1e8)
      .advanced()
      .param(&TimeParams::largest_stretch, "largest_stretch", unit::none,
             "No edge of an elastic object may be longer than its rest length by more than this many times; treated "
             "the same way.")
      .range(0.01, 1e6)
      .advanced();
}

}  // namespace ymir
