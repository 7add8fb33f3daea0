// Makes the VDB files of this folder, which Ymir itself cannot write:
//   g++ -std=c++17 -w make.cpp -o /tmp/make -lopenvdb -ltbb -lImath-3_1 && /tmp/make
#include <openvdb/openvdb.h>
#include <openvdb/tools/LevelSetSphere.h>

#include <limits>

using openvdb::Coord;
using openvdb::CoordBBox;

void save(const std::string& name, openvdb::GridBase::Ptr grid) { openvdb::io::File(name).write({grid}); }

openvdb::FloatGrid::Ptr density(float background = 0) {
  auto grid = openvdb::FloatGrid::create(background);
  grid->setName("density");
  grid->setTransform(openvdb::math::Transform::createLinearTransform(0.5));
  return grid;
}

int main() {
  openvdb::initialize();

  auto tiles = density();
  tiles->tree().addTile(1, Coord(-8, 0, 16), 3, true);   // 8^3 voxels
  tiles->tree().addTile(2, Coord(128, 0, 0), 4, false);  // 128^3 voxels, inactive but not background
  tiles->tree().setValue(Coord(-1, -1, -1), 5);
  save("tiles.vdb", tiles);

  auto huge = density();
  huge->tree().addTile(3, Coord(0, 0, 0), 1, true);  // 4096^3 voxels
  save("huge_tile.vdb", huge);

  auto rotated = density();
  rotated->tree().setValue(Coord(0, 0, 0), 1);
  auto transform = openvdb::math::Transform::createLinearTransform(0.5);
  transform->postRotate(0.3, openvdb::math::Y_AXIS);
  rotated->setTransform(transform);
  save("rotated.vdb", rotated);

  auto nan = density();
  nan->tree().setValue(Coord(1, -2, 300), std::numeric_limits<float>::quiet_NaN());
  save("nan.vdb", nan);

  auto mask = openvdb::BoolGrid::create(false);
  mask->setName("inside");
  mask->tree().setValue(Coord(0, 0, 0), true);
  save("mask.vdb", mask);

  auto sphere = openvdb::tools::createLevelSetSphere<openvdb::FloatGrid>(14, openvdb::Vec3f(20, 20, 20), 1);
  sphere->setName("surface");
  sphere->setSaveFloatAsHalf(true);
  save("sphere.vdb", sphere);
}
