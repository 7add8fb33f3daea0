// What a cache was computed from, compared with what is to be computed now.
#pragma once

#include <optional>
#include <string>

#include "ymir/cache/manifest.h"

namespace ymir {

// Names as JSON gives them back, so that a path that is not UTF-8 still compares equal to itself.
CacheIdentity as_stored(const CacheIdentity& identity);
// Exactly what changed; empty when nothing did.
std::optional<std::string> difference(const CacheIdentity& then, const CacheIdentity& now);

}  // namespace ymir
