#include "vdb_io.h"

#include <fmt/format.h>
#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointCount.h>
#include <tbb/global_control.h>
#include <ext/stdio_filebuf.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "ymir/base/error.h"
#include "ymir/cache/formats/bounded_reader.h"

namespace ymir {
namespace {

using openvdb::Coord;
constexpr int side = VolumeGrid::block_side;

[[noreturn]] void refuse(const std::string& grid, const std::string& what) {
  throw Error(ExitCode::bad_input, fmt::format("grid {}: {}", printable(grid), what));
}

float component(float v, int) { return v; }
float component(const openvdb::Vec3f& v, int c) { return v[c]; }

// Uniform scale and translation; anything else has no place in VolumeGrid.
void read_transform(const openvdb::GridBase& grid, VolumeGrid& out) {
  const auto affine = grid.transform().isLinear() ? grid.transform().baseMap()->getAffineMap() : nullptr;
  if (!affine) refuse(out.name, "its voxels lie in a frustum; resample it to a uniform grid");
  const openvdb::Mat4d m = affine->getMat4();
  const double tolerance = 1e-6 * std::abs(m(0, 0));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (!(std::abs(m(i, j) - (i == j ? m(0, 0) : 0)) <= tolerance))
        refuse(out.name, "its voxels are rotated, sheared or not cubes; resample it to a uniform grid");
  out.voxel = m(0, 0);
  out.origin = {m(3, 0), m(3, 1), m(3, 2)};
}

// Blocks of one grid, counted against the limit before they are stored.
template <class Grid>
class BlockReader {
 public:
  using Value = typename Grid::ValueType;
  BlockReader(const Grid& grid, VolumeGrid& out, std::uint64_t& budget) : grid_(grid), out_(out), budget_(budget) {}

  void read() {
    for (auto leaf = grid_.tree().cbeginLeaf(); leaf; ++leaf) {
      spend(1);
      add_block(leaf->origin());
      for (int i = 0; i < 512; ++i) {
        // OpenVDB runs along z first, VolumeGrid along x.
        const auto& value = leaf->getValue(static_cast<openvdb::Index>((i % 8) * 64 + (i / 8 % 8) * 8 + i / 64));
        for (int c = 0; c < out_.components; ++c) out_.values.push_back(component(value, c));
      }
    }
    auto tile = grid_.tree().cbeginValueAll();
    tile.setMaxDepth(tile.getLeafDepth() - 1);
    for (; tile; ++tile)
      if (tile.isValueOn() || *tile != grid_.background()) add_tile(tile.getBoundingBox(), *tile);
    sort();
  }

 private:
  void spend(std::uint64_t blocks) {
    const std::uint64_t bytes = out_.values_per_block() * sizeof(float);
    if (blocks > budget_ / bytes)
      refuse(out_.name, "has more voxels than fit into the memory allowed; crop or coarsen it");
    budget_ -= blocks * bytes;
  }
  void add_block(const Coord& origin) { out_.blocks.push_back({origin.x() >> 3, origin.y() >> 3, origin.z() >> 3}); }
  void add_tile(const openvdb::CoordBBox& box, const Value& value) {
    spend(box.volume() / VolumeGrid::block_voxels);
    for (std::int64_t z = box.min().z(); z <= box.max().z(); z += side)
      for (std::int64_t y = box.min().y(); y <= box.max().y(); y += side)
        for (std::int64_t x = box.min().x(); x <= box.max().x(); x += side) {
          add_block(Coord(static_cast<int>(x), static_cast<int>(y), static_cast<int>(z)));
          for (std::size_t i = 0; i < VolumeGrid::block_voxels; ++i)
            for (int c = 0; c < out_.components; ++c) out_.values.push_back(component(value, c));
        }
  }
  void sort() {
    std::vector<std::size_t> order(out_.blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      const Vec3i& p = out_.blocks[a];
      const Vec3i& q = out_.blocks[b];
      return std::tie(p.z, p.y, p.x) < std::tie(q.z, q.y, q.x);
    });
    VolumeGrid sorted;
    const std::size_t stride = out_.values_per_block();
    sorted.values.reserve(out_.values.size());
    for (const std::size_t b : order) {
      sorted.blocks.push_back(out_.blocks[b]);
      const auto begin = out_.values.begin() + static_cast<std::ptrdiff_t>(b * stride);
      sorted.values.insert(sorted.values.end(), begin, begin + static_cast<std::ptrdiff_t>(stride));
    }
    out_.blocks = std::move(sorted.blocks);
    out_.values = std::move(sorted.values);
  }

