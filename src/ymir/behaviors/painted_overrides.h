// Parameters painted on a texture: every strand takes the grey value at the texture coordinates of its root.
#pragma once

#include "ymir/data/meshes.h"
#include "ymir/param/references.h"

namespace ymir {

// Adds a channel per strand for each of the painted parameters that the file has no channel for. Texture coordinates of
// a root are those of the nearest point of `scalp` where the painting names a surface; else the channel `uv`, or `u`
// and `v`, of its strand or root vertex. v goes upwards; beyond 0 to 1 the picture repeats. Errors begin with `name`.
void add_painted(Curves& curves, const PaintedOverride& painted, const Surface* scalp, const std::string& name);

}  // namespace ymir
