// The header of a PLY file: encoding, elements and their properties.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ymir/cache/formats/bounded_reader.h"

namespace ymir {

enum class PlyEncoding { ascii, binary_little_endian, binary_big_endian };
enum class PlyType { i8, u8, i16, u16, i32, u32, f32, f64 };

constexpr std::size_t size_of(PlyType type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<int>(type)];
}
constexpr bool is_integer(PlyType type) { return type < PlyType::f32; }
const char* name_of(PlyType type);  // as written in headers: char, uchar, ...
const char* name_of(PlyEncoding encoding);

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::f32;
  bool list = false;
  PlyType count_type = PlyType::u8;  // of a list
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;
};

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::ascii;
  std::vector<PlyElement> elements;

  const PlyElement* find(std::string_view name) const;
};

// Reads up to and including end_header; every element is known to have a property and no name occurs twice.
PlyHeader read_ply_header(BoundedReader& in);

}  // namespace ymir
