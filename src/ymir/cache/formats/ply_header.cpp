#include "ymir/cache/formats/ply_header.h"

#include <fmt/format.h>

#include <algorithm>

namespace ymir {
namespace {

constexpr const char* type_names[] = {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"};
constexpr const char* sized_names[] = {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"};
constexpr const char* encoding_names[] = {"ascii", "binary_little_endian", "binary_big_endian"};

PlyType parse_type(const BoundedReader& in, std::string_view word) {
  for (int i = 0; i < 8; ++i)
    if (word == type_names[i] || word == sized_names[i]) return static_cast<PlyType>(i);
  in.fail(fmt::format("{} is not a PLY type; expected one of char uchar short ushort int uint float double",
                      printable(word)));
}

PlyEncoding parse_format(const BoundedReader& in, std::string_view rest) {
  const std::string_view encoding = take_word(rest);
  const std::string_view version = take_word(rest);
  for (int i = 0; i < 3; ++i)
    if (encoding == encoding_names[i] && version == "1.0") return static_cast<PlyEncoding>(i);
  in.fail(
      fmt::format("format {} {} is not known; expected ascii, binary_little_endian or binary_big_endian, version 1.0",
                  printable(encoding), printable(version)));
}

std::string parse_name(const BoundedReader& in, std::string_view word, const char* what) {
  constexpr std::size_t longest = 100;
  const bool legible = std::all_of(word.begin(), word.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (word.empty() || word.size() > longest || !legible)
    in.fail(fmt::format("{} is not the name of a {}; expected up to {} printable characters", printable(word), what,
                        longest));
  return std::string(word);
}

// Far beyond any real file; names are compared pairwise.
constexpr std::size_t most_names = 1000;

template <class Named>
void refuse_second(const BoundedReader& in, const std::vector<Named>& all, const std::string& name, const char* what) {
  if (all.size() >= most_names)
    in.fail(fmt::format("more than {} declarations of kind {}; reduce the file", most_names, what));
  if (std::any_of(all.begin(), all.end(), [&](const Named& other) { return other.name == name; }))
    in.fail(fmt::format("{} {} is declared twice; export the file again", what, printable(name)));
}

PlyElement parse_element(const BoundedReader& in, std::string_view rest) {
  PlyElement element;
  element.name = parse_name(in, take_word(rest), "element");
  const std::string_view word = take_word(rest);
  std::int64_t count = 0;
  if (!parse_integer(word, count) || count < 0)
    in.fail(fmt::format("element {} has count {}, expected a whole number; export the file again", element.name,
                        printable(word)));
  element.count = static_cast<std::uint64_t>(count);
  return element;
}

PlyProperty parse_property(const BoundedReader& in, std::string_view rest) {
  PlyProperty property;
  std::string_view word = take_word(rest);
  property.list = word == "list";
  if (property.list) {
    property.count_type = parse_type(in, take_word(rest));
    if (!is_integer(property.count_type))
      in.fail("the count of a list must have an integer type; export the file again");
    word = take_word(rest);
  }
  property.type = parse_type(in, word);
  property.name = parse_name(in, take_word(rest), "property");
  return property;
}

}  // namespace

const char* name_of(PlyType type) { return type_names[static_cast<int>(type)]; }
const char* name_of(PlyEncoding encoding) { return encoding_names[static_cast<int>(encoding)]; }

const PlyElement* PlyHeader::find(std::string_view name) const {
  const auto it = std::find_if(elements.begin(), elements.end(), [&](const PlyElement& e) { return e.name == name; });
  return it == elements.end() ? nullptr : &*it;
}

PlyHeader read_ply_header(BoundedReader& in) {
  const auto magic = in.next_line();
  if (!magic || *magic != "ply") in.fail("expected a first line 'ply'; this is not a PLY file");
  PlyHeader header;
  bool has_format = false;
  for (auto line = in.next_line(); line; line = in.next_line()) {
    std::string_view rest = *line;
    const std::string_view keyword = take_word(rest);
    if (keyword == "comment" || keyword == "obj_info" || keyword.empty()) continue;
    if (keyword == "end_header") {
      if (!has_format) in.fail("the header has no format line; export the file again");
      for (const PlyElement& element : header.elements)
        if (element.properties.empty())
          in.fail(fmt::format("element {} has no properties; export the file again", element.name));
      return header;
    }
    if (keyword == "format") {
      header.encoding = parse_format(in, rest);
      has_format = true;
    } else if (keyword == "element") {
      PlyElement element = parse_element(in, rest);
      refuse_second(in, header.elements, element.name, "element");
      header.elements.push_back(std::move(element));
    } else if (keyword == "property" && !header.elements.empty()) {
      PlyProperty property = parse_property(in, rest);
      refuse_second(in, header.elements.back().properties, property.name, "property");
      header.elements.back().properties.push_back(std::move(property));
    } else {
      in.fail(fmt::format("{} is not expected here in a PLY header; this is not a PLY file or it is damaged",
                          printable(keyword)));
    }
  }
  in.fail("the header has no end_header; the file is truncated");
}

}  // namespace ymir
