#include "ymir/setup/document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace ymir {

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const YamlEntry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

namespace {

struct Refused {
  Location at;
  std::string why;
};

// Length of the well-formed UTF-8 sequence at the front of `text`, 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continued = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continued(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    const bool overlong = first == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = first == 0xED && byte(1) > 0x9F;
    return continued(1) && continued(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool overlong = first == 0xF0 && byte(1) < 0x90;
    const bool beyond = first == 0xF4 && byte(1) > 0x8F;
    return continued(1) && continued(2) && continued(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

// yaml-cpp guesses encodings and takes byte 4 for the end of the file; it only gets clean UTF-8.
void check_characters(std::string_view text) {
  Location at{1, 1};
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    if ((first < 0x20 && first != '\t' && first != '\n' && first != '\r') || first == 0x7F)
      throw Refused{at, fmt::format("the control character {:#04x} is not allowed; remove it", first)};
    const std::size_t length = utf8_length(text);
    if (length == 0) throw Refused{at, fmt::format("byte {:#04x} is not UTF-8; save the file as UTF-8", first)};
    text.remove_prefix(length);
    at = first == '\n' ? Location{at.line + 1, 1} : Location{at.line, at.column + static_cast<int>(length)};
  }
}

struct Extent {
  std::size_t nodes = 0;
  std::size_t bytes = 0;
  int height = 0;
};

Extent extent(const YamlNode& node) {
  Extent total{1, node.text.size(), 0};
  const auto add = [&](const YamlNode& child) {
    const Extent e = extent(child);
    total.nodes += e.nodes;
    total.bytes += e.bytes;
    total.height = std::max(total.height, e.height + 1);
  };
  for (const YamlNode& item : node.items) add(item);
  for (const YamlEntry& entry : node.entries) {
    add(entry.value);
    total.bytes += entry.key.size();
  }
  return total;
}

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, std::vector<Diagnostic>& diagnostics) : file_(file), diagnostics_(diagnostics) {}

  YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1)
      throw Refused{place(mark),
                    "the setup ends before this line; indent it like its neighbours, or remove a second "
                    "document"};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make(YamlNode::Kind::null, place(mark)), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Refused{place(mark), "an alias refers to a value that contains it"};
    const Extent more = extent(found->second);
    count(more, place(mark));
    if (static_cast<int>(open_.size()) + more.height > document_limit::depth) too_deep(place(mark));
    add(found->second, 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(tag, place(mark));
    YamlNode node = make(YamlNode::Kind::scalar, place(mark));
    for (const char c : value)  // an escape such as "\0"
      if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n')
        throw Refused{node.at, "the text contains a control character; remove it"};
    node.text = value;
    node.quoted = tag == "!";
    count({0, value.size(), 0}, node.at);
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(YamlNode::Kind::sequence, place(mark), tag, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(YamlNode::Kind::map, place(mark), tag, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  // A sequence or map whose end has not been seen.
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    std::optional<YamlEntry> pending;  // key read, value to come
    std::set<std::string, std::less<>> keys;
  };

  static Location place(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

  static void check_tag(const std::string& tag, Location at) {
    if (!tag.empty() && tag != "?" && tag != "!")
      throw Refused{at, fmt::format("tags such as {} are not allowed; write the value alone", tag.substr(0, 40))};
  }
  [[noreturn]] static void too_deep(Location at) {
    throw Refused{at, fmt::format("more than {} levels of nesting", document_limit::depth)};
  }

  YamlNode make(YamlNode::Kind kind, Location at) {
    count({1, 0, 0}, at);
    YamlNode node;
    node.kind = kind;
    node.at = at;
    return node;
  }

  void count(const Extent& more, Location at) {
    used_.nodes += more.nodes;
    used_.bytes += more.bytes;
    if (used_.nodes > document_limit::nodes)
      throw Refused{at, fmt::format("more than {} values once aliases are expanded", document_limit::nodes)};
    if (used_.bytes > document_limit::expanded_bytes)
      throw Refused{at, fmt::format("more than {} bytes once aliases are expanded", document_limit::expanded_bytes)};
  }

  void begin(YamlNode::Kind kind, Location at, const std::string& tag, YAML::anchor_t anchor) {
    check_tag(tag, at);
    if (!open_.empty() && awaits_key()) throw Refused{at, "a key must be a single word"};
    if (static_cast<int>(open_.size()) >= document_limit::depth) too_deep(at);
    Open opened;
    opened.node = make(kind, at);
    opened.anchor = anchor;
    open_.push_back(std::move(opened));
  }

  void end() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    add(std::move(closed.node), closed.anchor);
  }

  bool awaits_key() const { return open_.back().node.kind == YamlNode::Kind::map && !open_.back().pending; }

  void add(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      count(extent(node), node.at);  // the copy kept for aliases
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::sequence) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.pending) {
      if (node.kind != YamlNode::Kind::scalar) throw Refused{node.at, "a key must be a single word"};
      parent.pending = YamlEntry{std::move(node.text), node.at, {}};
    } else {
      YamlEntry entry = std::move(*parent.pending);
      parent.pending.reset();
      entry.value = std::move(node);
      if (parent.keys.insert(entry.key).second)
        parent.node.entries.push_back(std::move(entry));
      else
        diagnostics_.push_back({Severity::error, file_, entry.at, "",
                                fmt::format("the key '{}' is given twice; keep one", entry.key.substr(0, 40))});
    }
  }

  const std::string& file_;
  std::vector<Diagnostic>& diagnostics_;
  int documents_ = 0;
  Extent used_;
  YamlNode root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
};

}  // namespace

std::optional<YamlNode> parse_document(std::string_view text, const std::string& file,
                                       std::vector<Diagnostic>& diagnostics) {
  const auto refuse = [&](Location at, const std::string& why) {
    diagnostics.push_back({Severity::error, file, at, "", why});
    return std::nullopt;
  };
  if (text.size() > document_limit::bytes)
    return refuse({}, fmt::format("larger than {} bytes; a setup holds parameters, data belongs in input files",
                                  document_limit::bytes));
  try {
    check_characters(text);
    TreeBuilder builder(file, diagnostics);
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (const Refused& refused) {
    return refuse(refused.at, refused.why);
  } catch (const YAML::Exception& e) {
    const bool located = !e.mark.is_null();
    return refuse({located ? e.mark.line + 1 : 1, located ? e.mark.column + 1 : 1}, "not YAML: " + e.msg);
  }
}

}  // namespace ymir
