// Parameters painted on a texture: every strand takes the grey value at the texture coordinates of its root,
// every node of a solid that at its own or at those of the nearest point of a surface.
#pragma once

#include "ymir/data/solid_mesh.h"
#include "ymir/param/references.h"

namespace ymir {

// Adds a channel per strand for each of the painted parameters that the file has no channel for. Texture coordinates of
// a root are those of the nearest point of `scalp` where the painting names a surface; else the channel `uv`, or `u`
// and `v`, of its strand or root vertex. v goes upwards; beyond 0 to 1 the picture repeats. Errors begin with `name`.
void add_painted(Curves& curves, const PaintedOverride& painted, const Surface* scalp, const std::string& name);
// The same for the nodes of a solid, with `around` in the place of the scalp.
void add_painted(SolidMesh& mesh, const PaintedOverride& painted, const Surface* around, const std::string& name);

}  // namespace ymir
