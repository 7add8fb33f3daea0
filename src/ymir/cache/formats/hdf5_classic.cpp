#include "ymir/cache/formats/hdf5_classic.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <utility>

#include "ymir/base/error.h"

namespace ymir {
namespace {

constexpr std::string_view again = "the file is damaged: copy or export it again";
constexpr std::string_view repack = "convert it with `h5repack -l CONTI -f NONE OLD NEW`";
constexpr int most_messages = 1024, most_nodes = 65536, most_depth = 16;
constexpr std::uint16_t dataspace_message = 1, datatype_message = 3, layout_message = 8, filter_message = 11,
                        continuation_message = 16, group_message = 17;

}  // namespace

// Where the values of an array lie, and what they are.
struct Hdf5ClassicReader::Array {
  std::span<const std::byte> values;
  std::uint64_t count = 0;
  int kind = -1;  // 0 integer, 1 real, 3 text
  bool is_signed = false;
  std::uint32_t size = 0;  // bytes of a value
};

void Hdf5ClassicReader::fail(std::string_view place, std::string_view message) const {
  throw Error(ExitCode::bad_input, fmt::format("{}: {}: {}", name_, place, message));
}

std::span<const std::byte> Hdf5ClassicReader::at(std::uint64_t address, std::uint64_t count,
                                                 std::string_view place) const {
  if (address > bytes_.size() || count > bytes_.size() - address)
    fail(place, fmt::format("{} bytes at {} are beyond the end at {}; {}", count, address, bytes_.size(), again));
  return bytes_.subspan(static_cast<std::size_t>(address), static_cast<std::size_t>(count));
}

template <class T>
T Hdf5ClassicReader::value(std::uint64_t address, std::string_view place) const {
  T v;
  std::memcpy(&v, at(address, sizeof(T), place).data(), sizeof(T));
  return v;
}

Hdf5ClassicReader::Hdf5ClassicReader(std::span<const std::byte> bytes, std::string name)
    : bytes_(bytes), name_(std::move(name)) {
  constexpr unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  const std::string_view place = "superblock";
  if (bytes.size() < 8 || std::memcmp(bytes.data(), signature, 8) != 0) fail("byte 0", "this is no HDF5 file");
  const auto version = value<std::uint8_t>(8, place);
  if (version > 1)
    fail(place, fmt::format("version {} of HDF5's layout, but this program reads 0 and 1; {}", version, repack));
  if (value<std::uint8_t>(13, place) != 8 || value<std::uint8_t>(14, place) != 8)
    fail(place, fmt::format("addresses are not of 8 bytes; {}", repack));
  const std::uint64_t base = version == 0 ? 24 : 28;
  if (value<std::uint64_t>(base, place) != 0) fail(place, fmt::format("does not begin at byte 0; {}", repack));
  const auto end = value<std::uint64_t>(base + 16, place);
  if (end > bytes.size())
    fail(place, fmt::format("expected {} bytes, but the file has {}: it is truncated; copy or export it again", end,
                            bytes.size()));
  root_ = value<std::uint64_t>(base + 32 + 8, place);
}

// use(type, address, size) for every message of an object's header; true ends it.
template <class F>
void Hdf5ClassicReader::for_messages(std::uint64_t header, std::string_view place, F&& use) const {
  if (value<std::uint8_t>(header, place) != 1)
    fail(place, fmt::format("its header is of a newer kind, or {}; {}", again, repack));
  const auto count = value<std::uint16_t>(header + 2, place);
  std::uint64_t address = header + 16, left = value<std::uint32_t>(header + 8, place);
  std::uint64_t next = 0, next_left = 0;  // block that goes on
  for (int m = 0; m < std::min<int>(count, most_messages); ++m) {
    if (left < 8) {
      address = std::exchange(next, 0);
      left = std::exchange(next_left, 0);
      if (left < 8) return;
    }
    const auto type = value<std::uint16_t>(address, place);
    const auto size = value<std::uint16_t>(address + 2, place);
    if (size > left - 8) fail(place, fmt::format("a message of its header is too long; {}", again));
    at(address + 8, size, place);
    if (type == continuation_message) {
      if (size < 16) fail(place, fmt::format("a message of its header is too short; {}", again));
      next = value<std::uint64_t>(address + 8, place);
      next_left = value<std::uint64_t>(address + 16, place);
    } else if (use(type, address + 8, size)) {
      return;
    }
    address += 8 + std::uint64_t{size};
    left -= 8 + std::uint64_t{size};
  }
}

std::uint64_t Hdf5ClassicReader::find_in_node(std::uint64_t node, std::uint64_t heap, std::string_view link,
                                              std::string_view place, int depth, int& nodes) const {
  if (depth > most_depth || ++nodes > most_nodes) fail(place, fmt::format("its index goes in circles; {}", again));
  const auto magic = at(node, 8, place);
  const auto count = value<std::uint16_t>(node + 6, place);
  if (std::memcmp(magic.data(), "SNOD", 4) == 0) {
    for (std::uint64_t e = 0; e < count; ++e) {
      const std::uint64_t entry = node + 8 + 40 * e, name = heap + value<std::uint64_t>(entry, place);
      const auto text = at(name, link.size() + 1, place);
      if (std::memcmp(text.data(), link.data(), link.size()) == 0 && text[link.size()] == std::byte{0})
        return value<std::uint64_t>(entry + 8, place);
    }
    return 0;
  }
  if (std::memcmp(magic.data(), "TREE", 4) != 0 || magic[4] != std::byte{0})
    fail(place, fmt::format("its index is not one of names; {}", again));
  for (std::uint64_t e = 0; e < count; ++e) {
    const std::uint64_t child = value<std::uint64_t>(node + 24 + 8 + 16 * e, place);
    if (const std::uint64_t found = find_in_node(child, heap, link, place, depth + 1, nodes)) return found;
  }
  return 0;
}

std::uint64_t Hdf5ClassicReader::find_in_group(std::uint64_t header, std::string_view link,
                                               std::string_view place) const {
  std::uint64_t tree = 0, heap = 0;
  for_messages(header, place, [&](std::uint16_t type, std::uint64_t address, std::uint16_t size) {
    if (type != group_message || size < 16) return false;
    tree = value<std::uint64_t>(address, place);
    heap = value<std::uint64_t>(address + 8, place);
    return true;
  });
  if (tree == 0) return 0;
  if (std::memcmp(at(heap, 32, place).data(), "HEAP", 4) != 0) fail(place, fmt::format("has no names; {}", again));
  int nodes = 0;
  return find_in_node(tree, value<std::uint64_t>(heap + 24, place), link, place, 0, nodes);
}

std::uint64_t Hdf5ClassicReader::find(std::string_view path) const {
  std::uint64_t header = root_;
  std::size_t begin = 1;
  while (begin <= path.size()) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    header = find_in_group(header, path.substr(begin, end - begin), path.substr(0, end));
    if (header == 0) return 0;
    begin = end + 1;
  }
  return header;
}

