// Solids without thickness in a gas: a sheet closes the faces between cells whose centres lie on its two sides. The
// gas sees it within half a voxel of where it is. [method notes C, 11]
//
// On which side of a triangle a centre lies depends on that centre alone, never on the pair that is asked about, so no
// chain of cells leads through a sheet however it is tilted. A centre on the sheet itself belongs to one side: all
// centres are shifted by a millionth of a voxel, not along any axis or diagonal.
#pragma once

#include <functional>
#include <span>

#include "ymir/data/meshes.h"
#include "ymir/fluid/gas_grid.h"
#include "ymir/math/rigid_motion.h"
#include "ymir/physics/contact/solid_motion.h"

namespace ymir {

struct GasSheet {
  Surface surface;
  std::function<RigidTransform(double time)> pose{};  // empty: still
};

// Closes faces (open = 0, solid_velocity that of the sheet) and fills grid.sheets; after solids. `motions` of each
// sheet over the substep.
void close_sheets(GasGrid& grid, std::span<const GasSheet> sheets, std::span<const MovingSolid> motions);

}  // namespace ymir
