// Reference of behaviors and of the setup file, for the terminal and for docs/generated; made from the schemas alone.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "ymir/behaviors/registry.h"

namespace ymir {

std::string describe(const BehaviorType& type);
// Of `time`, `inputs` or `outputs`; "" for another name.
std::string describe_section(std::string_view name);
// Channels of the objects that behaviors make.
std::string describe_channels(const Registry& registry);
// One line per behavior, by category.
std::string describe_all(const Registry& registry);

// Markdown by file name: one page per behavior, index.md, setup_file.md, channels.md.
std::map<std::string, std::string> reference_pages(const Registry& registry);

}  // namespace ymir
