#include "ymir/cache/formats/usda_clips.h"

#include <fmt/format.h>

namespace ymir {

std::filesystem::path UsdaClips::file_of(std::int64_t frame) const {
  return root_.parent_path() / fmt::format("{}.{:04}.usda", root_.stem().string(), frame);
}

std::filesystem::path UsdaClips::manifest_file() const {
  return root_.parent_path() / (root_.stem().string() + ".manifest.usda");
}

std::string UsdaClips::metadata() const {
  std::string assets, active, times;
  for (std::size_t i = 0; i < frames_.size(); ++i) {
    const char* comma = i > 0 ? ", " : "";
    assets += fmt::format("{}@./{}@", comma, file_of(frames_[i]).filename().string());
    active += fmt::format("{}({}, {})", comma, frames_[i], i);
    times += fmt::format("{}({}, {})", comma, frames_[i], frames_[i]);
  }
  return fmt::format(
      " (\n    clips = {{\n        dictionary default = {{\n            double2[] active = [{}]\n"
      "            asset[] assetPaths = [{}]\n            asset manifestAssetPath = @./{}@\n"
      "            string primPath = \"/World\"\n            double2[] times = [{}]\n        }}\n    }}\n)",
      active, assets, manifest_file().filename().string(), times);
}

}  // namespace ymir
