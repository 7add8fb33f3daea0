// Geometry for the format tests.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "frame_samples.h"
#include "ymir/base/error.h"
#include "ymir/data/meshes.h"

namespace ymir::format_samples {

inline std::size_t files_in(const TestFolder& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

inline void write_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

// The call must throw a user error whose message has every part.
template <class Call>
void expect_refusal(Call&& call, std::initializer_list<std::string_view> parts, ExitCode code = ExitCode::bad_input) {
  try {
    call();
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    for (const std::string_view part : parts)
      EXPECT_NE(std::string_view(error.what()).find(part), std::string_view::npos)
          << error.what() << "\nlacks: " << part;
  }
}

// Strands of 3, 1 and 2 vertices whose coordinates are exact in 32 bits.
inline Curves sample_curves() {
  Curves curves;
  curves.first = {0, 3, 4, 6};
  for (int i = 0; i < 6; ++i) curves.positions.push_back({0.5 * i, 0.25 * i * i, -1.0 * i});
  curves.vertices.resize(6);
  curves.edges.resize(curves.edge_count());
  curves.strands.resize(3);
  return curves;
}

inline Surface sample_tetrahedron() {
  Surface surface;
  surface.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  surface.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  surface.vertices.resize(4);
  surface.faces.resize(4);
  return surface;
}

inline Points sample_points() {
  Points points;
  points.positions = {{0, 0, 0}, {1.5, -2, 0.25}, {3, 4, 5}};
  points.vertices.resize(3);
  const std::vector<float> radius{0.1f, 0.2f, 0.3f};
  const std::vector<Vec3f> velocity{{1, 2, 3}, {-4, 5, 6}, {0, 0, 0.125f}};
  const std::vector<std::uint64_t> id{7, 0, 4'000'000'000};
  const std::vector<std::int32_t> part{-3, 2, 1};
  const std::vector<double> weight{0.1, 1e-300, 3};
  points.vertices.set("radius", Array::of(radius));
  points.vertices.set("velocity", Array::of(velocity));
  points.vertices.set("id", Array::of(id));
  points.vertices.set("part", Array::of(part));
  points.vertices.set("weight", Array::of(weight));
  return points;
}

inline void expect_same(const Channels& a, const Channels& b) {
  ASSERT_EQ(a.all().size(), b.all().size());
  for (const auto& [name, array] : a.all()) {
    const Array* other = b.find(name);
    ASSERT_NE(other, nullptr) << name;
    EXPECT_EQ(array.type(), other->type()) << name;
    EXPECT_EQ(array.components(), other->components()) << name;
    EXPECT_EQ(array.bytes(), other->bytes()) << name;
  }
}

// Real grooms are not part of the repository; tests that use them skip without them.
inline std::filesystem::path groom(const char* name) {
  return std::filesystem::path(YMIR_SOURCE_DIR) / "../shared/data/grooms" / name;
}

}  // namespace ymir::format_samples
