#include "ymir/setup/output_params.h"

namespace ymir {

Schema<PreviewParams> PreviewParams::schema() {
  return Schema<PreviewParams>("preview", "Pictures and a film, drawn when the simulation is done.")
      .param(&PreviewParams::every, "every", "Frames from one picture to the next; 0 for none.")
      .range(0, 1'000'000)
      .param(&PreviewParams::width, "width", "Width in pixels.")
      .range(16, 16'384)
      .param(&PreviewParams::height, "height", "Height in pixels.")
      .range(16, 16'384)
      .param(&PreviewParams::style, "style", "Daylight, or points that glow in the dark.")
      .enumerated<PictureStyle>({{"daylight", PictureStyle::daylight}, {"glow", PictureStyle::glow}})
      .param(&PreviewParams::eye, "eye", unit::m, "Place of the camera; where it sees the whole shot if not given.")
      .param(&PreviewParams::target, "target", unit::m,
             "What the camera looks at; the middle of the shot if not given.")
      .param(&PreviewParams::fov, "fov", unit::radian, "Vertical angle that the picture shows; 32.2 deg if not given.")
      .range(0.0017, 2.97)
      .param(&PreviewParams::turn, "turn", unit::radian,
             "Angle by which the camera goes around its target, to its right, from the first frame to the last.");
}

Schema<HairsParams> HairsParams::schema() {
  return Schema<HairsParams>("hairs", "All hairs of a groom, carried by the simulated strands into every frame.")
      .param(&HairsParams::groom, "groom",
             "The hairs at rest: an input of curves, or a file relative to the setup file.")
      .required()
      .param(&HairsParams::group, "group", "Group of the strands to follow; the only ones when absent.")
      .param(&HairsParams::guides, "guides", "Strands that a hair follows.")
      .range(1, 64);
}

Schema<OutputParams> OutputParams::schema() {
  return Schema<OutputParams>("outputs", "What a run leaves behind; it does not change results.")
      .param(
          &OutputParams::cache, "cache",
          "Folder of the cache, relative to where the program runs; out/ and the name of the setup file if not given.")
      .param(&OutputParams::checkpoint_every, "checkpoint_every", "Frames from one checkpoint to the next.")
      .range(1, 1'000'000)
      .param(&OutputParams::preview, "preview", PreviewParams::schema(),
             "Pictures and a film, drawn when the simulation is done.")
      .param(&OutputParams::hairs, "hairs", HairsParams::schema(),
             "All hairs of a groom, carried by the simulated strands into every frame.");
}

}  // namespace ymir
