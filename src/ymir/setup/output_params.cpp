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
      .enumerated<PictureStyle>({{"daylight", PictureStyle::daylight}, {"glow", PictureStyle::glow}});
}

Schema<OutputParams> OutputParams::schema() {
  return Schema<OutputParams>("outputs", "What a run leaves behind; it does not change results.")
      .param(
          &OutputParams::cache, "cache",
          "Folder of the cache, relative to where the program runs; out/ and the name of the setup file if not given.")
      .param(&OutputParams::checkpoint_every, "checkpoint_every", "Frames from one checkpoint to the next.")
      .range(1, 1'000'000)
      .param(&OutputParams::preview, "preview", PreviewParams::schema(),
             "Pictures and a film, drawn when the simulation is done.");
}

}  // namespace ymir
