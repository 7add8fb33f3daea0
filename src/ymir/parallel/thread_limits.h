// What the system allows (ulimit -u, -v), asked by trying.
#pragma once

namespace ymir {

// How many threads, up to `wanted`, can live beside those there are.
int startable_threads(int wanted);

}  // namespace ymir
