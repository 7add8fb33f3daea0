// Triangle meshes of simple shapes; solids are closed and oriented outwards.
#pragma once

#include "ymir/data/meshes.h"

namespace ymir {

Surface sphere_mesh(Vec3d center, double radius, int rings);  // rings >= 3, twice as many segments around
// Upright: a cylinder between two half spheres, `length` in all >= 2 radius; `around` >= 6 points around, and triangles
// about as high as they are wide.
// A link of a chain about the axis z: round wire, `thickness` across [m], bent to a ring or, where width and length
// differ, to two half circles and straight sides; both are measured outside.
Surface ring_mesh(Vec3d center, double width, double length, double thickness, int around, int across);
Surface capsule_mesh(Vec3d center, double radius, double length, int around);
// Box with edges 2 * half_size along three orthonormal axes.
Surface box_mesh(Vec3d center, Vec3d half_size, Vec3d axis_x, Vec3d axis_y, Vec3d axis_z);
// Edges 2 * half_x and 2 * half_z along two orthonormal axes, facing axis_z x axis_x.
Surface rectangle_mesh(Vec3d center, double half_x, double half_z, Vec3d axis_x, Vec3d axis_z);

// Rectangle in the plane z = 0 of rows of triangles, shifted by half an edge from row to row, nearly equilateral; edges
// are about `edge` long. Faces +z.
Surface sheet_mesh(Vec3d center, double width, double height, double edge);

}  // namespace ymir