  const Grid& grid_;
  VolumeGrid& out_;
  std::uint64_t& budget_;
};

template <class Grid>
VolumeGrid read_volume(const Grid& grid, std::uint64_t& budget) {
  VolumeGrid out;
  out.name = grid.getName();
  out.components = std::is_same_v<Grid, openvdb::FloatGrid> ? 1 : 3;
  out.staggered = grid.getGridClass() == openvdb::GRID_STAGGERED;
  for (int c = 0; c < out.components; ++c)
    out.background[static_cast<std::size_t>(c)] = component(grid.background(), c);
  read_transform(grid, out);
  BlockReader<Grid>(grid, out, budget).read();
  return out;
}

template <class Stored, class T>
void read_attribute(const openvdb::points::PointDataTree& tree, const std::string& name, std::size_t count,
                    Points& points) {
  std::vector<T> values;
  values.reserve(count);
  for (auto leaf = tree.cbeginLeaf(); leaf; ++leaf) {
    const openvdb::points::AttributeHandle<Stored> handle(leaf->constAttributeArray(name));
    for (auto i = leaf->beginIndexOn(); i; ++i) {
      const Stored v = handle.get(*i);
      if constexpr (std::is_same_v<T, Vec3f>) {
        values.push_back({v[0], v[1], v[2]});
      } else {
        values.push_back(static_cast<T>(v));
      }
    }
  }
  // An attribute missing from some leaf throws in constAttributeArray; a short one cannot be indexed.
  points.vertices.set(name, Array::of(values));
}

NamedPoints read_points(const openvdb::points::PointDataGrid& grid, std::uint64_t& budget) {
  NamedPoints out;
  out.name = grid.getName();
  const auto& tree = grid.tree();
  const std::uint64_t count = openvdb::points::pointCount(tree);
  if (count > budget / 64) refuse(out.name, "has more points than fit into the memory allowed; thin them out");
  budget -= count * 64;
  out.points.positions.reserve(count);
  for (auto leaf = tree.cbeginLeaf(); leaf; ++leaf) {
    const openvdb::points::AttributeHandle<openvdb::Vec3f> position(leaf->constAttributeArray("P"));
    for (auto i = leaf->beginIndexOn(); i; ++i) {
      const openvdb::Vec3d p = grid.indexToWorld(openvdb::Vec3d(position.get(*i)) + i.getCoord().asVec3d());
      out.points.positions.push_back({p.x(), p.y(), p.z()});
    }
  }
  const std::size_t found = out.points.positions.size();
  out.points.vertices.resize(found);
  const auto first = tree.cbeginLeaf();
  if (!first) return out;
  const auto& descriptor = first->attributeSet().descriptor();
  for (const auto& [name, index] : descriptor.map()) {
    const std::string type = descriptor.valueType(index);
    if (name == "P" || first->constAttributeArray(index).stride() != 1) continue;
    if (type == "float") read_attribute<float, float>(tree, name, found, out.points);
    if (type == "double") read_attribute<double, double>(tree, name, found, out.points);
    if (type == "vec3s") read_attribute<openvdb::Vec3f, Vec3f>(tree, name, found, out.points);
    if (type == "int32") read_attribute<std::int32_t, std::int32_t>(tree, name, found, out.points);
    if (type == "int64" && name == "id") read_attribute<std::int64_t, std::uint64_t>(tree, name, found, out.points);
    if (type == "int64" && name != "id") read_attribute<std::int64_t, std::int64_t>(tree, name, found, out.points);
  }
  return out;
}

template <class Grid>
openvdb::GridBase::Ptr make_volume(const VolumeGrid& in, bool half) {
  using Value = typename Grid::ValueType;
  const auto value = [&](const float* v) {
    if constexpr (std::is_same_v<Value, float>) {
      return v[0];
    } else {
      return openvdb::Vec3f(v[0], v[1], v[2]);
    }
  };
  const Value background = value(in.background.data());
  auto grid = Grid::create(background);
  grid->setName(in.name);
  openvdb::Mat4d matrix = openvdb::Mat4d::identity();
  for (int i = 0; i < 3; ++i) {
    matrix(i, i) = in.voxel;
    matrix(3, i) = in.origin[i];
  }
  grid->setTransform(openvdb::math::Transform::createLinearTransform(matrix));
  grid->setGridClass(in.staggered         ? openvdb::GRID_STAGGERED
                     : in.components == 1 ? openvdb::GRID_FOG_VOLUME
                                          : openvdb::GRID_UNKNOWN);
  if (in.components == 3) grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);  // velocities turn with the grid
  grid->setSaveFloatAsHalf(half);
  const float* next = in.values.data();
  for (const Vec3i& b : in.blocks) {
    auto* leaf = grid->tree().touchLeaf(Coord(b.x * side, b.y * side, b.z * side));
    for (int i = 0; i < 512; ++i, next += in.components) {
      const auto offset = static_cast<openvdb::Index>((i % 8) * 64 + (i / 8 % 8) * 8 + i / 64);
      const Value v = value(next);
      v == background ? leaf->setValueOff(offset, v) : leaf->setValueOn(offset, v);
    }
  }
  return grid;
}

