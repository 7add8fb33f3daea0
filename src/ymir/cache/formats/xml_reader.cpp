#include "ymir/cache/formats/xml_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "ymir/base/error.h"
#include "ymir/cache/formats/bounded_reader.h"

namespace ymir {
namespace {

constexpr std::string_view spaces = " \t\r\n\v\f";

std::string without_entities(std::string_view text) {
  struct Entity {
    std::string_view name;
    char character;
  };
  constexpr Entity entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string plain;
  while (!text.empty()) {
    const auto entity = std::find_if(std::begin(entities), std::end(entities),
                                     [&](const Entity& e) { return text.starts_with(e.name); });
    plain += entity == std::end(entities) ? text[0] : entity->character;
    text.remove_prefix(entity == std::end(entities) ? 1 : entity->name.size());
  }
  return plain;
}

// Where the tag that begins at `at` ends: the first > outside quotes.
std::size_t end_of_tag(std::string_view text, std::size_t at) {
  char quote = 0;
  for (; at < text.size(); ++at) {
    if (quote != 0)
      quote = text[at] == quote ? '\0' : quote;
    else if (text[at] == '"' || text[at] == '\'')
      quote = text[at];
    else if (text[at] == '>')
      return at;
  }
  return std::string_view::npos;
}

}  // namespace

void XmlReader::fail(std::string_view message) const {
  throw Error(ExitCode::bad_input, fmt::format("{}:{}: {}", name_, line_, message));
}

void XmlReader::advance(std::size_t to) {
  line_ += static_cast<std::size_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                               text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
  at_ = to;
}

void XmlReader::skip_to(std::string_view end) {
  const std::size_t found = text_.find(end, at_);
  if (found == std::string_view::npos)
    fail(fmt::format("expected {}, but the file ends; it is truncated: export it again", end));
  advance(found + end.size());
}

std::optional<XmlTag> XmlReader::next_tag() {
  while (true) {
    const std::size_t begin = text_.find('<', at_);
    advance(std::min(begin, text_.size()));
    if (begin == std::string_view::npos) return std::nullopt;
    const std::string_view rest = text_.substr(begin);
    if (rest.starts_with("<!--")) {
      skip_to("-->");
    } else if (rest.starts_with("<?")) {
      skip_to("?>");
    } else if (rest.starts_with("<!")) {
      fail("a document type or CDATA, which files of VTK do not have; export the file again");
    } else {
      break;
    }
  }
  const std::size_t end = end_of_tag(text_, at_);
  if (end == std::string_view::npos) fail("a tag does not end; the file is truncated: export it again");
  std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
  XmlTag tag;
  tag.closes = inside.starts_with('/');
  if (tag.closes) inside.remove_prefix(1);
  tag.empty = inside.ends_with('/');
  if (tag.empty) inside.remove_suffix(1);
  tag.name = inside.substr(0, inside.find_first_of(spaces));
  tag.attributes = inside.substr(tag.name.size());
  advance(end + 1);
  return tag;
}

std::string_view XmlReader::next_word() {
  advance(std::min(text_.find_first_not_of(spaces, at_), text_.size()));
  std::size_t end = at_;
  while (end < text_.size() && text_[end] != '<' && spaces.find(text_[end]) == std::string_view::npos) ++end;
  const std::string_view word = text_.substr(at_, end - at_);
  at_ = end;
  return word;
}

std::optional<std::string> XmlReader::attribute(const XmlTag& tag, std::string_view name) const {
  std::string_view rest = tag.attributes;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(spaces), rest.size()));
    if (rest.empty()) return std::nullopt;
    const std::size_t equals = rest.find('=');
    const std::size_t open = equals == std::string_view::npos ? equals : rest.find_first_not_of(spaces, equals + 1);
    const bool quoted = open != std::string_view::npos && (rest[open] == '"' || rest[open] == '\'');
    const std::size_t close = quoted ? rest.find(rest[open], open + 1) : std::string_view::npos;
    if (close == std::string_view::npos)
      fail(fmt::format("expected an attribute such as Name=\"value\", found {}; export the file again",
                       printable(rest)));
    std::string_view key = rest.substr(0, equals);
    if (take_word(key) == name) return without_entities(rest.substr(open + 1, close - open - 1));
    rest.remove_prefix(close + 1);
  }
}

}  // namespace ymir
