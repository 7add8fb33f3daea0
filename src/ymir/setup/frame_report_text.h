// A frame's report as the JSON that the cache keeps beside the frame. Readers (`ymir info --stats`) parse it
// themselves: keys may be added, never renamed, while ymir_report stays 1.
#pragma once

#include <string>

#include "ymir/pipeline/frame_report.h"

namespace ymir {

std::string to_json_text(const FrameReport& report);

}  // namespace ymir
