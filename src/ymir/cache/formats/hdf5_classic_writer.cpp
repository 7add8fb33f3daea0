#include <algorithm>
#include <cstring>
#include <string_view>

#include "ymir/base/check.h"
#include "ymir/cache/formats/hdf5_classic.h"

namespace ymir {
namespace {

constexpr std::uint64_t undefined = ~std::uint64_t{0};
constexpr std::size_t symbols_per_leaf = 8, children_per_node = 32;  // twice the K of the superblock

}  // namespace

void Hdf5ClassicWriter::Group::put(std::string_view path, Values values) {
  YMIR_CHECK(!path.empty() && path.front() == '/');
  path.remove_prefix(1);
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos)
    arrays[std::string(path)] = std::move(values);
  else
    groups[std::string(path.substr(0, slash))].put(path.substr(slash), std::move(values));
}

class Hdf5ClassicWriter::Image {
 public:
  explicit Image(const Group& root) {
    reserve(96);
    const Entry entry = write(root);
    const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    std::memcpy(bytes.data(), signature, 8);
    const std::uint8_t sizes[2] = {8, 8};
    set(13, sizes);
    set(16, static_cast<std::uint16_t>(symbols_per_leaf / 2));
    set(18, static_cast<std::uint16_t>(children_per_node / 2));
    set(32, undefined);
    set(40, static_cast<std::uint64_t>(bytes.size()));
    set(48, undefined);
    write_entry(56, 0, entry);
  }
  std::vector<std::byte> bytes;

 private:
  struct Entry {
    std::uint64_t header = 0, tree = 0, heap = 0;  // tree, heap: of groups
  };

  std::uint64_t reserve(std::size_t count) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + (count + 7) / 8 * 8);
    return begin;
  }
  template <class T>
  void set(std::uint64_t address, const T& value) {
    std::memcpy(bytes.data() + address, &value, sizeof(T));
  }
  void set_text(std::uint64_t address, std::string_view text) {
    std::copy_n(reinterpret_cast<const std::byte*>(text.data()), text.size(), bytes.data() + address);
  }
  void write_entry(std::uint64_t address, std::uint64_t name, const Entry& entry) {
    set(address, name);
    set(address + 8, entry.header);
    if (entry.tree == 0) return;
    set(address + 16, std::uint32_t{1});
    set(address + 24, entry.tree);
    set(address + 32, entry.heap);
  }
  // Prefix of an object's header; returns where its messages begin.
  std::uint64_t begin_header(int messages, std::size_t size, std::uint64_t& header) {
    header = reserve(16 + size);
    set(header, std::uint8_t{1});
    set(header + 2, static_cast<std::uint16_t>(messages));
    set(header + 4, std::uint32_t{1});
    set(header + 8, static_cast<std::uint32_t>(size));
    return header + 16;
  }
  // Returns where the message's contents begin.
  std::uint64_t begin_message(std::uint64_t& address, std::uint16_t type, std::uint16_t size) {
    set(address, type);
    set(address + 2, size);
    const std::uint64_t contents = address + 8;
    address = contents + size;
    return contents;
  }
  Entry write(const Values& values);
  Entry write(const Group& group);
};

Hdf5ClassicWriter::Image::Entry Hdf5ClassicWriter::Image::write(const Values& values) {
  const auto* text = std::get_if<std::string>(&values);
  const auto* whole = std::get_if<std::vector<std::int32_t>>(&values);
  const auto* real = std::get_if<std::vector<double>>(&values);
  const std::size_t size = text != nullptr ? text->size() + 1 : whole != nullptr ? 4 : 8;
  const std::size_t count = text != nullptr ? 1 : whole != nullptr ? whole->size() : real->size();
  const std::uint64_t data = reserve(size * count);
  if (text != nullptr)
    set_text(data, *text);
  else if (count > 0)
    std::memcpy(bytes.data() + data, whole != nullptr ? static_cast<const void*>(whole->data()) : real->data(),
                size * count);

  Entry entry;
  const std::uint16_t shape = text != nullptr ? 8 : 16, type = real != nullptr ? 24 : 16, layout = 24;
  std::uint64_t address = begin_header(3, std::size_t{24} + shape + type + layout, entry.header);
  std::uint64_t at = begin_message(address, 1, shape);
  set(at, std::uint8_t{1});
  if (text == nullptr) {
    set(at + 1, std::uint8_t{1});
    set(at + 8, static_cast<std::uint64_t>(count));
  }
  at = begin_message(address, 3, type);
  set(at + 4, static_cast<std::uint32_t>(size));
  if (text != nullptr) {
    set(at, std::uint8_t{0x13});  // ends with a zero, ASCII
  } else if (whole != nullptr) {
    set(at, std::uint8_t{0x10});
    set(at + 1, std::uint8_t{8});  // signed
    set(at + 10, std::uint16_t{32});
  } else {
    const std::uint8_t bits[3] = {0x20, 63, 0};  // an implied leading one; the sign's place
    const std::uint8_t places[4] = {52, 11, 0, 52};
    set(at, std::uint8_t{0x11});
    set(at + 1, bits);
    set(at + 10, std::uint16_t{64});
    set(at + 12, places);
    set(at + 16, std::uint32_t{1023});
  }
  at = begin_message(address, 8, layout);
  set(at, std::uint8_t{3});
  set(at + 1, std::uint8_t{1});
  set(at + 2, count > 0 ? data : undefined);
  set(at + 10, static_cast<std::uint64_t>(size * count));
  return entry;
}

Hdf5ClassicWriter::Image::Entry Hdf5ClassicWriter::Image::write(const Group& group) {
  std::map<std::string, Entry> members;  // in the order that the index needs
  for (const auto& [name, inner] : group.groups) members[name] = write(inner);
  for (const auto& [name, values] : group.arrays) members[name] = write(values);
  YMIR_CHECK(!members.empty() && members.size() <= symbols_per_leaf);
  std::size_t names = 8;  // the first name is empty
  for (const auto& [name, member] : members) names += (name.size() + 8) / 8 * 8;

  Entry entry;
  entry.heap = reserve(32 + names);
  set_text(entry.heap, "HEAP");
  set(entry.heap + 8, static_cast<std::uint64_t>(names));
  set(entry.heap + 16, std::uint64_t{1});  // no free space
  set(entry.heap + 24, entry.heap + 32);
  const std::uint64_t leaf = reserve(8 + 40 * symbols_per_leaf);
  set_text(leaf, "SNOD");
  set(leaf + 4, std::uint8_t{1});
  set(leaf + 6, static_cast<std::uint16_t>(members.size()));
  std::uint64_t offset = 8, last = 0, symbol = leaf + 8;
  for (const auto& [name, member] : members) {
    set_text(entry.heap + 32 + offset, name);
    write_entry(symbol, offset, member);
    last = offset;
    offset += (name.size() + 8) / 8 * 8;
    symbol += 40;
  }
  entry.tree = reserve(24 + 8 * (2 * children_per_node + 1));
  set_text(entry.tree, "TREE");
  set(entry.tree + 6, std::uint16_t{1});
  set(entry.tree + 8, undefined);
  set(entry.tree + 16, undefined);
  set(entry.tree + 32, leaf);
  set(entry.tree + 40, last);
  std::uint64_t address = begin_header(1, 24, entry.header);
  const std::uint64_t at = begin_message(address, 17, 16);
  set(at, entry.tree);
  set(at + 8, entry.heap);
  return entry;
}

std::vector<std::byte> Hdf5ClassicWriter::bytes() const { return Image(root_).bytes; }

}  // namespace ymir
