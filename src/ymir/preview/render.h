// Pictures of scenes. Deterministic: the same bytes for any thread count.
#pragma once

#include <cstddef>

#include "ymir/preview/image.h"
#include "ymir/preview/scene.h"

namespace ymir {

enum class RenderBackend { automatic, embree, raster };  // automatic: Embree where Ymir was built with it

struct RenderOptions {
  int width = 960;
  int height = 540;
  int samples = 12;  // per pixel where there is detail; fewer, at least 4, elsewhere
  int threads = 0;   // 0: as many as threads() says
  RenderBackend backend = RenderBackend::automatic;
};

struct RenderReport {
  std::size_t skipped = 0;  // elements left out: non-finite values or broken indices
};

bool embree_available();

// Throws Error(usage) when a size is out of range or the backend is not built in.
LinearImage render_linear(const PreviewScene&, const RenderOptions& = {}, RenderReport* = nullptr);
Image render(const PreviewScene&, const RenderOptions& = {}, RenderReport* = nullptr);

}  // namespace ymir
