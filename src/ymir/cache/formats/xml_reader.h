// XML as VTK writes it, read from front to back: tags with attributes, words of text between them. No entities but the
// five of XML itself, no document types. `name` is the file's name in messages, which name the line.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ymir {

struct XmlTag {
  std::string_view name;
  std::string_view attributes;  // unparsed
  bool closes = false;          // </name>
  bool empty = false;           // <name/>
};

class XmlReader {
 public:
  XmlReader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  // The next tag, whatever text is before it; comments and declarations are skipped. Nothing at the end of the file.
  std::optional<XmlTag> next_tag();
  // The next word before the next tag; empty when there is none.
  std::string_view next_word();
  // The value of an attribute; nothing when the tag does not have it.
  std::optional<std::string> attribute(const XmlTag& tag, std::string_view name) const;

  std::size_t remaining() const { return text_.size() - at_; }
  [[noreturn]] void fail(std::string_view message) const;

 private:
  void advance(std::size_t to);  // counts the lines
  void skip_to(std::string_view end);

  std::string_view text_;
  std::string name_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace ymir
