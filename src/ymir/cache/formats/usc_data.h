// USC .data strands (the USC-HairSalon database): i32 strand count, then per strand i32 n and n points of 3 f32.
//
// Roots without hair are stored as strands of one point; they are kept, so that strand numbers match other files made
// for the same roots. Coordinates come back as stored; the caller scales them.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "ymir/data/meshes.h"

namespace ymir {

Curves read_usc_data(std::span<const std::byte> bytes, const std::string& name);
Curves read_usc_data(const std::filesystem::path& path);
void write_usc_data(const std::filesystem::path& path, const Curves& curves);

}  // namespace ymir
