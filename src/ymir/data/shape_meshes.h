// Triangle meshes of simple shapes, closed and oriented outwards.
#pragma once

#include "ymir/data/meshes.h"

namespace ymir {

Surface sphere_mesh(Vec3d center, double radius, int rings);  // rings >= 3, twice as many segments around
// Box with edges 2 * half_size along three orthonormal axes.
Surface box_mesh(Vec3d center, Vec3d half_size, Vec3d axis_x, Vec3d axis_y, Vec3d axis_z);

}  // namespace ymir
