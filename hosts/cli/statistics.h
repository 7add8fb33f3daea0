// `ymir info CACHE --stats`: how every frame of a cache went, from the reports beside the frames.
#pragma once

#include "ymir/cache/cache.h"

namespace ymir::cli {

void print_statistics(const Cache& cache, bool json);

}  // namespace ymir::cli