bool Hdf5ClassicReader::has(std::string_view path) const { return find(path) != 0; }

Hdf5ClassicReader::Array Hdf5ClassicReader::array(const std::string& path) const {
  const std::uint64_t header = find(path);
  if (header == 0) fail(path, "is missing; this is not the kind of file expected, or it is incomplete");
  Array a;
  std::uint64_t data = 0, stored = 0;
  bool has_shape = false, has_data = false;
  for_messages(header, path, [&](std::uint16_t type, std::uint64_t address, std::uint16_t size) {
    if (type == dataspace_message) {
      const auto version = value<std::uint8_t>(address, path), rank = value<std::uint8_t>(address + 1, path);
      const std::uint64_t dimensions = address + (version == 1 ? 8 : 4);
      a.count = 1;
      for (std::uint64_t d = 0; d < rank; ++d) {
        const auto extent = value<std::uint64_t>(dimensions + 8 * d, path);
        if (extent > bytes_.size()) fail(path, fmt::format("{} values cannot be in this file; {}", extent, again));
        a.count *= extent;
        if (a.count > bytes_.size()) fail(path, fmt::format("more values than the file can hold; {}", again));
      }
      has_shape = true;
    } else if (type == datatype_message) {
      const auto kind = value<std::uint8_t>(address, path), bits = value<std::uint8_t>(address + 1, path);
      a.kind = kind & 15;
      a.is_signed = (bits & 8) != 0;
      a.size = value<std::uint32_t>(address + 4, path);
      if (a.kind <= 1 && (bits & 1) != 0) fail(path, "holds big-endian numbers; convert it on the machine it is from");
    } else if (type == layout_message) {
      if (value<std::uint8_t>(address, path) != 3 || value<std::uint8_t>(address + 1, path) > 1)
        fail(path, fmt::format("is not stored in one piece; {}", repack));
      const bool contiguous = value<std::uint8_t>(address + 1, path) == 1;
      data = contiguous ? value<std::uint64_t>(address + 2, path) : address + 4;
      stored = contiguous ? value<std::uint64_t>(address + 10, path) : value<std::uint16_t>(address + 2, path);
      if (!contiguous && stored + 4 > size) fail(path, fmt::format("its values are cut off; {}", again));
      has_data = true;
    } else if (type == filter_message) {
      fail(path, fmt::format("is compressed; {}", repack));
    }
    return false;
  });
  if (!has_shape || !has_data || a.kind < 0) fail(path, "is no array of values");
  if (a.size == 0 || a.size > bytes_.size()) fail(path, fmt::format("its values have an impossible size; {}", again));
  if (a.count > 0) a.values = at(data, a.count * a.size, path);
  if (a.count > 0 && stored < a.count * a.size) fail(path, fmt::format("has fewer values than it says; {}", again));
  return a;
}

std::vector<std::int32_t> Hdf5ClassicReader::integers(const std::string& path) const {
  const Array a = array(path);
  if (a.kind != 0 || (a.size != 4 && a.size != 8)) fail(path, "holds no whole numbers of 32 or 64 bits");
  std::vector<std::int32_t> result(static_cast<std::size_t>(a.count));
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::int64_t wide = 0;
    if (a.size == 8) {
      std::memcpy(&wide, a.values.data() + 8 * i, 8);
    } else {
      std::int32_t narrow = 0;
      std::memcpy(&narrow, a.values.data() + 4 * i, 4);
      wide = a.is_signed ? narrow : static_cast<std::int64_t>(static_cast<std::uint32_t>(narrow));
    }
    if (wide < std::numeric_limits<std::int32_t>::min() || wide > std::numeric_limits<std::int32_t>::max())
      fail(path, fmt::format("value {} is out of range; {}", i, again));
    result[i] = static_cast<std::int32_t>(wide);
  }
  return result;
}

std::vector<double> Hdf5ClassicReader::reals(const std::string& path) const {
  const Array a = array(path);
  if (a.kind != 1 || (a.size != 4 && a.size != 8)) fail(path, "holds no real numbers of 32 or 64 bits");
  std::vector<double> result(static_cast<std::size_t>(a.count));
  if (a.size == 8) {
    if (!result.empty()) std::memcpy(result.data(), a.values.data(), a.values.size());
  } else {
    for (std::size_t i = 0; i < result.size(); ++i) {
      float f = 0;
      std::memcpy(&f, a.values.data() + 4 * i, 4);
      result[i] = f;
    }
  }
  return result;
}

}  // namespace ymir
