// HDF5 files of the classic layout (superblock 0 or 1, groups as B-trees of symbol tables, arrays stored in one piece):
// what the HDF5 library writes unless asked otherwise. The library itself does not withstand forged or damaged files;
// this reader checks every address and count against the bytes there are. [HDF5 file format specification 1.1]
//
// Chunked or compressed arrays and the newer superblocks are refused with the command that converts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ymir {

class Hdf5ClassicReader {
 public:
  // `name` is the file's name in messages. Error(bad_input) where it is no such file.
  Hdf5ClassicReader(std::span<const std::byte> bytes, std::string name);

  bool has(std::string_view path) const;  // "/a/b": a group or an array
  // All values of an array, whatever its shape; an Error where there is none or the type is another.
  std::vector<std::int32_t> integers(const std::string& path) const;  // of 32 or 64 bits, each within 32
  std::vector<double> reals(const std::string& path) const;           // of 32 or 64 bits
  // "file: place: message"
  [[noreturn]] void fail(std::string_view place, std::string_view message) const;

 private:
  struct Array;
  std::span<const std::byte> at(std::uint64_t address, std::uint64_t count, std::string_view place) const;
  template <class T>
  T value(std::uint64_t address, std::string_view place) const;
  std::uint64_t find(std::string_view path) const;  // address of an object's header, 0: none
  std::uint64_t find_in_group(std::uint64_t header, std::string_view link, std::string_view place) const;
  std::uint64_t find_in_node(std::uint64_t node, std::uint64_t heap, std::string_view link, std::string_view place,
                             int depth, int& nodes) const;
  template <class F>
  void for_messages(std::uint64_t header, std::string_view place, F&& use) const;
  Array array(const std::string& path) const;

  std::span<const std::byte> bytes_;
  std::string name_;
  std::uint64_t root_ = 0;
};

// Writes such files: groups with at most eight members, arrays of one dimension, texts.
class Hdf5ClassicWriter {
 public:
  using Values = std::variant<std::vector<std::int32_t>, std::vector<double>, std::string>;
  void put(const std::string& path, Values values) { root_.put(path, std::move(values)); }
  // The same members give the same bytes.
  std::vector<std::byte> bytes() const;

 private:
  struct Group {
    std::map<std::string, Group> groups;
    std::map<std::string, Values> arrays;
    void put(std::string_view path, Values values);
  };
  class Image;
  Group root_;
};

}  // namespace ymir