template <class T, class Stored>
void write_attribute(openvdb::points::PointDataGrid& grid, openvdb::tools::PointIndexGrid& index,
                     const std::string& name, const Array& array) {
  std::vector<Stored> values;
  values.reserve(array.count());
  for (const T& v : array.as<T>()) {
    if constexpr (std::is_same_v<T, Vec3f>) {
      values.emplace_back(v.x, v.y, v.z);
    } else {
      values.push_back(static_cast<Stored>(v));
    }
  }
  using namespace openvdb::points;
  appendAttribute<Stored>(grid.tree(), name);
  populateAttribute(grid.tree(), index.tree(), name, PointAttributeVector<Stored>(values));
}

openvdb::GridBase::Ptr make_points(const NamedPoints& in) {
  using namespace openvdb::points;
  std::vector<openvdb::Vec3d> positions;
  positions.reserve(in.points.positions.size());
  for (const Vec3d& p : in.points.positions) positions.emplace_back(p.x, p.y, p.z);
  const PointAttributeVector<openvdb::Vec3d> wrapped(positions);
  constexpr std::uint32_t points_per_voxel = 8;
  const float voxel = positions.empty() ? 1.0f : computeVoxelSize(wrapped, points_per_voxel);
  const auto transform = openvdb::math::Transform::createLinearTransform(voxel);
  const auto index = openvdb::tools::createPointIndexGrid<openvdb::tools::PointIndexGrid>(wrapped, *transform);
  auto grid = createPointDataGrid<NullCodec, PointDataGrid>(*index, wrapped, *transform);
  grid->setName(in.name);
  for (const auto& [name, array] : in.points.vertices.all()) {
    if (name == "P") refuse(in.name, "a channel named P would hide the positions; rename it");
    if (array.holds<float>()) write_attribute<float, float>(*grid, *index, name, array);
    if (array.holds<double>()) write_attribute<double, double>(*grid, *index, name, array);
    if (array.holds<Vec3f>()) write_attribute<Vec3f, openvdb::Vec3f>(*grid, *index, name, array);
    if (array.holds<std::int32_t>()) write_attribute<std::int32_t, std::int32_t>(*grid, *index, name, array);
    if (array.holds<std::int64_t>()) write_attribute<std::int64_t, std::int64_t>(*grid, *index, name, array);
    if (array.holds<std::uint64_t>()) write_attribute<std::uint64_t, std::int64_t>(*grid, *index, name, array);
  }
  return grid;
}

// With the places of grids in the file, as openvdb::io::File writes it, so that readers can take one grid of many.
class SeekableArchive final : public openvdb::io::Archive {
 public:
  Ptr copy() const override { return std::make_shared<SeekableArchive>(*this); }
  void save(std::ostream& stream, const openvdb::GridCPtrVec& grids, const openvdb::MetaMap& metadata) const {
    write(stream, grids, /*seekable=*/true, metadata);
  }
};

}  // namespace

void start_openvdb() {
  // Threads could not be started later; one is also what makes every run of a file alike.
  static const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  openvdb::initialize();
}

VdbContents load_vdb(int file, std::uint64_t limit_bytes) {
  __gnu_cxx::stdio_filebuf<char> buffer(file, std::ios::in | std::ios::binary);
  std::istream stream(&buffer);
  VdbContents contents;
  openvdb::io::Stream archive(stream, /*delayLoad=*/false);
  const auto grids = archive.getGrids();
  for (const auto& grid : *grids) {
    if (!grid) continue;
    if (const auto scalar = openvdb::gridPtrCast<openvdb::FloatGrid>(grid)) {
      contents.volumes.push_back(read_volume(*scalar, limit_bytes));
    } else if (const auto vector = openvdb::gridPtrCast<openvdb::Vec3SGrid>(grid)) {
      contents.volumes.push_back(read_volume(*vector, limit_bytes));
    } else if (const auto points = openvdb::gridPtrCast<openvdb::points::PointDataGrid>(grid)) {
      contents.points.push_back(read_points(*points, limit_bytes));
    } else {
      contents.skipped.push_back(grid->getName() + " (" + grid->valueType() + ")");
    }
  }
  return contents;
}

void save_vdb(int file, const VdbContents& contents) {
  openvdb::GridCPtrVec grids;
  for (const VolumeGrid& grid : contents.volumes)
    grids.push_back(grid.components == 1 ? make_volume<openvdb::FloatGrid>(grid, contents.half)
                                         : make_volume<openvdb::Vec3SGrid>(grid, contents.half));
  for (const NamedPoints& points : contents.points) grids.push_back(make_points(points));
  openvdb::MetaMap metadata;
  metadata.insertMeta("creator", openvdb::StringMetadata("ymir"));
  __gnu_cxx::stdio_filebuf<char> buffer(file, std::ios::out | std::ios::binary);
  std::ostream stream(&buffer);
  SeekableArchive().save(stream, grids, metadata);
  if (!stream.flush()) throw Error(ExitCode::io, "cannot be written; check the free space of its disk");
}

}  // namespace ymir
