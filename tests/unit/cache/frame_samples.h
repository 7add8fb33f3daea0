// Frames and folders for the tests of the cache.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ymir/base/random.h"
#include "ymir/data/frame.h"

namespace ymir {

// A new folder, removed at the end of the test. In memory where possible: every file is synced, and disks are slow.
class TestFolder {
 public:
  TestFolder() {
    const std::filesystem::path memory = "/dev/shm";
    const bool usable = ::access(memory.c_str(), W_OK | X_OK) == 0;
    std::string pattern = ((usable ? memory : std::filesystem::temp_directory_path()) / "ymir-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

// Random bytes as numbers: NaNs and all, they must come back bit by bit.
inline Array random_array(ScalarType type, int components, std::size_t count, std::uint64_t seed) {
  Array array(type, components, count);
  Random random(seed, count);
  for (std::byte& b : array.bytes()) b = static_cast<std::byte>(random.bits());
  return array;
}

inline Frame sample_frame(std::int64_t number, std::size_t count = 20) {
  const auto seed = static_cast<std::uint64_t>(number);
  ObjectState points{.name = "Embers/points", .kind = "points", .channels = {}, .attributes = {}};
  points.channels["position"] = {Place::particle, random_array(ScalarType::f32, 3, count, seed), "m"};
  points.channels["id"] = {Place::particle, random_array(ScalarType::u64, 1, count, seed + 1)};
  points.attributes["emitted"] = std::int64_t{number};
  return {.number = number,
          .time = static_cast<double>(number) / 24,
          .hash = mix64(seed),
          .attributes = {{"substeps", std::int64_t{2}}},
          .objects = {points}};
}

inline void expect_same(const Frame& a, const Frame& b) {
  EXPECT_EQ(a.number, b.number);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.hash, b.hash);
  EXPECT_EQ(a.attributes, b.attributes);
  ASSERT_EQ(a.objects.size(), b.objects.size());
  for (std::size_t o = 0; o < a.objects.size(); ++o) {
    EXPECT_EQ(a.objects[o].name, b.objects[o].name);
    EXPECT_EQ(a.objects[o].kind, b.objects[o].kind);
    EXPECT_EQ(a.objects[o].attributes, b.objects[o].attributes);
    ASSERT_EQ(a.objects[o].channels.size(), b.objects[o].channels.size());
    for (const auto& [name, array] : a.objects[o].channels) {
      const auto other = b.objects[o].channels.find(name);
      ASSERT_NE(other, b.objects[o].channels.end()) << name;
      EXPECT_EQ(array.type(), other->second.type()) << name;
      EXPECT_EQ(array.components(), other->second.components()) << name;
      EXPECT_TRUE(array.bytes() == other->second.bytes()) << name;
      EXPECT_EQ(array.place, other->second.place) << name;
      EXPECT_EQ(array.unit, other->second.unit) << name;
    }
  }
}

}  // namespace ymir
